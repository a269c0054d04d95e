//! Points of a stream of text.

use crate::error::{At, Place};
use std::sync::Arc;

/// A point of the stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) offset: u64,
}

impl Point {
    /// Returns the first point of a text behind this many bytes.
    pub(crate) fn first(offset: u64) -> Point {
        Point {
            line: 1,
            column: 1,
            offset,
        }
    }

    /// Returns the point after these bytes.
    pub(crate) fn after(mut self, bytes: &[u8]) -> Point {
        self.offset += bytes.len() as u64;
        let mut last_line = bytes;
        if let Some(newline) = bytes.iter().rposition(|&byte| byte == b'\n') {
            self.line += count_bytes(bytes, |byte| byte == b'\n');
            self.column = 1;
            last_line = bytes.get(newline + 1..).unwrap_or_default();
        }
        // All but the continuation bytes of UTF-8: each of the others begins a character.
        self.column += count_bytes(last_line, |byte| byte & 0xc0 != 0x80);
        self
    }

    /// Returns this point as a place of the file.
    pub(crate) fn place(self, source: &Arc<str>) -> Place {
        let Point { line, column, .. } = self;
        Place {
            source: source.clone(),
            at: At::Character { line, column },
        }
    }
}

pub(crate) fn count_bytes(bytes: &[u8], is_counted: impl Fn(u8) -> bool) -> u64 {
    bytes.iter().filter(|&&byte| is_counted(byte)).count() as u64
}
