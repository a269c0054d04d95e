//! The records of a file as JSON objects, whatever the file looks like.

use super::error::{DataError, DataProblem, Place, Result};
use super::input::Input;
use super::json_words::type_name;
use super::layout::Layout;
use super::point::Point;
use super::splitter::Splitter;
use super::stream::peek_first;
use super::table::{self, CsvRow, RowCutter};
use super::{json, parquet};
use crate::container::{Container, recognise};
use serde_json::Value;
use std::collections::VecDeque;
use std::io::BufRead;

/// How many errors of a file are told at once.
pub(crate) const MOST_ERRORS: usize = 10;

/// An error that may be of one record of many.
pub(crate) trait RecordError: From<DataError> + ToString {
    /// Whether others of the file's records may be read.
    fn is_of_record(&self) -> bool;

    /// Returns several errors, at least one, as one.
    fn of_many(errors: Vec<Self>) -> Self;
}

impl RecordError for DataError {
    fn is_of_record(&self) -> bool {
        self.place.is_some() && self.problem.is_of_record()
    }

    fn of_many(mut errors: Vec<Self>) -> Self {
        match errors.len() {
            1 => errors.remove(0),
            _ => DataError::new(DataProblem::Many(errors)),
        }
    }
}

/// Lists errors, a line each, and says that there may be more.
pub(crate) fn list_errors(errors: &[impl ToString]) -> String {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let more = match errors.len() >= MOST_ERRORS {
        true => format!("\nthere may be more; the first {MOST_ERRORS} are listed"),
        false => String::new(),
    };
    lines.join("\n") + &more
}

/// The records of a file as JSON objects, each with the line that it begins on, or its number in a
/// Parquet file.
pub(crate) struct Values<'a> {
    file: Place,
    from: ValueFile<'a>,
}

enum ValueFile<'a> {
    Text(Box<TextRecords<'a>>),
    Parquet(parquet::ParquetRows),
}

impl<'a> ValueFile<'a> {
    fn open_text(file: Box<dyn BufRead + 'a>, place: &Place, input: &Input<'_>) -> Result<Self> {
        let (limit, tabular) = (input.record_limit, input.may_be_csv());
        let splitter = Splitter::open(file, place.source.clone(), limit, tabular)?;
        Ok(ValueFile::Text(Box::new(TextRecords::new(splitter))))
    }
}

/// The records of a text.
struct TextRecords<'a> {
    splitter: Splitter<'a>,
    /// CSV only, as are the rest.
    header: Option<Vec<String>>,
    cutter: Option<RowCutter>,
    /// Rows that were read together.
    rows: VecDeque<CsvRow>,
    /// How many lone surrogates stand as U+FFFD in the records so far.
    lone_surrogates: u64,
}

impl<'a> Values<'a> {
    pub(crate) fn open(file: Box<dyn BufRead + 'a>, input: &Input<'_>) -> Result<Self> {
        let place = Place::file(input.name);
        let opened = peek_first::<4>(file);
        let (magic, file) = opened.map_err(|e| DataProblem::Io(e.to_string()).at(&place))?;
        let from = if recognise(&magic) == Container::Parquet {
            ValueFile::Parquet(parquet::ParquetRows::open(file, &place)?)
        } else {
            ValueFile::open_text(file, &place, input)?
        };
        Ok(Values { file: place, from })
    }

    /// Whether the file is CSV, whose cells are texts and whose empty ones stand as null.
    pub(crate) fn is_csv(&self) -> bool {
        matches!(&self.from, ValueFile::Text(texts) if texts.splitter.layout == Layout::Csv)
    }

    /// Returns how many lone surrogates stand as U+FFFD in the records so far.
    pub(crate) fn lone_surrogates(&self) -> u64 {
        match &self.from {
            ValueFile::Text(texts) => texts.lone_surrogates,
            ValueFile::Parquet(_) => 0,
        }
    }

    /// Returns the first record.
    ///
    /// # Errors
    /// A file that cannot be read or is empty.
    pub(crate) fn first(&mut self) -> Result<(Value, Place)> {
        let first = self.next_value()?;
        first.ok_or_else(|| self.no_record())
    }

    fn no_record(&self) -> DataError {
        if self.has_header() {
            DataProblem::NoRows.at(&self.file)
        } else {
            DataProblem::Empty.at(&self.file)
        }
    }

    fn has_header(&self) -> bool {
        matches!(&self.from, ValueFile::Text(texts) if texts.header.is_some())
    }

