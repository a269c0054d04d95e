//! Options that do not go together.

use super::*;

#[test]
fn options_that_do_not_go_together_are_refused() {
    let desk = desk();
    desk.write(
        "bad.csv",
        "model_a,model_b,winner\na,b,both_bad\na,c,both_bad\n",
    );
    for aggregate in [
        "win-ratio",
        "average-win-rate",
        "elo",
        "davidson",
        "rao-kupper",
        "newman",
        "counting",
    ] {
        let message = format!(
            "--ci sandwich: it is for bradley-terry; with --aggregate {aggregate} use --ci \
             bootstrap"
        );
        refused(
            &desk,
            &format!("b.csv --ci sandwich --aggregate {aggregate}"),
            &message,
        );
        let message =
            format!("--prior: it is for bradley-terry; --aggregate {aggregate} takes none");
        refused(
            &desk,
            &format!("b.csv --prior 0.1 --aggregate {aggregate}"),
            &message,
        );
    }
    let of_maximum = "--ci sandwich: it is for maximum likelihood; with --prior use --ci bootstrap";
    let of_scores =
        "--ci sandwich: it is for bradley-terry; with --aggregate mean use --ci bootstrap";
    for (arguments, message) in [
        ("b.csv --ci sandwich --prior 0.1", of_maximum),
        ("s.jsonl --ci sandwich", of_scores),
        (
            "s.jsonl --prior 0.1",
            "--prior: it is for bradley-terry; --aggregate mean takes none",
        ),
        (
            "b.csv --permutations 9",
            "--permutations: it is for --aggregate elo with --ci none, whose ratings it averages \
             over orders",
        ),
        (
            "b.csv --input-format battle",
            "--input-format battle: expected one of battles, counts, judgments, labels, \
             alpaca-eval-annotations, alpaca-eval-preferences, arena-hard-judgments, \
             mt-bench-pairs, mt-bench-scores, pandalm-pairs, pandalm-verdicts, llmbar-results, \
             judgebench-judgments, score-pair-reviews, auto-j-pairs, auto-j-verdicts, scores",
        ),
        (
            "b.csv --ci bca --aggregate elo",
            "--aggregate elo: use --ci bootstrap or --ci none",
        ),
        (
            "c.csv --control x",
            "--control: counts have no covariates; give the comparisons themselves",
        ),
        (
            "b.csv --control x --ci bootstrap",
            "--control: its intervals are --ci sandwich, or --ci none",
        ),
        (
            "b.csv --control x --aggregate elo",
            "--control: it is for bradley-terry, rao-kupper and davidson, not for elo",
        ),
        (
            "b.csv --control order --systems a",
            "--control: no comparison of two of the systems that are kept is left; keep systems \
             that were compared with each other",
        ),
        (
            "bad.csv --control order --both-bad apart",
            "--control: in every comparison both are bad, which decides nothing here; --both-bad \
             tie counts them as ties",
        ),
        (
            "b.csv --control x --drop",
            "--drop: it is not known with --control; leave one of them out",
        ),
        (
            "s.jsonl --control length --strength 3,1,1",
            "--strength: it is not done with --control; leave one of them out",
        ),
        (
            "s.jsonl --control length",
            "--control length: the files do not say how long the responses are",
        ),
        (
            "s.jsonl --control width",
            "--control: of judgments only `length` and `order` are known",
        ),
        (
            "b.csv --differences --ci none",
            "--differences: it needs intervals; leave --ci none out",
        ),
        (
            "b.csv --cluster item",
            "--cluster item: the file has no column `question_id` or `item`; name the column with \
             --cluster COLUMN",
        ),
        (
            "c.csv --cluster item",
            "--cluster: the counts have no column `question_id` or `item`; leave it out, name the \
             column with --cluster COLUMN, or give the comparisons themselves",
        ),
        (
            "s.jsonl --cluster day",
            "--cluster day: these are judgments, whose items are known; say item or none",
        ),
        (
            "c.csv --aggregate elo",
            "--aggregate elo: it needs the comparisons in their order, and these are counts",
        ),
        (
            "s.jsonl --aggregate elo",
            "--aggregate elo: it needs comparisons in their order",
        ),
        (
            "b.csv --aggregate mean",
            "--aggregate mean: it needs scores of single responses, and these are comparisons",
        ),
        (
            "c.csv --aggregate median",
            "--aggregate median: it needs scores of single responses, and these are comparisons",
        ),
        (
            "b.csv c.csv",
            "b.csv and c.csv are of different sorts (battles and counts); rank them apart",
        ),
        (
            "b.csv s.jsonl",
            "b.csv and s.jsonl are of different sorts (battles and judgments or scores); rank them \
             apart",
        ),
        (
            "b.csv --systems a,zz",
            "--systems: no system zz is in the files; those that are: a, b, c",
        ),
        (
            "s.jsonl --systems zz",
            "--systems: no system zz is in the files; those that are: a, b",
        ),
        (
            "b.csv --strength 3,1,1",
            "--strength: it is for Arena-Hard judgments, and these are battles; leave it out",
        ),
        (
            "s.jsonl --strength 3,1",
            "--strength: expected three weights of at least 0, not all of them 0, such as 3,1,1",
        ),
        (
            "s.jsonl --strength nan,1,1",
            "--strength: expected three weights of at least 0, not all of them 0, such as 3,1,1",
        ),
        (
            "c.csv --both-games",
            "--both-games: it is for MT-Bench pairs, and these are counts; leave it out",
        ),
        (
            "b.csv --baseline a",
            "--baseline: it is for Arena-Hard judgments, and these are battles; leave it out",
        ),
        (
            "s.jsonl --weight w",
            "--weight: it names a column of battles, and these are judgments or scores; leave it \
             out",
        ),
        (
            "c.csv --left model_a",
            "--left: it names a column of battles, and these are counts; leave it out",
        ),
        (
            "s.jsonl --both-bad tie",
            "--both-bad: it is for battles and counts, and these are judgments or scores; leave it \
             out",
        ),
        (
            "b.csv --level 1",
            "--level 1: expected a number strictly between 0 and 1, such as 0.95",
        ),
        (
            "b.csv --rounds 1",
            "--rounds 1: expected 2 to 10000000 resamples",
        ),
        (
            "b.csv --prior 0",
            "--prior 0: expected a weight above 0, such as 0.1",
        ),
    ] {
        refused(&desk, arguments, message);
    }
}

