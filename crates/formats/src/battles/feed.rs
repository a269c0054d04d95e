//! The text of a file in pieces of about the same size, each of whole rows.

use super::fault::Result;
use super::{csv, jsonl};
use crate::error::DataProblem;
use crate::source::container::Text;
use crate::source::csv::{
    count_lines, find_separator, first_end, first_line_end, last_end, last_line_end, last_open,
    told_separator,
};
use crate::source::json_lines::ValueLines;
use crate::source::json_scan::goes_on;
use crate::source::layout::Layout;
use std::io::{Cursor, ErrorKind, Read};

/// The most bytes that one row may have.
const ROW_LIMIT: usize = 64 << 20;

/// How the rows of a text are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextFormat {
    Csv { separator: u8 },
    Jsonl,
}

/// Cuts a text into pieces. Where it cuts depends on the text and the size alone.
pub(super) struct Feed {
    input: Box<dyn Read + Send>,
    gzip: bool,
    size: usize,
    /// Text that was read and not yet given out.
    rest: Vec<u8>,
    ended: bool,
    /// Why it ended too early. The whole rows before that are given out first.
    failed: Option<DataProblem>,
    pub(super) format: TextFormat,
    /// The names of the columns.
    pub(super) header: Vec<String>,
    /// How many lines come before the first piece.
    pub(super) lines: u64,
    /// Whether its records stand in one JSON array, or each over many lines.
    pub(super) by_row: bool,
}

impl Feed {
    /// Reads the beginning of a text: its format and its columns. Its pieces have about this size.
    pub(super) fn open(
        text: Box<Text<impl Read + Send + 'static>>,
        is_tsv: bool,
        size: usize,
    ) -> Result<Self> {
        let separator = if is_tsv { b'\t' } else { b',' };
        let mut feed = Feed {
            gzip: text.is_gzip(),
            input: text,
            size,
            rest: Vec::new(),
            ended: false,
            failed: None,
            format: TextFormat::Csv { separator },
            header: Vec::new(),
            lines: 0,
            by_row: false,
        };
        let layout = Layout::by_first_byte(feed.first_byte()?);
        if layout == Layout::Csv {
            feed.read_csv_header(separator)?;
            return Ok(feed);
        }
        feed.format = TextFormat::Jsonl;
        if layout == Layout::Array {
            feed.put_values_on_lines(true);
        } else if feed.first_goes_on()? {
            feed.put_values_on_lines(false);
        }
        let end = feed.read_first_row(first_line_end)?;
        let row = feed.rest.get(..end).unwrap_or(&feed.rest);
        feed.header = jsonl::read_header(row.trim_ascii())?;
        Ok(feed)
    }

    /// Keeps the names of the first row, and takes it away, with the line before it in which a
    /// spreadsheet tells the separator.
    fn read_csv_header(&mut self, separator: u8) -> Result {
        let blank = self.rest.len() - self.rest.trim_ascii_start().len();
        let told = told_separator(self.rest.get(blank..).unwrap_or_default());
        if let Some((_, length)) = told {
            let before = self.rest.drain(..blank + length);
            self.lines = count_lines(before.as_slice());
        }
        let end = self.read_first_row(|text| first_end(text, separator))?;
        let row = self.rest.get(..end).unwrap_or(&self.rest);
        // Tabs may be known by the file's name; else the header tells.
        let separator = match told {
            Some((told, _)) => told,
            None if separator == b',' => find_separator(row, ""),
            None => separator,
        };
        self.format = TextFormat::Csv { separator };
        self.header = csv::read_header(row, separator)?;
        self.lines += count_lines(row);
        self.rest.drain(..end);
        Ok(())
    }

    /// Returns the first byte that is not white space, behind a byte order mark. Each byte is
    /// looked at once.
    fn first_byte(&mut self) -> Result<u8> {
        let (mut text, mut blank) = (Vec::new(), 0);
        loop {
            // Three bytes tell whether there is a byte order mark.
            let size = text.len() + self.size.max(3);
            self.read_to(&mut text, size);
            if blank == 0 && text.starts_with(b"\xef\xbb\xbf") {
                text.drain(..3);
            }
            let new = text.get(blank..).unwrap_or_default();
            if let Some(&first) = new.trim_ascii_start().first() {
                self.rest = text;
                return Ok(first);
            }
            blank = text.len();
            if self.ended {
                return Err(self.failed.take().unwrap_or(DataProblem::EmptyTable));
            }
            check_length(blank)?;
        }
    }

    /// Whether the first object goes on over many lines. A line that is cut short is followed by
    /// the next object.
    fn first_goes_on(&mut self) -> Result<bool> {
        self.read_until(|text| first_line_end(text).is_some_and(|end| end < text.len()))?;
        let Some(end) = first_line_end(&self.rest) else {
            return Ok(false);
        };
        let (line, next) = self.rest.split_at_checked(end).unwrap_or_default();
        Ok(goes_on(line.trim_ascii_start()) && !matches!(next.first(), None | Some(b'{')))
    }

