//! Splits a stream into the text of its records, in bounded memory: plain or packed; lines, one
//! JSON array, or CSV rows.

use super::csv::{TOLD_SEPARATOR, find_separator, last_open, told_separator};
use super::json_scan::JsonScan;
use super::layout::Layout;
use super::point::{Point, count_bytes};
use crate::error::{DataError, DataProblem, Place, Result};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

type Stream<'a> = Box<dyn BufRead + 'a>;

/// Returns the first N bytes (fewer if there are no more), and the whole stream.
fn peek_first<'a, const N: usize>(mut input: Stream<'a>) -> io::Result<(Vec<u8>, Stream<'a>)> {
    let mut first = Vec::new();
    (&mut *input).take(N as u64).read_to_end(&mut first)?;
    Ok((first.clone(), Box::new(io::Cursor::new(first).chain(input))))
}

/// The stream, and where in it we are. It holds one record at a time.
pub(super) struct Splitter<'a> {
    input: Stream<'a>,
    source: Arc<str>,
    pub(super) layout: Layout,
    /// The byte that separates the cells of CSV, once it was told or the header was read.
    pub(super) separator: Option<u8>,
    limit: usize,
    at: Point,
    chunk: Vec<u8>,
    /// Whether a record of JSON has been read; for an array, whether the first mark has.
    begun: bool,
    ended: bool,
}

impl<'a> Splitter<'a> {
    /// Looks at the beginning of a file's text for its layout. `tabular` says that what is not JSON
    /// may be CSV.
    pub(super) fn open(
        text: impl Read + 'a,
        file: &Place,
        limit: usize,
        tabular: bool,
    ) -> Result<Self> {
        let failed = |error: io::Error| DataProblem::Io(error.to_string()).at(file);
        let text: Stream<'a> = Box::new(BufReader::with_capacity(1 << 16, text));
        let (first, mut input) = peek_first::<3>(text).map_err(failed)?;
        let mut skipped = 0;
        // The byte order mark in UTF-8.
        if first == [0xef, 0xbb, 0xbf] {
            input.read_exact(&mut [0; 3]).map_err(failed)?;
            skipped = 3;
        }
        let mut splitter = Splitter {
            input,
            source: file.source.clone(),
            layout: Layout::Lines,
            separator: None,
            limit,
            at: Point::first(skipped),
            chunk: Vec::new(),
            begun: false,
            ended: false,
        };
        splitter.find_layout(tabular)?;
        Ok(splitter)
    }

    fn find_layout(&mut self, tabular: bool) -> Result {
        let tabs = self.skip_blank()?;
        let layout = self.peek_byte()?.map(Layout::by_first_byte);
        if layout == Some(Layout::Array) {
            self.layout = Layout::Array;
            self.pass_bytes(1);
        }
        if layout != Some(Layout::Csv) || !tabular {
            return Ok(());
        }
        self.layout = Layout::Csv;
        // Tabs that were passed belong to the header, which may begin with columns without a name.
        let rest = std::mem::replace(&mut self.input, Box::new(io::empty()));
        let rest: Stream<'a> = Box::new(io::Cursor::new(vec![b'\t'; tabs]).chain(rest));
        self.at.column -= tabs as u64;
        self.at.offset -= tabs as u64;
        // A spreadsheet tells the separator in a line before the header.
        let peeked = peek_first::<TOLD_SEPARATOR>(rest);
        let (first, mut rest) = peeked.map_err(|e| self.read_error(&e))?;
        if let Some((separator, length)) = told_separator(&first) {
            let read = io::copy(&mut (&mut rest).take(length as u64), &mut io::sink());
            read.map_err(|e| self.read_error(&e))?;
            self.separator = Some(separator);
            self.at = self.at.after(first.get(..length).unwrap_or_default());
        }
        self.input = rest;
        Ok(())
    }

