//! The lower parts of a judge card: the protocol to take, and warnings.

use crate::View;
use crate::numbers::{bracketed_interval, or_dash};
use crate::terminal::printable;
use crate::text_table::TextTable;
use crate::view::{fit_table, sentences_text, unsorted_warning_lines};
use evenhand_studies::audit::{Advice, AuditReport, Candidate, Finding, FindingScale};

/// Returns a share in percent; anything else as it is.
pub(super) fn number_text(scale: FindingScale, value: f64) -> String {
    match scale {
        FindingScale::Share | FindingScale::Difference => format!("{:.1}", 100.0 * value),
        FindingScale::Number => format!("{value:.2}"),
    }
}

/// Returns the value of a finding with its interval.
pub(super) fn finding_value(finding: &Finding) -> String {
    let number = |value| number_text(finding.scale, value);
    let ci = bracketed_interval(finding.figure.ci, number);
    or_dash(finding.figure.value, |value| number(value) + &ci)
}

/// Returns the value of a finding, with a mark where it is a bias; a dash where there is none.
pub(super) fn marked_finding(finding: Option<&Finding>) -> String {
    let Some(finding) = finding else {
        return "-".into();
    };
    let mark = if finding.biased { " !" } else { "" };
    finding_value(finding) + mark
}

const ADVICE_HEADER: [&str; 6] = [
    "protocol",
    "agrees with people",
    "moved",
    "no verdict",
    "tokens a comparison",
    "",
];

pub(super) fn advice_text(advice: &Advice, view: View) -> String {
    let mut table = TextTable::with_header(ADVICE_HEADER)
        .with_rows(advice.candidates.iter().map(candidate_row));
    table.align_right(1..5);
    let sentences = sentences_text(&recommendation(advice), view);
    format!("{sentences}\n{}", fit_table(table, view, &[4, 3]))
}

fn recommendation(advice: &Advice) -> String {
    let rule = &advice.rule;
    match &advice.protocol {
        Some(protocol) => format!("Take {protocol}.\n{rule}"),
        None => format!("No protocol can be recommended.\n{rule}"),
    }
}

fn candidate_row(candidate: &Candidate) -> Vec<String> {
    let shares = [candidate.accuracy, candidate.moved, candidate.failures];
    let mut cells = vec![candidate.protocol.clone()];
    cells.extend(shares.map(percent_or_dash));
    cells.push(format!("{:.0}", candidate.tokens));
    cells.push(candidate.out.clone().unwrap_or_default());
    cells
}

fn percent_or_dash(share: Option<f64>) -> String {
    or_dash(share, |share| format!("{:.1}", 100.0 * share))
}

pub(super) fn warnings_text(report: &AuditReport, view: View) -> String {
    let lines = unsorted_warning_lines(&report.warnings, view).into_iter();
    let sentences = lines.map(|(key, text)| warning_sentence(key, printable(&text).into_owned()));
    sentences_text(&sentences.collect::<Vec<_>>().join("\n"), view)
}

/// A line without a key counts the warnings, and one that was cut ends with dots already.
fn warning_sentence(key: &str, text: String) -> String {
    if key.is_empty() {
        text
    } else if text.ends_with("...") {
        format!("Warning: {text}")
    } else {
        format!("Warning: {text}.")
    }
}
