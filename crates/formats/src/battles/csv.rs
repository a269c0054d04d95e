//! Rows of separated values. A piece without quotation marks is cut at its separators; another goes
//! through the `csv` crate. A row ends with a line feed, which a carriage return may precede; blank
//! lines are no rows.

use super::chunk::Chunk;
use super::columns::Plan;
use super::error::Problem;
use std::ops::Range;

/// A problem, and how many lines of the piece come before it.
pub(super) type Fault = (u64, Problem);

/// Reads all rows of a piece, which begins and ends between rows.
pub(super) fn read(
    text: &[u8],
    separator: u8,
    plan: &Plan,
    chunk: &mut Chunk,
) -> Result<(), Fault> {
    if memchr::memchr(b'"', text).is_some() {
        quoted(text, separator, plan, chunk)
    } else {
        plain(text, separator, plan, chunk)
    }
}

/// Cells of the row under way.
struct Row<'a> {
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

impl<'a> Row<'a> {
    fn new(plan: &'a Plan) -> Self {
        Row {
            plan,
            order: plan.by_column(),
            cells: vec![0..0; plan.fields.len()],
            met: 0,
            width: 0,
        }
    }

    #[inline]
    fn cell(&mut self, range: Range<usize>) {
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
    fn finish(&mut self, text: &[u8], chunk: &mut Chunk) -> Result<(), Problem> {
        chunk.met += 1;
        let width = std::mem::take(&mut self.width);
        self.met = 0;
        if width != self.plan.width {
            return Err(Problem::Cells {
                expected: self.plan.width,
                found: width,
            });
        }
        chunk.push(self.plan, text, &self.cells)
    }
}

fn plain(text: &[u8], separator: u8, plan: &Plan, chunk: &mut Chunk) -> Result<(), Fault> {
    let mut row = Row::new(plan);
    let mut start = 0;
    for end in memchr::memchr2_iter(separator, b'\n', text) {
        if text.get(end) == Some(&separator) {
            row.cell(start..end);
        } else {
            finish_line(&mut row, text, start..end, chunk)
                .map_err(|problem| (lines(text, start), problem))?;
        }
        start = end + 1;
    }
    finish_line(&mut row, text, start..text.len(), chunk)
        .map_err(|problem| (lines(text, start), problem))
}

/// Takes the last cell of a line, and the row, if the line is not blank.
#[inline]
fn finish_line(
    row: &mut Row<'_>,
    text: &[u8],
    last: Range<usize>,
    chunk: &mut Chunk,
) -> Result<(), Problem> {
    let last = without_return(text, last);
    if last.is_empty() && row.width == 0 {
        return Ok(());
    }
    row.cell(last);
    row.finish(text, chunk)
}

#[inline]
fn without_return(text: &[u8], cell: Range<usize>) -> Range<usize> {
    match text.get(cell.clone()) {
        Some([.., b'\r']) => cell.start..cell.end - 1,
        _ => cell,
    }
}

/// The line feeds before this byte.
#[cold]
fn lines(text: &[u8], before: usize) -> u64 {
    memchr::memchr_iter(b'\n', text.get(..before).unwrap_or(text)).count() as u64
}

fn quoted(text: &[u8], separator: u8, plan: &Plan, chunk: &mut Chunk) -> Result<(), Fault> {
    let mut reader = reader(text, separator);
    let mut record = csv::ByteRecord::new();
    let mut row = Row::new(plan);
    while reader
        .read_byte_record(&mut record)
        .map_err(|error| (0, Problem::Io(error.to_string())))?
    {
        let start = record
            .position()
            .map_or(0, |position| position.byte() as usize);
        finish_record(&mut row, &record, chunk)
            .map_err(|problem| (lines(text, skip_blank(text, start)), problem))?;
    }
    Ok(())
}

/// A reader whose rows end with a line feed only; the carriage return before it is taken off later.
fn reader(text: &[u8], separator: u8) -> csv::Reader<&[u8]> {
    let mut builder = csv::ReaderBuilder::new();
    builder
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .terminator(csv::Terminator::Any(b'\n'));
    builder.from_reader(text)
}

/// Where the row is that is said to begin here: behind blank lines.
fn skip_blank(text: &[u8], start: usize) -> usize {
    let blank = text
        .iter()
        .skip(start)
        .take_while(|byte| matches!(byte, b'\n' | b'\r'))
        .count();
    start + blank
}

fn finish_record(
    row: &mut Row<'_>,
    record: &csv::ByteRecord,
    chunk: &mut Chunk,
) -> Result<(), Problem> {
    let text = record.as_slice();
    let last = record.len().saturating_sub(1);
    for at in 0..last {
        row.cell(record.range(at).unwrap_or_default());
    }
    finish_line(row, text, record.range(last).unwrap_or_default(), chunk)
}

/// The cells of the first row, as text.
pub(super) fn header(text: &[u8], separator: u8) -> Result<Vec<String>, Problem> {
    let mut record = csv::ByteRecord::new();
    reader(text, separator)
        .read_byte_record(&mut record)
        .map_err(|error| Problem::Io(error.to_string()))?;
    let last = record.len().saturating_sub(1);
    let text = |(at, cell): (usize, &[u8])| {
        let cell = if at == last {
            &cell[without_return(cell, 0..cell.len())]
        } else {
            cell
        };
        let name = String::from_utf8(cell.to_vec());
        name.map_err(|_| Problem::Utf8 {
            field: "header".to_owned(),
            lossy: String::from_utf8_lossy(cell).into_owned(),
        })
    };
    record.iter().enumerate().map(text).collect()
}

/// The byte after the last row that surely ends within the text; 0 if none does. The text begins
/// between rows.
pub(super) fn last_end(text: &[u8], separator: u8) -> usize {
    if memchr::memchr(b'"', text).is_none() {
        return memchr::memrchr(b'\n', text).map_or(0, |at| at + 1);
    }
    row_ends(text, separator).last().unwrap_or(0)
}

/// The byte after the first row that ends within the text and is not blank.
pub(super) fn first_end(text: &[u8], separator: u8) -> Option<usize> {
    let blank = skip_blank(text, 0);
    row_ends(text.get(blank..).unwrap_or_default(), separator)
        .next()
        .map(|end| blank + end)
}

/// Whether a quotation mark is open at the end of the text, which begins between rows.
pub(super) fn ends_open(text: &[u8], separator: u8) -> bool {
    let mut marks = Marks::default();
    text.iter()
        .for_each(|&byte| _ = marks.ends_row(byte, separator));
    marks.open
}

/// Where the row begins in which a quotation mark is open at the end of the text, which begins
/// between rows; None where none is.
pub(crate) fn last_open(text: &[u8], separator: u8) -> Option<usize> {
    ends_open(text, separator).then(|| row_ends(text, separator).last().unwrap_or(0))
}

/// The byte after each row.
fn row_ends(text: &[u8], separator: u8) -> impl Iterator<Item = usize> {
    let mut marks = Marks::default();
    text.iter()
        .enumerate()
        .filter_map(move |(at, &byte)| marks.ends_row(byte, separator).then_some(at + 1))
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
    /// Whether the row ends with this byte.
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
