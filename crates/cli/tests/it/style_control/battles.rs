//! Style in battles with texts: `leaderboard --control --texts`.

use super::*;
use crate::common::assert_holds;

#[test]
fn texts_of_battles_count_as_columns_of_their_counts() {
    let desk = Desk::empty();
    desk.write("b.csv", csv());
    desk.write("b.jsonl", jsonl());
    desk.write("b.parquet", parquet());
    let named = |json: String| {
        ["length", "headings", "lists", "bold"]
            .iter()
            .fold(json, |json, name| {
                json.replace(&format!("{name}_a/{name}_b"), name)
            })
    };
    let report = |arguments: &str| {
        named(
            desk.done(&format!("leaderboard {arguments} --format json"))
                .timeless(),
        )
    };
    let expected = report(&format!("b.csv --control {PAIRS} --threads 1"));
    assert_holds(&expected, "\"covariate\": \"headings\"");
    for file in ["b.csv", "b.jsonl", "b.parquet"] {
        assert_eq!(
            report(&format!("{file} --control {PAIRS}")),
            expected,
            "{file}"
        );
        for threads in [1, 2] {
            let texts = report(&format!(
                "{file} --control {ALL} --texts one,two --threads {threads}"
            ));
            assert_eq!(texts, expected, "{file} {threads}");
        }
    }
    // In any order, and beside columns.
    desk.write("one.csv", csv().replacen("headings_a", "gapcount", 1));
    let mixed = report("one.csv --control bold_a/bold_b,length,gapcount,lists --texts one,two");
    assert_eq!(
        mixed,
        report("one.csv --control bold_a/bold_b,length_a/length_b,gapcount,lists_a/lists_b")
    );
    // Without texts a name is a column's name.
    desk.write("own.csv", csv().replacen("headings_a", "length", 1));
    let own = report("own.csv --control length");
    assert_eq!(
        own,
        report("one.csv --control gapcount").replace("gapcount", "length")
    );
    assert_ne!(own, report("own.csv --control length --texts one,two"));
}

#[test]
fn what_battles_do_not_have_is_refused() {
    let desk = Desk::empty();
    desk.write("b.csv", csv());
    desk.write("c.csv", "model_a,model_b,wins_a,wins_b,ties\na,b,3,4,1\n");
    let has = HEADER.map(|name| format!("`{name}`")).join(", ");
    let missing = |name: &str, what: &str| {
        format!("b.csv: no column `{name}`; expected {what} under that name; the file has {has}")
    };
    desk.write("d.csv", "model_a,model_b,winner\na,b,model_a\n");
    let pair = "; its two columns are given as --control length_a/length_b";
    let ways = "; name the columns of the two responses' texts with --texts A,B, or those of their \
                counts with --control A/B in place of length";
    let nothing = "--texts: nothing is counted in them; say which with --control \
                   length,headings,lists,bold, or leave it out";
    let two = "--texts: expected two columns, such as response_a,response_b";
    for (arguments, message) in [
        (
            "b.csv --control length",
            missing("length", "a finite number") + pair,
        ),
        (
            "b.csv --control bold_a/bold_b,length",
            missing("length", "a finite number") + pair,
        ),
        (
            "d.csv --control length",
            "d.csv: no column `length`; expected a finite number under that name; the file has \
             `model_a`, `model_b`, `winner`"
                .to_owned()
                + ways,
        ),
        ("b.csv --control width", missing("width", "a finite number")),
        (
            "b.csv --control bold_b",
            "b.csv: column `bold_b` is of one side only, but would be taken for a difference; both \
             sides are given as --control bold_a/bold_b"
                .into(),
        ),
        (
            "b.csv --control length --texts one,three",
            missing("three", "a response's text"),
        ),
        (
            "b.csv --control width,length --texts one,two",
            missing("width", "a finite number"),
        ),
        ("b.csv --texts one,two", nothing.into()),
        ("b.csv --control headings_a --texts one,two", nothing.into()),
        ("b.csv --control length --texts one", two.into()),
        ("b.csv --control length --texts one,two,three", two.into()),
        (
            "b.csv --control length --texts one,one",
            "--control length: the column has the same value in all 240 rows, so it says nothing; \
             leave it out"
                .into(),
        ),
        (
            "c.csv --control length --texts one,two",
            "--texts: it names columns of battles, and these are counts; leave it out".into(),
        ),
    ] {
        refused(&desk, &format!("leaderboard {arguments}"), &message);
    }
    desk.write(
        "b.jsonl",
        jsonl().replace("\"two\":\"", "\"two\":[],\"x\":\""),
    );
    let message = "b.jsonl:1: field two: expected a response's text, found an array; the same in \
                   lines 2, 3, 4, 5, 6, 7, 8, 9, 10\nthere may be more; the first 10 are listed";
    refused(
        &desk,
        "leaderboard b.jsonl --control length --texts one,two",
        message,
    );
}
