//! Lines of results that are errors, or no results.

use super::*;
use crate::common::assert_holds;

#[test]
fn errors_of_single_lines_are_told_and_asked_again_unless_they_are_final() {
    let (desk, _) = exported("");
    let asked = desk.lines("out/batch-001.jsonl");
    let results = [
        result(&asked[0], 500, &failed("server_error", "it broke")),
        result(
            &asked[1],
            400,
            &failed("invalid_value", "no such parameter"),
        ),
        result(
            &asked[2],
            400,
            &failed(
                "context_length_exceeded",
                "maximum context length is 10 tokens",
            ),
        ),
        result(&asked[3], 200, &json!({"choices": []})),
        result(&asked[4], 200, &good()),
    ];
    // The same id twice: an error that passes, and then a reply.
    desk.write(
        "results",
        [&results[..], &[result(&asked[0], 200, &good())]]
            .concat()
            .join("\r\n"),
    );
    let imported = import(&desk, "results");
    assert_eq!(counts(&imported), [2, 1, 3, 0, 0, 0, 15]);
    let problems = imported["problems"].as_array().unwrap();
    let whys: Vec<&str> = problems
        .iter()
        .map(|problem| problem["why"].as_str().unwrap())
        .collect();
    let said = [
        "server error: HTTP 500: it broke",
        "request rejected: HTTP 400: no such parameter",
        "prompt too long: HTTP 400",
        "malformed reply: the reply has no choices",
    ];
    said.iter()
        .zip(&whys)
        .for_each(|(said, why)| assert!(why.contains(said), "{why}"));
    assert_eq!((whys.len(), count(&problems[3], "line")), (4, 4));
    let again = done(
        &desk,
        &format!("batch export {PLAN} --run batch --out out --format json"),
    )
    .json();
    assert_eq!(count(&again, "requests"), 15);
    assert_eq!(count(&again, "exported_before"), 15);
    let lines = desk.lines(&files(&again)[0]);
    desk.write(
        "rest",
        lines
            .iter()
            .map(|line| result(line, 200, &good()) + "\n")
            .collect::<String>(),
    );
    assert_eq!(counts(&import(&desk, "rest")), [15, 0, 0, 0, 0, 0, 0]);
    let report = done(
        &desk,
        &format!("rank {PLAN} --run batch --ci none --format json"),
    )
    .json();
    assert_eq!(
        report["coverage"]["failures"],
        json!({"too-long": 1}),
        "{report}"
    );
}

#[test]
fn lines_that_are_no_results_are_counted_and_told() {
    let (desk, _) = exported("");
    let results: Vec<String> = desk
        .lines("out/batch-001.jsonl")
        .iter()
        .map(|line| result(line, 200, &good()))
        .collect();
    desk.write(
        "first",
        format!(
            "\r\n\r\n{}\r\n   \n[]\n{{\"custom_id\": 7}}\n",
            results[..9].join("\r\n")
        ),
    );
    desk.write(
        "second",
        [
            &results[8..],
            &[
                "\u{fffd}".into(),
                r#"{"custom_id":"who","error":{}}"#.into(),
            ],
        ]
        .concat()
        .join("\n"),
    );
    desk.write("empty", "");
    assert_eq!(
        counts(&import(&desk, "second empty first")),
        [18, 0, 0, 1, 1, 3, 0]
    );
    assert_eq!(counts(&import(&desk, "empty")), [0; 7]);
    let table = done(&desk, "batch import first --run batch").stdout;
    assert!(
        table.ends_with(
            "11 lines: 0 replies, 0 final errors, 0 errors that may pass, 9 \
                             duplicates, 0 unknown, 2 unreadable; 0 exported requests have no \
                             result yet\n"
        ),
        "{table}"
    );
    assert_holds(&table, "first:3: request");
    assert_holds(
        &table,
        "has a result already, which stays; so have those of 8 further lines",
    );
    // Two lines that are no results, one line of all that were there, and the counts.
    assert_eq!(table.lines().count(), 4, "{table}");
    let rows = done(&desk, "batch import first --run batch --format csv").stdout;
    assert_eq!(rows.lines().count(), 4, "{rows}");
}

#[test]
fn a_file_that_holds_no_result_of_the_run_is_an_error() {
    let (desk, _) = exported("");
    for (name, text) in [
        ("prose", "This is no batch.\n"),
        ("stranger", r#"{"custom_id":"x","error":{"message":"no"}}"#),
        ("own", &desk.read("out/batch-001.jsonl")),
    ] {
        desk.write(name, text);
        let ran = keyless(
            &desk,
            &format!("batch import {name} --run batch --format json"),
        );
        ran.ends(1, "no line was the result of a request of this run");
        assert_adds_up(&ran.json());
    }
    let all_failed: String = desk
        .lines("out/batch-001.jsonl")
        .iter()
        .map(|line| result(line, 500, &json!({})) + "\n")
        .collect();
    desk.write("all-failed", all_failed);
    assert_eq!(
        counts(&import(&desk, "all-failed")),
        [0, 0, 18, 0, 0, 0, 18]
    );
    for arguments in [
        "batch import nowhere --run batch",
        "batch import prose --run nowhere",
    ] {
        let ran = keyless(&desk, arguments);
        ran.ends(2, "nowhere");
    }
}
