//! Runs that are kept, for people and programs.

use crate::columns::{Column, Columns, csv_of};
use crate::numbers::{count_of, format_usd, group_digits, or_dash};
use crate::serialize::optional_cell;
use evenhand_engine::{CALLS_ALONE, RunRow};

const CSV_COLUMNS: [Column<RunRow>; 13] = [
    ("run", |row| row.run.clone()),
    ("last_used", |row| row.last_used.clone()),
    ("judge", |row| kept_setting(row, "judge")),
    ("protocol", |row| kept_setting(row, "protocol")),
    ("data", |row| kept_setting(row, "data")),
    ("judgments", |row| row.progress.judgments.to_string()),
    ("verdicts", |row| row.progress.verdicts.to_string()),
    ("calls", |row| row.calls.to_string()),
    ("taken_over", |row| row.reused.to_string()),
    ("cost_usd", |row| optional_cell(row.cost_usd)),
    ("planned", |row| optional_cell(row.progress.planned)),
    ("state", |row| row.progress.state.name().into()),
    ("label", |row| row.label.clone().unwrap_or_default()),
];

/// Returns a header and a row each.
///
/// # Errors
/// Those of the CSV writer; no run is known to cause one.
pub fn runs_csv(rows: &[RunRow]) -> Result<String, csv::Error> {
    csv_of(&CSV_COLUMNS, rows)
}

const COLUMNS: [Column<RunRow>; 10] = [
    ("last used (UTC)", |row| row.last_used.clone()),
    ("run", |row| row.run.clone()),
    ("what", subject_of_run),
    // The members of a panel stand in a line each, and the protocols of an audit.
    ("judge", |row| {
        kept_setting(row, "judge").replace('\n', ", ")
    }),
    ("protocol", |row| {
        kept_setting(row, "protocol").replace('\n', ", ")
    }),
    ("state", |row| {
        let state = row.progress.state.name();
        match row.progress.judgments.saturating_sub(row.progress.verdicts) {
            0 => state.into(),
            failed => format!("{state}, {} without a verdict", group_digits(failed)),
        }
    }),
    ("judgments", |row| {
        let judgments = group_digits(row.progress.judgments);
        match (row.progress.planned, row.progress.judgments) {
            (Some(planned), _) => format!("{judgments} of {}", group_digits(planned)),
            (None, 0) => "-".into(),
            // The plan is not known.
            (None, _) => format!("{judgments} of ?"),
        }
    }),
    ("verdicts", |row| match row.progress.judgments {
        0 => "-".into(),
        _ => group_digits(row.progress.verdicts),
    }),
    ("calls", |row| {
        let calls = group_digits(row.calls);
        match row.reused {
            0 => calls,
            reused => format!("{calls} and {} reused", group_digits(reused)),
        }
    }),
    ("cost", |row| or_dash(row.cost_usd, format_usd)),
];

/// Returns the runs for people.
pub fn runs_table(rows: &[RunRow], dir: &str) -> String {
    if rows.is_empty() {
        return format!("no runs in {dir}");
    }
    let mut columns = Columns::new(&COLUMNS);
    if rows.iter().any(|row| row.label.is_some()) {
        columns.push("name", |row: &RunRow| {
            or_dash(row.label.as_ref(), Clone::clone)
        });
    }
    columns.table(rows).to_text()
}

/// Returns what was judged, or which study it is, as far as the settings say.
fn subject_of_run(row: &RunRow) -> String {
    let data = kept_setting(row, "data");
    let items = data.split(", digest").next().unwrap_or_default();
    if items.is_empty() {
        let mut kinds = CALLS_ALONE.iter().map(|(key, _)| *key);
        let kind = kinds.find(|key| row.settings.contains_key(*key));
        return kind.unwrap_or("-").into();
    }
    match row.systems {
        0 => items.into(),
        systems => format!("{items}, {}", count_of(systems, "system", "systems")),
    }
}

fn kept_setting(row: &RunRow, name: &str) -> String {
    row.settings.get(name).cloned().unwrap_or_default()
}
