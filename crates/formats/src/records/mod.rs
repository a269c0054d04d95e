//! Readers of the ecosystem's file formats, and writers of our own.
//!
//! A file is a stream of records: JSON lines, one JSON array, CSV with a header, plain or gzip, or
//! Parquet. [`read`] recognises the format by the first record and hands the records over one by
//! one, so that a file of any size is read in bounded memory. A format is a [`Mapping`] from its
//! fields to our terms, and users can give one of their own.
//!
//! ```
//! use evenhand_formats::records::{Input, Record, read};
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
//! # Ok::<(), evenhand_formats::records::DataError>(())
//! ```

mod error;
mod extract;
mod filter;
mod json;
mod known;
mod map;
mod nearest;
mod objects;
#[cfg_attr(not(feature = "parquet"), path = "no_parquet.rs")]
mod parquet;
mod raw;
mod record;
mod table;
mod write;
mod zeros;

#[cfg(test)]
mod tests;

pub use error::{DataError, Missing, Place, Problem};
pub use extract::Kind;
pub use filter::{Condition, FieldsFound, Filter};
pub use known::{Format, recognise};
pub use map::{Mapped, Mapping, Target};
pub use objects::records;
pub use record::{Answer, ItemRef, Preference, Rating, Record, Vote};
pub use write::{item_line, label_line, response_line};

use crate::battles::Spellings;
pub(crate) use extract::{Fields, described, field_names, is_whole, name_of_text};
pub(crate) use nearest::nearest;
use raw::{Layout, Splitter, with_first};
use serde_json::Value;
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::Arc;
pub(crate) use table::separator;
use table::{Cutter, Row};
use zeros::Zeros;

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
    /// Which records are read; None: all.
    pub filter: Option<&'a Filter>,
    /// Spellings of labels beside those that are known.
    pub outcomes: Option<&'a Spellings>,
}

impl<'a> Input<'a> {
    /// 64 MiB.
    pub const RECORD_LIMIT: usize = 64 << 20;

    /// A file of this name, whose format is recognised by its content.
    pub fn new(name: &'a str) -> Self {
        let (shape, default_system, record_limit) = (Shape::Recognise, None, Input::RECORD_LIMIT);
        Input {
            name,
            shape,
            default_system,
            record_limit,
            filter: None,
            outcomes: None,
        }
    }

    /// Whether a file that is not JSON may be CSV.
    fn may_be_csv(&self) -> bool {
        matches!(
            self.shape,
            Shape::Recognise | Shape::Mapped(_) | Shape::Known(Format::Ratings)
        )
    }

    fn settle(
        &self,
        first: &Value,
        tabular: bool,
        place: &Place,
    ) -> Result<(Option<Format>, Mapping), DataError> {
        let (format, mapping) = self.format_of(first, tabular, place)?;
        Ok((
            format,
            mapping.with(self.outcomes.cloned().unwrap_or_default()),
        ))
    }

    fn format_of(
        &self,
        first: &Value,
        tabular: bool,
        place: &Place,
    ) -> Result<(Option<Format>, Mapping), DataError> {
        let format = match self.shape {
            Shape::Mapped(mapping) => match self.own(mapping, first, place)? {
                Some(own) => return Ok((Some(own), own.mapping()?)),
                None => return Ok((None, mapping.clone())),
            },
            Shape::Known(format) => Some(format),
            // The first answer of a table may be empty.
            Shape::Recognise => {
                recognise(first).or_else(|| recognise(&filled(first)).filter(|_| tabular))
            }
        };
        let unrecognised = || {
            Problem::Unrecognised {
                has: extract::field_names(first),
                formats: Format::names(),
            }
            .at(place)
        };
        let format = format.ok_or_else(unrecognised)?;
        Ok((Some(format), format.mapping()?))
    }