/// A column of scores or ratings that is there twice used to be read from the last.
#[test]
fn columns_by_one_name_are_refused_in_every_table() {
    let desk = Desk::empty();
    desk.write("scores.csv", "system,item,score,score\na,1,9,1\nb,1,1,9\n");
    desk.write("ratings.csv", "system,rating,rating\na,2,1\nb,1,2\n");
    desk.write("ranking.csv", "system,score\na,2\nb,1\n");
    let said = "the header has the column `score` twice; give every column its own name";
    for (command, said) in [
        ("leaderboard scores.csv", format!("scores.csv:1: {said}")),
        (
            "meta bencher --ranking ranking.csv --ratings ratings.csv",
            format!("ratings.csv:1: {}", said.replace("score", "rating")),
        ),
    ] {
        desk.refused(command, &said);
    }
}

/// The first of two gates used to be dropped, and what it would have stopped went through.
#[test]
fn what_is_there_twice_and_counts_once_is_refused() {
    let desk = desk();
    for (arguments, said) in [
        (
            "--fail-if rank.x>1 --fail-if=coverage<0.5",
            "--fail-if is there twice and only one of the two would stop anything; conditions are \
             separated by commas",
        ),
        (
            "--anchor x=1000 --anchor y=900",
            "--anchor is there twice; one system has a rating that is fixed",
        ),
        (
            "--by item --by winner",
            "--by is there twice and is one field; give the same command once for each",
        ),
    ] {
        desk.refused(&format!("leaderboard b.csv {arguments}"), said);
    }
    desk.refused(
        "compare one two --pair a,b --pair a,c",
        "--pair is there twice and is of two systems",
    );
}
