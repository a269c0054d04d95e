//! The part of `meta judge` with and without `--fit`: it judges the labelled pairs, and prints how
//! judges agree with the labels.

use crate::args::{ReportFileArgs, RunArgs};
use crate::commands::figure::{check_place, draw_first};
use crate::commands::meta::judge::{AtlasArgs, MetaJudgeArgs};
use crate::commands::report::{Reported, check_file_place};
use crate::commands::session::{judge_plan, sum_usage};
use crate::commands::write_asked;
use crate::condition::{decide_by_rows, end_by_gates, parse_conditions};
use crate::job::Prepared;
use crate::{Done, Failed};
use evenhand_compare::gate::{Figure, Gate, Grammar};
use evenhand_core::Judgment;
use evenhand_engine::{EngineError, PriceTable};
use evenhand_report::Usage;
use evenhand_report::figures::figures_of_judges;
use evenhand_report::meta::{
    AtlasSet, JudgeSettings, atlas_rows, judges_csv, judges_json, judges_table,
};
use evenhand_studies::judge::{
    Evaluation, Failures, JudgedPairs, LiveGames, Measures, PairedDifferences, Settings, Subsets,
    Ties, Votes, evaluate, paired_differences, test_subsets,
};
use std::mem::take;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// The figures that conditions can be on, over all pairs of a judge.
static CONDITIONS: Grammar<Measures> = Grammar::of_figures(&[
    Figure::share("accuracy", |judge| judge.accuracy.value),
    Figure::share("accuracy_both", |judge| judge.accuracy_both.value),
    Figure::share("consistency", |judge| judge.consistency.value),
    Figure::share("first_slot", |judge| judge.first_slot.value),
    Figure::coefficient("kappa", |judge| judge.kappa.value),
    Figure::coefficient("kappa_averaged", |judge| judge.kappa_averaged.value),
    Figure::share("sensitivity", |judge| judge.sensitivity.value),
    Figure::share("specificity", |judge| judge.specificity.value),
    Figure::share("brier", |judge| judge.brier.value),
    Figure::share("calibration_error", |judge| judge.calibration_error.value),
    Figure::share("coverage", |judge| {
        let (trials, verdicts) = (judge.coverage.trials, judge.coverage.verdicts);
        (trials > 0).then(|| verdicts as f64 / trials as f64)
    }),
    Figure::count("failures", |judge| {
        Some((judge.coverage.trials - judge.coverage.verdicts) as f64)
    }),
]);

fn conditions(args: &MetaJudgeArgs) -> Result<Vec<Gate>, Failed> {
    parse_conditions(args.run.output.fail_if.as_deref(), &CONDITIONS)
}

/// Returns how verdicts are held against labels.
pub(super) fn read_settings(args: &MetaJudgeArgs) -> Result<Settings, Failed> {
    let threads = args.run.compute.threads.count();
    let bootstrap = args.resampling.plan(args.run.ask.seed, threads)?;
    // Unreadable conditions are refused before anything is judged.
    conditions(args)?;
    check_place(args.figure.path())?;
    if let Some(path) = &args.atlas.publish {
        check_file_place(path)?;
        let is_usual = args.ties == Ties::default() && args.failures == Failures::default();
        if !is_usual || args.votes != Votes::default() || bootstrap.level != 0.95 {
            return Err(Failed::usage(
                "--publish: the atlas measures all judges in one way; leave --ties, --failures, \
                 --votes and --level out",
            ));
        }
    }
    Ok(Settings {
        ties: args.ties,
        failures: args.failures,
        bootstrap,
    })
}

/// Returns the arguments of a run that judges the labelled pairs and no other.
pub(super) fn labelled_run(args: &MetaJudgeArgs) -> Result<RunArgs, Failed> {
    let mut run = args.run.clone();
    if run.ask.design != "labelled" {
        return Err(Failed::usage(
            "--design: the labelled pairs are judged; leave it out",
        ));
    }
    run.data.by.clone_from(&args.parts.by);
    // No other responses are judged, so no other is expected.
    run.data.labelled_only = true;
    // Conditions are on the figures of judges, not on those of a ranking.
    run.output.fail_if = None;
    Ok(run)
}

/// The labelled pairs, judged.
pub(super) struct Judged {
    pub(super) pairs: JudgedPairs,
    pub(super) usage: Usage,
    /// The run directory.
    pub(super) dir: PathBuf,
    pub(super) prices: PriceTable,
}

