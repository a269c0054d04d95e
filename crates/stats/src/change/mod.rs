//! What changed between two measurements of the same items, such as last week's prompt and this
//! week's.
//!
//! - [`paired_counts`]: items that moved up or down by one step (sign test, McNemar's test).
//! - [`paired_change`]: any differences, by a studentised bootstrap over items.
//! - [`controlled_change`]: the same, less what items show that cannot have changed.
//!
//! Whether parts of the items changed by different amounts is the test of [`crate::interaction`].

mod bootstrap;
mod controlled;
mod counts;

pub use bootstrap::paired_change;
pub use controlled::{ControlledItem, controlled_change};
pub(crate) use counts::moves_p_value;
pub use counts::{PairedCounts, paired_counts};

/// A mean difference with its interval and its test, which agree: the interval leaves out 0 where
/// the p-value is below 1 - level, but for the rounding of the rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeanChange {
    /// The mean difference, in the unit of the differences.
    pub difference: f64,
    /// Its standard error; positive.
    pub standard_error: f64,
    /// The ends of its interval.
    pub interval: [f64; 2],
    /// Two-sided p-value of no difference, in (0, 1].
    pub p_value: f64,
}
