//! The findings of a study: table 1 of the paper, JSON and CSV.

use super::study_extras::extra_tables;
use super::study_labelled::{differences_json, labelled_grids};
use super::study_prompts::{variation_json, variation_table};
use super::study_wide::wide_tables;
use super::{all_figure_cells, coefficient_with_interval, figure_cells, figure_columns, judge};
use crate::numbers::{format_usd, group_digits, or_dash};
use crate::serialize::{csv_text, json_text, object_of, optional_cell};
use crate::text_table::TextTable;
use evenhand_stats::Bootstrap;
use evenhand_studies::Figure;
use evenhand_studies::judge::Evaluation;
use evenhand_studies::study::{Concordance, Spending, StudyReport, StudyRow};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Returns everything as one object: `benchers` (rows), what was computed of each, and the
/// recommendation.
///
/// # Errors
/// Those of the JSON writer; no report is known to cause one.
pub fn study_json(report: &StudyReport) -> Result<String, serde_json::Error> {
    let rows = report.rows.iter().enumerate();
    let rows: Vec<Value> = rows.map(|(at, row)| row_json(report, at, row)).collect();
    let labelled: Vec<Value> = report.labelled.iter().map(labelled_json).collect();
    let totals: Vec<Value> = report.totals.iter().map(labelled_json).collect();
    let differences: Vec<Value> = report.differences.iter().map(differences_json).collect();
    let variations: Vec<Value> = report.variations.iter().map(variation_json).collect();
    json_text(&json!({
        "study": report.name,
        "benchers": rows,
        "frontier": report.frontier,
        "unit": report.unit,
        "labelled": labelled,
        "totals": totals,
        "protocol_differences": differences,
        "prompt_variations": variations,
        "measures": report.measures,
        "random_labelled": report.random_labelled,
        "judge_ranks": report.judge_ranks,
        "judge_prices": report.judge_prices,
        "concordances": report.concordances,
        "recommendation": report.recommendation,
        "ci": interval_json(&report.plan),
        "seed": report.plan.seed,
        "warnings": report.warnings,
    }))
}

fn interval_json(plan: &Bootstrap) -> Value {
    json!({
        "method": "bootstrap",
        "over": "items",
        "rounds": plan.rounds,
        "level": plan.level,
    })
}

fn labelled_json((input, evaluation): &(String, Evaluation)) -> Value {
    let mut object = judge::evaluation_json(evaluation);
    object.insert("input".into(), json!(input));
    Value::Object(object)
}

fn row_json(report: &StudyReport, at: usize, row: &StudyRow) -> Value {
    let mut object = cell_json(row);
    object.append(&mut bencher_json(row));
    object.extend(calls_json(row));
    object.insert("shares".into(), json!(report.shares.get(at)));
    object.extend(found_json("references", at, &report.references));
    object.extend(found_json("fixed_budget", at, &report.budgets));
    object.extend(found_json("random_verdicts", at, &report.random_rows));
    Value::Object(object)
}

fn cell_json(row: &StudyRow) -> Map<String, Value> {
    object_of(json!({
        "input": row.input,
        "judge": row.judge,
        "type": row.kind,
        "reference": row.reference,
    }))
}

/// Returns the figures of a bencher without its name: the study names it by its cell.
fn bencher_json(row: &StudyRow) -> Map<String, Value> {
    let mut bencher = super::bencher::row_json(&row.bencher);
    bencher.remove("bencher");
    bencher
}

fn calls_json(row: &StudyRow) -> Map<String, Value> {
    object_of(json!({
        "trials": row.trials,
        "verdicts": row.judged,
        "spent": row.spent.map(spent_json),
    }))
}

/// Returns a result of the row at this place as a member, where the study computed it.
fn found_json<T: Serialize>(key: &str, at: usize, all: &[(usize, T)]) -> Option<(String, Value)> {
    let (_, found) = all.iter().find(|(row, _)| *row == at)?;
    Some((key.into(), json!(found)))
}

fn spent_json(spent: Spending) -> Value {
    json!({
        "calls": spent.calls,
        "prompt_tokens": spent.usage.prompt_tokens,
        "completion_tokens": spent.usage.completion_tokens,
        "cost_usd": spent.usd,
    })
}

