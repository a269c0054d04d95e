//! `evenhand meta judge`.

use super::labelled::{Judged, judge_pairs, labelled_run, print_evaluations, read_settings};
use crate::args::choices::words;
use crate::args::help::{DATA, OUTPUT, PROTOCOL, STATISTICS};
use crate::args::{
    FigureArgs, JudgeScaleArgs, PartArgs, RecordingArgs, ReportFileArgs, ResamplingArgs, RunArgs,
};
use crate::data::load_recordings;
use crate::head_judge::HeadJudge;
use crate::job::{prepare, prepare_with};
use crate::judges::{JudgeFile, describe_simulated};
use crate::{Done, Failed};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use evenhand_engine::{EngineError, check_repeats};
use evenhand_formats::judgments::{JudgmentFormat, Options};
use evenhand_protocols::Notation;
use evenhand_studies::judge::{Failures, JudgedPairs, RecordedOptions, Subsets, Ties, Votes};
use std::path::PathBuf;

/// Which judge is evaluated on which pairs.
#[derive(Debug, Args)]
pub(crate) struct MetaJudgeArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Existing judge outputs; no judge is asked
    ///
    /// Of LLMBar, JudgeBench, MT-Bench, Arena-Hard, PandaLM, AlpacaEval, Auto-J, Vicuna, FairEval,
    /// battles that name their items, or evenhand's own. A directory means its files.
    #[arg(long, num_args = 1.., value_name = "FILE", help_heading = DATA)]
    pub(crate) recorded: Vec<PathBuf>,
    /// People's labels or votes on pairs, for recordings without them
    ///
    /// Labels that a recording has itself come first. If none of these is about a recorded pair,
    /// they are refused.
    #[arg(long, num_args = 1.., value_name = "FILE", requires = "recorded", help_heading = DATA)]
    pub(crate) labels: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    #[command(flatten)]
    pub(crate) scale: JudgeScaleArgs,
    /// Fit a calibrated panel to the labelled pairs, and write it to PANEL.toml
    ///
    /// Of all judges named under the protocol, or of those of an unfitted panel:FILE.
    #[arg(long, value_name = "PANEL.toml", conflicts_with = "recorded", help_heading = OUTPUT)]
    pub(crate) fit: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) parts: PartArgs,
    /// Judge every pair K times, and show how much the accuracy varies
    ///
    /// Repeats are further samples at --temperature; the first is the one you get without repeats.
    /// At temperature 0 a server may still vary. A judge on this machine would not, so it is
    /// refused.
    #[arg(
        long,
        default_value = "1",
        value_name = "K",
        help_heading = PROTOCOL,
        value_parser = clap::value_parser!(u32).range(1..=1000),
        conflicts_with_all = ["recorded", "fit"]
    )]
    pub(crate) repeats: u32,
    /// How ties count: as a separate outcome, half for each side, or not at all
    #[arg(
        long, default_value = "class", help_heading = STATISTICS,
        value_parser = words(
            &[("class", Ties::Class), ("half", Ties::Half), ("exclude", Ties::Exclude)]
        )
    )]
    pub(crate) ties: Ties,
    /// How several labels of one pair count: the most frequent once, or each of them
    #[arg(
        long, default_value = "majority", help_heading = STATISTICS,
        value_parser = words(&[("majority", Votes::Majority), ("each", Votes::Each)])
    )]
    pub(crate) votes: Votes,
    /// How failures count
    #[arg(
        long, default_value = "wrong", help_heading = STATISTICS,
        value_parser = words(&[("wrong", Failures::Wrong), ("exclude", Failures::Exclude)])
    )]
    pub(crate) failures: Failures,
    /// The notation of the recorded texts
    ///
    /// If it is not the usual one of their format (see docs/design/extraction.md).
    #[arg(
        long, value_parser = parse_notation, value_name = "NAME", requires = "recorded",
        help_heading = DATA
    )]
    pub(crate) notation: Option<Notation>,
    /// Parts to give separate figures for
    ///
    /// The items' categories, or the files of a judge.
    #[arg(
        long, default_value = "category", requires = "recorded", help_heading = STATISTICS,
        value_parser = words(&[("category", Subsets::Category), ("file", Subsets::File)])
    )]
    pub(crate) subsets: Subsets,
    #[command(flatten)]
    pub(crate) resampling: ResamplingArgs,
    #[command(flatten)]
    pub(crate) report: ReportFileArgs,
    #[command(flatten)]
    pub(crate) figure: FigureArgs,
    #[command(flatten)]
    pub(crate) atlas: AtlasArgs,
}

