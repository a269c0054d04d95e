//! Plain counts, as the tools of the field report them.

use super::Pair;
use super::decide::decided;
use evenhand_core::Side;
use serde::Serialize;

/// How many pairs came out how, by equality with the label and failures being wrong, whatever the
/// settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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

/// Counts over pairs; `verdict` gives the side of a pair's game in an order, None where it has
/// none.
pub(super) fn counts<'a>(
    pairs: impl Iterator<Item = &'a Pair>,
    verdict: impl Fn(&Pair, usize) -> Option<Side>,
) -> Counts {
    let mut counts = Counts::default();
    for pair in pairs {
        let [forward, swapped] = [verdict(pair, 0), verdict(pair, 1)];
        let right = |side: Option<Side>| side == Some(pair.label);
        counts.pairs += 1;
        counts.correct_forward += u64::from(right(forward));
        counts.correct_swapped += u64::from(right(swapped));
        counts.correct_both += u64::from(right(forward) && right(swapped));
        counts.equal += u64::from(forward == swapped);
        match together([forward, swapped]) {
            Side::Tie => counts.tied += 1,
            side if side == pair.label => counts.correct += 1,
            _ => counts.incorrect += 1,
        }
    }
    counts
}

fn together(sides: [Option<Side>; 2]) -> Side {
    let share = |of: Side| sides.iter().filter(|side| **side == Some(of)).count() as f64;
    decided([share(Side::First), 0.0, share(Side::Second)])
}
