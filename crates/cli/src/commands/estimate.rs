//! `evenhand estimate`.

use crate::args::{RankArgs, RunArgs};
use crate::job::{Prepared, judge_scale, prepare_with, rank_options, reusable_for};
use crate::judges::read_panel;
use crate::{Done, Failed};
use evenhand_engine::{EngineError, Estimate, Job, expected, open_known_runs, run_dir};
use evenhand_report::{EstimateReport, estimate_csv, estimate_json, estimate_table};
use evenhand_stats::minimum_detectable_difference;

/// The power that the detectable difference is stated for.
const POWER: f64 = 0.8;
/// The largest standard deviation that one item's difference of two win shares can have.
const WORST_SD: f64 = 1.0;

/// Calls, tokens and the smallest detectable difference, before anything is spent. A calibrated
/// panel need not be fitted: its weights change no call.
pub(crate) fn estimate(args: &RankArgs) -> Result<Done, Failed> {
    let prepared = prepare_estimate(args)?;
    let report = build_report(args, &prepared)?;
    args.run.output.format.print(
        || estimate_table(&report) + "\n",
        || estimate_json(&report),
        || estimate_csv(&report),
    )
}

fn prepare_estimate(args: &RankArgs) -> Result<Prepared, Failed> {
    let (run, scale) = (&args.run, judge_scale(args.ranking.scale));
    let prepared = prepare_with(run, scale, read_panel(run)?)?;
    // What `rank` would refuse is not estimated either.
    rank_options(args, &prepared)?;
    Ok(prepared)
}

fn build_report(args: &RankArgs, prepared: &Prepared) -> Result<EstimateReport, Failed> {
    let estimate = estimate_calls(&args.run, prepared)?;
    let costs = expected(&estimate, &prepared.prices);
    let plan = describe_plan(&prepared.job, args.ranking.resampling.level);
    Ok(plan.with_counts(&estimate).with_costs(&estimate, &costs))
}

/// Counts the calls that neither the run directory nor another run answers already.
fn estimate_calls(args: &RunArgs, prepared: &Prepared) -> Result<Estimate, EngineError> {
    let (job, model) = (&prepared.job, prepared.model.as_ref());
    let run = run_dir(job, args.run.as_deref())?;
    let reusable = reusable_for(args, job, model)?;
    let known = open_known_runs(&run, job, &reusable)?;
    evenhand_engine::estimate(job, model, &known)
}

fn describe_plan(job: &Job, level: f64) -> EstimateReport {
    let items = job.dataset.items.len();
    EstimateReport {
        judge: job.judge(),
        protocol: job.protocol.to_string(),
        design: job.design.to_string(),
        items,
        systems: job.dataset.systems.len(),
        detectable_difference: minimum_detectable_difference(items, WORST_SD, level, POWER).ok(),
        level,
        ..EstimateReport::default()
    }
}
