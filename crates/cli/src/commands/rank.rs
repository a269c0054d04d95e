//! `evenhand rank`.

use super::session::{describe_run, run_session, sum_usage};
use super::stop_on_ctrl_c;
use super::verdicts::check_coverage;
use crate::args::{RankArgs, RunArgs};
use crate::job::{Prepared, judge_scale, prepare, rank_options};
use crate::progress::Show;
use crate::{Done, Failed};
use evenhand_core::{Item, Judgment, Response};
use evenhand_engine::{
    AdaptiveOptions, AdaptiveReport, CertainFor, Collected, Design, Finished, Job, Progress,
    Report, Reviews, Sink, StepWeights, Tally, Until, item_weights,
};
use evenhand_protocols::Form;
use evenhand_report::{ranking_csv, ranking_json, ranking_table};
use std::mem::take;
use std::time::Instant;

/// Plan, judge, aggregate, rank, report.
pub(crate) fn rank(args: &RankArgs) -> Result<Done, Failed> {
    let started = Instant::now();
    let output = &args.run.output;
    let mut prepared = prepare(&args.run, judge_scale(args.ranking.scale))?;
    let options = rank_options(args, &prepared.job)?;
    let adaptive = adaptive_options(args, &prepared.job)?;
    if let Some(conditions) = &prepared.conditions {
        conditions.check(&prepared.job.dataset.systems)?;
    }
    let mut gather = Gather::new(args, &mut prepared)?;
    let judged = judge_trials(&args.run, &mut prepared, &mut gather, adaptive.as_ref());
    gather.show.end();
    let (finished, found) = judged?;
    let report = evenhand_engine::rank(&prepared.job, &gather.collected, &options)?;
    let report = complete_report(report, &gather, found);
    let usage = sum_usage(&finished, &prepared.prices, started);
    output.format.print(
        || ranking_table(&report, &usage, output.verbose.view()) + "\n",
        || ranking_json(&report, &usage),
        || ranking_csv(&report),
    )?;
    output.quiet.say(&describe_run(&finished, &args.run));
    check_coverage(&gather.tally, output.min_coverage, &finished.dir)?;
    prepared.end_by_conditions(&report)
}

/// Judges the whole plan, or as much of it as an adaptive design needs.
fn judge_trials(
    args: &RunArgs,
    prepared: &mut Prepared,
    gather: &mut Gather,
    adaptive: Option<&AdaptiveOptions>,
) -> Result<(Finished, Option<AdaptiveReport>), Failed> {
    let stop = stop_on_ctrl_c()?;
    run_session(args, prepared, gather, &stop, |session, job| {
        let Some(options) = adaptive else {
            return Ok((session.run(job)?, None));
        };
        let (finished, found) = session.run_adaptive(job, options)?;
        Ok((finished, Some(found)))
    })
}

/// Adds what only the run knows: its first failures, and what an adaptive design found out.
fn complete_report(report: Report, gather: &Gather, found: Option<AdaptiveReport>) -> Report {
    let report = Report {
        first_failures: gather.tally.failures(),
        ..report
    };
    match found {
        Some(found) => report.with_adaptive(found),
        None => report,
    }
}

/// Returns what an adaptive design is to find out.
///
/// # Errors
/// Its flags, where the design is another.
fn adaptive_options(args: &RankArgs, job: &Job) -> Result<Option<AdaptiveOptions>, Failed> {
    if job.design != Design::Adaptive {
        if has_adaptive_flags(args) {
            return Err(Failed::usage(
                "--until, --certain-for, --budget and --item-weights are for --design adaptive",
            ));
        }
        return Ok(None);
    }
    let weights = match &args.item_weights {
        Some(file) => Some(item_weights(file, &job.dataset)?),
        None => None,
    };
    Ok(Some(AdaptiveOptions {
        until: args.until,
        certain_for: args.certain_for,
        certainty: args.ranking.resampling.level,
        budget: args.budget,
        weights,
    }))
}

fn has_adaptive_flags(args: &RankArgs) -> bool {
    args.until != Until::All
        || args.certain_for != CertainFor::Items
        || args.budget.is_some()
        || args.item_weights.is_some()
}

/// Returns the weights of a verdict's steps; only a form with five of them has any.
fn step_weights(given: Option<&[f64]>, job: &Job) -> Result<Option<StepWeights>, Failed> {
    let Some(given) = given else { return Ok(None) };
    let form = job.protocol.form();
    if form != Form::Pairwise5Point {
        return Err(Failed::usage(format!(
            "--strength: {form} has no steps; it is for pairwise-5point"
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

impl Gather {
    fn new(args: &RankArgs, prepared: &mut Prepared) -> Result<Gather, Failed> {
        let mut collected = Collected::default();
        collected.strength = step_weights(args.strength.as_deref(), &prepared.job)?;
        Ok(Gather {
            collected,
            reviews: take(&mut prepared.reviews),
            tally: Tally::default(),
            show: Show::new(args.run.output.quiet, prepared.job.plan.len()),
        })
    }
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
