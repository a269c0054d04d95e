//! Figures of judging by likelihood.

use super::*;
use crate::common::assert_holds;

const RANK: &str = "rank --data data --run run --judge simulated --protocol likelihood";

#[test]
fn is_consistent_by_construction() {
    let desk = Desk::new(20, &SYSTEMS);
    let report = desk.json(RANK);
    assert_eq!(
        json!([report["consistency"], report["first_slot"]]),
        json!([null, null])
    );
    let table = desk.done(RANK).stdout;
    assert_holds(
        &table,
        "position  consistent by construction: no two responses are shown together",
    );
}

#[test]
fn finds_the_planted_order() {
    let report =
        Desk::new(100, &["ant", "bee", "cat"]).json(&format!("{RANK}:gap=1 --protocol likelihood"));
    assert_eq!(systems(&report), ["ant", "bee", "cat"]);
    assert_eq!(
        json!([report["coverage"]["trials"], report["usage"]["calls"]]),
        json!([300, 600])
    );
}

#[test]
fn of_an_empty_response_is_a_failure() {
    let desk = Desk::new(4, &["ant", "bee"]);
    desk.write(
        "data/responses.jsonl",
        desk.read("data/responses.jsonl")
            .replace("Thing 2, says bee.", ""),
    );
    let report = desk.json(RANK);
    assert_eq!(
        report["coverage"],
        json!({"trials": 8, "verdicts": 7, "failures": {"invalid": 1}})
    );
}
