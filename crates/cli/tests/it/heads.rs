//! A head fitted to a few planted labels, with the real binary and the real small model
//! (`EVENHAND_MODEL`, else the cache directory).
#![cfg(feature = "embedded")]

use crate::common::Desk;
use evenhand_testing::small_model;
use serde_json::{Value, json};
use std::path::Path;

const SYSTEMS: [&str; 5] = ["s0", "s1", "s2", "s3", "s4"];

fn line(value: &Value) -> String {
    format!("{value}\n")
}

/// Whether a system answers a question; else it talks.
fn answers(item: usize, system: usize) -> bool {
    (item + system).is_multiple_of(2)
}

/// Writes questions of numbers with the answers of systems, and labels of one pair each, of which
/// one response answers and the other talks.
fn write_data(desk: &Desk, folder: &str, items: std::ops::Range<usize>, systems: &[&str]) {
    let (mut all, mut said, mut labels) = (String::new(), String::new(), String::new());
    for item in items {
        let id = format!("q{item}");
        let instruction = format!("Which number comes after {item}?");
        all += &line(&json!({"id": id, "instruction": instruction}));
        for (place, system) in systems.iter().enumerate() {
            let output = match answers(item, place) {
                true => format!("After {item} comes {}.", item + 1),
                false => "Clouds are lovely, are they not? I like them.".into(),
            };
            said += &line(&json!({"item": id, "system": system, "output": output}));
        }
        // Neighbours: one of the two answers.
        let (a, b) = (item % systems.len(), (item + 1) % systems.len());
        if answers(item, a) != answers(item, b) {
            let preferred = if answers(item, a) { "a" } else { "b" };
            labels += &line(&json!(
                {"item": id, "a": systems[a], "b": systems[b], "preferred": preferred}
            ));
        }
    }
    desk.write(&format!("{folder}/items.jsonl"), all);
    desk.write(&format!("{folder}/responses.jsonl"), said);
    desk.write(&format!("{folder}/labels.jsonl"), labels);
}

/// Fits a head to 28 questions of five systems.
fn fitted(model: &Path) -> (Desk, Value) {
    let desk = Desk::empty();
    write_data(&desk, "data", 0..28, &SYSTEMS);
    let fit = format!(
        "meta fit --data data --judge gguf:{} --out head.json --run fit --quiet",
        model.display()
    );
    let report = desk.json(&fit);
    (desk, report)
}

/// Reading costs, and too few labels are known before it. That some responses are not there is no
/// reason to refuse: only labelled pairs are read.
#[test]
fn few_labels_are_refused_before_the_model_is_asked() {
    let Some(model) = small_model() else { return };
    let desk = Desk::empty();
    write_data(&desk, "data", 0..3, &SYSTEMS);
    let responses = desk.read("data/responses.jsonl");
    let fewer: Vec<&str> = responses.lines().collect();
    // The last response is of no labelled pair.
    desk.write("data/responses.jsonl", fewer[..fewer.len() - 1].join("\n"));
    let fit = format!(
        "meta fit --data data --judge gguf:{} --out head.json --run fit",
        model.display()
    );
    desk.refused(&fit, "are too few for a head");
    assert!(!desk.path("fit").exists() && !desk.path("head.json").exists());
}

