//! The judge card as text: one page that says what a judge may be trusted with.

use super::climb::climb_text;
use super::criteria::criteria_text;
use super::distribution::distribution_text;
use super::flips::flips_text;
use super::heading::{card_heading, found_biases};
use super::parts::{advice_text, finding_value, marked_finding, number_text, warnings_text};
use crate::View;
use crate::numbers::{group_digits, or_blank};
use crate::text_table::TextTable;
use crate::view::{fit_table, sentences_text};
use evenhand_core::Setting;
use evenhand_studies::audit::{AuditReport, Finding, FindingName, Preferred, Prefers};
use std::slice;

/// More cards than these are shown as a line for each judge.
const MOST_CARDS: usize = 3;

/// The findings that are shown where a judge has only a line.
const SUMMARISED: [FindingName; 4] = [
    FindingName::FirstSlot,
    FindingName::FlipsByOrder,
    FindingName::Preference {
        of: Preferred::Longer,
        by: Prefers::BeyondPeople,
    },
    FindingName::NoVerdict { category: None },
];

const FIGURE_HEADER: [&str; 10] = [
    "",
    "probe",
    "figure",
    "protocol",
    "value",
    "unbiased",
    "adjusted p",
    "detectable",
    "items",
    "failed",
];

/// Returns the cards of all judges; of more than three, a line for each judge.
pub fn audits_table(reports: &[AuditReport], view: View) -> String {
    let mut parts = if reports.len() > MOST_CARDS {
        vec![line_for_each(reports, view)]
    } else {
        reports.iter().map(|report| card(report, view)).collect()
    };
    // A single card has its flips among its parts.
    if reports.len() > 1 {
        parts.extend(flips_text(reports, view).map(|flips| flips + "\n"));
    }
    parts.join("\n")
}

fn line_for_each(reports: &[AuditReport], view: View) -> String {
    let table = fit_table(summary_table(reports), view, &[1, 4, 5]);
    format!("{table}\n\n{}\n", sentences_text(&summary_legend(), view))
}

fn summary_table(reports: &[AuditReport]) -> TextTable {
    let names = SUMMARISED.iter().map(FindingName::to_string);
    let header = ["judge".into(), "items".into()].into_iter().chain(names);
    TextTable::with_header(header)
        .with_rows(reports.iter().map(summary_row))
        .with_numbers_from(1)
}

fn summary_row(report: &AuditReport) -> Vec<String> {
    let mut cells = vec![report.judge.clone(), group_digits(report.items)];
    let values = SUMMARISED.iter().map(|name| marked_value(report, name));
    cells.extend(values);
    cells
}

fn summary_legend() -> String {
    format!(
        "In per cent, with intervals; ! where a judge without the defect would rarely show as much \
         (corrected over each judge's own tests). {} json has everything.",
        Setting::Format
    )
}

/// Returns the value of the finding of this name, with a mark where it is a bias.
fn marked_value(report: &AuditReport, name: &FindingName) -> String {
    let mut findings = report.findings.iter();
    marked_finding(findings.find(|finding| finding.name == *name))
}

/// Returns the card of one judge.
fn card(report: &AuditReport, view: View) -> String {
    let mut parts = vec![
        sentences_text(&card_heading(report), view),
        sentences_text(&found_biases(report), view),
        fit_table(figure_table(report), view, &DROPPABLE),
    ];
    parts.extend(tables_below(report, view));
    parts.extend(remarks_below(report, view));
    parts.join("\n\n") + "\n"
}

/// Returns the tables below the figures, as far as there are any: flips, criteria, climbs,
/// distributions of scores.
fn tables_below(report: &AuditReport, view: View) -> impl Iterator<Item = String> {
    let flips = flips_text(slice::from_ref(report), view).into_iter();
    let criteria = criteria_text(report, view);
    let climbs = report.climbs.iter();
    let distributions = report.distributions.iter();
    flips
        .chain(criteria)
        .chain(climbs.map(move |climb| climb_text(climb, view)))
        .chain(distributions.map(move |scores| distribution_text(scores, view)))
}

/// Returns advice and warnings, as far as there are any.
fn remarks_below(report: &AuditReport, view: View) -> impl Iterator<Item = String> {
    let advice = report.advice.iter();
    let warnings = (!report.warnings.is_empty()).then(|| warnings_text(report, view));
    advice
        .map(move |advice| advice_text(advice, view))
        .chain(warnings)
}

/// Columns of the figures that a narrow terminal does without, the least important first: all but
/// the mark, figure, protocol and value.
const DROPPABLE: [usize; 6] = [9, 8, 5, 6, 1, 7];

fn figure_table(report: &AuditReport) -> TextTable {
    TextTable::with_header(figure_header(report))
        .with_rows(figure_rows(&report.findings))
        .with_numbers_from(4)
}

fn figure_header(report: &AuditReport) -> [&'static str; 10] {
    let mut header = FIGURE_HEADER;
    if report.questions != report.items {
        header[8] = "items (questions)";
    }
    header
}

/// Returns the rows of findings; a topic is named in its first row.
fn figure_rows(findings: &[Finding]) -> Vec<[String; 10]> {
    let mut last = "";
    let mut rows = Vec::new();
    for finding in findings {
        let topic = finding.name.topic();
        rows.push(figure_row(if topic == last { "" } else { topic }, finding));
        last = topic;
    }
    rows
}

fn figure_row(topic: &str, finding: &Finding) -> [String; 10] {
    [
        bias_mark(finding).into(),
        topic.into(),
        finding.name.to_string(),
        finding.protocol.clone(),
        finding_value(finding),
        number_or_blank(finding, finding.unbiased),
        or_blank(finding.adjusted_p, p_text),
        number_or_blank(finding, finding.detectable),
        item_count(finding),
        count_or_blank(finding.failed),
    ]
}

fn bias_mark(finding: &Finding) -> &'static str {
    if finding.biased { "!" } else { "" }
}

fn number_or_blank(finding: &Finding, value: Option<f64>) -> String {
    or_blank(value, |value| number_text(finding.scale, value))
}

fn count_or_blank(count: u64) -> String {
    if count == 0 {
        String::new()
    } else {
        group_digits(count)
    }
}

fn p_text(p: f64) -> String {
    if p < 0.001 {
        "<0.001".into()
    } else {
        format!("{p:.3}")
    }
}

/// Returns the items, and in brackets the questions that they ask, where these are fewer.
fn item_count(finding: &Finding) -> String {
    let [items, questions] = [finding.items, finding.clusters].map(group_digits);
    if finding.items == finding.clusters {
        items
    } else {
        format!("{items} ({questions})")
    }
}
