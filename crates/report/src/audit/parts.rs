//! The parts of a judge card that stand below its figures: the protocol to take, warnings, figures
//! by criterion, and how often each score was given.

use crate::View;
use crate::columns::{Column, Columns, table_of};
use crate::numbers::{group_digits, or_blank, or_dash, percent, with_interval};
use crate::serialize::optional_cell;
use crate::terminal::printable;
use crate::text_table::TextTable;
use crate::view::{fit_table, sentences_text, unsorted_warning_lines};
use evenhand_studies::audit::{
    Advice, AuditReport, Candidate, CriteriaRow, Finding, FindingScale, ScoreDistribution,
    ScoreShare, compare_criteria,
};

/// Returns a share in per cent; anything else as it is.
pub(super) fn number_text(scale: FindingScale, value: f64) -> String {
    match scale {
        FindingScale::Share | FindingScale::Difference => percent(value),
        FindingScale::Number => format!("{value:.2}"),
    }
}

/// Returns the value of a finding with its interval.
pub(super) fn finding_value(finding: &Finding) -> String {
    with_interval(finding.figure.value, finding.figure.ci, |value| {
        number_text(finding.scale, value)
    })
}

/// Returns the value of a finding, with a mark where it is a bias; a dash where there is none.
pub(super) fn marked_finding(finding: Option<&Finding>) -> String {
    or_dash(finding, |finding| {
        let mark = if finding.biased { " !" } else { "" };
        finding_value(finding) + mark
    })
}

const CANDIDATE_COLUMNS: [Column<Candidate>; 6] = [
    ("protocol", |one| one.protocol.clone()),
    ("agrees with people", |one| or_dash(one.accuracy, percent)),
    ("moved", |one| or_dash(one.moved, percent)),
    ("no verdict", |one| or_dash(one.failures, percent)),
    ("tokens a comparison", |one| format!("{:.0}", one.tokens)),
    ("", |one| one.out.clone().unwrap_or_default()),
];

/// Says which protocol to take, and by which rule.
pub(super) fn recommendation_of(advice: &Advice) -> String {
    let rule = &advice.rule;
    match &advice.protocol {
        Some(protocol) => {
            let mut candidates = advice.candidates.iter();
            let taken = candidates.find(|one| one.protocol == *protocol);
            let biases = taken.map(|one| one.biases.join("; "));
            let but = or_blank(biases.filter(|found| !found.is_empty()), |found| {
                format!(" Mind what was found under it, too: {found}.")
            });
            format!("Take {protocol}.{but}\n{rule}")
        }
        None => format!("No protocol can be recommended.\n{rule}"),
    }
}

/// Returns the protocols that the recommendation is of.
pub(super) fn candidate_table(advice: &Advice) -> TextTable {
    let mut table = table_of(&CANDIDATE_COLUMNS, &advice.candidates);
    table.align_right(1..5);
    table
}

pub(super) fn advice_text(advice: &Advice, view: View) -> String {
    let sentences = sentences_text(&recommendation_of(advice), view);
    let table = fit_table(candidate_table(advice), view, &[4, 3]);
    format!("{sentences}\n{table}")
}

pub(super) fn warnings_text(report: &AuditReport, view: View) -> String {
    let lines = unsorted_warning_lines(&report.warnings, view).into_iter();
    let sentences = lines.map(|(key, text)| {
        let text = printable(&text);
        // A line without a key counts the warnings, and one that was cut ends with dots already.
        if key.is_empty() {
            text.into_owned()
        } else if text.ends_with("...") {
            format!("Warning: {text}")
        } else {
            format!("Warning: {text}.")
        }
    });
    sentences_text(&sentences.collect::<Vec<_>>().join("\n"), view)
}

/// The probes whose figures are set side by side by criterion; the card has all of them.
const TOPICS: [&str; 3] = ["position", "transitivity", "choice set"];

/// Returns the figures under several criteria, side by side; None where fewer than two are
/// compared.
pub(super) fn criteria_text(report: &AuditReport, view: View) -> Option<String> {
    let mut rows = compare_criteria(&report.findings, &report.criteria);
    rows.retain(|row| {
        let topic = row.first().map(|finding| finding.name.topic());
        topic.is_some_and(|topic| TOPICS.contains(&topic))
    });
    if rows.is_empty() {
        return None;
    }
    let heading = match report.tested {
        0 => String::from("By criterion; nothing was tested."),
        tested => format!(
            "By criterion, each with the same tests; ! marks what is found. The p-values of all \
             tests of this audit ({}) are adjusted together, so adding a criterion does not accuse \
             more sound judges.",
            group_digits(tested)
        ),
    };
    let mut columns: Columns<CriteriaRow> = Columns::new(&[
        ("probe", |row| {
            optional_cell(row.first().map(|one| one.name.topic()))
        }),
        ("figure", |row| {
            optional_cell(row.first().map(|one| &one.name))
        }),
        ("protocol", |row| row.protocol.clone()),
    ]);
    for (at, criterion) in report.criteria.iter().enumerate() {
        columns.push(criterion, move |row| marked_finding(row.findings[at]));
    }
    let table = columns.table(rows).with_numbers_from(3);
    let head = sentences_text(&heading, view);
    Some(format!("{head}\n{}", fit_table(table, view, &[2, 0])))
}

/// A scale of more scores than these is shown without those that nobody gave.
const FEW_SCORES: usize = 11;

const SCORE_COLUMNS: [Column<ScoreShare>; 2] = [
    ("score", |score| score.score.clone()),
    ("share", |score| {
        with_interval(score.share.value, score.share.ci, percent)
    }),
];

/// Returns how often each score of a scale was given.
pub(super) fn distribution_text(distribution: &ScoreDistribution, view: View) -> String {
    let is_short = distribution.scores.len() <= FEW_SCORES;
    let scores = distribution.scores.iter();
    let shown = scores.filter(|score| is_short || score.share.value > Some(0.0));
    let table = table_of(&SCORE_COLUMNS, shown).with_numbers_from(0);
    let by_probabilities = match distribution.by_probabilities {
        0 => String::new(),
        count => format!(", {} of them by probabilities", group_digits(count)),
    };
    let heading = format!(
        "Scores of {} responses, {}: per cent{by_probabilities}",
        group_digits(distribution.responses),
        distribution.protocol
    );
    let head = sentences_text(&heading, view);
    format!("{head}\n{}", fit_table(table, view, &[]))
}
