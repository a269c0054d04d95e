//! The command line of `judge`.

use super::help::OUTPUT;
use super::{JudgeScaleArgs, RunArgs};
use clap::Args;
use std::path::PathBuf;

/// Judgments only.
#[derive(Clone, Debug, Args)]
pub(crate) struct JudgeArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) scale: JudgeScaleArgs,
    /// Instruction, responses and the judge's reply beside each judgment
    ///
    /// With --format json or csv. They are printed when all is judged.
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) texts: bool,
    /// Write the pairs that the judge is least sure of to FILE, for a person
    ///
    /// As JSON lines; --reviewed takes the file when `preferred` is filled in.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) for_review: Option<PathBuf>,
    /// The share of the pairs that is written there at most
    #[arg(long, default_value_t = 0.2, value_name = "SHARE", help_heading = OUTPUT)]
    pub(crate) review_share: f64,
    /// Write every pair there on which the judge's confidence is below this
    ///
    /// From 0 to 1, as `meta select` finds it from labels: how far the mean share of all verdicts
    /// on the pair is from a half, doubled.
    #[arg(
        long, value_name = "CONFIDENCE", requires = "for_review", conflicts_with = "review_share",
        help_heading = OUTPUT
    )]
    pub(crate) review_below: Option<f64>,
}
