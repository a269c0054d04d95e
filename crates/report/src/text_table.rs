//! A table of text for a terminal, whose cells cannot act on the terminal.

use crate::markdown::MarkdownTable;
use crate::terminal::printable;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement};
use std::collections::BTreeSet;

/// Characters of a cell for which no column is left out: it breaks between words instead.
const BROKEN: usize = 28;

/// A table without lines between its cells. Whatever is put into a cell, it can neither act on the
/// terminal nor begin a row.
pub(crate) struct TextTable(comfy_table::Table, Numbers);

/// The places of the columns of numbers, which stand at the right.
type Numbers = BTreeSet<usize>;

impl TextTable {
    pub(crate) fn new() -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(NOTHING);
        TextTable(table, Numbers::new())
    }

    pub(crate) fn with_header<T: AsRef<str>>(cells: impl IntoIterator<Item = T>) -> Self {
        let mut table = TextTable::new();
        table.0.set_header(printable_cells(cells));
        table
    }

    pub(crate) fn add_row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.0.add_row(printable_cells(cells));
    }

    /// Adds all rows below those that are there.
    pub(crate) fn with_rows<R>(mut self, rows: impl IntoIterator<Item = R>) -> Self
    where
        R: IntoIterator<Item: AsRef<str>>,
    {
        for row in rows {
            self.add_row(row);
        }
        self
    }

    /// Aligns the columns from `first` on as numbers.
    pub(crate) fn with_numbers_from(mut self, first: usize) -> Self {
        let columns = self.0.column_count();
        self.align_right(first..columns);
        self
    }

    /// Whether there is anything below the header.
    pub(crate) fn has_rows(&self) -> bool {
        self.0.row_count() > 0
    }

    /// Aligns columns of numbers; one that is not there is passed over.
    pub(crate) fn align_right(&mut self, columns: impl IntoIterator<Item = usize>) {
        for column in columns {
            if let Some(found) = self.0.column_mut(column) {
                found.set_cell_alignment(CellAlignment::Right);
                self.1.insert(column);
            }
        }
    }

    pub(crate) fn remove_padding(&mut self) {
        for column in self.0.column_iter_mut() {
            column.set_padding((0, 0));
        }
    }

    /// Returns the characters that its lines need, with the columns that are not hidden; a longer
    /// cell than [`BROKEN`] breaks between words.
    pub(crate) fn width(&self) -> usize {
        let hidden = Some(&ColumnConstraint::Hidden);
        let widths = self.0.column_max_content_widths().into_iter();
        let columns = widths.zip(self.0.column_iter());
        columns
            .filter(|(_, column)| column.constraint() != hidden)
            // With a blank on either side.
            .map(|(width, _)| usize::from(width).min(BROKEN) + 2)
            .sum()
    }

    /// Hides a column; returns whether there is one of that number.
    pub(crate) fn hide_column(&mut self, column: usize) -> bool {
        self.0
            .column_mut(column)
            .map(|column| column.set_constraint(ColumnConstraint::Hidden))
            .is_some()
    }

    /// Hides the columns in which no row says anything: blanks and dashes alone. The first stays.
    pub(crate) fn hide_silent_columns(&mut self) {
        let silent = |column: &comfy_table::Column| {
            let mut rows = self.0.row_iter();
            self.has_rows()
                && rows.all(|row| {
                    let cell = row.cell_iter().nth(column.index);
                    cell.is_none_or(|cell| matches!(cell.content().trim(), "" | "-"))
                })
        };
        let columns = self.0.column_iter().skip(1);
        let silent: Vec<usize> = columns
            .filter(|column| silent(column))
            .map(|column| column.index)
            .collect();
        for column in silent {
            self.hide_column(column);
        }
    }

    /// Breaks cells between words, so that no line is longer.
    pub(crate) fn break_lines_at(&mut self, width: usize) {
        self.0.set_content_arrangement(ContentArrangement::Dynamic);
        self.0.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    }

    /// Returns the table as Markdown, with all of its columns.
    pub(crate) fn to_markdown(&self) -> String {
        let cells = |row: &comfy_table::Row| -> Vec<String> {
            row.cell_iter().map(comfy_table::Cell::content).collect()
        };
        let header = self.0.header().map(cells).unwrap_or_default();
        let left = (0..header.len()).filter(|at| !self.1.contains(at));
        let left = left.collect();
        MarkdownTable::new(header, self.0.row_iter().map(cells).collect(), left).text()
    }

    /// Returns the table without white space at the ends of its lines.
    pub(crate) fn to_text(&self) -> String {
        self.0
            .lines()
            .map(|line| line.trim_end().to_string())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

fn printable_cells<T: AsRef<str>>(cells: impl IntoIterator<Item = T>) -> Vec<String> {
    cells
        .into_iter()
        .map(|cell| printable(cell.as_ref()).into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_dashes_is_hidden_and_one_with_a_value_is_not() {
        let mut table = TextTable::with_header(["name", "cost", "calls", "x"])
            .with_rows([["-", "-", "3", ""], ["-", "-", "-", "-"]]);
        table.hide_silent_columns();
        let text = table.to_text();
        let head = text.lines().next().unwrap_or_default();
        assert_eq!(
            head.split_whitespace().collect::<Vec<_>>(),
            ["name", "calls"]
        );
    }
}