/// Judges the pairs; `each` is shown every judgment, with the systems' names.
pub(super) fn judge_pairs(
    run: &RunArgs,
    mut prepared: Prepared,
    mut each: impl FnMut(&Judgment, &[Arc<str>]),
) -> Result<Judged, Failed> {
    let started = Instant::now();
    let mut live = LiveGames::new(&prepared.job)?;
    let reviews = take(&mut prepared.reviews);
    let systems = prepared.job.dataset.systems.clone();
    let finished = judge_plan(run, &mut prepared, |judgment, item, responses| {
        reviews.apply(judgment, item, responses);
        each(judgment, &systems);
        live.add(judgment);
    })?;
    Ok(Judged {
        pairs: live.finish(),
        usage: sum_usage(&finished, &prepared.prices, started),
        dir: finished.dir,
        prices: prepared.prices,
    })
}

/// Prints the figures of judges, and keeps them in the runs in which these were asked: none where
/// they were recorded, one of a panel or of one judge, or one of each.
// Long, and flat: what is measured, then each place where it goes.
pub(super) fn print_evaluations(
    args: &MetaJudgeArgs,
    judged: &[JudgedPairs],
    live: &[Judged],
    settings: &Settings,
) -> Result<Done, Failed> {
    let counted = judged.iter().cloned().map(|one| one.counted_by(args.votes));
    let judged = &counted.collect::<Vec<_>>();
    let mut evaluations = Vec::new();
    for pairs in judged {
        evaluations.push(evaluate(pairs, settings).map_err(EngineError::from)?);
    }
    let compared = match judged.len() > MOST_COMPARED {
        true => {
            args.run.output.quiet.say(&format!(
                "the {} judges are not compared with one another: at most {MOST_COMPARED} are",
                judged.len()
            ));
            PairedDifferences::default()
        }
        false => paired_differences(judged, settings).map_err(EngineError::from)?,
    };
    // What the parts of the input set are values of.
    let parts = match (&args.parts.by, args.subsets) {
        (Some(field), _) => field,
        (None, Subsets::Category) => "category",
        (None, Subsets::File) => "file",
    };
    let interaction = test_subsets(judged, parts, settings);
    let interaction = interaction.as_ref();
    let usage = (!live.is_empty()).then(|| Usage::sum(live.iter().map(|one| &one.usage)));
    let with = JudgeSettings {
        settings,
        differences: &compared.differences,
        not_compared: &compared.not_compared,
        interaction,
        usage: usage.as_ref(),
    };
    let output = &args.run.output;
    let gates = decide_by_rows(
        &conditions(args)?,
        &CONDITIONS,
        &evaluations,
        |judge| (&judge.judge, &judge.total.measures),
        None,
    );
    let decided = gates.as_deref().unwrap_or_default();
    output.format.print_gated(
        decided,
        || judges_table(&evaluations, with, output.verbose.view()),
        || judges_json(&evaluations, with, decided),
        || judges_csv(&evaluations, interaction),
    )?;
    let level = settings.bootstrap.level;
    let figures = || figures_of_judges(&evaluations, &compared.differences, interaction, level);
    let judges = evaluations
        .iter()
        .map(|evaluation| evaluation.judge.as_str());
    let title = judges.collect::<Vec<_>>().join(", ");
    let reported = |run| Reported {
        command: "meta judge",
        title: title.clone(),
        files: Vec::new(),
        json: judges_json(&evaluations, with, decided),
        figures: figures(),
        run,
    };
    let only = match live {
        [only] => Some((&*only.dir, &only.prices)),
        several => {
            // The run of each shows all, and the file is of none.
            let no_file = ReportFileArgs { report: None };
            for one in several {
                no_file.publish(output.quiet, reported(Some((&*one.dir, &one.prices))))?;
            }
            None
        }
    };
    args.report.publish(output.quiet, reported(only))?;
    draw_first(args.figure.path(), figures)?;
    let AtlasArgs {
        publish,
        set,
        source,
        licence,
    } = &args.atlas;
    if let (Some(path), Some(set), Some(source), Some(licence)) = (publish, set, source, licence) {
        let of = AtlasSet {
            set,
            source,
            licence,
        };
        let is_in_one_order = |one: &&Evaluation| {
            let measures = &one.total.measures;
            measures.accuracy_forward.value.is_some() && measures.accuracy_swapped.value.is_none()
        };
        if let Some(judge) = evaluations.iter().find(is_in_one_order) {
            return Err(Failed::usage(format!(
                "--publish: {} judged each pair in one order, and the atlas is over both; judge \
                 with a protocol that shows both, such as pairwise/direct/swap",
                judge.judge
            )));
        }
        let cost_usd = usage.and_then(|usage| usage.total.cost_usd);
        write_asked(path, atlas_rows(&evaluations, of, cost_usd).as_bytes())?;
    }
    Ok(end_by_gates(&gates?))
}

/// Differences are made of so many judges at most: of 12 there are 66.
const MOST_COMPARED: usize = 12;
