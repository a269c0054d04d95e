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
    let mut rows = Vec::new();
    for (system, lengths) in answers {
        let written: Vec<usize> = lengths.values().copied().filter(|it| *it > 0).collect();
        // Without lengths the sums are 0, which any divisor leaves at 0.
        let n = written.len().max(1) as f64;
        let mean = written.iter().sum::<usize>() as f64 / n;
        let squares: f64 = written.iter().map(|it| (*it as f64 - mean).powi(2)).sum();
        rows.push(LengthRow {
            system: system.clone(),
            answers: written.len(),
            empty: lengths.len() - written.len(),
            max: written.iter().copied().max().unwrap_or(0),
            min: written.iter().copied().min().unwrap_or(0),
            mean,
            sd: (squares / n).sqrt(),
        });
    }
    rows
}
