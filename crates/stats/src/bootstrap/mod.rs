//! The percentile bootstrap over clusters (Efron and Tibshirani 1993, chapters 6 and 13; Field and
//! Welsh 2007 for clusters).

mod alias;
mod cells;
mod draws;
mod interval;
mod population;
mod rounds;

pub(crate) use draws::{below, generator};
pub use draws::{draw_clusters, draw_numbers};
pub use interval::{Interval, RankInterval, percentile_interval, rank_interval};
pub(crate) use interval::{percentiles, quantile_interval, rank_percentiles};
pub(crate) use population::Population;
pub use rounds::resample;
pub(crate) use rounds::rounds;

use crate::Error;

/// The most rounds that are run.
pub(crate) const MAX_ROUNDS: usize = 10_000_000;

/// What is resampled.
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
    fn check(&self) -> Result<(), Error> {
        check_level(self.level)?;
        match self.rounds {
            2..=MAX_ROUNDS => Ok(()),
            rounds => Err(Error::Rounds {
                rounds,
                limit: MAX_ROUNDS,
            }),
        }
    }
}

pub(crate) fn check_level(level: f64) -> Result<(), Error> {
    check_share("level", level)
}

pub(crate) fn check_share(name: &'static str, value: f64) -> Result<(), Error> {
    if value > 0.0 && value < 1.0 {
        Ok(())
    } else {
        Err(Error::Share { name, value })
    }
}