    /// Returns the text of the next record (for CSV, of one or more whole rows), and where it
    /// begins.
    pub(super) fn next_record(&mut self) -> Result<Option<(&str, Point)>> {
        self.chunk.clear();
        // A row of tabs is one of empty cells.
        let may_have_tabs = match self.separator {
            Some(separator) => separator == b'\t',
            None => self.layout == Layout::Csv,
        };
        if may_have_tabs {
            self.skip_while(|b| matches!(b, b'\n' | b'\r'))?;
        } else {
            self.skip_blank()?;
        }
        let start = match self.layout {
            Layout::Lines => self.read_json_line()?,
            Layout::Csv => self.read_rows()?,
            Layout::Stream => self.read_value()?,
            Layout::Array => self.read_element()?,
        };
        let Some(start) = start else {
            return Ok(None);
        };
        match std::str::from_utf8(&self.chunk) {
            Ok(text) => Ok(Some((text, start))),
            Err(error) => {
                let (good, bad) = self
                    .chunk
                    .split_at_checked(error.valid_up_to())
                    .unwrap_or_default();
                let at = start.after(good);
                let byte = bad.first().copied().unwrap_or_default();
                let offset = at.offset;
                Err(DataProblem::Utf8 { byte, offset }.at(&self.line_place(at.line)))
            }
        }
    }

    /// Reads a line, which is a record unless the first goes on over many.
    fn read_json_line(&mut self) -> Result<Option<Point>> {
        let Some(start) = self.read_lines(|_| 0)? else {
            return Ok(None);
        };
        if std::mem::replace(&mut self.begun, true) {
            return Ok(Some(start));
        }
        let mut scan = JsonScan::default();
        scan.scan(&self.chunk);
        // A line that is cut short is followed by the next object.
        if scan.goes_on() && !matches!(self.peek_byte()?, None | Some(b'{')) {
            self.layout = Layout::Stream;
            self.finish_value(start, scan)?;
        }
        Ok(Some(start))
    }

    /// Reads a value that may go over many lines.
    fn read_value(&mut self) -> Result<Option<Point>> {
        let start = self.at;
        if self.peek_byte()?.is_none() {
            return Ok(None);
        }
        self.finish_value(start, JsonScan::default())?;
        Ok(Some(start))
    }

    /// Reads rows of CSV, of which the last may not end within quotes.
    fn read_rows(&mut self) -> Result<Option<Point>> {
        let start = self.read_lines(|line| count_bytes(line, |b| b == b'"'))?;
        let (source, chunk) = (&self.source, &self.chunk);
        let separator = *self
            .separator
            .get_or_insert_with(|| find_separator(chunk, source));
        match (start, last_open(chunk, separator)) {
            (Some(start), Some(row)) => {
                let row = start.after(chunk.get(..row).unwrap_or_default());
                Err(DataProblem::OpenQuote.at(&self.line_place(row.line)))
            }
            (start, _) => Ok(start),
        }
    }

    /// Reads lines until all quotes are closed or the stream ends.
    fn read_lines(&mut self, quotes: impl Fn(&[u8]) -> u64) -> Result<Option<Point>> {
        let (start, mut is_open) = (self.at, false);
        loop {
            let before = self.chunk.len();
            // One byte more than is allowed tells that the record is too long.
            let room = (self.limit + 1).saturating_sub(before) as u64;
            let mut input = (&mut *self.input).take(room);
            let read = input.read_until(b'\n', &mut self.chunk);
            read.map_err(|e| self.read_error(&e))?;
            let new = self.chunk.get(before..).unwrap_or_default();
            self.at = self.at.after(new);
            if self.chunk.len() > self.limit {
                return Err(self.too_long(start));
            }
            is_open ^= quotes(new) % 2 == 1;
            if new.is_empty() || !is_open {
                return Ok((!self.chunk.is_empty()).then_some(start));
            }
        }
    }

