//! The judge card as text: one page that says what a judge may be trusted with.

use super::heading::{card_heading, found_biases};
use super::parts::{advice_text, climb_text, finding_value, number_text, warnings_text};
use crate::View;
use crate::numbers::group_digits;
use crate::text_table::TextTable;
use crate::view::{fit_table, sentences_text};
use evenhand_core::Setting;
use evenhand_studies::audit::{AuditReport, Finding, FindingName, Preferred, Prefers};

/// More cards than these are shown as a line for each judge.
const MOST_CARDS: usize = 3;

/// Returns the cards of all judges; of more than three, a line for each judge.
pub fn audits_table(reports: &[AuditReport], view: View) -> String {
    if reports.len() > MOST_CARDS {
        return line_for_each(reports, view);
    }
    let cards: Vec<String> = reports.iter().map(|report| card(report, view)).collect();
    cards.join("\n")
}

fn line_for_each(reports: &[AuditReport], view: View) -> String {
    let shown = [
        FindingName::FirstSlot,
        FindingName::FlipsByOrder,
        FindingName::Preference {
            of: Preferred::Longer,
            by: Prefers::BeyondPeople,
        },
        FindingName::NoVerdict { category: None },
    ];
    let header = ["judge", "items"].map(String::from).into_iter();
    let mut table = TextTable::with_header(header.chain(shown.iter().map(FindingName::to_string)));
    for report in reports {
        let names = shown.iter().map(|name| marked_value(report, name));
        let judge = [report.judge.clone(), group_digits(report.items)];
        table.add_row(judge.into_iter().chain(names));
    }
    table.align_right_from(1);
    let legend = sentences_text(&summary_legend(), view);
    format!("{}\n\n{legend}\n", fit_table(table, view, &[1, 4, 5]))
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
    let found = report.findings.iter().find(|finding| finding.name == *name);
    found.map_or("-".into(), |found| {
        finding_value(found) + if found.biased { " !" } else { "" }
    })
}

/// Returns the card of one judge.
fn card(report: &AuditReport, view: View) -> String {
    let mut parts = vec![
        sentences_text(&card_heading(report), view),
        sentences_text(&found_biases(report), view),
        fit_table(figure_table(report), view, &DROPPABLE),
    ];
    parts.extend(report.climbs.iter().map(|climb| climb_text(climb, view)));
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
    let mut last = "";
    for finding in &report.findings {
        let topic = finding.name.topic();
        table.add_row(figure_row(if topic == last { "" } else { topic }, finding));
        last = topic;
    }
    table.align_right_from(4);
    table
}

fn figure_row(topic: &str, finding: &Finding) -> [String; 10] {
    let mark = if finding.biased { "!" } else { "" };
    [
        mark.into(),
        topic.into(),
        finding.name.to_string(),
        finding.protocol.clone(),
        finding_value(finding),
        number_or_blank(finding, finding.unbiased),
        finding.adjusted_p.map_or_else(String::new, p_text),
        number_or_blank(finding, finding.detectable),
        item_count(finding),
        count_or_blank(finding.failed),
    ]
}

fn number_or_blank(finding: &Finding, value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| number_text(finding.scale, value))
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
