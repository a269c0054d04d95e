//! The judge card as text: one page that says what a judge may be trusted with.

use super::climb::climb_text;
use super::flips::flips_text;
use super::heading::{card_heading, found_biases};
use super::parts::{
    advice_text, criteria_text, distribution_text, finding_value, marked_finding, number_text,
    warnings_text,
};
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
    let names = SUMMARISED.iter().map(FindingName::to_string);
    let header = ["judge".into(), "items".into()].into_iter().chain(names);
    let rows = reports.iter().map(|report| {
        let mut cells = vec![report.judge.clone(), group_digits(report.items)];
        for name in &SUMMARISED {
            let mut findings = report.findings.iter();
            cells.push(marked_finding(findings.find(|one| one.name == *name)));
        }
        cells
    });
    let table = TextTable::with_header(header)
        .with_rows(rows)
        .with_numbers_from(1);
    let legend = format!(
        "In per cent, with intervals; ! where a judge without the defect would rarely show as much \
         (corrected over each judge's own tests). {} json has everything.",
        Setting::Format
    );
    format!(
        "{}\n\n{}\n",
        fit_table(table, view, &[1, 4, 5]),
        sentences_text(&legend, view)
    )
}

/// Returns the card of one judge: its figures, then flips, criteria, climbs, distributions of
/// scores, advice and warnings, as far as there are any.
fn card(report: &AuditReport, view: View) -> String {
    let mut parts = vec![
        sentences_text(&card_heading(report), view),
        sentences_text(&found_biases(report), view),
        fit_table(figure_table(report), view, &DROPPABLE),
    ];
    parts.extend(flips_text(slice::from_ref(report), view));
    parts.extend(criteria_text(report, view));
    parts.extend(report.climbs.iter().map(|climb| climb_text(climb, view)));
    let distributions = report.distributions.iter();
    parts.extend(distributions.map(|scores| distribution_text(scores, view)));
    parts.extend(report.advice.iter().map(|advice| advice_text(advice, view)));
    if !report.warnings.is_empty() {
        parts.push(warnings_text(report, view));
    }
    parts.join("\n\n") + "\n"
}

/// Columns of the figures that a narrow terminal does without, the least important first: all but
/// the mark, figure, protocol and value.
const DROPPABLE: [usize; 6] = [9, 8, 5, 6, 1, 7];

fn figure_table(report: &AuditReport) -> TextTable {
    let items = if report.questions == report.items {
        "items"
    } else {
        "items (questions)"
    };
    let mut table = TextTable::with_header([
        "",
        "probe",
        "figure",
        "protocol",
        "value",
        "unbiased",
        "adjusted p",
        "detectable",
        items,
        "failed",
    ]);
    // A topic is named in its first row.
    let mut last = "";
    for finding in &report.findings {
        let topic = finding.name.topic();
        table.add_row(figure_row(if topic == last { "" } else { topic }, finding));
        last = topic;
    }
    table.with_numbers_from(4)
}

fn figure_row(topic: &str, finding: &Finding) -> [String; 10] {
    let number = |value| number_text(finding.scale, value);
    let p_text = |p: f64| {
        if p < 0.001 {
            "<0.001".into()
        } else {
            format!("{p:.3}")
        }
    };
    // In brackets the questions that the items ask, where these are fewer.
    let mut items = group_digits(finding.items);
    if finding.items != finding.clusters {
        items += &format!(" ({})", group_digits(finding.clusters));
    }
    [
        if finding.biased { "!" } else { "" }.into(),
        topic.into(),
        finding.name.to_string(),
        finding.protocol.clone(),
        finding_value(finding),
        or_blank(finding.unbiased, number),
        or_blank(finding.adjusted_p, p_text),
        or_blank(finding.detectable, number),
        items,
        or_blank(Some(finding.failed).filter(|n| *n > 0), group_digits),
    ]
}
