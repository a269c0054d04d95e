//! What `meta judge` does with and without `--fit`: it judges the labelled pairs, and prints how
//! judges agree with the labels.

use crate::args::{MetaJudgeArgs, RunArgs};
use crate::commands::session::{describe_run, run_session, sum_usage};
use crate::commands::stop_on_ctrl_c;
use crate::commands::verdicts::check_coverage;
use crate::job::Prepared;
use crate::progress::Show;
use crate::{Done, Failed};
use evenhand_core::{Item, Judgment, Response};
use evenhand_engine::{EngineError, Progress, Reviews, Sink, Tally};
use evenhand_report::Usage;
use evenhand_report::meta::{JudgeSettings, judges_csv, judges_json, judges_table};
use evenhand_studies::judge::{Evaluation, JudgedPairs, LiveGames, Settings, evaluate};
use std::mem::take;
use std::sync::Arc;
use std::time::Instant;

/// Returns how verdicts are held against labels.
pub(super) fn read_settings(args: &MetaJudgeArgs) -> Result<Settings, Failed> {
    let bootstrap = args
        .resampling
        .plan(args.run.ask.seed, args.run.compute.threads.count())?;
    if args.run.output.fail_if.is_some() {
        return Err(Failed::usage(
            "--fail-if: meta judge has no conditions; take the figures from --format json",
        ));
    }
    Ok(Settings {
        ties: args.ties.into(),
        failures: args.failures.into(),
        bootstrap,
    })
}

/// Returns the arguments of a run that judges the labelled pairs and no other.
pub(super) fn labelled_run(args: &MetaJudgeArgs) -> Result<RunArgs, Failed> {
    if args.run.ask.design != "all-pairs" {
        return Err(Failed::usage(
            "--design: the labelled pairs are judged; leave it out",
        ));
    }
    let mut run = args.run.clone();
    run.ask.design = "labelled".into();
    Ok(run)
}

/// Judges the pairs; `each` is shown every judgment, with the systems' names.
pub(super) fn judge_pairs(
    args: &MetaJudgeArgs,
    mut prepared: Prepared,
    each: impl FnMut(&Judgment, &[Arc<str>]),
) -> Result<(JudgedPairs, Usage), Failed> {
    let started = Instant::now();
    let output = &args.run.output;
    let mut gather = Gather {
        live: LiveGames::new(&prepared.job)?,
        reviews: take(&mut prepared.reviews),
        systems: prepared.job.dataset.systems.clone(),
        each,
        tally: Tally::default(),
        show: Show::new(output.quiet, prepared.job.plan.len()),
    };
    let stop = stop_on_ctrl_c()?;
    let judged = run_session(
        &args.run,
        &mut prepared,
        &mut gather,
        &stop,
        |session, job| session.run(job),
    );
    gather.show.end();
    let finished = judged?;
    output.quiet.say(&describe_run(&finished, &args.run));
    check_coverage(&gather.tally, output.min_coverage, &finished.dir)?;
    let usage = sum_usage(&finished, &prepared.prices, started);
    Ok((gather.live.finish(), usage))
}

/// Prints the figures of judges.
pub(super) fn print_evaluations(
    args: &MetaJudgeArgs,
    judged: &[JudgedPairs],
    usage: Option<&Usage>,
    settings: &Settings,
) -> Result<Done, Failed> {
    let evaluations: Result<Vec<Evaluation>, _> = judged
        .iter()
        .map(|judged| evaluate(judged, settings))
        .collect();
    let evaluations = evaluations.map_err(EngineError::from)?;
    let with = JudgeSettings { settings, usage };
    let output = &args.run.output;
    output.format.print(
        || judges_table(&evaluations, with, output.verbose.view()),
        || judges_json(&evaluations, with),
        || judges_csv(&evaluations),
    )?;
    Ok(Done::Fine)
}

/// Gathers judgments and shows progress.
struct Gather<F> {
    live: LiveGames,
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
