//! `evenhand merge`.

use crate::args::FormatArgs;
use crate::args::help::RUN;
use crate::{Done, Failed};
use clap::Args;
use evenhand_report::{json_text, merged_csv, merged_table};
use std::path::PathBuf;

/// Which runs become one, and where.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Runs of the shards of one job, or folders of such runs
    #[arg(required = true, value_name = "RUN_DIR")]
    pub(crate) runs: Vec<PathBuf>,
    /// The new run directory; it must not exist
    #[arg(long, value_name = "DIR", help_heading = RUN)]
    pub(crate) run: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// Puts the runs of shards together, and says what is missing.
pub(crate) fn merge(args: &MergeArgs) -> Result<Done, Failed> {
    let merged = evenhand_engine::merge(&args.runs, &args.run)?;
    args.format.print(
        || merged_table(&merged),
        || json_text(&merged),
        || merged_csv(&merged),
    )?;
    match merged.complete {
        true => Ok(Done::Fine),
        false => Err(Failed::Stopped(format!(
            "{}: judgments are missing; to ask only for them, judge or rank with the flags of the \
             shards, without --shard, and with --run {0}",
            merged.run
        ))),
    }
}
