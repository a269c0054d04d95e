//! Plain counts, as the tools of the field report them.

use super::LabelledPair;
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

/// Gives the side of a pair's game in an order.
pub(super) type OrderVerdict = fn(&LabelledPair, usize) -> Option<Side>;

/// Counts pairs; `verdict` gives the side of a pair's game in an order, None where it has none.
pub(super) fn count_pairs(pairs: &[&LabelledPair], verdict: OrderVerdict) -> Counts {
    let mut counts = Counts::default();
    for pair in pairs {
        counts.add(pair.label, [0, 1].map(|order| verdict(pair, order)));
    }
    counts
}

impl Counts {
    fn add(&mut self, label: Side, sides: [Option<Side>; 2]) {
        self.pairs += 1;
        self.add_orders(sides.map(|side| side == Some(label)));
        self.equal += u64::from(sides[0] == sides[1]);
        self.add_decision(label, both_together(sides));
    }

    fn add_orders(&mut self, [forward, swapped]: [bool; 2]) {
        self.correct_forward += u64::from(forward);
        self.correct_swapped += u64::from(swapped);
        self.correct_both += u64::from(forward && swapped);
    }

    fn add_decision(&mut self, label: Side, decision: Side) {
        match decision {
            Side::Tie => self.tied += 1,
            side if side == label => self.correct += 1,
            _ => self.incorrect += 1,
        }
    }
}

/// Returns the side that most verdicts are for, failures and ties aside.
fn both_together(sides: [Option<Side>; 2]) -> Side {
    let votes = |wanted| votes_for(sides, wanted);
    Side::of([votes(Side::First), 0.0, votes(Side::Second)])
}

fn votes_for(sides: [Option<Side>; 2], wanted: Side) -> f64 {
    let votes = sides.iter().filter(|side| **side == Some(wanted));
    votes.count() as f64
}
