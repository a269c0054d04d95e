//! Plain counts, as the tools of the field report them.

use super::LabelledPair;
use evenhand_core::Side;
use schemars::JsonSchema;
use serde::Serialize;

/// How many pairs came out how, by equality with the label and failures being wrong, whatever the
/// settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Pairs.
    pub pairs: u64,
    /// Right where a was shown first (LLMBar's `unswapped`).
    pub correct_forward: u64,
    /// Right where b was shown first.
    pub correct_swapped: u64,
    /// Right in both orders.
    pub correct_both: u64,
    /// The same verdict in both orders (LLMBar's `equal`, with two failures counted as the same).
    pub equal: u64,
    /// Right, wrong and undecided when both orders are put together (JudgeBench's rule: the sum of
    /// the two verdicts).
    pub correct: u64,
    /// See `correct`.
    pub incorrect: u64,
    /// See `correct`.
    pub tied: u64,
}

/// Gives the side of a pair's game in an order.
pub(super) type OrderVerdict = fn(&LabelledPair, usize) -> Option<Side>;

/// Counts pairs; `verdict` gives the side of a pair's game in an order, None where it has none.
pub(super) fn count_pairs(pairs: &[&LabelledPair], verdict: OrderVerdict) -> Counts {
    let mut counts = Counts::default();
    for pair in pairs {
        let sides = [0, 1].map(|order| verdict(pair, order));
        let [forward, swapped] = sides.map(|side| side == Some(pair.label));
        counts.pairs += 1;
        counts.correct_forward += u64::from(forward);
        counts.correct_swapped += u64::from(swapped);
        counts.correct_both += u64::from(forward && swapped);
        counts.equal += u64::from(sides[0] == sides[1]);
        // The side that most verdicts are for, failures and ties aside.
        let votes = |wanted| sides.iter().filter(|side| **side == Some(wanted)).count() as f64;
        match Side::of([votes(Side::First), 0.0, votes(Side::Second)]) {
            Side::Tie => counts.tied += 1,
            side if side == pair.label => counts.correct += 1,
            _ => counts.incorrect += 1,
        }
    }
    counts
}
