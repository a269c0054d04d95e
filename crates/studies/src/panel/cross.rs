//! Weights and penalties, chosen by cross-validation over items.

use crate::folds::deal;
use evenhand_stats::{Error, LOG_LOSS_CLIP, log_loss, ridge_logistic, sigmoid};
use std::collections::BTreeSet;

/// How many parts the items are dealt to.
pub(super) const FOLDS: usize = 10;
/// The penalties that are tried, on differences with a standard deviation of 1.
const PENALTIES: [f64; 5] = [0.1, 1.0, 10.0, 100.0, 1000.0];

/// A labelled pair.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PairRow {
    pub(super) item: u32,
    /// The differences, the first response less the second.
    pub(super) x: Vec<f64>,
    /// Whether the first is better.
    pub(super) first: bool,
    /// Whether the better one is the longer.
    pub(super) longer: Option<bool>,
}

/// Returns how many items there are.
pub(super) fn item_count(rows: &[PairRow]) -> usize {
    let items: BTreeSet<u32> = rows.iter().map(|row| row.item).collect();
    items.len()
}

/// Returns for each row the probability that the first is better, by weights and a penalty chosen
/// without its item.
pub(super) fn held_out_probabilities(rows: &[&PairRow], seed: u64) -> Result<Vec<f64>, Error> {
    across_folds(rows, seed, |rest| {
        // Another deal within: the folds of the rest are not those of the whole.
        fit(rest, choose_penalty(rest, seed.wrapping_add(1))?)
    })
}

/// Returns the penalty with the least loss on held-out items.
pub(super) fn choose_penalty(rows: &[&PairRow], seed: u64) -> Result<f64, Error> {
    let outcomes = outcomes_of(rows);
    let mut best = (f64::INFINITY, PENALTIES[0]);
    for penalty in PENALTIES {
        let p = across_folds(rows, seed, |rest| fit(rest, penalty))?;
        let loss = log_loss(&p, &outcomes, LOG_LOSS_CLIP)?;
        if loss < best.0 {
            best = (loss, penalty);
        }
    }
    Ok(best.1)
}

/// Returns the probabilities of each row by what is fitted to the other folds.
fn across_folds(
    rows: &[&PairRow],
    seed: u64,
    fit: impl Fn(&[&PairRow]) -> Result<Vec<f64>, Error>,
) -> Result<Vec<f64>, Error> {
    let folds = deal(rows.iter().map(|row| row.item), FOLDS, seed);
    let mut weights = Vec::new();
    for fold in 0..FOLDS {
        let rest = rows.iter().copied().filter(|row| folds[&row.item] != fold);
        let rest: Vec<&PairRow> = rest.collect();
        // Nothing is left to fit where one fold has all the rows.
        weights.push((!rest.is_empty()).then(|| fit(&rest)).transpose()?);
    }
    let probability = |row: &&PairRow| match &weights[folds[&row.item]] {
        Some(weights) => sigmoid(row.x.iter().zip(weights).map(|(x, w)| x * w).sum()),
        None => 0.5,
    };
    Ok(rows.iter().map(probability).collect())
}

/// Fits weights, in units of the differences, on differences with a standard deviation of 1 about
/// 0.
pub(super) fn fit(rows: &[&PairRow], penalty: f64) -> Result<Vec<f64>, Error> {
    let terms = rows.first().map_or(0, |row| row.x.len());
    let mut spreads = Vec::new();
    for at in 0..terms {
        let squares = rows.iter().map(|row| row.x[at] * row.x[at]);
        let spread = (squares.sum::<f64>() / rows.len() as f64).sqrt();
        // What never differs says nothing, and gets no weight: its spread is taken to be 1.
        spreads.push(if spread > 0.0 { spread } else { 1.0 });
    }
    let in_spreads = |values: &[f64]| -> Vec<f64> {
        let both = values.iter().zip(&spreads);
        both.map(|(value, spread)| value / spread).collect()
    };
    let scaled: Vec<Vec<f64>> = rows.iter().map(|row| in_spreads(&row.x)).collect();
    let weights = ridge_logistic(&scaled, &outcomes_of(rows), penalty)?;
    // The weights are for scaled differences; dividing them fits the differences themselves.
    Ok(in_spreads(&weights))
}

/// Returns for each row whether the first is better.
fn outcomes_of(rows: &[&PairRow]) -> Vec<bool> {
    rows.iter().map(|row| row.first).collect()
}