const MAIN_HEADER: [&str; 11] = [
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
];

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
    let figures = figure_columns(first.bencher.figures.named());
    let header = COLUMNS.map(String::from).into_iter().chain(figures);
    csv_text(header, report.rows.iter().map(row_cells))
}

fn row_cells(row: &StudyRow) -> Vec<String> {
    let mut cells = cell_names(row);
    cells.extend([row.trials, row.judged].map(|count| count.to_string()));
    cells.push(optional_cell(row.spent.and_then(|spent| spent.usd)));
    cells.extend(all_figure_cells(row.bencher.figures.named()));
    cells
}

/// Returns what a row is of, for the table and for CSV.
fn cell_names(row: &StudyRow) -> Vec<String> {
    vec![
        row.input.clone(),
        row.judge.clone(),
        row.kind.clone(),
        row.reference.clone().unwrap_or_default(),
        row.aggregation.to_string(),
        row.bencher.n.to_string(),
    ]
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
    let mut cells = [&row.a, &row.b]
        .into_iter()
        .flat_map(setting_cells)
        .collect::<Vec<_>>();
    cells.push(row.judges.to_string());
    cells.extend([&row.rho, &row.tau_b].into_iter().flat_map(figure_cells));
    let note = row.rho.note.as_ref().or(row.tau_b.note.as_ref());
    cells.push(optional_cell(note));
    cells
}

fn setting_cells((setting, input): &(u8, String)) -> [String; 2] {
    [setting.to_string(), input.clone()]
}

/// Returns table 1 of the paper, and below it what else was asked for.
pub fn study_table(report: &StudyReport) -> String {
    let main = (!report.rows.is_empty()).then(|| main_table(report));
    let tables = main
        .into_iter()
        .chain(wide_tables(report))
        .chain(labelled_grids(report))
        .chain(report.variations.iter().map(variation_table))
        .chain(extra_tables(report));
    let mut parts: Vec<String> = tables.map(|table| table.to_text()).collect();
    parts.push(remarks(report).join("\n"));
    parts.join("\n\n") + "\n"
}

fn main_table(report: &StudyReport) -> TextTable {
    TextTable::with_header(MAIN_HEADER)
        .with_rows(report.rows.iter().map(main_row))
        .with_numbers_from(5)
}

fn main_row(row: &StudyRow) -> Vec<String> {
    let figures = &row.bencher.figures;
    let mut cells = cell_names(row);
    cells.push(group_digits(row.judged));
    cells.extend([&figures.spearman, &figures.kendall_tau_b].map(coefficient_with_interval));
    cells.push(share_text(&figures.separability));
    cells.push(cost_text(row));
    cells
}

fn share_text(figure: &Figure) -> String {
    or_dash(figure.value, |share| format!("{:.0} %", 100.0 * share))
}

fn cost_text(row: &StudyRow) -> String {
    match row.spent {
        Some(Spending { usd: Some(usd), .. }) => format_usd(usd),
        Some(spent) if spent.calls > 0 => token_count(&spent),
        _ => "-".into(),
    }
}

fn token_count(spent: &Spending) -> String {
    let tokens = spent.usage.prompt_tokens + spent.usage.completion_tokens;
    format!("{} tokens", group_digits(tokens))
}

fn remarks(report: &StudyReport) -> Vec<String> {
    let advice = report.recommendation.iter();
    let warnings = report.warnings.iter();
    let mut remarks = vec![interval_remark(&report.plan)];
    remarks.extend(advice.flat_map(|found| &found.text).cloned());
    remarks.extend(warnings.map(|warning| format!("warning: {warning}")));
    remarks.extend(
        bencher_notes(report)
            .iter()
            .map(|note| format!("note: {note}")),
    );
    remarks
}

fn interval_remark(plan: &Bootstrap) -> String {
    format!(
        "intervals: {:.0} %, {} bootstrap rounds over items, seed {}",
        100.0 * plan.level,
        plan.rounds,
        plan.seed
    )
}

/// Returns the notes of all benchers, each once, in alphabetical order.
fn bencher_notes(report: &StudyReport) -> BTreeSet<&String> {
    let rows = report.rows.iter();
    rows.flat_map(|row| &row.bencher.notes).collect()
}
