//! The values of one column, some rows at a time.

use super::coded_pages::{self, CodedPages, SharedNames, lock_names};
use super::integers::Integers;
use crate::battles::plan::{Field, Part};
use ::parquet::basic::Type as PhysicalType;
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::RowGroupReader;
use ::parquet::schema::types::{ColumnDescriptor, Type};
use std::fmt::Display;
use std::io::Write;
use std::sync::Arc;

/// A column of a row group.
pub(super) struct ColumnValues {
    decoder: Decoder,
    levels: Vec<i16>,
    /// The level of a value that is not null.
    whole: i16,
    /// The different texts so far.
    pub(super) names: SharedNames,
    /// The different integers of a column that is read as text, under the numbers that their texts
    /// have.
    integers: Integers,
    /// The number among `names` of each of those integers.
    integer_names: Vec<u32>,
    /// The number of each row's text, of the rows before the first null.
    pub(super) ids: Vec<u32>,
    /// Each row's number, of the rows before the first null.
    pub(super) numbers: Vec<f64>,
    /// Each row's text, of a column whose texts are too long to be numbered, of the rows before the
    /// first null.
    pub(super) texts: Vec<ByteArray>,
}

/// Decodes the values of a column.
enum Decoder {
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

impl Decoder {
    fn open(group: &dyn RowGroupReader, field: &Field, names: &SharedNames) -> Result<Self> {
        let description = group.metadata().schema_descr().column(field.column);
        let mut encodings = group.metadata().column(field.column).encodings();
        let is_text = description.physical_type() == PhysicalType::BYTE_ARRAY;
        if is_text && field.part != Part::Text && encodings.all(coded_pages::can_read) {
            let pages = CodedPages {
                pages: group.get_column_page_reader(field.column)?,
                names: names.clone(),
                nullable: description.max_def_level() > 0,
                has_dictionary: false,
            };
            // The pages are those of a column of 32-bit integers.
            let kind = Type::primitive_type_builder(description.name(), PhysicalType::INT32);
            let column = Arc::new(ColumnDescriptor::new(
                Arc::new(kind.build()?),
                description.max_def_level(),
                0,
                description.path().clone(),
            ));
            let reader = ColumnReaderImpl::new(column, Box::new(pages));
            return Ok(Decoder::Coded(reader));
        }
        Ok(match group.get_column_reader(field.column)? {
            ColumnReader::ByteArrayColumnReader(reader) if field.part == Part::Text => {
                Decoder::Whole(reader)
            }
            ColumnReader::ByteArrayColumnReader(reader) => Decoder::Text(reader),
            ColumnReader::Int32ColumnReader(reader) => Decoder::Int32(reader),
            ColumnReader::Int64ColumnReader(reader) => Decoder::Int64(reader),
            ColumnReader::FloatColumnReader(reader) => Decoder::Float(reader),
            ColumnReader::DoubleColumnReader(reader) => Decoder::Double(reader),
            ColumnReader::BoolColumnReader(reader) => Decoder::Bool(reader),
            _ => {
                let problem = "a column changed its type".to_owned();
                return Err(ParquetError::General(problem));
            }
        })
    }
}

impl ColumnValues {
    pub(super) fn open(group: &dyn RowGroupReader, field: &Field) -> Result<Self> {
        let description = group.metadata().schema_descr().column(field.column);
        let names = SharedNames::default();
        Ok(ColumnValues {
            decoder: Decoder::open(group, field, &names)?,
            levels: Vec::new(),
            whole: description.max_def_level(),
            names,
            integers: Integers::default(),
            integer_names: Vec::new(),
            ids: Vec::new(),
            numbers: Vec::new(),
            texts: Vec::new(),
        })
    }

    /// Reads this many rows, and returns how many come before the first null.
    pub(super) fn fill(&mut self, rows: usize, as_text: bool) -> Result<usize> {
        self.levels.clear();
        self.ids.clear();
        self.numbers.clear();
        self.texts.clear();
        if as_text {
            self.fill_texts(rows)?;
        } else {
            self.fill_numbers(rows)?;
        }
        let null = self.levels.iter().position(|&level| level < self.whole);
        Ok(null.unwrap_or(rows))
    }

    fn fill_texts(&mut self, rows: usize) -> Result<()> {
        let (levels, names, ids) = (&mut self.levels, &self.names, &mut self.ids);
        match &mut self.decoder {
            Decoder::Coded(reader) => {
                let coded = read_exactly(reader, rows, levels)?;
                ids.extend(coded.iter().map(|&id| id as u32));
                Ok(())
            }
            Decoder::Text(reader) => {
                let texts: Vec<ByteArray> = read_exactly(reader, rows, levels)?;
                let mut names = lock_names(names)?;
                ids.extend(texts.iter().map(|text| names.intern(text.data()).0));
                Ok(())
            }
            Decoder::Whole(reader) => {
                self.texts.extend(read_exactly(reader, rows, levels)?);
                Ok(())
            }
            Decoder::Int32(reader) => {
                let values = read_exactly(reader, rows, levels)?;
                let values = values.iter().map(|&value| value.into());
                let known = (&mut self.integers, &mut self.integer_names);
                intern_integers(names, known, values, ids)
            }
            Decoder::Int64(reader) => {
                let values = read_exactly(reader, rows, levels)?;
                let known = (&mut self.integers, &mut self.integer_names);
                intern_integers(names, known, values.into_iter(), ids)
            }
            Decoder::Float(reader) => {
                intern_displayed(names, &read_exactly(reader, rows, levels)?, ids)
            }
            Decoder::Double(reader) => {
                intern_displayed(names, &read_exactly(reader, rows, levels)?, ids)
            }
            Decoder::Bool(reader) => {
                intern_displayed(names, &read_exactly(reader, rows, levels)?, ids)
            }
        }
    }

