//! The ranking as CSV.

use super::criteria::name_criterion;
use super::has_standard_errors;
use crate::serialize::{csv_text, interval_cells, optional_cell};
use crate::slices::{SLICE_COLUMNS, deviation_of, slice_columns_of};
use evenhand_engine::{CriteriaReport, RankingRow, Report, SliceRanking};

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
    if report.interaction.is_some() {
        return slices_csv(report);
    }
    let rows = report.ranking.iter().map(row_cells);
    if has_standard_errors(report) {
        csv_text(COLUMNS, rows)
    } else {
        csv_text(&COLUMNS[..LAST], rows.map(without_last))
    }
}

/// Returns the whole ranking, then that of each slice, named in a column of its own.
fn slices_csv(report: &Report) -> Result<String, csv::Error> {
    let whole = report.ranking.iter().map(|row| {
        let mut cells = row_cells(row);
        cells.extend([const { String::new() }; SLICE_COLUMNS.len()]);
        cells
    });
    let slices = report.slices.iter().flat_map(|slice| {
        let rows = slice.ranking.iter();
        rows.map(move |row| slice_cells(report, slice, row))
    });
    csv_text(
        COLUMNS.into_iter().chain(SLICE_COLUMNS),
        whole.chain(slices),
    )
}

fn slice_cells(report: &Report, slice: &SliceRanking, row: &RankingRow) -> Vec<String> {
    let own = deviation_of(report.interaction.as_ref(), &row.system, &slice.value);
    let mut cells = row_cells(row);
    cells.extend(slice_columns_of(&slice.value, slice.n_items, own));
    cells
}

fn without_last(mut cells: Vec<String>) -> Vec<String> {
    cells.truncate(LAST);
    cells
}

/// Returns the whole ranking, then that by each criterion, named in a column of its own.
fn criteria_csv(report: &Report, criteria: &CriteriaReport) -> Result<String, csv::Error> {
    let mut columns = COLUMNS;
    columns[LAST] = "criterion";
    let whole = criterion_rows(&report.ranking, String::new());
    let each = criteria.rankings.iter();
    let each = each.flat_map(|by| criterion_rows(&by.ranking, name_criterion(by)));
    csv_text(columns, whole.chain(each))
}

/// Returns the rows of a ranking, with the criterion's name in the last column.
fn criterion_rows(ranking: &[RankingRow], name: String) -> impl Iterator<Item = Vec<String>> {
    ranking.iter().map(move |row| {
        let mut cells = row_cells(row);
        cells[LAST] = name.clone();
        cells
    })
}

fn row_cells(row: &RankingRow) -> Vec<String> {
    let mut cells = vec![row.system.clone(), optional_cell(row.score)];
    cells.extend(interval_cells(row.ci));
    cells.extend(rank_cells(row));
    cells.push(row.n.to_string());
    cells.push(row.note.clone().unwrap_or_default());
    cells.push(optional_cell(row.standard_error));
    cells
}

fn rank_cells(row: &RankingRow) -> [String; 3] {
    let [low, high] = row.rank_ci.map_or([None; 2], |ends| ends.map(Some));
    [row.rank, low, high].map(optional_cell)
}
