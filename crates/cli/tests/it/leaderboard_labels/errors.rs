//! What cannot be ranked with labels.

use super::*;

#[test]
fn errors_name_the_systems() {
    let refused = |desk: &Desk, message: &str| {
        let ran = desk.run(FILES);
        ran.is_refused(&format!("--labels: {message}"));
    };
    let apart = "no chain of people's labels connects these groups: x, y | z; label comparisons \
                 between them";
    refused(&desk_with(|item, _, b| item % 4 == 0 && b == "y"), apart);
    refused(
        &desk_with(|item, _, _| item == 0),
        "the rows with a label are of 1 cluster; expected at least 2",
    );
    refused(
        &desk_with(|_, _, _| true),
        "every row has a label, so there is nothing to correct: rank the labels by themselves",
    );
    let one_sided = desk_with(|item, _, _| item == 1 || item == 2);
    one_sided.write(
        "verdicts.jsonl",
        (0..60)
            .map(|i| label(i, "x", "y", "a") + &label(i, "y", "z", "a"))
            .collect::<String>(),
    );
    let above = "the labels never put x below the others, so there are no finite strengths; more \
                 labels are needed";
    refused(&one_sided, above);
}

#[test]
fn errors_are_exact() {
    let desk = desk_with(|item, _, _| item % 4 == 0);
    desk.write(
        "elsewhere.jsonl",
        label(900, "x", "y", "a") + &label(901, "x", "y", "a"),
    );
    desk.write("scores.csv", SCORES);
    desk.write("grades.csv", GRADES);
    desk.write("battles.csv", "model_a,model_b,winner\nx,y,model_a\n");
    let refused = |arguments: &str, message: &str| {
        let ran = desk.run(&format!("leaderboard {arguments}"));
        ran.is_refused(message);
    };
    refused(
        "verdicts.jsonl --labels elsewhere.jsonl",
        "--labels: the judge has judged none of the 2 labelled rows; rows are matched by the names \
         of the item and the systems, which begin with item `q900` and system `x` in the labels \
         and with item `q0` and system `x` in what was judged",
    );
    // Of scores as of comparisons.
    refused(
        "scores.csv --labels scores.csv",
        "--labels: every row has a label, so there is nothing to correct: rank the labels by \
         themselves",
    );
    desk.write("runs/one/run.sqlite", "");
    refused(
        "runs/one --labels labels.jsonl",
        "runs/one: it is a run, not data; `judgments` writes what was judged there as JSON or CSV, \
         and such a file is read here",
    );
    refused(
        "verdicts.jsonl --labels runs/one",
        "runs/one: nobody has labelled what was judged there; a review of the run makes labels",
    );
    // After a review; its labels are read where labels are asked for, and only there.
    desk.write("runs/one/labels.jsonl", label(900, "x", "y", "a"));
    refused(
        "runs/one --labels runs/one",
        "runs/one: it is a run, not data; `judgments` writes what was judged there as JSON or CSV, \
         and such a file is read here; people's labels of it are in runs/one/labels.jsonl",
    );
    refused(
        "verdicts.jsonl --labels runs/one",
        "--labels: the judge has judged none of the 1 labelled rows; rows are matched by the names \
         of the item and the systems, which begin with item `q900` and system `x` in the labels \
         and with item `q0` and system `x` in what was judged",
    );
    refused(
        "verdicts.jsonl --labels scores.csv",
        "--labels: the judge gave comparisons and people scores; both must be of the same kind",
    );
    refused(
        "scores.csv --labels labels.jsonl",
        "--labels: the judge gave scores and people comparisons; both must be of the same kind",
    );
    let battles = "--labels: battles.csv: the battles name no items, by which labels and verdicts \
                   are matched; expected the item in a column `question_id` or `item`";
    refused("battles.csv --labels labels.jsonl", battles);
    refused("verdicts.jsonl --labels battles.csv", battles);
    refused(
        "verdicts.jsonl --labels none.jsonl",
        "none.jsonl: cannot be read: No such file or directory (os error 2)",
    );
    let of = |flags: &str| format!("verdicts.jsonl --labels labels.jsonl {flags}");
    refused(
        &of("--aggregate elo"),
        "--labels: for comparisons there is --aggregate bradley-terry or win-ratio, and not elo",
    );
    refused(
        "scores.csv --labels grades.csv --aggregate median",
        "--labels: for scores there is --aggregate mean, and not median",
    );
    refused(
        &of("--aggregate win-ratio --differences"),
        "--differences: with --labels it is for bradley-terry",
    );
    refused(
        &of("--ci bootstrap"),
        "--labels: its intervals are its own; leave --ci out, or say --ci none",
    );
    refused(
        &of("--cluster none"),
        "--labels: what is independent are the items; leave --cluster out",
    );
    for flag in [
        "--control length",
        "--prior 1",
        "--drop",
        "--strength 3,1,1",
    ] {
        let name = flag.split(' ').next().unwrap();
        refused(
            &of(flag),
            &format!("--labels: it does not go with {name}; leave one of the two out"),
        );
    }
    refused(
        &of("--systems x,q"),
        "--systems: no system q is in the files; those that are: x, y, z",
    );
}
