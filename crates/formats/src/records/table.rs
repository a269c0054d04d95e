//! Rows of CSV (commas, tabs or semicolons) as objects of strings; an empty cell is null.

use super::error::{DataError, Place, Problem};
use super::raw::Point;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// One row, and the line that it begins on.
pub(super) type Row = (Vec<String>, u64);

/// Cuts pieces of CSV text into rows. There is one for a file: its parser takes longer to build
/// than a row to read.
pub(super) struct Cutter {
    parser: Reader,
    /// The cells of the row at hand without their quotes, one behind the other.
    cells: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl Cutter {
    pub(super) fn new(separator: u8) -> Self {
        Cutter {
            parser: ReaderBuilder::new().delimiter(separator).build(),
            cells: vec![0; 256],
            ends: vec![0; 16],
        }
    }

    /// The rows of a piece of text that begins at this point and holds whole rows.
    pub(super) fn rows(&mut self, text: &str, start: Point) -> impl Iterator<Item = Row> {
        self.parser.reset();
        let mut rest = text.as_bytes();
        std::iter::from_fn(move || {
            let lines_before = self.parser.line() - 1;
            self.row(&mut rest)
                .map(|cells| (cells, start.line + lines_before))
        })
    }

    /// The next row, which is taken off the text; None at its end.
    fn row(&mut self, rest: &mut &[u8]) -> Option<Vec<String>> {
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
                ReadRecordResult::Record => return Some(self.texts(ended)),
                ReadRecordResult::End => return None,
            }
        }
    }

    /// The first cells of the row at hand.
    fn texts(&self, count: usize) -> Vec<String> {
        let ends = self.ends.iter().take(count);
        let cell =
            |start: &mut usize, &end: &usize| self.cells.get(std::mem::replace(start, end)..end);
        ends.scan(0, cell)
            .map(|cell| String::from_utf8_lossy(cell).into_owned())
            .collect()
    }
}

/// What separates the cells of a file that begins with this header: tabs by the file's name, else
/// the first of comma, tab and semicolon that the header has outside quotes.
pub(crate) fn separator(header: &[u8], name: &str) -> u8 {
    if name
        .to_ascii_lowercase()
        .trim_end_matches(".gz")
        .ends_with(".tsv")
    {
        return b'\t';
    }
    let mut quoted = false;
    let plain = header.iter().filter(|&&byte| {
        quoted ^= byte == b'"';
        !quoted
    });
    let line: Vec<u8> = plain.copied().take_while(|&byte| byte != b'\n').collect();
    [b',', b'\t', b';']
        .into_iter()
        .find(|separator| line.contains(separator))
        .unwrap_or(b',')
}

/// The names of the columns. Of two by one name, nobody could say which is meant.
pub(super) fn header(names: Vec<String>, place: &Place) -> Result<Vec<String>, DataError> {
    let mut seen = HashSet::new();
    match names
        .iter()
        .find(|name| !name.is_empty() && !seen.insert(name.as_str()))
    {
        Some(twice) => Err(Problem::TwiceInHeader(twice.clone()).at(place)),
        None => Ok(names),
    }
}

/// A row under its header. A row may be short, never long.
pub(super) fn object(
    header: &[String],
    cells: Vec<String>,
    place: &Place,
) -> Result<Value, DataError> {
    if cells.len() > header.len() {
        return Err(Problem::Cells {
            expected: header.len(),
            found: cells.len(),
        }
        .at(place));
    }
    let cells = cells.into_iter().map(|cell| {
        if cell.is_empty() {
            Value::Null
        } else {
            Value::String(cell)
        }
    });
    Ok(Value::Object(
        header.iter().cloned().zip(cells).collect::<Map<_, _>>(),
    ))
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
        let rows = |text: &str| Cutter::new(b',').rows(text, START).collect::<Vec<_>>();
        let row =
            |cells: &[&str], line| (cells.iter().map(|&cell| cell.to_owned()).collect(), line);
        assert_eq!(
            rows("a,\"b\n\"\"c\",\nd"),
            [row(&["a", "b\n\"c", ""], 7), row(&["d"], 9)]
        );
        assert_eq!(rows(""), []);
        let long = "x".repeat(1000);
        assert_eq!(rows(&format!("{long}{}", ",".repeat(99)))[0].0.len(), 100);
    }

    #[test]
    fn separators_are_seen_in_the_header() {
        let of = |header: &str, name: &str| char::from(separator(header.as_bytes(), name));
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
            let mut cutter = Cutter::new(b',');
            for text in &pieces {
                let mut twin = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
                let expected: Vec<Row> = twin.records().map(|record| {
                    let record = record.unwrap();
                    (record.iter().map(str::to_owned).collect(), record.position().unwrap().line() + 6)
                }).collect();
                prop_assert_eq!(cutter.rows(text, START).collect::<Vec<_>>(), expected);
            }
        }
    }
}
