//! Weights and penalties, chosen by cross-validation over items.

use evenhand_stats::{Error, LOG_LOSS_CLIP, log_loss, ridge_logistic, sigmoid};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};

/// How many parts the items are dealt to.
pub(super) const FOLDS: usize = 10;
/// The penalties that are tried, on differences with a standard deviation of 1.
const PENALTIES: [f64; 5] = [0.1, 1.0, 10.0, 100.0, 1000.0];

/// A labelled pair.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) item: u32,
    /// The differences, the first response less the second.
    pub(super) x: Vec<f64>,
    /// Whether the first is better.
    pub(super) first: bool,
    /// Whether the better one is the longer.
    pub(super) longer: Option<bool>,
}

/// How many items there are.
pub(super) fn items(rows: &[Row]) -> usize {
    rows.iter()
        .map(|row| row.item)
        .collect::<BTreeSet<_>>()
        .len()
}

/// The weights of all rows, in units of the differences.
pub(super) fn weights(rows: &[Row], penalty: f64) -> Result<Vec<f64>, Error> {
    let all: Vec<&Row> = rows.iter().collect();
    fitted(&all, penalty)
}

/// The penalty with the least loss on held-out items.
pub(super) fn best_penalty(rows: &[Row], seed: u64) -> Result<f64, Error> {
    chosen(&rows.iter().collect::<Vec<_>>(), seed)
}

/// For each row the probability that the first is better, by weights and a penalty chosen without
/// its item.
pub(super) fn held_out(rows: &[Row], seed: u64) -> Result<Vec<f64>, Error> {
    let all: Vec<&Row> = rows.iter().collect();
    folded(&all, seed, |rest| {
        // Another deal within: the folds of the rest are not those of the whole.
        fitted(rest, chosen(rest, seed.wrapping_add(1))?)
    })
}

fn chosen(rows: &[&Row], seed: u64) -> Result<f64, Error> {
    let outcomes: Vec<bool> = rows.iter().map(|row| row.first).collect();
    let mut best = (f64::INFINITY, PENALTIES[0]);
    for penalty in PENALTIES {
        let loss = log_loss(
            &folded(rows, seed, |rest| fitted(rest, penalty))?,
            &outcomes,
            LOG_LOSS_CLIP,
        )?;
        if loss < best.0 {
            best = (loss, penalty);
        }
    }
    Ok(best.1)
}

/// The probabilities of each row by what is fitted to the other folds.
fn folded(
    rows: &[&Row],
    seed: u64,
    fit: impl Fn(&[&Row]) -> Result<Vec<f64>, Error>,
) -> Result<Vec<f64>, Error> {
    let folds = deal(rows, seed);
    let mut p = vec![0.5; rows.len()];
    for fold in 0..FOLDS {
        let rest: Vec<&Row> = rows
            .iter()
            .filter(|row| folds[&row.item] != fold)
            .copied()
            .collect();
        if rest.is_empty() {
            continue;
        }
        let weights = fit(&rest)?;
        let own = rows
            .iter()
            .zip(&mut p)
            .filter(|(row, _)| folds[&row.item] == fold);
        own.for_each(|(row, p)| *p = sigmoid(row.x.iter().zip(&weights).map(|(x, w)| x * w).sum()));
    }
    Ok(p)
}

/// The fold of each item: dealt out in an order drawn from the seed.
fn deal(rows: &[&Row], seed: u64) -> BTreeMap<u32, usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let items: BTreeSet<u32> = rows.iter().map(|row| row.item).collect();
    let mut drawn: Vec<(u64, u32)> = items
        .into_iter()
        .map(|item| (rng.next_u64(), item))
        .collect();
    drawn.sort_unstable();
    drawn
        .into_iter()
        .enumerate()
        .map(|(place, (_, item))| (item, place % FOLDS))
        .collect()
}

/// The weights, found on differences with a standard deviation of 1 about 0.
fn fitted(rows: &[&Row], penalty: f64) -> Result<Vec<f64>, Error> {
    let terms = rows.first().map_or(0, |row| row.x.len());
    let spread = |at: usize| {
        (rows.iter().map(|row| row.x[at] * row.x[at]).sum::<f64>() / rows.len() as f64).sqrt()
    };
    // What never differs says nothing, and gets no weight.
    let spreads: Vec<f64> = (0..terms)
        .map(|at| {
            Some(spread(at))
                .filter(|spread| *spread > 0.0)
                .unwrap_or(1.0)
        })
        .collect();
    let scaled: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| row.x.iter().zip(&spreads).map(|(x, s)| x / s).collect())
        .collect();
    let outcomes: Vec<bool> = rows.iter().map(|row| row.first).collect();
    let weights = ridge_logistic(&scaled, &outcomes, penalty)?;
    Ok(weights.iter().zip(&spreads).map(|(w, s)| w / s).collect())
}
