//! What a protocol says of two responses.

use crate::figure::indicator;
use evenhand_core::{Side, Verdict, average, have_same_score, says_equal};

/// The shares of the slots: (first is better, tie, second is better).
pub(super) type Shares = [f64; 3];

/// What a protocol says of two responses over all looks at them: over both orders, or by a score of
/// each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opinion {
    /// The verdict that it states: flips, circles and right answers are counted by it.
    pub(super) side: Side,
    /// Whether it says that the two are equal: a tie is the most probable answer, or both have the
    /// same most probable score (Tripathi et al. 2025, table 3).
    pub(super) equal: bool,
    /// Whether each look by itself has the verdict that all have together.
    pub(super) unanimous: bool,
    /// How much probability the first has in [0, 1], a tie being half of it; of scores, by their
    /// verdict.
    pub(super) share: f64,
    /// How much probability a tie has; of scores, by their verdict.
    pub(super) tie: f64,
}

impl Opinion {
    /// Makes what looks at both orders come to, in terms of the first and the second response.
    pub(super) fn of_orders(orders: [Shares; 2]) -> Opinion {
        let mean = average(orders).unwrap_or(Side::Tie.certain());
        let side = Side::of(mean);
        Opinion {
            side,
            equal: says_equal(mean),
            unanimous: orders.map(Side::of) == [side; 2],
            share: mean[0] + mean[1] / 2.0,
            tie: mean[1],
        }
    }

    /// Makes what the scores of two responses come to; None of anything but scores.
    pub(super) fn of_scores(a: &Verdict, b: &Verdict) -> Option<Opinion> {
        let side = Side::of_scores([score_of(a)?, score_of(b)?]);
        let equal = have_same_score(a, b)?;
        Some(Opinion {
            side,
            equal,
            unanimous: true,
            share: side.share_of_first(),
            tie: indicator(equal),
        })
    }

    /// Returns how much the first is preferred by the verdict: a tie is half a preference.
    pub(super) fn preference(&self) -> f64 {
        self.side.share_of_first()
    }
}

/// Returns the shares as seen from the other order.
pub(super) fn turned([first, tie, second]: Shares) -> Shares {
    [second, tie, first]
}

/// Returns the score that a verdict on one response states; None of any other verdict.
pub(super) fn score_of(verdict: &Verdict) -> Option<f64> {
    match verdict {
        Verdict::Pointwise { score, .. } => Some(*score),
        _ => None,
    }
}
