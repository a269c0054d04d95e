//! `evenhand meta judge`.

use super::labelled::{judge_pairs, labelled_run, print_evaluations, read_settings};
use crate::args::MetaJudgeArgs;
use crate::data::load_recordings;
use crate::job::prepare;
use crate::{Done, Failed};
use evenhand_engine::{EngineError, check_repeats};
use evenhand_formats::judgments::{JudgmentFormat, Options};
use evenhand_studies::judge::{JudgedPairs, RecordedOptions};
use std::slice::from_ref;

/// A judge against labels: live, or from what was recorded.
pub(super) fn judge(args: &MetaJudgeArgs) -> Result<Done, Failed> {
    let settings = read_settings(args)?;
    args.report.check()?;
    if !args.recorded.is_empty() {
        let judged = read_recordings(args)?;
        return print_evaluations(args, &judged, None, &settings);
    }
    if args.run.data.data.is_empty() || args.run.judge.is_empty() {
        return Err(Failed::usage(
            "expected --data PATH... with labelled pairs and --judge JUDGE, or --recorded FILE... \
             with what a judge has said already",
        ));
    }
    let mut prepared = prepare(&labelled_run(args)?, args.scale.scale)?;
    prepared.job = prepared.job.repeated(args.repeats);
    check_repeats(&prepared.job).map_err(EngineError::from)?;
    let judged = judge_pairs(args, prepared, |_, _| ())?;
    print_evaluations(args, from_ref(&judged.pairs), Some(&judged), &settings)
}

fn read_recordings(args: &MetaJudgeArgs) -> Result<Vec<JudgedPairs>, Failed> {
    if !args.run.judge.is_empty() {
        return Err(Failed::usage("--recorded asks no judge; leave --judge out"));
    }
    if args.parts.by.is_some() && args.run.data.data.is_empty() {
        return Err(Failed::usage(
            "--by: recordings have no fields of items; add --data PATH..., whose items have the \
             field",
        ));
    }
    let kind = match args.run.data.mapping.input_format.as_deref() {
        None => None,
        Some(name) => Some(JudgmentFormat::from_name(name).ok_or_else(|| {
            Failed::usage(format!(
                "--input-format {name}: not known; expected one of {}",
                JudgmentFormat::names().join(", ")
            ))
        })?),
    };
    let options = RecordedOptions {
        recorded: args.recorded.clone(),
        labels: args.labels.clone(),
        reading: Options {
            kind,
            ..args.recording.reading()
        },
        notation: args.notation,
        subsets: args.subsets,
        ..RecordedOptions::default()
    };
    let mut data = args.run.data.clone();
    data.by.clone_from(&args.parts.by);
    load_recordings(options, &data, args.run.output.quiet)
}
