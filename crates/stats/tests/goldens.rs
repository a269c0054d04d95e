//! Bradley-Terry strengths and win counts against those of evalica, on the data that it publishes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![allow(clippy::disallowed_methods, reason = "the purity fence is for the crate, and this test reads files")]

use evenhand_stats::{Comparison, Comparisons, bradley_terry};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The shared data, or None (and why) where they are not there; in continuous integration they must be.
fn shared_data() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("EVENHAND_SHARED_DATA").map_or_else(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    let missing = format!("no shared data at {}: set EVENHAND_SHARED_DATA to the folder", folder.display());
    assert!(std::env::var_os("CI").is_none(), "{missing}");
    eprintln!("skipped: {missing}");
    None
}

fn rows(path: PathBuf) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

/// Golden values of one algorithm, by name of system.
fn golden(rows: &[BTreeMap<String, String>], algorithm: &str) -> BTreeMap<String, f64> {
    let of = rows.iter().filter(|row| row["algorithm"] == algorithm);
    of.map(|row| (row["item"].clone(), row["score"].parse().unwrap())).collect()
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

fn check(name: &str) {
    let Some(folder) = shared_data() else { return };
    let goldens = rows(folder.join(format!("evalica/{name}-golden.csv")));
    let (strengths, counts) = (golden(&goldens, "bradley_terry"), golden(&goldens, "counting"));
    let names: Vec<&String> = strengths.keys().collect();
    let data = comparisons(&rows(folder.join(format!("evalica/{name}.csv"))), &names);
    let tally = data.tally();
    let found = bradley_terry(&tally);
    assert!(found.scores.fit.unwrap().converged);
    let odds: Vec<f64> = found.scores.estimates.iter().map(|x| x.finite().unwrap().exp()).collect();
    let total: f64 = odds.iter().sum();
    for (i, name) in names.iter().enumerate() {
        let (share, expected) = (odds[i] / total, strengths[*name]);
        assert!((share / expected - 1.0).abs() < 1e-4, "{name}: {share}, golden {expected}");
        assert!((tally.points_of(i) - counts[*name]).abs() < 1e-9, "{name}");
    }
}

#[test]
fn simple() {
    check("simple");
}

#[test]
fn food() {
    check("food");
}

#[test]
fn llmfao() {
    check("llmfao");
}
