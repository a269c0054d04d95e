//! How good a judge is on pairs with labels: RealRank's setting 2 (Gao et al. 2025, section 2.3).
//!
//! A pair has a label and up to two games, one for each order in which the judge saw it
//! ([`LabelledPair`]). Recorded games come from files ([`recorded`]), live ones from a run
//! ([`LiveGames`]); [`evaluate`] makes the same figures of either.

mod assemble;
mod baseline;
mod benchmark_ties;
mod decide;
mod evaluate;
mod forecast;
mod game;
pub(crate) mod kappa;
mod labels;
mod length;
mod live;
mod measure;
mod pair;
mod paired;
mod read;
mod recorded;
mod repeats;
mod scopes;
mod slices;
mod systems;

#[cfg(test)]
mod tests;

pub use baseline::MethodFigures;
pub(crate) use baseline::{Labels, MethodColumn, measure_method};
pub use decide::{Failures, Ties, Votes};
pub use evaluate::{Counts, Evaluated, Evaluation, ReadingDifference, evaluate};
pub use game::{Game, OrdersSeen, PairLooks};
pub(crate) use length::{LengthCredit, length_credits};
pub(crate) use live::shown_pair;
pub use live::{LiveGames, labelled_job};
pub use measure::{Measures, Settings, measure};
pub use pair::{JudgedPairs, LabelledPair, split_prompts};
pub use paired::{
    NotCompared, PairedDifference, PairedDifferences, PairedMeasure, WhyNotCompared,
    paired_differences,
};
pub(crate) use paired::{compare_each, correct_together, differences_from_first};
pub use recorded::{RecordedOptions, Subsets, labels_of_files, recorded, split_filter};
pub use repeats::Repeats;
pub(crate) use repeats::compare_repeats;
pub use slices::test_subsets;
pub use systems::SystemLevel;