    /// Reads the next element of an array, and the comma or the brackets around it; `None` at the
    /// end of the array, behind which nothing may follow.
    fn read_element(&mut self) -> Result<Option<Point>> {
        if !self.ended {
            match (self.peek_byte()?, self.begun) {
                (Some(b']'), _) => {
                    self.pass_bytes(1);
                    self.ended = true;
                }
                (Some(b','), true) => self.pass_bytes(1),
                // The first element has no mark before it.
                (Some(_), false) => {}
                (found, true) => return Err(self.unexpected_byte("`,` or `]`", found)),
                (None, false) => return Err(self.unexpected_byte("a value or `]`", None)),
            }
        }
        if self.ended {
            self.skip_blank()?;
            return match self.peek_byte()? {
                None => Ok(None),
                found => Err(self.unexpected_byte("the end of the file", found)),
            };
        }
        self.begun = true;
        self.skip_blank()?;
        if let found @ (None | Some(b']' | b',')) = self.peek_byte()? {
            return Err(self.unexpected_byte("a value", found));
        }
        let start = self.at;
        self.finish_value(start, JsonScan::default())?;
        Ok(Some(start))
    }

    /// Reads the rest of a value that begins at this point.
    fn finish_value(&mut self, start: Point, mut scan: JsonScan) -> Result {
        while !scan.done {
            let buffer = self.fill_buffer()?;
            if buffer.is_empty() {
                break;
            }
            let length = scan.scan(buffer);
            let buffer = self.input.fill_buf().unwrap_or_default();
            self.chunk
                .extend_from_slice(buffer.get(..length).unwrap_or(buffer));
            self.pass_bytes(length);
            if self.chunk.len() > self.limit {
                return Err(self.too_long(start));
            }
        }
        Ok(())
    }

    fn unexpected_byte(&self, expected: &str, found: Option<u8>) -> DataError {
        let found = match found {
            Some(byte) => format!("`{}`", byte.escape_ascii()),
            None => self.layout.end().to_owned(),
        };
        DataProblem::Json {
            expected: format!("expected {expected}, found {found}"),
            layout: self.layout.rule(),
        }
        .at(&self.at.place(&self.source))
    }

    fn too_long(&self, start: Point) -> DataError {
        DataProblem::TooLong { limit: self.limit }.at(&self.line_place(start.line))
    }

    fn read_error(&self, error: &io::Error) -> DataError {
        DataProblem::Io(error.to_string()).at(&self.line_place(self.at.line))
    }

    fn line_place(&self, line: u64) -> Place {
        Place::file(self.source.clone()).at_line(line)
    }

    /// Passes white space, and returns the number of tabs at its end.
    fn skip_blank(&mut self) -> Result<usize> {
        self.skip_while(|b| b.is_ascii_whitespace())
    }

    fn skip_while(&mut self, is_blank: impl Fn(u8) -> bool) -> Result<usize> {
        let mut tabs = 0;
        loop {
            let buffer = self.fill_buffer()?;
            let end = buffer.iter().position(|&b| !is_blank(b));
            let blank = buffer.get(..end.unwrap_or(buffer.len()));
            let blank = blank.unwrap_or_default();
            let trailing = blank.iter().rev().take_while(|b| **b == b'\t').count();
            let (length, is_last) = (blank.len(), end.is_some() || blank.is_empty());
            // White space may go on from the buffer before.
            tabs = if trailing == length {
                tabs + trailing
            } else {
                trailing
            };
            if length > 0 {
                self.pass_bytes(length);
            }
            if is_last {
                return Ok(tabs);
            }
        }
    }

    fn peek_byte(&mut self) -> Result<Option<u8>> {
        Ok(self.fill_buffer()?.first().copied())
    }

    /// Passes bytes that have been looked at.
    fn pass_bytes(&mut self, length: usize) {
        let buffer = self.input.fill_buf().unwrap_or_default();
        self.at = self.at.after(buffer.get(..length).unwrap_or(buffer));
        self.input.consume(length);
    }

    fn fill_buffer(&mut self) -> Result<&[u8]> {
        let filled = loop {
            match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
                Ok(_) => break Ok(()),
            }
        };
        filled.map_err(|e| self.read_error(&e))?;
        // What the loop filled, without reading again: a borrow cannot leave the loop.
        Ok(self.input.fill_buf().unwrap_or_default())
    }
}
