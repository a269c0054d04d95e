//! How the records of a text lie in it.

/// How the records of a text lie in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One JSON value a line.
    Lines,
    /// JSON values one behind the other, each over many lines.
    Stream,
    /// One JSON array of values.
    Array,
    /// CSV with a header.
    Csv,
}

impl Layout {
    /// Returns the layout of a text whose first byte that is not white space is this one. Whether
    /// objects are a stream, the end of the first line tells.
    pub(crate) fn by_first_byte(first: u8) -> Layout {
        match first {
            b'[' => Layout::Array,
            b'{' => Layout::Lines,
            _ => Layout::Csv,
        }
    }

    /// Returns the sentence of a JSON error that says how the file should be.
    pub(crate) fn rule(self) -> &'static str {
        match self {
            Layout::Lines => "each line must be one whole JSON object",
            Layout::Stream => "each record must be one whole JSON object",
            Layout::Array => "the file must be one JSON array of objects",
            Layout::Csv => "each row must be one record",
        }
    }

    /// Returns what follows the last character of a record.
    pub(crate) fn end(self) -> &'static str {
        match self {
            Layout::Array | Layout::Stream => "the end of the file",
            Layout::Lines | Layout::Csv => "the end of the line",
        }
    }
}
