//! Responses that are missing.

use super::*;

/// `b` has no response to `q1`.
fn gap() -> Desk {
    let desk = desk();
    let kept: Vec<String> = desk
        .lines("data/responses.jsonl")
        .into_iter()
        .filter(|line| !is_of_b_to_q1(line))
        .collect();
    assert_eq!(kept.len(), 8);
    desk.write("data/responses.jsonl", kept.join("\n"));
    desk
}

fn is_of_b_to_q1(line: &str) -> bool {
    line.contains("\"q1\"") && line.contains("\"b\"")
}

#[test]
fn stop_the_run_with_a_list() {
    let message = "1 of 3 items lack a response of some system: `q1` (no response of `b`); add \
                   the responses, or go on without them with --allow-missing";
    assert_refused(&gap(), RANK, message);
}

#[test]
fn are_left_out_of_pairs_and_reported_if_allowed() {
    let report = gap().json(&format!("{RANK} --allow-missing --run run"));
    // Items q0 and q2: 3 pairs in 2 orders each; q1: only a against c.
    assert_eq!(
        report["coverage"],
        serde_json::json!({"trials": 14, "verdicts": 14, "failures": {}})
    );
    let n = |system| crate::common::row(&report, system)["n"].as_u64().unwrap();
    assert_eq!([n("a"), n("b"), n("c")], [10, 8, 10]);
    let warning = "1 of 3 items lack a response of some system: `q1` (no response of `b`)";
    assert!(
        report["warnings"]
            .as_array()
            .unwrap()
            .contains(&warning.into()),
        "{}",
        report["warnings"]
    );
}

#[test]
fn are_left_out_of_scores_if_allowed() {
    let report = gap().json(&format!(
        "{RANK} --allow-missing --run run --protocol pointwise"
    ));
    assert_eq!(
        report["coverage"],
        serde_json::json!({"trials": 8, "verdicts": 8, "failures": {}})
    );
    assert_eq!(crate::common::row(&report, "b")["n"], 2);
}
