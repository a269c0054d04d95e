//! `evenhand audit`.

mod options;

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
use evenhand_compare::gate::FigureRange;
use evenhand_engine::{NewFile, PriceTable};
use evenhand_report::audit::{
    audit_csv, audit_estimate_csv, audit_estimate_json, audit_estimate_table, audit_json,
    audits_table,
};
use evenhand_report::figures::{audit_figures, figures_of_audit};
use evenhand_studies::audit::{
    AuditReport, FindingName, audit as run_audit, audit_estimate, audit_recorded,
};
use evenhand_studies::judge::RecordedOptions;
use options::{Prepared, prepare};
use std::collections::HashSet;
use std::io::{self, BufWriter, Write};
use std::path::Path;

const FIGURES: [(&str, FigureRange); 3] = [
    ("biased", FigureRange::COUNT),
    ("flips", FigureRange::SHARE),
    ("failures", FigureRange::SHARE),
];

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
    let reports = match args.recorded.is_empty() {
        true => audit_judges(args)?,
        false => audit_recordings(args)?,
    };
    if let Some(dir) = &args.figures {
        draw_figures(&reports, dir)?;
    }
    if let Some(path) = &args.rewritten {
        write_rewritten(&reports, path)
            .map_err(|e| Failed::run(format!("--rewritten {}: {e}", path.display())))?;
    }
    args.format.print(
        || audits_table(&reports, args.verbose.view()),
        || audit_json(&reports),
        || audit_csv(&reports),
    )?;
    // Several judges have a run each, and no run holds the report on all.
    let run = match reports.as_slice() {
        [report] => report.run.as_deref(),
        _ => None,
    };
    // An audit's run keeps no judgments that would have a price.
    let no_prices = PriceTable::default();
    let judges: Vec<&str> = reports.iter().map(|report| report.judge.as_str()).collect();
    let reported = Reported {
        command: "audit",
        title: judges.join(", "),
        json: audit_json(&reports),
        figures: reports.iter().flat_map(figures_of_audit).collect(),
        run: run.map(|dir| (dir, &no_prices)),
    };
    args.report.publish(args.quiet, reported)?;
    for report in &reports {
        // A recording has no run directory, and its replies are not shown.
        let run = report.run.as_deref().unwrap_or(Path::new(""));
        check_coverage(&report.tally, None, run)?;
    }
    end_by_conditions(&conditions, &reports)
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

/// Writes the rewritten responses of all audits, each once, as JSON objects, a line each.
fn write_rewritten(reports: &[AuditReport], path: &Path) -> io::Result<()> {
    let mut file = BufWriter::new(NewFile::begin(path)?);
    let mut seen = HashSet::new();
    for rewritten in reports.iter().flat_map(|report| &report.rewritten) {
        // Several judges are mostly shown the same ones.
        if seen.insert((&rewritten.rewrite, &rewritten.system, &rewritten.item)) {
            writeln!(file, "{}", serde_json::to_string(rewritten)?)?;
        }
    }
    file.into_inner()
        .map_err(io::IntoInnerError::into_error)?
        .finish()
}

/// Audits every judge by itself, or all of them as one panel.
fn audit_judges(args: &AuditArgs) -> Result<Vec<AuditReport>, Failed> {
    check_judge_and_data(args, "")?;
    let size = if args.apart { 1 } else { args.judge.len() };
    let stop = stop_on_ctrl_c()?;
    let mut reports = Vec::new();
    for judges in args.judge.chunks(size) {
        let Prepared {
            mut options,
            data,
            tweaked,
        } = prepare(args, judges)?;
        options.live.stop = stop.clone();
        let mut watch = ShownCells::new(args.quiet);
        let report = run_audit(&data, tweaked.as_ref(), &options, &mut watch).map_err(end_early)?;
        keep_run_of_host(report.run.as_deref());
        reports.push(report);
    }
    Ok(reports)
}

fn audit_recordings(args: &AuditArgs) -> Result<Vec<AuditReport>, Failed> {
    let options = RecordedOptions {
        recorded: args.recorded.clone(),
        labels: args.labels.clone(),
        reading: args.recording.reading(),
        ..RecordedOptions::default()
    };
    let judged = load_recordings(options, &args.data, args.quiet)?;
    let reports = judged
        .iter()
        .map(|judged| Ok(audit_recorded(judged, args.level)?));
    reports.collect()
}

fn check_judge_and_data(args: &AuditArgs, option: &str) -> Result<(), Failed> {
    if args.judge.is_empty() || args.data.data.is_empty() {
        return Err(Failed::usage(format!(
            "{option}expected --data PATH... and --judge JUDGE, or --recorded FILE... with what a \
             judge has said in both orders"
        )));
    }
    Ok(())
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
    let prices = &options.live.prices;
    args.format.print(
        || audit_estimate_table(&estimate, prices),
        || audit_estimate_json(&estimate, prices),
        || audit_estimate_csv(&estimate, prices),
    )
}

impl NamedFigures for AuditReport {
    fn name(&self) -> &str {
        &self.judge
    }

    fn figure(&self, name: &str) -> Option<f64> {
        let largest = |is_chosen: fn(&FindingName) -> bool| {
            let chosen = self
                .findings
                .iter()
                .filter(|finding| is_chosen(&finding.name));
            chosen
                .filter_map(|finding| finding.figure.value)
                .reduce(f64::max)
        };
        match name {
            "biased" => {
                let biased = self.findings.iter().filter(|finding| finding.biased);
                Some(biased.count() as f64)
            }
            "flips" => largest(FindingName::is_flip_rate),
            // The share of trials without a verdict, over all categories.
            _ => largest(|name| *name == FindingName::NoVerdict { category: None }),
        }
    }
}
