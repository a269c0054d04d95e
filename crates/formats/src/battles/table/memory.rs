//! A table in memory, and its rows as JSON objects, for readers that know records of any shape.

use super::cells::{Cells, valid};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowTemporalType, Date32Type, Date64Type, Decimal128Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, SchemaRef, TimeUnit};
use serde_json::{Map, Number, Value};
use std::fmt::Debug;

/// A table in memory, in Arrow's layout.
#[derive(Clone, Debug)]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// A table of these batches, which have this schema.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Table {
        Table { schema, batches }
    }

    /// Returns its batches.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(in crate::battles) fn column_names(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }
    /// Returns each row as a JSON object. A null, and a number that JSON lacks (pandas writes NaN
    /// where nothing is), is null; a date or a time is its text as of ISO 8601, in UTC where it has
    /// a zone. A column of a type that records have no values of, such as bytes, is left out.
    pub fn json_rows(&self) -> impl Iterator<Item = Value> + '_ {
        let batches = self.batches().iter();
        batches.flat_map(|batch| (0..batch.num_rows()).map(|row| row_of(batch, row)))
    }
}

fn row_of(batch: &RecordBatch, row: usize) -> Value {
    let mut members = Map::new();
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        if let Some(value) = value_of(column, row) {
            members.insert(field.name().clone(), value);
        }
    }
    Value::Object(members)
}

