//! A table in memory, and its rows as JSON objects, for readers that know records of any shape.

use super::cells::{Cells, valid};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use serde_json::{Map, Number, Value};

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
    /// where nothing is), is null.
    ///
    /// # Errors
    /// A column of a type that records have no values of, such as dates, by its name.
    pub fn json_rows(&self) -> impl Iterator<Item = Result<Value, String>> + '_ {
        let batches = self.batches().iter();
        batches.flat_map(|batch| (0..batch.num_rows()).map(|row| row_of(batch, row)))
    }
}

fn row_of(batch: &RecordBatch, row: usize) -> Result<Value, String> {
    let mut members = Map::new();
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let name = field.name();
        let Some(value) = value_of(column, row) else {
            return Err(format!(
                "column `{name}` has the type {}; expected text, numbers, truth values, lists or \
                 records; leave the column out, or make it text",
                column.data_type()
            ));
        };
        members.insert(name.clone(), value);
    }
    Ok(Value::Object(members))
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
    let cells = Cells::of_array(&cell)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{NullArray, StringArray};
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
        let rows: Result<Vec<Value>, String> = table.json_rows().collect();
        let expected = ["x", "y"].map(|text| json!({"text": text, "none": null}));
        assert_eq!(rows.unwrap(), expected);
    }
}
