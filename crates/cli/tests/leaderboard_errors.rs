//! `evenhand leaderboard` on what it cannot rank: exact words, exit code 2, and never a panic.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::Desk;
use std::io::Write;

const BATTLES: &str = "model_a,model_b,winner\na,b,model_a\nb,c,tie\nc,a,model_b\nb,a,model_a\nb,c,model_a\nc,b,model_a\nc,a,model_a\n";
const COUNTS: &str = "model_a,model_b,wins_a,wins_b,ties\na,b,3,4,1\nb,c,5,6,0\na,c,1,1,1\n";
const SCORES: &str = "{\"item\":\"1\",\"system\":\"a\",\"score\":3}\n{\"item\":\"1\",\"system\":\"b\",\"score\":4}\n\
    {\"item\":\"2\",\"system\":\"a\",\"score\":5}\n{\"item\":\"2\",\"system\":\"b\",\"score\":4}\n";

fn desk() -> Desk {
    let desk = Desk::empty();
    desk.write("b.csv", BATTLES);
    desk.write("c.csv", COUNTS);
    desk.write("s.jsonl", SCORES);
    desk
}

/// Nothing on stdout, exit code 2, and just this message.
fn refused(desk: &Desk, arguments: &str, message: &str) {
    let ran = desk.run(&format!("leaderboard {arguments}"));
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(2), ""),
        "{arguments}: {}",
        ran.stderr
    );
    assert_eq!(ran.stderr, format!("error: {message}\n"), "{arguments}");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let desk = desk();
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
            "--control: it is for bradley-terry, not for elo",
        ),
        (
            "b.csv --control x --systems a",
            "--control: it takes all systems of the files; leave --systems out",
        ),
        (
            "b.csv --control x --drop",
            "--drop: it is not known with --control; leave one of them out",
        ),
        (
            "b.csv --control x --both-bad apart",
            "--both-bad apart: it is not done with --control; leave one of them out",
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
            "--control: of judgments only `length` is known",
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
            "--cluster: counts have no items; leave it out, or give the comparisons themselves",
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

#[test]
fn columns_that_are_missing_are_named() {
    let desk = desk();
    let has = "the file has `model_a`, `model_b`, `winner`";
    for (arguments, message) in [
        (
            "--weight nope",
            format!(
                "b.csv: no column `nope`; expected a finite weight of at least 0 under that name; \
                 {has}"
            ),
        ),
        (
            "--cluster nope",
            format!(
                "b.csv: no column `nope`; expected a value to group rows by under that name; {has}"
            ),
        ),
        (
            "--control nope",
            format!("b.csv: no column `nope`; expected a finite number under that name; {has}"),
        ),
        (
            "--counts",
            format!(
                "b.csv: no column `wins_a`, `wins_b`, `ties`; expected `model_a`, `model_b`, \
                 `wins_a`, `wins_b` and `ties`; {has}"
            ),
        ),
    ] {
        refused(&desk, &format!("b.csv {arguments}"), &message);
    }
}

#[test]
fn covariates_without_an_answer_are_named() {
    let desk = Desk::empty();
    let rows = "a,b,model_a,1,1\nb,a,model_b,2,3\nb,a,model_a,2,3\na,b,model_a,2,3\nb,c,model_a,3,5\nc,b,model_a,1,1\nc,a,tie,2,3\n";
    desk.write("x.csv", format!("model_a,model_b,winner,x,y\n{rows}"));
    desk.write(
        "same.csv",
        format!(
            "model_a,model_b,winner,x,y\n{}",
            rows.replace(",2,3\n", ",2,2\n").replace(",3,5\n", ",3,3\n")
        ),
    );
    refused(
        &desk,
        "same.csv --control x,y",
        "--control y: it is determined by x; leave one of them out",
    );
    let separated = "a,b,model_a,1\nb,a,model_a,1\nb,c,model_a,1\nc,a,model_a,1\na,c,model_a,1\nc,b,model_a,1\n";
    desk.write(
        "separated.csv",
        format!("model_a,model_b,winner,x\n{separated}"),
    );
    let message =
        "--control x: it separates the outcomes: with more of it the fit gets better without end";
    refused(&desk, "separated.csv --control x", message);
    refused(
        &desk,
        "x.csv --control x,z",
        "x.csv: no column `z`; expected a finite number under that name; the file has `model_a`, \
         `model_b`, `winner`, `x`, `y`",
    );
}

#[test]
fn rows_that_mean_nothing_are_errors_at_their_line() {
    let desk = Desk::empty();
    let outcomes = "expected `model_a`, `left`, `a` or the first system's name, `model_b`, \
                    `right`, `b` or the second's, \
                    `tie` or `both_bad`; say what your words mean: --outcomes \
                    'nobody=first,...=second,...=tie'";
    for (header, rows, message) in [
        (
            "",
            "",
            "there are no rows; expected at least one".to_string(),
        ),
        (
            ",weight",
            "a,b,model_a,NaN\n",
            "2: field weight: `NaN` is not a finite weight of at \
                                          least 0"
                .into(),
        ),
        (
            ",weight",
            "a,b,tie,1\na,b,tie,-1\n",
            "3: field weight: `-1` is not a finite weight of at \
                                                least 0"
                .into(),
        ),
        (
            ",weight",
            "a,b,tie,inf\n",
            "2: field weight: `inf` is not a finite weight of at least 0".into(),
        ),
        (
            "",
            "a,b,model_a\na,b,nobody\n",
            format!(
                "3: field winner: `nobody` is not an outcome \
                                                   that is known; {outcomes}"
            ),
        ),
        (
            "",
            "a,a,tie\n",
            "2: the system `a` is compared with itself; remove the row, or give the two systems \
             different names"
                .into(),
        ),
        (
            ",winner",
            "a,b,tie,tie\n",
            "the header has the column `winner` twice; give every column \
                                      a name of its own"
                .into(),
        ),
        (
            "",
            "a,b\n",
            "2: the row has 2 cells, but the header has 3; quote a cell that holds a \
                       separator"
                .into(),
        ),
    ] {
        desk.write("x.csv", format!("model_a,model_b,winner{header}\n{rows}"));
        let colon = if message.starts_with(|c: char| c.is_ascii_digit()) {
            "x.csv:"
        } else {
            "x.csv: "
        };
        refused(&desk, "x.csv", &format!("{colon}{message}"));
    }
}

#[test]
fn broken_files_are_named_with_a_way_out() {
    let desk = desk();
    let packed = gzip(BATTLES.as_bytes());
    desk.write("cut.csv.gz", &packed[..packed.len() / 2]);
    desk.write("cut.parquet", b"PAR1\0\0\0\0\0\0\0\0\0");
    desk.write("latin.csv", b"model_a,model_b,winner\n\xff\xfe,b,model_a\n");
    desk.write("latin_header.csv", b"mod\xffel_a,model_b,winner\na,b,tie\n");
    desk.write("empty.csv", "");
    desk.write("annotations.json", "[]");
    desk.write(
        "battles.json",
        "[{\"model_a\": \"a\", \"model_b\": \"b\", \"winner\": \"tie\"}]",
    );
    desk.write("items.jsonl", "{\"id\": \"1\", \"instruction\": \"x\"}\n");
    desk.write("dir/x", "");
    for (file, says) in [
        ("cut.csv.gz", "the gzip data is damaged or cut short"),
        ("cut.csv.gz", "fetch the file again"),
        ("cut.parquet", "the Parquet file is damaged or cut short"),
        ("latin.csv", "latin.csv:2: field model_a: not valid UTF-8"),
        ("latin.csv", "save the file as UTF-8"),
        ("latin_header.csv", "not valid UTF-8"),
        (
            "empty.csv",
            "the file is empty; expected at least one record",
        ),
        (
            "annotations.json",
            "the file is empty; expected at least one record",
        ),
        (
            "battles.json",
            "the file is one JSON array; expected one JSON object a line (`jq -c '.[]'` converts \
             it)",
        ),
        (
            "items.jsonl",
            "this is a data set's file (`items`), not judgments or scores; `evenhand judge --data` \
             makes them",
        ),
        (
            "dir",
            "the directory holds no data files; expected .json, .jsonl, .csv or .tsv",
        ),
        ("missing.csv", "cannot be read: No such file"),
    ] {
        for more in [
            "",
            " --ci none",
            " --aggregate elo --ci none",
            " --ci sandwich",
        ] {
            let ran = desk.run(&format!("leaderboard {file}{more}"));
            assert_eq!(
                (ran.code, ran.stdout.as_str()),
                (Some(2), ""),
                "{file}{more}: {}",
                ran.stderr
            );
            assert!(
                ran.stderr.starts_with(&format!("error: {file}")) && ran.stderr.contains(says),
                "{file}{more}: {}",
                ran.stderr
            );
        }
    }
}

/// A pseudo-random number, by a linear congruence (Knuth's MMIX).
fn next(state: &mut u64) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

#[test]
fn two_hundred_damaged_files_never_end_in_a_panic() {
    let desk = Desk::empty();
    let arena = "{\"question_id\":\"1\",\"model\":\"m\",\"judge\":\"g\",\"games\":[{\"score\":\"A>B\"},{\"score\":\"B>>A\"}]}\n";
    let alpaca = "{\"instruction_id\":0,\"model\":\"m\",\"reference\":\"r\",\"preference\":1.5,\"len_output_1\":3,\"len_output_2\":4}\n";
    let lines =
        "{\"left\": \"a\", \"right\": \"b\", \"winner\": \"left\", \"weight\": 2.5, \"item\": 7}\n"
            .repeat(3);
    let files = [
        BATTLES.as_bytes().to_vec(),
        COUNTS.into(),
        SCORES.into(),
        arena.into(),
        alpaca.into(),
        lines.into(),
        gzip(BATTLES.as_bytes()),
    ];
    let modes = [
        "--rounds 20",
        "--ci none --aggregate elo",
        "--ci sandwich --rounds 20",
        "--ci none --aggregate davidson --drop",
    ];
    let (mut state, mut good) = (1, 0);
    for turn in 0..200 {
        let mut bytes = files[turn % files.len()].clone();
        for _ in 0..=turn % 3 {
            let at = next(&mut state) % bytes.len();
            bytes[at] = next(&mut state) as u8;
        }
        desk.write("x", &bytes);
        let mode = modes[next(&mut state) % modes.len()];
        let ran = desk.run(&format!("leaderboard x {mode}"));
        assert!(
            matches!(ran.code, Some(0 | 2)),
            "{turn} {mode}: {:?} {}",
            ran.code,
            ran.stderr
        );
        assert!(
            !ran.stderr.contains("panicked"),
            "{turn} {mode}: {}",
            ran.stderr
        );
        assert!(
            ran.code == Some(0) || ran.stderr.starts_with("error: "),
            "{}",
            ran.stderr
        );
        good += usize::from(ran.code == Some(0));
    }
    assert!(
        (1..200).contains(&good),
        "{good} of 200 damaged files were ranked"
    );
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

#[test]
fn counts_that_are_not_whole_cannot_be_resampled() {
    let desk = desk();
    desk.write(
        "half.csv",
        "model_a,model_b,wins_a,wins_b,ties\na,b,3.5,4,1\nb,c,5,6,0\na,c,1,1,1\n",
    );
    let message = "--ci bootstrap: some counts are not whole, and only whole comparisons can be \
                   resampled; use --ci sandwich or none";
    refused(&desk, "half.csv", message);
    assert_eq!(
        desk.json("leaderboard half.csv --ci sandwich")["ranking"]
            .as_array()
            .map(Vec::len),
        Some(3)
    );
}

/// A column of scores or ratings that is there twice used to be read from the last.
#[test]
fn columns_by_one_name_are_refused_in_every_table() {
    let desk = Desk::empty();
    desk.write("scores.csv", "system,item,score,score\na,1,9,1\nb,1,1,9\n");
    desk.write("ratings.csv", "system,rating,rating\na,2,1\nb,1,2\n");
    desk.write("ranking.csv", "system,score\na,2\nb,1\n");
    let said = "the header has the column `score` twice; give every column a name of its own";
    for (command, said) in [
        ("leaderboard scores.csv", format!("scores.csv:1: {said}")),
        (
            "meta bencher --ranking ranking.csv --ratings ratings.csv",
            format!("ratings.csv:1: {}", said.replace("score", "rating")),
        ),
    ] {
        let ran = desk.run(command);
        assert!(
            ran.code == Some(2) && ran.stderr.contains(&said),
            "{command}: {:?} {}",
            ran.code,
            ran.stderr
        );
    }
}

/// A fit of strengths used to give every system 1000 where weights are 10^17 times apart, or a
/// prior weighs as little.
#[test]
fn weights_that_are_too_far_apart_are_refused() {
    let desk = Desk::empty();
    let rows = |heavy: &str, light: &str| {
        format!(
            "model_a,model_b,winner,weight\na,b,model_a,{heavy}\na,b,model_b,{heavy}\nb,c,model_a,{light}\nb,c,model_b,{light}\n"
        )
    };
    desk.write("far.csv", rows("1e18", "1"));
    desk.write("heavy.csv", rows("1e18", "1e18"));
    let pair = "the comparisons of one pair of systems weigh 2e18 in all";
    for arguments in [
        "",
        " --prior 1",
        " --aggregate davidson",
        " --aggregate rao-kupper",
    ] {
        let ran = desk.run(&format!(
            "leaderboard far.csv --weight weight --ci none{arguments}"
        ));
        let light = if arguments == " --prior 1" {
            "the prior 1;"
        } else {
            "those of another 2;"
        };
        assert!(
            ran.code == Some(2) && ran.stderr.contains(&format!("{pair}, and {light}")),
            "{arguments}: {}",
            ran.stderr
        );
    }
    let ran = desk.run("leaderboard heavy.csv --weight weight --ci none --prior 1");
    assert!(
        ran.code == Some(2) && ran.stderr.contains(&format!("{pair}, and the prior 1;")),
        "{}",
        ran.stderr
    );
    desk.done("leaderboard heavy.csv --weight weight --ci none");
    desk.done("leaderboard far.csv --weight weight --ci none --aggregate win-ratio");
}
