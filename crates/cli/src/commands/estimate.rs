//! `evenhand estimate`.

use crate::commands::rank::{RankArgs, adaptive_options};
use crate::job::{judge_scale, prepare_with, rank_options, reusable_for};
use crate::judges::read_judge_file;
use crate::{Done, Failed};
use evenhand_engine::{EngineError, TournamentItems, expected, open_known_runs, run_dir};
use evenhand_ranking::ItemSlices;
use evenhand_report::{EstimateReport, estimate_csv, estimate_json, estimate_table};
use evenhand_stats::SignTest;

/// The power that the detectable difference is stated for.
const POWER: f64 = 0.8;

/// Calls, tokens and the smallest detectable difference, before anything is spent. A calibrated
/// panel need not be fitted: its weights change no call.
pub(crate) fn estimate(args: &RankArgs) -> Result<Done, Failed> {
    let run = &args.run;
    let mut prepared = prepare_with(run, judge_scale(args.ranking.scale), read_judge_file(run)?)?;
    prepared.job = args.repeated(prepared.job)?;
    // What `rank` would refuse is not estimated either.
    rank_options(args, &prepared)?;
    adaptive_options(args, &prepared.job)?;
    if let Some(field) = &args.by {
        ItemSlices::read(&prepared.job.dataset, &run.data.options()?, field)?;
    }
    let (job, model) = (&prepared.job, prepared.model.as_ref());

    if run.reuse.store.is_some() {
        run.output.quiet.say(
            "--store: replies in the shared store are not counted here, as that would take a \
             lookup for each call",
        );
    }
    // Calls that neither the run directory nor another run answers already.
    let dir = run_dir(job, run.run.as_deref())?;
    let reusable = reusable_for(&run.reuse, job, model)?;
    let known = open_known_runs(&dir, job, &reusable)?;
    let estimate = evenhand_engine::estimate(job, model, &known)?;
    let costs = expected(&estimate, &prepared.prices);

    let (items, level) = (job.dataset.items.len(), args.ranking.resampling.level);
    let tournament = TournamentItems::of_job(job).map_err(EngineError::from)?;
    let ranked = tournament.map_or(items, |split| split.ranked());
    let questions = ranked.min(job.dataset.clusters().count() as usize);
    // The worst case: each question is won by one of the two systems alone.
    let test = SignTest {
        items: questions as u64,
        moved: 1.0,
        size: 1.0,
    };
    let detectable = test.detectable_mean(level, POWER).ok().flatten();
    let report = EstimateReport {
        judge: job.judge(),
        protocol: job.protocol.to_string(),
        design: job.design.to_string(),
        items,
        systems: job.dataset.systems.len(),
        are_scores: !job.compares(),
        detectable_difference: detectable.filter(|_| job.compares()),
        level,
        questions,
        deciding_judges: job.judges.deciding.len(),
        ..EstimateReport::default()
    };
    let report = report.with_counts(&estimate).with_costs(&estimate, &costs);
    run.output.format.print(
        || estimate_table(&report) + "\n",
        || estimate_json(&report),
        || estimate_csv(&report),
    )
}
