//! Splits a stream into the text of its records, in bounded memory: plain or gzip; lines, one JSON
//! array, or CSV rows.

use super::error::{DataError, DataProblem, Place, Result};
use super::json_scan::JsonScan;
use super::layout::Layout;
use super::point::{Point, count_bytes};
use super::stream::{open_text, peek_first};
use super::table;
use crate::battles::last_open;
use std::io::{self, BufRead, Read};
use std::sync::Arc;

/// The stream, and where in it we are. It holds one record at a time.
pub(super) struct Splitter<'a> {
    input: Box<dyn BufRead + 'a>,
    pub(super) source: Arc<str>,
    pub(super) layout: Layout,
    /// The byte that separates the cells of CSV, once it was told or the header was read.
    pub(super) separator: Option<u8>,
    limit: usize,
    at: Point,
    chunk: Vec<u8>,
    /// Whether a record of JSON has been read; for an array, whether the closing bracket has.
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
    ) -> Result<Self> {
        let (input, skipped) = open_text(input, &source)?;
        let mut splitter = Splitter {
            input,
            source,
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
        match self.peek_byte()? {
            Some(b'[') => {
                self.layout = Layout::Array;
                self.pass_bytes(1);
            }
            Some(byte) if byte != b'{' && tabular => {
                self.layout = Layout::Csv;
                self.put_tabs_back(tabs);
                self.take_told_separator()?;
            }
            _ => self.layout = Layout::Lines,
        }
        Ok(())
    }

    /// Takes the line away in which a spreadsheet tells the separator before the header.
    fn take_told_separator(&mut self) -> Result {
        let rest = std::mem::replace(&mut self.input, Box::new(io::empty()));
        let peeked = peek_first::<{ table::TOLD_SEPARATOR }>(rest);
        let (first, mut rest) = peeked.map_err(|e| self.read_error(&e))?;
        if let Some((separator, length)) = table::told_separator(&first) {
            let read = io::copy(&mut (&mut rest).take(length as u64), &mut io::sink());
            read.map_err(|e| self.read_error(&e))?;
            self.separator = Some(separator);
            self.at = self.at.after(first.get(..length).unwrap_or_default());
        }
        self.input = rest;
        Ok(())
    }

    /// Puts tabs back that were passed: a header may begin with columns that have no name.
    fn put_tabs_back(&mut self, tabs: usize) {
        let rest = std::mem::replace(&mut self.input, Box::new(io::empty()));
        self.input = Box::new(io::Cursor::new(vec![b'\t'; tabs]).chain(rest));
        self.at.column -= tabs as u64;
        self.at.offset -= tabs as u64;
    }

    /// Returns the text of the next record (for CSV, of one or more whole rows), and where it
    /// begins.
    pub(super) fn next_record(&mut self) -> Result<Option<(&str, Point)>> {
        self.chunk.clear();
        self.skip_between_records()?;
        let start = match self.layout {
            Layout::Lines => self.read_json_line()?,
            Layout::Csv => self.read_rows()?,
            Layout::Stream => self.read_value()?,
            Layout::Array => self.read_element()?,
        };
        let Some(start) = start else {
            return Ok(None);
        };
        Ok(Some((self.check_utf8(start)?, start)))
    }

    fn skip_between_records(&mut self) -> Result {
        if self.may_have_tabs() {
            self.skip_while(|b| matches!(b, b'\n' | b'\r'))?;
        } else {
            self.skip_blank()?;
        }
        Ok(())
    }

    /// Whether a tab is not white space here: a row of tabs is one of empty cells.
    fn may_have_tabs(&self) -> bool {
        match self.separator {
            Some(separator) => separator == b'\t',
            None => self.layout == Layout::Csv,
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
            .get_or_insert_with(|| table::find_separator(chunk, source));
        match (start, last_open(&self.chunk, separator)) {
            (Some(start), Some(row)) => {
                let row = start.after(self.chunk.get(..row).unwrap_or_default());
                Err(DataProblem::OpenQuote.at(&self.line_place(row.line)))
            }
            (start, _) => Ok(start),
        }
    }

    /// Reads lines until all quotes are closed or the stream ends.
    fn read_lines(&mut self, quotes: impl Fn(&[u8]) -> u64) -> Result<Option<Point>> {
        let (start, mut is_open) = (self.at, false);
        loop {
            let new = self.read_line()?;
            if self.chunk.len() > self.limit {
                return Err(self.too_long(start));
            }
            let new = self.chunk.get(new..).unwrap_or_default();
            is_open ^= quotes(new) % 2 == 1;
            if new.is_empty() || !is_open {
                return Ok((!self.chunk.is_empty()).then_some(start));
            }
        }
    }

    /// Adds the next line to the chunk, or as much of it as there is room for, and returns where it
    /// begins there.
    fn read_line(&mut self) -> Result<usize> {
        let before = self.chunk.len();
        // One byte more than is allowed tells that the record is too long.
        let room = (self.limit + 1).saturating_sub(before) as u64;
        let mut input = (&mut *self.input).take(room);
        let read = input.read_until(b'\n', &mut self.chunk);
        read.map_err(|e| self.read_error(&e))?;
        let new = self.chunk.get(before..).unwrap_or_default();
        self.at = self.at.after(new);
        Ok(before)
    }

    fn read_element(&mut self) -> Result<Option<Point>> {
        if self.ended || self.array_ends()? {
            self.check_end()?;
            return Ok(None);
        }
        let start = self.at;
        self.finish_value(start, JsonScan::default())?;
        Ok(Some(start))
    }

    /// Reads the rest of a value that begins at this point.
    fn finish_value(&mut self, start: Point, mut scan: JsonScan) -> Result {
        while !scan.done
            && let Some(length) = self.scan_buffer(&mut scan)?
        {
            self.take_bytes(length);
            if self.chunk.len() > self.limit {
                return Err(self.too_long(start));
            }
        }
        Ok(())
    }

    /// Returns how many of the bytes at hand belong to the element; `None` at the end of the
    /// stream.
    fn scan_buffer(&mut self, scan: &mut JsonScan) -> Result<Option<usize>> {
        let buffer = self.fill_buffer()?;
        Ok((!buffer.is_empty()).then(|| scan.scan(buffer)))
    }

    /// Moves bytes that have been looked at to the chunk.
    fn take_bytes(&mut self, length: usize) {
        let buffer = self.input.fill_buf().unwrap_or_default();
        let part = buffer.get(..length).unwrap_or(buffer);
        self.chunk.extend_from_slice(part);
        self.at = self.at.after(part);
        self.input.consume(length);
    }

    /// Passes the comma or bracket before the next element; true if it was the closing bracket.
    fn array_ends(&mut self) -> Result<bool> {
        self.ended = self.pass_mark()?;
        if !self.ended {
            self.begun = true;
            self.skip_blank()?;
            self.check_value_begins()?;
        }
        Ok(self.ended)
    }

    /// Passes the mark before an element, the first of which has none; true if it ends the array.
    fn pass_mark(&mut self) -> Result<bool> {
        match (self.peek_byte()?, self.begun) {
            (Some(b']'), _) => {
                self.pass_bytes(1);
                return Ok(true);
            }
            (Some(b','), true) => self.pass_bytes(1),
            (Some(_), false) => {}
            (found, true) => return Err(self.unexpected_byte("`,` or `]`", found)),
            (None, false) => return Err(self.unexpected_byte("a value or `]`", None)),
        }
        Ok(false)
    }

    fn check_value_begins(&mut self) -> Result {
        match self.peek_byte()? {
            found @ (None | Some(b']' | b',')) => Err(self.unexpected_byte("a value", found)),
            Some(_) => Ok(()),
        }
    }

    /// Checks that nothing follows the array.
    fn check_end(&mut self) -> Result {
        self.skip_blank()?;
        match self.peek_byte()? {
            None => Ok(()),
            found => Err(self.unexpected_byte("the end of the file", found)),
        }
    }

    fn unexpected_byte(&self, expected: &str, found: Option<u8>) -> DataError {
        let found = self.show_byte(found);
        DataProblem::Json {
            expected: format!("expected {expected}, found {found}"),
            layout: self.layout.rule(),
        }
        .at(&self.at.place(&self.source))
    }

    fn show_byte(&self, byte: Option<u8>) -> String {
        match byte {
            Some(byte) => format!("`{}`", byte.escape_ascii()),
            None => self.layout.end().to_owned(),
        }
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

    /// Returns the chunk, which begins at this point, as text.
    fn check_utf8(&self, start: Point) -> Result<&str> {
        let text = std::str::from_utf8(&self.chunk);
        text.map_err(|error| self.utf8_error(start, error.valid_up_to()))
    }

    /// Returns the error for a chunk of which so many bytes are valid.
    fn utf8_error(&self, start: Point, valid: usize) -> DataError {
        let (good, bad) = self.chunk.split_at_checked(valid).unwrap_or_default();
        let at = start.after(good);
        DataProblem::Utf8 {
            byte: bad.first().copied().unwrap_or_default(),
            offset: at.offset,
        }
        .at(&self.line_place(at.line))
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
