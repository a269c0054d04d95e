//! Judges that were recorded.

use super::*;
use crate::common::json_line;

#[test]
fn recordings_in_both_orders_have_cards() {
    let desk = Desk::new(12, &["a", "b"]);
    let label = |at: usize| {
        json_line(json!({"item": format!("q{at}"), "a": "a", "b": "b", "preferred": "a"}))
    };
    desk.write("data/labels.jsonl", (0..12).map(label).collect::<String>());
    let judged = desk
        .done("judge --data data --judge simulated:first-slot=1 --quiet --run run --format json")
        .stdout;
    desk.write("judgments.jsonl", judged);
    let report = desk.json("audit --recorded judgments.jsonl --labels data/labels.jsonl");
    let first = found(&report, "first slot");
    assert_eq!(first["value"].as_f64(), Some(1.0));
    assert_eq!(first["items"].as_u64(), Some(12));
    assert_eq!(first["biased"].as_bool(), Some(true));
    assert_eq!(found(&report, "flips by order")["value"], 1.0);
}

#[test]
fn recorded_judges_of_the_field_have_cards() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let file = |name: &str| {
        data.join(format!("llmbar/natural/evaluators/{name}.jsonl.gz"))
            .display()
            .to_string()
    };
    let files = [
        "GPT-4__Rating",
        "GPT-4__CoT",
        "ChatGPT-0301__Vanilla",
        "PaLM2__CoT",
    ]
    .map(file)
    .join(" ");
    let run = format!(
        "audit --recorded {files} --data {}",
        data.join("llmbar/natural/dataset.jsonl").display()
    );
    let report = desk.json(&run);
    let audits = report["audits"].as_array().unwrap();
    // 45 in 100 go to the first slot, and 10 verdicts change with the order
    // (crates/studies/tests/it/recorded_judges.rs has the counts).
    let [first, flips] = ["first slot", "flips by order"]
        .map(|name| found(&audits[0], name)["value"].as_f64().unwrap());
    assert!(
        (first - 0.45).abs() < 1e-12 && (flips - 0.1).abs() < 1e-12,
        "{first} {flips}"
    );
    assert!(
        found(&audits[0], "consistency, highest third by length")["items"].as_u64() >= Some(30)
    );
    assert_eq!(
        desk.done(&run)
            .stdout
            .lines()
            .filter(|line| line.contains("__"))
            .count(),
        4
    );
}

/// A card explains an interval beside a bias that seems to say that there is none, and no other.
#[test]
fn an_interval_that_holds_the_unbiased_value_is_explained() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    for (judge, explained) in [("PaLM2", true), ("Falcon", false)] {
        let file = format!("llmbar/natural/evaluators/{judge}__Vanilla.jsonl.gz");
        let file = data.join(file);
        let ran = desk.done(&format!("audit --recorded {}", file.display()));
        assert!(
            ran.stdout.contains("Found in 1 of 1 test"),
            "{}",
            ran.stdout
        );
        assert_eq!(
            ran.stdout.contains(
                "\nAn interval may hold the unbiased value although a bias was found: the test \
                 counts to which side each question moved, and the interval also allows for how \
                 far, so it is the wider."
            ),
            explained,
            "{}",
            ran.stdout
        );
    }
}
