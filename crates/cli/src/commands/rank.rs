//! `evenhand rank`.

use super::stop_on_ctrl_c;
use super::verdicts::check_coverage;
use crate::args::{RankArgs, RunArgs};
use crate::job::{Prepared, judge_scale, prepare, rank_options, reusable_for};
use crate::progress::Show;
use crate::{Done, Failed};
use evenhand_core::{Item, Judgment, Response};
use evenhand_engine::{
    AdaptiveOptions, CertainFor, Collected, Design, EngineError, Finished, Job, PriceTable,
    Progress, Report, Reviews, Session, Sink, StepWeights, Tally, Until, item_weights, open_store,
    spent,
};
use evenhand_protocols::Form;
use evenhand_report::{Usage, ranking_csv, ranking_json, ranking_table};
use std::time::Instant;

/// Plan, judge, aggregate, rank, report.
pub(crate) fn rank(args: &RankArgs) -> Result<Done, Failed> {
    let started = Instant::now();
    let Prepared {
        job,
        mut model,
        conditions,
        reviews,
        limits,
        prices,
    } = prepare(&args.run, judge_scale(args.ranking.scale))?;
    let options = rank_options(args, &job)?;
    let adaptive = adaptive(args, &job)?;
    if let Some(conditions) = &conditions {
        conditions.check(&job.dataset.systems)?;
    }
    let mut store = open_store(
        &job,
        args.run.run.as_deref(),
        &reusable_for(&args.run, &job, model.as_ref())?,
    )?;
    let mut collected = Collected::default();
    collected.strength = strength(args.strength.as_deref(), &job)?;
    let mut gather = Gather {
        collected,
        reviews,
        tally: Tally::default(),
        show: Show::new(args.run.output.quiet.quiet, job.plan.len()),
    };
    let dir = store.dir().to_path_buf();
    let stop = stop_on_ctrl_c()?;
    let mut session = Session::new(model.as_mut(), &mut store, &mut gather)
        .with_limits(limits)
        .with_stop(&stop);
    let finished = match &adaptive {
        None => session.run(&job).map(|finished| (finished, None)),
        Some(options) => session
            .run_adaptive(&job, options)
            .map(|(finished, found)| (finished, Some(found))),
    };
    // Another process may have the run directory while this one ranks.
    drop(store);
    gather.show.end();
    let (finished, found) = finished.map_err(|error| ended(error, &dir))?;
    let report = evenhand_engine::rank(&job, &gather.collected, &options)?;
    let report = match found {
        Some(found) => report.with_adaptive(found),
        None => report,
    };
    let report = Report {
        first_failures: gather.tally.failures(),
        ..report
    };
    let usage = usage(&finished, &prices, started);
    args.run.output.format.print(
        || ranking_table(&report, &usage, args.run.output.verbose.view()) + "\n",
        || ranking_json(&report, &usage),
        || ranking_csv(&report),
    )?;
    args.run.output.quiet.say(&kept(&finished, &args.run));
    check_coverage(&gather.tally, args.run.output.min_coverage, &finished.dir)?;
    conditions.map_or(Ok(Done::Fine), |conditions| conditions.end(&report))
}

/// What an adaptive design is to find out; its flags are for nothing else.
fn adaptive(args: &RankArgs, job: &Job) -> Result<Option<AdaptiveOptions>, Failed> {
    if job.design == Design::Adaptive {
        let weights = args
            .item_weights
            .as_deref()
            .map(|path| item_weights(path, &job.dataset))
            .transpose()?;
        let (until, certain_for, budget) = (args.until, args.certain_for, args.budget);
        return Ok(Some(AdaptiveOptions {
            until,
            certain_for,
            certainty: args.ranking.resampling.level,
            budget,
            weights,
        }));
    }
    match args.until != Until::All
        || args.certain_for != CertainFor::Items
        || args.budget.is_some()
        || args.item_weights.is_some()
    {
        true => Err(Failed::Usage(
            "--until, --certain-for, --budget and --item-weights are for --design adaptive".into(),
        )),
        false => Ok(None),
    }
}

/// What the steps of a verdict count; only a form with five of them has any.
fn strength(given: Option<&[f64]>, job: &Job) -> Result<Option<StepWeights>, Failed> {
    let Some(given) = given else { return Ok(None) };
    if job.protocol.form() != Form::Pairwise5Point {
        return Err(Failed::Usage(format!(
            "--strength: {} has no steps; it is for pairwise-5point",
            job.protocol.form()
        )));
    }
    Ok(Some(StepWeights::new(given)?))
}

/// Gathers judgments and shows progress.
struct Gather {
    collected: Collected,
    reviews: Reviews,
    tally: Tally,
    show: Show,
}

impl Sink for Gather {
    fn judgment(&mut self, mut judgment: Judgment, item: &Item, responses: &[Response]) {
        self.reviews.apply(&mut judgment, item, responses);
        self.tally.add(&judgment, item, responses);
        self.collected.add(&judgment);
    }

    fn progress(&mut self, progress: Progress) {
        self.show.update(progress);
    }

    fn note(&mut self, note: &str) {
        self.collected.notes.push(note.into());
        self.show.note(note);
    }
}

pub(super) fn usage(finished: &Finished, prices: &PriceTable, started: Instant) -> Usage {
    Usage::new(
        &spent(&finished.totals, prices),
        started.elapsed().as_secs_f64(),
    )
}

/// Says where the run is, what this process had to ask, and what it copied from other runs where
/// there are any.
pub(super) fn kept(finished: &Finished, args: &RunArgs) -> String {
    let Progress { calls, reused, .. } = finished.progress;
    let stored = finished
        .totals
        .iter()
        .map(|judge| judge.calls)
        .sum::<u64>()
        .saturating_sub(calls + reused);
    let from_others = if args.reuse.reuse.is_empty() && reused == 0 {
        String::new()
    } else {
        reused_from(finished)
    };
    format!(
        "run kept in {}: {calls} calls made now, {from_others}{stored} answered from the store",
        finished.dir.display()
    )
}

fn reused_from(finished: &Finished) -> String {
    let calls = finished.progress.reused;
    let from: Vec<String> = finished
        .reused_from
        .iter()
        .map(|(run, calls)| format!("{} {calls}", run.display()))
        .collect();
    let from = if from.is_empty() {
        String::new()
    } else {
        format!(" ({})", from.join(", "))
    };
    format!("{calls} reused from other runs{from}, ")
}

pub(super) fn ended(error: EngineError, dir: &std::path::Path) -> Failed {
    match error {
        EngineError::Stopped { .. } | EngineError::Limit { .. } => {
            Failed::Run(format!("{error} (run directory {})", dir.display()))
        }
        error => error.into(),
    }
}
