//! Judgments as counts: what every estimator reads.

mod cluster_sizes;
mod comparisons;
mod item_scores;
mod sheet;
mod strength;
mod tally;

pub(crate) use cluster_sizes::ClusterSizes;
pub use comparisons::{Comparison, Comparisons};
pub(crate) use item_scores::Cell;
pub use item_scores::{ItemScore, ItemScores};
pub(crate) use sheet::{Pairs, Sheet};
pub use strength::{Strength, StrengthWeights};
pub use tally::Tally;

/// The largest weight, and the largest absolute score, that is accepted: sums of them stay finite.
pub const LIMIT: f64 = 1e100;

/// The most systems that can be ranked together: a [`Tally`] holds two dense tables of their pairs.
pub const MAX_SYSTEMS: usize = 4096;