    /// Reads on with each value on a line of its own.
    fn put_values_on_lines(&mut self, is_list: bool) {
        let begun = Cursor::new(std::mem::take(&mut self.rest));
        let input = std::mem::replace(&mut self.input, Box::new(std::io::empty()));
        // What was read of the file may end in an error, which comes again where it stands.
        let failed = Failed(self.failed.take());
        self.input = Box::new(ValueLines::new(begun.chain(failed).chain(input), is_list));
        self.by_row = true;
        self.ended = false;
    }

    /// Reads the first row, and returns where it ends; `first_end` finds the byte after it.
    fn read_first_row(&mut self, first_end: impl Fn(&[u8]) -> Option<usize>) -> Result<usize> {
        self.read_until(|text| first_end(text).is_some())?;
        match first_end(&self.rest) {
            Some(end) => Ok(end),
            None => self.check_end(&self.rest).map(|()| self.rest.len()),
        }
    }

    /// Reads on until this is enough, or the text ends.
    fn read_until(&mut self, is_enough: impl Fn(&[u8]) -> bool) -> Result {
        let mut text = std::mem::take(&mut self.rest);
        while !is_enough(&text) && !self.ended {
            self.read_more(&mut text)?;
        }
        self.rest = text;
        Ok(())
    }

    /// Puts the next piece into the text; returns false at the end.
    pub(super) fn next_piece(&mut self, text: &mut Vec<u8>) -> Result<bool> {
        text.clear();
        text.append(&mut self.rest);
        self.read_to(text, self.size);
        loop {
            let end_check = self.ended.then(|| self.check_end(text));
            if let Some(Ok(())) = end_check {
                return Ok(!text.is_empty());
            }
            // Rows that are whole come before the problem of what follows them.
            let end = match self.format {
                TextFormat::Csv { separator } => last_end(text, separator),
                TextFormat::Jsonl => last_line_end(text),
            };
            if end > 0 {
                let rest = text.get(end..).unwrap_or_default();
                self.rest.extend_from_slice(rest);
                text.truncate(end);
                return Ok(true);
            }
            end_check.unwrap_or(Ok(()))?;
            self.read_more(text)?;
        }
    }

    /// Checks that the text may end here: nothing failed, and no quotation mark is open.
    fn check_end(&self, text: &[u8]) -> Result {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        match self.format {
            TextFormat::Csv { separator }
                if memchr::memchr(b'"', text).is_some() && last_open(text, separator).is_some() =>
            {
                Err(DataProblem::OpenQuoteLater)
            }
            _ => Ok(()),
        }
    }

    /// Doubles a text that holds no whole row.
    fn read_more(&mut self, text: &mut Vec<u8>) -> Result {
        check_length(text.len())?;
        self.read_to(text, (text.len() * 2).max(self.size));
        Ok(())
    }

    /// Reads until the text has this many bytes, or the input ends.
    fn read_to(&mut self, text: &mut Vec<u8>, size: usize) {
        let mut filled = text.len();
        text.resize(size.max(filled), 0);
        while filled < text.len() && !self.ended {
            match self.input.read(text.get_mut(filled..).unwrap_or_default()) {
                Ok(0) => self.ended = true,
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ended = true;
                    self.failed = Some(self.read_problem(&error));
                }
            }
        }
        text.truncate(filled);
    }

    fn read_problem(&self, error: &std::io::Error) -> DataProblem {
        use ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
        match error.kind() {
            // These tell that a packed text is damaged, and not that it cannot be read.
            UnexpectedEof | InvalidData | InvalidInput if self.gzip => {
                DataProblem::Gzip(error.to_string())
            }
            // The reader of the values says what is wrong.
            Other if self.by_row => DataProblem::Values(error.to_string()),
            _ => DataProblem::Io(error.to_string()),
        }
    }
}

/// What could not be read, once.
struct Failed(Option<DataProblem>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        match self.0.take() {
            Some(problem) => Err(std::io::Error::new(
                ErrorKind::InvalidData,
                problem.to_string(),
            )),
            None => Ok(0),
        }
    }
}

fn check_length(length: usize) -> Result {
    if length >= ROW_LIMIT {
        Err(DataProblem::RowTooLong { limit: ROW_LIMIT })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::container::{Opened, open};
    use std::io::repeat;

    fn open_feed(input: impl Read + Send + 'static, size: usize) -> Result<Feed> {
        match open(input).unwrap() {
            Opened::Text(text) => Feed::open(text, false, size),
            _ => panic!("no text"),
        }
    }

    #[test]
    fn blanks_without_end_are_refused() {
        for blank in [b'\n', b' '] {
            let opened = open_feed(repeat(blank), 1 << 20);
            assert!(matches!(
                opened.err(),
                Some(DataProblem::RowTooLong { limit: ROW_LIMIT })
            ));
        }
    }

    #[test]
    fn blank_lines_before_the_header_are_passed_in_pieces() {
        let text = repeat(b'\n').take(1000).chain(&b"a,b\n1,2\n"[..]);
        let feed = open_feed(text, 16).unwrap();
        assert_eq!(feed.header, vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(feed.lines, 1001);
    }
}
