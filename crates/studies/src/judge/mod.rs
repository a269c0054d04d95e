//! How good a judge is on pairs with labels: RealRank's setting 2 (Gao et al. 2024, section 2.3).
//!
//! A pair has a label and up to two games, one for each order in which the judge saw it
//! ([`LabelledPair`]). Recorded games come from files ([`recorded`]), live ones from a run
//! ([`LiveGames`]); [`evaluate`] makes the same figures of either.

mod assemble;
mod benchmark_ties;
mod counts;
mod decide;
mod evaluate;
mod forecast;
pub(crate) mod kappa;
mod labels;
mod length;
mod live;
mod looks;
mod measure;
mod pair;
mod paired;
mod picks;
mod read;
mod recorded;
mod repeats;
mod scopes;
mod slices;
mod systems;

#[cfg(test)]
mod tests;

pub use counts::Counts;
pub use decide::{Failures, Ties};
pub use evaluate::{Evaluated, Evaluation, ReadingDifference, evaluate};
pub use live::{LiveGames, labelled_job};
pub use looks::{OrdersSeen, PairLooks};
pub use measure::{Measures, Settings, measure};
pub use pair::{Game, JudgedPairs, LabelledPair};
pub(crate) use paired::differences_from_first;
pub use paired::{PairedDifference, PairedMeasure, paired_differences};
pub use picks::split_filter;
pub use recorded::{RecordedOptions, Subsets, recorded};
pub use repeats::Repeats;
pub(crate) use repeats::compare_repeats;
pub use slices::test_subsets;
pub use systems::SystemLevel;
