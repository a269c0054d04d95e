//! Records as columns: each has the type of its values.

use crate::call::error_of;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, NullArray, RecordBatch,
    RecordBatchOptions, StringArray,
};
use arrow_schema::{Field, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Returns records as a table: the columns of these names first, which are there without a record
/// too, then one for each other key, in the order of their first appearance. A column whose type is
/// named has it whatever it holds; a number may then be infinite.
pub(crate) fn batch_of_rows(
    given: &[Bound<'_, PyDict>],
    types: &[(String, String)],
) -> PyResult<RecordBatch> {
    let rows = given.iter().map(read_object);
    let rows = rows.collect::<PyResult<Vec<Map<String, Value>>>>()?;
    let mut names: Map<String, Value> = Map::new();
    for (name, kind) in types {
        names.insert(name.clone(), Value::from(kind.as_str()));
    }
    for name in rows.iter().flat_map(Map::keys) {
        names.entry(name.clone()).or_insert(Value::Null);
    }
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    for (name, kind) in &names {
        let values = rows.iter().map(|row| row.get(name).unwrap_or(&Value::Null));
        let values: Vec<&Value> = values.collect();
        let is_fitting = |is_kind: fn(&Value) -> bool| {
            values.iter().all(|value| value.is_null() || is_kind(value))
        };
        let column: ArrayRef = match kind.as_str() {
            Some("number") => Arc::new(numbers_of(given, name)?),
            Some("integer") if is_fitting(Value::is_i64) => Arc::new(
                values
                    .iter()
                    .map(|value| value.as_i64())
                    .collect::<Int64Array>(),
            ),
            Some("boolean") if is_fitting(Value::is_boolean) => Arc::new(
                values
                    .iter()
                    .map(|value| value.as_bool())
                    .collect::<BooleanArray>(),
            ),
            Some("text") => Arc::new(texts_of(&values)),
            _ => column_of(&values),
        };
        fields.push(Field::new(name, column.data_type().clone(), true));
        columns.push(column);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new_with_options(schema, columns, &options);
    batch.map_err(|e| error_of(&e))
}

fn numbers_of(rows: &[Bound<'_, PyDict>], name: &str) -> PyResult<Float64Array> {
    let numbers = rows.iter().map(|row| match row.get_item(name)? {
        Some(value) => value.extract::<Option<f64>>(),
        None => Ok(None),
    });
    Ok(Float64Array::from(numbers.collect::<PyResult<Vec<_>>>()?))
}

/// A text as it is; what is mixed with texts or holds several values is JSON.
fn texts_of(values: &[&Value]) -> StringArray {
    let texts = values.iter().map(|value| match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    });
    texts.collect()
}

fn read_object(object: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    let members = object.iter();
    members
        .map(|(name, value)| Ok((name.extract()?, read_value(&value)?)))
        .collect()
}

/// Reads what JSON may hold; a number that it may not, such as infinity, is null.
fn read_value(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        Ok(Value::Null)
    } else if let Ok(flag) = value.cast::<PyBool>() {
        // Before numbers: it is an int too.
        Ok(flag.is_true().into())
    } else if let Ok(number) = value.extract::<i64>() {
        Ok(number.into())
    } else if let Ok(number) = value.extract::<f64>() {
        Ok(number.into())
    } else if let Ok(object) = value.cast::<PyDict>() {
        Ok(Value::Object(read_object(object)?))
    } else if let Ok(list) = value.cast::<PyList>() {
        let values = list.iter().map(|one| read_value(&one));
        Ok(Value::Array(values.collect::<PyResult<_>>()?))
    } else {
        Ok(Value::String(value.extract()?))
    }
}

/// Returns values as a column of the narrowest type that holds them all.
fn column_of(values: &[&Value]) -> ArrayRef {
    let all =
        |is_kind: fn(&Value) -> bool| values.iter().all(|value| value.is_null() || is_kind(value));
    let listed = values;
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
        Arc::new(texts_of(listed))
    }
}
