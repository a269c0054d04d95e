//! The records of a file as JSON objects, whatever the file looks like.

use super::container::{Opened, open};
use super::csv::{CsvRow, RowCutter, find_separator};
use super::foreign::{Foreign, is_yaml};
use super::json_record::parse_record;
use super::layout::Layout;
use super::parquet::ParquetRows;
use super::promptfoo;
use super::split::Splitter;
use crate::error::{DataError, DataProblem, MOST_ERRORS, Place, Result};
use crate::source::json_words::type_name;

use serde_json::Value;
use std::collections::{HashSet, VecDeque};
use std::io::BufRead;

/// The most bytes that one record may have, where nobody says otherwise: 64 MiB.
pub(crate) const RECORD_LIMIT: usize = 64 << 20;

/// A record and where it stands.
pub(crate) type Placed = (Value, Place);

/// The records of a file as JSON objects, each with the line that it begins on, or its number in a
/// Parquet file.
pub(crate) struct Values<'a> {
    file: Place,
    from: ValueFile<'a>,
}

enum ValueFile<'a> {
    Text(Box<TextRecords<'a>>),
    Parquet(ParquetRows),
}

/// The records of a text.
struct TextRecords<'a> {
    splitter: Splitter<'a>,
    /// CSV only, as are the rest.
    header: Option<Vec<String>>,
    cutter: Option<RowCutter>,
    /// Rows that were read together.
    rows: VecDeque<CsvRow>,
    /// The results of an evaluation that is one value, each with its number.
    results: VecDeque<Placed>,
    /// How many lone surrogates stand as U+FFFD in the records so far.
    lone_surrogates: u64,
}

impl<'a> Values<'a> {
    /// Opens a file of this name, and returns its first record too.
    ///
    /// # Errors
    /// A file that cannot be read or is empty.
    pub(crate) fn open(file: impl BufRead + 'a, name: &str) -> Result<(Self, Placed)> {
        Values::open_as(file, name, RECORD_LIMIT, true)
    }

