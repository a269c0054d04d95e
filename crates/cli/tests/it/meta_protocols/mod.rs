//! `meta study` and `meta judge` over several labelled sets and protocols: totals, and differences
//! on the same pairs.

mod choice;
mod parts;
mod prompts;
mod repeats;

use crate::common::{Desk, answer, assert_holds, item};
use serde_json::{Value, json};

/// Two labelled sets of 30 pairs each: a is better in truth, and a simulated judge's planted
/// quality says so too.
fn desk() -> Desk {
    let desk = Desk::empty();
    for set in ["one", "two"] {
        let items: String = (0..30).map(item).collect();
        let answers = (0..30).flat_map(|at| {
            ["a", "b"].map(|system| answer(at, system, &format!("{system} in {set}, number {at}.")))
        });
        let label =
            |at: usize| json!({"item": format!("q{at}"), "a": "a", "b": "b", "preferred": "a"});
        let labels: String = (0..30).map(|at| format!("{}\n", label(at))).collect();
        desk.write(&format!("{set}/items.jsonl"), items);
        desk.write(
            &format!("{set}/responses.jsonl"),
            answers.collect::<String>(),
        );
        desk.write(&format!("{set}/labels.jsonl"), labels);
    }
    desk
}

const STUDY: &str = r#"
types = ["pairwise", "pairwise/cot", "pairwise/prepair"]
rounds = 200
run = "run"
[labelled.one]
data = ["one"]
[labelled.two]
data = ["two"]
[labelled.three]
optional = true
data = ["three"]
[judges.weak]
spec = "simulated:accuracy=0.5"
"#;

fn study(desk: &Desk, toml: &str, rest: &str) -> Value {
    desk.write("STUDY.toml", toml);
    desk.json(&format!("meta study STUDY.toml {rest}"))
}

fn counts(of: &Value) -> Vec<u64> {
    let totals = of.as_array().unwrap();
    totals
        .iter()
        .map(|one| one["n"].as_u64().unwrap())
        .collect()
}

fn numbers(of: &Value) -> Vec<f64> {
    let all = of.as_array().unwrap().iter();
    all.map(|one| one.as_f64().unwrap()).collect()
}

fn mean_and_deviation(all: &[f64]) -> (f64, f64) {
    let n = all.len() as f64;
    let mean = all.iter().sum::<f64>() / n;
    let squares: f64 = all.iter().map(|one| (one - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0)).sqrt())
}

#[test]
fn totals_hold_the_pairs_of_all_sets() {
    let desk = desk();
    let report = study(&desk, STUDY, "--judge simulated:accuracy=0.8");
    assert_eq!(counts(&report["labelled"]), [30; 6]);
    assert_eq!(counts(&report["totals"]), [60; 3]);
    let accuracy = |of: &Value| of["accuracy"].as_f64().unwrap();
    for (at, total) in report["totals"].as_array().unwrap().iter().enumerate() {
        let parts = [&report["labelled"][at], &report["labelled"][at + 3]];
        let mean = (accuracy(parts[0]) + accuracy(parts[1])) / 2.0;
        assert!((accuracy(total) - mean).abs() < 1e-12, "{total}");
        // Planted: 0.8, over 120 games.
        assert!((accuracy(total) - 0.8).abs() < 0.12, "{total}");
        assert_eq!(total["judge"], "judge");
        assert_eq!(total["input"], "total");
    }
    let warnings = report["warnings"].to_string();
    assert_holds(&warnings, "[labelled.three] is left out");
}