#[test]
fn a_head_is_fitted_to_labels_judges_and_knows_what_it_has_seen() {
    let Some(model) = small_model() else { return };
    let (desk, report) = fitted(&model);
    // Of five systems in a ring, the pair of the first and the last both answer or both talk.
    let pairs = report["pairs"].as_u64().unwrap();
    assert!((20..=28).contains(&pairs), "{report}");
    assert_eq!(report["failures"], 0);
    assert_eq!(report["systems"], json!(SYSTEMS));
    let right = report["unseen_questions"]["head"]["value"]
        .as_f64()
        .unwrap();
    assert!(right > 0.8, "talk is told from answers: {report}");
    assert!(
        report["answer"]
            .as_str()
            .unwrap()
            .starts_with("The head is right on ")
    );

    // The file has no text of the data in it, and is small.
    let text = desk.read("head.json");
    assert!(
        !text.contains("Clouds") && !text.contains("comes after"),
        "a text in the file"
    );
    assert!(text.len() < 40_000, "{} bytes", text.len());
    let head: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(head["labels"]["pairs"], pairs);

    // The systems that it knows are not ranked by it, nor is it measured on what it was fitted to.
    desk.refused(
        "rank --data data --judge head:head.json",
        "fitted to labels of s0, s1, s2, s3, s4",
    );
    // That answers are missing would not be mended by adding them: the systems are refused first.
    let all = desk.read("data/responses.jsonl");
    let some: Vec<&str> = all.lines().take(137).collect();
    desk.write("gaps/items.jsonl", desk.read("data/items.jsonl"));
    desk.write("gaps/responses.jsonl", some.join("\n"));
    let gaps = "rank --data gaps --judge head:head.json";
    let refused = desk.refused(gaps, "fitted to labels of s0, s1, s2, s3, s4");
    assert!(!refused.stderr.contains("missing"), "{}", refused.stderr);
    desk.refused(
        "meta judge --data data --judge head:head.json",
        "so they cannot test it",
    );

    // Nor under other ids, and with other case and spaces in the questions.
    for file in ["items.jsonl", "responses.jsonl", "labels.jsonl"] {
        let text = desk.read(&format!("data/{file}"));
        let text = text.replace("\"q", "\"other-");
        let text = text.replace("Which number", " which  NUMBER");
        desk.write(&format!("again/{file}"), text);
    }
    desk.refused(
        "meta judge --data again --judge head:head.json",
        "so they cannot test it",
    );

    // It ranks others, on one read of each response.
    write_data(&desk, "new", 100..103, &["always", "never"]);
    let other = |item: usize, system: &str, output: &str| {
        line(&json!({"item": format!("q{item}"), "system": system, "output": output}))
    };
    let rows = (100..103).flat_map(|item| {
        let right = format!("After {item} comes {}.", item + 1);
        [
            other(item, "always", &right),
            other(item, "never", "Clouds are lovely. I like them."),
        ]
    });
    desk.write("new/responses.jsonl", rows.collect::<String>());
    let ranking = desk.json("rank --data new --judge head:head.json --aggregate mean");
    assert_eq!(ranking["ranking"][0]["system"], "always", "{ranking}");
    let protocol = ranking["protocol"].as_str().unwrap();
    assert!(
        protocol.starts_with(&format!("head of {pairs} labels (")),
        "{protocol}"
    );
    assert_eq!(ranking["coverage"]["verdicts"], 6);

    // On a mixture, the labels that it was fitted to are left out and counted.
    write_data(&desk, "mixed", 24..34, &SYSTEMS);
    let measured = desk.done("meta judge --data mixed --judge head:head.json --format json");
    measured.says("labels are left out");
    measured.says("figures on their pairs say nothing about others");
    let n = measured.json()["n"].as_u64().unwrap();
    assert!((1..=6).contains(&n), "{n}");
}

#[test]
fn what_no_head_can_be_fitted_to_is_refused() {
    let desk = Desk::empty();
    write_data(&desk, "data", 0..4, &SYSTEMS);
    desk.write("notes.json", "{}");
    for (arguments, why) in [
        ("--judge simulated --out head.json", "expected gguf:PATH"),
        (
            "--judge gguf:m.gguf --judge gguf:n.gguf --out head.json",
            "one generative model",
        ),
        (
            "--judge gguf:m.gguf --out notes.json",
            "exists and is not a head",
        ),
        (
            "--judge gguf:m.gguf --out head.json --protocol pairwise",
            "--protocol",
        ),
        (
            "--judge gguf:m.gguf --out head.json --fail-if coverage<1",
            "--fail-if",
        ),
    ] {
        desk.refused(&format!("meta fit --data data {arguments}"), why);
    }
    assert_eq!(desk.read("notes.json"), "{}");
    for (judge, why) in [
        ("head:none.json", "cannot be read"),
        ("head:notes.json", "is not a head"),
        ("head:", "expected head:FILE"),
    ] {
        desk.refused(&format!("rank --data data --judge {judge}"), why);
    }
}