    fn fill_numbers(&mut self, rows: usize) -> Result<()> {
        let (levels, numbers) = (&mut self.levels, &mut self.numbers);
        match &mut self.decoder {
            Decoder::Int32(reader) => {
                let values = read_exactly(reader, rows, levels)?;
                numbers.extend(values.iter().map(|&value| f64::from(value)));
            }
            Decoder::Int64(reader) => {
                let values = read_exactly(reader, rows, levels)?;
                numbers.extend(values.iter().map(|&value| value as f64));
            }
            Decoder::Float(reader) => {
                let values = read_exactly(reader, rows, levels)?;
                numbers.extend(values.iter().map(|&value| f64::from(value)));
            }
            Decoder::Double(reader) => numbers.extend(read_exactly(reader, rows, levels)?),
            // The types were checked when the file was opened.
            _ => return self.fill_texts(rows),
        }
        Ok(())
    }

    /// Whether a row's value, of the rows that were read, is null.
    pub(super) fn is_null(&self, row: usize) -> bool {
        self.levels
            .get(row)
            .is_some_and(|level| *level < self.whole)
    }

    /// Puts something into the places of nulls: then all rows that were read have a number, or a
    /// text that is not numbered.
    pub(super) fn spread_nulls(&mut self, rows: usize) -> usize {
        let is_given = |level: &i16| *level == self.whole;
        if self.levels.iter().all(is_given) {
            return rows;
        }
        let levels = self.levels.iter().map(is_given);
        if let Decoder::Whole(_) = self.decoder {
            let mut given = std::mem::take(&mut self.texts).into_iter();
            let texts = levels.map(|is_given| if is_given { given.next() } else { None });
            self.texts = texts
                .map(|text| text.unwrap_or_else(|| ByteArray::from(Vec::new())))
                .collect();
        } else {
            let mut given = std::mem::take(&mut self.numbers).into_iter();
            let numbers = levels.map(|is_given| if is_given { given.next() } else { None });
            self.numbers = numbers.map(|number| number.unwrap_or(f64::NAN)).collect();
        }
        rows
    }

    /// Gives the nulls of the rows that were read an empty text; then all rows have a number.
    pub(super) fn fill_nulls(&mut self, rows: usize) -> usize {
        if self.ids.len() < rows {
            let empty = lock_names(&self.names).map_or(u32::MAX, |mut names| names.intern(b"").0);
            let mut given = self.ids.iter().copied();
            let levels = self.levels.iter().map(|&level| level == self.whole);
            self.ids = levels
                .map(|is_given| if is_given { given.next() } else { None }.unwrap_or(empty))
                .collect();
        }
        rows
    }
}

/// Reads exactly this many rows: their levels, and the values that are not null.
fn read_exactly<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Vec<i16>,
) -> Result<Vec<T::T>> {
    let mut values = Vec::with_capacity(rows);
    let (read, ..) = reader.read_records(rows, Some(levels), None, &mut values)?;
    // A damaged page may end early.
    if read == rows {
        Ok(values)
    } else {
        let problem = "a column has fewer rows than its row group".to_owned();
        Err(ParquetError::EOF(problem))
    }
}

/// Numbers integers by their text, which is written once for each: different ones have different
/// texts.
fn intern_integers(
    names: &SharedNames,
    (integers, integer_names): (&mut Integers, &mut Vec<u32>),
    values: impl Iterator<Item = i64>,
    ids: &mut Vec<u32>,
) -> Result<()> {
    let mut names = lock_names(names)?;
    let mut text = Vec::new();
    for value in values {
        let (id, is_new) = integers.intern(value);
        if is_new {
            text.clear();
            write!(text, "{value}")?;
            // Not the number among the integers: a null has a text too.
            integer_names.push(names.intern(&text).0);
        }
        let name = integer_names.get(id as usize);
        ids.push(name.copied().unwrap_or(u32::MAX));
    }
    Ok(())
}

/// Numbers floating-point numbers and truth values by their text.
fn intern_displayed(
    names: &SharedNames,
    values: &[impl Display],
    ids: &mut Vec<u32>,
) -> Result<()> {
    let mut names = lock_names(names)?;
    let mut text = Vec::new();
    for value in values {
        text.clear();
        write!(text, "{value}")?;
        ids.push(names.intern(&text).0);
    }
    Ok(())
}
