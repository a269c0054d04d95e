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

/// Tries on some rows what was fitted to, and chosen by, others.
fn try_on(rows: &[Row], rest: &[&Row], held_out: &[usize], seed: u64) -> Result<Vec<Tried>, Error> {
    let fitted = fit_head_to(rest, seed)?;
    let ready = best_ready(rest);
    let tried = held_out.iter().map(|at| {
        let row = &rows[*at];
        Tried {
            row: *at,
            head: half_or_right(fitted.lead(row), row.first),
            ready: half_or_right(ready_leads(&row.plain)[ready], row.first),
        }
    });
    Ok(tried.collect())
}

/// Tries heads on questions that they have not seen: each part of the questions by a head that was
/// fitted, and whose depth and penalty were chosen, without it.
pub(super) fn across_questions(rows: &[Row], seed: u64) -> Result<Vec<Tried>, Error> {
    let folds = deal(rows.iter().map(|row| row.question), OUTER, seed);
    let mut tried = Vec::new();
    for fold in 0..OUTER {
        let is_held_out = |row: &Row| folds[&row.question] == fold;
        let held_out: Vec<usize> = (0..rows.len())
            .filter(|at| is_held_out(&rows[*at]))
            .collect();
        let rest: Vec<&Row> = rows.iter().filter(|row| !is_held_out(row)).collect();
        if rest.len() >= FEWEST_TO_FIT {
            tried.extend(try_on(rows, &rest, &held_out, seed.wrapping_add(1))?);
        }
    }
    Ok(tried)
}

/// Tries heads on systems and questions that they have not seen: the systems are dealt to groups,
/// and the pairs between two of them, or within one, are judged by a head that was fitted to pairs
/// of neither, on other questions. Pairs for which too few others are left are not tried.
pub(super) fn across_systems(rows: &[Row], seed: u64) -> Result<Vec<Tried>, Error> {
    let groups = deal(rows.iter().flat_map(|row| row.systems), GROUPS, seed);
    let groups_of = |row: &Row| row.systems.map(|system| groups[&system]);
    let mut tried = Vec::new();
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
                let held_out: Vec<usize> =
                    held_out.filter(|at| is_asked(rows[*at].question)).collect();
                let rest: Vec<&Row> = rest
                    .iter()
                    .copied()
                    .filter(|row| !is_asked(row.question))
                    .collect();
                if !held_out.is_empty() && rest.len() >= FEWEST_TO_FIT {
                    tried.extend(try_on(rows, &rest, &held_out, seed.wrapping_add(1))?);
                }
            }
        }
    }
    tried.sort_by_key(|one| one.row);
    Ok(tried)
}

/// The sizes of which a learning curve is made.
const SIZES: [usize; 5] = [10, 25, 50, 100, 200];
/// Into how many parts the questions are dealt for it.
const CURVE_PARTS: usize = 5;

/// Returns how right heads of so many labels are on each row, which is of a question that they have
/// not seen: for each size the mean over a few heads. The sizes are those for which every part of
/// the questions leaves enough.
pub(super) fn learning_curve(rows: &[Row], seed: u64) -> Result<Vec<(usize, Vec<f64>)>, Error> {
    let folds = deal(rows.iter().map(|row| row.question), CURVE_PARTS, seed);
    let in_fold = |row: &Row, fold: usize| folds[&row.question] == fold;
    let left = |fold: usize| rows.iter().filter(|row| !in_fold(row, fold)).count();
    let most = (0..CURVE_PARTS).map(left).min().unwrap_or(0);
    let mut curve = Vec::new();
    for size in SIZES.into_iter().filter(|size| *size <= most) {
        // Large heads differ little, and take long.
        let draws: u64 = if size <= 50 { 4 } else { 1 };
        let mut right = vec![0.0; rows.len()];
        for fold in 0..CURVE_PARTS {
            let rest: Vec<&Row> = rows.iter().filter(|row| !in_fold(row, fold)).collect();
            for draw in 0..draws {
                let seed = seed.wrapping_add(1000 + draw);
                let some = draw_some(&rest, size, seed);
                let fitted = fit_head_to(&some, seed)?;
                let others = rows.iter().zip(&mut right);
                for (row, right) in others.filter(|(row, _)| in_fold(row, fold)) {
                    *right += half_or_right(fitted.lead(row), row.first) / draws as f64;
                }
            }
        }
        curve.push((size, right));
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
