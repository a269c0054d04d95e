//! `evenhand audit`.

mod options;
mod rewritten;

use super::figure::{draw_all, make_figure_dir};
use super::meta::{ShownCells, end_early};
use super::report::Reported;
use super::stop_on_ctrl_c;
use super::tweak_set::tweak_set;
use super::verdicts::check_coverage;
use crate::args::{AuditArgs, AuditCommand};
use crate::condition::{Bound, NamedFigures, end_by_conditions};
use crate::data::load_recordings;
use crate::host::keep_run_of_host;
use crate::progress::say;
use crate::{Done, Failed};
use evenhand_engine::PriceTable;
use evenhand_report::audit::{
    audit_csv, audit_estimate_csv, audit_estimate_json, audit_estimate_table, audit_json,
    audits_table,
};
use evenhand_report::figures::{audit_figures, figures_of_audit};
use evenhand_studies::audit::{
    AuditEstimate, AuditReport, FindingName, audit as run_audit, audit_estimate, audit_recorded,
};
use evenhand_studies::compare::gate::FigureRange;
use evenhand_studies::judge::{JudgedPairs, RecordedOptions};
use options::{Prepared, prepare};
use rewritten::write_rewritten;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const FIGURES: [(&str, FigureRange); 3] = [
    ("biased", FigureRange::COUNT),
    ("flips", FigureRange::SHARE),
    ("failures", FigureRange::SHARE),
];

const EXPECTED: &str = "expected --data PATH... and --judge JUDGE, or --recorded FILE... with what \
                        a judge has said in both orders";

/// Finds a judge's biases, estimates the cost of that, or makes a set of tweaked answers.
pub(crate) fn audit(args: &AuditArgs) -> Result<Done, Failed> {
    match &args.command {
        Some(AuditCommand::TweakSet(args)) => tweak_set(args),
        None if args.estimate => estimate(args),
        None => report_biases(args),
    }
}

fn report_biases(args: &AuditArgs) -> Result<Done, Failed> {
    let conditions = Bound::parse_all(args.fail_if.as_deref(), &FIGURES)?;
    args.report.check()?;
    make_figure_dir(args.figures.as_deref())?;
    let reports = audit_judges(args)?;
    if let Some(dir) = &args.figures {
        draw_figures(&reports, dir)?;
    }
    if let Some(path) = &args.rewritten {
        write_rewritten(&reports, path)?;
    }
    print_reports(args, &reports)?;
    publish_reports(args, &reports)?;
    reports.iter().try_for_each(check_verdicts)?;
    end_by_conditions(&conditions, &reports)
}

/// Several judges have a run each, and no run holds the report on all.
fn publish_reports(args: &AuditArgs, reports: &[AuditReport]) -> Result<(), Failed> {
    let run = match reports {
        [report] => report.run.as_deref(),
        _ => None,
    };
    // An audit's run keeps no judgments that would have a price.
    let no_prices = PriceTable::default();
    let reported = Reported {
        command: "audit",
        title: name_judges(reports),
        json: audit_json(reports),
        figures: reports.iter().flat_map(figures_of_audit).collect(),
        run: run.map(|dir| (dir, &no_prices)),
    };
    args.report.publish(args.quiet, reported)
}

fn name_judges(reports: &[AuditReport]) -> String {
    let judges = reports.iter().map(|report| report.judge.as_str());
    judges.collect::<Vec<_>>().join(", ")
}

/// Draws the figures of each report into a directory, with its number where there are several.
fn draw_figures(reports: &[AuditReport], dir: &Path) -> Result<(), Failed> {
    let mut count = 0;
    for (report, number) in reports.iter().zip(1..) {
        let prefix = match reports.len() {
            1 => String::new(),
            _ => format!("{number}-"),
        };
        count += draw_all(&audit_figures(report), dir, &prefix)?;
    }
    say(&format!("{count} figures drawn"));
    Ok(())
}

fn print_reports(args: &AuditArgs, reports: &[AuditReport]) -> Result<Done, Failed> {
    args.format.print(
        || audits_table(reports, args.verbose.view()),
        || audit_json(reports),
        || audit_csv(reports),
    )
}

