//! What changed between two measurements of the same items, such as last week's prompt and this
//! week's.
//!
//! - [`paired_change`]: the mean of any paired differences, by the sign-flip test; by
//!   [`paired_counts`] where all that moved moved by one size (sign test, McNemar's test).
//! - [`clustered_change`]: the same over items of which some are not independent.
//! - [`controlled_change`]: the same, less what items show that cannot have changed.
//! - [`look_p_values`] and [`betting_wealth`]: a change of many measurements, looked for at each.
//!
//! Every interval is the inversion of the test beside it: it leaves out 0 exactly where the p-value
//! is below 1 - level. No p-value has a floor but the one that the number of items sets.
//!
//! Whether parts of the items changed by different amounts is the test of [`crate::interaction`].

mod controlled;
mod counts;
mod flips;
mod looks;
mod mean;

pub use controlled::{ControlledItem, controlled_change};
pub(crate) use counts::moves_p_value;
pub use counts::{PairedCounts, paired_counts};
pub use flips::least_p_value;
pub use looks::{ClusterHistory, LookPValues, betting_wealth, least_look_p_value, look_p_values};
pub use mean::{cluster_values, clustered_change, paired_change};

/// How far an item can move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moves {
    /// How far an item would move that did not: what the interval rests on where nothing moved, or
    /// next to nothing. Positive.
    pub step: f64,
    /// The furthest that an item can move; infinite where that is not known.
    pub limit: f64,
}

impl Moves {
    /// Returns how far scores can move on a scale whose ends nobody knows: an item that did not
    /// might have moved as far as all these scores lie apart, and by a point at least.
    pub fn of_scores(scores: impl IntoIterator<Item = f64>) -> Moves {
        let ends = |[low, high]: [f64; 2], score: f64| [low.min(score), high.max(score)];
        let none = [f64::INFINITY, f64::NEG_INFINITY];
        let [low, high] = scores.into_iter().fold(none, ends);
        Moves {
            step: (high - low).max(1.0),
            limit: f64::INFINITY,
        }
    }

    /// Whether so many items can rule out any mean: where nobody knows how far an item can move, as
    /// many as a test needs to find anything.
    fn can_be_limited(self, items: usize, level: f64) -> bool {
        self.limit.is_finite() || least_p_value(items) < 1.0 - level
    }
}

/// Which test an interval is the inversion of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeTest {
    /// The exact sign test of the items that moved, all by one size.
    Sign,
    /// The sign-flip test.
    SignFlip,
}

/// A mean difference with its test, and the interval of the differences that this does not reject.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeanChange {
    /// Which test was made.
    pub test: ChangeTest,
    /// The mean difference, in the unit of the differences.
    pub difference: f64,
    /// The standard deviation of what an item says of it; 0 where they say the same.
    pub deviation: f64,
    /// The ends of its interval; None where no difference at all can be ruled out, as with fewer
    /// than 6 items at a level of 0.95 where it is not known how far an item can move.
    pub interval: Option<[f64; 2]>,
    /// Two-sided p-value of no difference, in (0, 1].
    pub p_value: f64,
    /// Items that moved: the p-value is at least [`least_p_value`] of them.
    pub moved: usize,
}

/// Makes rounding keep what the test says: an interval has 0 in it exactly where p is not below
/// 1 - level.
fn agree([low, high]: [f64; 2], p_value: f64, level: f64) -> [f64; 2] {
    if p_value >= 1.0 - level {
        [low.min(0.0), high.max(0.0)]
    } else {
        [low, high]
    }
}
