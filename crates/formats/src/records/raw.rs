//! Splits a stream into the text of its records, in bounded memory: plain or gzip; lines, one JSON
//! array, or CSV rows.

use super::error::{DataError, Place, Problem};
use super::table;
use crate::battles::last_open;
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

/// How a file's records lie in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// One JSON value a line.
    Lines,
    /// One JSON array of values.
    Array,
    /// CSV with a header.
    Csv,
}

impl Layout {
    /// The sentence of a JSON error that says how the file should be.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Layout::Lines => "each line must be one whole JSON object",
            Layout::Array => "the file must be one JSON array of objects",
            Layout::Csv => "each row must be one record",
        }
    }

    /// What follows the last character of a record.
    pub(super) fn end(self) -> &'static str {
        if self == Layout::Array {
            "the end of the file"
        } else {
            "the end of the line"
        }
    }
}

/// A point of the stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) offset: u64,
}

impl Point {
    /// The point after these bytes.
    pub(super) fn after(mut self, bytes: &[u8]) -> Point {
        let last_line = match bytes.iter().rposition(|&b| b == b'\n') {
            Some(newline) => {
                self.line += count(bytes, |b| b == b'\n');
                self.column = 1;
                bytes.get(newline + 1..).unwrap_or_default()
            }
            None => bytes,
        };
        self.column += count(last_line, |b| b & 0xc0 != 0x80);
        self.offset += bytes.len() as u64;
        self
    }

    /// This point as a place of the file.
    pub(super) fn place(self, source: &Arc<str>) -> Place {
        Place {
            source: source.clone(),
            line: self.line,
            column: self.column,
        }
    }
}

fn count(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> u64 {
    bytes.iter().filter(|&&b| wanted(b)).count() as u64
}

/// The stream, and where in it we are. It holds one record at a time.
pub(super) struct Splitter<'a> {
    input: Box<dyn BufRead + 'a>,
    pub(super) source: Arc<str>,
    pub(super) layout: Layout,
    /// What separates the cells of CSV, once the header was read.
    separator: Option<u8>,
    limit: usize,
    at: Point,
    chunk: Vec<u8>,
    /// For an array: whether an element has been read, and whether the closing bracket has.
    begun: bool,
    ended: bool,
}

impl<'a> Splitter<'a> {
    /// Looks at the beginning of the stream: gzip or not, and the layout. `tabular` says that what
    /// is not JSON may be CSV.
    pub(super) fn open(
        input: Box<dyn BufRead + 'a>,
        source: Arc<str>,
        limit: usize,
        tabular: bool,
    ) -> Result<Self, DataError> {
        let unreadable = |e: io::Error| Problem::Io(e.to_string()).at(&Place::file(source.clone()));
        let (input, skipped) = decoded(input).and_then(without_mark).map_err(unreadable)?;
        let at = Point {
            line: 1,
            column: 1,
            offset: skipped,
        };
        let (layout, separator, chunk) = (Layout::Lines, None, Vec::new());
        let mut splitter = Splitter {
            input,
            source,
            layout,
            separator,
            limit,
            at,
            chunk,
            begun: false,
            ended: false,
        };
        splitter.find_layout(tabular)?;
        Ok(splitter)
    }

    fn find_layout(&mut self, tabular: bool) -> Result<(), DataError> {
        let tabs = self.skip_blank()?;
        self.layout = match self.peek()? {
            Some(b'[') => Layout::Array,
            Some(b'{') | None => Layout::Lines,
            Some(_) if tabular => Layout::Csv,
            Some(_) => Layout::Lines,
        };
        match self.layout {
            Layout::Array => self.pass(1),
            Layout::Csv => self.put_back(tabs),
            Layout::Lines => {}
        }
        Ok(())
    }

    /// Puts tabs back that were passed: a header may begin with columns that have no name.
    fn put_back(&mut self, tabs: usize) {
        let rest = std::mem::replace(&mut self.input, Box::new(io::empty()));
        self.input = Box::new(io::Cursor::new(vec![b'\t'; tabs]).chain(rest));
        (self.at.column, self.at.offset) =
            (self.at.column - tabs as u64, self.at.offset - tabs as u64);
    }

    /// The text of the next record (for CSV, of one or more whole rows), and where it begins.
    pub(super) fn next(&mut self) -> Result<Option<(&str, Point)>, DataError> {
        self.chunk.clear();
        // A row of tabs is one of empty cells.
        let tabs =
            self.separator == Some(b'\t') || self.layout == Layout::Csv && self.separator.is_none();
        if tabs {
            self.skip(|b| matches!(b, b'\n' | b'\r'))
        } else {
            self.skip_blank()
        }?;
        let found = match self.layout {
            Layout::Lines => self.read_lines(|_| 0)?,
            Layout::Csv => self.read_rows()?,
            Layout::Array => self.read_element()?,
        };
        found
            .map(|start| Ok((self.checked(start)?, start)))
            .transpose()
    }