    /// The format of ours that a file is in beside those that a mapping is for: the mapping names
    /// none of its fields, or would make another sort of records of them.
    fn own(
        &self,
        mapping: &Mapping,
        first: &Value,
        place: &Place,
    ) -> Result<Option<Format>, DataError> {
        let Some(own) = recognise(first).filter(|format| format.is_own()) else {
            return Ok(None);
        };
        let of = |mapping: &Mapping| {
            Fields {
                record: first,
                position: 0,
                place,
                mapping,
                default_system: self.default_system,
                tabular: false,
            }
            .kind()
            .ok()
        };
        let named = mapping.mapped().any(|mapped| mapped.is_in(first, 0));
        Ok((!named || of(mapping) != of(&own.mapping()?)).then_some(own))
    }
}

/// A record with a text in every cell that is empty.
fn filled(record: &Value) -> Value {
    let Value::Object(fields) = record else {
        return record.clone();
    };
    let text = |value: &Value| {
        if value.is_null() {
            Value::String(String::new())
        } else {
            value.clone()
        }
    };
    Value::Object(
        fields
            .iter()
            .map(|(name, value)| (name.clone(), text(value)))
            .collect(),
    )
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
    /// How many of them are kept: those that the filter keeps, but for votes on second turns.
    pub kept: u64,
    /// How many are votes on second turns, which no two systems share.
    pub passed_over: u64,
}

/// Takes the records one by one, each with its place; an error ends the reading.
pub type Sink<'a> = dyn FnMut(Record, &Place) -> Result<(), DataError> + 'a;

/// Reads a file's records, plain or gzip, and hands them over one by one. One that the filter
/// leaves out, or a vote on a second turn, is handed over as [`Record::LeftOut`].
pub fn read(
    file: impl BufRead,
    input: &Input<'_>,
    sink: &mut Sink<'_>,
) -> Result<Found, DataError> {
    let mut values = Values::open(Box::new(file), input)?;
    let (mut record, mut place) = values.first()?;
    let (default_system, tabular) = (input.default_system, values.is_csv());
    let (format, mapping) = input.settle(&record, tabular, &place)?;
    let (mut found, mut zeros): (Option<Found>, Zeros) = (None, Zeros::default());
    for position in 0.. {
        let fields = Fields {
            record: &record,
            position,
            place: &place,
            mapping: &mapping,
            default_system,
            tabular,
        };
        let kind = found.map_or_else(|| fields.kind(), |found| Ok(found.kind))?;
        let found = found.get_or_insert(Found {
            format,
            kind,
            records: 0,
            kept: 0,
            passed_over: 0,
        });
        let read = fields.read(kind)?;
        fields.note_zeros(&mut zeros);
        let passed = format.is_some_and(|format| format.passes_over(&record));
        let kept = !passed
            && input
                .filter
                .is_none_or(|filter| filter.keeps(&record, position));
        found.records += 1;
        (found.kept, found.passed_over) = (
            found.kept + u64::from(kept),
            found.passed_over + u64::from(passed),
        );
        sink(
            if kept {
                read
            } else {
                Record::LeftOut(Box::new(read))
            },
            &place,
        )?;
        match values.next()? {
            Some(next) => (record, place) = next,
            None => break,
        }
    }
    zeros.check(mapping.field(Target::Label))?;
    found.ok_or_else(|| Problem::Empty.at(&place))
}

/// Looks at a file's first record only: what [`read`] will find.
pub fn inspect(file: impl BufRead, input: &Input<'_>) -> Result<Found, DataError> {
    let mut values = Values::open(Box::new(file), input)?;
    let (first, place) = values.first()?;
    let (default_system, tabular) = (input.default_system, values.is_csv());
    let (format, mapping) = input.settle(&first, tabular, &place)?;
    let kind = Fields {
        record: &first,
        position: 0,
        place: &place,
        mapping: &mapping,
        default_system,
        tabular,
    }
    .kind()?;
    Ok(Found {
        format,
        kind,
        records: 1,
        kept: 1,
        passed_over: 0,
    })
}

/// The first of a file's records, as it is, for which this is true of it and its position; None
/// where there is none.
///
/// # Errors
/// A file that cannot be read or is empty.
pub fn find(
    file: impl BufRead,
    input: &Input<'_>,
    mut wanted: impl FnMut(&Value, u64) -> bool,
) -> Result<Option<Value>, DataError> {
    let mut values = Values::open(Box::new(file), input)?;
    let (mut record, _) = values.first()?;
    for position in 0.. {
        if wanted(&record, position) {
            return Ok(Some(record));
        }
        match values.next()? {
            Some((next, _)) => record = next,
            None => break,
        }
    }
    Ok(None)
}

