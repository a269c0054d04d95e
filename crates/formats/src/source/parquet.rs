//! Parquet files that may be damaged, whoever reads them, and their rows as JSON objects.

use crate::error::{DataProblem, Place, Result};
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::data_type::{ByteArray, ByteArrayType};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::reader::FileReader;
use ::parquet::file::serialized_reader::SerializedFileReader;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::record::reader::RowIter;
use ::parquet::record::{Field, Row};
use ::parquet::schema::parser::parse_message_type;
use serde_json::{Map, Value};
use std::cell::Cell;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Once};

thread_local! {
    /// Whether a panic on this thread is caught, and told as an error of its file.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Returns what the function does, or why the file is damaged: some damaged files make the
/// `parquet` crate panic. Nothing is printed of that.
pub(crate) fn guard_panics<T>(read: impl FnOnce() -> T) -> Result<T, String> {
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                print(panic);
            }
        }));
    });
    let before = IS_GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(read));
    IS_GUARDED.set(before);
    done.map_err(|_| "its parts contradict each other".to_owned())
}

/// Counts the rows of the row groups. A file that is cut may still have its schema: it then says
/// that it has more.
pub(crate) fn count_rows(file: &ParquetMetaData) -> i64 {
    file.row_groups().iter().map(|group| group.num_rows()).sum()
}

/// The rows of a file that are left to be read, as JSON objects. The packed file is held in memory;
/// its rows are unpacked one group at a time.
pub struct ParquetRows {
    rows: RowIter<'static>,
    next: u64,
    file: Place,
}

impl ParquetRows {
    /// Takes a whole file in.
    ///
    /// # Errors
    /// A file that cannot be read, or is damaged.
    pub fn open(mut file: impl Read, place: &Place) -> Result<ParquetRows> {
        let mut bytes = Vec::new();
        let read = file.read_to_end(&mut bytes);
        read.map_err(|e| DataProblem::Io(e.to_string()).at(place))?;
        let open = || {
            let bytes = bytes::Bytes::from(bytes);
            let file = SerializedFileReader::new(bytes).map_err(|e| e.to_string())?;
            if count_rows(file.metadata()) != file.metadata().file_metadata().num_rows() {
                return Err("rows are missing".to_owned());
            }
            Ok(RowIter::from_file_into(Box::new(file)))
        };
        match guard_panics(open).flatten() {
            Ok(rows) => Ok(ParquetRows {
                rows,
                next: 1,
                file: place.clone(),
            }),
            Err(why) => Err(DataProblem::Parquet(why).at(place)),
        }
    }

    /// Returns the next row, whose place is its number from 1.
    ///
    /// # Errors
    /// A damaged file.
    pub fn next_row(&mut self) -> Result<Option<(Value, Place)>> {
        let place = self.file.at_line(self.next);
        self.next += 1;
        let next = || self.rows.next().transpose().map_err(|e| e.to_string());
        match guard_panics(next).flatten() {
            Ok(row) => Ok(row.map(|row| (row_object(&row), place))),
            Err(why) => Err(DataProblem::Parquet(why).at(&place)),
        }
    }
}

/// Returns a Parquet file of text columns, all of one length, compressed with zstd.
///
/// # Errors
/// Those of the writer; none is known to occur.
pub fn parquet_of_texts(columns: &[(&str, Vec<&str>)]) -> io::Result<Vec<u8>> {
    let fields = columns
        .iter()
        .map(|(name, _)| format!("required binary {name} (UTF8);"));
    let schema = format!("message rows {{ {} }}", fields.collect::<String>());
    let schema = parse_message_type(&schema).map_err(io::Error::other)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let written = || {
        let mut writer =
            SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
        let mut group = writer.next_row_group()?;
        for (_, texts) in columns {
            let texts: Vec<ByteArray> = texts
                .iter()
                .map(|text| text.as_bytes().to_vec().into())
                .collect();
            if let Some(mut column) = group.next_column()? {
                column
                    .typed::<ByteArrayType>()
                    .write_batch(&texts, None, None)?;
                column.close()?;
            }
        }
        group.close()?;
        writer.into_inner()
    };
    written().map_err(|error: ParquetError| io::Error::other(error))
}

fn row_object(row: &Row) -> Value {
    let fields = row.get_column_iter();
    let fields: Map<_, _> = fields
        .map(|(name, field)| (name.clone(), field_value(field)))
        .collect();
    Value::Object(fields)
}

