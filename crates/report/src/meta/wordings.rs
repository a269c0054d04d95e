//! How a judge measures under several wordings of its prompt: text, JSON and CSV.

use crate::View;
use crate::columns::{Column, csv_of, table_of};
use crate::numbers::{chosen_percent, count_of, group_digits, or_blank, with_interval};
use crate::serialize::{json_text, optional_cell};
use crate::terminal::printable;
use crate::view::{Line, fit_table, sentences_text, summary_text};
use evenhand_studies::wordings::{Parameter, WordingReport, WordingRow};

/// Choi et al. 2026, section 3: a reliability of this at least, and a variation of that at most.
const RELIABLE: f64 = 0.70;
const CONSISTENT: f64 = 0.10;

const COLUMNS: [Column<WordingRow>; 5] = [
    ("wording", |row| row.wording.clone()),
    ("scores", |row| group_digits(row.scores as u64)),
    ("discrimination", |row| parameter_text(row.discrimination)),
    ("severity", |row| parameter_text(row.severity)),
    ("thresholds", |row| {
        let all = row.thresholds.iter();
        let all = all.map(|one| format!("{}: {:.2}", one.score, one.quality.value));
        all.collect::<Vec<_>>().join(", ")
    }),
];

fn parameter_text(parameter: Option<Parameter>) -> String {
    let ci = parameter.and_then(|one| one.ci).map(|ends| ends.map(Some));
    with_interval(parameter.map(|one| one.value), ci, |number| {
        format!("{number:.2}")
    })
}

/// Returns the answer in words, the wordings, and what it rests on.
pub fn wordings_table(report: &WordingReport, view: View) -> String {
    let table = table_of(&COLUMNS, &report.wordings).with_numbers_from(1);
    format!(
        "{}\n\n{}\n\n{}\n",
        sentences_text(&printable(&answer(report)), view),
        fit_table(table, view, &[4]),
        summary_text(summary_lines(report), view)
    )
}

fn answer(report: &WordingReport) -> String {
    let reliability = format!(
        "{:.0} % of the spread of the qualities is not noise (Choi et al. ask for {:.0} % of a \
         reliable judge).",
        100.0 * report.reliability,
        100.0 * RELIABLE
    );
    let variation = or_blank(report.variation, |variation| {
        format!(
            " The variation over wordings is {variation:.2} (they ask for at most \
             {CONSISTENT:.2}; it has no interval, and chance alone makes some)."
        )
    });
    reliability + &variation
}

fn summary_lines(report: &WordingReport) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let responses = count_of(report.responses.len() as u64, "response", "responses");
    let questions = count_of(report.questions as u64, "question", "questions");
    lines.push(("rests on", format!("{responses} to {questions}")));
    for row in &report.wordings {
        if let Some(note) = &row.note {
            lines.push(("note", format!("{}: {note}", row.wording)));
        }
        if !row.never.is_empty() {
            let never: Vec<String> = row.never.iter().map(f64::to_string).collect();
            let text = format!(
                "{} never gave {}: no threshold there",
                row.wording,
                never.join(", ")
            );
            lines.push(("note", text));
        }
    }
    if !report.converged {
        lines.push(("note", "the fit did not converge: do not rely on it".into()));
    }
    lines.push((
        "model",
        "graded response model (Samejima 1969), marginal maximum likelihood with weak priors; \
         qualities and thresholds in standard deviations of the responses"
            .into(),
    ));
    let severities = report.wordings.iter().filter_map(|row| row.severity);
    if severities.into_iter().any(|severity| severity.ci.is_some()) {
        lines.push((
            "intervals",
            format!("{} %, robust, by question", chosen_percent(report.level)),
        ));
    }
    lines
}

/// Returns the report as one object.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn wordings_json(report: &WordingReport) -> Result<String, serde_json::Error> {
    json_text(report)
}

/// A parameter of a wording, as a line of CSV has it.
struct ParameterRow<'a> {
    wording: &'a WordingRow,
    name: String,
    parameter: Option<Parameter>,
}

/// Returns a line for each parameter of each wording.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn wordings_csv(report: &WordingReport) -> Result<String, csv::Error> {
    let mut rows = Vec::new();
    for wording in &report.wordings {
        let mut add = |name: String, parameter: Option<Parameter>| {
            rows.push(ParameterRow {
                wording,
                name,
                parameter,
            });
        };
        add("discrimination".into(), wording.discrimination);
        add("severity".into(), wording.severity);
        for threshold in &wording.thresholds {
            add(
                format!("threshold {}", threshold.score),
                Some(threshold.quality),
            );
        }
    }
    let columns: [Column<ParameterRow>; 8] = [
        ("wording", |row| row.wording.wording.clone()),
        ("scores", |row| row.wording.scores.to_string()),
        ("parameter", |row| row.name.clone()),
        ("value", |row| {
            optional_cell(row.parameter.map(|one| one.value))
        }),
        ("standard_error", |row| {
            optional_cell(row.parameter.and_then(|one| one.standard_error))
        }),
        ("low", |row| {
            optional_cell(row.parameter.and_then(|one| one.ci).map(|ends| ends[0]))
        }),
        ("high", |row| {
            optional_cell(row.parameter.and_then(|one| one.ci).map(|ends| ends[1]))
        }),
        ("note", |row| optional_cell(row.wording.note.clone())),
    ];
    csv_of(&columns, &rows)
}
