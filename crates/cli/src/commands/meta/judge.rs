//! `evenhand meta judge`.

use super::super::rank::{ended, kept, usage};
use super::super::stop_on_ctrl_c;
use super::super::verdicts::check_coverage;
use crate::args::{MetaJudgeArgs, RunArgs};
use crate::data::load_recordings;
use crate::job::{Prepared, prepare, reusable_for};
use crate::progress::Show;
use crate::{Done, Failed};
use evenhand_core::{Item, Judgment, Response};
use evenhand_engine::{Progress, Reviews, Session, Sink, Tally, open_store};
use evenhand_formats::judgments::{Kind, Options};
use evenhand_report::Usage;
use evenhand_report::meta::{JudgeSettings, judges_csv, judges_json, judges_table};
use evenhand_studies::judge::{Evaluation, Judged, Live, RecordedOptions, Settings, evaluate};
use std::sync::Arc;
use std::time::Instant;

/// A judge against labels.
pub(crate) fn judge(args: &MetaJudgeArgs) -> Result<Done, Failed> {
    let settings = settings(args)?;
    if args.run.output.fail_if.is_some() {
        return Err(Failed::Usage(
            "--fail-if: meta judge has no conditions; take the figures from --format json".into(),
        ));
    }
    if let Some(file) = &args.fit {
        return super::fit::fit(args, file, &settings);
    }
    let (judged, usage) = match (
        args.recorded.is_empty(),
        args.run.data.data.is_empty(),
        args.run.judge.is_empty(),
    ) {
        (false, _, true) => (from_files(args)?, None),
        (false, _, false) => {
            return Err(Failed::Usage(
                "--recorded asks no judge; leave --judge out".into(),
            ));
        }
        (true, false, false) => {
            let (judged, usage) = live(args)?;
            (vec![judged], Some(usage))
        }
        (true, ..) => return Err(Failed::Usage(EXPECTED.into())),
    };
    show(args, &judged, usage.as_ref(), &settings)
}

/// The figures of judges.
pub(super) fn show(
    args: &MetaJudgeArgs,
    judged: &[Judged],
    usage: Option<&Usage>,
    settings: &Settings,
) -> Result<Done, Failed> {
    let all = judged
        .iter()
        .map(|judged| evaluate(judged, settings))
        .collect::<Result<Vec<Evaluation>, _>>();
    let all = all.map_err(evenhand_engine::EngineError::from)?;
    let with = JudgeSettings { settings, usage };
    args.run.output.format.print(
        || judges_table(&all, with, args.run.output.verbose.view()),
        || judges_json(&all, with),
        || judges_csv(&all),
    )?;
    Ok(Done::Fine)
}

const EXPECTED: &str = "expected --data PATH... with labelled pairs and --judge JUDGE, or \
                        --recorded FILE... with what a judge has said already";

fn settings(args: &MetaJudgeArgs) -> Result<Settings, Failed> {
    let bootstrap = args
        .resampling
        .plan(args.run.ask.seed, args.run.compute.threads.count())?;
    Ok(Settings {
        ties: args.ties.into(),
        failures: args.failures.into(),
        bootstrap,
    })
}

fn from_files(args: &MetaJudgeArgs) -> Result<Vec<Judged>, Failed> {
    let kind = args
        .run
        .data
        .mapping
        .input_format
        .as_deref()
        .map(kind)
        .transpose()?;
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

fn kind(name: &str) -> Result<Kind, Failed> {
    let names = || Kind::names().join(", ");
    Kind::named(name).ok_or_else(|| {
        Failed::Usage(format!(
            "--input-format {name}: not known; expected one of {}",
            names()
        ))
    })
}

fn live(args: &MetaJudgeArgs) -> Result<(Judged, Usage), Failed> {
    let prepared = prepare(&labelled(args)?, args.scale.scale)?;
    judged(args, prepared, |_, _| ())
}

/// The arguments of a run that judges the labelled pairs.
pub(super) fn labelled(args: &MetaJudgeArgs) -> Result<RunArgs, Failed> {
    if args.run.ask.design != "all-pairs" {
        return Err(Failed::Usage(
            "--design: the labelled pairs are judged; leave it out".into(),
        ));
    }
    let mut run_args = args.run.clone();
    run_args.ask.design = "labelled".into();
    Ok(run_args)
}

/// Judges the pairs; `each` is shown every judgment, with the systems' names.
pub(super) fn judged(
    args: &MetaJudgeArgs,
    prepared: Prepared,
    each: impl FnMut(&Judgment, &[Arc<str>]),
) -> Result<(Judged, Usage), Failed> {
    let started = Instant::now();
    let Prepared {
        job,
        mut model,
        reviews,
        limits,
        prices,
        ..
    } = prepared;
    let mut store = open_store(
        &job,
        args.run.run.as_deref(),
        &reusable_for(&args.run, &job, model.as_ref())?,
    )?;
    let dir = store.dir().to_path_buf();
    let systems = job.dataset.systems.clone();
    let mut gather = Gather {
        live: Live::new(&job)?,
        reviews,
        systems,
        each,
        tally: Tally::default(),
        show: Show::new(args.run.output.quiet.quiet, job.plan.len()),
    };
    let stop = stop_on_ctrl_c()?;
    let finished = Session::new(model.as_mut(), &mut store, &mut gather)
        .with_limits(limits)
        .with_stop(&stop)
        .run(&job);
    drop(store);
    gather.show.end();
    let finished = finished.map_err(|error| ended(error, &dir))?;
    args.run.output.quiet.say(&kept(&finished, &args.run));
    check_coverage(&gather.tally, args.run.output.min_coverage, &finished.dir)?;
    Ok((gather.live.finish(), usage(&finished, &prices, started)))
}

/// Gathers judgments and shows progress.
struct Gather<F> {
    live: Live,
    reviews: Reviews,
    systems: Vec<Arc<str>>,
    each: F,
    tally: Tally,
    show: Show,
}

impl<F: FnMut(&Judgment, &[Arc<str>])> Sink for Gather<F> {
    fn judgment(&mut self, mut judgment: Judgment, item: &Item, responses: &[Response]) {
        self.reviews.apply(&mut judgment, item, responses);
        self.tally.add(&judgment, item, responses);
        (self.each)(&judgment, &self.systems);
        self.live.add(&judgment);
    }

    fn progress(&mut self, progress: Progress) {
        self.show.update(progress);
    }

    fn note(&mut self, note: &str) {
        self.show.note(note);
    }
}
