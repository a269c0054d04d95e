//! CSV, whoever reads it: what separates its cells, where its rows end, and rows of texts.

use super::point::Point;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};
use std::ops::Range;

/// Returns what separates the cells of a file that begins with this header: tabs by the file's
/// name, else that of comma, tab and semicolon that the header has most often outside quotes, the
/// first of equally many. One with a space behind it belongs to a name, as in `Reply, prompt
/// A;Reply, prompt B`, unless none is without.
pub(crate) fn find_separator(header: &[u8], name: &str) -> u8 {
    if is_tsv(name) {
        return b'\t';
    }
    let mut quoted = false;
    let unquoted = header.iter().copied().filter(|&byte| {
        quoted ^= byte == b'"';
        !quoted
    });
    let line: Vec<u8> = unquoted.take_while(|&byte| byte != b'\n').collect();
    let count = |separator: u8| {
        let behind = line.iter().skip(1).chain([&b'\n']);
        let found = line.iter().zip(behind);
        let found = found.filter(|(byte, _)| **byte == separator);
        let (close, spaced): (Vec<_>, Vec<_>) = found.partition(|(_, next)| **next != b' ');
        (close.len(), spaced.len())
    };
    // Of equals the last is taken, and of a header without any of them this one.
    let known = [b';', b'\t', b','];
    let best = known.into_iter().max_by_key(|separator| count(*separator));
    best.unwrap_or(b',')
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

/// Iterates over the byte after each row of a text, which begins between rows.
fn row_ends(text: &[u8], separator: u8) -> impl Iterator<Item = usize> {
    let mut marks = Marks::default();
    let bytes = text.iter().enumerate();
    bytes.filter_map(move |(at, &byte)| marks.ends_row(byte, separator).then_some(at + 1))
}

/// Returns where the row begins in which a quotation mark is open at the end of the text, which
/// begins between rows; `None` where all are closed.
pub(crate) fn last_open(text: &[u8], separator: u8) -> Option<usize> {
    let (mut marks, mut row) = (Marks::default(), 0);
    for (at, &byte) in text.iter().enumerate() {
        if marks.ends_row(byte, separator) {
            row = at + 1;
        }
    }
    marks.open.then_some(row)
}

/// Returns the byte after the last row that surely ends within the text; 0 if none does. The text
/// begins between rows.
pub(crate) fn last_end(text: &[u8], separator: u8) -> usize {
    if memchr::memchr(b'"', text).is_none() {
        return last_line_end(text);
    }
    row_ends(text, separator).last().unwrap_or(0)
}

/// Returns the byte after the last line feed; 0 where there is none.
pub(crate) fn last_line_end(text: &[u8]) -> usize {
    memchr::memrchr(b'\n', text).map_or(0, |at| at + 1)
}

/// Returns the byte after the first row that ends within the text and is not blank.
pub(crate) fn first_end(text: &[u8], separator: u8) -> Option<usize> {
    let blank = skip_blank(text, 0);
    let rest = text.get(blank..).unwrap_or_default();
    Some(blank + row_ends(rest, separator).next()?)
}

/// Returns the byte after the first line that is not blank.
pub(crate) fn first_line_end(text: &[u8]) -> Option<usize> {
    let blank = text.len() - text.trim_ascii_start().len();
    Some(blank + memchr::memchr(b'\n', text.get(blank..)?)? + 1)
}

/// Returns where the row is that is said to begin here: behind blank lines.
pub(crate) fn skip_blank(text: &[u8], start: usize) -> usize {
    let rest = text.iter().skip(start);
    start
        + rest
            .take_while(|byte| matches!(byte, b'\n' | b'\r'))
            .count()
}

/// Counts the line feeds of a text.
pub(crate) fn count_lines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

/// One row of texts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CsvRow {
    pub(crate) cells: Vec<String>,
    /// The line that it begins on.
    pub(crate) line: u64,
}

