//! Points of a stream of text.

use super::error::Place;
use std::sync::Arc;

/// A point of the stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) offset: u64,
}

impl Point {
    /// Returns the first point of a text behind these bytes.
    pub(super) fn first(offset: u64) -> Point {
        Point {
            line: 1,
            column: 1,
            offset,
        }
    }
    /// Returns the point after these bytes.
    pub(super) fn after(mut self, bytes: &[u8]) -> Point {
        let newline = bytes.iter().rposition(|&b| b == b'\n');
        self.offset += bytes.len() as u64;
        match newline {
            Some(newline) => {
                self.line += count_bytes(bytes, |b| b == b'\n');
                self.column = 1 + count_characters(bytes.get(newline + 1..).unwrap_or_default());
            }
            None => self.column += count_characters(bytes),
        }
        self
    }

    /// Returns this point as a place of the file.
    pub(super) fn place(self, source: &Arc<str>) -> Place {
        Place {
            source: source.clone(),
            line: self.line,
            column: self.column,
        }
    }
}

/// Counts all but the continuation bytes of UTF-8: each of the others begins a character.
fn count_characters(bytes: &[u8]) -> u64 {
    count_bytes(bytes, |b| b & 0xc0 != 0x80)
}

pub(super) fn count_bytes(bytes: &[u8], is_counted: impl Fn(u8) -> bool) -> u64 {
    bytes.iter().filter(|&&b| is_counted(b)).count() as u64
}
