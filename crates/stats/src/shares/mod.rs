//! Shares and rates with their intervals.

mod mean_share;
mod preference;
mod proportion;

pub use mean_share::mean_share;
pub use preference::{PreferenceRate, preference_rate};
pub use proportion::{ClusteredRatio, Proportion, clustered_ratio, wilson};
