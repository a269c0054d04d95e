//! Columns of tables and of CSV: each name stands beside what is under it.

use crate::markdown::MarkdownTable;
use crate::serialize::csv_text;
use crate::text_table::TextTable;
use std::borrow::Borrow;

/// The name of a column, and its cell of a row.
pub(crate) type Column<R> = (&'static str, fn(&R) -> String);

type Cell<'a, R> = Box<dyn Fn(&R) -> String + 'a>;

/// Columns of which some are known only once the report is: one for each system, or each input set.
pub(crate) struct Columns<'a, R> {
    names: Vec<String>,
    cells: Vec<Cell<'a, R>>,
}

impl<'a, R: 'a> Columns<'a, R> {
    pub(crate) fn new(columns: &[Column<R>]) -> Self {
        let mut all = Columns {
            names: Vec::new(),
            cells: Vec::new(),
        };
        all.extend(columns);
        all
    }

    /// Adds columns behind those that are there.
    pub(crate) fn extend(&mut self, columns: &[Column<R>]) {
        for (name, cell) in columns {
            self.push(*name, *cell);
        }
    }

    pub(crate) fn push(&mut self, name: impl Into<String>, cell: impl Fn(&R) -> String + 'a) {
        self.names.push(name.into());
        self.cells.push(Box::new(cell));
    }

    /// Adds a column; where one has this name already, its blank cells have these.
    pub(crate) fn fill(&mut self, name: &str, cell: impl Fn(&R) -> String + 'a) {
        let Some(at) = self.place(name) else {
            return self.push(name, cell);
        };
        let known = std::mem::replace(&mut self.cells[at], Box::new(|_: &R| String::new()));
        self.cells[at] = Box::new(move |row| match known(row) {
            blank if blank.is_empty() => cell(row),
            text => text,
        });
    }

    /// Returns a table with a row for each of `rows`.
    pub(crate) fn table(&self, rows: impl IntoIterator<Item: Borrow<R>>) -> TextTable {
        let rows = rows.into_iter().map(|row| self.cells_of(row.borrow()));
        TextTable::with_header(&self.names).with_rows(rows)
    }

    /// Returns a header and a line for each of `rows` as CSV.
    pub(crate) fn csv(
        &self,
        rows: impl IntoIterator<Item: Borrow<R>>,
    ) -> Result<String, csv::Error> {
        let rows = rows.into_iter().map(|row| self.cells_of(row.borrow()));
        csv_text(&self.names, rows)
    }

    /// Returns a table for Markdown; the columns named `left` hold words, the others numbers.
    pub(crate) fn markdown(
        &self,
        rows: impl IntoIterator<Item: Borrow<R>>,
        left: &[&str],
    ) -> MarkdownTable {
        let rows = rows.into_iter().map(|row| self.cells_of(row.borrow()));
        let left = left.iter().filter_map(|name| self.place(name));
        MarkdownTable::new(self.names.clone(), rows.collect(), left.collect())
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the place of a column; None where it is not shown.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own == name)
    }

    fn cells_of(&self, row: &R) -> Vec<String> {
        self.cells.iter().map(|cell| cell(row)).collect()
    }
}

/// Returns a table with a row for each of `rows`.
pub(crate) fn table_of<R>(
    columns: &[Column<R>],
    rows: impl IntoIterator<Item: Borrow<R>>,
) -> TextTable {
    Columns::new(columns).table(rows)
}

/// Returns a header and a line for each of `rows` as CSV.
pub(crate) fn csv_of<R>(
    columns: &[Column<R>],
    rows: impl IntoIterator<Item: Borrow<R>>,
) -> Result<String, csv::Error> {
    Columns::new(columns).csv(rows)
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
