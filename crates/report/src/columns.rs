//! Columns of tables and of CSV: each name stands beside what is under it.

use crate::serialize::csv_text;
use crate::text_table::TextTable;
use std::borrow::Borrow;

/// The name of a column, and its cell of a row.
pub(crate) type Column<R> = (&'static str, fn(&R) -> String);

/// Returns a table with a row for each of `rows`.
pub(crate) fn table_of<R>(
    columns: &[Column<R>],
    rows: impl IntoIterator<Item: Borrow<R>>,
) -> TextTable {
    let rows = rows.into_iter().map(|row| cells_of(columns, row.borrow()));
    TextTable::with_header(columns.iter().map(|(name, _)| name)).with_rows(rows)
}

/// Returns a header and a line for each of `rows` as CSV.
pub(crate) fn csv_of<R>(
    columns: &[Column<R>],
    rows: impl IntoIterator<Item: Borrow<R>>,
) -> Result<String, csv::Error> {
    let rows = rows.into_iter().map(|row| cells_of(columns, row.borrow()));
    csv_text(columns.iter().map(|(name, _)| name), rows)
}

/// Returns the cells of a row.
pub(crate) fn cells_of<R>(columns: &[Column<R>], row: &R) -> Vec<String> {
    columns.iter().map(|(_, cell)| cell(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_above_its_cells() {
        let columns: [Column<u64>; 2] = [
            ("n", |n| n.to_string()),
            ("squared", |n| (n * n).to_string()),
        ];
        assert_eq!(csv_of(&columns, [2, 3]).unwrap(), "n,squared\n2,4\n3,9\n");
        let text = table_of(&columns, [2, 3]).to_text();
        let rows: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(rows, [["n", "squared"], ["2", "4"], ["3", "9"]]);
    }
}
