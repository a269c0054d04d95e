//! How far a judge's verdicts on translations of one question agree: text, JSON and CSV.

use super::{coefficient_with_interval, percent_with_interval};
use crate::View;
use crate::answer::AnswerJson;
use crate::columns::{Column, Columns, table_of};
use crate::compare::{GateJson, gates_json};
use crate::numbers::{chosen_percent, count_of, group_digits, or_blank, or_dash};
use crate::serialize::{end_cell, json_text, optional_cell};
use crate::view::{Line, answer_first, fit_table};
use evenhand_compare::gate::GateResult;
use evenhand_core::p_value_text;
use evenhand_studies::translations::{LanguageDifference, LanguageRow, TranslationReport};
use schemars::JsonSchema;
use serde::Serialize;

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
    ("beyond most others, points", |row| {
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

/// How far verdicts on translations agree. Shares are from 0 to 1.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TranslationsJson<'a> {
    /// The answer.
    answer: AnswerJson,
    #[serde(flatten)]
    report: &'a TranslationReport,
    /// What came of the conditions that were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<GateJson<'a>>,
}

/// Returns the report as one object.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn translations_json(
    report: &TranslationReport,
    gates: &[GateResult],
) -> Result<String, serde_json::Error> {
    json_text(&TranslationsJson {
        answer: AnswerJson::of_sentences(&answer(report)),
        report,
        gates: gates_json(gates),
    })
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
    format!("{agreement} {}", flips_text(report))
}

/// Says which languages flip more or less often than most others; where none does, which two are
/// told apart.
fn flips_text(report: &TranslationReport) -> String {
    if report.tested == 0 {
        return "It is not known whether languages differ in flips by order: that takes verdicts \
                in both orders, in two languages, on several questions."
            .into();
    }
    let sentence = |language: &str, others: &str, beyond: f64, p: f64| {
        let way = if beyond > 0.0 { "more" } else { "less" };
        format!(
            "{language} flips {way} often by order than {others}: {:.0} points, p {}.",
            100.0 * beyond.abs(),
            p_value_text(p)
        )
    };
    let told = |pair: &&LanguageDifference| pair.differs;
    let pairs = report.differences.iter().filter(told).map(|pair| {
        let [first, second] = &pair.languages;
        // The one that flips more often comes first.
        match pair.difference >= 0.0 {
            true => sentence(first, second, pair.difference, pair.p_adjusted),
            false => sentence(second, first, -pair.difference, pair.p_adjusted),
        }
    });
    let pairs: Vec<String> = pairs.collect();
    if pairs.is_empty() {
        return "No language is shown to differ in flips by order.".into();
    }
    let differing = report.languages.iter().filter(|row| row.differs);
    let differing = differing.filter_map(|row| {
        let (beyond, p) = (row.flips_beyond_others?, row.p_adjusted?);
        let mut of_it = report.differences.iter().filter_map(|pair| {
            let (difference, ..) = pair.seen_by(&row.language)?;
            Some(pair.differs && difference * beyond > 0.0)
        });
        let others = match of_it.all(|is_told| is_told) {
            true => "the others",
            false => "most others",
        };
        Some(sentence(&row.language, others, beyond, p))
    });
    let differing: Vec<String> = differing.collect();
    // Of two languages, each differs from the other: one sentence says it.
    match report.languages.len() > 2 && !differing.is_empty() {
        true => differing.join(" "),
        false => pairs.join(" "),
    }
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
        let pairs = count_of(tested as u64, "pair of languages", "pairs of languages");
        format!("; flips compared and p-values adjusted for {pairs} (Holm)")
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

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_studies::Figure;

    fn report(names: &[&str], differences: Vec<LanguageDifference>) -> TranslationReport {
        let row = |name: &&str| LanguageRow {
            language: (*name).into(),
            verdicts: 40,
            without_verdict: 0,
            agreement: Figure::default(),
            flips: Figure::default(),
            flips_beyond_others: Some(if *name == "fi" { 1.0 } else { 0.0 }),
            ci: None,
            p_adjusted: Some(if *name == "fi" { 0.0002 } else { 1.0 }),
            differs: *name == "fi",
        };
        TranslationReport {
            field: "language".into(),
            kappa: Figure::default(),
            agreement: Some(0.7),
            tested: differences.len(),
            units: 40,
            questions: 40,
            languages: names.iter().map(row).collect(),
            differences,
            level: 0.95,
        }
    }

    fn difference(languages: [&str; 2], difference: f64) -> LanguageDifference {
        LanguageDifference {
            languages: languages.map(Into::into),
            difference,
            ci: [difference; 2],
            p_adjusted: if difference == 0.0 { 1.0 } else { 0.0002 },
            differs: difference != 0.0,
        }
    }

    #[test]
    fn the_language_that_flips_is_named_with_its_direction_and_no_other() {
        let pairs = vec![
            difference(["de", "en"], 0.0),
            difference(["de", "fi"], -1.0),
            difference(["en", "fi"], -1.0),
        ];
        assert_eq!(
            flips_text(&report(&["de", "en", "fi"], pairs.clone())),
            "fi flips more often by order than the others: 100 points, p < 0.001."
        );
        let most = vec![
            pairs[1].clone(),
            pairs[2].clone(),
            difference(["fi", "sw"], -0.5),
        ];
        assert_eq!(
            flips_text(&report(&["de", "en", "fi", "sw"], most)),
            "fi flips more often by order than most others: 100 points, p < 0.001."
        );
        // Of two, one sentence says both.
        assert_eq!(
            flips_text(&report(
                &["de", "fi"],
                vec![difference(["de", "fi"], -0.25)]
            )),
            "fi flips more often by order than de: 25 points, p < 0.001."
        );
        assert_eq!(
            flips_text(&report(&["de", "en"], vec![difference(["de", "en"], 0.0)])),
            "No language is shown to differ in flips by order."
        );
    }
}
