//! The findings of a study: table 1 of the paper, JSON and CSV.

use super::paired::paired_note;
use super::study_extras::extra_tables;
use super::study_labelled::{differences_json, labelled_grids};
use super::study_prompts::{variation_json, variation_table};
use super::study_wide::wide_tables;
use super::{all_figure_cells, coefficient_with_interval, figure_cells, figure_columns, judge};
use crate::numbers::{format_usd, group_digits, or_dash};
use crate::serialize::{array_of, csv_text, json_text, object_of, optional_cell};
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
    let parts = [
        bencher_members(report),
        labelled_members(report),
        judge_members(report),
        basis_members(report),
    ];
    json_text(&parts.into_iter().flatten().collect::<Map<_, _>>())
}

fn bencher_members(report: &StudyReport) -> Map<String, Value> {
    let rows = report.rows.iter().enumerate();
    object_of(json!({
        "study": report.name,
        "benchers": rows.map(|(at, row)| row_json(report, at, row)).collect::<Value>(),
        "frontier": report.frontier,
        "unit": report.unit,
    }))
}

fn labelled_members(report: &StudyReport) -> Map<String, Value> {
    object_of(json!({
        "labelled": array_of(&report.labelled, labelled_json),
        "totals": array_of(&report.totals, labelled_json),
        "protocol_differences": array_of(&report.differences, differences_json),
        "prompt_variations": array_of(&report.variations, variation_json),
    }))
}

fn judge_members(report: &StudyReport) -> Map<String, Value> {
    object_of(json!({
        "measures": report.measures,
        "random_labelled": report.random_labelled,
        "judge_ranks": report.judge_ranks,
        "judge_prices": report.judge_prices,
        "concordances": report.concordances,
    }))
}

/// Returns the advice, and what all figures rest on.
fn basis_members(report: &StudyReport) -> Map<String, Value> {
    object_of(json!({
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
    let members = [cell_json(row), bencher_json(row), calls_json(row)];
    let mut object: Map<String, Value> = members.into_iter().flatten().collect();
    object.insert("shares".into(), json!(report.shares.get(at)));
    object.extend(optional_members(report, at));
    Value::Object(object)
}

/// Returns what the study computed for only some rows.
fn optional_members(report: &StudyReport, at: usize) -> impl Iterator<Item = (String, Value)> {
    let members = [
        found_json("references", at, &report.references),
        found_json("fixed_budget", at, &report.budgets),
        found_json("random_verdicts", at, &report.random_rows),
    ];
    members.into_iter().flatten()
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

/// Returns one row for each bencher, with a header. Without a bencher: how alike the settings order
/// the judges, [`concordances_csv`]; the figures of the labelled sets where there is one judge.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn study_csv(report: &StudyReport) -> Result<String, csv::Error> {
    let Some(first) = report.rows.first() else {
        return match report.concordances.iter().any(|row| row.judges > 1) {
            true => concordances_csv(report),
            false => labelled_csv(report),
        };
    };
    let figures = figure_columns(first.bencher.figures.named());
    let header = COLUMNS.map(String::from).into_iter().chain(figures);
    csv_text(header, report.rows.iter().map(row_cells))
}

/// Returns a row for each judge and evaluation type on each labelled set and total.
fn labelled_csv(report: &StudyReport) -> Result<String, csv::Error> {
    let header = ["input".to_string()].into_iter();
    let rows = report.labelled.iter().chain(&report.totals);
    csv_text(
        header.chain(judge::evaluation_columns()),
        rows.map(|(input, evaluation)| {
            let cells = judge::evaluation_cells(evaluation).into_iter();
            [input.clone()].into_iter().chain(cells).collect::<Vec<_>>()
        }),
    )
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
    let settings = [&row.a, &row.b].into_iter().flat_map(setting_cells);
    let figures = [&row.rho, &row.tau_b].into_iter().flat_map(figure_cells);
    let mut cells: Vec<String> = settings.collect();
    cells.push(row.judges.to_string());
    cells.extend(figures);
    cells.push(optional_cell(concordance_note(row)));
    cells
}

/// Returns why a coefficient is missing.
fn concordance_note(row: &Concordance) -> Option<&String> {
    row.rho.note.as_ref().or(row.tau_b.note.as_ref())
}

fn setting_cells((setting, input): &(u8, String)) -> [String; 2] {
    [setting.to_string(), input.clone()]
}

/// Returns table 1 of the paper, and below it what else was asked for.
pub fn study_table(report: &StudyReport) -> String {
    let tables = tables_of_study(report).into_iter();
    let mut parts: Vec<String> = tables.map(|table| table.to_text()).collect();
    parts.push(remarks(report).join("\n"));
    parts.join("\n\n") + "\n"
}

fn tables_of_study(report: &StudyReport) -> Vec<TextTable> {
    let mut tables = Vec::new();
    if !report.rows.is_empty() {
        tables.push(main_table(report));
    }
    tables.extend(wide_tables(report));
    tables.extend(labelled_grids(report));
    tables.extend(report.variations.iter().map(variation_table));
    tables.extend(extra_tables(report));
    tables
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
    let mut remarks = vec![interval_remark(&report.plan)];
    let advice = report.recommendation.iter();
    remarks.extend(advice.flat_map(|found| &found.text).cloned());
    remarks.extend(lines_after("warning", &report.warnings));
    let differences = report.differences.iter().flat_map(|one| &one.differences);
    let variations = report.variations.iter().flat_map(|one| &one.differences);
    let tested = paired_note(differences.chain(variations));
    remarks.extend(tested.map(|note| format!("note: {note}")));
    remarks.extend(lines_after("note", bencher_notes(report)));
    remarks
}

/// Returns a line for each text, with the word for its kind in front.
fn lines_after<'a>(
    kind: &str,
    texts: impl IntoIterator<Item = &'a String>,
) -> impl Iterator<Item = String> {
    texts.into_iter().map(move |text| format!("{kind}: {text}"))
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