    /// Reads rows of CSV, of which the last may not end within quotes.
    fn read_rows(&mut self) -> Result<Option<Point>, DataError> {
        let start = self.read_lines(|line| count(line, |b| b == b'"'))?;
        let (source, chunk) = (&self.source, &self.chunk);
        let separator = *self
            .separator
            .get_or_insert_with(|| table::separator(chunk, source));
        match (start, last_open(&self.chunk, separator)) {
            (Some(start), Some(row)) => {
                let row = start.after(self.chunk.get(..row).unwrap_or_default());
                Err(Problem::OpenQuote.at(&self.line_place(row.line)))
            }
            (start, _) => Ok(start),
        }
    }

    /// Reads lines until all quotes are closed or the stream ends.
    fn read_lines(&mut self, quotes: impl Fn(&[u8]) -> u64) -> Result<Option<Point>, DataError> {
        let (start, mut open) = (self.at, false);
        loop {
            let before = self.chunk.len();
            let room = (self.limit + 1).saturating_sub(before) as u64;
            let read = (&mut *self.input)
                .take(room)
                .read_until(b'\n', &mut self.chunk);
            read.map_err(|e| self.unreadable(&e))?;
            let new = self.chunk.get(before..).unwrap_or_default();
            self.at = self.at.after(new);
            if self.chunk.len() > self.limit {
                return Err(self.too_long(start));
            }
            open ^= quotes(new) % 2 == 1;
            if new.is_empty() || !open {
                return Ok((!self.chunk.is_empty()).then_some(start));
            }
        }
    }

    fn read_element(&mut self) -> Result<Option<Point>, DataError> {
        if self.ended || self.array_ends()? {
            return self.nothing_follows().map(|()| None);
        }
        let start = self.at;
        let mut scan = Scan::default();
        while let Some(length) = self.part_of_element(&mut scan)? {
            self.take_part(length);
            if self.chunk.len() > self.limit {
                return Err(self.too_long(start));
            }
            if scan.done {
                break;
            }
        }
        Ok(Some(start))
    }

    /// How many of the bytes at hand belong to the element; None at the end of the stream.
    fn part_of_element(&mut self, scan: &mut Scan) -> Result<Option<usize>, DataError> {
        let buffer = self.fill()?;
        Ok((!buffer.is_empty()).then(|| scan.part(buffer)))
    }

    fn take_part(&mut self, length: usize) {
        let buffer = self.input.fill_buf().unwrap_or_default();
        let part = buffer.get(..length).unwrap_or(buffer);
        self.chunk.extend_from_slice(part);
        self.at = self.at.after(part);
        self.input.consume(length);
    }

    /// Passes the comma or bracket before the next element; true if it was the closing bracket.
    fn array_ends(&mut self) -> Result<bool, DataError> {
        match (self.peek()?, self.begun) {
            (Some(b']'), _) => {
                self.pass(1);
                self.ended = true;
                return Ok(true);
            }
            (Some(b','), true) => self.pass(1),
            (Some(_), false) => {}
            (found, true) => return Err(self.unexpected("`,` or `]`", found)),
            (None, false) => return Err(self.unexpected("a value or `]`", None)),
        }
        self.begun = true;
        self.skip_blank()?;
        match self.peek()? {
            found @ (None | Some(b']' | b',')) => Err(self.unexpected("a value", found)),
            Some(_) => Ok(false),
        }
    }

    fn nothing_follows(&mut self) -> Result<(), DataError> {
        self.skip_blank()?;
        match self.peek()? {
            None => Ok(()),
            found => Err(self.unexpected("the end of the file", found)),
        }
    }

    fn unexpected(&self, expected: &str, found: Option<u8>) -> DataError {
        let found = found.map_or_else(
            || self.layout.end().to_owned(),
            |b| format!("`{}`", b.escape_ascii()),
        );
        let expected = format!("expected {expected}, found {found}");
        Problem::Json {
            expected,
            layout: self.layout.rule(),
        }
        .at(&self.at.place(&self.source))
    }

    fn too_long(&self, start: Point) -> DataError {
        Problem::TooLong { limit: self.limit }.at(&self.line_place(start.line))
    }

    fn unreadable(&self, error: &io::Error) -> DataError {
        Problem::Io(error.to_string()).at(&self.line_place(self.at.line))
    }

