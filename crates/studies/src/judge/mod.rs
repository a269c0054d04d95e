//! How good a judge is on pairs with labels: RealRank's setting 2 (Gao et al. 2024, section 2.3).
//!
//! A pair has a label and up to two games, one for each order in which the judge saw it ([`Pair`]).
//! Recorded games come from files ([`recorded`]), live ones from a run ([`Live`]); [`evaluate`]
//! makes the same figures of either.

mod assemble;
mod counts;
mod decide;
mod evaluate;
mod forecast;
mod length;
mod live;
mod looks;
mod measure;
mod pair;
mod picks;
mod read;
mod recorded;
mod scopes;
mod systems;

#[cfg(test)]
mod tests;

pub use counts::Counts;
pub use decide::{Failures, Ties, decided};
pub use evaluate::{Difference, Evaluated, Evaluation, evaluate};
pub use live::{Live, job};
pub use looks::{Looks, Seen};
pub use measure::{Coverage, Measures, Settings, measure};
pub use pair::{Game, Judged, Pair};
pub use picks::parts_of_filter;
pub use recorded::{RecordedOptions, Subsets, recorded};
pub use systems::SystemLevel;
