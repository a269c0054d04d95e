//! The figures of a run are right: what was planted in a simulated judge is found, and what is
//! undefined is said.

mod failures;
mod likelihood;
mod planted;
mod recorded;
mod undefined;

use crate::common::{Desk, Ran, number, response, row, rows, systems};
use serde_json::{Value, json};

const SYSTEMS: [&str; 4] = ["ant", "bee", "cat", "dog"];

fn warnings(report: &Value) -> String {
    report["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| format!("{}\n", warning.as_str().unwrap()))
        .collect()
}

/// That an interval holds a planted value, and the estimate is near it.
#[track_caller]
fn assert_recovered(estimate: f64, ci: &Value, planted: f64, near: f64) {
    assert!(
        (estimate - planted).abs() < near,
        "{estimate} is not near {planted}"
    );
    assert!(
        number(&ci[0]) < planted && planted < number(&ci[1]),
        "{ci} does not hold {planted}"
    );
}
