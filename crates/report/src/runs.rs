//! Runs that are kept, for people and programs.

use crate::numbers::{format_usd, group_digits, or_blank, or_dash};
use crate::serialize::{csv_text, json_text, optional_cell};
use crate::text_table::TextTable;
use evenhand_engine::RunRow;

const COLUMNS: [&str; 12] = [
    "run",
    "last_used",
    "judge",
    "protocol",
    "data",
    "judgments",
    "verdicts",
    "calls",
    "taken_over",
    "cost_usd",
    "planned",
    "state",
];

const HEADER: [&str; 10] = [
    "last used (UTC)",
    "run",
    "what",
    "judge",
    "protocol",
    "state",
    "judgments",
    "verdicts",
    "calls",
    "cost",
];

/// Returns a JSON array.
///
/// # Errors
/// Those of the JSON writer; no run is known to cause one.
pub fn runs_json(rows: &[RunRow]) -> Result<String, serde_json::Error> {
    json_text(rows)
}

/// Returns a header and a row each.
///
/// # Errors
/// Those of the CSV writer; no run is known to cause one.
pub fn runs_csv(rows: &[RunRow]) -> Result<String, csv::Error> {
    csv_text(COLUMNS, rows.iter().map(run_cells))
}

fn run_cells(row: &RunRow) -> Vec<String> {
    let mut cells = vec![row.run.clone(), row.last_used.clone()];
    cells.extend(["judge", "protocol", "data"].map(|name| kept_setting(row, name)));
    cells.extend(counts_of(row).map(|count| count.to_string()));
    cells.push(optional_cell(row.cost_usd));
    cells.push(optional_cell(row.progress.planned));
    cells.push(row.progress.state.name().into());
    cells
}

fn counts_of(row: &RunRow) -> [u64; 4] {
    [
        row.progress.judgments,
        row.progress.verdicts,
        row.calls,
        row.reused,
    ]
}

/// Returns the runs for people.
pub fn runs_table(rows: &[RunRow], dir: &str) -> String {
    if rows.is_empty() {
        return format!("no runs in {dir}");
    }
    TextTable::with_header(HEADER)
        .with_rows(rows.iter().map(run_row))
        .to_text()
}

fn run_row(row: &RunRow) -> [String; 10] {
    [
        row.last_used.clone(),
        row.run.clone(),
        subject_of_run(row),
        // The members of a panel stand in a line each.
        kept_setting(row, "judge").replace('\n', ", "),
        kept_setting(row, "protocol"),
        row.progress.state.name().into(),
        judgment_count(row),
        verdict_count(row),
        call_count(row),
        or_dash(row.cost_usd, format_usd),
    ]
}

/// Returns what was judged, or which study it is, as far as the settings say.
fn subject_of_run(row: &RunRow) -> String {
    let data = kept_setting(row, "data");
    let items = data.split(", digest").next().unwrap_or_default();
    if items.is_empty() {
        return first_setting_name(row);
    }
    let systems = or_blank(system_count(row), |count| format!(", {count} systems"));
    format!("{items}{systems}")
}

fn system_count(row: &RunRow) -> Option<usize> {
    let names = row.settings.get("systems")?;
    Some(names.split(", ").count())
}

fn first_setting_name(row: &RunRow) -> String {
    let first = row.settings.keys().next();
    first.cloned().unwrap_or_else(|| "-".into())
}

/// How many of the planned judgments there are: a question mark where the plan is not known.
fn judgment_count(row: &RunRow) -> String {
    let judgments = group_digits(row.progress.judgments);
    match (row.progress.planned, row.progress.judgments) {
        (Some(planned), _) => format!("{judgments} of {}", group_digits(planned)),
        (None, 0) => "-".into(),
        (None, _) => format!("{judgments} of ?"),
    }
}

fn verdict_count(row: &RunRow) -> String {
    match row.progress.judgments {
        0 => "-".into(),
        _ => group_digits(row.progress.verdicts),
    }
}

fn call_count(row: &RunRow) -> String {
    let calls = group_digits(row.calls);
    match row.reused {
        0 => calls,
        reused => format!("{calls} and {} reused", group_digits(reused)),
    }
}

fn kept_setting(row: &RunRow, name: &str) -> String {
    row.settings.get(name).cloned().unwrap_or_default()
}
