//! Benchers with the judges side by side, as tables 1, 4 and 5 of Gao et al. 2024 have them.

use crate::numbers::{or_blank, or_dash};
use crate::order::in_order;
use crate::text_table::TextTable;
use evenhand_studies::study::{StudyReport, StudyRow};

/// Judges in one table: the paper's tables have four.
const JUDGES: usize = 4;

/// Returns for each input set with several judges a table of types and aggregations by judges, and
/// another one for every four judges more.
pub(super) fn wide_tables(report: &StudyReport) -> Vec<TextTable> {
    let inputs = in_order(report.rows.iter().map(|row| row.input.as_str()));
    inputs
        .iter()
        .flat_map(|input| InputRows::new(report, input).tables())
        .collect()
}

/// The benchers of one input set.
struct InputRows<'a> {
    input: &'a str,
    rows: Vec<&'a StudyRow>,
}

/// What a line of the table is of.
#[derive(Clone, Copy, PartialEq)]
struct Line<'a> {
    kind: &'a str,
    reference: Option<&'a str>,
    aggregation: &'a str,
}

impl<'a> Line<'a> {
    fn of_row(row: &'a StudyRow) -> Line<'a> {
        Line {
            kind: &row.kind,
            reference: row.reference.as_deref(),
            aggregation: row.aggregation,
        }
    }

    fn names(&self) -> [String; 2] {
        let reference = or_blank(self.reference, |system| format!(" against {system}"));
        [format!("{}{reference}", self.kind), self.aggregation.into()]
    }
}

impl<'a> InputRows<'a> {
    fn new(report: &'a StudyReport, input: &'a str) -> Self {
        let rows = report.rows.iter().filter(|row| row.input == input);
        let rows = rows.collect();
        InputRows { input, rows }
    }

    fn tables(&self) -> Vec<TextTable> {
        let judges = in_order(self.rows.iter().map(|row| row.judge.as_str()));
        if judges.len() < 2 {
            return Vec::new();
        }
        let parts = judges.chunks(JUDGES);
        parts.map(|judges| self.table_of(judges)).collect()
    }

    fn table_of(&self, judges: &[&str]) -> TextTable {
        let lines = self.lines().into_iter();
        TextTable::with_header(self.header(judges))
            .with_rows(lines.map(|line| self.line_cells(line, judges)))
            .with_numbers_from(2)
    }

    fn header(&self, judges: &[&str]) -> Vec<String> {
        let first = [
            format!("{} as the input set", self.input),
            "aggregation".into(),
        ];
        let columns = judges
            .iter()
            .flat_map(|judge| [format!("{judge} rho"), "tau-b".into()]);
        first.into_iter().chain(columns).collect()
    }

    /// Returns every line once: evaluation types in the order of the study, each with its
    /// references behind it.
    fn lines(&self) -> Vec<Line<'a>> {
        let kinds = in_order(self.rows.iter().map(|row| row.kind.as_str()));
        let place = |line: &Line<'_>| kinds.iter().position(|kind| *kind == line.kind);
        let mut lines = in_order(self.rows.iter().copied().map(Line::of_row));
        // Stable: aggregations keep the order of the study within a type.
        lines.sort_by_key(|line| (place(line), line.reference));
        lines
    }

    fn line_cells(&self, line: Line<'a>, judges: &[&str]) -> Vec<String> {
        let figures = judges
            .iter()
            .flat_map(|judge| coefficients(self.row_of(line, judge)));
        line.names().into_iter().chain(figures).collect()
    }

    fn row_of(&self, line: Line<'a>, judge: &str) -> Option<&'a StudyRow> {
        let mut rows = self.rows.iter().copied();
        rows.find(|row| row.judge == judge && Line::of_row(row) == line)
    }
}

/// Returns rho and tau-b with the four decimals of the paper; a dash where the judge has no such
/// bencher.
fn coefficients(row: Option<&StudyRow>) -> [String; 2] {
    let figures = row.map(|row| &row.bencher.figures);
    let rho = figures.and_then(|figures| figures.spearman.value);
    let tau = figures.and_then(|figures| figures.kendall_tau_b.value);
    [rho, tau].map(|value| or_dash(value, |value| format!("{value:.4}")))
}
