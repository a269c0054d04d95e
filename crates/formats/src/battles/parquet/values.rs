//! The values of one column, some rows at a time.

use super::coded::{self, Coded, Names};
use super::integers::Integers;
use super::{File, damaged};
use crate::battles::columns::{Field, Part, Plan};
use crate::battles::error::Problem;
use ::parquet::basic::{LogicalType, Type as Physical};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{FileReader, RowGroupReader};
use ::parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, Type};
use std::fmt::Display;
use std::io::Write;
use std::sync::Arc;

/// A column of a row group.
pub(super) struct Values {
    reader: Reader,
    levels: Vec<i16>,
    whole: i16,
    /// The different texts so far.
    pub(super) names: Names,
    /// The different integers of a column that is read as text, under the numbers that their texts
    /// have.
    integers: Integers,
    /// The number of each row's text, of the rows before the first null.
    pub(super) ids: Vec<u32>,
    /// Each row's number, of the rows before the first null.
    pub(super) numbers: Vec<f64>,
    /// Each row's text, of a column whose texts are too long to be numbered, of the rows before the
    /// first null.
    pub(super) texts: Vec<ByteArray>,
}

/// What decodes it.
enum Reader {
    /// Text, as numbers of `names`.
    Coded(ColumnReaderImpl<Int32Type>),
    /// Text in an encoding that is rare.
    Text(ColumnReaderImpl<ByteArrayType>),
    /// Text that is not numbered.
    Whole(ColumnReaderImpl<ByteArrayType>),
    Int32(ColumnReaderImpl<Int32Type>),
    Int64(ColumnReaderImpl<Int64Type>),
    Float(ColumnReaderImpl<FloatType>),
    Double(ColumnReaderImpl<DoubleType>),
    Bool(ColumnReaderImpl<BoolType>),
}

impl Values {
    pub(super) fn open(group: &dyn RowGroupReader, field: &Field) -> Result<Self> {
        let description = group.metadata().schema_descr().column(field.column);
        let (names, whole) = (Names::default(), description.max_def_level());
        let reader = match group
            .metadata()
            .column(field.column)
            .encodings()
            .all(coded::can_read)
        {
            true if description.physical_type() == Physical::BYTE_ARRAY
                && field.part != Part::Text =>
            {
                let pages = group.get_column_page_reader(field.column)?;
                let pages = Coded {
                    pages,
                    names: names.clone(),
                    nullable: whole > 0,
                    dictionary: false,
                };
                Reader::Coded(ColumnReaderImpl::new(
                    as_integers(&description)?,
                    Box::new(pages),
                ))
            }
            _ => match group.get_column_reader(field.column)? {
                ColumnReader::ByteArrayColumnReader(reader) if field.part == Part::Text => {
                    Reader::Whole(reader)
                }
                ColumnReader::ByteArrayColumnReader(reader) => Reader::Text(reader),
                ColumnReader::Int32ColumnReader(reader) => Reader::Int32(reader),
                ColumnReader::Int64ColumnReader(reader) => Reader::Int64(reader),
                ColumnReader::FloatColumnReader(reader) => Reader::Float(reader),
                ColumnReader::DoubleColumnReader(reader) => Reader::Double(reader),
                ColumnReader::BoolColumnReader(reader) => Reader::Bool(reader),
                _ => {
                    return Err(ParquetError::General(
                        "a column changed its type".to_owned(),
                    ));
                }
            },
        };
        Ok(Values {
            reader,
            levels: Vec::new(),
            whole,
            names,
            integers: Integers::default(),
            ids: Vec::new(),
            numbers: Vec::new(),
            texts: Vec::new(),
        })
    }

    /// Reads this many rows, and says how many come before the first null.
    pub(super) fn fill(&mut self, rows: usize, as_text: bool) -> Result<usize> {
        self.levels.clear();
        self.ids.clear();
        self.numbers.clear();
        self.texts.clear();
        let levels = &mut self.levels;
        match &mut self.reader {
            Reader::Coded(reader) => self
                .ids
                .extend(records(reader, rows, levels)?.iter().map(|&id| id as u32)),
            Reader::Text(reader) => {
                let texts = records(reader, rows, levels)?;
                intern(
                    &self.names,
                    texts.iter().map(|text| text.data()),
                    &mut self.ids,
                )?;
            }
            Reader::Whole(reader) => self.texts.extend(records(reader, rows, levels)?),
            Reader::Int32(reader) if as_text => {
                let values = records(reader, rows, levels)?;
                number(
                    &self.names,
                    &mut self.integers,
                    values.iter().map(|&value| value.into()),
                    &mut self.ids,
                )?;
            }
            Reader::Int64(reader) if as_text => {
                let values = records(reader, rows, levels)?;
                number(
                    &self.names,
                    &mut self.integers,
                    values.iter().copied(),
                    &mut self.ids,
                )?;
            }
            Reader::Float(reader) if as_text => {
                spell(&self.names, &records(reader, rows, levels)?, &mut self.ids)?
            }
            Reader::Double(reader) if as_text => {
                spell(&self.names, &records(reader, rows, levels)?, &mut self.ids)?
            }
            Reader::Bool(reader) => {
                spell(&self.names, &records(reader, rows, levels)?, &mut self.ids)?
            }
            Reader::Int32(reader) => self.numbers.extend(
                records(reader, rows, levels)?
                    .iter()
                    .map(|&value| f64::from(value)),
            ),
            Reader::Int64(reader) => self.numbers.extend(
                records(reader, rows, levels)?
                    .iter()
                    .map(|&value| value as f64),
            ),
            Reader::Float(reader) => self.numbers.extend(
                records(reader, rows, levels)?
                    .iter()
                    .map(|&value| f64::from(value)),
            ),
            Reader::Double(reader) => self.numbers.extend(records(reader, rows, levels)?),
        }
        Ok(self
            .levels
            .iter()
            .position(|&level| level < self.whole)
            .unwrap_or(rows))
    }

