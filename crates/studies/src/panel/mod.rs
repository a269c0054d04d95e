//! Fitting a calibrated panel to labelled pairs, and what it and its terms are worth there.
//!
//! A run under the unfitted panel gives each pair's differences ([`Gathered`]); [`fit`] weighs
//! them. What is said of the panel's worth is cross-validated over items: every pair is judged by
//! weights, and a penalty, that were chosen without its item.

mod cross;

use crate::judge::{Game, Judged, Pair, Seen};
use cross::Row;
use evenhand_core::{Judgment, Side, Stage, Verdict};
use evenhand_engine::{EngineError, PanelFit};
use evenhand_stats::{Binning, LOG_LOSS_CLIP, expected_calibration_error, log_loss, sigmoid};
use std::collections::HashMap;
use std::sync::Arc;

/// Fewer pairs than these are not fitted.
const FEWEST_PAIRS: usize = 20;
/// Bins of the calibration error.
const BINS: usize = 10;

/// An item and the systems of the first and of the second response.
type Compared = (u32, Arc<str>, Arc<str>);

/// The differences that a run under a panel found.
#[derive(Debug, Default)]
pub struct Gathered(HashMap<Compared, Vec<f64>>);

impl Gathered {
    /// Takes a judgment of a panel with so many terms; a term that failed says nothing, and is 0.
    /// `systems` are the data set's.
    pub fn add(&mut self, judgment: &Judgment, systems: &[Arc<str>], terms: usize) {
        let name = |at: usize| {
            judgment
                .trial
                .systems
                .get(at)
                .and_then(|system| systems.get(*system as usize))
                .cloned()
        };
        let (Some(first), Some(second)) = (name(0), name(1)) else {
            return;
        };
        let mut differences = vec![0.0; terms];
        for look in judgment
            .looks
            .iter()
            .filter(|look| look.stage == Stage::Term)
        {
            if let (Ok(Verdict::Pointwise { score, .. }), Some(place)) =
                (&look.outcome, differences.get_mut(look.sample as usize))
            {
                *place = *score;
            }
        }
        self.0
            .insert((judgment.trial.item, first, second), differences);
    }

    /// The differences of a pair, its a less its b.
    fn of(&self, judged: &Judged, pair: &Pair) -> Option<Vec<f64>> {
        let name = |system: u32| -> Option<Arc<str>> {
            judged
                .systems
                .get(system as usize)
                .map(|name| name.as_str().into())
        };
        let [a, b] = pair.systems?.map(name);
        let (a, b) = (a?, b?);
        let forward = self.0.get(&(pair.cluster, a.clone(), b.clone()));
        let swapped = || {
            self.0
                .get(&(pair.cluster, b, a))
                .map(|row| row.iter().map(|x| -x).collect())
        };
        forward.cloned().or_else(swapped)
    }
}

/// A fitted panel.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedPanel {
    /// Log-odds for each unit of difference, in the order of the terms.
    pub weights: Vec<f64>,
    /// What it rests on.
    pub fit: PanelFit,
    /// The panel by cross-validation, and then each term alone, as judges of the same pairs.
    pub judged: Vec<Judged>,
}

/// Fits a panel whose terms have these names to the labelled pairs of a run; pairs whose label is a
/// tie are left out.
///
/// # Errors
/// Fewer than 20 pairs with a winner, or fewer items than folds.
pub fn fit(
    judged: &Judged,
    gathered: &Gathered,
    terms: &[String],
    seed: u64,
) -> Result<FittedPanel, EngineError> {
    let (pairs, rows) = rows(judged, gathered);
    if rows.len() < FEWEST_PAIRS || cross::items(&rows) < cross::FOLDS {
        return Err(EngineError::Setting(format!(
            "--fit: {} labelled pairs with a winner, on {} items, are too few; expected \
             {FEWEST_PAIRS} on {} at least",
            rows.len(),
            cross::items(&rows),
            cross::FOLDS
        )));
    }
    let penalty = cross::best_penalty(&rows, seed)?;
    let held_out = cross::held_out(&rows, seed)?;
    let games = |p: Vec<f64>, name: &str| with_games(judged, &pairs, &p, name);
    let mut all = vec![games(held_out.clone(), "panel, cross-validated")];
    for (at, name) in terms.iter().enumerate() {
        all.push(games(
            rows.iter().map(|row| sigmoid(row.x[at])).collect(),
            name,
        ));
    }
    Ok(FittedPanel {
        weights: cross::weights(&rows, penalty)?,
        fit: worth(&rows, &held_out, penalty)?,
        judged: all,
    })
}

fn rows<'a>(judged: &'a Judged, gathered: &Gathered) -> (Vec<&'a Pair>, Vec<Row>) {
    let row = |pair: &'a Pair| {
        let first = match pair.label {
            Side::First => true,
            Side::Second => false,
            Side::Tie => return None,
        };
        Some((
            pair,
            Row {
                item: pair.cluster,
                x: gathered.of(judged, pair)?,
                first,
                longer: longer(pair, first),
            },
        ))
    };
    judged.pairs.iter().filter_map(row).unzip()
}

/// Whether the better response is the longer one.
fn longer(pair: &Pair, first: bool) -> Option<bool> {
    let [a, b] = pair.lengths?;
    (a != b).then_some((a > b) == first)
}

/// The pairs as judged by these probabilities that the first is better, the same in both orders.
fn with_games(judged: &Judged, pairs: &[&Pair], p: &[f64], name: &str) -> Judged {
    let game = |p: f64| {
        Some(Game {
            outcome: Ok([p, 0.0, 1.0 - p]),
            recorded: None,
            why: None,
        })
    };
    let pairs = pairs
        .iter()
        .zip(p)
        .map(|(pair, p)| Pair {
            games: [game(*p), game(*p)],
            seen: Seen::Apart,
            ..(*pair).clone()
        })
        .collect();
    Judged {
        judge: name.into(),
        protocol: String::new(),
        pairs,
        unjudged: 0,
        ..judged.clone()
    }
}

fn worth(rows: &[Row], p: &[f64], penalty: f64) -> Result<PanelFit, EngineError> {
    let outcomes: Vec<bool> = rows.iter().map(|row| row.first).collect();
    let right = |keep: &dyn Fn(&Row) -> bool| {
        let kept: Vec<f64> = rows
            .iter()
            .zip(p)
            .filter(|(row, _)| keep(row))
            .map(|(row, p)| credit(row, *p))
            .collect();
        (!kept.is_empty()).then(|| kept.iter().sum::<f64>() / kept.len() as f64)
    };
    let [longer, shorter] = [true, false].map(|longer| right(&|row| row.longer == Some(longer)));
    Ok(PanelFit {
        pairs: rows.len() as u64,
        items: cross::items(rows) as u64,
        penalty,
        accuracy: right(&|_| true).unwrap_or(0.0),
        accuracy_length_balanced: longer
            .zip(shorter)
            .map(|(longer, shorter)| f64::midpoint(longer, shorter)),
        log_loss: log_loss(p, &outcomes, LOG_LOSS_CLIP)?,
        calibration_error: expected_calibration_error(p, &outcomes, BINS, Binning::EqualMass)?
            .error,
    })
}

/// 1 for a pair that is judged right, a half for one that is not decided.
fn credit(row: &Row, p: f64) -> f64 {
    match p - 0.5 {
        0.0 => 0.5,
        lead => f64::from(u8::from((lead > 0.0) == row.first)),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
