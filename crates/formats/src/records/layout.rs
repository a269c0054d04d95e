//! How a file's records lie in it.

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
    /// Returns the sentence of a JSON error that says how the file should be.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Layout::Lines => "each line must be one whole JSON object",
            Layout::Array => "the file must be one JSON array of objects",
            Layout::Csv => "each row must be one record",
        }
    }

    /// Returns what follows the last character of a record.
    pub(super) fn end(self) -> &'static str {
        if self == Layout::Array {
            "the end of the file"
        } else {
            "the end of the line"
        }
    }
}
