//! The fixed coverage of methods by form, as bars (PORTIA, figure 3).

use super::words::{Written, bars, intervals};
use super::{NamedFigure, file_name, named};
use evenhand_core::in_order;
use evenhand_studies::study::{MethodRow, StudyReport};

/// Returns for each input set the fixed coverage of every method that has a baseline: a group of
/// bars for each form, of each judge where there are several.
pub(super) fn coverage_figures(report: &StudyReport) -> Vec<NamedFigure> {
    let written = Written::share(report.plan.level);
    let inputs = in_order(report.methods.iter().map(|row| row.input.as_str()));
    let judges = in_order(report.methods.iter().map(|row| row.judge.as_str()));
    let mut figures = Vec::new();
    for input in inputs {
        let rows = report.methods.iter();
        let rows = rows.filter(|row| row.input == input && row.baseline.is_some());
        let mut rows: Vec<&MethodRow> = rows.collect();
        // The forms of a judge beside each other.
        rows.sort_by_key(|row| judges.iter().position(|judge| *judge == row.judge));
        let rows = rows.into_iter().map(|row| {
            let label = match judges.len() {
                1 => row.form.clone(),
                _ => format!("{}, {}", row.judge, row.form),
            };
            let drawn = written.row(label, &row.figures.mended);
            drawn.in_group(row.method.as_str())
        });
        let title = format!("Fixed coverage: {input}");
        let note = format!(
            "of the pairs on which the baseline is inconsistent, the share on which the method is \
             consistent; bars and {}",
            intervals(written.level)
        );
        let name = format!("fixed-coverage-{}", file_name(input));
        figures.extend(named(name, bars(title, note, "fixed coverage", rows)));
    }
    figures
}
