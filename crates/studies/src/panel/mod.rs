//! Fitting a calibrated panel to labelled pairs, and what it and its terms are worth there.
//!
//! A run under the unfitted panel gives each pair's differences ([`TermDifferences`]);
//! [`fit_panel`] weighs them. What is said of the panel's worth is cross-validated over items:
//! every pair is judged by weights, and a penalty, that were chosen without its item.

mod cross;

use crate::figure::indicator;
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
        if let (Some(first), Some(second)) = (name(0), name(1)) {
            let key = (trial.item, first, second);
            self.0.insert(key, differences_of(judgment, terms));
        }
    }

    /// Returns a pair as a row; None without a winner, or differences.
    fn row_of(&self, judged: &JudgedPairs, pair: &LabelledPair) -> Option<PairRow> {
        let first = is_first_better(pair.label)?;
        Some(PairRow {
            item: pair.cluster,
            x: self.of_pair(judged, pair)?,
            first,
            longer: longer_is_better(pair, first),
        })
    }

    /// Returns the differences of a pair, its a less its b.
    fn of_pair(&self, judged: &JudgedPairs, pair: &LabelledPair) -> Option<Vec<f64>> {
        let [a, b] = pair.systems?.map(|system| system_name(judged, system));
        let (a, b) = (a?, b?);
        let forward = (pair.cluster, a.clone(), b.clone());
        if let Some(differences) = self.0.get(&forward) {
            return Some(differences.clone());
        }
        // The run may have shown the pair in the other order alone.
        let swapped = self.0.get(&(pair.cluster, b, a))?;
        Some(swapped.iter().map(|x| -x).collect())
    }
}

fn system_name(judged: &JudgedPairs, system: u32) -> Option<Arc<str>> {
    let name = judged.systems.get(system as usize)?;
    Some(name.as_str().into())
}

fn differences_of(judgment: &Judgment, terms: usize) -> Vec<f64> {
    let mut differences = vec![0.0; terms];
    for look in judgment
        .looks
        .iter()
        .filter(|look| look.stage == Stage::Term)
    {
        let place = differences.get_mut(look.sample as usize);
        if let (Ok(Verdict::Pointwise { score, .. }), Some(place)) = (&look.outcome, place) {
            *place = *score;
        }
    }
    differences
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
    let decided = DecidedPairs::new(judged, differences);
    check_size(&decided.rows)?;
    let penalty = cross::best_penalty(&decided.rows, seed)?;
    let held_out = cross::held_out_probabilities(&decided.rows, seed)?;
    Ok(FittedPanel {
        weights: cross::fit_weights(&decided.rows, penalty)?,
        fit: worth_of(&decided.rows, &held_out, penalty)?,
        judged: decided.as_judges(&held_out, terms),
    })
}

fn check_size(rows: &[PairRow]) -> Result<(), Refusal> {
    let (pairs, items) = (rows.len(), cross::item_count(rows));
    if pairs >= FEWEST_PAIRS && items >= cross::FOLDS {
        return Ok(());
    }
    Err(too_few_pairs(pairs, items))
}

fn too_few_pairs(pairs: usize, items: usize) -> Refusal {
    let folds = cross::FOLDS;
    let reason = format!(
        "{pairs} labelled pairs with a winner, on {items} items, are too few; expected \
         {FEWEST_PAIRS} on {folds} at least"
    );
    Refusal::new(Setting::Fit, Cause::Data, reason)
}

/// The pairs with a winner whose differences are known.
struct DecidedPairs<'a> {
    judged: &'a JudgedPairs,
    pairs: Vec<&'a LabelledPair>,
    rows: Vec<PairRow>,
}

