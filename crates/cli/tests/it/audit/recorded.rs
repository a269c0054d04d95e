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
