//! `evenhand meta judge`.

use super::labelled::{judge_pairs, labelled_run, print_evaluations, read_settings};
use crate::args::MetaJudgeArgs;
use crate::data::load_recordings;
use crate::job::prepare;
use crate::{Done, Failed};
use evenhand_formats::judgments::{JudgmentFormat, Options};
use evenhand_studies::judge::{JudgedPairs, RecordedOptions};

const EXPECTED: &str = "expected --data PATH... with labelled pairs and --judge JUDGE, or \
                        --recorded FILE... with what a judge has said already";

/// A judge against labels: live, or from what was recorded.
pub(super) fn judge(args: &MetaJudgeArgs) -> Result<Done, Failed> {
    let settings = read_settings(args)?;
    let (has_data, has_judge) = (!args.run.data.data.is_empty(), !args.run.judge.is_empty());
    if !args.recorded.is_empty() {
        if has_judge {
            return Err(Failed::usage("--recorded asks no judge; leave --judge out"));
        }
        return print_evaluations(args, &read_recordings(args)?, None, &settings);
    }
    if !(has_data && has_judge) {
        return Err(Failed::usage(EXPECTED));
    }
    let prepared = prepare(&labelled_run(args)?, args.scale.scale)?;
    let (judged, usage) = judge_pairs(args, prepared, |_, _| ())?;
    print_evaluations(args, &[judged], Some(&usage), &settings)
}

fn read_recordings(args: &MetaJudgeArgs) -> Result<Vec<JudgedPairs>, Failed> {
    let kind = match &args.run.data.mapping.input_format {
        Some(name) => Some(parse_kind(name)?),
        None => None,
    };
    let options = RecordedOptions {
        recorded: args.recorded.clone(),
        labels: args.labels.clone(),
        reading: Options {
            kind,
            ..Options::default()
        },
        notation: args.notation,
        subsets: args.subsets.into(),
        ..RecordedOptions::default()
    };
    load_recordings(options, &args.run.data, args.run.output.quiet)
}

fn parse_kind(name: &str) -> Result<JudgmentFormat, Failed> {
    JudgmentFormat::from_name(name).ok_or_else(|| {
        let known = JudgmentFormat::names().join(", ");
        Failed::usage(format!(
            "--input-format {name}: not known; expected one of {known}"
        ))
    })
}
