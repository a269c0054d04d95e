//! Broken files.

use super::*;

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
            "the header has the column `winner` twice; give every column its own name".into(),
        ),
        (
            "",
            "a,b\n",
            "2: the row has 2 cells, but the header has 3; see whether the file is cut short \
             there, and quote a cell that holds a line end"
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
            "items.jsonl",
            "this is a data set's file (`items`), not judgments or scores; `evenhand judge` with \
             --data makes them",
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
            ran.prints_nothing(2);
            assert!(
                ran.stderr.starts_with(&format!("error: {file}")) && ran.stderr.contains(says),
                "{file}{more}: {}",
                ran.stderr
            );
        }
    }
}

#[test]
fn two_hundred_damaged_files_never_end_in_a_panic() {
    let desk = Desk::empty();
    let arena = "{\"question_id\":\"1\",\"model\":\"m\",\"baseline\":\"b\",\"judge\":\"g\",\"games\":[{\"score\":\"A>B\"},{\"score\":\"B>>A\"}]}\n";
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
            matches!(ran.code, Some(0..=2)),
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
