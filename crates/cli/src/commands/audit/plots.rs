//! The figures of an audit, as SVG files.

use crate::Failed;
use crate::progress::say;
use evenhand_report::plot::{audit_plots, forest};
use evenhand_studies::audit::AuditReport;
use std::fs;
use std::io;
use std::path::Path;

/// Draws the figures of each report into a directory, which is made where it is missing.
pub(super) fn draw_figures(reports: &[AuditReport], dir: &Path) -> Result<(), Failed> {
    fs::create_dir_all(dir).map_err(|e| describe_unmade(dir, &e))?;
    let mut count = 0;
    for (report, number) in reports.iter().zip(1..) {
        let prefix = match reports.len() {
            1 => String::new(),
            _ => format!("{number}-"),
        };
        count += write_report(report, dir, &prefix)?;
    }
    say(&format!("{count} figures drawn"));
    Ok(())
}

/// Writes the figures of one report, and returns how many there are.
fn write_report(report: &AuditReport, dir: &Path, prefix: &str) -> Result<usize, Failed> {
    let figures = draw_report(report)?;
    for (name, svg) in &figures {
        write_figure(&dir.join(format!("{prefix}{name}.svg")), svg)?;
    }
    Ok(figures.len())
}

fn write_figure(path: &Path, svg: &str) -> Result<(), Failed> {
    fs::write(path, svg)
        .map_err(|e| Failed::run(format!("{}: cannot be written: {e}", path.display())))
}

pub(in crate::commands) fn describe_unmade(dir: &Path, error: &io::Error) -> Failed {
    Failed::Usage(format!(
        "--figures {}: cannot be made: {error}",
        dir.display()
    ))
}

/// Returns the figures of one report by name.
fn draw_report(report: &AuditReport) -> Result<Vec<(String, String)>, Failed> {
    // Without a tested figure there is no forest to draw, which is no fault.
    let card = forest(report).ok().map(|svg| ("card".into(), svg));
    let mut figures: Vec<(String, String)> = card.into_iter().collect();
    for (name, plot) in audit_plots(report) {
        figures.push((name, plot.svg().map_err(Failed::Run)?));
    }
    Ok(figures)
}
