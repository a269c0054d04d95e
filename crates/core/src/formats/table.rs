//! Rows of CSV as objects of strings; an empty cell is null.

use super::error::{DataError, Place, Problem};
use super::raw::Point;
use serde_json::{Map, Value};
use std::sync::Arc;

/// One row, and the line that it begins on.
type Row = (Vec<String>, u64);

/// The rows of a piece of CSV text that begins at this point.
pub(super) fn rows(text: &str, start: Point, source: &Arc<str>) -> Result<Vec<Row>, DataError> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .buffer_capacity(text.len().clamp(1, 1 << 16))
        .from_reader(text.as_bytes());
    reader.records().map(|record| row(record, start)).collect::<Result<_, _>>().map_err(|error| unreadable(&error, start, source))
}

fn row(record: csv::Result<csv::StringRecord>, start: Point) -> csv::Result<Row> {
    let record = record?;
    let lines_before = record.position().map_or(1, csv::Position::line).saturating_sub(1);
    Ok((record.iter().map(str::to_owned).collect(), start.line + lines_before))
}

fn unreadable(error: &csv::Error, start: Point, source: &Arc<str>) -> DataError {
    Problem::Io(error.to_string()).at(&Place::file(source.clone()).at_line(start.line))
}

/// A row under its header. A row may be short, never long.
pub(super) fn object(header: &[String], cells: Vec<String>, place: &Place) -> Result<Value, DataError> {
    if cells.len() > header.len() {
        return Err(Problem::Cells { expected: header.len(), found: cells.len() }.at(place));
    }
    let cells = cells.into_iter().map(|cell| if cell.is_empty() { Value::Null } else { Value::String(cell) });
    Ok(Value::Object(header.iter().cloned().zip(cells).collect::<Map<_, _>>()))
}
