//! The ranking as CSV.

use super::criteria::name_criterion;
use super::has_standard_errors;
use crate::serialize::{csv_text, interval_cells, optional_cell};
use evenhand_engine::{CriteriaReport, RankingRow, Report};

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

/// Returns one row for each system, with a header.
///
/// # Errors
/// Those of the CSV writer; no report is known to cause one.
pub fn ranking_csv(report: &Report) -> Result<String, csv::Error> {
    if let Some(criteria) = &report.criteria {
        return criteria_csv(report, criteria);
    }
    let columns = if has_standard_errors(report) { 10 } else { 9 };
    let rows = report.ranking.iter().map(|row| {
        let mut cells = row_cells(row);
        cells.truncate(columns);
        cells
    });
    csv_text(&COLUMNS[..columns], rows)
}

/// Returns the whole ranking, then that by each criterion, named in a column of its own.
fn criteria_csv(report: &Report, criteria: &CriteriaReport) -> Result<String, csv::Error> {
    let whole = report.ranking.iter().map(|row| (String::new(), row));
    let each = criteria.rankings.iter().flat_map(|by| {
        let rows = by.ranking.iter();
        rows.map(|row| (name_criterion(by), row))
    });
    let mut columns = COLUMNS;
    columns[9] = "criterion";
    csv_text(
        columns,
        whole.chain(each).map(|(criterion, row)| {
            let mut cells = row_cells(row);
            cells[9] = criterion;
            cells
        }),
    )
}

fn row_cells(row: &RankingRow) -> Vec<String> {
    let mut cells = vec![row.system.clone(), optional_cell(row.score)];
    cells.extend(interval_cells(row.ci));
    let [low, high] = row.rank_ci.map_or([None; 2], |ends| ends.map(Some));
    cells.extend([row.rank, low, high].map(optional_cell));
    cells.extend([
        row.n.to_string(),
        row.note.clone().unwrap_or_default(),
        optional_cell(row.standard_error),
    ]);
    cells
}
