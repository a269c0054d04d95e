//! How a judge measures under several wordings of its prompt: text, JSON and CSV.

use crate::View;
use crate::answer::answered_json;
use crate::columns::{Column, csv_of, table_of};
use crate::numbers::{chosen_percent, count_of, group_digits, or_blank, with_interval};
use crate::serialize::{end_cell, optional_cell};
use crate::view::{Line, answer_first, fit_table};
use evenhand_core::p_value_text;
use evenhand_studies::wordings::{Difference, Parameter, WordingReport, WordingRow};

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
    let table = fit_table(table, view, &[4]);
    answer_first(&answer(report), &[table], summary_lines(report), view)
}

/// Returns the answer and the report as one object.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn wordings_json(report: &WordingReport) -> Result<String, serde_json::Error> {
    answered_json(&answer(report), report)
}

fn answer(report: &WordingReport) -> String {
    let told = match report.reliability >= RELIABLE {
        true => "The judge tells the responses apart",
        false => "The judge hardly tells the responses apart",
    };
    let reliability = format!(
        "{told}: {:.0} % of the differences between their estimated qualities are real, and the \
         rest is chance (Choi et al. ask for {:.0} % or more).",
        100.0 * report.reliability,
        100.0 * RELIABLE
    );
    let variation = or_blank(report.variation, |variation| {
        format!(
            " The variation over wordings is {variation:.2} (they ask for at most \
             {CONSISTENT:.2}; it has no interval, and chance alone makes some)."
        )
    });
    let told = told_apart(report);
    let apart = match (report.differences.is_empty(), told.is_empty()) {
        (true, _) => String::new(),
        (false, true) => " No two wordings are told apart.".into(),
        (false, false) => format!(" {}", told.join(" ")),
    };
    reliability + &variation + &apart
}

/// A sentence for each two wordings of which one is stricter, or says less.
fn told_apart(report: &WordingReport) -> Vec<String> {
    let text = |one: &Difference, value: f64, ci: [f64; 2]| {
        let ends = with_interval(Some(value), Some(ci.map(Some)), |number| {
            format!("{number:.2}")
        });
        format!("{ends}, p {}", p_value_text(one.p_adjusted))
    };
    let mut told = Vec::new();
    for row in &report.differences {
        let [first, second] = &row.wordings;
        if let Some(one) = row.severity.as_ref().filter(|one| one.differs) {
            let ([more, less], value, ci) = match one.value >= 0.0 {
                true => ([first, second], one.value, one.ci),
                false => ([second, first], -one.value, [-one.ci[1], -one.ci[0]]),
            };
            told.push(format!(
                "{more} is stricter than {less} by {} (in standard deviations of the responses).",
                text(one, value, ci)
            ));
        }
        let one = &row.discrimination_ratio;
        if one.differs {
            let ([less, more], value, ci) = match one.value <= 1.0 {
                true => ([first, second], one.value, one.ci),
                false => (
                    [second, first],
                    1.0 / one.value,
                    [1.0 / one.ci[1], 1.0 / one.ci[0]],
                ),
            };
            told.push(format!(
                "A score says less under {less} than under {more}: its discrimination is {} of the \
                 other's.",
                text(one, value, ci)
            ));
        }
    }
    told
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
            format!(
                "{} %, robust, by question; p of differences are adjusted for all pairs (Holm)",
                chosen_percent(report.level)
            ),
        ));
    }
    lines
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
            end_cell(row.parameter.and_then(|one| one.ci), 0)
        }),
        ("high", |row| {
            end_cell(row.parameter.and_then(|one| one.ci), 1)
        }),
        ("note", |row| optional_cell(row.wording.note.clone())),
    ];
    csv_of(&columns, &rows)
}
