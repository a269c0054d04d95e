//! The percentile bootstrap over clusters (Efron and Tibshirani 1993, chapters 6 and 13; Field and
//! Welsh 2007 for clusters).

mod alias;
mod cells;
mod draws;
mod groups;
mod interval;
mod population;
mod resampled;
mod rounds;

pub use draws::{draw_clusters, draw_numbers};
pub(crate) use draws::{keyed_generator, round_generator, shuffle};
pub use groups::{DrawnGroup, group_interval};
pub use interval::{Interval, RankInterval, expanded_level, percentile_interval, rank_interval};
pub(crate) use interval::{percentiles, quantile_interval, rank_percentiles};
pub(crate) use population::Population;
pub use resampled::interval_with_width;
pub(crate) use resampled::{ROUNDING, expanded_interval, repeat_drawn, resampled_interval};
pub use rounds::resample;
pub(crate) use rounds::{map_on_threads, or_none_if_too_few, run_rounds, start_pool};

use crate::Error;
use crate::checks::{check_level, ensure};

/// The most rounds that are run.
const MAX_ROUNDS: usize = 10_000_000;

/// The unit that is resampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cluster {
    /// Items, with all that was judged on them: what an item's judgments have in common is
    /// respected.
    Item,
    /// Rows: single judgments, or one response's average score. Too narrow where judgments share an
    /// item.
    None,
}

/// How the bootstrap is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap {
    /// Number of resamples, 2 to 10 million.
    pub rounds: usize,
    /// Coverage of the intervals, strictly between 0 and 1.
    pub level: f64,
    /// Where the random draws start from; see [`draw_clusters`].
    pub seed: u64,
    /// Threads to use; 0 for as many as the machine has. It changes the time taken and nothing
    /// else.
    pub threads: usize,
}

impl Default for Bootstrap {
    /// 1000 rounds, level 0.95, seed 0, one thread.
    fn default() -> Self {
        Bootstrap {
            rounds: 1000,
            level: 0.95,
            seed: 0,
            threads: 1,
        }
    }
}

impl Bootstrap {
    /// Returns the same rounds at the [`expanded_level`], for percentiles of rounds that draw so
    /// many clusters. A level out of range stays as it is.
    #[must_use]
    pub fn expanded(&self, clusters: usize) -> Bootstrap {
        let level = match check_level(self.level) {
            Ok(()) => expanded_level(self.level, clusters),
            Err(_) => self.level,
        };
        Bootstrap { level, ..*self }
    }

    fn check(&self) -> Result<(), Error> {
        check_level(self.level)?;
        check_round_count(self.rounds)
    }
}

/// A number of rounds that can be run.
pub(crate) fn check_round_count(rounds: usize) -> Result<(), Error> {
    ensure((2..=MAX_ROUNDS).contains(&rounds), || Error::Rounds {
        rounds,
        limit: MAX_ROUNDS,
    })
}