/// The records of a file as JSON objects, each with the line that it begins on, or its number in a
/// Parquet file.
pub(crate) struct Values<'a> {
    from: From<'a>,
    file: Place,
}

enum From<'a> {
    Text(Box<Texts<'a>>),
    Parquet(parquet::Rows),
}

/// The records of a text.
struct Texts<'a> {
    splitter: Splitter<'a>,
    /// CSV only, as are the rest.
    header: Option<Vec<String>>,
    cutter: Option<Cutter>,
    /// Rows that were read together.
    rows: VecDeque<Row>,
}

impl<'a> Values<'a> {
    pub(crate) fn open(file: Box<dyn BufRead + 'a>, input: &Input<'_>) -> Result<Self, DataError> {
        let source: Arc<str> = input.name.into();
        let place = Place::file(source.clone());
        let (magic, file) =
            with_first::<4>(file).map_err(|e| Problem::Io(e.to_string()).at(&place))?;
        if magic == b"PAR1" {
            return Ok(Values {
                from: From::Parquet(parquet::Rows::open(file, &place)?),
                file: place,
            });
        }
        let splitter = Splitter::open(file, source, input.record_limit, input.may_be_csv())?;
        let texts = Texts {
            splitter,
            header: None,
            cutter: None,
            rows: VecDeque::new(),
        };
        Ok(Values {
            from: From::Text(Box::new(texts)),
            file: place,
        })
    }

    /// Whether the file is CSV, whose cells are texts and whose empty ones stand as null.
    pub(crate) fn is_csv(&self) -> bool {
        matches!(&self.from, From::Text(texts) if texts.splitter.layout == Layout::Csv)
    }

    pub(crate) fn first(&mut self) -> Result<(Value, Place), DataError> {
        let first = self.next()?;
        let headed = matches!(&self.from, From::Text(texts) if texts.header.is_some());
        let nothing = if headed {
            Problem::NoRows
        } else {
            Problem::Empty
        };
        first.ok_or_else(|| nothing.at(&self.file))
    }

    pub(crate) fn next(&mut self) -> Result<Option<(Value, Place)>, DataError> {
        match &mut self.from {
            From::Parquet(rows) => rows.next(),
            From::Text(texts) if texts.splitter.layout == Layout::Csv => texts.next_row(&self.file),
            From::Text(texts) => texts.next_json(&self.file),
        }
    }
}

impl Texts<'_> {
    fn next_json(&mut self, file: &Place) -> Result<Option<(Value, Place)>, DataError> {
        let layout = self.splitter.layout;
        let Some((text, start)) = self.splitter.next()? else {
            return Ok(None);
        };
        let place = if layout == Layout::Array {
            start.place(&file.source)
        } else {
            file.at_line(start.line)
        };
        match json::parse(text, start, &file.source, layout)? {
            value @ Value::Object(_) => Ok(Some((value, place))),
            other => Err(Problem::NotAnObject {
                found: extract::type_of(&other),
            }
            .at(&place)),
        }
    }

    fn next_row(&mut self, file: &Place) -> Result<Option<(Value, Place)>, DataError> {
        loop {
            if self.rows.is_empty() && !self.read_rows()? {
                return Ok(None);
            }
            let Some((cells, line)) = self.rows.pop_front() else {
                continue;
            };
            let place = file.at_line(line);
            match &self.header {
                None => self.header = Some(table::header(cells, &place)?),
                Some(header) => return Ok(Some((table::object(header, cells, &place)?, place))),
            }
        }
    }

    /// Cuts the next piece of text into rows; false at the end.
    fn read_rows(&mut self) -> Result<bool, DataError> {
        let source = self.splitter.source.clone();
        let Some((text, start)) = self.splitter.next()? else {
            return Ok(false);
        };
        let cutter = self
            .cutter
            .get_or_insert_with(|| Cutter::new(separator(text.as_bytes(), &source)));
        self.rows.extend(cutter.rows(text, start));
        Ok(true)
    }
}
