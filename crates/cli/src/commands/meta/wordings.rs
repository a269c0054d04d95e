//! `evenhand meta wordings`.

use crate::args::help::{DATA, STATISTICS};
use crate::args::{ConfigArgs, FormatArgs, RecordArgs, RecordingArgs, VerboseArgs};
use crate::{Done, Failed};
use clap::Args;
use evenhand_ranking::check_level;
use evenhand_report::meta::{wordings_csv, wordings_json, wordings_table};
use evenhand_studies::wordings::{WordingOptions, measure_wordings};
use std::path::PathBuf;

/// Whose scores are read.
#[derive(Debug, Args)]
pub(crate) struct WordingsArgs {
    /// One judge's scores of the same responses, one file per wording
    ///
    /// As `judge --prompt-pack PACK --format json` writes them with a pointwise protocol and
    /// `,mode`, or any other scores that `leaderboard` reads. Files with the same name belong to
    /// one wording, which takes that name.
    #[arg(long, num_args = 1.., value_name = "FILE", required = true, help_heading = DATA)]
    pub(crate) recorded: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    /// Coverage of the intervals
    #[arg(long, default_value_t = 0.95, help_heading = STATISTICS)]
    pub(crate) level: f64,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) verbose: VerboseArgs,
}

/// How each wording measures, by the graded response model.
pub(super) fn measure(args: &WordingsArgs) -> Result<Done, Failed> {
    check_level(args.level)?;
    let report = measure_wordings(&WordingOptions {
        recorded: args.recorded.clone(),
        reading: args.recording.reading_with(&args.records)?,
        level: args.level,
    })?;
    args.format.print(
        || wordings_table(&report, args.verbose.view()),
        || wordings_json(&report),
        || wordings_csv(&report),
    )
}
