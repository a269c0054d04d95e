//! `evenhand meta select`.

use crate::args::help::{DATA, STATISTICS};
use crate::args::{DataArgs, PlainOutputArgs, RecordingArgs, SeedArgs};
use crate::data::load_recordings;
use crate::{Done, Failed};
use clap::Args;
use evenhand_report::meta::{selection_csv, selection_json, selection_table};
use evenhand_studies::judge::RecordedOptions;
use evenhand_studies::selective::{SelectOptions, select_verdicts};
use std::path::PathBuf;

/// Whose verdicts are selected, and what is promised of them.
#[derive(Debug, Args)]
pub(crate) struct MetaSelectArgs {
    /// Existing judge outputs, as `meta judge` reads them
    ///
    /// Of one judge, or of two: verdicts of the first are selected, and the second decides the
    /// rest. Files with the same name belong to one judge.
    #[arg(long, num_args = 1.., value_name = "FILE", required = true, help_heading = DATA)]
    pub(crate) recorded: Vec<PathBuf>,
    /// People's labels or votes on pairs, for recordings without them
    #[arg(long, num_args = 1.., value_name = "FILE", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    /// The largest share of accepted verdicts that may be wrong
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, help_heading = STATISTICS)]
    pub(crate) error: f64,
    /// The probability that the promise is kept
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, help_heading = STATISTICS)]
    pub(crate) certainty: f64,
    /// What a verdict costs, by the first judge and by the second, in any unit
    ///
    /// Such as 1,20. Shows what is saved compared with asking the second judge about every pair.
    #[arg(
        long, value_delimiter = ',', num_args = 1, value_name = "COST,COST",
        help_heading = STATISTICS
    )]
    pub(crate) costs: Option<Vec<f64>>,
    /// Random halves on which to test the promise
    #[arg(long, value_name = "N", default_value_t = 200, help_heading = STATISTICS)]
    pub(crate) splits: u64,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) output: PlainOutputArgs,
}

/// Coverage of the intervals.
const LEVEL: f64 = 0.95;

/// Which verdicts of a judge can be accepted, and what a second one would decide.
pub(super) fn select(args: &MetaSelectArgs) -> Result<Done, Failed> {
    let costs = match args.costs.as_deref() {
        None => None,
        Some(&[first, second]) if [first, second].iter().all(|x| *x > 0.0 && x.is_finite()) => {
            Some([first, second])
        }
        Some(_) => {
            return Err(Failed::usage(
                "--costs: expected two numbers above 0, of the first judge and the second, such as \
                 1,20",
            ));
        }
    };
    let options = SelectOptions {
        error: args.error,
        certainty: args.certainty,
        splits: args.splits,
        seed: args.seed.seed,
        level: LEVEL,
        costs,
    };
    let recorded = RecordedOptions {
        recorded: args.recorded.clone(),
        labels: args.labels.clone(),
        reading: args.recording.reading(),
        ..RecordedOptions::default()
    };
    let judges = load_recordings(recorded, &args.data, args.output.quiet)?;
    let selection = select_verdicts(&judges, &options)?;
    args.output.format.print(
        || selection_table(&selection, &options, args.output.verbose.view()),
        || selection_json(&selection, &options),
        || selection_csv(&selection),
    )
}
