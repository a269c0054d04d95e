//! Protocols from end to end: calls as stated, panels, the second stage, review by people, prompts,
//! scales.

mod embeddings;
mod panels;
mod prompts;
mod review;
mod sampling;
mod scales;
mod second_stage;
mod stages;

use crate::common::{Desk, answer, item, systems};
use serde_json::{Value, json};

const SYSTEMS: [&str; 4] = ["ant", "bee", "cat", "dog"];

/// Items with answers of several sentences, so that portia has something to split.
fn desk() -> Desk {
    let desk = Desk::empty();
    desk.write("data/items.jsonl", (0..5).map(item).collect::<String>());
    let text = |item: usize, system: &str| {
        format!(
            "Thing {item} is one that {system} names. It has a colour. It also has a size, says \
             {system}. That is all."
        )
    };
    let all = (0..5).flat_map(|item| {
        SYSTEMS
            .iter()
            .map(move |system| answer(item, system, &text(item, system)))
    });
    desk.write("data/responses.jsonl", all.collect::<String>());
    desk
}

fn rank(desk: &Desk, rest: &str) -> Value {
    desk.json(&format!("rank --data data --rounds 50 {rest}"))
}

/// Calls and trials of a protocol on 5 items and 4 systems: 30 pairs.
#[track_caller]
fn assert_calls(protocol: &str, trials: u64, calls: u64) {
    let desk = desk();
    let report = rank(
        &desk,
        &format!("--judge simulated:gap=2,accuracy=1 --protocol {protocol}"),
    );
    assert_eq!(
        (&report["coverage"]["trials"], &report["usage"]["calls"]),
        (&json!(trials), &json!(calls)),
        "{protocol}"
    );
    let estimate = desk.json(&format!(
        "estimate --data data --judge simulated:accuracy=1 --protocol {protocol}"
    ));
    let between = (
        estimate["calls_at_least"].as_u64().unwrap(),
        estimate["calls"].as_u64().unwrap(),
    );
    assert!(
        between.0 <= calls && calls <= between.1,
        "{protocol}: {calls} calls, {between:?} estimated"
    );
}

#[test]
fn prepair_analyses_each_response_once() {
    assert_calls("prepair", 60, 5 * 4 + 60);
    assert_calls("pairwise/prepair+metrics/swap", 60, 5 * 4 + 5 + 60);
    assert_calls("prepair-star", 60, 60 + 60);
}

#[test]
fn both_orders_within_one_trial_are_two_calls() {
    assert_calls("pairwise/direct/swap:tie", 30, 60);
    assert_calls("pairwise-5point/cot+reference/swap:average", 30, 5 + 60);
}

#[test]
fn samples_of_evidence_stay_samples() {
    assert_calls("pairwise/cot/mec:3", 30, 90);
    assert_calls("pairwise-score/cot/mec+bpc:2", 30, 120);
    assert_calls("pointwise/pros-cons/mec:2", 20, 40);
}

#[test]
fn lists_are_one_call_for_all() {
    assert_calls("listwise", 10, 10);
    assert_calls("listwise:3/direct/single", 20, 20);
}

#[test]
fn a_consistent_judge_needs_one_step_of_portia() {
    assert_calls("portia", 30, 60);
    assert_calls("portia-likert", 30, 60);
    assert_calls("llmbar-swap-cot", 30, 60);
}

#[test]
fn every_form_finds_the_planted_order() {
    for protocol in [
        "pairwise-tie/cot/swap-cot",
        "pairwise-5point",
        "pairwise-likert/direct/portia:2",
        "pairwise-score/direct/swap:average",
        "pointwise:0..1:0.1",
        "listwise",
        "pairwise/prepair/portia",
        "pairwise-likert/cot/mec+bpc:2",
    ] {
        let report = rank(
            &desk(),
            &format!(
                "--judge simulated:gap=4 --prior 0.1 --aggregate bradley-terry --protocol \
                 {protocol}"
            ),
        );
        assert_eq!(systems(&report), SYSTEMS, "{protocol}");
    }
}
