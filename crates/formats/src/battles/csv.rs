//! Rows of separated values. A piece without quotation marks is cut at its separators; another goes
//! through the `csv` crate. A row ends with a line feed, which a carriage return may precede; blank
//! lines are not rows.

use super::chunk::Chunk;
use super::error::{BattleProblem, Fault, Result};
use super::plan::Plan;
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
        CsvRow {
            plan,
            order: plan.fields_by_column(),
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

    #[inline]
    fn finish(&mut self, text: &[u8], chunk: &mut Chunk) -> Result {
        chunk.met += 1;
        let width = std::mem::take(&mut self.width);
        self.met = 0;
        if width != self.plan.width {
            return Err(self.wrong_width(width));
        }
        chunk.push_row(self.plan, text, &self.cells)
    }

    #[cold]
    fn wrong_width(&self, found: usize) -> BattleProblem {
        let expected = self.plan.width;
        BattleProblem::Cells { expected, found }
    }
}

fn parse_unquoted(text: &[u8], separator: u8, plan: &Plan, chunk: &mut Chunk) -> Result<(), Fault> {
    let mut row = CsvRow::new(plan);
    let mut start = 0;
    for end in memchr::memchr2_iter(separator, b'\n', text) {
        if text.get(end) == Some(&separator) {
            row.add_cell(start..end);
        } else {
            if let Err(problem) = finish_line(&mut row, text, start..end, chunk)
                && !note_bad(fault_at(text, start, problem), plan, chunk)?
            {
                return Ok(());
            }
        }
        start = end + 1;
    }
    if let Err(problem) = finish_line(&mut row, text, start..text.len(), chunk) {
        note_bad(fault_at(text, start, problem), plan, chunk)?;
    }
    Ok(())
}

/// Notes a bad row; false where there are enough of them.
///
/// # Errors
/// What is wrong with the file as a whole.
#[cold]
fn note_bad(fault: Fault, plan: &Plan, chunk: &mut Chunk) -> Result<bool, Fault> {
    match fault.is_of_file() {
        true => Err(fault),
        false => Ok(chunk.note_bad(fault, plan.most_bad)),
    }
}

/// Takes the last cell of a line, and the row, if the line is not blank.
#[inline]
fn finish_line(row: &mut CsvRow<'_>, text: &[u8], last: Range<usize>, chunk: &mut Chunk) -> Result {
    let last = without_return(text, last);
    // A blank line is not a row.
    if last.is_empty() && row.width == 0 {
        return Ok(());
    }
    row.add_cell(last);
    row.finish(text, chunk)
}

#[inline]
fn without_return(text: &[u8], cell: Range<usize>) -> Range<usize> {
    match text.get(cell.clone()) {
        Some([.., b'\r']) => cell.start..cell.end - 1,
        _ => cell,
    }
}

/// Returns a problem of the line that holds this byte.
#[cold]
fn fault_at(text: &[u8], byte: usize, problem: BattleProblem) -> Fault {
    let before = text.get(..byte).unwrap_or(text);
    Fault::after(count_lines(before), problem)
}

/// Counts the line feeds of a text.
pub(super) fn count_lines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

fn parse_quoted(text: &[u8], separator: u8, plan: &Plan, chunk: &mut Chunk) -> Result<(), Fault> {
    let mut reader = make_reader(text, separator);
    let mut record = csv::ByteRecord::new();
    let mut row = CsvRow::new(plan);
    while reader
        .read_byte_record(&mut record)
        .map_err(|error| Fault::of_file(BattleProblem::Io(error.to_string())))?
    {
        let position = record.position();
        let start = position.map_or(0, |position| position.byte() as usize);
        if let Err(problem) = finish_record(&mut row, &record, chunk)
            && !note_bad(
                fault_at(text, skip_blank(text, start), problem),
                plan,
                chunk,
            )?
        {
            return Ok(());
        }
    }
    Ok(())
}

/// Returns a reader whose rows end with a line feed only; the carriage return before it is taken
/// off later.
fn make_reader(text: &[u8], separator: u8) -> csv::Reader<&[u8]> {
    let mut builder = csv::ReaderBuilder::new();
    builder
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .terminator(csv::Terminator::Any(b'\n'));
    builder.from_reader(text)
}

