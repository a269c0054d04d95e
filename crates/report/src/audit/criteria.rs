//! The figures under several criteria, side by side.

use super::parts::marked_finding;
use crate::View;
use crate::serialize::optional_cell;
use crate::text_table::TextTable;
use crate::view::{fit_table, sentences_text};
use evenhand_studies::audit::{AuditReport, CriteriaRow, compare_criteria};

/// The probes whose figures are set side by side; the card has all of them.
const TOPICS: [&str; 3] = ["position", "transitivity", "choice set"];

/// Returns the table of the criteria; None where fewer than two are compared.
pub(super) fn criteria_text(report: &AuditReport, view: View) -> Option<String> {
    let mut rows = compare_criteria(&report.findings, &report.criteria);
    rows.retain(is_shown);
    if rows.is_empty() {
        return None;
    }
    let head = sentences_text(&heading(report), view);
    let table = fit_table(criteria_table(report, &rows), view, &[2, 0]);
    Some(format!("{head}\n{table}"))
}

fn criteria_table(report: &AuditReport, rows: &[CriteriaRow<'_>]) -> TextTable {
    let names = report.criteria.iter().map(String::as_str);
    TextTable::with_header(["probe", "figure", "protocol"].into_iter().chain(names))
        .with_rows(rows.iter().map(criteria_row))
        .with_numbers_from(3)
}

fn is_shown(row: &CriteriaRow<'_>) -> bool {
    let topic = row.first().map(|finding| finding.name.topic());
    topic.is_some_and(|topic| TOPICS.contains(&topic))
}

fn heading(report: &AuditReport) -> String {
    format!(
        "By criterion, each with the same tests; ! marks what is found. The p-values of all {} \
         tests of this audit are adjusted together, so that a further criterion accuses no more \
         sound judges.",
        report.tested
    )
}

fn criteria_row(row: &CriteriaRow<'_>) -> Vec<String> {
    let name = row.first().map(|finding| &finding.name);
    let topic = name.map(|name| name.topic().to_string());
    let mut cells = vec![
        topic.unwrap_or_default(),
        optional_cell(name),
        row.protocol.clone(),
    ];
    cells.extend(row.findings.iter().copied().map(marked_finding));
    cells
}
