//! `evenhand audit`.

mod options;
mod plots;

use super::meta::{ShownCells, end_early};
use super::stop_on_ctrl_c;
use super::verdicts::check_coverage;
use crate::args::{AuditArgs, AuditCommand};
use crate::condition::{Bound, NamedFigures, end_by_conditions};
use crate::data::load_recordings;
use crate::{Done, Failed};
use evenhand_report::audit::{
    audit_csv, audit_estimate_csv, audit_estimate_json, audit_estimate_table, audit_json,
    audits_table,
};
use evenhand_studies::audit::{
    AuditReport, FindingName, audit as run_audit, audit_estimate, audit_recorded,
};
use evenhand_studies::judge::RecordedOptions;
use options::{Prepared, prepare};
use plots::draw_figures;
use std::path::Path;

const FIGURES: [&str; 3] = ["biased", "flips", "failures"];

const EXPECTED: &str = "expected --data PATH... and --judge JUDGE, or --recorded FILE... with what \
                        a judge has said in both orders";

/// What a judge's biases are.
pub(crate) fn audit(args: &AuditArgs) -> Result<Done, Failed> {
    if let Some(AuditCommand::TweakSet(args)) = &args.command {
        return super::tweak_set::tweak_set(args);
    }
    if args.estimate {
        return estimate(args);
    }
    let conditions = Bound::parse_all(args.fail_if.as_deref(), &FIGURES)?;
    let reports = if !args.recorded.is_empty() {
        audit_recordings(args)?
    } else if has_judge_and_data(args) {
        vec![audit_live(args)?]
    } else {
        return Err(Failed::usage(EXPECTED));
    };
    if let Some(dir) = &args.figures {
        draw_figures(&reports, dir)?;
    }
    args.format.print(
        || audits_table(&reports, args.verbose.view()),
        || audit_json(&reports),
        || audit_csv(&reports),
    )?;
    for report in &reports {
        let run = report.run.as_deref().unwrap_or(Path::new(""));
        check_coverage(&report.tally, None, run)?;
    }
    end_by_conditions(&conditions, &reports)
}

fn has_judge_and_data(args: &AuditArgs) -> bool {
    !args.judge.is_empty() && !args.data.data.is_empty()
}

fn audit_live(args: &AuditArgs) -> Result<AuditReport, Failed> {
    let Prepared {
        mut options,
        data,
        tweaked,
    } = prepare(args)?;
    let mut watch = ShownCells::new(args.quiet);
    options.live.stop = stop_on_ctrl_c()?;
    run_audit(&data, tweaked.as_ref(), &options, &mut watch).map_err(end_early)
}

fn audit_recordings(args: &AuditArgs) -> Result<Vec<AuditReport>, Failed> {
    let options = RecordedOptions {
        recorded: args.recorded.clone(),
        labels: args.labels.clone(),
        ..RecordedOptions::default()
    };
    let judged = load_recordings(options, &args.data, args.quiet)?;
    let reports: Result<Vec<AuditReport>, _> = judged
        .iter()
        .map(|judged| audit_recorded(judged, args.level))
        .collect();
    Ok(reports?)
}

/// Prints what the audit would ask, and what that would cost.
fn estimate(args: &AuditArgs) -> Result<Done, Failed> {
    if !has_judge_and_data(args) {
        return Err(Failed::usage(format!("--estimate: {EXPECTED}")));
    }
    let Prepared {
        options,
        data,
        tweaked,
    } = prepare(args)?;
    let estimate = audit_estimate(&data, tweaked.as_ref(), &options)?;
    let prices = &options.live.prices;
    args.format.print(
        || audit_estimate_table(&estimate, prices),
        || audit_estimate_json(&estimate, prices),
        || audit_estimate_csv(&estimate, prices),
    )?;
    Ok(Done::Fine)
}

impl NamedFigures for AuditReport {
    fn name(&self) -> &str {
        &self.judge
    }

    fn figure(&self, name: &str) -> Option<f64> {
        match name {
            "biased" => Some(
                self.findings
                    .iter()
                    .filter(|finding| finding.biased)
                    .count() as f64,
            ),
            "flips" => largest_figure(self, FindingName::is_flip_rate),
            _ => largest_figure(self, |name| {
                *name == FindingName::NoVerdict { category: None }
            }),
        }
    }
}

/// Returns the largest of the findings whose names are chosen.
fn largest_figure(report: &AuditReport, is_chosen: impl Fn(&FindingName) -> bool) -> Option<f64> {
    report
        .findings
        .iter()
        .filter(|finding| is_chosen(&finding.name))
        .filter_map(|finding| finding.figure.value)
        .reduce(f64::max)
}
