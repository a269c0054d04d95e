//! How far people agree among themselves: tables.

use super::judge_notes::interval_text;
use super::{coefficient_with_interval, percent_with_interval};
use crate::View;
use crate::numbers::{count_items, count_of, group_digits, or_blank, or_dash};
use crate::terminal::printable;
use crate::text_table::TextTable;
use crate::view::{Line, fit_table, sentences_text, summary_text};
use evenhand_core::Setting;
use evenhand_stats::Bootstrap;
use evenhand_studies::Figure;
use evenhand_studies::people::{Agreement, AnnotatorRow, PeopleReport};

const AGREEMENT_HEADER: [&str; 9] = [
    "subset",
    "pairs",
    "by two or more",
    "alpha",
    "ordinal alpha",
    "agree %",
    "without ties",
    "unanimous",
    "ties",
];

/// Columns that a narrow terminal does without, the least important first.
const DROPPABLE: [usize; 6] = [4, 8, 7, 6, 1, 2];

const ANNOTATORS_HEADER: [&str; 5] = [
    "annotator",
    "labels",
    "pairs with others",
    "as most others %",
    "kappa",
];

/// Annotators that the table shows.
const SHOWN_ANNOTATORS: usize = 20;

/// Returns the answer in words, agreement on the whole and by category, the annotators, and what
/// all this rests on.
pub fn people_table(report: &PeopleReport, plan: &Bootstrap, view: View) -> String {
    let parts = [
        sentences_text(&printable(&answer_text(&report.all, plan.level)), view),
        fit_table(agreement_table(report), view, &DROPPABLE),
        annotators_text(&report.annotators, view),
        summary_text(summary_lines(report, plan), view),
    ];
    parts.join("\n\n") + "\n"
}

/// Says how far people agree, in one sentence.
fn answer_text(all: &Agreement, level: f64) -> String {
    format!(
        "{}; {}.",
        agreement_words(all, level),
        alpha_words(&all.alpha_nominal.figure)
    )
}

fn agreement_words(all: &Agreement, level: f64) -> String {
    let figure = &all.agreement.figure;
    let share = or_dash(figure.value, whole_percent);
    let interval = interval_words(figure, level);
    format!("People agree on {share} % of the pairs that two of them judged{interval}")
}

fn interval_words(figure: &Figure, level: f64) -> String {
    or_blank(figure.ci, |ends| {
        let [low, high] = ends.map(|end| or_dash(end, whole_percent));
        format!(" ({} % interval {low} to {high})", whole_percent(level))
    })
}

fn whole_percent(share: f64) -> String {
    format!("{:.0}", 100.0 * share)
}

fn alpha_words(alpha: &Figure) -> String {
    let note = alpha.note.as_ref().filter(|_| alpha.value.is_none());
    match note {
        Some(note) => format!("Krippendorff's alpha is undefined: {note}"),
        None => format!(
            "Krippendorff's alpha is {}",
            coefficient_with_interval(alpha)
        ),
    }
}

fn agreement_table(report: &PeopleReport) -> TextTable {
    let parts = report.parts.iter();
    let parts = parts.map(|(name, part)| agreement_row(name, part));
    TextTable::with_header(AGREEMENT_HEADER)
        .with_rows(parts.chain([agreement_row("all", &report.all)]))
        .with_numbers_from(1)
}

fn agreement_row(name: &str, agreement: &Agreement) -> [String; 9] {
    [
        name.to_string(),
        count_text(agreement.units),
        count_text(agreement.compared),
        coefficient_with_interval(&agreement.alpha_nominal.figure),
        coefficient_with_interval(&agreement.alpha_ordinal.figure),
        percent_with_interval(&agreement.agreement.figure),
        percent_with_interval(&agreement.agreement_without_ties.figure),
        percent_with_interval(&agreement.unanimous.figure),
        percent_with_interval(&agreement.ties.figure),
    ]
}

fn count_text(count: usize) -> String {
    group_digits(count as u64)
}

fn annotators_text(rows: &[AnnotatorRow], view: View) -> String {
    let shown = if view.verbose {
        rows.len()
    } else {
        SHOWN_ANNOTATORS
    };
    let table = TextTable::with_header(ANNOTATORS_HEADER)
        .with_rows(rows.iter().take(shown).map(annotator_row))
        .with_numbers_from(1);
    fit_table(table, view, &[1]) + &more_annotators_note(rows.len().saturating_sub(shown))
}

