//! Rows of separated values. A piece without quotation marks is cut at its separators; another by
//! the parser that all readers share. A row ends with a line feed, which a carriage return may
//! precede; blank lines are not rows.

use super::chunk::{Chunk, TextRow};
use super::fault::{Fault, Result};
use super::plan::Plan;
use crate::error::DataProblem;
use crate::source::csv::{RowCutter, count_lines, skip_blank};
use std::ops::Range;

/// Reads all rows of a piece, which begins and ends between rows.
pub(super) fn parse_rows(
    text: &[u8],
    separator: u8,
    plan: &Plan,
    chunk: &mut Chunk,
) -> Result<(), Fault> {
    // Without a quotation mark every separator ends a cell, which is quicker to cut.
    if memchr::memchr(b'"', text).is_some() {
        parse_quoted(text, separator, plan, chunk)
    } else {
        parse_unquoted(text, separator, plan, chunk)
    }
}

/// Cells of the row under way.
struct CsvRow<'a> {
    plan: &'a Plan,
    /// Each field's column and number, by column.
    order: Vec<(usize, usize)>,
    /// The cell of each field, as a range of the text.
    cells: Vec<Range<usize>>,
    /// How many fields of `order` were met.
    met: usize,
    /// How many cells were met.
    width: usize,
}

impl<'a> CsvRow<'a> {
    fn new(plan: &'a Plan) -> Self {
        let fields = plan.fields.iter().zip(0..);
        let mut order: Vec<(usize, usize)> = fields
            .map(|(field, number)| (field.column, number))
            .collect();
        order.sort_unstable();
        CsvRow {
            plan,
            order,
            cells: vec![0..0; plan.fields.len()],
            met: 0,
            width: 0,
        }
    }

    #[inline]
    fn add_cell(&mut self, range: Range<usize>) {
        while let Some(&(column, field)) = self.order.get(self.met)
            && column == self.width
        {
            if let Some(cell) = self.cells.get_mut(field) {
                *cell = range.clone();
            }
            self.met += 1;
        }
        self.width += 1;
    }

    /// Takes the last cell of a line, and the row, if the line is not blank.
    #[inline]
    fn finish_line(&mut self, text: &[u8], mut last: Range<usize>, chunk: &mut Chunk) -> Result {
        if let Some([.., b'\r']) = text.get(last.clone()) {
            last.end -= 1;
        }
        // A blank line is not a row.
        if last.is_empty() && self.width == 0 {
            return Ok(());
        }
        self.add_cell(last);
        chunk.met += 1;
        let found = std::mem::take(&mut self.width);
        self.met = 0;
        if found != self.plan.width {
            let expected = self.plan.width;
            return Err(DataProblem::Cells { expected, found });
        }
        let mut cells = TextRow {
            text,
            cells: &self.cells,
            faults: &[],
        };
        chunk.push_row(self.plan, &mut cells, 0)
    }
}

fn parse_unquoted(text: &[u8], separator: u8, plan: &Plan, chunk: &mut Chunk) -> Result<(), Fault> {
    let mut row = CsvRow::new(plan);
    let mut start = 0;
    for end in memchr::memchr2_iter(separator, b'\n', text) {
        if text.get(end) == Some(&separator) {
            row.add_cell(start..end);
        } else if let Err(problem) = row.finish_line(text, start..end, chunk)
            && !chunk.refuse_row(fault_at(text, start, problem), plan)?
        {
            return Ok(());
        }
        start = end + 1;
    }
    if let Err(problem) = row.finish_line(text, start..text.len(), chunk) {
        chunk.refuse_row(fault_at(text, start, problem), plan)?;
    }
    Ok(())
}

/// Returns a problem of the line that holds this byte.
#[cold]
fn fault_at(text: &[u8], byte: usize, problem: DataProblem) -> Fault {
    let before = text.get(..byte).unwrap_or(text);
    Fault::after(count_lines(before), problem)
}

fn parse_quoted(text: &[u8], separator: u8, plan: &Plan, chunk: &mut Chunk) -> Result<(), Fault> {
    let mut cutter = RowCutter::at_line_feeds(separator);
    let mut row = CsvRow::new(plan);
    let mut rest = text;
    loop {
        let start = text.len() - rest.len();
        if !cutter.next_row(&mut rest) {
            return Ok(());
        }
        let mut last = 0..0;
        for (at, range) in cutter.ranges().enumerate() {
            if at > 0 {
                row.add_cell(last);
            }
            last = range;
        }
        if let Err(problem) = row.finish_line(cutter.cells(), last, chunk) {
            let fault = fault_at(text, skip_blank(text, start), problem);
            if !chunk.refuse_row(fault, plan)? {
                return Ok(());
            }
        }
    }
}

/// Returns the cells of the first row, as text.
pub(super) fn read_header(text: &[u8], separator: u8) -> Result<Vec<String>> {
    let mut cutter = RowCutter::at_line_feeds(separator);
    cutter.next_row(&mut &text[..]);
    let mut names = Vec::new();
    for range in cutter.ranges() {
        names.push(cutter.cells().get(range).unwrap_or_default());
    }
    // A carriage return before the line feed is no part of the last.
    if let Some(last) = names.last_mut() {
        *last = last.strip_suffix(b"\r").unwrap_or(last);
    }
    let texts = names.into_iter().map(|name| {
        String::from_utf8(name.to_vec())
            .map_err(|_| DataProblem::not_utf8("header".to_owned(), name))
    });
    texts.collect()
}
