//! `rank --design swiss:ROUNDS` and `swim` with the real binary.

use crate::common::{Desk, systems};
use serde_json::Value;
use std::collections::BTreeSet;

const EIGHT: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
const RANK: &str = "rank --data data --judge simulated:accuracy=0.9 --quiet";

fn number(report: &Value, field: &str) -> u64 {
    report["tournament"][field].as_u64().unwrap()
}

fn pairs(report: &Value) -> Vec<[String; 2]> {
    let meetings = report["tournament"]["meetings"].as_array().unwrap();
    let name = |row: &Value, side: &str| row[side].as_str().unwrap().to_owned();
    meetings
        .iter()
        .map(|row| [name(row, "a"), name(row, "b")])
        .collect()
}

#[test]
fn like_meets_like_on_a_quarter_of_the_items_and_is_ranked_on_the_others() {
    let desk = Desk::new(40, &EIGHT);
    for (design, meetings) in [("swiss:3", 12), ("swim", 15)] {
        let run = design.replace(':', "");
        let report = desk.json(&format!("{RANK} --design {design} --run {run}"));
        assert_eq!(
            number(&report, "deciding_items") + number(&report, "ranking_items"),
            40
        );
        assert_eq!(number(&report, "deciding_items"), 10);
        let met = pairs(&report);
        assert_eq!(met.len(), meetings, "{design}");
        assert_eq!(
            met.iter().collect::<BTreeSet<_>>().len(),
            meetings,
            "nobody meets twice"
        );
        let made = meetings as u64 * 40;
        assert_eq!(number(&report, "judged"), made);
        assert_eq!(number(&report, "of"), 28 * 40);
        // The ranking rests on both orders of the pairs on the other items alone.
        assert_eq!(
            report["coverage"]["trials"].as_u64().unwrap(),
            meetings as u64 * 30 * 2
        );
        assert_eq!(report["items"], 30);
        assert_eq!(systems(&report).len(), 8);
        assert!(report["components"].is_null(), "all are linked");
        // The same command asks nothing again and says the same; so does another one with the seed.
        let again = desk.json(&format!("{RANK} --design {design} --run {run}"));
        let fresh = desk.json(&format!("{RANK} --design {design} --run {run}2 --no-reuse"));
        for other in [&again, &fresh] {
            assert_eq!(report["tournament"], other["tournament"]);
            assert_eq!(report["ranking"], other["ranking"]);
        }
        let other = desk.json(&format!("{RANK} --design {design} --run {run}3 --seed 5"));
        assert_ne!(report["tournament"], other["tournament"]);
        let table = desk
            .done(&format!("{RANK} --design {design} --run {run}"))
            .stdout;
        assert!(table.contains("of a round robin"), "{table}");
    }
}

/// A tournament that was stopped goes on where it was, and its calls are known beforehand.
#[test]
fn it_goes_on_where_it_was_and_its_calls_are_known() {
    let desk = Desk::new(24, &EIGHT[..5]);
    let whole = desk.json(&format!("{RANK} --design swiss:3 --run whole"));
    let estimate = desk.json(
        "estimate --data data --judge simulated:accuracy=0.9 --design swiss:3 --run other --no-reuse",
    );
    // Two of five pairs a round, both orders, on all items.
    assert_eq!(estimate["calls"], 3 * 2 * 2 * 24);
    assert_eq!(estimate["trials"], 3 * 2 * 2 * 24);
    for calls in [7, 60, 150] {
        let stopped = desk.run(&format!(
            "{RANK} --design swiss:3 --run parts --no-reuse --max-calls {calls}"
        ));
        assert_ne!(stopped.code, Some(0), "{calls}");
    }
    let parts = desk.json(&format!("{RANK} --design swiss:3 --run parts --no-reuse"));
    assert_eq!(whole["tournament"], parts["tournament"]);
    assert_eq!(whole["ranking"], parts["ranking"]);
}

#[test]
fn items_that_somebody_did_not_answer_are_left_out() {
    let desk = Desk::new(20, &EIGHT[..4]);
    let responses = desk.read("data/responses.jsonl");
    let lines = responses
        .lines()
        .filter(|line| !(line.contains("\"q3\"") && line.contains("\"b\"")));
    desk.write(
        "data/responses.jsonl",
        lines.collect::<Vec<_>>().join("\n") + "\n",
    );
    let report = desk.json(&format!("{RANK} --design swim --run run --allow-missing"));
    assert_eq!(number(&report, "left_out"), 1);
    assert_eq!(
        number(&report, "deciding_items") + number(&report, "ranking_items"),
        19
    );
}

#[test]
fn what_cannot_be_a_tournament_is_said() {
    let desk = Desk::new(8, &EIGHT[..4]);
    let refused = |arguments: &str, expected: &str| {
        desk.refused(arguments, expected);
    };
    refused(
        &format!("{RANK} --design swiss:1"),
        "4 systems need 2 to 3 rounds",
    );
    refused(
        &format!("{RANK} --design swiss:4"),
        "4 systems need 2 to 3 rounds",
    );
    refused(
        &format!("{RANK} --design swiss:none"),
        "a whole number of rounds",
    );
    refused(
        &format!("{RANK} --design swim --repeats 2"),
        "--repeats is not for --design swim",
    );
    refused(
        &format!("{RANK} --design swim --until top:2"),
        "it is for --design adaptive",
    );
    refused(
        &format!("{RANK} --design swim --aggregate win-ratio"),
        "strong systems meet strong ones",
    );
    refused(
        &format!("{RANK} --design swim --protocol pointwise:1-5"),
        "looks at each response alone",
    );
    refused(
        &format!("{RANK} --design swim --protocol listwise"),
        "this form lists several",
    );
    refused(
        "judge --data data --judge simulated --design swim",
        "judge asks everything",
    );
    let one = Desk::new(1, &EIGHT[..2]);
    let ran = one.run(&format!("{RANK} --design swim"));
    ran.says("expected at least 2");
}
