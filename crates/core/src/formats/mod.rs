//! Readers of the ecosystem's file formats, and writers of our own.
//!
//! A file is a stream of records: JSON lines, one JSON array, or CSV with a header; plain or gzip. [`read`] recognises
//! the format by the first record and hands the records over one by one, so that a file of any size is read in
//! bounded memory. A format is a [`Mapping`] from its fields to our terms, and users can give one of their own.
//!
//! ```
//! use evenhand_core::formats::{Input, Record, read};
//!
//! let file = r#"{"id": "1", "instruction": "Name a prime."}"#;
//! let mut items = Vec::new();
//! read(file.as_bytes(), &Input::new("items.jsonl"), &mut |record, _| {
//!     if let Record::Item(item) = record {
//!         items.push(item);
//!     }
//!     Ok(())
//! })?;
//! assert_eq!(items[0].instruction(), "Name a prime.");
//! # Ok::<(), evenhand_core::formats::DataError>(())
//! ```

mod error;
mod extract;
mod json;
mod known;
mod map;
mod raw;
mod record;
mod records;
mod table;
mod write;

#[cfg(test)]
mod tests;

pub use error::{DataError, Missing, Place, Problem};
pub use extract::Kind;
pub use known::{Format, recognise};
pub use map::{Mapping, Target};
pub use record::{Answer, ItemRef, Preference, Rating, Record, Vote};
pub use records::records;
pub use write::{item_line, label_line, response_line};

pub(crate) use extract::{Fields, described, field_names, is_whole, name_of_text};
use raw::{Layout, Splitter};
use serde_json::Value;
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::Arc;
use table::{Cutter, Row};

/// How a file's fields are understood.
#[derive(Clone, Copy, Debug, Default)]
pub enum Shape<'a> {
    /// By its first record.
    #[default]
    Recognise,
    /// As a format that is known by name.
    Known(Format),
    /// As the user's mapping says.
    Mapped(&'a Mapping),
}

/// A file that is to be read.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Its name, for errors.
    pub name: &'a str,
    /// How its fields are understood.
    pub shape: Shape<'a>,
    /// The system of responses that name none, for example the file's stem.
    pub default_system: Option<&'a str>,
    /// The most bytes that one record may have.
    pub record_limit: usize,
}

impl<'a> Input<'a> {
    /// 64 MiB.
    pub const RECORD_LIMIT: usize = 64 << 20;

    /// A file of this name, whose format is recognised by its content.
    pub fn new(name: &'a str) -> Self {
        Input { name, shape: Shape::Recognise, default_system: None, record_limit: Input::RECORD_LIMIT }
    }

    /// Whether a file that is not JSON may be CSV.
    fn may_be_csv(&self) -> bool {
        matches!(self.shape, Shape::Recognise | Shape::Mapped(_) | Shape::Known(Format::Ratings))
    }

    fn settle(&self, first: &Value, place: &Place) -> Result<(Option<Format>, Mapping), DataError> {
        let format = match self.shape {
            Shape::Mapped(mapping) => return Ok((None, mapping.clone())),
            Shape::Known(format) => Some(format),
            Shape::Recognise => recognise(first),
        };
        let unrecognised = || Problem::Unrecognised { has: extract::field_names(first), formats: Format::names() }.at(place);
        let format = format.ok_or_else(unrecognised)?;
        Ok((Some(format), format.mapping()?))
    }
}

/// What a file was found to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its format; None for a mapping of the user's.
    pub format: Option<Format>,
    /// What its records are.
    pub kind: Kind,
    /// How many records were read: all in [`read`], one in [`inspect`].
    pub records: u64,
}

/// Takes the records one by one, each with its place; an error ends the reading.
pub type Sink<'a> = dyn FnMut(Record, &Place) -> Result<(), DataError> + 'a;

/// Reads a file's records, plain or gzip, and hands them over one by one.
pub fn read(file: impl BufRead, input: &Input<'_>, sink: &mut Sink<'_>) -> Result<Found, DataError> {
    let mut values = Values::open(Box::new(file), input)?;
    let (first, place) = values.first()?;
    let (format, mapping) = input.settle(&first, &place)?;
    let default_system = input.default_system;
    let fields = Fields { record: &first, position: 0, place: &place, mapping: &mapping, default_system };
    let kind = fields.kind()?;
    sink(fields.read(kind)?, &place)?;
    let mut records = 1;
    while let Some((record, place)) = values.next()? {
        let fields = Fields { record: &record, position: records, place: &place, mapping: &mapping, default_system };
        sink(fields.read(kind)?, &place)?;
        records += 1;
    }
    Ok(Found { format, kind, records })
}

/// Looks at a file's first record only: what [`read`] will find.
pub fn inspect(file: impl BufRead, input: &Input<'_>) -> Result<Found, DataError> {
    let (first, place) = Values::open(Box::new(file), input)?.first()?;
    let (format, mapping) = input.settle(&first, &place)?;
    let default_system = input.default_system;
    let kind = Fields { record: &first, position: 0, place: &place, mapping: &mapping, default_system }.kind()?;
    Ok(Found { format, kind, records: 1 })
}

/// The records of a file as JSON objects, each with the line that it begins on.
pub(crate) struct Values<'a> {
    splitter: Splitter<'a>,
    /// CSV only, as are the rest.
    header: Option<Vec<String>>,
    cutter: Cutter,
    /// Rows that were read together.
    rows: VecDeque<Row>,
    file: Place,
}

impl<'a> Values<'a> {
    pub(crate) fn open(file: Box<dyn BufRead + 'a>, input: &Input<'_>) -> Result<Self, DataError> {
        let source: Arc<str> = input.name.into();
        let splitter = Splitter::open(file, source.clone(), input.record_limit, input.may_be_csv())?;
        Ok(Values { splitter, header: None, cutter: Cutter::new(), rows: VecDeque::new(), file: Place::file(source) })
    }

    pub(crate) fn first(&mut self) -> Result<(Value, Place), DataError> {
        let first = self.next()?;
        let nothing = if self.header.is_some() { Problem::NoRows } else { Problem::Empty };
        first.ok_or_else(|| nothing.at(&self.file))
    }

    pub(crate) fn next(&mut self) -> Result<Option<(Value, Place)>, DataError> {
        if self.splitter.layout == Layout::Csv { self.next_row() } else { self.next_json() }
    }

    fn next_json(&mut self) -> Result<Option<(Value, Place)>, DataError> {
        let layout = self.splitter.layout;
        let Some((text, start)) = self.splitter.next()? else { return Ok(None) };
        let place = if layout == Layout::Array { start.place(&self.file.source) } else { self.file.at_line(start.line) };
        match json::parse(text, start, &self.file.source, layout)? {
            value @ Value::Object(_) => Ok(Some((value, place))),
            other => Err(Problem::NotAnObject { found: extract::type_of(&other) }.at(&place)),
        }
    }

    fn next_row(&mut self) -> Result<Option<(Value, Place)>, DataError> {
        loop {
            if self.rows.is_empty() {
                let Some((text, start)) = self.splitter.next()? else { return Ok(None) };
                self.rows.extend(self.cutter.rows(text, start));
            }
            let Some((cells, line)) = self.rows.pop_front() else { continue };
            match &self.header {
                None => self.header = Some(table::header(cells, &self.file.at_line(line))?),
                Some(header) => {
                    let place = self.file.at_line(line);
                    return Ok(Some((table::object(header, cells, &place)?, place)));
                }
            }
        }
    }
}
