//! The judge card as text: one page that says what a judge may be trusted with.

use super::climb::climb_text;
use super::flips::{flips_text, ties_text};
use super::heading::{INSIDE, card_heading, found_biases, panel_text};
use super::parts::{
    advice_text, candidate_table, criteria_text, distribution_text, finding_value, marked_finding,
    number_text, recommendation_of, warnings_text,
};
use super::several::audits_answer;
use super::slices::slices_text;
use crate::View;
use crate::columns::Columns;
use crate::markdown::{escape, lines_as_markdown};
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

/// Returns the cards of all judges, of several below their answer; of more than three, the answer
/// and a line for each judge.
pub fn audits_table(reports: &[AuditReport], view: View) -> String {
    let mut parts = Vec::new();
    if reports.len() > 1 {
        let answer = format!("{}.", printable(&audits_answer(reports)));
        parts.push(sentences_text(&answer, view) + "\n");
    }
    if reports.len() > MOST_CARDS {
        let answers = reports
            .iter()
            .map(|report| format!("{}.", printable(&report.answer())));
        let answers = answers.map(|text| sentences_text(&text, view) + "\n");
        parts.extend(answers);
        parts.push(line_for_each(reports, view));
    } else {
        parts.extend(reports.iter().map(|report| card(report, view)));
    }
    // A single card has its flips and ties among its parts.
    if reports.len() > 1 {
        let tables = [flips_text(reports, view), ties_text(reports, view)];
        parts.extend(tables.into_iter().flatten().map(|table| table + "\n"));
    }
    parts.join("\n")
}

/// Returns the cards of all judges for a pull request: of each its answer, what was found, which
/// protocol to take, the warnings, and the rows and columns that a wide terminal shows. The CSV has
/// all rows.
pub fn audits_markdown(reports: &[AuditReport]) -> String {
    let view = View::default();
    let mut text = String::new();
    if reports.len() > 1 {
        text += &format!("**{}.**\n\n", escape(&audits_answer(reports)));
    }
    for report in reports {
        text += &format!("**{}.**\n\n", escape(&report.answer()));
        text += &lines_as_markdown(&panel_text(report));
        text += &lines_as_markdown(&found_biases(report));
        if let Some(advice) = &report.advice {
            text += &lines_as_markdown(&recommendation_of(advice));
            text += &format!("{}\n", candidate_table(advice).to_markdown());
        }
        for warning in &report.warnings {
            text += &format!("**Warning:** {}\n\n", escape(warning));
        }
        let figures = figure_table(report, view);
        if figures.has_rows() {
            text += &format!("{}\n", figures.to_markdown());
        }
        for note in notes_on_rows(report, view) {
            text += &lines_as_markdown(&note);
        }
    }
    text.trim_end().to_string() + "\n"
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
    let mut findings = reports.iter().flat_map(|report| &report.findings);
    let inside = findings.any(|one| one.biased && one.holds_unbiased());
    let legend = format!(
        "In per cent, with intervals; ! where a judge without the defect would rarely show as much \
         (corrected over each judge's own tests). {} json has everything.{}",
        Setting::Format,
        if inside { INSIDE } else { "" }
    );
    format!(
        "{}\n\n{}\n",
        fit_table(table, view, &[1, 4, 5]),
        sentences_text(&legend, view)
    )
}

/// Returns the card of one judge: what was found and which protocol to use, then its figures,
/// flips, ties, slices, criteria, climbs, distributions of scores and warnings, as far as there are
/// any.
fn card(report: &AuditReport, view: View) -> String {
    let mut parts = vec![
        sentences_text(&format!("{}.", printable(&report.answer())), view),
        sentences_text(
            &format!("{}{}", card_heading(report), panel_text(report)),
            view,
        ),
        sentences_text(&found_biases(report), view),
    ];
    // What to do stands before all that it rests on.
    parts.extend(report.advice.iter().map(|advice| advice_text(advice, view)));
    let figures = figure_table(report, view);
    if figures.has_rows() {
        parts.push(fit_table(figures, view, &DROPPABLE));
    }
    let notes = notes_on_rows(report, view).into_iter();
    parts.extend(notes.map(|text| sentences_text(&text, view)));
    parts.extend(flips_text(slice::from_ref(report), view));
    parts.extend(ties_text(slice::from_ref(report), view));
    parts.extend(slices_text(report, view));
    parts.extend(criteria_text(report, view));
    parts.extend(report.climbs.iter().map(|climb| climb_text(climb, view)));
    let distributions = report.distributions.iter();
    parts.extend(distributions.map(|scores| distribution_text(scores, view)));
    if !report.warnings.is_empty() {
        parts.push(warnings_text(report, view));
    }
    parts.join("\n\n") + "\n"
}

/// Says which rows the table of figures does without.
fn notes_on_rows(report: &AuditReport, view: View) -> Vec<String> {
    let findings = || report.findings.iter();
    let counts = findings().filter(|one| counts_failures(&one.name)).count();
    let folded = findings().filter(|one| is_left_out(&one.name, one.figure.value, view));
    // A member's failures stand at the head of the card.
    let whose = match report.members.is_empty() {
        true => "",
        false => " of the panel",
    };
    let folded = folded_text(folded.count() as u64, counts as u64, whose);
    let parts_left_out = findings().filter(|one| is_part(one, report, view)).count();
    let parts = (parts_left_out > 0).then(|| {
        format!(
            "{} without a test of {} own {} left out here; {} has them.",
            count_of(parts_left_out as u64, "figure", "figures"),
            if parts_left_out == 1 { "its" } else { "their" },
            if parts_left_out == 1 { "is" } else { "are" },
            Setting::Verbose
        )
    });
    let unknown = findings().filter(|one| is_unknown(one, view));
    let unknown: Vec<&str> = unknown.map(|one| one.protocol.as_str()).collect();
    [folded, parts, unknown_text(&unknown)]
        .into_iter()
        .flatten()
        .collect()
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
fn folded_text(folded: u64, counts: u64, whose: &str) -> Option<String> {
    let rows = "rows of failed judgments (no verdict and refusals, by protocol and category)";
    let text = match folded {
        0 => return None,
        all if all == counts => format!("No judgment{whose} failed, under any protocol."),
        some => format!(
            "{} of {} {rows} are 0 and left out here.",
            group_digits(some),
            group_digits(counts)
        ),
    };
    Some(format!("{text} {} has these rows.", Setting::Verbose))
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

        let said = |folded, counts| folded_text(folded, counts, "").unwrap();
        assert_eq!(folded_text(0, 3, ""), None);
        assert!(said(28, 28).starts_with("No judgment failed, under any protocol. "));
        assert!(said(1, 1).starts_with("No judgment failed, under any protocol. "));
        assert!(said(2, 28).starts_with("2 of 28 rows of failed judgments ("));
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
