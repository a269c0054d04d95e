//! JSON and CSV as texts.

use serde::Serialize;
use serde_json::{Map, Value};

/// Returns a value as indented JSON that ends with a line end.
pub(crate) fn json_text<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(value).map(|text| text + "\n")
}

/// Returns the members of a JSON object.
pub(crate) fn object_of(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// Returns a JSON array with an element for each of `all`.
pub(crate) fn array_of<T, V: Into<Value>>(all: &[T], element: fn(&T) -> V) -> Value {
    all.iter().map(element).collect()
}

/// Returns a header and rows of cells as CSV.
pub(crate) fn csv_text<H: AsRef<[u8]>>(
    header: impl IntoIterator<Item = H>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Result<String, csv::Error> {
    let mut writer = csv_writer();
    writer.write_record(header)?;
    for row in rows {
        writer.write_record(row)?;
    }
    written_text(writer)
}

fn csv_writer() -> csv::Writer<Vec<u8>> {
    csv::Writer::from_writer(Vec::new())
}

/// Returns records as CSV, with the names of their fields as the header.
pub(crate) fn csv_of_records<T: Serialize>(records: &[T]) -> Result<String, csv::Error> {
    let mut writer = csv_writer();
    for record in records {
        writer.serialize(record)?;
    }
    written_text(writer)
}

fn written_text(writer: csv::Writer<Vec<u8>>) -> Result<String, csv::Error> {
    let bytes = writer.into_inner().map_err(|e| e.into_error())?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.into_owned())
}

/// Returns a CSV cell with a number, empty where there is none.
pub(crate) fn optional_cell<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Returns the CSV cells of the two ends of an interval, empty where an end is open or missing.
pub(crate) fn interval_cells(ci: Option<[Option<f64>; 2]>) -> [String; 2] {
    ci.unwrap_or_default().map(optional_cell)
}