fn annotator_row(row: &AnnotatorRow) -> [String; 5] {
    [
        row.annotator.clone(),
        count_text(row.labels),
        count_text(row.units),
        percent_with_interval(&row.agreement.figure),
        coefficient_with_interval(&row.kappa.figure),
    ]
}

fn more_annotators_note(more: usize) -> String {
    if more == 0 {
        return String::new();
    }
    format!(
        "\n and {more} more, with fewer pairs; {} or {} json has all",
        Setting::Verbose,
        Setting::Format
    )
}

fn summary_lines(report: &PeopleReport, plan: &Bootstrap) -> Vec<Line> {
    let mut lines = vec![
        ("ceiling", ceiling_text(&report.all)),
        ("labels", labels_text(report)),
        ("annotators", annotators_of_units_text(report)),
    ];
    lines.extend(repeats_text(report).map(|text| ("repeated", text)));
    lines.extend(left_out_texts(report).map(|text| ("left out", text)));
    lines.extend(undefined_texts(&report.all).map(|text| ("undefined", text)));
    lines.push(("intervals", interval_text(plan)));
    lines
}

/// Says what agreement with single people a judge can reach.
fn ceiling_text(all: &Agreement) -> String {
    format!(
        "a judge agrees with at most {} % of single people's labels, by saying of each pair what \
         most people said; by saying what most of the others say, without the label itself, with \
         {} % (human ceiling, leave-one-out); of {}",
        percent_with_interval(&all.ceiling_in_sample.figure),
        percent_with_interval(&all.ceiling_leave_one_out.figure),
        count_of(all.ceiling_in_sample.n as u64, "label", "labels"),
    )
}

fn labels_text(report: &PeopleReport) -> String {
    let counts = [
        count_of(report.labels as u64, "label", "labels"),
        count_of(report.annotators.len() as u64, "annotator", "annotators"),
        count_items(report.items as u64, report.questions as u64),
    ];
    let pairs = count_of(report.all.agreement.n as u64, "comparison", "comparisons");
    format!(
        "{}; {pairs} of two people's labels of one pair",
        counts.join(", ")
    )
}

/// Says how many pairs have how many annotators.
fn annotators_of_units_text(report: &PeopleReport) -> String {
    let count = |wanted: fn(usize) -> bool| {
        let counts = report.units_by_annotators.iter();
        let counts = counts.filter(|(annotators, _)| wanted(**annotators));
        count_text(counts.map(|(_, units)| units).sum())
    };
    format!(
        "{} pairs have one, {} have two, {} have three or more",
        count(|annotators| annotators == 1),
        count(|annotators| annotators == 2),
        count(|annotators| annotators > 2),
    )
}

/// Says how far people agree with themselves, where one labelled a pair twice.
fn repeats_text(report: &PeopleReport) -> Option<String> {
    let repeats = &report.self_agreement;
    (repeats.n > 0).then(|| {
        format!(
            "{} of a pair that the same person had labelled: {} % are the same again; the first \
             counts above",
            count_of(repeats.n as u64, "label", "labels"),
            percent_with_interval(&repeats.figure)
        )
    })
}

/// Says how many labels are left out, and why.
fn left_out_texts(report: &PeopleReport) -> impl Iterator<Item = String> {
    let counted = [
        (report.unnamed, "without the name of an annotator"),
        (report.self_comparisons, "of a system and itself"),
    ];
    let some = counted.into_iter().filter(|(labels, _)| *labels > 0);
    some.map(|(labels, why)| format!("{} {why}", count_of(labels as u64, "label", "labels")))
}

/// Says why figures over all pairs are missing.
fn undefined_texts(all: &Agreement) -> impl Iterator<Item = String> {
    let named = [
        ("alpha", &all.alpha_nominal),
        ("ordinal alpha", &all.alpha_ordinal),
        ("agreement without ties", &all.agreement_without_ties),
    ];
    let missing = named.into_iter().filter_map(|(name, counted)| {
        let note = counted.figure.note.as_ref()?;
        Some(format!("{name}: {note}"))
    });
    missing.collect::<Vec<_>>().into_iter()
}
