//! Records as columns: each has the type of its values.

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, NullArray, RecordBatch,
    RecordBatchOptions, StringArray,
};
use arrow_schema::{ArrowError, Field, Schema};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Returns JSON lines as a table: a column for each key, in the order of their first appearance.
pub(crate) fn batch_of_rows(text: &str) -> Result<RecordBatch, ArrowError> {
    let mut rows: Vec<Map<String, Value>> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let row = serde_json::from_str(line);
        rows.push(row.map_err(|e| ArrowError::JsonError(e.to_string()))?);
    }
    let mut names: Map<String, Value> = Map::new();
    for name in rows.iter().flat_map(Map::keys) {
        names.entry(name.clone()).or_insert(Value::Null);
    }
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    for name in names.keys() {
        let values = rows.iter().map(|row| row.get(name).unwrap_or(&Value::Null));
        let column = column_of(&values.collect::<Vec<&Value>>());
        fields.push(Field::new(name, column.data_type().clone(), true));
        columns.push(column);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
}

/// Returns values as a column of the narrowest type that holds them all.
fn column_of(values: &[&Value]) -> ArrayRef {
    let all =
        |is_kind: fn(&Value) -> bool| values.iter().all(|value| value.is_null() || is_kind(value));
    let values = values.iter();
    if all(|_| false) {
        Arc::new(NullArray::new(values.len()))
    } else if all(Value::is_boolean) {
        let column: BooleanArray = values.map(|value| value.as_bool()).collect();
        Arc::new(column)
    } else if all(Value::is_i64) {
        let column: Int64Array = values.map(|value| value.as_i64()).collect();
        Arc::new(column)
    } else if all(Value::is_number) {
        let column: Float64Array = values.map(|value| value.as_f64()).collect();
        Arc::new(column)
    } else {
        // A text as it is; what is mixed with texts or holds several values is JSON.
        let texts = values.map(|value| match value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        });
        let column: StringArray = texts.collect();
        Arc::new(column)
    }
}