/// Returns the value of a row; None for a type that has no values here.
fn value_of(column: &dyn Array, row: usize) -> Option<Value> {
    // A column of nothing but nulls has a type of its own, and no mark at its rows.
    if !valid(column, row) || *column.data_type() == DataType::Null {
        return Some(Value::Null);
    }
    match column.data_type() {
        DataType::List(_) => list_of(column.as_list::<i32>().value(row)),
        DataType::LargeList(_) => list_of(column.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => list_of(column.as_fixed_size_list().value(row)),
        DataType::Struct(_) => {
            let record = column.as_struct();
            let mut members = Map::new();
            for (field, values) in record.fields().iter().zip(record.columns()) {
                members.insert(field.name().clone(), value_of(values, row)?);
            }
            Some(Value::Object(members))
        }
        _ => plain_value_of(column, row),
    }
}

fn list_of(values: ArrayRef) -> Option<Value> {
    let rows = 0..values.len();
    let values: Option<Vec<Value>> = rows.map(|row| value_of(&values, row)).collect();
    values.map(Value::Array)
}

fn plain_value_of(column: &dyn Array, row: usize) -> Option<Value> {
    // One row alone: a column's numbers are copied where they are read as cells.
    let cell = column.slice(row, 1);
    let Some(cells) = Cells::of_array(&cell) else {
        return foreign_value_of(&cell);
    };
    let text = || cells.text(0).unwrap_or_default();
    Some(match &cells {
        Cells::Truths(truths) => Value::Bool(truths.value(0)),
        Cells::Integers(_) => {
            let number = serde_json::from_slice::<Number>(&text());
            number.map_or(Value::Null, Value::Number)
        }
        Cells::Numbers(_) => match cells.number(0) {
            // As Python's JSON and Parquet are read: NaN is no value, an infinity is no number.
            Some(f64::INFINITY) => "Infinity".into(),
            Some(f64::NEG_INFINITY) => "-Infinity".into(),
            number => {
                let number = number.and_then(Number::from_f64);
                number.map_or(Value::Null, Value::Number)
            }
        },
        _ => Value::String(String::from_utf8_lossy(&text()).into_owned()),
    })
}

/// Returns the one value of a column whose type JSON does not have: a date or a time as its text, a
/// decimal number as the number.
fn foreign_value_of(cell: &dyn Array) -> Option<Value> {
    let text = match cell.data_type() {
        // Categories may be of any type.
        DataType::Dictionary(..) => {
            let codes = cell.as_any_dictionary_opt()?;
            let code = *codes.normalized_keys().first()?;
            return value_of(codes.values(), code);
        }
        DataType::Decimal128(..) => {
            let text = cell.as_primitive::<Decimal128Type>().value_as_string(0);
            let number = serde_json::from_str::<Number>(&text);
            return Some(number.map_or(Value::String(text), Value::Number));
        }
        DataType::Date32 => spelled(cell.as_primitive::<Date32Type>().value_as_date(0)),
        DataType::Date64 => spelled(cell.as_primitive::<Date64Type>().value_as_date(0)),
        DataType::Time32(TimeUnit::Second) => {
            spelled(cell.as_primitive::<Time32SecondType>().value_as_time(0))
        }
        DataType::Time32(TimeUnit::Millisecond) => spelled(
            cell.as_primitive::<Time32MillisecondType>()
                .value_as_time(0),
        ),
        DataType::Time64(TimeUnit::Microsecond) => spelled(
            cell.as_primitive::<Time64MicrosecondType>()
                .value_as_time(0),
        ),
        DataType::Time64(TimeUnit::Nanosecond) => {
            spelled(cell.as_primitive::<Time64NanosecondType>().value_as_time(0))
        }
        DataType::Timestamp(unit, zone) => {
            let text = match unit {
                TimeUnit::Second => time_of::<TimestampSecondType>(cell),
                TimeUnit::Millisecond => time_of::<TimestampMillisecondType>(cell),
                TimeUnit::Microsecond => time_of::<TimestampMicrosecondType>(cell),
                TimeUnit::Nanosecond => time_of::<TimestampNanosecondType>(cell),
            };
            let zone = if zone.is_some() { "+00:00" } else { "" };
            text.map(|text| text + zone)
        }
        _ => None,
    };
    text.map(Value::String)
}

fn time_of<T: ArrowTemporalType>(cell: &dyn Array) -> Option<String>
where
    i64: From<T::Native>,
{
    spelled(cell.as_primitive::<T>().value_as_datetime(0))
}

/// Spells a date or a time as ISO 8601 does, which is how these types show themselves.
fn spelled(time: Option<impl Debug>) -> Option<String> {
    time.map(|time| format!("{time:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int8Type;
    use arrow_array::{
        BinaryArray, Date32Array, Decimal128Array, DictionaryArray, Int8Array, NullArray,
        StringArray, TimestampMicrosecondArray,
    };
    use arrow_schema::{Field, Schema};
    use serde_json::json;
    use std::sync::Arc;

    #[test]
    fn a_column_of_nulls_has_nulls() {
        let schema = Arc::new(Schema::new(vec![
            Field::new("text", DataType::Utf8, true),
            Field::new("none", DataType::Null, true),
        ]));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from(vec!["x", "y"])),
            Arc::new(NullArray::new(2)),
        ];
        let batch = RecordBatch::try_new(schema.clone(), columns).unwrap();
        let table = Table::new(schema, vec![batch]);
        let rows: Vec<Value> = table.json_rows().collect();
        let expected = ["x", "y"].map(|text| json!({"text": text, "none": null}));
        assert_eq!(rows, expected);
    }

    #[test]
    fn dates_are_texts_and_what_records_do_not_have_is_left_out() {
        let days = Date32Array::from(vec![Some(20_454), None]);
        let times = TimestampMicrosecondArray::from(vec![1_767_225_600_000_000, 1_500_000]);
        let decimals = Decimal128Array::from(vec![150, -5]);
        let codes = Int8Array::from(vec![0, 0]);
        let decimals = decimals.with_precision_and_scale(5, 2).unwrap();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from(vec!["x", "y"])),
            Arc::new(days.clone()),
            Arc::new(times.clone()),
            Arc::new(times.with_timezone("Europe/Paris")),
            Arc::new(decimals),
            Arc::new(DictionaryArray::<Int8Type>::new(codes, Arc::new(days))),
            Arc::new(BinaryArray::from(vec![&b"x"[..], &b"y"[..]])),
        ];
        let names = ["text", "day", "time", "zoned", "price", "kind", "bytes"];
        let fields = names.iter().zip(&columns);
        let fields: Vec<Field> = fields
            .map(|(name, column)| Field::new(*name, column.data_type().clone(), true))
            .collect();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
        let table = Table::new(batch.schema(), vec![batch]);
        let rows: Vec<Value> = table.json_rows().collect();
        let expected = [
            json!({
                "text": "x", "day": "2026-01-01", "time": "2026-01-01T00:00:00",
                "zoned": "2026-01-01T00:00:00+00:00", "price": 1.5, "kind": "2026-01-01"
            }),
            json!({
                "text": "y", "day": null, "time": "1970-01-01T00:00:01.500",
                "zoned": "1970-01-01T00:00:01.500+00:00", "price": -0.05, "kind": "2026-01-01"
            }),
        ];
        assert_eq!(rows, expected);
    }
}
