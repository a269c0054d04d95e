//! Rows of CSV (commas, tabs or semicolons) as objects of strings; an empty cell is null.

use super::error::{DataProblem, Place, Result};
use super::point::Point;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// One row of CSV.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CsvRow {
    pub(super) cells: Vec<String>,
    /// The line that it begins on.
    pub(super) line: u64,
}

/// Cuts pieces of CSV text into rows. There is one for a file: its parser takes longer to build
/// than a row to read.
pub(super) struct RowCutter {
    parser: Reader,
    /// The cells of the row at hand without their quotes, one behind the other.
    cells: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl RowCutter {
    pub(super) fn new(separator: u8) -> Self {
        RowCutter {
            parser: ReaderBuilder::new().delimiter(separator).build(),
            cells: vec![0; 256],
            ends: vec![0; 16],
        }
    }

    /// Iterates over the rows of a piece of text that begins at this point and holds whole rows.
    pub(super) fn cut_rows(&mut self, text: &str, start: Point) -> impl Iterator<Item = CsvRow> {
        self.parser.reset();
        let mut rest = text.as_bytes();
        std::iter::from_fn(move || {
            let line = start.line + self.parser.line() - 1;
            let cells = self.next_row(&mut rest)?;
            Some(CsvRow { cells, line })
        })
    }

    /// Takes the next row off the text; `None` at its end.
    fn next_row(&mut self, rest: &mut &[u8]) -> Option<Vec<String>> {
        let (mut written, mut ended) = (0, 0);
        loop {
            let (cells, ends) = (self.cells.get_mut(written..)?, self.ends.get_mut(ended..)?);
            let (result, read, more_written, more_ended) =
                self.parser.read_record(rest, cells, ends);
            *rest = rest.get(read..)?;
            (written, ended) = (written + more_written, ended + more_ended);
            match result {
                // No text is left: asked once more, the parser ends the row.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.cells.resize(self.cells.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::Record => return Some(self.cell_texts(ended)),
                ReadRecordResult::End => return None,
            }
        }
    }

    /// Returns the first cells of the row at hand.
    fn cell_texts(&self, count: usize) -> Vec<String> {
        let mut start = 0;
        let ends = self.ends.iter().take(count);
        ends.map_while(|&end| self.cells.get(std::mem::replace(&mut start, end)..end))
            .map(|cell| String::from_utf8_lossy(cell).into_owned())
            .collect()
    }
}

/// Returns what separates the cells of a file that begins with this header: tabs by the file's
/// name, else the first of comma, tab and semicolon that the header has outside quotes.
pub(crate) fn find_separator(header: &[u8], name: &str) -> u8 {
    if is_tsv(name) {
        return b'\t';
    }
    let line = unquoted_line(header);
    let found = [b',', b'\t', b';']
        .into_iter()
        .find(|separator| line.contains(separator));
    found.unwrap_or(b',')
}

/// How many bytes the longest line has that tells a separator.
pub(crate) const TOLD_SEPARATOR: usize = 10;

/// Returns the separator that the first line of a file tells, as spreadsheets write it (`sep=,`),
/// and how many bytes that line has.
pub(crate) fn told_separator(text: &[u8]) -> Option<(u8, usize)> {
    let end = text.iter().position(|&byte| byte == b'\n')? + 1;
    let line = text.get(..end)?.trim_ascii_end();
    let line = line
        .strip_prefix(b"\"")
        .and_then(|line| line.strip_suffix(b"\""))
        .unwrap_or(line);
    match line {
        [
            b's' | b'S',
            b'e' | b'E',
            b'p' | b'P',
            b'=',
            separator @ (b',' | b';' | b'|'),
        ] => Some((*separator, end)),
        // A tab is white space at the end of the line.
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'='] => Some((b'\t', end)),
        _ => None,
    }
}

/// Whether a file's name says that its cells are separated by tabs.
pub(crate) fn is_tsv(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.trim_end_matches(".gz").ends_with(".tsv")
}

/// Returns the bytes of the first line that are not in quotes.
fn unquoted_line(header: &[u8]) -> Vec<u8> {
    let mut quoted = false;
    let unquoted = header.iter().copied().filter(|&byte| {
        quoted ^= byte == b'"';
        !quoted
    });
    unquoted.take_while(|&byte| byte != b'\n').collect()
}

/// Checks the names of the columns. Of two by one name, nobody could say which is meant.
pub(super) fn check_header(names: Vec<String>, place: &Place) -> Result<Vec<String>> {
    let mut seen = HashSet::new();
    let mut given = names.iter().filter(|name| !name.is_empty());
    match given.find(|name| !seen.insert(name.as_str())) {
        Some(twice) => Err(DataProblem::TwiceInHeader(twice.clone()).at(place)),
        None => Ok(names),
    }
}

/// Returns a row as an object with the header's names. A row may be short, never long.
pub(super) fn row_object(header: &[String], cells: Vec<String>, place: &Place) -> Result<Value> {
    if cells.len() > header.len() {
        let (expected, found) = (header.len(), cells.len());
        return Err(DataProblem::Cells { expected, found }.at(place));
    }
    let fields = header.iter().cloned();
    let fields: Map<_, _> = fields.zip(cells.into_iter().map(cell_value)).collect();
    Ok(Value::Object(fields))
}

fn cell_value(cell: String) -> Value {
    if cell.is_empty() {
        Value::Null
    } else {
        Value::String(cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: Point = Point {
        line: 7,
        column: 1,
        offset: 0,
    };

    #[test]
    fn rows_with_their_lines() {
        let rows = |text: &str| {
            RowCutter::new(b',')
                .cut_rows(text, START)
                .collect::<Vec<_>>()
        };
        let row = |cells: &[&str], line| CsvRow {
            cells: cells.iter().map(|&cell| cell.to_owned()).collect(),
            line,
        };
        assert_eq!(
            rows("a,\"b\n\"\"c\",\nd"),
            [row(&["a", "b\n\"c", ""], 7), row(&["d"], 9)]
        );
        assert_eq!(rows(""), []);
        let long = "x".repeat(1000);
        assert_eq!(
            rows(&format!("{long}{}", ",".repeat(99)))[0].cells.len(),
            100
        );
    }

    #[test]
    fn separators_are_seen_in_the_header() {
        let of = |header: &str, name: &str| char::from(find_separator(header.as_bytes(), name));
        assert_eq!(of("question;answer\na,b;c", "a.csv"), ';');
        assert_eq!(of("\tquestion\tanswer", "a.txt"), '\t');
        assert_eq!(of("question,answer;2\n", "a.csv"), ',');
        assert_eq!(of("\"a,b\";c\n", "a.csv"), ';');
        assert_eq!(of("question\n", "a.csv"), ',');
        assert_eq!(of("a,b\n", "A.TSV.gz"), '\t');
    }

    proptest! {
        /// A used parser cuts as a new one of the `csv` crate does, whatever the pieces.
        #[test]
        fn pieces_meet_their_twin(pieces in prop::collection::vec("(\u{feff}?[ab\"é,\n\r]{0,9}){0,40}", 1..6)) {
            let mut cutter = RowCutter::new(b',');
            for text in &pieces {
                let mut twin = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
                let expected: Vec<CsvRow> = twin.records().map(|record| {
                    let record = record.unwrap();
                    CsvRow { cells: record.iter().map(str::to_owned).collect(), line: record.position().unwrap().line() + 6 }
                }).collect();
                prop_assert_eq!(cutter.cut_rows(text, START).collect::<Vec<_>>(), expected);
            }
        }
    }
}
