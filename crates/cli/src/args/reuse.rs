//! Which other runs' replies are reused.

use super::help::RUN;
use clap::Args;
use std::path::PathBuf;

/// Which other runs' replies are reused.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ReuseArgs {
    /// Runs, or folders of runs, whose replies are used again
    ///
    /// Where the same was asked: of other items, systems, protocols, of audits and studies. Those
    /// under runs/ are used by themselves.
    #[arg(long, num_args = 1.., value_name = "RUN_DIR", help_heading = RUN)]
    pub(crate) reuse: Vec<PathBuf>,
    /// Reuse nothing from the runs under runs/
    #[arg(long, help_heading = RUN)]
    pub(crate) no_reuse: bool,
}