/// Returns where the row is that is said to begin here: behind blank lines.
fn skip_blank(text: &[u8], start: usize) -> usize {
    let rest = text.iter().skip(start);
    start + rest.take_while(|byte| ends_line(**byte)).count()
}

fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn finish_record(row: &mut CsvRow<'_>, record: &csv::ByteRecord, chunk: &mut Chunk) -> Result {
    let text = record.as_slice();
    let last = record.len().saturating_sub(1);
    for at in 0..last {
        row.add_cell(record.range(at).unwrap_or_default());
    }
    finish_line(row, text, record.range(last).unwrap_or_default(), chunk)
}

/// Returns the cells of the first row, as text.
pub(super) fn read_header(text: &[u8], separator: u8) -> Result<Vec<String>> {
    let mut record = csv::ByteRecord::new();
    make_reader(text, separator)
        .read_byte_record(&mut record)
        .map_err(|error| BattleProblem::Io(error.to_string()))?;
    let mut cells: Vec<&[u8]> = record.iter().collect();
    if let Some(last) = cells.last_mut() {
        *last = last.strip_suffix(b"\r").unwrap_or(last);
    }
    cells.into_iter().map(read_name).collect()
}

fn read_name(cell: &[u8]) -> Result<String> {
    let name = String::from_utf8(cell.to_vec());
    name.map_err(|_| BattleProblem::not_utf8("header".to_owned(), cell))
}

/// Returns the byte after the last row that surely ends within the text; 0 if none does. The text
/// begins between rows.
pub(super) fn last_end(text: &[u8], separator: u8) -> usize {
    if memchr::memchr(b'"', text).is_none() {
        return last_line_end(text);
    }
    row_ends(text, separator).last().unwrap_or(0)
}

/// Returns the byte after the last line feed; 0 where there is none.
pub(super) fn last_line_end(text: &[u8]) -> usize {
    memchr::memrchr(b'\n', text).map_or(0, |at| at + 1)
}

/// Returns the byte after the first row that ends within the text and is not blank.
pub(super) fn first_end(text: &[u8], separator: u8) -> Option<usize> {
    let blank = skip_blank(text, 0);
    let rest = text.get(blank..).unwrap_or_default();
    let end = row_ends(rest, separator).next()?;
    Some(blank + end)
}

/// Whether a quotation mark is open at the end of the text, which begins between rows.
pub(super) fn ends_open(text: &[u8], separator: u8) -> bool {
    let mut marks = Marks::default();
    for &byte in text {
        marks.ends_row(byte, separator);
    }
    marks.open
}

/// Returns where the row begins in which a quotation mark is open at the end of the text, which
/// begins between rows; `None` where all are closed.
pub(crate) fn last_open(text: &[u8], separator: u8) -> Option<usize> {
    ends_open(text, separator).then(|| row_ends(text, separator).last().unwrap_or(0))
}

/// Iterates over the byte after each row.
fn row_ends(text: &[u8], separator: u8) -> impl Iterator<Item = usize> {
    let mut marks = Marks::default();
    let bytes = text.iter().enumerate();
    bytes.filter_map(move |(at, &byte)| marks.ends_row(byte, separator).then_some(at + 1))
}

/// Follows quotation marks: as for the `csv` crate, one opens a cell only at its beginning.
struct Marks {
    cell_begins: bool,
    open: bool,
}

impl Default for Marks {
    fn default() -> Self {
        Marks {
            cell_begins: true,
            open: false,
        }
    }
}

impl Marks {
    /// Takes the next byte, and returns whether the row ends with it.
    fn ends_row(&mut self, byte: u8, separator: u8) -> bool {
        let ends = byte == b'\n' && !self.open;
        let turns = byte == b'"' && (self.open || self.cell_begins);
        self.open ^= turns;
        // A mark that closes and one that follows at once are a doubled mark: the cell goes on as
        // if just begun.
        self.cell_begins = !self.open && (byte == separator || ends || turns);
        ends
    }
}