    /// Opens a file whose records have at most this many bytes. `tabular`: what is not JSON may be
    /// CSV.
    ///
    /// # Errors
    /// A file that cannot be read or is empty.
    pub(crate) fn open_as(
        file: impl BufRead + 'a,
        name: &str,
        limit: usize,
        tabular: bool,
    ) -> Result<(Self, Placed)> {
        let place = Place::file(name);
        let file: Box<dyn BufRead + 'a> = Box::new(file);
        let opened = open(file).map_err(|e| DataProblem::Io(e.to_string()).at(&place))?;
        let from = match opened {
            Opened::Parquet(file) => ValueFile::Parquet(ParquetRows::open(file, &place)?),
            Opened::Foreign(foreign) => return Err(DataProblem::Foreign(foreign).at(&place)),
            Opened::Text(text) => ValueFile::Text(Box::new(TextRecords {
                splitter: Splitter::open(text, &place, limit, tabular)?,
                header: None,
                cutter: None,
                rows: VecDeque::new(),
                results: VecDeque::new(),
                lone_surrogates: 0,
            })),
        };
        let mut values = Values { file: place, from };
        // No first byte tells YAML from CSV, so its name does.
        if values.is_csv() && is_yaml(name) {
            return Err(DataProblem::Foreign(Foreign::Yaml).at(&values.file));
        }
        match (values.next_value()?, &values.from) {
            (Some((first, _)), _) if is_log_of_evals(&first) => {
                Err(DataProblem::Foreign(Foreign::EvalsLog).at(&values.file))
            }
            (Some(first), _) => Ok((values, first)),
            (None, ValueFile::Text(texts)) if texts.header.is_some() => {
                Err(DataProblem::HeaderOnly.at(&values.file))
            }
            (None, _) => Err(DataProblem::Empty.at(&values.file)),
        }
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

    /// Hands over the first record and those after it, each with its place and its position in the
    /// file, from 0.
    ///
    /// # Errors
    /// A file that cannot be read further; an error of `take`, which ends the reading.
    pub(crate) fn for_each_from<E: From<DataError>>(
        &mut self,
        first: Placed,
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
    /// All errors of records, those that were passed over among them, and at most [`MOST_ERRORS`] more;
    /// what ends the reading of the file.
    pub(crate) fn for_each_good(
        &mut self,
        first: Placed,
        skip: u64,
        mut take: impl FnMut(Value, &Place, u64) -> Result,
    ) -> Result<Vec<DataError>> {
        let (mut skipped, mut errors) = (Vec::new(), Vec::new());
        let mut next = Some(Ok(first));
        let mut failed_at = None;
        let mut position = 0;
        while let Some(found) = next {
            let taken = found.and_then(|(record, place)| take(record, &place, position));
            position += 1;
            if let Err(error) = taken {
                let is_of_record = error.is_of_record();
                if is_of_record && (skipped.len() as u64) < skip {
                    skipped.push(error);
                } else {
                    errors.push(error);
                }
                if !is_of_record || errors.len() >= MOST_ERRORS {
                    break;
                }
            }
            next = match self.next_value() {
                // Where a record is no further than the one before, none will be.
                Err(error) if failed_at.is_some() && failed_at == error.place => break,
                Err(error) => {
                    failed_at.clone_from(&error.place);
                    Some(Err(error))
                }
                Ok(found) => found.map(Ok),
            };
        }
        match errors.len() {
            0 => Ok(skipped),
            _ => Err(DataError::of_bad(skipped, errors, skip)),
        }
    }

    pub(crate) fn next_value(&mut self) -> Result<Option<Placed>> {
        match &mut self.from {
            ValueFile::Parquet(rows) => rows.next_row(),
            ValueFile::Text(texts) if texts.splitter.layout == Layout::Csv => {
                texts.next_row(&self.file)
            }
            ValueFile::Text(texts) => texts.next_json(&self.file),
        }
    }
}

impl TextRecords<'_> {
    fn next_json(&mut self, file: &Place) -> Result<Option<Placed>> {
        if let Some(result) = self.results.pop_front() {
            return Ok(Some(result));
        }
        let layout = self.splitter.layout;
        let Some((text, start)) = self.splitter.next_record()? else {
            return Ok(None);
        };
        let (mut value, lone) = parse_record(text, start, &file.source, layout)?;
        self.lone_surrogates += lone;
        // The records of a list may share lines.
        let place = match layout {
            Layout::Array => start.place(&file.source),
            Layout::Lines | Layout::Stream | Layout::Csv => file.at_line(start.line),
        };
        if let Some(results) = promptfoo::results_of(&mut value) {
            let placed = results.into_iter().zip(1..);
            let placed = placed.map(|(result, row)| (result, file.at_row(row)));
            self.results.extend(placed);
            return Ok(self.results.pop_front());
        }
        if !value.is_object() {
            let found = type_name(&value);
            return Err(DataProblem::NotAnObject { found }.at(&place));
        }
        Ok(Some((value, place)))
    }

    /// Returns the next row of CSV as an object with the header's names; an empty cell is null. A
    /// row may be short, never long.
    fn next_row(&mut self, file: &Place) -> Result<Option<Placed>> {
        loop {
            if self.rows.is_empty() && !self.read_rows(file)? {
                return Ok(None);
            }
            let Some(row) = self.rows.pop_front() else {
                continue;
            };
            let place = file.at_line(row.line);
            let Some(header) = &self.header else {
                // The first row names the columns. Of two by one name, nobody could say which is
                // meant.
                let mut seen = HashSet::new();
                let mut given = row.cells.iter().filter(|name| !name.is_empty());
                if let Some(twice) = given.find(|name| !seen.insert(name.as_str())) {
                    return Err(DataProblem::TwiceInHeader(twice.clone()).at(&place));
                }
                self.header = Some(row.cells);
                continue;
            };
            let (expected, found) = (header.len(), row.cells.len());
            if found > expected {
                return Err(DataProblem::Cells { expected, found }.at(&place));
            }
            let cells = row.cells.into_iter().map(|cell| match cell.as_str() {
                "" => Value::Null,
                _ => Value::String(cell),
            });
            let record = Value::Object(header.iter().cloned().zip(cells).collect());
            return Ok(Some((record, place)));
        }
    }

    /// Cuts the next piece of text into rows; false at the end.
    fn read_rows(&mut self, file: &Place) -> Result<bool> {
        let told = self.splitter.separator;
        let Some((text, start)) = self.splitter.next_record()? else {
            return Ok(false);
        };
        let cutter = self.cutter.get_or_insert_with(|| {
            let found = || find_separator(text.as_bytes(), &file.source);
            RowCutter::new(told.unwrap_or_else(found))
        });
        self.rows.extend(cutter.cut_rows(text, start));
        Ok(true)
    }
}

/// Whether a file with this first record is what `oaieval` logs: a specification, then events.
fn is_log_of_evals(first: &Value) -> bool {
    let spec = &first["spec"];
    spec["completion_fns"].is_array() && spec["eval_name"].is_string()
}
