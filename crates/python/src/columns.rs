//! Records as columns: each has the type of its values.

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, NullArray, RecordBatch,
    RecordBatchOptions, StringArray,
};
use arrow_schema::{ArrowError, Field, Schema};
use serde_json::{Map, Value};
use std::sync::Arc;

type Row = Map<String, Value>;

/// Returns JSON lines as a table: a column for each key, in the order of their first appearance.
pub(crate) fn batch_of_rows(text: &str) -> Result<RecordBatch, ArrowError> {
    let rows = read_rows(text).map_err(|e| ArrowError::JsonError(e.to_string()))?;
    let names = column_names(&rows);
    let columns: Vec<ArrayRef> = names.iter().map(|name| column_of(&rows, name)).collect();
    let schema = Arc::new(Schema::new(fields_of(&names, &columns)));
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(schema, columns, &options)
}

fn read_rows(text: &str) -> Result<Vec<Row>, serde_json::Error> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(serde_json::from_str).collect()
}

fn fields_of(names: &[String], columns: &[ArrayRef]) -> Vec<Field> {
    let fields = names.iter().zip(columns);
    fields
        .map(|(name, column)| Field::new(name, column.data_type().clone(), true))
        .collect()
}

fn column_names(rows: &[Row]) -> Vec<String> {
    let mut names = Map::new();
    for name in rows.iter().flat_map(Map::keys) {
        names.entry(name.clone()).or_insert(Value::Null);
    }
    names.into_iter().map(|(name, _)| name).collect()
}

fn column_of(rows: &[Row], name: &str) -> ArrayRef {
    let values: Vec<&Value> = rows
        .iter()
        .map(|row| row.get(name).unwrap_or(&Value::Null))
        .collect();
    let all =
        |is_kind: fn(&Value) -> bool| values.iter().all(|value| value.is_null() || is_kind(value));
    if all(|_| false) {
        Arc::new(NullArray::new(values.len()))
    } else if all(Value::is_boolean) {
        Arc::new(
            values
                .iter()
                .map(|value| value.as_bool())
                .collect::<BooleanArray>(),
        )
    } else if all(Value::is_i64) {
        Arc::new(
            values
                .iter()
                .map(|value| value.as_i64())
                .collect::<Int64Array>(),
        )
    } else if all(Value::is_number) {
        Arc::new(
            values
                .iter()
                .map(|value| value.as_f64())
                .collect::<Float64Array>(),
        )
    } else {
        Arc::new(
            values
                .iter()
                .map(|value| text_of(value))
                .collect::<StringArray>(),
        )
    }
}

/// A text as it is, and anything else that is mixed with texts or holds several values as JSON.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
