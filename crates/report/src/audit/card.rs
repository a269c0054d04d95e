//! The judge card as text: one page that says what a judge may be trusted with.

use super::climb::climb_text;
use super::flips::{flips_text, ties_text};
use super::heading::{card_heading, found_biases};
use super::parts::{
    advice_text, criteria_text, distribution_text, finding_value, marked_finding, number_text,
    warnings_text,
};
use super::slices::slices_text;
use crate::View;
use crate::columns::Columns;
use crate::numbers::{count_of, group_digits, or_blank};
use crate::terminal::printable;
use crate::text_table::TextTable;
use crate::view::{fit_table, sentences_text};
use evenhand_core::{Setting, p_value_text};
use evenhand_studies::audit::{AuditReport, Finding, FindingName, PairChoice, Preferred, Prefers};
use std::collections::BTreeSet;
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
    // A single card has its flips and ties among its parts.
    if reports.len() > 1 {
        let tables = [flips_text(reports, view), ties_text(reports, view)];
        parts.extend(tables.into_iter().flatten().map(|table| table + "\n"));
    }
    parts.join("\n")
}

fn line_for_each(reports: &[AuditReport], view: View) -> String {
    let mut columns: Columns<AuditReport> = Columns::new(&[
        ("judge", |report| report.judge.clone()),
        ("items", |report| group_digits(report.items)),
    ]);
    for name in &SUMMARISED {
        columns.push(name.to_string(), move |report| {
            let mut findings = report.findings.iter();
            marked_finding(findings.find(|one| one.name == *name))
        });
    }
    let table = columns.table(reports).with_numbers_from(1);
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

/// Returns the card of one judge: its figures, then flips, ties, criteria, climbs, distributions of
/// scores, advice and warnings, as far as there are any.
fn card(report: &AuditReport, view: View) -> String {
    let mut parts = vec![
        sentences_text(&format!("{}.", printable(&report.answer())), view),
        sentences_text(&card_heading(report), view),
        sentences_text(&found_biases(report), view),
    ];
    let figures = figure_table(report, view);
    if figures.has_rows() {
        parts.push(fit_table(figures, view, &DROPPABLE));
    }
    let findings = || report.findings.iter();
    let counts = findings().filter(|one| counts_failures(&one.name)).count();
    let folded = findings().filter(|one| is_left_out(&one.name, one.figure.value, view));
    let folded = folded_text(folded.count() as u64, counts as u64);
    parts.extend(folded.map(|text| sentences_text(&text, view)));
    let parts_left_out = findings().filter(|one| is_part(one, report, view)).count();
    parts.extend((parts_left_out > 0).then(|| {
        let text = format!(
            "{} without a test of {} own {} left out here; {} has them.",
            count_of(parts_left_out as u64, "figure", "figures"),
            if parts_left_out == 1 { "its" } else { "their" },
            if parts_left_out == 1 { "is" } else { "are" },
            Setting::Verbose
        );
        sentences_text(&text, view)
    }));
    let unknown = findings().filter(|one| is_unknown(one, view));
    let unknown: Vec<&str> = unknown.map(|one| one.protocol.as_str()).collect();
    parts.extend(unknown_text(&unknown).map(|text| sentences_text(&text, view)));
    parts.extend(flips_text(slice::from_ref(report), view));
    parts.extend(ties_text(slice::from_ref(report), view));
    parts.extend(slices_text(report, view));
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

/// Whether a row counts failed judgments.
fn counts_failures(name: &FindingName) -> bool {
    matches!(
        name,
        FindingName::NoVerdict { .. } | FindingName::Refusals { .. }
    )
}

/// Whether a row is not worth its line: nothing failed. What is not known is no such row. Whoever
/// wants everything is given all, as programs are by JSON and CSV.
fn is_left_out(name: &FindingName, value: Option<f64>, view: View) -> bool {
    counts_failures(name) && value == Some(0.0) && !view.verbose
}

/// Returns whether a row is only a part of what the tested rows of its probe say, such as the
/// consistency of a third of the pairs. The flips by order are no part: a reader looks for them
/// first.
fn is_part(one: &Finding, report: &AuditReport, view: View) -> bool {
    let mut findings = report.findings.iter();
    !view.verbose
        && one.unbiased.is_none()
        && one.name != FindingName::FlipsByOrder
        && ["position", "distractor"].contains(&one.name.topic())
        && !is_unknown(one, view)
        && findings.any(|other| {
            other.unbiased.is_some()
                && other.figure.value.is_some()
                && other.protocol == one.protocol
                && other.name.topic() == one.name.topic()
        })
}

/// Says in one line that these rows of those that count failures are left out, as nothing failed;
/// None where none is.
fn folded_text(folded: u64, counts: u64) -> Option<String> {
    let which = match folded {
        0 => return None,
        all if all == counts => format!("any of {}", count_of(counts, "count", "counts")),
        some => format!(
            "{} of {}",
            group_digits(some),
            count_of(counts, "count", "counts")
        ),
    };
    Some(format!(
        "No failed judgments in {which} (no verdict, refusals; by protocol and category); {} has \
         these rows.",
        Setting::Verbose
    ))
}

/// Whether a row has nothing to say, since every judgment that it rests on failed: how many did has
/// a row of its own.
fn is_unknown(one: &Finding, view: View) -> bool {
    let is_empty = one.figure.value.is_none() && one.items == 0 && one.failed > 0;
    is_empty && !counts_failures(&one.name) && !view.verbose
}

/// Says in one line for how many figures no item has a verdict, by the protocols of their rows;
/// None for no row.
fn unknown_text(protocols: &[&str]) -> Option<String> {
    if protocols.is_empty() {
        return None;
    }
    // Those that are held against each other have rows of their own, too.
    let is_one = |name: &&str| !name.is_empty() && !name.contains(" against ");
    let named: BTreeSet<&str> = protocols.iter().copied().filter(is_one).collect();
    let named: Vec<&str> = named.into_iter().collect();
    let named = match &named[..] {
        [] => String::new(),
        named => format!(" ({})", printable(&named.join(", "))),
    };
    Some(format!(
        "Nothing is known of {}, for which no item has a verdict{named}; {} has these rows.",
        count_of(protocols.len() as u64, "figure", "figures"),
        Setting::Verbose
    ))
}

fn figure_table(report: &AuditReport, view: View) -> TextTable {
    // Each finding with its topic, which is named in its first row.
    let mut columns: Columns<(&str, &Finding)> = Columns::new(&[
        ("", |(_, one)| if one.biased { "!" } else { "" }.into()),
        ("probe", |(topic, _)| topic.to_string()),
        ("figure", |(_, one)| one.name.to_string()),
        ("protocol", |(_, one)| one.protocol.clone()),
        ("value", |(_, one)| finding_value(one)),
        ("unbiased", |(_, one)| {
            or_blank(one.unbiased, |value| number_text(one.scale, value))
        }),
        ("adjusted p", |(_, one)| {
            or_blank(one.adjusted_p, p_value_text)
        }),
        ("detectable", |(_, one)| {
            or_blank(one.detectable, |value| number_text(one.scale, value))
        }),
    ]);
    // In brackets the questions that the items ask, where these are fewer.
    let items = match report.pairs {
        Some(PairChoice::All | PairChoice::Labelled) => "pairs (questions)",
        _ if report.questions == report.items => "items",
        _ => "items (questions)",
    };
    columns.push(items, |(_, one)| {
        let items = group_digits(one.items);
        if one.items == one.clusters {
            items
        } else {
            format!("{items} ({})", group_digits(one.clusters))
        }
    });
    columns.push("failed", |(_, one)| {
        or_blank(Some(one.failed).filter(|n| *n > 0), group_digits)
    });
    let mut last = "";
    let findings = report.findings.iter();
    let findings = findings.filter(|one| {
        !is_left_out(&one.name, one.figure.value, view)
            && !is_unknown(one, view)
            && !is_part(one, report, view)
    });
    let findings = findings.map(|finding| {
        let topic = finding.name.topic();
        let shown = if topic == last { "" } else { topic };
        last = topic;
        (shown, finding)
    });
    columns.table(findings).with_numbers_from(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_failed_of_is_one_line() {
        let of = |category: Option<&str>| FindingName::NoVerdict {
            category: category.map(Into::into),
        };
        let terminal = View {
            width: Some(120),
            verbose: false,
        };
        for view in [View::default(), terminal] {
            for category in [None, Some("coding")] {
                assert!(is_left_out(&of(category), Some(0.0), view));
                assert!(!is_left_out(&of(category), Some(0.1), view));
                // What is not known did not go well.
                assert!(!is_left_out(&of(category), None, view));
            }
            assert!(!is_left_out(&FindingName::FlipsByOrder, Some(0.0), view));
        }
        let all = View {
            verbose: true,
            ..terminal
        };
        assert!(!is_left_out(&of(None), Some(0.0), all));

        let said = |folded, counts| folded_text(folded, counts).unwrap();
        assert_eq!(folded_text(0, 3), None);
        assert!(said(28, 28).starts_with("No failed judgments in any of 28 counts ("));
        assert!(said(1, 1).starts_with("No failed judgments in any of 1 count ("));
        assert!(said(2, 28).starts_with("No failed judgments in 2 of 28 counts ("));
    }

    #[test]
    fn figures_without_any_verdict_are_one_line() {
        assert_eq!(unknown_text(&[]), None);
        let said = unknown_text(&["p", "q against p", "p"]).unwrap();
        let start = "Nothing is known of 3 figures, for which no item has a verdict (p); ";
        assert!(said.starts_with(start), "{said}");
        let said = unknown_text(&[""]).unwrap();
        assert!(
            said.starts_with("Nothing is known of 1 figure, for which no item has a verdict; ")
        );
    }
}