fn field_value(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(value) => (*value).into(),
        Field::Str(text) => Value::String(text.clone()),
        // Texts are often written without their logical type.
        Field::Bytes(bytes) => Value::String(String::from_utf8_lossy(bytes.data()).into_owned()),
        Field::Group(row) => row_object(row),
        Field::ListInternal(list) => list.elements().iter().map(field_value).collect(),
        Field::MapInternal(map) => {
            let entries = map.entries().iter().map(|(key, value)| {
                let key = match field_value(key) {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                (key, field_value(value))
            });
            Value::Object(entries.collect())
        }
        Field::Byte(number) => (*number).into(),
        Field::Short(number) => (*number).into(),
        Field::Int(number) => (*number).into(),
        Field::Long(number) => (*number).into(),
        Field::UByte(number) => (*number).into(),
        Field::UShort(number) => (*number).into(),
        Field::UInt(number) => (*number).into(),
        Field::ULong(number) => (*number).into(),
        Field::Float16(number) => float_value(number.to_f64()),
        Field::Float(number) => float_value(f64::from(*number)),
        Field::Double(number) => float_value(*number),
        // Dates, times and decimals, as the crate writes them.
        other => Value::String(other.to_string()),
    }
}

/// Returns a number as JSON of Python's would be read: NaN is no value, an infinity is no number.
fn float_value(number: f64) -> Value {
    match number {
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        number => number.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{DataError, Input, read_records};
    use ::parquet::data_type::Int64Type;
    use serde_json::json;

    const SCHEMA: &str = "message responses {
        required int64 item; required binary system (UTF8); optional binary output (UTF8);
        optional group meta { required binary lang (UTF8); }
    }";

    /// Rows of item, system, output; one row group each. Every one has the language `en`.
    fn written(rows: &[(i64, &str, Option<&str>)]) -> Vec<u8> {
        let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
        let properties = Arc::new(WriterProperties::default());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
        let text = |text: &str| ByteArray::from(text.as_bytes().to_vec());
        for (item, system, output) in rows {
            let mut group = writer.next_row_group().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column
                .typed::<Int64Type>()
                .write_batch(&[*item], None, None)
                .unwrap();
            column.close().unwrap();
            let there = [i16::from(output.is_some())];
            let output = output.map(text).into_iter().collect();
            for (values, levels) in [
                (vec![text(system)], None),
                (output, Some(&there)),
                (vec![text("en")], Some(&[1])),
            ] {
                let mut column = group.next_column().unwrap().unwrap();
                let levels = levels.map(|levels: &[i16; 1]| levels.as_slice());
                column
                    .typed::<ByteArrayType>()
                    .write_batch(&values, levels, None)
                    .unwrap();
                column.close().unwrap();
            }
            group.close().unwrap();
        }
        writer.into_inner().unwrap()
    }

    fn values(file: &[u8]) -> Result<Vec<Value>, DataError> {
        let place = Place::file("r.parquet");
        let mut rows = ParquetRows::open(Box::new(file), &place)?;
        std::iter::from_fn(|| rows.next_row().transpose())
            .map(|row| row.map(|(value, _)| value))
            .collect()
    }

    #[test]
    fn rows_are_objects_with_the_columns_as_fields() {
        let file = written(&[(7, "s", Some("x")), (8, "t", None)]);
        let en = json!({"lang": "en"});
        assert_eq!(
            values(&file).unwrap(),
            [
                json!({"item": 7, "system": "s", "output": "x", "meta": en}),
                json!({"item": 8, "system": "t", "output": null, "meta": en})
            ]
        );
        let mut records = 0;
        let count = &mut |_, _: &Place| {
            records += 1;
            Ok(())
        };
        read_records(
            &written(&[(7, "s", Some("x")), (8, "t", Some(""))])[..],
            &Input::new("r"),
            count,
        )
        .unwrap();
        assert_eq!(records, 2);
    }

    #[test]
    fn a_damaged_file_is_an_error_or_rows_but_never_a_panic() {
        let file = written(&[(7, "s", Some("x")), (8, "t", None)]);
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 0xff;
            let errors = [values(&damaged).err(), values(&file[..at]).err()];
            let named = |error: &DataError| error.to_string().starts_with("r.parquet");
            assert!(
                errors[1].is_some() && errors.iter().flatten().all(named),
                "byte {at}"
            );
        }
    }

    #[test]
    fn texts_that_are_written_are_read() {
        let file = parquet_of_texts(&[("id", vec!["1", "2"]), ("body", vec!["{}", "é\n"])]);
        assert_eq!(
            values(&file.unwrap()).unwrap(),
            [
                json!({"id": "1", "body": "{}"}),
                json!({"id": "2", "body": "é\n"})
            ]
        );
    }
}
