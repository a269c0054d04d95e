//! Correlation, agreement and multiple tests against scipy, scikit-learn, statsmodels and
//! krippendorff: the cases and the programs' answers are recorded by cases/record_agreement.py.

use crate::common::numbers;
use evenhand_stats::{
    Bounded, Confusion, Correlation, Disagreement, Error, LOG_LOSS_CLIP, Measurement, Undefined,
    benjamini_hochberg, brier, cohen_kappa, holm, krippendorff_alpha, log_loss, mcnemar, tau_u,
};
use serde_json::Value;

fn cases(topic: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../cases/agreement.json")).unwrap();
    all[topic].as_array().unwrap().clone()
}

fn labels(value: &Value) -> Vec<usize> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_u64().unwrap() as usize)
        .collect()
}

/// The same to 1e-12, relative above 1; a peer's null is something undefined.
fn check(case: &Value, what: &str, found: Result<f64, Error>, expected: &Value) {
    let name = format!("{} {what}", case["name"]);
    match (found, expected.as_f64()) {
        (Ok(found), Some(expected)) => {
            assert!(
                (found - expected).abs() <= 1e-12 * expected.abs().max(1.0),
                "{name}: {found} {expected}"
            )
        }
        (Err(Error::Undefined(_)), None) => (),
        (found, expected) => panic!("{name}: {found:?}, expected {expected:?}"),
    }
}

#[test]
fn correlations_are_those_of_scipy() {
    use Correlation::{KendallTauB, Pearson, Spearman};
    for case in cases("correlation") {
        for (which, name) in [
            (Pearson, "pearson"),
            (Spearman, "spearman"),
            (KendallTauB, "kendall_tau_b"),
        ] {
            check(
                &case,
                name,
                which.correlate(&numbers(&case["x"]), &numbers(&case["y"])),
                &case[name],
            );
        }
    }
}

#[test]
fn kappas_are_those_of_scikit_learn_and_their_errors_those_of_statsmodels() {
    use Disagreement::{Any, Linear, Quadratic};
    for case in cases("kappa") {
        let categories = case["categories"].as_u64().unwrap() as usize;
        let table = Confusion::of_labels(
            &labels(&case["first"]),
            &labels(&case["second"]),
            categories,
        )
        .unwrap();
        for (weights, name) in [(Any, "any"), (Linear, "linear"), (Quadratic, "quadratic")] {
            let (found, expected) = (cohen_kappa(&table, weights), &case[name]);
            check(
                &case,
                name,
                found.clone().map(|kappa| kappa.value),
                &expected["kappa"],
            );
            match found.map(|kappa| kappa.standard_error) {
                Ok(Err(reason)) => assert_eq!(
                    (reason, expected["standard_error"].as_f64()),
                    (Undefined::NoVariance, Some(0.0))
                ),
                found => check(
                    &case,
                    name,
                    found.and_then(|error| Ok(error?)),
                    &expected["standard_error"],
                ),
            }
        }
    }
}

#[test]
fn alphas_are_those_of_krippendorff() {
    use Measurement::{Interval, Nominal, Ordinal, Ratio};
    for case in cases("alpha") {
        let row = |row: &Value| row.as_array().unwrap().iter().map(Value::as_f64).collect();
        let units: Vec<Vec<Option<f64>>> =
            case["units"].as_array().unwrap().iter().map(row).collect();
        for (scale, name) in [
            (Nominal, "nominal"),
            (Ordinal, "ordinal"),
            (Interval, "interval"),
            (Ratio, "ratio"),
        ] {
            check(
                &case,
                name,
                krippendorff_alpha(&units, scale).map(|alpha| alpha.value),
                &case[name],
            );
        }
    }
}

#[test]
fn mcnemar_is_that_of_statsmodels() {
    for case in cases("mcnemar") {
        let count = |name: &str| case[name].as_u64().unwrap() as u32;
        let found = mcnemar(count("b"), count("c")).unwrap();
        let relative = |name: &str, found: f64| {
            let expected = case[name].as_f64().unwrap();
            assert!(
                (found / expected - 1.0).abs() < 1e-10 || found == expected,
                "{case} {name}: {found}"
            );
        };
        relative("exact_p", found.exact_p);
        relative("chi_square", found.chi_square);
        relative("p", found.p);
        relative("corrected_chi_square", found.corrected_chi_square);
        relative("corrected_p", found.corrected_p);
    }
}

#[test]
fn losses_are_those_of_scikit_learn() {
    for case in cases("forecasts") {
        let p = numbers(&case["p"]);
        let outcomes: Vec<bool> = case["outcomes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_bool().unwrap())
            .collect();
        check(&case, "brier", brier(&p, &outcomes), &case["brier"]);
        check(
            &case,
            "log loss",
            log_loss(&p, &outcomes, LOG_LOSS_CLIP),
            &case["log_loss"],
        );
    }
}

#[test]
fn adjusted_p_values_are_those_of_statsmodels() {
    for case in cases("multiplicity") {
        let p = numbers(&case["p"]);
        for (name, found) in [
            ("holm", holm(&p)),
            ("benjamini_hochberg", benjamini_hochberg(&p)),
        ] {
            let (found, expected) = (found.unwrap(), numbers(&case[name]));
            assert_eq!(found.len(), expected.len());
            assert!(
                found
                    .iter()
                    .zip(&expected)
                    .all(|(x, y)| (x - y).abs() < 1e-14),
                "{name}: {found:?} {expected:?}"
            );
        }
    }
}

#[test]
fn tau_u_is_its_definition_pair_by_pair() {
    for case in cases("tau_u") {
        let bounded = |(&score, half): (&f64, f64)| Bounded {
            score,
            low: score - half,
            high: score + half,
        };
        let ratings: Vec<Bounded> = numbers(&case["ratings"])
            .iter()
            .zip(numbers(&case["half"]))
            .map(bounded)
            .collect();
        let found = tau_u(
            &numbers(&case["scores"]),
            &ratings,
            case["u"].as_f64().unwrap(),
        );
        check(
            &case,
            "tau_u",
            found.clone().map(|found| found.tau),
            &case["tau"],
        );
        assert_eq!(
            found.unwrap().counts.pairs(),
            case["pairs"].as_u64().unwrap()
        );
    }
}
