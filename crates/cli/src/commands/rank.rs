//! `evenhand rank`.

use super::figure::{check_place, draw_first};
use super::report::Reported;
use super::session::{conclude_run, run_session, sum_usage};
use super::stop_on_ctrl_c;
use super::verdicts::show_replies;
use crate::args::{OutputArgs, RankArgs, RunArgs};
use crate::job::{Prepared, judge_scale, prepare, rank_options};
use crate::progress::Show;
use crate::{Done, Failed};
use evenhand_core::{Item, Judgment, Response};
use evenhand_engine::{
    AdaptiveOptions, AdaptiveReport, CertainFor, Collected, Design, EngineError, Finished,
    ItemSlices, Job, PriceTable, Progress, RankOptions, Report, Reviews, ScoreUnit, Session, Sink,
    StepWeights, Tally, TurnRanking, Until, check_repeats, item_weights, rank_slices,
};
use evenhand_protocols::Form;
use evenhand_report::figures::figures_of_ranking;
use evenhand_report::{Usage, ranking_csv, ranking_json, ranking_table};
use std::collections::BTreeMap;
use std::mem::take;
use std::path::Path;
use std::time::Instant;

/// Plan, judge, aggregate, rank, report.
pub(crate) fn rank(args: &RankArgs) -> Result<Done, Failed> {
    let started = Instant::now();
    let figure = args.figure.figure.as_deref();
    check_place(figure)?;
    let mut prepared = prepare(&args.run_with_covariates(), judge_scale(args.ranking.scale))?;
    prepared.job = prepared.job.repeated(args.repeats);
    check_repeats(&prepared.job).map_err(EngineError::from)?;
    let plan = RankPlan::new(args, &prepared)?;
    args.report.check()?;
    let mut gather = Gather::new(args, &mut prepared)?;
    let (finished, found) = judge_trials(&args.run, &mut prepared, &mut gather, &plan)?;
    let report = rank_gathered(&prepared.job, &gather, &plan.options)?;
    let report = complete_report(report, &gather, found, &finished.dir);
    let usage = sum_usage(&finished, &prepared.prices, started);
    print_report(&args.run.output, &report, &usage)?;
    let run = (&*finished.dir, &prepared.prices);
    publish_report(args, &report, &usage, run)?;
    conclude_run(&finished, &args.run, &gather.tally)?;
    draw_first(figure, || figures_of_ranking(&report))?;
    prepared.end_by_conditions(&report)
}

/// Ranks the systems, by all judgments and by those of each turn.
fn rank_gathered(job: &Job, gather: &Gather, options: &RankOptions) -> Result<Report, EngineError> {
    let report = evenhand_engine::rank(job, &gather.collected, options)?;
    let turns = rank_turns(job, gather, options)?;
    let report = Report { turns, ..report };
    match &gather.by {
        Some((field, _)) => rank_slices(report, job, field, &gather.by_slice, options),
        None => Ok(report),
    }
}

/// How the ranking is made, checked before anything is judged.
struct RankPlan {
    options: RankOptions,
    /// The options of an adaptive design; None for the other designs.
    adaptive: Option<AdaptiveOptions>,
}

impl RankPlan {
    fn new(args: &RankArgs, prepared: &Prepared) -> Result<RankPlan, Failed> {
        let Prepared {
            job, conditions, ..
        } = prepared;
        let plan = RankPlan {
            options: rank_options(args, prepared)?,
            adaptive: adaptive_options(args, job)?,
        };
        if let Some(conditions) = conditions {
            conditions.check(&job.dataset.systems)?;
            let aggregation = plan.options.check(job)?;
            // What points are is no matter: only the unit of shares has limits.
            conditions.check_unit(aggregation.unit(plan.options.scale, ScoreUnit::FormPoints))?;
        }
        Ok(plan)
    }
}

fn publish_report(
    args: &RankArgs,
    report: &Report,
    usage: &Usage,
    run: (&Path, &PriceTable),
) -> Result<(), Failed> {
    let reported = Reported {
        command: "rank",
        title: run.0.display().to_string(),
        json: ranking_json(report, usage),
        figures: figures_of_ranking(report),
        run: Some(run),
    };
    args.report.publish(args.run.output.quiet, reported)
}

fn print_report(output: &OutputArgs, report: &Report, usage: &Usage) -> Result<Done, Failed> {
    output.format.print_ranking(
        report,
        || ranking_table(report, usage, output.verbose.view()) + "\n",
        || ranking_json(report, usage),
        || ranking_csv(report),
    )
}

/// Ranks by each turn alone, where turns are items of their own and more than one was judged.
fn rank_turns(
    job: &Job,
    gather: &Gather,
    options: &RankOptions,
) -> Result<Vec<TurnRanking>, EngineError> {
    if gather.by_turn.len() < 2 {
        return Ok(Vec::new());
    }
    let turns = gather.by_turn.iter();
    let rankings = turns.map(|(turn, collected)| {
        let report = evenhand_engine::rank(job, collected, options)?;
        Ok(TurnRanking {
            turn: *turn,
            ranking: report.ranking,
        })
    });
    rankings.collect()
}

/// Judges the whole plan, or as much of it as an adaptive design needs.
fn judge_trials(
    args: &RunArgs,
    prepared: &mut Prepared,
    gather: &mut Gather,
    plan: &RankPlan,
) -> Result<(Finished, Option<AdaptiveReport>), Failed> {
    let stop = stop_on_ctrl_c()?;
    let judged = run_session(args, prepared, gather, &stop, |session, job| {
        plan.judge(session, job)
    });
    gather.show.end();
    judged
}

