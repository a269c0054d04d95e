//! Two systems that give the same answer: which order it is shown in tells nothing of the judge, in
//! any command.

use crate::common::{Desk, answer, item};
use serde_json::Value;

const ITEMS: usize = 24;
/// Names whatever it is shown first: it contradicts itself wherever there is something to choose.
const BIASED: &str = "--judge simulated:first-slot=1";

/// Items to which two systems give the same answer, from the first on, and then others.
fn desk(same: usize) -> Desk {
    let desk = Desk::empty();
    desk.write("data/items.jsonl", (0..ITEMS).map(item).collect::<String>());
    let all = (0..ITEMS).flat_map(|at| {
        ["ant", "bee"].map(|system| {
            let name = if at < same { "nobody" } else { system };
            answer(
                at,
                system,
                &format!("It is {at}. So says {name}. That is all."),
            )
        })
    });
    desk.write("data/responses.jsonl", all.collect::<String>());
    let label = |at| {
        format!("{{\"item\": \"q{at}\", \"a\": \"ant\", \"b\": \"bee\", \"preferred\": \"a\"}}\n")
    };
    desk.write(
        "data/labels.jsonl",
        (0..ITEMS).map(label).collect::<String>(),
    );
    desk
}

#[test]
fn a_judge_is_held_to_pairs_that_differ() {
    for same in [0, 10] {
        let desk = desk(same);
        let differ = ITEMS - same;
        let run = desk.json(&format!(
            "rank --data data --protocol pairwise/direct/swap:tie {BIASED} --run run"
        ));
        assert_eq!(run["consistency"]["value"], 0.0);
        assert_eq!(run["consistency"]["n"], differ);
        assert_eq!(run["first_slot"]["value"], 1.0);
        assert_eq!(run["first_slot"]["n"], 2 * differ);

        let flipped = desk.run("judgments run --where flipped --format jsonl --limit 100");
        assert_eq!(flipped.stdout.lines().count(), differ);
        assert_eq!(desk.json("show run")["counts"]["flipped"], differ);

        let pairs = desk.json(&format!(
            "meta consistency --data data {BIASED} --protocol \
             pairwise/direct/portia:2,original-first"
        ));
        assert_eq!(pairs["pairs"], differ);
        assert_eq!(pairs["pairs_consistent_at_first"], 0);

        let audit = desk.json(&format!("audit --data data {BIASED} --probes position"));
        assert_eq!(finding(&audit, "flips by order")["items"], differ);
        assert_eq!(finding(&audit, "flips by order")["value"], 1.0);

        let judged = desk.json(&format!("meta judge --data data {BIASED}"));
        assert_eq!(judged["consistency"], 0.0);
    }
}

/// Where all responses are the same nothing is said of the judge, good or bad.
#[test]
fn of_same_responses_alone_nothing_is_known() {
    let desk = desk(ITEMS);
    let run = desk.json(&format!(
        "rank --data data --protocol pairwise/direct/swap:tie {BIASED} --run run"
    ));
    assert_eq!(run["consistency"]["value"], Value::Null);
    assert_eq!(run["first_slot"]["value"], Value::Null);
    assert_eq!(desk.json("show run")["counts"]["flipped"], 0);

    let judged = desk.json(&format!("meta judge --data data {BIASED}"));
    assert_eq!(judged["consistency"], Value::Null);

    // Of a recording the data has the responses.
    let judged = desk.done("judgments run --format json --limit 100").stdout;
    desk.write("judged.jsonl", judged);
    let recorded = desk.json("meta judge --recorded judged.jsonl --data data");
    assert_eq!(recorded["consistency"], Value::Null);
    assert_eq!(recorded["first_slot"], Value::Null);
    let audited = desk.run("audit --recorded judged.jsonl --data data");
    assert!(
        !audited.stdout.contains("tests found"),
        "{}",
        audited.stdout
    );

    for command in [
        "audit --probes position",
        "meta consistency --protocol pairwise/direct/portia:2,original-first",
    ] {
        let ran = desk.run(&format!("{command} --data data {BIASED}"));
        let accuses = ["tests found", "test found", "Consistent on 0"];
        let said = accuses.iter().find(|text| ran.stdout.contains(**text));
        assert_eq!(said, None, "{command}: {}", ran.stdout);
    }
}

fn finding<'a>(audit: &'a Value, name: &str) -> &'a Value {
    let findings = audit["findings"].as_array().unwrap();
    findings.iter().find(|one| one["name"] == name).unwrap()
}
