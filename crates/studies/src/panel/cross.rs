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

/// Fits weights to all rows, in units of the differences.
pub(super) fn fit_weights(rows: &[PairRow], penalty: f64) -> Result<Vec<f64>, Error> {
    fit(&rows.iter().collect::<Vec<_>>(), penalty)
}

/// Returns the penalty with the least loss on held-out items.
pub(super) fn best_penalty(rows: &[PairRow], seed: u64) -> Result<f64, Error> {
    choose_penalty(&rows.iter().collect::<Vec<_>>(), seed)
}

/// Returns for each row the probability that the first is better, by weights and a penalty chosen
/// without its item.
pub(super) fn held_out_probabilities(rows: &[PairRow], seed: u64) -> Result<Vec<f64>, Error> {
    let all: Vec<&PairRow> = rows.iter().collect();
    across_folds(&all, seed, |rest| {
        // Another deal within: the folds of the rest are not those of the whole.
        fit(rest, choose_penalty(rest, seed.wrapping_add(1))?)
    })
}

fn choose_penalty(rows: &[&PairRow], seed: u64) -> Result<f64, Error> {
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
    let folds = Folds::deal(rows, seed);
    let mut weights = Vec::new();
    for fold in 0..FOLDS {
        let rest = folds.rest(fold);
        // Nothing is left to fit where one fold has all the rows.
        weights.push((!rest.is_empty()).then(|| fit(&rest)).transpose()?);
    }
    Ok(rows
        .iter()
        .map(|row| folds.probability(row, &weights))
        .collect())
}

/// Rows whose items are dealt to folds.
struct Folds<'a> {
    rows: &'a [&'a PairRow],
    by_item: BTreeMap<u32, usize>,
}

impl<'a> Folds<'a> {
    fn deal(rows: &'a [&'a PairRow], seed: u64) -> Folds<'a> {
        let by_item = deal_items(rows, seed);
        Folds { rows, by_item }
    }

    fn fold_of(&self, row: &PairRow) -> usize {
        self.by_item[&row.item]
    }

    /// Returns the rows outside a fold.
    fn rest(&self, fold: usize) -> Vec<&'a PairRow> {
        let rows = self.rows.iter().copied();
        rows.filter(|row| self.fold_of(row) != fold).collect()
    }

    /// Returns the probability of a row by the weights that go with its fold; a half without them.
    fn probability(&self, row: &PairRow, weights: &[Option<Vec<f64>>]) -> f64 {
        let weights = weights[self.fold_of(row)].as_ref();
        weights.map_or(0.5, |weights| row.probability(weights))
    }
}

impl PairRow {
    /// Returns the probability that the first is better.
    fn probability(&self, weights: &[f64]) -> f64 {
        sigmoid(self.x.iter().zip(weights).map(|(x, w)| x * w).sum())
    }
}

/// Returns the fold of each item: dealt out in an order drawn from the seed.
fn deal_items(rows: &[&PairRow], seed: u64) -> BTreeMap<u32, usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let items: BTreeSet<u32> = rows.iter().map(|row| row.item).collect();
    // Items go in ascending order, so that the draws do not depend on the order of the rows.
    let mut drawn: Vec<(u64, u32)> = items
        .into_iter()
        .map(|item| (rng.next_u64(), item))
        .collect();
    drawn.sort_unstable();
    let places = drawn.into_iter().enumerate();
    places
        .map(|(place, (_, item))| (item, place % FOLDS))
        .collect()
}

/// Fits weights on differences with a standard deviation of 1 about 0.
fn fit(rows: &[&PairRow], penalty: f64) -> Result<Vec<f64>, Error> {
    let spreads = spreads_of(rows);
    let scaled = rows.iter().map(|row| in_spreads(&row.x, &spreads));
    let scaled: Vec<Vec<f64>> = scaled.collect();
    let weights = ridge_logistic(&scaled, &outcomes_of(rows), penalty)?;
    // The weights are for scaled differences; dividing them fits the differences themselves.
    Ok(in_spreads(&weights, &spreads))
}

/// Returns for each row whether the first is better.
fn outcomes_of(rows: &[&PairRow]) -> Vec<bool> {
    rows.iter().map(|row| row.first).collect()
}

fn spreads_of(rows: &[&PairRow]) -> Vec<f64> {
    let terms = rows.first().map_or(0, |row| row.x.len());
    (0..terms).map(|at| spread_of(rows, at)).collect()
}

/// Divides each value by its spread.
fn in_spreads(values: &[f64], spreads: &[f64]) -> Vec<f64> {
    let both = values.iter().zip(spreads);
    both.map(|(value, spread)| value / spread).collect()
}

/// Returns the standard deviation of a difference about 0. What never differs says nothing, and
/// gets no weight: its spread is taken to be 1.
fn spread_of(rows: &[&PairRow], at: usize) -> f64 {
    let squares = rows.iter().map(|row| row.x[at] * row.x[at]);
    let spread = (squares.sum::<f64>() / rows.len() as f64).sqrt();
    if spread > 0.0 { spread } else { 1.0 }
}