    /// Gives the nulls of the rows that were read an empty text; then all rows have a number.
    pub(super) fn with_nulls(&mut self, rows: usize) -> usize {
        if self.ids.len() < rows {
            let empty = self
                .names
                .lock()
                .map_or(u32::MAX, |mut names| names.intern(b"").0);
            let mut given = self.ids.iter().copied();
            let levels = self.levels.iter().map(|&level| level == self.whole);
            self.ids = levels
                .map(|there| if there { given.next() } else { None }.unwrap_or(empty))
                .collect();
        }
        rows
    }
}

/// The column as one of 32-bit integers.
fn as_integers(column: &ColumnDescriptor) -> Result<ColumnDescPtr> {
    let kind = Type::primitive_type_builder(column.name(), Physical::INT32).build()?;
    Ok(Arc::new(ColumnDescriptor::new(
        Arc::new(kind),
        column.max_def_level(),
        0,
        column.path().clone(),
    )))
}

/// Exactly this many rows: their levels, and the values that are not null.
fn records<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Vec<i16>,
) -> Result<Vec<T::T>> {
    let mut values = Vec::with_capacity(rows);
    let (read, ..) = reader.read_records(rows, Some(levels), None, &mut values)?;
    if read == rows {
        Ok(values)
    } else {
        Err(ParquetError::EOF(
            "a column has fewer rows than its row group".to_owned(),
        ))
    }
}

fn intern<'a>(
    names: &Names,
    texts: impl Iterator<Item = &'a [u8]>,
    ids: &mut Vec<u32>,
) -> Result<()> {
    let mut names = names
        .lock()
        .map_err(|_| ParquetError::General("another reader has failed".to_owned()))?;
    ids.extend(texts.map(|text| names.intern(text).0));
    Ok(())
}

/// Integers by their text, which is written once for each: different ones have different texts.
fn number(
    names: &Names,
    integers: &mut Integers,
    values: impl Iterator<Item = i64>,
    ids: &mut Vec<u32>,
) -> Result<()> {
    let mut names = names
        .lock()
        .map_err(|_| ParquetError::General("another reader has failed".to_owned()))?;
    let mut text = Vec::new();
    for value in values {
        let (id, new) = integers.number(value);
        if new {
            text.clear();
            write!(text, "{value}")?;
            names.intern(&text);
        }
        ids.push(id);
    }
    Ok(())
}

/// Floating-point numbers and truth values by their text.
fn spell(names: &Names, values: &[impl Display], ids: &mut Vec<u32>) -> Result<()> {
    let mut names = names
        .lock()
        .map_err(|_| ParquetError::General("another reader has failed".to_owned()))?;
    let mut text = Vec::new();
    for value in values {
        text.clear();
        write!(text, "{value}")?;
        ids.push(names.intern(&text).0);
    }
    Ok(())
}

/// Whether each column has a type that its part can be read from.
pub(super) fn check_types(file: &File, plan: &Plan) -> std::result::Result<(), Problem> {
    let schema = file.metadata().file_metadata().schema_descr();
    for field in &plan.fields {
        let column = schema.column(field.column);
        if column.max_rep_level() > 0 || !fits(&column, field.part) {
            let expected = if field.part.is_number() {
                "an integer or floating-point column"
            } else {
                "a column of text"
            };
            let found = format!(
                "{:?}{}",
                column.physical_type(),
                if column.max_rep_level() > 0 {
                    " (a list)"
                } else {
                    ""
                }
            );
            return Err(Problem::ColumnType {
                field: field.name.clone(),
                expected,
                found,
            });
        }
    }
    // A file that is cut may still have its schema.
    let rows: i64 = file
        .metadata()
        .row_groups()
        .iter()
        .map(|group| group.num_rows())
        .sum();
    let said = file.metadata().file_metadata().num_rows();
    if rows == said {
        Ok(())
    } else {
        Err(damaged(&ParquetError::General(format!(
            "{rows} rows instead of {said}"
        ))))
    }
}

fn fits(column: &ColumnDescriptor, part: Part) -> bool {
    let decimal = matches!(column.logical_type_ref(), Some(LogicalType::Decimal { .. }));
    let number = matches!(
        column.physical_type(),
        Physical::INT32 | Physical::INT64 | Physical::FLOAT | Physical::DOUBLE
    );
    let text = column.physical_type() == Physical::BYTE_ARRAY;
    match part {
        Part::System | Part::Text => text,
        Part::Winner => text || number && !decimal,
        Part::Cluster => text || number,
        Part::Filter => text || number || column.physical_type() == Physical::BOOLEAN,
        Part::Weight | Part::Covariate | Part::Count => number && !decimal,
    }
}
