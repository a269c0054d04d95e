//! Resampling: how often, how wide the intervals are, from which seed and on how many threads.

use super::help::{RUN, STATISTICS};
use crate::Failed;
use clap::Args;
use evenhand_ranking::{check_level, check_rounds};
use evenhand_stats::Bootstrap;

/// The most threads that are started: more of them do harm.
pub(crate) const MAX_THREADS: usize = 256;

/// How intervals are made.
#[derive(Clone, Debug, Args)]
pub(crate) struct ResamplingArgs {
    /// Bootstrap resamples
    #[arg(long, default_value_t = 1000, help_heading = STATISTICS)]
    pub(crate) rounds: usize,
    /// Coverage of the intervals
    #[arg(long, default_value_t = 0.95, help_heading = STATISTICS)]
    pub(crate) level: f64,
}

impl ResamplingArgs {
    /// Returns the plan of the bootstrap.
    ///
    /// # Errors
    /// A level outside (0, 1), or a number of resamples that is too small or too large.
    pub(crate) fn plan(&self, seed: u64, threads: usize) -> Result<Bootstrap, Failed> {
        check_level(self.level)?;
        check_rounds(self.rounds)?;
        Ok(Bootstrap {
            rounds: self.rounds,
            level: self.level,
            seed,
            threads,
        })
    }
}

/// Where draws begin, for commands that draw nothing but resamples.
#[derive(Clone, Debug, Args)]
pub(crate) struct SeedArgs {
    /// Seed of the resampling
    #[arg(long, default_value_t = 0, help_heading = RUN)]
    pub(crate) seed: u64,
}

/// How many threads a command works with.
#[derive(Clone, Debug, Args)]
pub(crate) struct ThreadArgs {
    /// Threads [default: the machine's cores]
    #[arg(long, value_name = "N", help_heading = RUN)]
    pub(crate) threads: Option<usize>,
}

impl ThreadArgs {
    /// Returns the number of threads, 0 for as many as there are cores.
    pub(crate) fn count(&self) -> usize {
        self.threads.unwrap_or(0).min(MAX_THREADS)
    }
}
