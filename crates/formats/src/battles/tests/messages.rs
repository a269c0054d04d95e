//! The exact words of errors.

use super::*;

#[test]
fn each_error_names_file_line_and_value() {
    let outcome = |word: &str| {
        format!(
            "`{word}` is not an outcome that is known; expected `model_a`, `left`, `a` or the \
             first system's name, \
             `model_b`, `right`, `b` or the second's, `tie` or `both_bad`; say what your words \
             mean: \
             `outcomes` '{word}=first,...=second,...=tie'"
        )
    };
    let other = "`a` is the first or the second response, and here a system of that name is the \
                 other one; \
                 give the systems other names, or say what the word means: `outcomes` \
                 'a=first,...=second,...=tie'";
    let signs = "field winner: the outcomes are 1 and 0 and never -1, so who won where there is 0 \
                 (or 1) is not \
                 known; say it: `outcomes` '1=first,0=second', or '1=first,0=tie'";
    let head = "model_a,model_b,winner";
    let cases: &[(&str, String, String)] = &[
        ("a.csv", String::new(), "a.csv: the file is empty; expected CSV with a header, or one \
                                  JSON object a line".into()),
        ("a.csv", format!("{head}\n"), "a.csv: there are no rows; expected at least one".into()),
        ("a.csv", format!("{head}\nx,y,z\n"), format!("a.csv:2: field winner: {}", outcome("z"))),
        (
            "a.csv",
            format!("{head}\r\n\r\nx,y,tie\r\nx,y,won"),
            format!("a.csv:4: field winner: {}", outcome("won")),
        ),
        (
            "a.csv",
            format!("{head}\n\"x\n1\",y,tie\nx,y,\n"),
            "a.csv:4: field winner is empty: the row does not say who won; `outcomes` \
             '=drop' leaves such rows out and counts them".into(),
        ),
        ("a.csv", format!("{head}\nx,a,a\n"), format!("a.csv:2: field winner: {other}")),
        ("a.csv", format!("{head}\nx,y,1\nx,y,0\n"), format!("a.csv: {signs}")),
        ("a.csv", format!("{head}\nx,,tie\n"), "a.csv:2: field model_b is empty; expected a \
                                                system's name".into()),
        (
            "a.csv",
            format!("{head}\nx,x,tie\n"),
            "a.csv:2: the system `x` is compared with itself; remove the row, or give the two \
             systems different names".into(),
        ),
        (
            "a.csv",
            format!("{head}\nx,y\n"),
            "a.csv:2: the row has 2 cells, but the header has 3; see whether the file is cut short \
             there, and quote a cell that holds a line end".into(),
        ),
        (
            "a.csv",
            format!("{head}\nx,y,tie,tie\n"),
            "a.csv:2: the row has 4 cells, but the header has 3; quote a cell that holds a \
             separator".into(),
        ),
        (
            "a.csv",
            format!("{head},weight\nx,y,tie,1\nx,y,tie,-0.5\n"),
            "a.csv:3: field weight: `-0.5` is not a finite weight of at least 0".into(),
        ),
        (
            "a.csv",
            format!("{head},weight\nx,y,tie,NaN\n"),
            "a.csv:2: field weight: `NaN` is not a finite weight of at least 0".into(),
        ),
        (
            "a.csv",
            format!("{head},weight\nx,y,tie,\n"),
            "a.csv:2: field weight is empty; expected a finite weight of at least 0".into(),
        ),
        (
            "a.csv",
            "model_a,winner,id\nx,tie,1\n".into(),
            "a.csv: no column `model_b`; expected `model_a`, `model_b` and `winner`, or `left`, \
             `right` and `winner`, or `system_a`, `system_b` and `winner`; the file has \
             `model_a`, `winner`, `id`; name the column that the file has for it with `right`"
                .into(),
        ),
        (
            "a.csv",
            "Model left,Model right,tokens_left,tokens_right,vote\nx,y,1,2,tie\n".into(),
            "a.csv: no column `model_a`, `model_b`, `winner`; expected `model_a`, `model_b` and \
             `winner`, or `left`, `right` and `winner`, or `system_a`, `system_b` and `winner`; the \
             file has `Model left`, `Model right`, `tokens_left`, `tokens_right`, `vote`; if they \
             are battles, tell `leaderboard` which column is which: `left` 'Model left' `right` \
             'Model right' `winner` 'vote'".into(),
        ),
        (
            "a.csv",
            "A,B,better\nx,y,x\n".into(),
            "a.csv: no column `model_a`, `model_b`, `winner`; expected `model_a`, `model_b` and \
             `winner`, or `left`, `right` and `winner`, or `system_a`, `system_b` and `winner`; \
             the file has `A`, `B`, `better`; if they are battles, tell `leaderboard` which column is \
             which: `left` 'A' `right` 'B' `winner` 'better'".into(),
        ),
        (
            "a.csv",
            "left_model,right_model,who_wrote,who_won\nx,y,z,x\n".into(),
            "a.csv: no column `model_a`, `model_b`, `winner`; expected `model_a`, `model_b` and \
             `winner`, or `left`, `right` and `winner`, or `system_a`, `system_b` and `winner`; \
             the file has `left_model`, `right_model`, `who_wrote`, `who_won`; if they are battles, \
             tell `leaderboard` which column is which: `left` 'left_model' `right` 'right_model' \
             `winner` 'who_won'".into(),
        ),
        (
            "a.csv",
            "left_model,right_model,who\nx,y,x\n".into(),
            "a.csv: no column `model_a`, `model_b`, `winner`; expected `model_a`, `model_b` and \
             `winner`, or `left`, `right` and `winner`, or `system_a`, `system_b` and `winner`; \
             the file has `left_model`, `right_model`, `who`; if they are battles, tell \
             `leaderboard` which column is which: `left` 'left_model' `right` 'right_model' \
             `winner` 'who'".into(),
        ),
        (
            "a.csv",
            format!("{head},winner\nx,y,tie,tie\n"),
            "a.csv: the header has the column `winner` twice; give every column its own name".into(),
        ),
        ("a.csv", format!("{head}\nx,y,tie\n\"x,y,tie\n"), "a.csv:3: a quotation mark is opened \
                                                            here or later and never closed".into()),
        (
            "a.json",
            "[{\"model_a\": \"x\"}]".into(),
            "a.json: no column `model_b`, `winner`; expected `model_a`, `model_b` and `winner`, or \
             `left`, `right` and `winner`, or `system_a`, `system_b` and `winner`; the file has \
             `model_a`; name the columns that the file has for them with `right` and `winner`".into(),
        ),
        (
            "a.json",
            "[\n{\"model_a\": \"x\",\n\"model_b\": \"y\", \"winner\": \"tie\"},{\"model_a\": \"x\", \
             \"model_b\": \"y\", \"winner\": \"won\"}]".into(),
            format!("a.json: row 2: field winner: {}", outcome("won")),
        ),
        (
            "a.jsonl",
            "{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"a\",\"winner\":\"b\"}".into(),
            "a.jsonl:1: the object has the key `winner` twice, and which of the two values is \
             meant is not known; keep one of them".into(),
        ),
        (
            "a.jsonl",
            "{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"tie\"}\n{\"model_a\":\"x\",\"model_b\":\"y\"}\n".into(),
            "a.jsonl:2: field winner is missing; expected an outcome".into(),
        ),
        (
            "a.jsonl",
            "{\"model_a\":\"x\",\"model_b\":3.5,\"winner\":\"tie\"}".into(),
            "a.jsonl:1: field model_b: expected a system's name, found a number".into(),
        ),
        (
            "a.jsonl",
            "{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"tie\"}\n{\"model_a\":\"x\",".into(),
            "a.jsonl:2: not valid JSON (EOF while parsing a value at column 15); expected one JSON \
             object a line".into(),
        ),
    ];
    for (name, text, message) in cases {
        for chunk in [1, 16, 1 << 20] {
            let error = read_rows(&mut [source(name, text)], &options(2, chunk)).unwrap_err();
            assert_eq!(&error.to_string(), message, "chunks of {chunk} bytes");
        }
    }
}

