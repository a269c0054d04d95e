//! Rows of Parquet files as JSON objects. The packed file is held in memory; its rows are unpacked one group at a time.

use super::error::{DataError, Place, Problem};
use ::parquet::file::reader::FileReader;
use ::parquet::file::serialized_reader::SerializedFileReader;
use ::parquet::record::reader::RowIter;
use ::parquet::record::{Field, Row};
use serde_json::{Map, Value};
use std::fmt::Display;
use std::io::BufRead;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The rows that are left to be read.
pub(super) struct Rows {
    rows: RowIter<'static>,
    next: u64,
    file: Place,
}

impl Rows {
    /// Takes a whole file in.
    pub(super) fn open(mut file: Box<dyn BufRead + '_>, place: &Place) -> Result<Rows, DataError> {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|e| Problem::Io(e.to_string()).at(place))?;
        let open = || {
            let file = SerializedFileReader::new(bytes::Bytes::from(bytes)).map_err(|e| damaged(&e).at(place))?;
            let (groups, said) = (file.metadata().row_groups(), file.metadata().file_metadata().num_rows());
            // A file that is cut may still have its schema.
            match groups.iter().map(|group| group.num_rows()).sum::<i64>() == said {
                true => Ok(RowIter::from_file_into(Box::new(file))),
                false => Err(damaged(&"rows are missing").at(place)),
            }
        };
        Ok(Rows { rows: guarded(open, place)??, next: 1, file: place.clone() })
    }

    /// The next row, whose place is its number from 1.
    pub(super) fn next(&mut self) -> Result<Option<(Value, Place)>, DataError> {
        let place = self.file.at_line(self.next);
        self.next += 1;
        let read = || self.rows.next().transpose();
        let row = guarded(read, &place)?.map_err(|e| damaged(&e).at(&place))?;
        Ok(row.map(|row| (object(&row), place)))
    }
}

/// What the function gives, or the panic of the `parquet` crate, which some damaged files bring about, as an error.
fn guarded<T>(read: impl FnOnce() -> T, place: &Place) -> Result<T, DataError> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|_| damaged(&"its parts contradict each other").at(place))
}

fn damaged(why: &impl Display) -> Problem {
    Problem::Parquet(why.to_string())
}

fn object(row: &Row) -> Value {
    Value::Object(row.get_column_iter().map(|(name, field)| (name.clone(), value(field))).collect::<Map<_, _>>())
}

fn value(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(value) => (*value).into(),
        Field::Byte(number) => (*number).into(),
        Field::Short(number) => (*number).into(),
        Field::Int(number) => (*number).into(),
        Field::Long(number) => (*number).into(),
        Field::UByte(number) => (*number).into(),
        Field::UShort(number) => (*number).into(),
        Field::UInt(number) => (*number).into(),
        Field::ULong(number) => (*number).into(),
        Field::Float16(number) => number.to_f64().into(),
        Field::Float(number) => f64::from(*number).into(),
        Field::Double(number) => (*number).into(),
        Field::Str(text) => Value::String(text.clone()),
        Field::Bytes(bytes) => Value::String(String::from_utf8_lossy(bytes.data()).into_owned()),
        Field::Group(row) => object(row),
        Field::ListInternal(list) => list.elements().iter().map(value).collect(),
        Field::MapInternal(map) => {
            let entry = |(key, found): &(Field, Field)| (text(&value(key)), value(found));
            Value::Object(map.entries().iter().map(entry).collect())
        }
        // Dates, times and decimals, as the crate writes them.
        other => Value::String(other.to_string()),
    }
}

fn text(key: &Value) -> String {
    key.as_str().map_or_else(|| key.to_string(), str::to_owned)
}
