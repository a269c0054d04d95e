//! `evenhand meta consistency`.

use crate::args::help::{DATA, STATISTICS};
use crate::args::{FigureArgs, JudgeScaleArgs, MachineArgs, ResamplingArgs, RunArgs};
use crate::commands::figure::{check_place, draw_first};
use crate::commands::session::{judge_plan, report_judgments, sum_usage};
use crate::condition::end_by_gates;
use crate::data::read_text;
use crate::job::{prepare, reject_adaptive};
use crate::{Done, Failed};
use clap::Args;
use evenhand_core::{FailureKind, Verdict, VerdictSource};
use evenhand_engine::Job;
use evenhand_protocols::Presentation;
use evenhand_ranking::{Collected, ItemSlices};
use evenhand_report::figures::figures_of_consistency;
use evenhand_report::meta::{ConsistencyOf, consistency_csv, consistency_json, consistency_table};
use evenhand_studies::consistency::{
    GoldVerdicts, PairCollector, PerThousand, measure_consistency,
};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Which judge's consistency is measured.
#[derive(Debug, Args)]
pub(crate) struct MetaConsistencyArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) scale: JudgeScaleArgs,
    /// Another judge's judgments of the same pairs, to measure agreement with
    ///
    /// As `judge --protocol .../swap:none --format json` writes them: pairs on which its two orders
    /// disagree have no verdict there, and are left out.
    #[arg(long, value_name = "FILE", help_heading = DATA)]
    pub(crate) gold: Option<PathBuf>,
    /// Also give the figures by value of an item's FIELD
    ///
    /// Such as category or language: consistency, refusals and answers, with one test of whether
    /// the values differ, corrected for all of them.
    #[arg(long, value_name = "FIELD", help_heading = STATISTICS)]
    pub(crate) by: Option<String>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    #[command(flatten)]
    pub(crate) resampling: ResamplingArgs,
    #[command(flatten)]
    pub(crate) figure: FigureArgs,
}

/// Consistency of a judge before and after its answers are split.
pub(super) fn measure(args: &MetaConsistencyArgs) -> Result<Done, Failed> {
    let started = Instant::now();
    let plan = (args.resampling).plan(args.run.ask.seed, args.run.compute.threads.count())?;
    let figure = args.figure.path();
    check_place(figure)?;
    let gold = args.gold.as_deref().map(read_gold).transpose()?;
    let mut prepared = prepare(&args.run, args.scale.scale)?;
    check_protocol(&prepared.job)?;
    prepared.check_conditions_without_systems()?;
    let slices = match &args.by {
        Some(field) => {
            let options = args.run.data.options()?;
            Some(ItemSlices::read(&prepared.job.dataset, &options, field)?)
        }
        None => None,
    };
    let mut collector = PairCollector {
        slices,
        ..PairCollector::default()
    };
    let mut collected = Collected::default();
    let finished = judge_plan(&args.run, &mut prepared, |judgment, item, responses| {
        collector.add(judgment, item, responses);
        // Where a judgment failed because its looks disagree, a look stands in the place of its
        // verdict: that is what is measured here, and no failure of the judge to answer.
        let disagrees =
            matches!(&judgment.outcome, Err(failure) if failure.kind == FailureKind::Inconsistent);
        if let Some(look) = judgment.looks.first().filter(|_| disagrees) {
            judgment.outcome = look.outcome.clone();
        }
        collected.add(judgment, responses);
    })?;
    let (pairs, same) = (collector.pairs, collector.same);
    if pairs.is_empty() && same > 0 {
        return Err(Failed::run(
            "both responses of every pair are the same, so there is no consistency to measure",
        ));
    }
    if same > 0 {
        args.run.output.quiet.say(&format!(
            "{same} of {} pairs have two identical responses and are left out: both orders are the \
             same prompt",
            pairs.len() + same
        ));
    }
    let report = measure_consistency(&pairs, gold.as_ref(), args.by.as_deref(), &plan)
        .map_err(|error| Failed::run(error.to_string()))?;
    let usage = sum_usage(&finished, &prepared.prices, started);
    // Time is known only where this process asked for every call.
    let asked_all = finished.progress.calls == usage.total.calls;
    let seconds = asked_all.then_some(usage.seconds);
    let judgments = (pairs.len() + same) as u64;
    let machine = args.machine.machine();
    let of = ConsistencyOf {
        judge: &prepared.job.judges.panel.join(", "),
        protocol: &prepared.job.protocol.to_string(),
        level: plan.level,
        per_thousand: PerThousand::of(judgments, usage.total.cost_usd, seconds, machine),
    };
    let judged = report_judgments(&args.run, &prepared, &collected)?;
    let gates = prepared.decide_gates(&judged);
    let decided = gates.as_deref().unwrap_or_default();
    args.run.output.format.print_gated(
        decided,
        || consistency_table(&report, of),
        || consistency_json(&report, of, decided),
        || consistency_csv(&report),
    )?;
    draw_first(figure, || figures_of_consistency(&report, plan.level))?;
    Ok(end_by_gates(&gates?))
}

/// Refuses protocols whose judgments are not made of both orders.
fn check_protocol(job: &Job) -> Result<(), Failed> {
    reject_adaptive(job, "meta consistency")?;
    let shows_both = job.protocol.presentation() == Presentation::BothWithinTrial;
    if shows_both && job.judges.panel.len() == 1 {
        return Ok(());
    }
    Err(Failed::usage(format!(
        "--protocol {}: consistency takes both orders of a pair in one judgment, by one judge; use \
         portia:K,original-first, or swap:none to measure the pairs as they are",
        job.protocol
    )))
}

/// A judgment as `judge --format json` writes it, as far as it is needed.
#[derive(Deserialize)]
struct GoldLine {
    item: String,
    first: String,
    second: String,
    p_first: Option<f64>,
    p_tie: Option<f64>,
    p_second: Option<f64>,
}

fn read_gold(path: &Path) -> Result<GoldVerdicts, Failed> {
    let text = read_text("--gold", path)?;
    let mut gold = GoldVerdicts::default();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let line: GoldLine = serde_json::from_str(line).map_err(|error| {
            Failed::usage(format!(
                "--gold {}: line {number}: {error}; expected judgments as `evenhand judge --format \
                 json` writes them",
                path.display()
            ))
        })?;
        let chances = line.p_first.zip(line.p_tie).zip(line.p_second);
        let side = chances.and_then(|((first, tie), second)| {
            Verdict::pair([first, tie, second], 0.0, VerdictSource::Text).side()
        });
        gold.add(&line.item, [&line.first, &line.second], side);
    }
    Ok(gold)
}
