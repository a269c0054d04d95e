//! The ranking as CSV.

use super::table::has_standard_errors;
use crate::serialize::{csv_text, interval_cells, optional_cell};
use crate::slices::{SLICE_COLUMNS, deviation_of, slice_columns_of};
use evenhand_ranking::{CriteriaReport, CriterionKind, RankingRow, Report};

/// Columns of the ranking; the last only where a system has a standard error.
const COLUMNS: [&str; 10] = [
    "system",
    "score",
    "ci_low",
    "ci_high",
    "rank",
    "rank_low",
    "rank_high",
    "n",
    "note",
    "standard_error",
];

/// The place of the last column.
const LAST: usize = COLUMNS.len() - 1;

/// Returns one row for each system, with a header.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn ranking_csv(report: &Report) -> Result<String, csv::Error> {
    if let Some(criteria) = &report.criteria {
        return criteria_csv(report, criteria);
    }
    let mut rows: Vec<Vec<String>> = report.ranking.iter().map(row_cells).collect();
    if report.interaction.is_none() {
        if has_standard_errors(&report.ranking) {
            return csv_text(COLUMNS, rows);
        }
        for row in &mut rows {
            row.truncate(LAST);
        }
        return csv_text(&COLUMNS[..LAST], rows);
    }
    // The whole ranking, then that of each slice, named in columns of its own.
    for row in &mut rows {
        row.extend([const { String::new() }; SLICE_COLUMNS.len()]);
    }
    for slice in &report.slices {
        for row in &slice.ranking {
            let own = deviation_of(report.interaction.as_ref(), &row.system, &slice.value);
            let mut cells = row_cells(row);
            cells.extend(slice_columns_of(&slice.value, slice.n_items, own));
            rows.push(cells);
        }
    }
    csv_text(COLUMNS.into_iter().chain(SLICE_COLUMNS), rows)
}

/// Returns the whole ranking, then that by each criterion, named in the last column.
fn criteria_csv(report: &Report, criteria: &CriteriaReport) -> Result<String, csv::Error> {
    let mut columns = COLUMNS;
    columns[LAST] = "criterion";
    let named = |row: &RankingRow, name: &str| {
        let mut cells = row_cells(row);
        cells[LAST] = name.into();
        cells
    };
    let mut rows: Vec<Vec<String>> = report.ranking.iter().map(|row| named(row, "")).collect();
    for by in &criteria.rankings {
        let name = match by.kind {
            CriterionKind::OwnFaults => "(faults of single items)",
            CriterionKind::OwnMerits => "(criteria of single items)",
            CriterionKind::Shared => by.criterion.as_deref().unwrap_or_default(),
        };
        rows.extend(by.ranking.iter().map(|row| named(row, name)));
    }
    csv_text(columns, rows)
}

fn row_cells(row: &RankingRow) -> Vec<String> {
    let [low, high] = interval_cells(row.ci);
    vec![
        row.system.clone(),
        optional_cell(row.score),
        low,
        high,
        optional_cell(row.rank),
        optional_cell(row.rank_ci.map(|[low, _]| low)),
        optional_cell(row.rank_ci.map(|[_, high]| high)),
        row.n.to_string(),
        optional_cell(row.note.as_ref()),
        optional_cell(row.standard_error),
    ]
}
