//! How long the answers of each system are (PORTIA, table 3).

use super::ComparedPair;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Lengths of a system's answers in characters; empty answers are left out.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LengthRow {
    /// The system.
    pub system: Arc<str>,
    /// Answers that are not empty.
    pub answers: usize,
    /// Answers that are.
    pub empty: usize,
    /// The longest; 0 where all are empty.
    pub max: usize,
    /// The shortest.
    pub min: usize,
    /// The mean.
    pub mean: f64,
    /// The standard deviation of the answers themselves (dividing by their number), as the paper
    /// has it.
    pub sd: f64,
}

/// Returns a row for each system, each answer counted once however many pairs it is in.
pub(super) fn measure_lengths(pairs: &[ComparedPair]) -> Vec<LengthRow> {
    let mut answers: BTreeMap<&Arc<str>, BTreeMap<&str, usize>> = BTreeMap::new();
    for pair in pairs {
        for (system, length) in pair.systems.iter().zip(pair.lengths) {
            answers
                .entry(system)
                .or_default()
                .insert(&pair.item, length);
        }
    }
    answers
        .into_iter()
        .map(|(system, lengths)| LengthRow::measure(system, lengths.into_values().collect()))
        .collect()
}

fn without_empty(lengths: &[usize]) -> Vec<usize> {
    let all = lengths.iter().copied();
    all.filter(|length| *length > 0).collect()
}

impl LengthRow {
    fn measure(system: &Arc<str>, lengths: Vec<usize>) -> LengthRow {
        let written = without_empty(&lengths);
        let (mean, sd) = mean_and_deviation(&written);
        LengthRow {
            system: system.clone(),
            answers: written.len(),
            empty: lengths.len() - written.len(),
            max: written.iter().copied().max().unwrap_or(0),
            min: written.iter().copied().min().unwrap_or(0),
            mean,
            sd,
        }
    }
}

/// Returns both; 0 of none.
fn mean_and_deviation(lengths: &[usize]) -> (f64, f64) {
    // Without lengths the sums are 0, which any divisor leaves at 0.
    let n = lengths.len().max(1) as f64;
    let mean = lengths.iter().sum::<usize>() as f64 / n;
    (mean, (sum_of_squares(lengths, mean) / n).sqrt())
}

fn sum_of_squares(lengths: &[usize], mean: f64) -> f64 {
    let squares = lengths.iter().map(|length| (*length as f64 - mean).powi(2));
    squares.sum()
}
