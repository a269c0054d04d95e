//! `evenhand leaderboard` on recorded data whose rankings are known.

use crate::common::{Desk, row, rows};
use evenhand_testing::shared_data;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

fn scores(desk: &Desk, arguments: &str) -> BTreeMap<String, f64> {
    column(&desk.json(&format!("leaderboard {arguments}")), "score")
}

fn column(report: &Value, field: &str) -> BTreeMap<String, f64> {
    let one = |row: &Value| {
        (
            row["system"].as_str().unwrap().to_string(),
            row[field].as_f64().unwrap(),
        )
    };
    rows(report).iter().map(one).collect()
}

/// The golden scores of each algorithm.
fn goldens(path: &Path) -> BTreeMap<String, BTreeMap<String, f64>> {
    let mut all: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for line in std::fs::read_to_string(path).unwrap().lines().skip(1) {
        let (algorithm, rest) = line.split_once(',').unwrap();
        let (item, score) = rest.rsplit_once(',').unwrap();
        all.entry(algorithm.into())
            .or_default()
            .insert(item.trim_matches('"').into(), score.parse().unwrap());
    }
    all
}

/// Evenhand's name of an algorithm, and how near its scores must come.
fn ours(algorithm: &str) -> &'static str {
    match algorithm {
        "counting" => "counting",
        "average_win_rate" => "average-win-rate",
        "bradley_terry" => "bradley-terry --scale log-odds",
        "elo" => "elo",
        "eigen" => "eigenvector",
        "pagerank" => "pagerank",
        "newman" => "newman",
        other => panic!("unknown algorithm {other}"),
    }
}

#[test]
fn evalicas_goldens_are_met() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let mut seen = 0;
    for name in ["simple", "food", "llmfao"] {
        let file = data.join(format!("evalica/{name}.csv"));
        for (algorithm, golden) in goldens(&data.join(format!("evalica/{name}-golden.csv"))) {
            let mut found = scores(
                &desk,
                &format!(
                    "{} --ci none --aggregate {}",
                    file.display(),
                    ours(&algorithm)
                ),
            );
            if algorithm == "bradley_terry" {
                let sum: f64 = found.values().map(|score| score.exp()).sum();
                found
                    .values_mut()
                    .for_each(|score| *score = score.exp() / sum);
            }
            assert_eq!(
                found.keys().collect::<Vec<_>>(),
                golden.keys().collect::<Vec<_>>(),
                "{name} {algorithm}"
            );
            for (item, score) in &golden {
                let near = (found[item] - score).abs() <= 1e-4 * score.abs();
                assert!(
                    near,
                    "{name} {algorithm} {item}: {} for {score}",
                    found[item]
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 200, "only {seen} goldens were compared");
}

#[test]
fn arena_benchs_scores_have_the_expected_means_and_medians() {
    let Some(data) = shared_data() else { return };
    let expected: Value =
        serde_json::from_slice(&std::fs::read(data.join("expected/arena_bench.json")).unwrap())
            .unwrap();
    let desk = Desk::empty();
    let models = expected["models"].as_array().unwrap();
    let file = |model: &Value| {
        data.join(format!(
            "arena_bench/judgments/{}.jsonl.gz",
            model["model"].as_str().unwrap()
        ))
    };
    let files: Vec<String> = models
        .iter()
        .map(|model| file(model).display().to_string())
        .collect();
    for (aggregate, key) in [("mean", "mean_score"), ("median", "median_score")] {
        let report = desk.json(&format!(
            "leaderboard {} --aggregate {aggregate} --rounds 50",
            files.join(" ")
        ));
        assert_eq!(rows(&report).len(), models.len());
        for model in models {
            let row = row(&report, model["model"].as_str().unwrap());
            assert!(
                (row["score"].as_f64().unwrap() - model[key].as_f64().unwrap()).abs() < 1e-9,
                "{row}"
            );
            assert_eq!(row["n"], model["n_scored"], "{row}");
        }
        assert_eq!(
            report["coverage"]["failures"]
                .as_object()
                .unwrap()
                .values()
                .filter_map(Value::as_u64)
                .sum::<u64>(),
            24
        );
    }
}

#[test]
fn alpaca_evals_win_rates_are_those_published() {
    let Some(data) = shared_data() else { return };
    let expected: Value = serde_json::from_slice(
        &std::fs::read(data.join("expected/alpaca_eval_win_rates.json")).unwrap(),
    )
    .unwrap();
    let desk = Desk::empty();
    let (mut seen, mut with_error) = (BTreeMap::new(), 0);
    for (annotator, entries) in expected["annotators"].as_object().unwrap() {
        for entry in entries
            .as_array()
            .unwrap()
            .iter()
            .filter(|entry| entry["reproduces"] == true)
        {
            let file = data.parent().unwrap().join(entry["file"].as_str().unwrap());
            let (model, reference) = (
                entry["model"].as_str().unwrap(),
                entry["reference"].as_str().unwrap(),
            );
            if model == reference {
                continue;
            }
            let report = desk.json(&format!(
                "leaderboard {} --aggregate win-ratio --ci none",
                file.display()
            ));
            let (found, errors) = (column(&report, "score"), column(&report, "standard_error"));
            // One recording has a system's longer name.
            let model = found.keys().find(|name| *name != reference).unwrap();
            assert!(
                (100.0 * found[model] - entry["win_rate"].as_f64().unwrap()).abs() < 1e-6,
                "{annotator} {model}: {found:?}"
            );
            // Some entries have none.
            if let Some(published) = entry["standard_error"].as_f64() {
                assert!(
                    (100.0 * errors[model] - published).abs() < 1e-6,
                    "{annotator} {model}: {errors:?}, not {published}"
                );
                with_error += 1;
            }
            assert!(
                (found[model] + found[reference] - 1.0).abs() < 1e-12,
                "{found:?}"
            );
            *seen.entry(annotator.as_str()).or_insert(0) += 1;
        }
    }
    assert!(
        seen.len() == 4 && seen.values().sum::<i32>() > 60,
        "{seen:?}"
    );
    assert_eq!(with_error, seen.values().sum::<i32>(), "{seen:?}");
}
