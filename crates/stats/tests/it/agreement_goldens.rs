//! Agreement and correlation on recorded data: figures that others published, or that were
//! recomputed from their recordings.

use crate::common::{csv_rows, json_lines, numbers};
use evenhand_stats::inference::{
    Covariance, JointComparison, compare_jointly_from_covariance, strict_agreement_bounds,
};
use evenhand_stats::{
    Bootstrap, Bounded, Confusion, Correlation, Disagreement, Estimate, Interval, Measurement,
    agreement_with_confidence, agreement_with_confidence_interval, cohen_kappa, krippendorff_alpha,
    pairwise_loss, pairwise_loss_intervals, percentile_interval, separability,
    separability_interval, spearman, strict_agreement, strict_agreement_interval,
};
use evenhand_testing::shared_data;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn expected(folder: &Path, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join("expected").join(name)).unwrap()).unwrap()
}

type Row = BTreeMap<String, String>;

fn close(found: f64, expected: &Value, within: f64) {
    assert!(
        (found - expected.as_f64().unwrap()).abs() < within,
        "{found}, expected {expected}"
    );
}

fn f(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Overlapping pairs and the percentage of the others.
fn check_separability(systems: &[Bounded], overlapping: &Value, percent: &Value) {
    let found = separability(systems).unwrap();
    assert_eq!(found.pairs as f64 - found.count, f(overlapping));
    // Published with two decimals.
    close(100.0 * found.value(), percent, 0.005_000_1);
}

fn arena(folder: &Path) -> BTreeMap<String, Bounded> {
    let number = |row: &Row, column: &str| row[column].parse().unwrap();
    let bounded = |row: &Row| Bounded {
        score: number(row, "rating"),
        low: number(row, "rating_q025"),
        high: number(row, "rating_q975"),
    };
    csv_rows(folder.join("benchmark_stats/arena_20240329.csv"))
        .iter()
        .map(|row| (row["model"].clone(), bounded(row)))
        .collect()
}

fn eighty_percent(row: &Value) -> Bounded {
    let rounds: Vec<Estimate> = numbers(&row["results"])
        .into_iter()
        .map(Estimate::Finite)
        .collect();
    let interval = percentile_interval(Estimate::Finite(f(&row["score"])), &rounds, 0.8).unwrap();
    Bounded {
        score: f(&row["score"]),
        low: interval.low.unwrap(),
        high: interval.high.unwrap(),
    }
}

#[test]
fn bencher_quality_is_as_arena_hard_printed_it() {
    let Some(folder) = shared_data() else { return };
    let (all, arena) = (expected(&folder, "benchmark_stats.json"), arena(&folder));
    let arena_20: Vec<Bounded> = arena.values().copied().collect();
    check_separability(
        &arena_20,
        &all["arena_20"]["overlapping_pairs_95"],
        &all["arena_20"]["separability_95_pct"],
    );
    assert_eq!(all["benchmarks"].as_object().unwrap().len(), 3);
    let variances = column(
        &csv_rows(folder.join("benchmark_stats/arena_20240329.csv")),
        "model",
        "variance",
    );
    for (name, figures) in all["benchmarks"].as_object().unwrap() {
        check_bencher(
            &json_lines(folder.join(format!("benchmark_stats/{name}.jsonl.gz"))),
            &arena,
            &variances,
            figures,
        );
    }
}

fn check_bencher(
    rows: &[Value],
    arena: &BTreeMap<String, Bounded>,
    variances: &BTreeMap<String, f64>,
    figures: &Value,
) {
    let bounded = |row: &Value| Bounded {
        score: f(&row["score"]),
        low: f(&row["lower"]),
        high: f(&row["upper"]),
    };
    let systems: Vec<Bounded> = rows.iter().map(bounded).collect();
    let truth: Vec<Bounded> = rows
        .iter()
        .map(|row| arena[row["model"].as_str().unwrap()])
        .collect();
    let (scores, ratings) = (scores(&systems), scores(&truth));
    check_separability(
        &systems,
        &figures["overlapping_pairs_95"],
        &figures["separability_95_pct"],
    );
    let systems_80: Vec<Bounded> = rows.iter().map(eighty_percent).collect();
    check_separability(
        &systems_80,
        &figures["overlapping_pairs_80"],
        &figures["separability_80_pct"],
    );
    close(
        strict_agreement(&scores, &ratings).unwrap().value(),
        &figures["strict_agreement"],
        1e-12,
    );
    close(
        agreement_with_confidence(&systems, &truth).unwrap().value(),
        &figures["agreement_with_confidence"],
        1e-12,
    );
    close(
        spearman(&scores, &ratings).unwrap(),
        &figures["spearman"],
        1e-12,
    );
    let draws: Vec<Vec<f64>> = rows.iter().map(|row| numbers(&row["results"])).collect();
    let loss = pairwise_loss(&draws, &ratings).unwrap();
    close(loss.brier, &figures["brier"], 1e-10);
    close(loss.log_loss, &figures["log_loss"], 1e-10);
    assert_eq!(
        (rows.len() as f64, loss.pairs as f64),
        (f(&figures["n_models"]), f(&figures["n_pairs"]))
    );
    let plan = Bootstrap::default();
    brackets(
        separability_interval(&systems, &plan).unwrap(),
        separability(&systems).unwrap().value(),
    );
    brackets(
        strict_agreement_interval(&scores, &ratings, &plan).unwrap(),
        f(&figures["strict_agreement"]),
    );
    let agreement = agreement_with_confidence_interval(&systems, &truth, &plan).unwrap();
    brackets(agreement, f(&figures["agreement_with_confidence"]));
    let intervals = pairwise_loss_intervals(&draws, &ratings, &plan).unwrap();
    brackets(intervals.brier, f(&figures["brier"]));
    brackets(intervals.log_loss, f(&figures["log_loss"]));
    // The recorded draws have lost their rounds: variances only.
    let people = rows
        .iter()
        .map(|row| variances[row["model"].as_str().unwrap()])
        .collect();
    let bounds = strict_agreement_bounds(
        &told(&scores, draws.iter().map(|x| variance(x)).collect()),
        &told(&ratings, people),
    );
    let (bounds, strict) = (bounds.unwrap(), f(&figures["strict_agreement"]));
    eprintln!("{strict:.4}: {:.4} to {:.4}", bounds.low(), bounds.high());
    assert!(
        bounds.low() > 0.5
            && bounds.low() < strict
            && strict < bounds.high()
            && bounds.pairs == 190,
        "{bounds:?}"
    );
}

fn variance(draws: &[f64]) -> f64 {
    let mean = draws.iter().sum::<f64>() / draws.len() as f64;
    draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws.len() as f64
}

/// The pairs told apart by independent scores with these variances.
fn told(scores: &[f64], variances: Vec<f64>) -> JointComparison {
    let n = scores.len();
    let matrix = (0..n * n)
        .map(|cell| {
            if cell % (n + 1) == 0 {
                variances[cell / n]
            } else {
                0.0
            }
        })
        .collect();
    let estimates = scores
        .iter()
        .map(|&score| Estimate::Finite(score))
        .collect();
    let covariance = Covariance::new(estimates, matrix, 100.0, vec![100; n]).unwrap();
    let plan = Bootstrap {
        level: 0.975,
        ..Default::default()
    };
    compare_jointly_from_covariance(&covariance, &plan).unwrap()
}

fn brackets(interval: Interval, value: f64) {
    eprintln!("{value:.4}: {interval:?}");
    let (low, high) = (interval.low.unwrap(), interval.high.unwrap());
    assert!(
        0.0 <= low && low < value && value < high,
        "{value}, {interval:?}"
    );
}

fn scores(systems: &[Bounded]) -> Vec<f64> {
    systems.iter().map(|system| system.score).collect()
}

/// A file of raters by columns of units, turned; labels are numbered as they come.
fn units(path: PathBuf) -> Vec<Vec<Option<f64>>> {
    let reader = csv::ReaderBuilder::new().has_headers(false).from_path(path);
    let raters: Vec<csv::StringRecord> =
        reader.unwrap().into_records().map(Result::unwrap).collect();
    let mut seen: Vec<&str> = raters
        .iter()
        .flatten()
        .filter(|label| !label.is_empty())
        .collect();
    seen.sort_unstable();
    seen.dedup();
    let code = |label: &str| seen.binary_search(&label).ok().map(|code| code as f64);
    (0..raters[0].len())
        .map(|unit| raters.iter().map(|rater| code(&rater[unit])).collect())
        .collect()
}

#[test]
fn alpha_is_that_of_evalica() {
    let Some(folder) = shared_data() else { return };
    let all = expected(&folder, "evalica_alpha.json");
    let alpha = |name| {
        krippendorff_alpha(
            &units(folder.join("evalica").join(name)),
            Measurement::Nominal,
        )
        .unwrap()
        .value
    };
    close(alpha("codings.csv"), &all["codings_csv"], 1e-12);
    assert!((alpha("codings.csv") - 904.0 / 1216.0).abs() < 1e-15);
    close(alpha("gcl.csv"), &all["gcl_csv"], 5e-8);
}

fn kappa(first: &[usize], second: &[usize], categories: usize) -> f64 {
    let table = Confusion::of_labels(first, second, categories).unwrap();
    cohen_kappa(&table, Disagreement::Any).unwrap().value
}

#[test]
fn pandalm_annotators_agree_as_published() {
    let Some(folder) = shared_data() else { return };
    let all = expected(&folder, "pandalm.json");
    let pairs = json_lines(folder.join("pandalm/pairs.jsonl.gz"));
    let annotator = |k: usize| {
        pairs
            .iter()
            .map(|row| row["human"][k - 1].as_u64().unwrap() as usize)
            .collect::<Vec<_>>()
    };
    for (i, j) in [(1, 2), (1, 3), (2, 3)] {
        let found = kappa(&annotator(i), &annotator(j), 3);
        close(found, &all["cohen_kappa"][format!("{i}-{j}")], 1e-12);
        close(
            (100.0 * found).round() / 100.0,
            &all["published_pairwise_cohen_kappa"][format!("{i}-{j}")],
            1e-12,
        );
    }
    let votes = |row: &Value, label: u64| {
        row["human"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|vote| vote.as_u64() == Some(label))
            .count()
    };
    for label in 0..3 {
        let found = pairs.iter().filter(|row| votes(row, label) > 1).count();
        assert_eq!(
            found as u64,
            all["majority_counts"][label.to_string()].as_u64().unwrap()
        );
    }
}

#[test]
fn the_two_orders_of_llmbar_judges_agree_as_published() {
    let Some(folder) = shared_data() else { return };
    let all = expected(&folder, "llmbar.json");
    let of_natural =
        |run: &&Value| run["set"] == "natural" && run["published_kappa_agreement"].is_number();
    let runs: Vec<&Value> = all["evaluators"]
        .as_array()
        .unwrap()
        .iter()
        .filter(of_natural)
        .collect();
    assert!(runs.len() > 50, "{}", runs.len());
    for run in runs {
        let file = run["file"].as_str().unwrap().trim_start_matches("data/");
        let rows = json_lines(folder.join(file));
        let won = |side: &str| {
            rows.iter()
                .map(|row| usize::from(row[side] == "1"))
                .collect::<Vec<_>>()
        };
        close(
            kappa(&won("winner_unswapped"), &won("winner_swapped"), 2),
            &run["published_kappa_agreement"],
            1e-12,
        );
    }
}

/// A column of a published table, by name of system.
fn column(rows: &[Row], name: &str, value: &str) -> BTreeMap<String, f64> {
    rows.iter()
        .filter_map(|row| Some((row[name].clone(), row[value].parse().ok()?)))
        .collect()
}

#[test]
fn benchers_correlate_with_the_arena_as_recomputed() {
    let Some(folder) = shared_data() else { return };
    let all = expected(&folder, "realrank_reference.json");
    let mut systems = csv_rows(folder.join("arena/realrank_systems.csv"));
    systems.retain(|row| row["in_shared"] == "yes");
    assert_eq!(systems.len() as f64, f(&all["n_systems"]));
    let alpaca = |file: &str| {
        csv_rows(folder.join(format!(
            "alpaca_eval/leaderboards/weighted_alpaca_eval_gpt4_turbo{file}.csv"
        )))
    };
    let alpaca = [alpaca(""), alpaca("_realrank_only")].concat();
    let arena = column(
        &csv_rows(folder.join("arena/ratings_20240731.csv")),
        "model",
        "rating",
    );
    let arena_hard = column(
        &csv_rows(folder.join("arena_hard/leaderboard_20240731.csv")),
        "model",
        "score",
    );
    let tables = [
        (
            "alpaca_eval2_win_rate",
            "alpaca_eval_name",
            column(&alpaca, "model", "win_rate"),
        ),
        (
            "alpaca_eval2_length_controlled",
            "alpaca_eval_name",
            column(&alpaca, "model", "length_controlled_winrate"),
        ),
        ("arena_hard_score", "arena_hard_name", arena_hard),
    ];
    let ratings: Vec<f64> = systems
        .iter()
        .map(|row| arena[&row["arena_name"]])
        .collect();
    for (name, key, table) in tables {
        let scores: Vec<f64> = systems.iter().map(|row| table[&row[key]]).collect();
        let figures = &all["correlations"][name];
        close(
            Correlation::Spearman.correlate(&scores, &ratings).unwrap(),
            &figures["spearman"],
            1e-12,
        );
        close(
            Correlation::KendallTauB
                .correlate(&scores, &ratings)
                .unwrap(),
            &figures["kendall_tau_b"],
            1e-12,
        );
    }
}
