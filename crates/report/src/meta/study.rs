//! The findings of a study: table 1 of the paper, JSON and CSV.

use super::judge::{evaluation_json, measure_cells, measure_columns, repeats_json};
use super::judge_notes::interval_text;
use super::paired::{paired_json, paired_note};
use super::study_extras::extra_tables;
use super::study_labelled::labelled_tables;
use super::study_wide::wide_tables;
use super::{all_figure_cells, bencher, coefficient_with_interval, figure_cells, figure_columns};
use crate::columns::{Column, table_of};
use crate::numbers::{format_usd, group_digits, or_dash};
use crate::serialize::{array_of, csv_text, json_text, object_of, optional_cell};
use evenhand_studies::judge::Evaluation;
use evenhand_studies::study::{Spending, StudyReport, StudyRow};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Returns everything as one object: `benchers` (rows), what was computed of each, and the
/// recommendation.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn study_json(report: &StudyReport) -> Result<String, serde_json::Error> {
    let rows = report.rows.iter().enumerate();
    let labelled = |(input, evaluation): &(String, Evaluation)| {
        let mut object = evaluation_json(evaluation);
        object.insert("input".into(), json!(input));
        object
    };
    let differences = array_of(&report.differences, |one| {
        json!({
            "total": one.total,
            "judge": one.judge,
            "differences": array_of(&one.differences, paired_json),
        })
    });
    let variations = array_of(&report.variations, |one| {
        json!({
            "total": one.total,
            "judge": one.judge,
            "protocol": one.protocol,
            // In the order of the prompts; the differences are of the first from each other.
            "prompts": one.prompts,
            "accuracy": repeats_json(&one.accuracies),
            "differences": array_of(&one.differences, paired_json),
        })
    });
    json_text(&json!({
        "study": report.name,
        "benchers": rows.map(|(at, row)| row_json(report, at, row)).collect::<Value>(),
        "frontier": report.frontier,
        "unit": report.unit,
        "labelled": array_of(&report.labelled, labelled),
        "totals": array_of(&report.totals, labelled),
        "protocol_differences": differences,
        "prompt_variations": variations,
        "measures": report.measures,
        "random_labelled": report.random_labelled,
        "judge_ranks": report.judge_ranks,
        "judge_prices": report.judge_prices,
        "concordances": report.concordances,
        "recommendation": report.recommendation,
        "ci": {
            "method": "bootstrap",
            "over": "items",
            "rounds": report.plan.rounds,
            "level": report.plan.level,
        },
        "seed": report.plan.seed,
        "warnings": report.warnings,
    }))
}

fn row_json(report: &StudyReport, at: usize, row: &StudyRow) -> Value {
    let mut object = object_of(json!({
        "input": row.input,
        "judge": row.judge,
        "type": row.kind,
        "reference": row.reference,
    }));
    // Without its name: the study names a bencher by its cell.
    let mut figures = bencher::row_json(&row.bencher);
    figures.remove("bencher");
    object.extend(figures);
    let spent = row.spent.map(|spent| {
        json!({
            "calls": spent.calls,
            "prompt_tokens": spent.usage.prompt_tokens,
            "completion_tokens": spent.usage.completion_tokens,
            "cost_usd": spent.usd,
        })
    });
    object.extend(object_of(json!({
        "trials": row.trials,
        "verdicts": row.judged,
        "spent": spent,
        "shares": report.shares.get(at),
    })));
    // What the study computed for only some rows.
    if let Some((_, found)) = report.references.iter().find(|(row, _)| *row == at) {
        object.insert("references".into(), json!(found));
    }
    if let Some((_, found)) = report.budgets.iter().find(|(row, _)| *row == at) {
        object.insert("fixed_budget".into(), json!(found));
    }
    if let Some((_, found)) = report.random_rows.iter().find(|(row, _)| *row == at) {
        object.insert("random_verdicts".into(), json!(found));
    }
    Value::Object(object)
}

const COLUMNS: [Column<StudyRow>; 11] = [
    ("input", |row| row.input.clone()),
    ("judge", |row| row.judge.clone()),
    ("type", |row| row.kind.clone()),
    ("reference", |row| optional_cell(row.reference.as_ref())),
    ("aggregation", |row| row.aggregation.to_string()),
    ("systems", |row| row.bencher.n.to_string()),
    ("verdicts", |row| group_digits(row.judged)),
    ("rho", |row| {
        coefficient_with_interval(&row.bencher.figures.spearman)
    }),
    ("tau-b", |row| {
        coefficient_with_interval(&row.bencher.figures.kendall_tau_b)
    }),
    ("separable", |row| {
        or_dash(row.bencher.figures.separability.value, |share| {
            format!("{:.0} %", 100.0 * share)
        })
    }),
    ("cost", cost_text),
];