impl<'a> DecidedPairs<'a> {
    fn new(judged: &'a JudgedPairs, differences: &TermDifferences) -> DecidedPairs<'a> {
        let rows = judged
            .pairs
            .iter()
            .filter_map(|pair| Some((pair, differences.row_of(judged, pair)?)));
        let (pairs, rows) = rows.unzip();
        DecidedPairs {
            judged,
            pairs,
            rows,
        }
    }

    /// Returns the panel and each of its terms as judges of the pairs.
    fn as_judges(&self, held_out: &[f64], terms: &[String]) -> Vec<JudgedPairs> {
        let mut judges = vec![self.as_judge(held_out, "panel, cross-validated")];
        for (at, name) in terms.iter().enumerate() {
            judges.push(self.as_judge(&self.probabilities_of_term(at), name));
        }
        judges
    }

    /// Returns the pairs as judged by these probabilities that the first is better, in either
    /// order.
    fn as_judge(&self, p: &[f64], name: &str) -> JudgedPairs {
        let pairs = self.pairs.iter().zip(p);
        JudgedPairs {
            judge: name.into(),
            protocol: String::new(),
            pairs: pairs.map(|(pair, p)| judged_pair(pair, *p)).collect(),
            unjudged: 0,
            ..self.judged.clone()
        }
    }

    /// Returns the probabilities by one term, unweighted.
    fn probabilities_of_term(&self, at: usize) -> Vec<f64> {
        self.rows.iter().map(|row| sigmoid(row.x[at])).collect()
    }
}

fn judged_pair(pair: &LabelledPair, p: f64) -> LabelledPair {
    let game = Game::of_shares([p, 0.0, 1.0 - p]);
    LabelledPair {
        games: [Some(game.clone()), Some(game)],
        seen: OrdersSeen::Apart,
        ..pair.clone()
    }
}

/// Whether the first response is the better one; None for a tie.
fn is_first_better(label: Side) -> Option<bool> {
    match label {
        Side::First => Some(true),
        Side::Second => Some(false),
        Side::Tie => None,
    }
}

/// Whether the better response is the longer one.
fn longer_is_better(pair: &LabelledPair, first: bool) -> Option<bool> {
    let [a, b] = pair.lengths?;
    (a != b).then_some((a > b) == first)
}

fn worth_of(rows: &[PairRow], p: &[f64], penalty: f64) -> Result<PanelFit, EngineError> {
    let outcomes: Vec<bool> = rows.iter().map(|row| row.first).collect();
    let calibration = expected_calibration_error(p, &outcomes, BINS, Binning::EqualMass)?;
    let held_out = HeldOut { rows, p };
    Ok(PanelFit {
        pairs: rows.len() as u64,
        items: cross::item_count(rows) as u64,
        penalty,
        accuracy: held_out.accuracy_where(|_| true).unwrap_or(0.0),
        accuracy_length_balanced: held_out.length_balanced_accuracy(),
        log_loss: log_loss(p, &outcomes, LOG_LOSS_CLIP)?,
        calibration_error: calibration.error,
    })
}

/// Rows with the probabilities that their first response is better.
struct HeldOut<'a> {
    rows: &'a [PairRow],
    p: &'a [f64],
}

impl HeldOut<'_> {
    /// Returns the mean of the accuracies where the longer and where the shorter response is
    /// better, so that a preference for length gains nothing.
    fn length_balanced_accuracy(&self) -> Option<f64> {
        let longer = self.accuracy_by_length(true)?;
        let shorter = self.accuracy_by_length(false)?;
        Some(f64::midpoint(longer, shorter))
    }

    fn accuracy_by_length(&self, longer: bool) -> Option<f64> {
        self.accuracy_where(|row| row.longer == Some(longer))
    }

    /// Returns the accuracy on some rows; None where there are none.
    fn accuracy_where(&self, keep: impl Fn(&PairRow) -> bool) -> Option<f64> {
        let all = self.rows.iter().zip(self.p);
        let kept = all.filter(|(row, _)| keep(row));
        let credits: Vec<f64> = kept.map(|(row, p)| credit_of(row, *p)).collect();
        (!credits.is_empty()).then(|| mean_of(&credits))
    }
}

fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns 1 for a pair that is judged right, a half for one that is not decided.
fn credit_of(row: &PairRow, p: f64) -> f64 {
    match p - 0.5 {
        0.0 => 0.5,
        lead => indicator((lead > 0.0) == row.first),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
