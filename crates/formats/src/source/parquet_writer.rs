//! Tables written as Parquet, row by row: one row group is held at a time.

use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use serde_json::Value;
use std::io::{self, Write};
use std::sync::Arc;

/// The most rows of a row group.
const MOST_ROWS: usize = 1 << 16;

/// The bytes of cells at which a row group ends.
const GROUP_BYTES: usize = 32 << 20;

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Whole numbers, of 64 bits.
    Integer,
    /// Numbers, of 64 bits.
    Number,
    /// True or false.
    Flag,
    /// Texts; another value is written as its JSON.
    Text,
}

/// Writes rows as they come, compressed with zstd. Every cell may be null. The file is whole after
/// [`ParquetWriter::finish`].
pub struct ParquetWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    /// The cells of the row group under way.
    columns: Vec<Column>,
    rows: usize,
    bytes: usize,
}

struct Column {
    name: String,
    /// Those that are not null.
    cells: Cells,
    /// For each row 1, or 0 for null.
    there: Vec<i16>,
}

enum Cells {
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
    Flags(Vec<bool>),
    Texts(Vec<ByteArray>),
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Begins a file with these columns, whose names are words without spaces.
    ///
    /// # Errors
    /// Those of the file; a name that is no word.
    pub fn new<'a>(
        out: W,
        columns: impl IntoIterator<Item = (&'a str, ColumnKind)>,
    ) -> io::Result<ParquetWriter<W>> {
        let mut fields = String::new();
        let columns = columns.into_iter().map(|(name, kind)| {
            let (cells, field) = match kind {
                ColumnKind::Integer => (Cells::Integers(Vec::new()), format!("int64 {name}")),
                ColumnKind::Number => (Cells::Numbers(Vec::new()), format!("double {name}")),
                ColumnKind::Flag => (Cells::Flags(Vec::new()), format!("boolean {name}")),
                ColumnKind::Text => (Cells::Texts(Vec::new()), format!("binary {name} (UTF8)")),
            };
            fields += &format!("optional {field};");
            Column {
                name: name.into(),
                cells,
                there: Vec::new(),
            }
        });
        let columns = columns.collect();
        let schema = parse_message_type(&format!("message rows {{ {fields} }}"));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .build();
        let file = schema.and_then(|schema| {
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))
        });
        Ok(ParquetWriter {
            file: file.map_err(io_error)?,
            columns,
            rows: 0,
            bytes: 0,
        })
    }

    /// Adds a row, with a cell for each column. A row group that is full is written.
    ///
    /// # Errors
    /// Those of the file; a cell that its column does not take; too many cells, or too few.
    pub fn write_row<'a>(&mut self, cells: impl IntoIterator<Item = &'a Value>) -> io::Result<()> {
        let mut cells = cells.into_iter();
        for column in &mut self.columns {
            let Some(cell) = cells.next() else {
                return Err(io::Error::other(format!("column {}: no cell", column.name)));
            };
            column.there.push((!cell.is_null()).into());
            self.bytes += size_of::<u64>();
            let wrong = |expected| {
                let name = &column.name;
                io::Error::other(format!("column {name}: expected {expected}, found {cell}"))
            };
            match (&mut column.cells, cell) {
                (_, Value::Null) => {}
                (Cells::Integers(all), cell) => {
                    let number = cell.as_i64();
                    all.push(number.ok_or_else(|| wrong("an integer of 64 bits"))?);
                }
                (Cells::Numbers(all), cell) => {
                    all.push(cell.as_f64().ok_or_else(|| wrong("a number"))?);
                }
                (Cells::Flags(all), cell) => {
                    all.push(cell.as_bool().ok_or_else(|| wrong("true or false"))?);
                }
                (Cells::Texts(all), cell) => {
                    let text = match cell {
                        Value::String(text) => text.clone(),
                        other => other.to_string(),
                    };
                    self.bytes += text.len();
                    all.push(text.into_bytes().into());
                }
            }
        }
        if cells.next().is_some() {
            return Err(io::Error::other("a row with more cells than columns"));
        }
        self.rows += 1;
        if self.rows == MOST_ROWS || self.bytes >= GROUP_BYTES {
            self.write_group().map_err(io_error)?;
        }
        Ok(())
    }

    /// Writes what is left, and the end of the file. A file without rows has its columns.
    ///
    /// # Errors
    /// Those of the file.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.rows > 0 {
            self.write_group().map_err(io_error)?;
        }
        self.file.finish().map(|_| ()).map_err(io_error)
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            let Some(mut out) = group.next_column()? else {
                break;
            };
            let there = Some(&column.there[..]);
            match &mut column.cells {
                Cells::Integers(all) => {
                    out.typed::<Int64Type>().write_batch(all, there, None)?;
                    all.clear();
                }
                Cells::Numbers(all) => {
                    out.typed::<DoubleType>().write_batch(all, there, None)?;
                    all.clear();
                }
                Cells::Flags(all) => {
                    out.typed::<BoolType>().write_batch(all, there, None)?;
                    all.clear();
                }
                Cells::Texts(all) => {
                    out.typed::<ByteArrayType>().write_batch(all, there, None)?;
                    all.clear();
                }
            }
            out.close()?;
            column.there.clear();
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

