//! Every aggregation against independent programs (choix, scipy, numpy), recorded by
//! cases/record_pairwise.py.

use crate::common::{fitted, numbers};
use evenhand_stats::{
    ItemScore, ItemScores, PairMethod, Tally, Trim, bradley_terry, davidson, newman, rao_kupper,
    trimmed_mean,
};
use serde_json::Value;

fn recorded() -> Value {
    serde_json::from_str(include_str!("../cases/pairwise.json")).unwrap()
}

fn tally(case: &Value) -> Tally {
    let mut tally = Tally::new(case["systems"].as_u64().unwrap() as usize).unwrap();
    for row in case["rows"].as_array().unwrap() {
        let row = numbers(row);
        tally
            .add(row[0] as usize, row[1] as usize, row[2], row[3], row[4])
            .unwrap();
    }
    tally
}

fn assert_near(what: &str, found: &[f64], expected: &[f64], within: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (x, y) in found.iter().zip(expected) {
        assert!(
            (x - y).abs() <= within * y.abs().max(1.0),
            "{what}: {x}, recorded {y}"
        );
    }
}

fn check_all(check: impl Fn(&str, &Tally, &Value)) {
    for case in recorded()["pairwise"].as_array().unwrap() {
        check(case["name"].as_str().unwrap(), &tally(case), case);
    }
}

#[test]
fn bradley_terry_is_that_of_choix() {
    check_all(|name, tally, case| {
        assert_near(
            name,
            &fitted(&bradley_terry(tally).scores, 1e-7),
            &numbers(&case["bradley_terry"]),
            1e-8,
        );
    });
}

#[test]
fn tie_models_are_those_that_scipy_maximises() {
    check_all(|name, tally, case| {
        let (davidson, rao_kupper) = (davidson(tally), rao_kupper(tally));
        assert_near(
            name,
            &fitted(&davidson.scores, 1e-7),
            &numbers(&case["davidson"]),
            1e-8,
        );
        assert_near(
            name,
            &fitted(&rao_kupper.scores, 1e-7),
            &numbers(&case["rao_kupper"]),
            1e-8,
        );
        let ties = [davidson.tie, rao_kupper.tie].map(|tie| tie.finite().unwrap());
        assert_near(
            name,
            &ties,
            &[
                case["nu"].as_f64().unwrap(),
                case["theta"].as_f64().unwrap(),
            ],
            1e-8,
        );
    });
}

#[test]
fn newman_ends_where_scipy_maximises_davidsons_model() {
    check_all(|name, tally, case| {
        let found = newman(tally);
        let logs: Vec<f64> = fitted(&found.scores, 1e-7).iter().map(|p| p.ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let centred: Vec<f64> = logs.iter().map(|x| x - mean).collect();
        assert_near(name, &centred, &numbers(&case["davidson"]), 1e-8);
        assert_near(
            name,
            &[2.0 * found.tie.finite().unwrap()],
            &[case["nu"].as_f64().unwrap()],
            1e-8,
        );
    });
}

#[test]
fn matrices_and_counts_are_those_of_numpy() {
    let methods = [
        ("counting", PairMethod::Counting),
        ("average_win_rate", PairMethod::AverageWinRate),
        ("eigenvector", PairMethod::Eigenvector),
        ("pagerank", PairMethod::PageRank),
    ];
    check_all(|name, tally, case| {
        for (field, method) in methods {
            assert_near(
                &format!("{name}, {field}"),
                &fitted(&method.scores(tally), 1e-7),
                &numbers(&case[field]),
                1e-11,
            );
        }
    });
}

#[test]
fn the_trimmed_mean_is_that_of_scipy() {
    for case in recorded()["trimmed_mean"].as_array().unwrap() {
        let rows = numbers(&case["scores"])
            .into_iter()
            .zip(0..)
            .map(|(score, item)| ItemScore::new(item, 0, score));
        let data = ItemScores::new(1, rows.collect()).unwrap();
        let trim = Trim::from_permille(case["permille"].as_u64().unwrap() as u16).unwrap();
        assert_near(
            "trimmed mean",
            &fitted(&trimmed_mean(&data, trim), 1e-7),
            &[case["mean"].as_f64().unwrap()],
            1e-13,
        );
    }
}
