//! Heads fitted to some pairs and tried on others that they have not seen.

use super::row::{READY, Row, half_or_right, ready_leads};
use crate::folds::deal;
use evenhand_protocols::HEAD_FEATURES;
use evenhand_stats::{Error, LOG_LOSS_CLIP, log_loss, mean_value, ridge_logistic_path, sigmoid};
use std::collections::BTreeSet;

/// Into how many parts the questions are dealt where a head is tried.
pub(super) const OUTER: usize = 10;
/// Into how many, among the pairs that a head is fitted to, where its depth and penalty are chosen.
const INNER: usize = 5;
/// Into how many parts questions are dealt where systems are held out and share questions.
const QUESTION_PARTS: usize = 3;
/// Into how many groups systems are dealt, two of which are held out at a time.
pub(super) const GROUPS: usize = 6;
/// No head is fitted to fewer pairs than these.
const FEWEST_TO_FIT: usize = 8;
/// The penalties that are tried, on differences with a standard deviation of 1, the largest first.
pub(super) const PENALTIES: [f64; 5] = [1000.0, 200.0, 50.0, 10.0, 2.0];

/// A fitted head, on differences.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fitted {
    /// Which of the depths its states are of; None for none.
    pub(super) depth: Option<usize>,
    pub(super) penalty: f64,
    /// Of the plain features, then of the states.
    pub(super) scales: Vec<f64>,
    pub(super) weights: Vec<f64>,
}

impl Fitted {
    /// Returns the log-odds that the first response of a pair is better.
    pub(super) fn lead(&self, row: &Row) -> f64 {
        let scaled = row.features(self.depth).zip(&self.scales);
        let scaled = scaled.map(|(difference, scale)| difference / scale);
        scaled
            .zip(&self.weights)
            .map(|(scaled, weight)| scaled * weight)
            .sum()
    }
}

/// How right a head and the best ready score were on a pair that neither was chosen on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tried {
    /// Which row.
    pub(super) row: usize,
    /// 1 for right, 0 for wrong, a half where there is no lead.
    pub(super) head: f64,
    pub(super) ready: f64,
}

/// Fits a head under each of the penalties.
fn fit_all(rows: &[&Row], depth: Option<usize>, penalties: &[f64]) -> Result<Vec<Fitted>, Error> {
    let plain = HEAD_FEATURES.len();
    let width = rows.first().map_or(0, |row| row.features(depth).count());
    let mut squares = vec![0.0; width];
    for row in rows {
        for (square, difference) in squares.iter_mut().zip(row.features(depth)) {
            *square += difference * difference;
        }
    }
    // All states together count as much as the plain features together, however many they are.
    let share = (plain as f64 / width.saturating_sub(plain).max(1) as f64).sqrt();
    let scales = squares.iter().enumerate().map(|(at, square)| {
        let spread = (square / rows.len() as f64).sqrt();
        let share = if at < plain { 1.0 } else { share };
        // What never differs says nothing, and gets no weight: any scale does for it.
        if spread > 0.0 { spread / share } else { 1.0 }
    });
    let scales: Vec<f64> = scales.collect();
    let scaled = |row: &&Row| -> Vec<f64> {
        let both = row.features(depth).zip(&scales);
        both.map(|(difference, scale)| difference / scale).collect()
    };
    let table: Vec<Vec<f64>> = rows.iter().map(scaled).collect();
    let outcomes: Vec<bool> = rows.iter().map(|row| row.first).collect();
    let found = ridge_logistic_path(&table, &outcomes, penalties)?;
    let fitted = found
        .into_iter()
        .zip(penalties)
        .map(|(weights, penalty)| Fitted {
            depth,
            penalty: *penalty,
            scales: scales.clone(),
            weights,
        });
    Ok(fitted.collect())
}

