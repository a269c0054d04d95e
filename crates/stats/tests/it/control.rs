//! Style control and length control against statsmodels, scikit-learn and scipy
//! (`cases/record_control.py`).

use crate::common::numbers;
use evenhand_stats::control::{
    Battles, JointPreferences, Preferences, StyleControl, StyleControlled, fit_difficulty,
    fit_length_control, style_controlled,
};
use serde_json::Value;

const CASES: &str = include_str!("../cases/control.json");

fn cases(topic: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(CASES).unwrap();
    all[topic].as_array().unwrap().clone()
}

fn systems(value: &Value) -> Vec<u16> {
    numbers(value).into_iter().map(|x| x as u16).collect()
}

fn ids(value: &Value) -> Vec<u32> {
    numbers(value).into_iter().map(|x| x as u32).collect()
}

#[track_caller]
fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (position, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!((x - y).abs() <= 1e-8, "{position}: {x}, peer {y}");
    }
}

fn fitted(case: &Value, clustered: bool) -> StyleControlled {
    let (a, b, won) = (
        systems(&case["a"]),
        systems(&case["b"]),
        numbers(&case["won"]),
    );
    let covariates: Vec<Vec<f64>> = case["covariates"]
        .as_array()
        .unwrap()
        .iter()
        .map(numbers)
        .collect();
    let weight = (!case["weight"].is_null()).then(|| numbers(&case["weight"]));
    let cluster = clustered.then(|| ids(&case["cluster"]));
    let (weight, cluster) = (weight.as_deref(), cluster.as_deref());
    let battles = Battles {
        systems: 5,
        a: &a,
        b: &b,
        won: &won,
        weight,
        cluster,
        covariates: &covariates,
    };
    style_controlled(&battles, &StyleControl::default()).unwrap()
}

#[test]
fn style_control_meets_statsmodels() {
    for case in cases("style") {
        let estimates = numbers(&case["estimates"]);
        for (clustered, table) in [(false, "hc0"), (true, "clustered")] {
            let (found, covariance) = (fitted(&case, clustered), numbers(&case[table]));
            let strengths = found.scores.estimates.iter().map(|x| x.finite().unwrap());
            close(
                &strengths
                    .chain(found.coefficients.iter().copied())
                    .collect::<Vec<_>>(),
                &estimates,
            );
            let uncertainty = found.uncertainty.unwrap();
            close(&uncertainty.covariance, &covariance);
            let errors = uncertainty
                .strengths
                .iter()
                .map(|x| x.unwrap().standard_error);
            let expected: Vec<f64> = (0..8).map(|i| covariance[i * 9].sqrt()).collect();
            close(&errors.collect::<Vec<_>>(), &expected[..5]);
            // Those of coefficients are corrected for few clusters.
            for (interval, plain) in uncertainty.coefficients.iter().zip(&expected[5..]) {
                let error = interval.unwrap().standard_error;
                assert!(error > *plain && error < 1.3 * plain, "{error} {plain}");
            }
            assert!(
                found.scores.fit.unwrap().converged && found.scores.fit.unwrap().iterations <= 6
            );
        }
    }
}

#[test]
fn length_control_meets_statsmodels_and_scikit_learn() {
    for case in cases("length") {
        let preferred: Vec<Option<f64>> =
            numbers(&case["preferred"]).into_iter().map(Some).collect();
        let (length, difficulty) = (
            numbers(&case["length"]),
            case["difficulty"]
                .as_array()
                .map(|_| numbers(&case["difficulty"])),
        );
        let data = Preferences {
            preferred: &preferred,
            length: &length,
            difficulty: difficulty.as_deref(),
        };
        let found = fit_length_control(&data, 0.95).unwrap();
        let weights = [
            found.weights.length,
            found.weights.model,
            found.weights.difficulty,
        ];
        let [model, length, difficulty] = found.weight_intervals;
        let errors = [length, model, difficulty].map(|x| x.map_or(0.0, |x| x.standard_error));
        let p = numbers(&case["estimates"]).len();
        close(&weights[..p], &numbers(&case["estimates"]));
        close(&errors[..p], &numbers(&case["standard_errors"]));
        let interval = found.interval.unwrap();
        close(&[found.win_rate], &[case["win_rate"].as_f64().unwrap()]);
        close(
            &[interval.standard_error],
            &[case["win_rate_error"].as_f64().unwrap()],
        );
        assert!(interval.low < found.win_rate && found.win_rate < interval.high);
    }
}

#[test]
fn joint_difficulties_meet_scipy() {
    let all: Value = serde_json::from_str(CASES).unwrap();
    let case = &all["joint"];
    let (model, item) = (systems(&case["model"]), ids(&case["item"]));
    let (preferred, length) = (numbers(&case["preferred"]), numbers(&case["length"]));
    let data = JointPreferences {
        models: 4,
        items: 12,
        model: &model,
        item: &item,
        preferred: &preferred,
        length: &length,
    };
    let found = fit_difficulty(&data, case["ridge"].as_f64().unwrap()).unwrap();
    assert!(
        found.fit.converged && found.fit.gradient < 1e-9,
        "{:?}",
        found.fit
    );
    let difficulty: Vec<f64> = found.difficulty.iter().map(|x| x.unwrap()).collect();
    close(&difficulty, &numbers(&case["difficulty"]));
}