    /// Hands over the first record and those after it, each with its place and its position in the
    /// file, from 0.
    ///
    /// # Errors
    /// A file that cannot be read further; an error of `take`, which ends the reading.
    pub(crate) fn for_each_from<E: From<DataError>>(
        &mut self,
        first: (Value, Place),
        mut take: impl FnMut(Value, &Place, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut next = Some(first);
        let mut position = 0;
        while let Some((record, place)) = next {
            take(record, &place, position)?;
            position += 1;
            next = self.next_value()?;
        }
        Ok(())
    }

    /// Hands over the records as [`for_each_from`](Self::for_each_from) does, and goes on past the
    /// first `skip` of them that are bad; returns what is wrong with these.
    ///
    /// # Errors
    /// All errors of records, at most [`MOST_ERRORS`] of them; what ends the reading of the file.
    pub(crate) fn for_each_good<E: RecordError>(
        &mut self,
        first: (Value, Place),
        skip: u64,
        mut take: impl FnMut(Value, &Place, u64) -> Result<(), E>,
    ) -> Result<Vec<String>, E> {
        let (mut skipped, mut errors) = (Vec::new(), Vec::new());
        let mut next = Some(Ok(first));
        let mut failed_at = None;
        let mut position = 0;
        while let Some(found) = next {
            let taken = found.and_then(|(record, place)| take(record, &place, position));
            position += 1;
            match taken {
                Ok(()) => {}
                Err(error) if !error.is_of_record() => errors.push(error),
                Err(error) if (skipped.len() as u64) < skip => skipped.push(error.to_string()),
                Err(error) => errors.push(error),
            }
            let ends = errors.last().is_some_and(|error| !error.is_of_record());
            if ends || errors.len() >= MOST_ERRORS {
                break;
            }
            next = match self.next_value() {
                // Where a record is no further than the one before, none will be.
                Err(error) if failed_at.is_some() && failed_at == error.place => break,
                Err(error) => {
                    failed_at.clone_from(&error.place);
                    Some(Err(error.into()))
                }
                Ok(found) => found.map(Ok),
            };
        }
        match errors.len() {
            0 => Ok(skipped),
            _ => Err(E::of_many(errors)),
        }
    }

    pub(crate) fn next_value(&mut self) -> Result<Option<(Value, Place)>> {
        let texts = match &mut self.from {
            ValueFile::Parquet(rows) => return rows.next_row(),
            ValueFile::Text(texts) => texts,
        };
        match texts.splitter.layout {
            Layout::Csv => texts.next_row(&self.file),
            Layout::Lines | Layout::Stream | Layout::Array => texts.next_json(&self.file),
        }
    }
}

fn check_object(value: &Value, place: &Place) -> Result {
    if value.is_object() {
        return Ok(());
    }
    let found = type_name(value);
    Err(DataProblem::NotAnObject { found }.at(place))
}

/// Returns where a JSON record stands: in a list by its line and column, else by its line alone.
fn json_place(file: &Place, start: Point, layout: Layout) -> Place {
    match layout {
        Layout::Array => start.place(&file.source),
        Layout::Lines | Layout::Stream | Layout::Csv => file.at_line(start.line),
    }
}

impl<'a> TextRecords<'a> {
    fn new(splitter: Splitter<'a>) -> Self {
        TextRecords {
            splitter,
            header: None,
            cutter: None,
            rows: VecDeque::new(),
            lone_surrogates: 0,
        }
    }

    fn next_json(&mut self, file: &Place) -> Result<Option<(Value, Place)>> {
        let layout = self.splitter.layout;
        let Some((text, start)) = self.splitter.next_record()? else {
            return Ok(None);
        };
        let (value, lone) = json::parse_record(text, start, &file.source, layout)?;
        self.lone_surrogates += lone;
        let place = json_place(file, start, layout);
        check_object(&value, &place)?;
        Ok(Some((value, place)))
    }

    fn next_row(&mut self, file: &Place) -> Result<Option<(Value, Place)>> {
        loop {
            if self.rows.is_empty() && !self.read_rows()? {
                return Ok(None);
            }
            let Some(row) = self.rows.pop_front() else {
                continue;
            };
            let place = file.at_line(row.line);
            let Some(header) = &self.header else {
                // The first row names the columns.
                self.header = Some(table::check_header(row.cells, &place)?);
                continue;
            };
            let record = table::row_object(header, row.cells, &place)?;
            return Ok(Some((record, place)));
        }
    }

    /// Cuts the next piece of text into rows; false at the end.
    fn read_rows(&mut self) -> Result<bool> {
        let source = self.splitter.source.clone();
        let told = self.splitter.separator;
        let Some((text, start)) = self.splitter.next_record()? else {
            return Ok(false);
        };
        let cutter = self.cutter.get_or_insert_with(|| {
            let found = || table::find_separator(text.as_bytes(), &source);
            RowCutter::new(told.unwrap_or_else(found))
        });
        self.rows.extend(cutter.cut_rows(text, start));
        Ok(true)
    }
}
