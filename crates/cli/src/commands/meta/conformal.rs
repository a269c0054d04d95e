//! `evenhand meta conformal`.

use crate::args::help::{DATA, STATISTICS};
use crate::args::{DataArgs, PlainOutputArgs, RecordingArgs, SeedArgs};
use crate::data::load_recordings;
use crate::{Done, Failed};
use clap::Args;
use evenhand_engine::EngineError;
use evenhand_report::meta::{conformal_csv, conformal_json, conformal_table};
use evenhand_studies::conformal::{
    ConformalOptions, LabelledCases, cases_of_files, cases_of_pairs, predict_labels,
};
use evenhand_studies::judge::RecordedOptions;
use std::path::PathBuf;

/// Whose judgments they are, and what is promised of people's labels.
#[derive(Debug, Args)]
pub(crate) struct MetaConformalArgs {
    /// A judge's judgments, scores or battles, or labelled recordings
    #[arg(long, num_args = 1.., value_name = "FILE", required = true, help_heading = DATA)]
    pub(crate) recorded: Vec<PathBuf>,
    /// People's labels of some of them: scores, or votes on pairs
    ///
    /// Matched by the names of items and systems. Judgments without a label are predicted from all
    /// labels.
    #[arg(long, num_args = 1.., value_name = "FILE", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    /// The share of people's labels that the intervals or sets must contain
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, help_heading = STATISTICS)]
    pub(crate) coverage: f64,
    /// The ends of people's scale; intervals are cut there
    ///
    /// Such as 1,5. Without it, intervals may be unbounded if there are few labels.
    #[arg(
        long, value_delimiter = ',', num_args = 1, value_name = "LOW,HIGH",
        help_heading = STATISTICS
    )]
    pub(crate) label_scale: Option<Vec<f64>>,
    /// Parts of the labelled questions; each is predicted from the others
    #[arg(
        long, value_name = "N", default_value_t = 10,
        value_parser = clap::value_parser!(u64).range(2..=1000), help_heading = STATISTICS
    )]
    pub(crate) folds: u64,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) output: PlainOutputArgs,
}

/// Coverage of the interval of the realised coverage.
const LEVEL: f64 = 0.95;

/// Predicts people's label of each judgment, with a promised coverage.
pub(super) fn conformal(args: &MetaConformalArgs) -> Result<Done, Failed> {
    let scale = match args.label_scale.as_deref() {
        None => None,
        Some(&[low, high]) if low < high && (high - low).is_finite() => Some([low, high]),
        Some(_) => {
            return Err(Failed::usage(
                "--label-scale: expected two numbers, the lower first, such as 1,5",
            ));
        }
    };
    let options = ConformalOptions {
        coverage: args.coverage,
        scale,
        folds: args.folds as usize,
        seed: args.seed.seed,
        level: LEVEL,
    };
    if !(args.coverage > 0.0 && args.coverage < 1.0) {
        return Err(Failed::Usage(format!(
            "--coverage {}: expected a share strictly between 0 and 1, such as 0.9",
            args.coverage
        )));
    }
    let cases = read_cases(args)?;
    if let Some(scale) = scale {
        cases.check_scale(scale).map_err(EngineError::from)?;
    }
    let found = predict_labels(&cases, &options)
        .map_err(|error| Failed::Usage(format!("--recorded, --labels: {error}")))?;
    args.output.format.print(
        || conformal_table(&found, &options, args.output.verbose.view()),
        || conformal_json(&found, &options),
        || conformal_csv(&found),
    )
}

/// Reads the judge's files with people's beside them, or recordings that hold labels.
fn read_cases(args: &MetaConformalArgs) -> Result<LabelledCases, Failed> {
    if !args.labels.is_empty() {
        let reading = args.recording.reading_with(&args.data.records)?;
        return Ok(cases_of_files(&args.recorded, &args.labels, &reading)?);
    }
    let recorded = RecordedOptions {
        recorded: args.recorded.clone(),
        reading: args.recording.reading(),
        ..RecordedOptions::default()
    };
    let judges = load_recordings(recorded, &args.data, args.output.quiet)?;
    match judges.as_slice() {
        [judged] => Ok(cases_of_pairs(judged)),
        _ => Err(Failed::Usage(format!(
            "--recorded: there are {} judges in the files; expected one",
            judges.len()
        ))),
    }
}
