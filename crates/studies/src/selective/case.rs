//! A judge's verdict on a labelled pair, both orders together.

use crate::figure::mean;
use crate::judge::{Game, JudgedPairs, LabelledPair};
use evenhand_core::Side;

/// A verdict whose truth is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The pair: the part of the input set, its name and which repeat it is.
    pub pair: (u32, String, u32),
    /// What it is drawn with: pairs on one instruction have the same number.
    pub cluster: u32,
    /// How far the mean share of both orders is from a half, doubled, in [0, 1]; of two scores that
    /// differ by d on average over both orders, d / (1 + d). 0 without a verdict and for a tie.
    /// Orders that contradict each other cancel.
    pub confidence: f64,
    /// Whether it prefers what the label prefers.
    pub right: bool,
}

/// Returns the cases of a judge: its pairs whose label is no tie.
pub fn cases_of(judged: &JudgedPairs) -> Vec<Case> {
    judged.pairs.iter().filter_map(case_of).collect()
}

fn case_of(pair: &LabelledPair) -> Option<Case> {
    let label = match pair.label {
        Side::First => 1.0,
        Side::Second => -1.0,
        Side::Tie => return None,
    };
    let (lean, confidence) = match margin_of(pair) {
        Some(margin) => (margin, margin.abs() / (1.0 + margin.abs())),
        None => {
            let lean = lean_of(pair);
            (lean, lean.abs().min(1.0))
        }
    };
    Some(Case {
        pair: (pair.subset, pair.name.clone(), pair.repeat),
        cluster: pair.cluster,
        confidence,
        right: lean * label > 0.0,
    })
}

/// The mean difference of the scores of a and b over both orders; None where a game has no scores.
pub(crate) fn margin_of(pair: &LabelledPair) -> Option<f64> {
    let games = pair.games.iter().flatten();
    let margins: Vec<f64> = games.map(|game| game.margin).collect::<Option<_>>()?;
    mean(&margins).filter(|margin| margin.is_finite())
}

/// The mean over the games that came to a verdict of "a is better" less "b is better", in [-1, 1];
/// 0 where a game has none, so that what failed is decided by somebody else.
pub(crate) fn lean_of(pair: &LabelledPair) -> f64 {
    let games = pair.games.iter().flatten();
    let lean = |game: &Game| game.outcome.as_ref().ok().map(|[a, _, b]| a - b);
    let leans: Option<Vec<f64>> = games.map(lean).collect();
    mean(&leans.unwrap_or_default()).unwrap_or(0.0)
}
