//! `evenhand meta self-preference`.

use crate::args::help::{DATA, STATISTICS};
use crate::args::{ConfigArgs, FormatArgs, RecordArgs, RecordingArgs, VerboseArgs};
use crate::{Done, Failed};
use clap::Args;
use evenhand_ranking::check_level;
use evenhand_report::meta::{self_preference_csv, self_preference_json, self_preference_table};
use evenhand_studies::self_preference::{SelfPreferenceOptions, measure_self_preference};
use std::path::PathBuf;

/// Whose verdicts on whose responses are looked at.
#[derive(Debug, Args)]
pub(crate) struct SelfPreferenceArgs {
    /// What several judges said of the same systems
    ///
    /// In any format that `leaderboard` reads: comparisons, or scores of single responses, which
    /// become comparisons. Files with the same name belong to one judge, which takes that name. At
    /// least three judges.
    #[arg(long, num_args = 1.., value_name = "FILE", required = true, help_heading = DATA)]
    pub(crate) recorded: Vec<PathBuf>,
    /// A judge and its own system
    ///
    /// Give it once for each judge. [default: a judge with the name of a system is its author]
    #[arg(long, value_name = "JUDGE=SYSTEM", value_parser = parse_own, help_heading = DATA)]
    pub(crate) own: Vec<Own>,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    /// Coverage of the intervals
    ///
    /// 1 - level is the chance that a fair judge is accused.
    #[arg(long, default_value_t = 0.95, help_heading = STATISTICS)]
    pub(crate) level: f64,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) verbose: VerboseArgs,
}

/// A judge and its own system.
pub(crate) type Own = std::sync::Arc<[String; 2]>;

fn parse_own(text: &str) -> Result<Own, String> {
    match text.split_once('=') {
        Some((judge, system)) if !judge.is_empty() && !system.is_empty() => {
            Ok(Own::new([judge.into(), system.into()]))
        }
        _ => Err("expected JUDGE=SYSTEM".into()),
    }
}

/// Whether judges prefer their own responses, without labels of people.
pub(super) fn measure(args: &SelfPreferenceArgs) -> Result<Done, Failed> {
    check_level(args.level)?;
    let report = measure_self_preference(&SelfPreferenceOptions {
        recorded: args.recorded.clone(),
        own: args.own.iter().map(|own| (**own).clone()).collect(),
        reading: args.recording.reading_with(&args.records)?,
        level: args.level,
    })?;
    args.format.print(
        || self_preference_table(&report, args.verbose.view()),
        || self_preference_json(&report),
        || self_preference_csv(&report),
    )
}
