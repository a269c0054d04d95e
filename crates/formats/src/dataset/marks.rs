//! Places of records in few bytes.

use crate::error::{At, Place};
use std::sync::Arc;

/// A place in few bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    source: u32,
    line: u64,
}

/// Every file's name once, so that each record can remember its place in a few bytes.
#[derive(Debug, Default)]
pub(super) struct Marks {
    sources: Vec<Arc<str>>,
}

impl Marks {
    /// Returns the mark of a place.
    pub(super) fn mark(&mut self, place: &Place) -> Mark {
        let mut sources = self.sources.iter();
        // Most often it is the file that was named last.
        let known = sources.rposition(|source| *source == place.source);
        let source = known.unwrap_or_else(|| {
            self.sources.push(place.source.clone());
            self.sources.len() - 1
        });
        Mark {
            source: u32::try_from(source).unwrap_or(u32::MAX),
            line: match place.at {
                At::File => 0,
                At::Line(line) | At::Character { line, .. } | At::Row(line) => line,
            },
        }
    }

    /// Returns the place of a mark.
    pub(super) fn place(&self, mark: Mark) -> Place {
        let source = self.sources.get(mark.source as usize);
        let file = Place::file(source.cloned().unwrap_or_default());
        match mark.line {
            0 => file,
            line => file.at_line(line),
        }
    }
}
