//! What a study found: table 1 of the paper, JSON and CSV.

use super::study_extras::extra_tables;
use super::{coefficient_with_interval, figure_cells, interval_columns, judge};
use crate::numbers::{format_usd, group_digits, or_dash};
use crate::serialize::{csv_text, json_text, object_of, optional_cell};
use crate::text_table::TextTable;
use evenhand_studies::judge::Evaluation;
use evenhand_studies::study::{Concordance, Spending, StudyReport, StudyRow};
use serde_json::{Value, json};

/// Returns everything as one object: `benchers` (rows), what was computed of each, and the
/// recommendation.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn study_json(report: &StudyReport) -> Result<String, serde_json::Error> {
    let rows = report.rows.iter().enumerate();
    let rows: Vec<Value> = rows.map(|(at, row)| row_json(report, at, row)).collect();
    let labelled: Vec<Value> = report.labelled.iter().map(labelled_json).collect();
    json_text(&json!({
        "study": report.name,
        "benchers": rows,
        "frontier": report.frontier,
        "unit": report.unit,
        "labelled": labelled,
        "measures": report.measures,
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

fn labelled_json((input, evaluation): &(String, Evaluation)) -> Value {
    let mut object = judge::evaluation_json(evaluation);
    object.insert("input".into(), json!(input));
    Value::Object(object)
}

fn row_json(report: &StudyReport, at: usize, row: &StudyRow) -> Value {
    let mut bencher = super::bencher::row_json(&row.bencher);
    bencher.remove("bencher");
    let mut object = object_of(json!({
        "input": row.input,
        "judge": row.judge,
        "type": row.kind,
        "reference": row.reference,
    }));
    object.append(&mut bencher);
    object.extend(object_of(json!({
        "trials": row.trials,
        "verdicts": row.judged,
        "spent": row.spent.map(spent_json),
        "shares": report.shares.get(at),
    })));
    if let Some((_, found)) = report.references.iter().find(|(row, _)| *row == at) {
        object.insert("references".into(), json!(found));
    }
    if let Some((_, splits)) = report.budgets.iter().find(|(row, _)| *row == at) {
        object.insert("fixed_budget".into(), json!(splits));
    }
    Value::Object(object)
}

fn spent_json(spent: Spending) -> Value {
    json!({
        "calls": spent.calls,
        "prompt_tokens": spent.usage.prompt_tokens,
        "completion_tokens": spent.usage.completion_tokens,
        "cost_usd": spent.usd,
    })
}

const COLUMNS: [&str; 9] = [
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

/// Returns one row for each bencher, with a header; without a bencher, [`concordances_csv`].
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn study_csv(report: &StudyReport) -> Result<String, csv::Error> {
    let Some(first) = report.rows.first() else {
        return concordances_csv(report);
    };
    let figures = first
        .bencher
        .figures
        .named()
        .into_iter()
        .flat_map(|(name, _)| interval_columns(name, ["low", "high"]));
    csv_text(
        COLUMNS.map(String::from).into_iter().chain(figures),
        report.rows.iter().map(row_cells),
    )
}

fn row_cells(row: &StudyRow) -> Vec<String> {
    let mut cells = vec![
        row.input.clone(),
        row.judge.clone(),
        row.kind.clone(),
        row.reference.clone().unwrap_or_default(),
        row.aggregation.to_string(),
        row.bencher.n.to_string(),
        row.trials.to_string(),
        row.judged.to_string(),
        optional_cell(row.spent.and_then(|spent| spent.usd)),
    ];
    let figures = row.bencher.figures.named().into_iter();
    cells.extend(figures.flat_map(|(_, figure)| figure_cells(figure)));
    cells
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
    csv_text(
        CONCORDANCE_COLUMNS,
        report.concordances.iter().map(concordance_cells),
    )
}

fn concordance_cells(row: &Concordance) -> Vec<String> {
    let ((a, input_a), (b, input_b)) = (&row.a, &row.b);
    let mut cells = vec![
        a.to_string(),
        input_a.clone(),
        b.to_string(),
        input_b.clone(),
        row.judges.to_string(),
    ];
    cells.extend([&row.rho, &row.tau_b].into_iter().flat_map(figure_cells));
    let note = row.rho.note.as_ref().or(row.tau_b.note.as_ref());
    cells.push(note.cloned().unwrap_or_default());
    cells
}

/// Returns table 1 of the paper, and below it what else was asked for.
pub fn study_table(report: &StudyReport) -> String {
    let mut parts = Vec::new();
    if !report.rows.is_empty() {
        parts.push(main_table(report).to_text());
    }
    parts.extend(extra_tables(report).map(|table| table.to_text()));
    parts.push(remarks(report).join("\n"));
    parts.join("\n\n") + "\n"
}

fn main_table(report: &StudyReport) -> TextTable {
    let mut table = TextTable::with_header([
        "input",
        "judge",
        "type",
        "reference",
        "aggregation",
        "systems",
        "verdicts",
        "rho",
        "tau-b",
        "separable",
        "cost",
    ]);
    for row in &report.rows {
        table.add_row(main_row(row));
    }
    table.align_right_from(5);
    table
}

fn main_row(row: &StudyRow) -> [String; 11] {
    let figures = &row.bencher.figures;
    [
        row.input.clone(),
        row.judge.clone(),
        row.kind.clone(),
        row.reference.clone().unwrap_or_default(),
        row.aggregation.to_string(),
        row.bencher.n.to_string(),
        group_digits(row.judged),
        coefficient_with_interval(&figures.spearman),
        coefficient_with_interval(&figures.kendall_tau_b),
        or_dash(figures.separability.value, |share| {
            format!("{:.0} %", 100.0 * share)
        }),
        cost_text(row),
    ]
}

fn cost_text(row: &StudyRow) -> String {
    match row.spent {
        Some(Spending { usd: Some(usd), .. }) => format_usd(usd),
        Some(Spending { usage, calls, .. }) if calls > 0 => {
            let tokens = usage.prompt_tokens + usage.completion_tokens;
            format!("{} tokens", group_digits(tokens))
        }
        _ => "-".into(),
    }
}

fn remarks(report: &StudyReport) -> Vec<String> {
    let plan = &report.plan;
    let mut remarks = vec![format!(
        "intervals: {:.0} %, {} bootstrap rounds over items, seed {}",
        100.0 * plan.level,
        plan.rounds,
        plan.seed
    )];
    let advice = report.recommendation.iter();
    remarks.extend(advice.flat_map(|found| &found.text).cloned());
    let warnings = report.warnings.iter();
    remarks.extend(warnings.map(|warning| format!("warning: {warning}")));
    let notes = bencher_notes(report).into_iter();
    remarks.extend(notes.map(|note| format!("note: {note}")));
    remarks
}

/// Returns the notes of all benchers, each once, in alphabetical order.
fn bencher_notes(report: &StudyReport) -> std::collections::BTreeSet<&String> {
    let rows = report.rows.iter();
    rows.flat_map(|row| &row.bencher.notes).collect()
}
