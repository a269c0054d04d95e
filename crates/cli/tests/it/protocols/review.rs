//! Review by people.

use super::*;

#[test]
fn divided_pairs_go_to_a_person_whose_verdict_counts() {
    let desk = desk();
    let judge = "--data data --judge simulated:gap=0.2,seed=4 --protocol \
                 pairwise/cot/mec+bpc:3 --run run";
    let ran = desk.done(&format!(
        "judge {judge} --for-review unsure.jsonl --review-share 0.5"
    ));
    let mut lines: Vec<Value> = desk
        .lines("unsure.jsonl")
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    ran.says(&format!("{} pairs to review", lines.len()));
    assert!((1..=15).contains(&lines.len()), "{}", lines.len());
    let entropies: Vec<f64> = lines
        .iter()
        .map(|line| line["entropy"].as_f64().unwrap())
        .collect();
    assert!(entropies.is_sorted_by(|a, b| a >= b), "{entropies:?}");
    let looks = |line: &Value| {
        ["preferred_a", "ties", "preferred_b"]
            .map(|key| line[key].as_u64().unwrap())
            .iter()
            .sum::<u64>()
    };
    assert!(lines.iter().all(|line| looks(line) == 6));
    lines
        .iter_mut()
        .for_each(|line| line["preferred"] = json!("b"));
    desk.write(
        "reviewed.jsonl",
        lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    );
    let reviewed = desk.json(&format!(
        "rank {judge} --reviewed reviewed.jsonl --rounds 50 --prior 0.1"
    ));
    assert_eq!(reviewed["sources"]["person"], json!(lines.len()));
    let all = desk.judgments(&format!("{judge} --reviewed reviewed.jsonl"));
    let person = all.iter().find(|row| row["source"] == "person").unwrap();
    let of = |line: &&Value| {
        line["item"] == person["item"]
            && line["a"] == person["first"]
            && line["b"] == person["second"]
    };
    assert!(
        lines.iter().any(|line| of(&line)) && person["p_second"] == json!(1.0),
        "{person}"
    );
}

#[test]
fn a_verdict_on_what_is_not_judged_is_refused_and_named() {
    let desk = desk();
    let line = |item: &str, a: &str| {
        json!({"item": item, "a": a, "b": "bee", "preferred": "a"}).to_string() + "\n"
    };
    for (wrong, named) in [
        (line("q99", "ant"), "item `q99`"),
        (line("q0", "aunt"), "system `aunt`"),
    ] {
        desk.write("reviewed.jsonl", line("q0", "ant") + &wrong);
        let ran = desk.run(
            "rank --data data --judge simulated:log=asked --run run --reviewed reviewed.jsonl",
        );
        let said = format!(
            "--reviewed reviewed.jsonl:2: there is no {named} in what is judged (1 of 2 \
             reviewed pairs"
        );
        ran.ends(2, &said);
        assert!(
            desk.lines("asked").is_empty(),
            "refused before anything is asked"
        );
    }
}

#[test]
fn a_form_without_pairs_has_nothing_to_review() {
    let ran =
        desk().run("judge --data data --judge simulated --protocol pointwise --for-review x.jsonl");
    ran.ends(2, "--for-review: it lists pairs");
}

/// Below a confidence that `meta select` finds, every pair goes to a person, and none above it.
#[test]
fn pairs_below_a_confidence_go_to_a_person() {
    let desk = desk();
    let judge = "--data data --judge simulated:gap=0.2,seed=4 --protocol \
                 pairwise/cot/mec+bpc:3 --run run";
    let written = |below: f64| {
        desk.done(&format!(
            "judge {judge} --for-review below.jsonl --review-below {below} --format csv"
        ));
        let lines = desk.lines("below.jsonl");
        let rows = lines.iter().map(|line| serde_json::from_str(line).unwrap());
        rows.collect::<Vec<Value>>()
    };
    let confidences = |rows: &[Value]| {
        let each = rows.iter().map(|row| row["confidence"].as_f64().unwrap());
        each.collect::<Vec<f64>>()
    };
    let all = confidences(&written(1.0));
    let some = confidences(&written(0.5));
    assert!(some.is_sorted() && all.is_sorted());
    let expected = all.iter().filter(|confidence| **confidence < 0.5).count();
    assert_eq!(some.len(), expected);
    assert!(
        !some.is_empty() && some.len() < all.len(),
        "{some:?} of {all:?}"
    );
    for (arguments, why) in [
        ("--review-below 0.5", "--for-review"),
        (
            "--for-review x.jsonl --review-below 0.5 --review-share 0.1",
            "cannot be used with",
        ),
        (
            "--for-review x.jsonl --review-below 2",
            "expected a share above 0, at most 1",
        ),
    ] {
        desk.refused(&format!("judge {judge} {arguments}"), why);
    }
}