#[test]
fn text_that_is_no_utf8_is_an_error_with_its_line() {
    let error = rows("a.csv", b"model_a,model_b,winner\nx,y,tie\nx,\xffy,tie\n").unwrap_err();
    assert_eq!(
        error,
        "a.csv:3: field model_b: not valid UTF-8 (`\u{fffd}y`); save the file as UTF-8"
    );
}

#[test]
fn a_cut_gzip_file_is_said_to_be_one() {
    let whole = gzip(b"model_a,model_b,winner\nx,y,tie\nx,y,model_a\n");
    for chunk in [1, 16, 1 << 20] {
        let cut = source("a.csv.gz", &whole[..whole.len() - 4]);
        let error = read_rows(&mut [cut], &options(2, chunk))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("a.csv.gz: the gzip data is damaged or cut short ("),
            "{error}"
        );
    }
    let cut_in_header = rows("a.csv.gz", &whole[..20]).unwrap_err();
    assert!(
        cut_in_header.starts_with("a.csv.gz: the gzip data is damaged or cut short ("),
        "{cut_in_header}"
    );
}

#[test]
fn there_may_be_4096_systems_and_no_more() {
    let file = |systems: usize| {
        let battle = |system| format!("s0,s{system},tie\n");
        "model_a,model_b,winner\n".to_owned() + &(1..systems).map(battle).collect::<String>()
    };
    for chunk in [100, 1 << 20] {
        let read = |systems| read_counts(&mut [source("a.csv", file(systems))], &options(2, chunk));
        assert_eq!(read(4096).unwrap().pairs.len(), 4095);
        let error = read(4097).unwrap_err().to_string();
        assert!(
            error.ends_with(
                "there are more than 4096 different systems; is model_a a column of system names?"
            ) || error.ends_with(
                "there are more than 4096 different systems; is model_b a column of system names?"
            ),
            "{error}"
        );
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_parquet_file_is_recognised_without_the_feature() {
    let error = rows("a.parquet", b"PAR1....").unwrap_err();
    assert_eq!(
        error,
        "a.parquet: this is a Parquet file, and this build reads none; convert it to CSV, or build \
         with the feature `parquet`"
    );
}