/// A file for the atlas of judges, and what it says of the pairs.
#[derive(Debug, Args)]
pub(crate) struct AtlasArgs {
    /// Write the figures for the atlas of judges, one line per judge
    ///
    /// Names, counts and figures only: no texts, labels or addresses. Needs --set, --source and
    /// --licence, and the atlas's own ties, failures, votes and level. See docs/atlas/README.md.
    #[arg(
        long, value_name = "FILE", requires_all = ["set", "source", "licence"],
        conflicts_with = "fit", help_heading = OUTPUT
    )]
    pub(crate) publish: Option<PathBuf>,
    /// For --publish: the name of the labelled pairs
    #[arg(
        long, value_name = "NAME", requires = "publish", help_heading = OUTPUT,
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub(crate) set: Option<String>,
    /// For --publish: who made them
    #[arg(
        long, value_name = "WHO", requires = "publish", help_heading = OUTPUT,
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub(crate) source: Option<String>,
    /// For --publish: their licence
    #[arg(
        long, value_name = "TEXT", requires = "publish", help_heading = OUTPUT,
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub(crate) licence: Option<String>,
}

fn parse_notation(name: &str) -> Result<Notation, String> {
    name.parse()
        .map_err(|error: evenhand_protocols::UnknownNotation| error.to_string())
}

/// A judge against labels: live, or from what was recorded.
pub(super) fn judge(args: &MetaJudgeArgs) -> Result<Done, Failed> {
    let settings = read_settings(args)?;
    args.report.check()?;
    if !args.recorded.is_empty() {
        let judged = read_recordings(args)?;
        return print_evaluations(args, &judged, &[], &settings);
    }
    if args.run.data.data.is_empty() || args.run.judge.is_empty() {
        return Err(Failed::usage(
            "expected --data PATH... with labelled pairs and --judge JUDGE, or --recorded FILE... \
             with a judge's existing outputs",
        ));
    }
    let run = labelled_run(args)?;
    // Each judge by itself, in a run of its own, unless a rule makes a panel of them.
    let judges = run.judge.chunks(match run.bench.panel {
        None => 1,
        Some(_) => run.judge.len(),
    });
    if judges.len() > 1 {
        check_several(args)?;
    }
    let mut live = Vec::new();
    for judge in judges {
        let run = RunArgs {
            judge: judge.to_vec(),
            ..run.clone()
        };
        live.push(judge_labelled(args, &run)?);
    }
    if let Some(text) = describe_simulated(run.judge.iter().map(String::as_str)) {
        run.output.quiet.say(text);
    }
    let judged: Vec<JudgedPairs> = live.iter().map(|one| one.pairs.clone()).collect();
    print_evaluations(args, &judged, &live, &settings)
}

/// Refuses what is of one run, or of one judge, for several that have a run each.
fn check_several(args: &MetaJudgeArgs) -> Result<(), Failed> {
    let each = "several judges are judged one after the other, each in a run of its own";
    for (option, is_given) in [
        ("--run", args.run.run.is_some()),
        ("--name", args.run.name.name.is_some()),
    ] {
        if is_given {
            return Err(Failed::usage(format!(
                "{option}: {each}; leave it out, or make them one panel with --panel mean"
            )));
        }
    }
    if args.atlas.publish.is_some() {
        return Err(Failed::usage(
            "--publish: the cost of a row is that of one judge; give one --judge at a time",
        ));
    }
    Ok(())
}

/// Judges the labelled pairs by the judge of this run, or by its panel.
fn judge_labelled(args: &MetaJudgeArgs, run: &RunArgs) -> Result<Judged, Failed> {
    let mut prepared = match HeadJudge::read(run)? {
        // What a head was fitted to says nothing of what it is worth.
        Some(head) => {
            let head = JudgeFile::Head(Box::new(head.leaving_out()));
            prepare_with(run, args.scale.scale, Some(head))?
        }
        None => prepare(run, args.scale.scale)?,
    };
    prepared.job = prepared.job.repeated(args.repeats);
    check_repeats(&prepared.job).map_err(EngineError::from)?;
    judge_pairs(run, prepared, |_, _| ())
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
        by: args.parts.by.clone(),
        ..RecordedOptions::default()
    };
    let mut data = args.run.data.clone();
    data.by.clone_from(&args.parts.by);
    load_recordings(options, &data, args.run.output.quiet)
}