fn audit_judges(args: &AuditArgs) -> Result<Vec<AuditReport>, Failed> {
    if !args.recorded.is_empty() {
        return audit_recordings(args);
    }
    check_judge_and_data(args, "")?;
    // Every judge by itself, or all of them as one panel.
    let size = if args.apart { 1 } else { args.judge.len() };
    let stop = stop_on_ctrl_c()?;
    let panels = args.judge.chunks(size);
    panels
        .map(|judges| audit_live(args, judges, &stop))
        .collect()
}

/// Refuses an audit without a single verdict.
fn check_verdicts(report: &AuditReport) -> Result<(), Failed> {
    // A recording has no run directory, and its replies are not shown.
    let run = report.run.as_deref().unwrap_or(Path::new(""));
    check_coverage(&report.tally, None, run)
}

fn check_judge_and_data(args: &AuditArgs, option: &str) -> Result<(), Failed> {
    if args.judge.is_empty() || args.data.data.is_empty() {
        return Err(Failed::usage(format!("{option}{EXPECTED}")));
    }
    Ok(())
}

fn audit_live(
    args: &AuditArgs,
    judges: &[String],
    stop: &Arc<AtomicBool>,
) -> Result<AuditReport, Failed> {
    let Prepared {
        mut options,
        data,
        tweaked,
    } = prepare(args, judges)?;
    let mut watch = ShownCells::new(args.quiet);
    options.live.stop = stop.clone();
    let report = run_audit(&data, tweaked.as_ref(), &options, &mut watch).map_err(end_early)?;
    keep_run_of_host(report.run.as_deref());
    Ok(report)
}

fn audit_recordings(args: &AuditArgs) -> Result<Vec<AuditReport>, Failed> {
    let judged = read_recordings(args)?;
    judged
        .iter()
        .map(|judged| Ok(audit_recorded(judged, args.level)?))
        .collect()
}

fn read_recordings(args: &AuditArgs) -> Result<Vec<JudgedPairs>, Failed> {
    let options = RecordedOptions {
        recorded: args.recorded.clone(),
        labels: args.labels.clone(),
        reading: args.recording.reading(),
        ..RecordedOptions::default()
    };
    load_recordings(options, &args.data, args.quiet)
}

/// Prints what the audit would ask, and what that would cost.
fn estimate(args: &AuditArgs) -> Result<Done, Failed> {
    check_judge_and_data(args, "--estimate: ")?;
    let Prepared {
        options,
        data,
        tweaked,
    } = prepare(args, &args.judge)?;
    let estimate = audit_estimate(&data, tweaked.as_ref(), &options)?;
    print_estimate(args, &estimate, &options.live.prices)
}

fn print_estimate(
    args: &AuditArgs,
    estimate: &AuditEstimate,
    prices: &PriceTable,
) -> Result<Done, Failed> {
    args.format.print(
        || audit_estimate_table(estimate, prices),
        || audit_estimate_json(estimate, prices),
        || audit_estimate_csv(estimate, prices),
    )
}

impl NamedFigures for AuditReport {
    fn name(&self) -> &str {
        &self.judge
    }

    fn figure(&self, name: &str) -> Option<f64> {
        match name {
            "biased" => Some(count_biases(self)),
            "flips" => largest_figure(self, FindingName::is_flip_rate),
            _ => largest_figure(self, is_failure_rate),
        }
    }
}

/// Returns the largest of the findings whose names are chosen.
fn largest_figure(report: &AuditReport, is_chosen: impl Fn(&FindingName) -> bool) -> Option<f64> {
    let findings = report.findings.iter();
    findings
        .filter(|finding| is_chosen(&finding.name))
        .filter_map(|finding| finding.figure.value)
        .reduce(f64::max)
}

fn count_biases(report: &AuditReport) -> f64 {
    let findings = report.findings.iter();
    findings.filter(|finding| finding.biased).count() as f64
}

/// Whether a finding is the share of trials without a verdict, over all categories.
fn is_failure_rate(name: &FindingName) -> bool {
    *name == FindingName::NoVerdict { category: None }
}
