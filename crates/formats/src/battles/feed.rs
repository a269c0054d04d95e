//! The text of a file in pieces of about the same size, each of whole rows.

use super::error::Problem;
use super::{csv, jsonl};
use crate::records;
use std::io::{ErrorKind, Read};

/// The most bytes that one row may have.
const ROW_LIMIT: usize = 64 << 20;

/// How the rows of a text are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Csv { separator: u8 },
    Jsonl,
}

impl Format {
    /// The byte after the last row that ends within the text; 0 if none does.
    fn last_end(self, text: &[u8]) -> usize {
        match self {
            Format::Csv { separator } => csv::last_end(text, separator),
            Format::Jsonl => memchr::memrchr(b'\n', text).map_or(0, |at| at + 1),
        }
    }

    /// The byte after the first row that is not blank.
    fn first_end(self, text: &[u8]) -> Option<usize> {
        match self {
            Format::Csv { separator } => csv::first_end(text, separator),
            Format::Jsonl => {
                let blank = text.len() - text.trim_ascii_start().len();
                memchr::memchr(b'\n', text.get(blank..).unwrap_or_default())
                    .map(|end| blank + end + 1)
            }
        }
    }

    fn check_end(self, text: &[u8]) -> Result<(), Problem> {
        let Format::Csv { separator } = self else {
            return Ok(());
        };
        let open = memchr::memchr(b'"', text).is_some() && csv::ends_open(text, separator);
        if open {
            Err(Problem::OpenQuote)
        } else {
            Ok(())
        }
    }
}

/// Cuts a text into pieces. Where it cuts depends on the text and the size alone.
pub(super) struct Feed {
    input: Box<dyn Read + Send>,
    gzip: bool,
    size: usize,
    /// What was read and not yet given out.
    rest: Vec<u8>,
    ended: bool,
    /// Why it ended too early. The whole rows before that are given out first.
    failed: Option<Problem>,
    pub(super) format: Format,
    /// The names of the columns.
    pub(super) header: Vec<String>,
    /// How many lines come before the first piece.
    pub(super) lines: u64,
}

impl Feed {
    /// Reads the beginning of a text: what it is and what its columns are.
    pub(super) fn open(
        input: Box<dyn Read + Send>,
        gzip: bool,
        separator: u8,
        size: usize,
    ) -> Result<Self, Problem> {
        let format = Format::Csv { separator };
        let (rest, header) = (Vec::new(), Vec::new());
        let mut feed = Feed {
            input,
            gzip,
            size,
            rest,
            ended: false,
            failed: None,
            format,
            header,
            lines: 0,
        };
        let first = feed.first_byte()?;
        feed.format = match first {
            b'[' => return Err(Problem::Array),
            b'{' => Format::Jsonl,
            _ => format,
        };
        let end = feed.first_row()?;
        feed.read_header(end)?;
        Ok(feed)
    }

    /// The first byte that is not white space, behind a byte order mark. Each byte is looked at
    /// once.
    fn first_byte(&mut self) -> Result<u8, Problem> {
        let (mut text, mut blank) = (Vec::new(), 0);
        loop {
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
                return Err(self.failed.take().unwrap_or(Problem::Empty));
            }
            if blank >= ROW_LIMIT {
                return Err(Problem::TooLong { limit: ROW_LIMIT });
            }
        }
    }

    /// Where the first row ends.
    fn first_row(&mut self) -> Result<usize, Problem> {
        let mut text = std::mem::take(&mut self.rest);
        let mut end = self.format.first_end(&text);
        while end.is_none() && !self.ended {
            self.more(&mut text)?;
            end = self.format.first_end(&text);
        }
        if end.is_none() {
            self.check_end(&text)?;
        }
        let end = end.unwrap_or(text.len());
        self.rest = text;
        Ok(end)
    }

    /// Keeps the columns of the first row, and takes a header away.
    fn read_header(&mut self, end: usize) -> Result<(), Problem> {
        let row = self.rest.get(..end).unwrap_or(&self.rest);
        match self.format {
            Format::Jsonl => self.header = jsonl::header(row.trim_ascii())?,
            Format::Csv { separator } => {
                // Tabs may be known by the file's name; else the header tells.
                let separator = if separator == b',' {
                    records::separator(row, "")
                } else {
                    separator
                };
                self.format = Format::Csv { separator };
                self.header = csv::header(row, separator)?;
                self.lines = memchr::memchr_iter(b'\n', row).count() as u64;
                self.rest.drain(..end);
            }
        }
        Ok(())
    }

    /// Puts the next piece into the text; false at the end.
    pub(super) fn next(&mut self, text: &mut Vec<u8>) -> Result<bool, Problem> {
        text.clear();
        text.append(&mut self.rest);
        self.read_to(text, self.size);
        loop {
            let ended = if self.ended {
                Some(self.check_end(text))
            } else {
                None
            };
            if let Some(Ok(())) = ended {
                return Ok(!text.is_empty());
            }
            let end = self.format.last_end(text);
            if end > 0 {
                self.rest
                    .extend_from_slice(text.get(end..).unwrap_or_default());
                text.truncate(end);
                return Ok(true);
            }
            ended.unwrap_or(Ok(()))?;
            self.more(text)?;
        }
    }

    /// Whether the text may end here.
    fn check_end(&self, text: &[u8]) -> Result<(), Problem> {
        self.failed
            .clone()
            .map_or_else(|| self.format.check_end(text), Err)
    }

    /// Doubles a text that holds no whole row.
    fn more(&mut self, text: &mut Vec<u8>) -> Result<(), Problem> {
        if text.len() >= ROW_LIMIT {
            return Err(Problem::TooLong { limit: ROW_LIMIT });
        }
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
                Err(error) => (self.ended, self.failed) = (true, Some(self.unreadable(&error))),
            }
        }
        text.truncate(filled);
    }

    fn unreadable(&self, error: &std::io::Error) -> Problem {
        let damaged = matches!(
            error.kind(),
            ErrorKind::UnexpectedEof | ErrorKind::InvalidData | ErrorKind::InvalidInput
        );
        if self.gzip && damaged {
            Problem::Gzip(error.to_string())
        } else {
            Problem::Io(error.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::repeat;

    #[test]
    fn blanks_without_end_are_refused() {
        for blank in [b'\n', b' '] {
            let opened = Feed::open(Box::new(repeat(blank)), false, b',', 1 << 20);
            assert!(matches!(
                opened.err(),
                Some(Problem::TooLong { limit: ROW_LIMIT })
            ));
        }
    }

    #[test]
    fn blank_lines_before_the_header_are_passed_in_pieces() {
        let text = repeat(b'\n').take(1000).chain(&b"a,b\n1,2\n"[..]);
        let feed = Feed::open(Box::new(text), false, b',', 16).unwrap();
        assert_eq!(
            (feed.header, feed.lines),
            (vec!["a".to_owned(), "b".to_owned()], 1001)
        );
    }
}
