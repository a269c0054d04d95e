//! The figures under several criteria, side by side.

use super::parts::finding_value;
use crate::View;
use crate::text_table::TextTable;
use crate::view::{fit_table, sentences_text};
use evenhand_studies::audit::{AuditReport, CriteriaRow, Finding, compare_criteria};

/// The probes whose figures are set side by side; the card has all of them.
const TOPICS: [&str; 3] = ["position", "transitivity", "choice set"];

/// Returns the table of the criteria; None where fewer than two are compared.
pub(super) fn criteria_text(report: &AuditReport, view: View) -> Option<String> {
    let rows = compare_criteria(&report.findings, &report.criteria);
    let shown: Vec<_> = rows.iter().filter(|row| is_shown(row)).collect();
    if shown.is_empty() {
        return None;
    }
    let names = report.criteria.iter().map(String::as_str);
    let table = TextTable::with_header(["probe", "figure", "protocol"].into_iter().chain(names))
        .with_rows(shown.into_iter().map(criteria_row))
        .with_numbers_from(3);
    let head = sentences_text(&heading(report), view);
    Some(format!("{head}\n{}", fit_table(table, view, &[2, 0])))
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
    let name = |text: fn(&Finding) -> String| row.first().map(text).unwrap_or_default();
    let mut cells = vec![
        name(|finding| finding.name.topic().into()),
        name(|finding| finding.name.to_string()),
        row.protocol.clone(),
    ];
    cells.extend(row.findings.iter().map(|finding| marked(*finding)));
    cells
}

fn marked(finding: Option<&Finding>) -> String {
    let Some(finding) = finding else {
        return "-".into();
    };
    let mark = if finding.biased { " !" } else { "" };
    finding_value(finding) + mark
}