    fn line_place(&self, line: u64) -> Place {
        Place::file(self.source.clone()).at_line(line)
    }

    /// The chunk as text.
    fn checked(&self, start: Point) -> Result<&str, DataError> {
        std::str::from_utf8(&self.chunk).map_err(|error| {
            let (good, bad) = self
                .chunk
                .split_at_checked(error.valid_up_to())
                .unwrap_or_default();
            let at = start.after(good);
            let byte = bad.first().copied().unwrap_or_default();
            Problem::Utf8 {
                byte,
                offset: at.offset,
            }
            .at(&self.line_place(at.line))
        })
    }

    /// Passes white space, and gives the number of tabs at its end.
    fn skip_blank(&mut self) -> Result<usize, DataError> {
        self.skip(|b| b.is_ascii_whitespace())
    }

    fn skip(&mut self, is_blank: impl Fn(u8) -> bool) -> Result<usize, DataError> {
        let mut tabs = 0;
        loop {
            let buffer = self.fill()?;
            let blank = buffer.iter().take_while(|b| is_blank(**b)).count();
            let all = blank == buffer.len();
            let here = buffer
                .iter()
                .take(blank)
                .rev()
                .take_while(|b| **b == b'\t')
                .count();
            tabs = if here == blank { tabs + here } else { here };
            if blank > 0 {
                self.pass(blank);
            }
            if blank == 0 || !all {
                return Ok(tabs);
            }
        }
    }

    fn peek(&mut self) -> Result<Option<u8>, DataError> {
        Ok(self.fill()?.first().copied())
    }

    /// Passes bytes that have been looked at.
    fn pass(&mut self, length: usize) {
        let buffer = self.input.fill_buf().unwrap_or_default();
        self.at = self.at.after(buffer.get(..length).unwrap_or(buffer));
        self.input.consume(length);
    }

    fn fill(&mut self) -> Result<&[u8], DataError> {
        let filled = loop {
            match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
                Ok(_) => break Ok(()),
            }
        };
        filled.map_err(|e| self.unreadable(&e))?;
        Ok(self.input.fill_buf().unwrap_or_default())
    }
}

/// Finds the end of one JSON value, without judging what is inside it.
#[derive(Default)]
struct Scan {
    begun: bool,
    depth: usize,
    in_string: bool,
    escaped: bool,
    done: bool,
}

impl Scan {
    /// How many of these bytes belong to the value; `done` says whether it ended in them.
    fn part(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if self.begun && self.depth == 0 && !self.in_string && is_boundary(byte) {
                self.done = true;
                return at;
            }
            self.step(byte);
            at += 1;
            if self.in_string && !self.escaped {
                at += plain_length(bytes.get(at..).unwrap_or_default());
            }
        }
        at
    }

    fn step(&mut self, byte: u8) {
        self.begun = true;
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = self.in_string,
            b'"' => self.in_string = !self.in_string,
            b'{' | b'[' if !self.in_string => self.depth += 1,
            b'}' | b']' if !self.in_string => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

fn is_boundary(byte: u8) -> bool {
    matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace()
}

/// How many bytes from here are nothing but the inside of a string.
fn plain_length(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|b| matches!(b, b'"' | b'\\'))
        .unwrap_or(bytes.len())
}

/// The stream, decompressed if it is gzip.
fn decoded<'a>(input: Box<dyn BufRead + 'a>) -> io::Result<Box<dyn BufRead + 'a>> {
    let (first, input) = with_first::<2>(input)?;
    Ok(if first == [0x1f, 0x8b] {
        Box::new(BufReader::with_capacity(
            1 << 16,
            MultiGzDecoder::new(input),
        ))
    } else {
        input
    })
}

/// The stream without a byte order mark, and how many bytes that was.
fn without_mark<'a>(input: Box<dyn BufRead + 'a>) -> io::Result<(Box<dyn BufRead + 'a>, u64)> {
    const MARK: [u8; 3] = [0xef, 0xbb, 0xbf];
    let (first, mut input) = with_first::<3>(input)?;
    if first != MARK {
        return Ok((input, 0));
    }
    input.read_exact(&mut [0; 3])?;
    Ok((input, 3))
}

/// The first N bytes (fewer if there are no more), and the whole stream.
pub(super) fn with_first<'a, const N: usize>(
    mut input: Box<dyn BufRead + 'a>,
) -> io::Result<(Vec<u8>, Box<dyn BufRead + 'a>)> {
    let mut first = Vec::new();
    (&mut *input).take(N as u64).read_to_end(&mut first)?;
    Ok((first.clone(), Box::new(io::Cursor::new(first).chain(input))))
}