/// Cuts CSV text into rows. There is one for a file: its parser takes longer to build than a row to
/// read.
pub(crate) struct RowCutter {
    parser: Reader,
    /// The cells of the row at hand without their quotes, one behind the other.
    cells: Vec<u8>,
    /// Where each of them ends, and how many there are.
    ends: Vec<usize>,
    count: usize,
}

impl RowCutter {
    /// Cuts at ends of lines of any sort.
    pub(crate) fn new(separator: u8) -> Self {
        RowCutter::ending_at(separator, Terminator::CRLF)
    }

    /// Cuts at line feeds alone: a carriage return is part of a cell.
    pub(crate) fn at_line_feeds(separator: u8) -> Self {
        RowCutter::ending_at(separator, Terminator::Any(b'\n'))
    }

    fn ending_at(separator: u8, terminator: Terminator) -> Self {
        let mut parser = ReaderBuilder::new();
        RowCutter {
            parser: parser.delimiter(separator).terminator(terminator).build(),
            cells: vec![0; 256],
            ends: vec![0; 16],
            count: 0,
        }
    }

    /// Iterates over the rows of a piece of text that begins at this point and holds whole rows.
    pub(crate) fn cut_rows(&mut self, text: &str, start: Point) -> impl Iterator<Item = CsvRow> {
        self.parser.reset();
        let mut rest = text.as_bytes();
        std::iter::from_fn(move || {
            let line = start.line + self.parser.line() - 1;
            if !self.next_row(&mut rest) {
                return None;
            }
            let cells = self.ranges().filter_map(|range| self.cells.get(range));
            let cells = cells.map(|cell| String::from_utf8_lossy(cell).into_owned());
            let cells = cells.collect();
            Some(CsvRow { cells, line })
        })
    }

    /// Takes the next row off the text; false at its end. Blank lines are no rows.
    pub(crate) fn next_row(&mut self, rest: &mut &[u8]) -> bool {
        let mut written = 0;
        self.count = 0;
        loop {
            let cells = self.cells.get_mut(written..).unwrap_or_default();
            let ends = self.ends.get_mut(self.count..).unwrap_or_default();
            let (result, read, more_written, more_ended) =
                self.parser.read_record(rest, cells, ends);
            *rest = rest.get(read..).unwrap_or_default();
            written += more_written;
            self.count += more_ended;
            match result {
                // No text is left: asked once more, the parser ends the row.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.cells.resize(self.cells.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::Record => return true,
                ReadRecordResult::End => return false,
            }
        }
    }

    /// Returns the cells of the row at hand, one behind the other.
    pub(crate) fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// Iterates over where each cell of the row at hand stands among them.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let ends = self.ends.iter().take(self.count);
        let starts = [0].into_iter().chain(ends.clone().copied());
        starts.zip(ends.copied()).map(|(start, end)| start..end)
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
    fn names_of_columns_may_hold_other_separators() {
        for (header, separator) in [
            (
                "Ticket #;Question;Reply, A (2026-11-12);Reply, B (new!)",
                ';',
            ),
            ("Question;Reply, old, short, first", ';'),
            ("Question; Reply; Topic, if any", ';'),
            ("id,question,reply;2", ','),
            ("Question;", ';'),
            ("Ticket #\tReply, A,B; first\tReply, B", '\t'),
            ("id, question, reply", ','),
            ("id,question; in short,reply", ','),
            ("id,\"a;b;c;d\",reply", ','),
            ("id;\"a,b,c,d\";reply", ';'),
            ("id,question,reply\t", ','),
            ("model_a,model_b,winner,\tnote", ','),
            ("id", ','),
            ("", ','),
        ] {
            for end in ["", "\n", "\r\n1"] {
                let found = find_separator(format!("{header}{end}").as_bytes(), "x.csv");
                assert_eq!(char::from(found), separator, "{header}");
            }
        }
    }

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
