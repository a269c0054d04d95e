//! The command line of `meta select`.

use super::help::{DATA, STATISTICS};
use super::records::RecordingArgs;
use super::{ConfigArgs, DataArgs, FormatArgs, QuietArgs, SeedArgs, VerboseArgs};
use clap::Args;
use std::path::PathBuf;

/// Whose verdicts are selected, and what is promised of them.
#[derive(Debug, Args)]
pub(crate) struct MetaSelectArgs {
    /// Judge outputs that exist already, as `meta judge` reads them
    ///
    /// Of one judge, or of two: the first whose verdicts are selected, the second who decides the
    /// rest. Files of one name are one judge's.
    #[arg(long, num_args = 1.., value_name = "FILE", required = true, help_heading = DATA)]
    pub(crate) recorded: Vec<PathBuf>,
    /// People's labels or votes on pairs, for recordings that hold none
    #[arg(long, num_args = 1.., value_name = "FILE", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    /// The largest share of accepted verdicts that may be wrong
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, help_heading = STATISTICS)]
    pub(crate) error: f64,
    /// With which probability the promise is kept
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, help_heading = STATISTICS)]
    pub(crate) certainty: f64,
    /// What a verdict of the first judge costs, and one of the second, in any unit
    ///
    /// Such as 1,20. What is saved is then said, beside asking the second judge about every pair.
    #[arg(
        long, value_delimiter = ',', num_args = 1, value_name = "COST,COST",
        help_heading = STATISTICS
    )]
    pub(crate) costs: Option<Vec<f64>>,
    /// Random halves on which the promise is tried
    #[arg(long, value_name = "N", default_value_t = 200, help_heading = STATISTICS)]
    pub(crate) splits: u64,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
    #[command(flatten)]
    pub(crate) verbose: VerboseArgs,
}
