//! A judge's verdict on a labelled pair, both orders together.

use crate::judge::{Game, JudgedPairs, LabelledPair};
use evenhand_core::Side;

/// A verdict whose truth is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The pair: the part of the input set, its name and which repeat it is.
    pub pair: (u32, String, u32),
    /// What it is drawn with: pairs on one instruction have the same number.
    pub cluster: u32,
    /// How far the mean share of both orders is from a half, doubled, in [0, 1]; 0 without a
    /// verdict and for a tie. Orders that contradict each other cancel.
    pub confidence: f64,
    /// Whether it prefers what the label prefers.
    pub right: bool,
}

/// Returns the cases of a judge: its pairs whose label is no tie.
pub fn cases_of(judged: &JudgedPairs) -> Vec<Case> {
    let pairs = judged.pairs.iter();
    pairs.filter_map(case_of).collect()
}

fn case_of(pair: &LabelledPair) -> Option<Case> {
    let label = match pair.label {
        Side::First => 1.0,
        Side::Second => -1.0,
        Side::Tie => return None,
    };
    let lean = lean_of(pair);
    Some(Case {
        pair: (pair.subset, pair.name.clone(), pair.repeat),
        cluster: pair.cluster,
        confidence: lean.abs().min(1.0),
        right: lean * label > 0.0,
    })
}

/// The mean over the games that came to a verdict of "a is better" less "b is better", in [-1, 1];
/// 0 where a game has none, so that what failed is decided by somebody else.
fn lean_of(pair: &LabelledPair) -> f64 {
    let games = pair.games.iter().flatten();
    let lean = |game: &Game| game.outcome.as_ref().ok().map(|[a, _, b]| a - b);
    let leans: Option<Vec<f64>> = games.map(lean).collect();
    let leans = leans.unwrap_or_default();
    if leans.is_empty() {
        return 0.0;
    }
    leans.iter().sum::<f64>() / leans.len() as f64
}
