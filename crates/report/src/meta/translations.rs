//! How far a judge's verdicts on translations of one question agree: text, JSON and CSV.

use super::{coefficient_with_interval, percent_with_interval};
use crate::View;
use crate::columns::{Column, Columns, table_of};
use crate::numbers::{chosen_percent, count_of, group_digits, or_blank, or_dash};
use crate::serialize::{end_cell, optional_cell};
use crate::view::{Line, answer_first, fit_table};
use evenhand_core::p_value_text;
use evenhand_studies::translations::{LanguageRow, TranslationReport};

/// Columns that a narrow terminal does without, the least important first.
const DROPPABLE: [usize; 2] = [2, 1];

const COLUMNS: [Column<LanguageRow>; 7] = [
    ("language", |row| row.language.clone()),
    ("verdicts", |row| group_digits(row.verdicts as u64)),
    ("without", |row| group_digits(row.without_verdict as u64)),
    ("as the others %", |row| {
        percent_with_interval(&row.agreement)
    }),
    ("flips by order %", |row| percent_with_interval(&row.flips)),
    ("beyond the others, points", |row| {
        or_dash(row.flips_beyond_others, |difference| {
            let ci = or_blank(row.ci, |[low, high]| {
                format!(" ({:.0} to {:.0})", 100.0 * low, 100.0 * high)
            });
            format!("{:.1}{ci}", 100.0 * difference)
        })
    }),
    ("p, adjusted", |row| or_dash(row.p_adjusted, p_value_text)),
];

/// Returns the answer in words, the languages, and what it rests on.
pub fn translations_table(report: &TranslationReport, view: View) -> String {
    let table = table_of(&COLUMNS, &report.languages).with_numbers_from(1);
    let table = fit_table(table, view, &DROPPABLE);
    answer_first(&answer(report), &[table], summary_lines(report), view)
}

fn answer(report: &TranslationReport) -> String {
    let kappa = match (&report.kappa.value, &report.kappa.note) {
        (None, Some(note)) => format!("is undefined: {note}"),
        _ => format!("is {}", coefficient_with_interval(&report.kappa)),
    };
    let agreement = match report.agreement {
        None => "No pair has a verdict in two languages.".into(),
        Some(share) => format!(
            "Verdicts in two languages agree on {:.0} % of pairs; Fleiss' kappa {kappa}.",
            100.0 * share
        ),
    };
    let differing = report.languages.iter().filter(|row| row.differs);
    let differing: Vec<&str> = differing.map(|row| row.language.as_str()).collect();
    let flips = match (report.tested, differing.is_empty()) {
        (0, _) => {
            "It is not known whether languages differ in flips by order: that takes verdicts \
                   in both orders, in two languages, on several questions."
                .into()
        }
        (_, true) => "No language is shown to differ in flips by order.".into(),
        (_, false) => format!("Flips by order differ in {}.", differing.join(", ")),
    };
    format!("{agreement} {flips}")
}

fn summary_lines(report: &TranslationReport) -> Vec<Line> {
    let pairs = count_of(report.units as u64, "pair", "pairs");
    let questions = count_of(report.questions as u64, "question", "questions");
    let mut lines = vec![(
        "rests on",
        format!("{pairs} with a verdict in two languages or more, of {questions}"),
    )];
    if let (Some(_), Some(note)) = (report.kappa.value, &report.kappa.note) {
        lines.push(("kappa", format!("no interval: {note}")));
    }
    let tested = or_blank((report.tested > 0).then_some(report.tested), |tested| {
        let languages = count_of(tested as u64, "language", "languages");
        format!("; p-values adjusted for {languages} (Holm)")
    });
    let level = chosen_percent(report.level);
    lines.push(("intervals", format!("{level} %, by question{tested}")));
    lines
}

/// Returns a line for each language.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn translations_csv(report: &TranslationReport) -> Result<String, csv::Error> {
    let mut columns: Columns<LanguageRow> = Columns::new(&[
        ("language", |row| row.language.clone()),
        ("verdicts", |row| row.verdicts.to_string()),
        ("without_verdict", |row| row.without_verdict.to_string()),
    ]);
    columns.push_figure("agreement", ["low", "high"], |row| &row.agreement);
    columns.push_figure("flips", ["low", "high"], |row| &row.flips);
    columns.extend(&[
        ("flips_beyond_others", |row| {
            optional_cell(row.flips_beyond_others)
        }),
        ("beyond_low", |row| end_cell(row.ci, 0)),
        ("beyond_high", |row| end_cell(row.ci, 1)),
        ("p_adjusted", |row| optional_cell(row.p_adjusted)),
    ]);
    columns.csv(&report.languages)
}
