//! Every aggregation of evalica's against its own figures, on the data that it publishes.

use crate::common::{csv_rows, fitted};
use evenhand_stats::{
    Comparison, Comparisons, Elo, EloRun, Scores, average_win_rate, bradley_terry, counting,
    davidson, eigenvector, newman, pagerank,
};
use evenhand_testing::shared_data;
use std::collections::BTreeMap;

/// Golden values of one algorithm, by name of system.
fn golden(rows: &[BTreeMap<String, String>], algorithm: &str) -> BTreeMap<String, f64> {
    let of = rows.iter().filter(|row| row["algorithm"] == algorithm);
    of.map(|row| (row["item"].clone(), row["score"].parse().unwrap()))
        .collect()
}

fn comparisons(rows: &[BTreeMap<String, String>], names: &[&String]) -> Comparisons {
    let number = |name: &String| names.binary_search(&name).unwrap() as u16;
    let compare = |(row, item): (&BTreeMap<String, String>, u32)| {
        let (a, b) = (number(&row["left"]), number(&row["right"]));
        match row["winner"].as_str() {
            "left" => Comparison::won(item, a, b, true),
            "right" => Comparison::won(item, a, b, false),
            "tie" => Comparison::tied(item, a, b),
            other => panic!("unknown winner {other}"),
        }
    };
    Comparisons::new(names.len(), rows.iter().zip(0..).map(compare).collect()).unwrap()
}

/// Odds that sum to 1.
fn shares(scores: &Scores) -> Vec<f64> {
    let odds: Vec<f64> = fitted(scores, 1e-6).into_iter().map(f64::exp).collect();
    let total: f64 = odds.iter().sum();
    odds.into_iter().map(|x| x / total).collect()
}

fn elo_in_file_order(rows: &[BTreeMap<String, String>], names: &[&String]) -> Scores {
    let mut run = EloRun::new(0, Elo::default()).unwrap();
    for row in rows {
        let number = |side: &str| names.binary_search(&&row[side]).unwrap() as u16;
        let score = match row["winner"].as_str() {
            "left" => 1.0,
            "right" => 0.0,
            _ => 0.5,
        };
        run.push(number("left"), number("right"), score).unwrap();
    }
    run.scores()
}

/// Every algorithm that the golden file has, each within a share of its own figures; what was found
/// is about 1e-14 or less.
fn check(name: &str, algorithms: usize) {
    let Some(folder) = shared_data() else { return };
    let goldens = csv_rows(folder.join(format!("evalica/{name}-golden.csv")));
    let by_counting = golden(&goldens, "counting");
    let names: Vec<&String> = by_counting.keys().collect();
    let battles = csv_rows(folder.join(format!("evalica/{name}.csv")));
    let tally = comparisons(&battles, &names).tally();
    let found = [
        ("counting", fitted(&counting(&tally), 1e-6), 1e-14),
        (
            "average_win_rate",
            fitted(&average_win_rate(&tally), 1e-6),
            1e-14,
        ),
        ("bradley_terry", shares(&bradley_terry(&tally).scores), 1e-9),
        (
            "elo",
            fitted(&elo_in_file_order(&battles, &names), 1e-6),
            1e-13,
        ),
        ("eigen", fitted(&eigenvector(&tally), 1e-6), 1e-12),
        ("pagerank", fitted(&pagerank(&tally), 1e-6), 1e-12),
        ("newman", fitted(&newman(&tally).scores, 1e-6), 1e-12),
    ];
    let mut met = 0;
    for (algorithm, scores, within) in found {
        let expected = golden(&goldens, algorithm);
        met += usize::from(!expected.is_empty());
        let worst = names
            .iter()
            .zip(&scores)
            .filter_map(|(name, score)| Some((score / expected.get(*name)? - 1.0).abs()));
        let worst = worst.fold(0.0, f64::max);
        assert!(
            worst <= within,
            "{name}, {algorithm}: off by {worst:e}, allowed {within:e}"
        );
    }
    assert_eq!(met, algorithms);
}

#[test]
fn simple() {
    check("simple", 7);
}

#[test]
fn food() {
    check("food", 7);
}

#[test]
fn llmfao() {
    check("llmfao", 4);
}

/// Two programs for one model: Newman's iteration ends where Newton's method for Davidson's model
/// does.
#[test]
fn newman_is_davidson() {
    let Some(folder) = shared_data() else { return };
    let names = golden(
        &csv_rows(folder.join("evalica/llmfao-golden.csv")),
        "counting",
    );
    let names: Vec<&String> = names.keys().collect();
    let tally = comparisons(&csv_rows(folder.join("evalica/llmfao.csv")), &names).tally();
    let (fast, slow) = (davidson(&tally), newman(&tally));
    let logs: Vec<f64> = fitted(&slow.scores, 1e-6)
        .into_iter()
        .map(f64::ln)
        .collect();
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    for (x, y) in fitted(&fast.scores, 1e-6).iter().zip(logs) {
        assert!((x - (y - mean)).abs() < 1e-9, "{x} {y}");
    }
    assert!((fast.tie.finite().unwrap() / slow.tie.finite().unwrap() - 2.0).abs() < 1e-9);
}
