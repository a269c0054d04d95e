//! The figures of an audit, as SVG files.

use crate::Failed;
use crate::progress::say;
use evenhand_report::plot::{audit_plots, forest};
use evenhand_studies::audit::AuditReport;
use std::path::Path;

/// Draws the figures of each report into a directory, which is made where it is missing.
pub(super) fn draw_figures(reports: &[AuditReport], dir: &Path) -> Result<(), Failed> {
    std::fs::create_dir_all(dir)
        .map_err(|e| Failed::usage(format!("--figures {}: cannot be made: {e}", dir.display())))?;
    let mut count = 0;
    for (at, report) in reports.iter().enumerate() {
        let prefix = if reports.len() > 1 {
            format!("{}-", at + 1)
        } else {
            String::new()
        };
        for (name, svg) in draw_report(report)? {
            let path = dir.join(format!("{prefix}{name}.svg"));
            std::fs::write(&path, svg)
                .map_err(|e| Failed::run(format!("{}: cannot be written: {e}", path.display())))?;
            count += 1;
        }
    }
    say(&format!("{count} figures drawn"));
    Ok(())
}

/// Returns the figures of one report by name.
fn draw_report(report: &AuditReport) -> Result<Vec<(String, String)>, Failed> {
    let mut figures = Vec::new();
    if let Ok(card) = forest(report) {
        figures.push(("card".to_string(), card));
    }
    for (name, plot) in audit_plots(report) {
        figures.push((name, plot.svg().map_err(Failed::Run)?));
    }
    Ok(figures)
}
