//! Fitting a calibrated panel to labelled pairs, and what it and its terms are worth there.
//!
//! A run under the unfitted panel gives each pair's differences ([`TermDifferences`]);
//! [`fit_panel`] weighs them. What is said of the panel's worth is cross-validated over items:
//! every pair is judged by weights, and a penalty, that were chosen without its item.

mod cross;

use crate::figure::{indicator, mean};
use crate::judge::{Game, JudgedPairs, LabelledPair, OrdersSeen};
use cross::PairRow;
use evenhand_core::{Cause, Judgment, Refusal, Setting, Side, Stage, Verdict};
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
pub struct TermDifferences(HashMap<Compared, Vec<f64>>);

impl TermDifferences {
    /// Takes a judgment of a panel with so many terms; a term that failed says nothing, and is 0.
    /// `systems` are the data set's.
    pub fn add(&mut self, judgment: &Judgment, systems: &[Arc<str>], terms: usize) {
        let trial = &judgment.trial;
        let name = |at: usize| systems.get(*trial.systems.get(at)? as usize).cloned();
        let (Some(first), Some(second)) = (name(0), name(1)) else {
            return;
        };
        let mut differences = vec![0.0; terms];
        for look in &judgment.looks {
            let place = differences.get_mut(look.sample as usize);
            if let (Stage::Term, Ok(Verdict::Pointwise { score, .. }), Some(place)) =
                (&look.stage, &look.outcome, place)
            {
                *place = *score;
            }
        }
        self.0.insert((trial.item, first, second), differences);
    }

    /// Returns the differences of a pair, its a less its b.
    fn of_pair(&self, judged: &JudgedPairs, pair: &LabelledPair) -> Option<Vec<f64>> {
        let name = |at: u32| Some(judged.systems.get(at as usize)?.as_str().into());
        let [a, b] = pair.systems?.map(name);
        let (a, b): (Arc<str>, Arc<str>) = (a?, b?);
        let item = pair.item?;
        let forward = (item, a.clone(), b.clone());
        if let Some(differences) = self.0.get(&forward) {
            return Some(differences.clone());
        }
        // The run may have shown the pair in the other order alone.
        let swapped = self.0.get(&(item, b, a))?;
        Some(swapped.iter().map(|x| -x).collect())
    }
}

/// A fitted panel.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct FittedPanel {
    /// Log-odds for each unit of difference, in the order of the terms.
    pub weights: Vec<f64>,
    /// What it rests on.
    pub fit: PanelFit,
    /// The panel by cross-validation, and then each term alone, as judges of the same pairs.
    pub judged: Vec<JudgedPairs>,
}

/// Fits a panel whose terms have these names to the labelled pairs of a run; pairs whose label is a
/// tie are left out.
///
/// # Errors
/// Fewer than 20 pairs with a winner, or fewer items than folds.
pub fn fit_panel(
    judged: &JudgedPairs,
    differences: &TermDifferences,
    terms: &[String],
    seed: u64,
) -> Result<FittedPanel, EngineError> {
    // The pairs with a winner whose differences are known.
    let (mut pairs, mut rows) = (Vec::new(), Vec::new());
    for pair in &judged.pairs {
        if pair.label == Side::Tie {
            continue;
        }
        if let Some(x) = differences.of_pair(judged, pair) {
            let first = pair.label == Side::First;
            let longer = pair.lengths.filter(|[a, b]| a != b);
            rows.push(PairRow {
                item: pair.cluster,
                x,
                first,
                longer: longer.map(|[a, b]| (a > b) == first),
            });
            pairs.push(pair);
        }
    }
    let items = cross::item_count(&rows);
    if rows.len() < FEWEST_PAIRS || items < cross::FOLDS {
        let reason = format!(
            "{} labelled pairs with a winner, on {items} items, are too few; expected \
             {FEWEST_PAIRS} on {} at least",
            rows.len(),
            cross::FOLDS
        );
        return Err(Refusal::new(Setting::Fit, Cause::Data, reason).into());
    }
    let all: Vec<&PairRow> = rows.iter().collect();
    let penalty = cross::choose_penalty(&all, seed)?;
    let held_out = cross::held_out_probabilities(&all, seed)?;
    // The pairs as judged by probabilities that the first is better, in either order.
    let judge = |name: &str, p: &[f64]| JudgedPairs {
        judge: name.into(),
        protocol: String::new(),
        pairs: pairs
            .iter()
            .zip(p)
            .map(|(pair, p)| judged_pair(pair, *p))
            .collect(),
        unjudged: 0,
        ..judged.clone()
    };
    let mut judges = vec![judge("panel, cross-validated", &held_out)];
    for (at, name) in terms.iter().enumerate() {
        let unweighted: Vec<f64> = rows.iter().map(|row| sigmoid(row.x[at])).collect();
        judges.push(judge(name, &unweighted));
    }
    Ok(FittedPanel {
        weights: cross::fit(&all, penalty)?,
        fit: worth_of(&rows, &held_out, penalty)?,
        judged: judges,
    })
}

fn judged_pair(pair: &LabelledPair, p: f64) -> LabelledPair {
    let game = Game::of_shares([p, 0.0, 1.0 - p]);
    LabelledPair {
        games: [Some(game.clone()), Some(game)],
        seen: OrdersSeen::Apart,
        ..pair.clone()
    }
}

/// Returns what a panel is worth that gives each row this probability that its first response is
/// better.
fn worth_of(rows: &[PairRow], p: &[f64], penalty: f64) -> Result<PanelFit, EngineError> {
    let outcomes: Vec<bool> = rows.iter().map(|row| row.first).collect();
    let calibration = expected_calibration_error(p, &outcomes, BINS, Binning::EqualMass)?;
    // 1 for a pair that is judged right, a half for one that is not decided.
    let credit = |(row, p): (&PairRow, &f64)| match p - 0.5 {
        0.0 => 0.5,
        lead => indicator((lead > 0.0) == row.first),
    };
    let accuracy = |keep: &dyn Fn(&PairRow) -> bool| {
        let kept = rows.iter().zip(p).filter(|(row, _)| keep(row));
        mean(&kept.map(credit).collect::<Vec<f64>>())
    };
    let [longer, shorter] = [true, false].map(|wanted| accuracy(&|row| row.longer == Some(wanted)));
    Ok(PanelFit {
        pairs: rows.len() as u64,
        items: cross::item_count(rows) as u64,
        penalty,
        accuracy: accuracy(&|_| true).unwrap_or(0.0),
        // The mean of where the longer and where the shorter response is better, so that a
        // preference for length gains nothing.
        accuracy_length_balanced: longer
            .zip(shorter)
            .map(|(longer, shorter)| f64::midpoint(longer, shorter)),
        log_loss: log_loss(p, &outcomes, LOG_LOSS_CLIP)?,
        calibration_error: calibration.error,
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