/// The differences are those of the totals, since every protocol judged the same pairs.
#[test]
fn every_two_protocols_are_compared_on_the_same_pairs() {
    let desk = desk();
    let report = study(&desk, STUDY, "");
    let found = &report["protocol_differences"][0];
    assert_eq!(found["total"], "total");
    assert_eq!(found["judge"], "weak");
    let differences = found["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 3);
    let of = |kind: &str| {
        let totals = report["totals"].as_array().unwrap().iter();
        let mut own = totals.filter(|one| one["protocol"] == kind);
        own.next().unwrap()["accuracy"].as_f64().unwrap()
    };
    let first = &differences[0];
    assert_eq!(first["first"], "weak, pairwise");
    assert_eq!(first["pairs"], 60);
    let expected = of("pairwise") - of("pairwise/cot");
    assert!(
        (first["difference"].as_f64().unwrap() - expected).abs() < 1e-12,
        "{first}"
    );
    let [low, high] = [0, 1].map(|end| first["difference_ci"][end].as_f64().unwrap());
    assert!(low < expected && expected < high);
    assert!(first["p_holm"].as_f64().unwrap() >= first["p"].as_f64().unwrap());
}

#[test]
fn named_totals_hold_their_sets_alone() {
    let desk = desk();
    let named =
        format!("{STUDY}\n[totals]\nboth = [\"one\", \"two\", \"three\"]\nfirst = [\"one\"]\n");
    let report = study(&desk, &named, "");
    // A total of one set is that set, and is not shown twice.
    assert_eq!(counts(&report["totals"]), [60; 3]);
    for (toml, words) in [
        (
            format!("{STUDY}\n[totals]\nall = [\"four\"]\n"),
            "four is not a labelled input set",
        ),
        (
            format!("{STUDY}\n[totals]\none = [\"two\"]\n"),
            "an input set has this name",
        ),
        (
            "data = [\"data\"]\nprobes = [\"position\"]\n".into(),
            "it is the configuration of an audit and no study: use `evenhand audit --config`",
        ),
    ] {
        desk.write("STUDY.toml", toml);
        desk.refused("meta study STUDY.toml", words);
    }
}

/// LLMBar's recorded GPT-4: two strategies on 138 adversarial pairs. The counts were made by a
/// script of their own from the recorded verdicts.
#[test]
fn recorded_judges_are_compared_on_the_same_pairs() {
    let Some(shared) = evenhand_testing::shared_data() else {
        return;
    };
    let files: Vec<String> = ["Vanilla", "CoT"]
        .iter()
        .flat_map(|strategy| {
            ["manual", "gptinst"].map(|set| {
                let file = format!("llmbar/{set}/evaluators/GPT-4__{strategy}.jsonl.gz");
                shared.join(file).display().to_string()
            })
        })
        .collect();
    let desk = Desk::empty();
    let ask = format!(
        "meta judge --recorded {} --subsets file --rounds 100",
        files.join(" ")
    );
    let report = desk.json(&ask);
    let found = &report["paired_differences"][0];
    assert_eq!(found["first"], "GPT-4__Vanilla");
    assert_eq!(found["second"], "GPT-4__CoT");
    assert_eq!(found["pairs"], 138);
    assert_eq!(found["pairs_first_ahead"], 13);
    assert_eq!(found["pairs_second_ahead"], 5);
    assert_eq!(found["measure"], "accuracy");
    let p = found["p"].as_f64().unwrap();
    let low = found["difference_ci"][0].as_f64().unwrap();
    assert_eq!(p < 0.05, low > 0.0, "{found}");
    let table = desk.done(&ask).stdout;
    assert!(table.contains("points ahead"), "{table}");
}

/// Of one data set each judge has one file of its own name. The counts are by the recorded
/// verdicts.
#[test]
fn judges_of_one_data_set_are_compared() {
    let Some(shared) = evenhand_testing::shared_data() else {
        return;
    };
    let desk = Desk::empty();
    let files: Vec<String> = ["Vanilla", "CoT"]
        .iter()
        .map(|strategy| {
            let file = format!("llmbar/natural/evaluators/GPT-4__{strategy}.jsonl.gz");
            shared.join(file).display().to_string()
        })
        .collect();
    let ask = format!(
        "meta judge --recorded {} --rounds 100 --report page.html --figure figure.svg",
        files.join(" ")
    );
    let report = desk.json(&ask);
    let found = report["paired_differences"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{report}");
    assert_eq!(found[0]["pairs"], 100);
    assert!(
        desk.read("page.html")
            .to_lowercase()
            .starts_with("<!doctype html")
    );
    assert!(desk.read("figure.svg").starts_with("<svg"));
    // Files of other sets have other items, whatever their ids.
    let apart = shared.join("llmbar/manual/evaluators/GPT-4__CoT.jsonl.gz");
    let report = desk.json(&format!(
        "meta judge --recorded {} {} --rounds 100",
        files[0],
        apart.display()
    ));
    assert_eq!(report["paired_differences"], json!([]));
    assert_eq!(report["not_compared"][0]["why"], "labels_differ");
}

/// The judgments of a run name the systems, and a recording of LLMBar does not: they are of the
/// same pairs, and are compared.
#[test]
fn recorded_and_own_judgments_of_the_same_pairs_are_compared() {
    let Some(shared) = evenhand_testing::shared_data() else {
        return;
    };
    let desk = Desk::empty();
    let set = shared.join("llmbar/gptinst");
    let (data, recorded) = (
        set.join("dataset.jsonl"),
        set.join("evaluators/GPT-4__Vanilla.jsonl.gz"),
    );
    let (data, recorded) = (data.display(), recorded.display());
    desk.done(&format!(
        "rank --data {data} --judge simulated:accuracy=0.7 --design labelled --run own"
    ));
    let own = desk.done("judgments own --format json").stdout;
    desk.write("OWN.jsonl", &own);
    let report = desk.json(&format!(
        "meta judge --recorded {recorded} OWN.jsonl --data {data} --rounds 100"
    ));
    assert_eq!(report["paired_differences"][0]["pairs"], 92);
    assert_eq!(report["not_compared"], json!([]));
}