/// Returns the error of the file as it was: a reader that went away is known by its kind.
fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;
    use crate::source::parquet::ParquetRows;
    use ::parquet::file::reader::FileReader;
    use ::parquet::file::serialized_reader::SerializedFileReader;
    use proptest::prelude::*;
    use serde_json::json;
    use std::io::ErrorKind;

    const COLUMNS: [(&str, ColumnKind); 4] = [
        ("count", ColumnKind::Integer),
        ("share", ColumnKind::Number),
        ("flag", ColumnKind::Flag),
        ("text", ColumnKind::Text),
    ];

    fn written(rows: &[[Value; 4]]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut writer = ParquetWriter::new(&mut file, COLUMNS).unwrap();
        for row in rows {
            writer.write_row(row).unwrap();
        }
        writer.finish().unwrap();
        drop(writer);
        file
    }

    fn read(file: &[u8]) -> Vec<[Value; 4]> {
        let mut rows = ParquetRows::open(file, &Place::file("f")).unwrap();
        std::iter::from_fn(|| rows.next_row().unwrap())
            .map(|(row, _)| COLUMNS.map(|(name, _)| row[name].clone()))
            .collect()
    }

    fn cell<S: Strategy<Value: Into<Value>>>(cells: S) -> impl Strategy<Value = Value> {
        proptest::option::of(cells).prop_map(|cell| cell.map_or(Value::Null, Into::into))
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(rows in proptest::collection::vec(
            (cell(any::<i64>()), cell(-1e9..1e9), cell(any::<bool>()), cell("(?s).{0,20}")), 0..40,
        )) {
            let rows: Vec<[Value; 4]> = rows.into_iter().map(|(a, b, c, d)| [a, b, c, d]).collect();
            prop_assert_eq!(read(&written(&rows)), rows);
        }
    }

    /// Long texts end a group before its rows do.
    #[test]
    fn row_groups_are_bounded_by_rows_and_by_bytes() {
        let groups = |file: Vec<u8>| -> Vec<i64> {
            let file = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
            let groups = file.metadata().row_groups().iter();
            groups.map(|group| group.num_rows()).collect()
        };
        let short = [json!(1), json!(0.5), Value::Null, json!("")];
        let many = written(&vec![short.clone(); MOST_ROWS + 2]);
        assert_eq!(groups(many), [MOST_ROWS as i64, 2]);
        let mut long = short;
        long[3] = "é\n".repeat(GROUP_BYTES / 6).into();
        assert_eq!(groups(written(&vec![long; 5])), [2, 2, 1]);
        assert_eq!(groups(written(&[])), [0; 0]);
    }

    #[test]
    fn a_cell_of_another_kind_is_an_error() {
        let mut writer = ParquetWriter::new(Vec::new(), COLUMNS).unwrap();
        let mut refusal = |row: &[Value]| writer.write_row(row).unwrap_err().to_string();
        assert_eq!(
            refusal(&[json!(u64::MAX), Value::Null, Value::Null, Value::Null]),
            "column count: expected an integer of 64 bits, found 18446744073709551615"
        );
        assert_eq!(refusal(&[json!(1)]), "column share: no cell");
    }

    #[test]
    fn a_reader_that_went_away_is_known() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut writer = ParquetWriter::new(Gone, COLUMNS).unwrap();
        let row = [json!(1), json!(0.5), json!(true), json!("x")];
        writer.write_row(&row).unwrap();
        assert_eq!(writer.finish().unwrap_err().kind(), ErrorKind::BrokenPipe);
    }
}