/// Columns of the CSV; those of the figures follow.
const CSV_COLUMNS: [&str; 9] = [
    "input",
    "judge",
    "type",
    "reference",
    "aggregation",
    "systems",
    "trials",
    "verdicts",
    "cost_usd",
];

/// Returns one row for each bencher, with a header. Without a bencher: how alike the settings order
/// the judges, [`concordances_csv`]; the figures of the labelled sets where there is one judge.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn study_csv(report: &StudyReport) -> Result<String, csv::Error> {
    let Some(first) = report.rows.first() else {
        return if report.concordances.iter().any(|row| row.judges > 1) {
            concordances_csv(report)
        } else {
            labelled_csv(report)
        };
    };
    let figures = figure_columns(first.bencher.figures.named());
    let header = CSV_COLUMNS.map(String::from).into_iter().chain(figures);
    let rows = report.rows.iter().map(|row| {
        let mut cells = vec![
            row.input.clone(),
            row.judge.clone(),
            row.kind.clone(),
            optional_cell(row.reference.as_ref()),
            row.aggregation.to_string(),
            row.bencher.n.to_string(),
            row.trials.to_string(),
            row.judged.to_string(),
            optional_cell(row.spent.and_then(|spent| spent.usd)),
        ];
        cells.extend(all_figure_cells(row.bencher.figures.named()));
        cells
    });
    csv_text(header, rows)
}

/// Returns a row for each judge and evaluation type on each labelled set and total.
fn labelled_csv(report: &StudyReport) -> Result<String, csv::Error> {
    let mut header = vec!["input".to_string()];
    header.extend(measure_columns("type"));
    let rows = report.labelled.iter().chain(&report.totals);
    let rows = rows.map(|(input, evaluation)| {
        let Evaluation {
            judge, protocol, ..
        } = evaluation;
        let mut cells = vec![input.clone()];
        cells.extend(measure_cells(judge, protocol, &evaluation.total.measures));
        cells
    });
    csv_text(header, rows)
}

const CONCORDANCE_COLUMNS: [&str; 12] = [
    "setting_a",
    "input_a",
    "setting_b",
    "input_b",
    "judges",
    "rho",
    "rho_low",
    "rho_high",
    "tau_b",
    "tau_b_low",
    "tau_b_high",
    "note",
];

/// Returns how alike every two settings order the judges (figure 3), a row for each, with a header.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn concordances_csv(report: &StudyReport) -> Result<String, csv::Error> {
    let rows = report.concordances.iter().map(|row| {
        let mut cells = Vec::new();
        for (setting, input) in [&row.a, &row.b] {
            cells.extend([setting.to_string(), input.clone()]);
        }
        cells.push(row.judges.to_string());
        cells.extend(figure_cells(&row.rho));
        cells.extend(figure_cells(&row.tau_b));
        // Why a coefficient is missing.
        let note = row.rho.note.as_ref().or(row.tau_b.note.as_ref());
        cells.push(optional_cell(note));
        cells
    });
    csv_text(CONCORDANCE_COLUMNS, rows)
}

/// Returns table 1 of the paper, and below it what else was asked for.
pub fn study_table(report: &StudyReport) -> String {
    let mut tables = Vec::new();
    if !report.rows.is_empty() {
        tables.push(table_of(&COLUMNS, &report.rows).with_numbers_from(5));
    }
    tables.extend(wide_tables(report));
    tables.extend(labelled_tables(report));
    tables.extend(extra_tables(report));
    let mut parts: Vec<String> = tables.iter().map(|table| table.to_text()).collect();
    parts.push(remarks(report).join("\n"));
    parts.join("\n\n") + "\n"
}

fn cost_text(row: &StudyRow) -> String {
    match row.spent {
        Some(Spending { usd: Some(usd), .. }) => format_usd(usd),
        Some(spent) if spent.calls > 0 => {
            let tokens = spent.usage.prompt_tokens + spent.usage.completion_tokens;
            format!("{} tokens", group_digits(tokens))
        }
        _ => "-".into(),
    }
}

fn remarks(report: &StudyReport) -> Vec<String> {
    let mut remarks = vec![format!("intervals: {}", interval_text(&report.plan))];
    let advice = report.recommendation.iter();
    remarks.extend(advice.flat_map(|found| &found.text).cloned());
    let warnings = report.warnings.iter();
    remarks.extend(warnings.map(|text| format!("warning: {text}")));
    let differences = report.differences.iter().flat_map(|one| &one.differences);
    let variations = report.variations.iter().flat_map(|one| &one.differences);
    let tested = paired_note(differences.chain(variations));
    remarks.extend(tested.map(|note| format!("note: {note}")));
    // Each once, in alphabetical order.
    let notes = report.rows.iter().flat_map(|row| &row.bencher.notes);
    let notes: BTreeSet<&String> = notes.collect();
    remarks.extend(notes.into_iter().map(|text| format!("note: {text}")));
    remarks
}