/// Fits a head to all these rows, its depth and penalty chosen by cross-validation among them:
/// those of the least loss on questions that were held out. Of several as good, the one without
/// states and the larger penalty count first.
pub(super) fn fit_head_to(rows: &[&Row], seed: u64) -> Result<Fitted, Error> {
    let depths = rows.first().map_or(0, |row| row.states.len());
    let folds = deal(rows.iter().map(|row| row.question), INNER, seed);
    let outcomes: Vec<bool> = rows.iter().map(|row| row.first).collect();
    let mut best = (f64::INFINITY, None, PENALTIES[0]);
    for depth in std::iter::once(None).chain((0..depths).map(Some)) {
        let mut p = vec![vec![0.5; rows.len()]; PENALTIES.len()];
        for fold in 0..INNER {
            let is_held_out = |row: &Row| folds[&row.question] == fold;
            let rest: Vec<&Row> = rows
                .iter()
                .copied()
                .filter(|row| !is_held_out(row))
                .collect();
            if rest.is_empty() {
                continue;
            }
            for (fitted, p) in fit_all(&rest, depth, &PENALTIES)?.iter().zip(&mut p) {
                for (row, p) in rows.iter().zip(p).filter(|(row, _)| is_held_out(row)) {
                    *p = sigmoid(fitted.lead(row));
                }
            }
        }
        for (p, penalty) in p.iter().zip(PENALTIES) {
            let loss = log_loss(p, &outcomes, LOG_LOSS_CLIP)?;
            if loss < best.0 {
                best = (loss, depth, penalty);
            }
        }
    }
    let (_, depth, penalty) = best;
    let mut fitted = fit_all(rows, depth, &[penalty])?;
    fitted
        .pop()
        .ok_or_else(|| evenhand_stats::Undefined::NoData.into())
}

/// Returns which ready score is right most often about these rows; of several, the first.
pub(super) fn best_ready(rows: &[&Row]) -> usize {
    let share = |at: usize| {
        let right = rows
            .iter()
            .map(|row| half_or_right(ready_leads(&row.plain)[at], row.first));
        mean_value(&right.collect::<Vec<f64>>()).unwrap_or(0.0)
    };
    let mut best = 0;
    for at in 1..READY.len() {
        if share(at) > share(best) {
            best = at;
        }
    }
    best
}

/// Pairs that heads are tried on, and those that they may be fitted to.
pub(super) struct Split<'a> {
    /// Which rows they are tried on.
    held_out: Vec<usize>,
    rest: Vec<&'a Row>,
}

impl Split<'_> {
    /// Fits a head to some of the rest, and tries it and the best ready score of the same pairs on
    /// what is held out.
    fn try_head(&self, rows: &[Row], some: &[&Row], seed: u64) -> Result<Vec<Tried>, Error> {
        let fitted = fit_head_to(some, seed)?;
        let ready = best_ready(some);
        let tried = self.held_out.iter().map(|at| {
            let row = &rows[*at];
            Tried {
                row: *at,
                head: half_or_right(fitted.lead(row), row.first),
                ready: half_or_right(ready_leads(&row.plain)[ready], row.first),
            }
        });
        Ok(tried.collect())
    }

    /// Tries a few heads of so many pairs of the rest: how right they are on average.
    fn try_heads_of(&self, rows: &[Row], size: usize, seed: u64) -> Result<Vec<Tried>, Error> {
        // Large heads differ little, and take long.
        let draws: u64 = if size <= 50 { 4 } else { 1 };
        let none = self.held_out.iter().map(|row| Tried {
            row: *row,
            head: 0.0,
            ready: 0.0,
        });
        let mut mean: Vec<Tried> = none.collect();
        for draw in 0..draws {
            let seed = seed.wrapping_add(1000 + draw);
            let some = draw_some(&self.rest, size, seed);
            for (mean, one) in mean.iter_mut().zip(self.try_head(rows, &some, seed)?) {
                mean.head += one.head / draws as f64;
                mean.ready += one.ready / draws as f64;
            }
        }
        Ok(mean)
    }
}

/// Deals the questions to so many parts: each is held out in turn.
pub(super) fn question_splits(rows: &[Row], parts: usize, seed: u64) -> Vec<Split<'_>> {
    let folds = deal(rows.iter().map(|row| row.question), parts, seed);
    let splits = (0..parts).map(|fold| {
        let is_held_out = |row: &Row| folds[&row.question] == fold;
        let held_out = (0..rows.len()).filter(|at| is_held_out(&rows[*at]));
        Split {
            held_out: held_out.collect(),
            rest: rows.iter().filter(|row| !is_held_out(row)).collect(),
        }
    });
    splits.collect()
}

