//! Benchers with the judges side by side, as tables 1, 4 and 5 of Gao et al. 2025 have them.

use crate::columns::Columns;
use crate::numbers::{or_blank, or_dash};
use crate::text_table::TextTable;
use evenhand_core::in_order;
use evenhand_studies::study::{StudyReport, StudyRow};

/// Judges in one table: the paper's tables have four.
const JUDGES: usize = 4;

/// Returns for each input set with several judges a table of types and aggregations by judges, and
/// another one for every four judges more.
pub(super) fn wide_tables(report: &StudyReport) -> Vec<TextTable> {
    let inputs = in_order(report.rows.iter().map(|row| row.input.as_str()));
    let mut tables = Vec::new();
    for input in inputs {
        let rows = report.rows.iter().filter(|row| row.input == input);
        let rows: Vec<&StudyRow> = rows.collect();
        let judges = in_order(rows.iter().map(|row| row.judge.as_str()));
        if judges.len() > 1 {
            let parts = judges.chunks(JUDGES);
            tables.extend(parts.map(|judges| wide_table(input, &rows, judges)));
        }
    }
    tables
}

/// Type, reference and aggregation: what a line of the table is of.
type Line<'a> = (&'a str, Option<&'a str>, &'a str);

fn line_of(row: &StudyRow) -> Line<'_> {
    (&row.kind, row.reference.as_deref(), row.aggregation)
}

fn wide_table(input: &str, rows: &[&StudyRow], judges: &[&str]) -> TextTable {
    // Evaluation types in the order of the study, each with its references behind it.
    let kinds = in_order(rows.iter().map(|row| row.kind.as_str()));
    let mut lines = in_order(rows.iter().map(|row| line_of(row)));
    // Stable: aggregations keep the order of the study within a type.
    lines.sort_by_key(|(kind, reference, _)| {
        (kinds.iter().position(|other| other == kind), *reference)
    });
    let mut columns: Columns<Line> = Columns::new(&[]);
    columns.push(
        format!("{input} as the input set"),
        |(kind, reference, _)| {
            let reference = or_blank(*reference, |system| format!(" against {system}"));
            format!("{kind}{reference}")
        },
    );
    columns.push("aggregation", |(.., aggregation)| aggregation.to_string());
    for judge in judges {
        let figures_of = move |line: &Line| {
            let mut own = rows.iter().filter(|row| row.judge == *judge);
            let row = own.find(|row| line_of(row) == *line)?;
            Some(&row.bencher.figures)
        };
        // The four decimals of the paper.
        let text = |value: Option<f64>| or_dash(value, |value| format!("{value:.4}"));
        columns.push(format!("{judge} rho"), move |line| {
            text(figures_of(line).and_then(|figures| figures.spearman.value))
        });
        columns.push("tau-b", move |line| {
            text(figures_of(line).and_then(|figures| figures.kendall_tau_b.value))
        });
    }
    columns.table(lines).with_numbers_from(2)
}
