//! The cells of one column of a piece.

use crate::battles::fault::Result;
use crate::battles::intern::Interner;
use crate::battles::plan::{Field, Part, Plan, ValueKind};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BooleanArray, PrimitiveArray};
use arrow_schema::{DataType, Schema};
use std::borrow::Cow;

/// The cells of a column, as they are in memory.
pub(super) enum Cells<'a> {
    Texts(Vec<Option<&'a str>>),
    /// The number of each row's text among the different ones; [`NULL`] for a null. Texts are
    /// looked up once for each row here, in a loop that knows their type.
    Numbered(Vec<u32>, Interner),
    /// The place of each row's text among the texts; None for a null.
    Coded(Vec<Option<usize>>, Box<Cells<'a>>),
    Integers(Vec<Option<i128>>),
    Numbers(Vec<Option<f64>>),
    Truths(&'a BooleanArray),
}

impl<'a> Cells<'a> {
    /// Opens a column whose type was checked.
    pub(super) fn open(column: &'a ArrayRef, field: &Field) -> Result<Cells<'a>> {
        // Responses are all different, and long.
        if field.part != Part::Text
            && let Some(texts) = read_texts(column)
        {
            return Ok(number_texts(texts));
        }
        let cells = Cells::of_array(column);
        cells.ok_or_else(|| field.wrong_column(describe_type(column.data_type())))
    }

    pub(super) fn of_array(column: &'a dyn Array) -> Option<Cells<'a>> {
        if let Some(texts) = read_texts(column) {
            return Some(Cells::Texts(texts));
        }
        Some(match column.data_type() {
            DataType::Dictionary(..) => {
                let dictionary = column.as_any_dictionary_opt()?;
                let texts = Cells::of_array(dictionary.values().as_ref())?;
                let keys = dictionary.normalized_keys().into_iter().enumerate();
                let codes = keys.map(|(row, key)| column.is_valid(row).then_some(key));
                Cells::Coded(codes.collect(), Box::new(texts))
            }
            DataType::Boolean => Cells::Truths(column.as_boolean()),
            DataType::Float32 => Cells::Numbers(numbers(column.as_primitive::<Float32Type>())),
            DataType::Float64 => Cells::Numbers(numbers(column.as_primitive::<Float64Type>())),
            _ => Cells::Integers(read_integers(column)?),
        })
    }

    /// Returns how many texts a dictionary has; 0 for other columns.
    pub(super) fn count_codes(&self) -> usize {
        match self {
            Cells::Numbered(_, texts) => texts.len(),
            Cells::Coded(codes, _) => codes.iter().flatten().max().map_or(0, |code| code + 1),
            _ => 0,
        }
    }

    /// Returns the place of a row's text in the column's dictionary.
    #[inline]
    pub(super) fn code(&self, row: usize) -> Option<usize> {
        match self {
            Cells::Numbered(numbers, _) => number_at(numbers, row),
            Cells::Coded(codes, _) => codes.get(row).copied().flatten(),
            _ => None,
        }
    }

    /// Returns a row's text; None for a null. A number is written as Rust does.
    #[inline]
    pub(super) fn text(&self, row: usize) -> Option<Cow<'_, [u8]>> {
        match self {
            Cells::Texts(texts) => texts
                .get(row)
                .copied()
                .flatten()
                .map(|text| text.as_bytes().into()),
            Cells::Numbered(numbers, texts) => {
                number_at(numbers, row).map(|number| texts.get(number).into())
            }
            Cells::Coded(codes, texts) => texts.text(codes.get(row).copied().flatten()?),
            Cells::Integers(values) => written(values.get(row).copied().flatten()),
            Cells::Numbers(values) => written(values.get(row).copied().flatten()),
            Cells::Truths(array) => written(valid(*array, row).then(|| array.value(row))),
        }
    }

    /// Returns a row's number; None for a null, and where the column has no numbers.
    #[inline]
    pub(super) fn number(&self, row: usize) -> Option<f64> {
        match self {
            Cells::Integers(values) => values.get(row).copied().flatten().map(|value| value as f64),
            Cells::Numbers(values) => values.get(row).copied().flatten(),
            _ => None,
        }
    }
}

/// The number of a null.
const NULL: u32 = u32::MAX;

/// Returns the texts of a column of plain texts; None for another column.
fn read_texts(column: &dyn Array) -> Option<Vec<Option<&str>>> {
    Some(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().iter().collect(),
        DataType::LargeUtf8 => column.as_string::<i64>().iter().collect(),
        DataType::Utf8View => column.as_string_view().iter().collect(),
        _ => return None,
    })
}

fn number_texts(texts: Vec<Option<&str>>) -> Cells<'_> {
    let mut known = Interner::default();
    let numbers = texts.into_iter();
    let numbers = numbers.map(|text| text.map_or(NULL, |text| known.intern(text.as_bytes()).0));
    let numbers = numbers.collect();
    Cells::Numbered(numbers, known)
}

#[inline]
fn number_at(numbers: &[u32], row: usize) -> Option<usize> {
    let number = numbers.get(row).copied().filter(|number| *number != NULL);
    number.map(|number| number as usize)
}

pub(super) fn valid(array: &dyn Array, row: usize) -> bool {
    row < array.len() && array.is_valid(row)
}

fn written<'a>(value: Option<impl ToString>) -> Option<Cow<'a, [u8]>> {
    value.map(|value| Cow::Owned(value.to_string().into_bytes()))
}

fn numbers<T>(array: &PrimitiveArray<T>) -> Vec<Option<f64>>
where
    T: arrow_array::ArrowPrimitiveType,
    T::Native: Into<f64>,
{
    array.iter().map(|value| value.map(Into::into)).collect()
}

fn integers<T>(array: &PrimitiveArray<T>) -> Vec<Option<i128>>
where
    T: arrow_array::ArrowPrimitiveType,
    T::Native: Into<i128>,
{
    array.iter().map(|value| value.map(Into::into)).collect()
}

fn read_integers(column: &dyn Array) -> Option<Vec<Option<i128>>> {
    Some(match column.data_type() {
        DataType::Int8 => integers(column.as_primitive::<Int8Type>()),
        DataType::Int16 => integers(column.as_primitive::<Int16Type>()),
        DataType::Int32 => integers(column.as_primitive::<Int32Type>()),
        DataType::Int64 => integers(column.as_primitive::<Int64Type>()),
        DataType::UInt8 => integers(column.as_primitive::<UInt8Type>()),
        DataType::UInt16 => integers(column.as_primitive::<UInt16Type>()),
        DataType::UInt32 => integers(column.as_primitive::<UInt32Type>()),
        DataType::UInt64 => integers(column.as_primitive::<UInt64Type>()),
        _ => return None,
    })
}

/// Checks that each column has a type that its part can be read from.
pub(super) fn check_types(schema: &Schema, plan: &Plan) -> Result {
    for field in &plan.fields {
        let column = schema.field(field.column).data_type();
        if !field.part.takes(kind_of(column)) {
            return Err(field.wrong_column(describe_type(column)));
        }
    }
    Ok(())
}

/// Says what a column of a table in memory holds.
fn describe_type(column: &DataType) -> String {
    match column {
        DataType::Null => "no value in any row".into(),
        other => format!("the type {other}"),
    }
}

fn kind_of(column: &DataType) -> ValueKind {
    match column {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => ValueKind::Text,
        DataType::Dictionary(_, values) if kind_of(values) == ValueKind::Text => ValueKind::Text,
        DataType::Float32 | DataType::Float64 => ValueKind::Number,
        DataType::Boolean => ValueKind::Truth,
        column if column.is_integer() => ValueKind::Integer,
        _ => ValueKind::Other,
    }
}
