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