/// Deals the systems to groups: the pairs between two of them, or within one, are held out, and
/// heads are fitted to pairs of neither, on other questions. No pair is held out twice.
pub(super) fn system_splits(rows: &[Row], seed: u64) -> Vec<Split<'_>> {
    let groups = deal(rows.iter().flat_map(|row| row.systems), GROUPS, seed);
    let groups_of = |row: &Row| row.systems.map(|system| groups[&system]);
    let mut splits = Vec::new();
    for one in 0..GROUPS {
        for other in one..GROUPS {
            let pair = [one, other];
            let is_between = |row: &Row| {
                let found = groups_of(row);
                found == pair || found == [other, one]
            };
            let is_apart = |row: &Row| groups_of(row).iter().all(|group| !pair.contains(group));
            let held_out: Vec<usize> = (0..rows.len())
                .filter(|at| is_between(&rows[*at]))
                .collect();
            let rest: Vec<&Row> = rows.iter().filter(|row| is_apart(row)).collect();
            let asked: BTreeSet<u32> = held_out.iter().map(|at| rows[*at].question).collect();
            let shares = rest.iter().any(|row| asked.contains(&row.question));
            let parts = if shares { QUESTION_PARTS } else { 1 };
            let folds = deal(asked.iter().copied(), parts, seed.wrapping_add(2));
            for part in 0..parts {
                let is_asked = |question: u32| folds.get(&question) == Some(&part);
                let held_out = held_out.iter().copied();
                let rest = rest.iter().copied();
                splits.push(Split {
                    held_out: held_out.filter(|at| is_asked(rows[*at].question)).collect(),
                    rest: rest.filter(|row| !is_asked(row.question)).collect(),
                });
            }
        }
    }
    splits
}

/// Tries heads on pairs that were held out when they were fitted and when their depth and penalty
/// were chosen. Pairs for which too few others are left are not tried.
pub(super) fn try_heads(rows: &[Row], splits: &[Split], seed: u64) -> Result<Vec<Tried>, Error> {
    let mut tried = Vec::new();
    for split in splits.iter().filter(|split| can_be_tried(split)) {
        tried.extend(split.try_head(rows, &split.rest, seed.wrapping_add(1))?);
    }
    tried.sort_by_key(|one| one.row);
    Ok(tried)
}

fn can_be_tried(split: &&Split) -> bool {
    !split.held_out.is_empty() && split.rest.len() >= FEWEST_TO_FIT
}

/// The sizes of which a learning curve is made.
const SIZES: [usize; 5] = [10, 25, 50, 100, 200];
/// Into how many parts the questions are dealt for it.
pub(super) const CURVE_PARTS: usize = 5;

/// Tries heads of fewer labels: for each size how right a few of them, fitted to as many pairs of
/// the rest of each split, are on average on what it holds out. The sizes are those for which every
/// split leaves enough, so that all points are about the same pairs.
pub(super) fn learning_curve(
    rows: &[Row],
    splits: &[Split],
    seed: u64,
) -> Result<Vec<(usize, Vec<Tried>)>, Error> {
    let splits: Vec<&Split> = splits.iter().filter(can_be_tried).collect();
    let most = splits.iter().map(|split| split.rest.len()).min();
    let mut curve = Vec::new();
    for size in SIZES.into_iter().filter(|size| Some(*size) <= most) {
        let mut tried = Vec::new();
        for split in &splits {
            tried.extend(split.try_heads_of(rows, size, seed)?);
        }
        tried.sort_by_key(|one| one.row);
        curve.push((size, tried));
    }
    Ok(curve)
}

/// Draws so many rows, question after question.
fn draw_some<'a>(rows: &[&'a Row], size: usize, seed: u64) -> Vec<&'a Row> {
    let places = deal(rows.iter().map(|row| row.question), usize::MAX, seed);
    let mut drawn = rows.to_vec();
    drawn.sort_by_key(|row| places[&row.question]);
    drawn.truncate(size);
    drawn
}