/// Adds what only the run knows: its first failures, and what an adaptive design found out.
fn complete_report(
    mut report: Report,
    gather: &Gather,
    found: Option<AdaptiveReport>,
    run: &Path,
) -> Report {
    report.first_failures = gather.tally.failures();
    report.readings = show_replies(gather.tally.readings(), run);
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
        check_no_adaptive_flags(args)?;
        return Ok(None);
    }
    if args.repeats > 1 {
        return Err(Failed::usage(
            "--repeats is not for --design adaptive, which chooses what is judged next",
        ));
    }
    let weights = args.item_weights.as_ref();
    Ok(Some(AdaptiveOptions {
        until: args.until,
        certain_for: args.certain_for,
        certainty: args.ranking.resampling.level,
        budget: args.budget,
        weights: weights
            .map(|file| item_weights(file, &job.dataset))
            .transpose()?,
    }))
}

fn check_no_adaptive_flags(args: &RankArgs) -> Result<(), Failed> {
    if has_adaptive_flags(args) {
        return Err(Failed::usage(
            "--until, --certain-for, --budget and --item-weights are for --design adaptive",
        ));
    }
    Ok(())
}

fn has_adaptive_flags(args: &RankArgs) -> bool {
    args.until != Until::All
        || args.certain_for != CertainFor::Items
        || args.budget.is_some()
        || args.item_weights.is_some()
}

/// Returns the weights of a verdict's steps; only a form with five of them has any.
fn step_weights(given: Option<&[f64]>, job: &Job) -> Result<Option<StepWeights>, Failed> {
    if given.is_some() {
        check_steps(job.protocol.form())?;
    }
    Ok(given.map(StepWeights::new).transpose()?)
}

fn check_steps(form: Form) -> Result<(), Failed> {
    if form == Form::Pairwise5Point {
        return Ok(());
    }
    Err(Failed::usage(format!(
        "--strength: {form} has no steps; it is for pairwise-5point"
    )))
}

impl RankPlan {
    /// Judges everything, or as much as an adaptive design needs.
    fn judge(
        &self,
        session: &mut Session<'_>,
        job: &Job,
    ) -> Result<(Finished, Option<AdaptiveReport>), EngineError> {
        let Some(options) = &self.adaptive else {
            return Ok((session.run(job)?, None));
        };
        let (finished, found) = session.run_adaptive(job, options)?;
        Ok((finished, Some(found)))
    }
}

/// Gathers judgments and shows progress.
struct Gather {
    collected: Collected,
    /// The judgments of each turn, where turns are items of their own.
    by_turn: BTreeMap<u32, Collected>,
    /// The field whose slices are ranked, and the slice of each item.
    by: Option<(String, ItemSlices)>,
    /// The judgments of each slice.
    by_slice: BTreeMap<String, Collected>,
    reviews: Reviews,
    tally: Tally,
    show: Show,
}

impl Gather {
    fn new(args: &RankArgs, prepared: &mut Prepared) -> Result<Gather, Failed> {
        let collected = Collected {
            strength: step_weights(args.strength.as_deref(), &prepared.job)?,
            ..Collected::default()
        };
        Ok(Gather {
            collected,
            by_turn: BTreeMap::new(),
            by: read_slices(args, &prepared.job)?,
            by_slice: BTreeMap::new(),
            reviews: take(&mut prepared.reviews),
            tally: Tally::default(),
            show: Show::new(args.run.output.quiet, prepared.job.plan.len()),
        })
    }
}

impl Gather {
    fn of_turn(&mut self, turn: u32) -> &mut Collected {
        let strength = &self.collected.strength;
        self.by_turn
            .entry(turn)
            .or_insert_with(|| collected_by(strength))
    }

    fn of_slice(&mut self, value: String) -> &mut Collected {
        let strength = &self.collected.strength;
        self.by_slice
            .entry(value)
            .or_insert_with(|| collected_by(strength))
    }
}

fn read_slices(args: &RankArgs, job: &Job) -> Result<Option<(String, ItemSlices)>, Failed> {
    let Some(field) = &args.by else {
        return Ok(None);
    };
    let options = args.run.data.options()?;
    let slices = ItemSlices::read(&job.dataset, &options, field)?;
    Ok(Some((field.clone(), slices)))
}

fn collected_by(strength: &Option<StepWeights>) -> Collected {
    let mut collected = Collected::default();
    collected.strength.clone_from(strength);
    collected
}

impl Sink for Gather {
    fn judgment(&mut self, mut judgment: Judgment, item: &Item, responses: &[Response]) {
        self.reviews.apply(&mut judgment, item, responses);
        self.tally.add(&judgment, item, responses);
        self.collected.add(&judgment);
        if let Some(turn) = item.turn {
            self.of_turn(turn).add(&judgment);
        }
        if let Some((_, slices)) = &self.by {
            let value = slices.of_item(item);
            self.of_slice(value).add(&judgment);
        }
    }

    fn progress(&mut self, progress: Progress) {
        self.show.update(progress);
    }

    fn note(&mut self, note: &str) {
        self.collected.notes.push(note.into());
        self.show.note(note);
    }
}
