//! Tables in and out by the Arrow C stream interface, which pandas, polars, pyarrow and DuckDB
//! speak.

#![allow(
    unsafe_code,
    reason = "the Arrow C stream interface is a pointer in a capsule"
)]

use crate::columns::batch_of_rows;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, DictionaryArray, PrimitiveArray, RecordBatch,
    RecordBatchIterator, RecordBatchOptions, RecordBatchReader, downcast_dictionary_array,
    downcast_primitive_array,
};
use arrow_schema::{ArrowError, DataType};
use evenhand_engine::{MemoryInput, NamedInput};
use evenhand_formats::battles::Table;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::ffi::CStr;
use std::path::PathBuf;
use std::sync::Arc;

/// The name that the interface gives its capsules.
const STREAM: &CStr = c"arrow_array_stream";

/// An input in memory, kept as it was when it was given.
#[pyclass(frozen)]
pub(crate) struct Kept(MemoryInput);

#[pymethods]
impl Kept {
    /// Gives it a name for as long as the returned object lives: `NAME`, or the first of `NAME 2`,
    /// `NAME 3`, .. that is free.
    fn named(&self, name: &str) -> Named {
        Named(self.0.named(name))
    }
}

/// A name of an input in memory; it is forgotten with this object.
#[pyclass(frozen)]
pub(crate) struct Named(NamedInput);

#[pymethods]
impl Named {
    /// The name under which it is read where a path is expected.
    #[getter]
    fn path(&self) -> PathBuf {
        self.0.path().to_path_buf()
    }
}

/// Keeps a table as it is now. Numbers are copied, since they may lie in an array of numpy's that
/// its owner writes to later; texts, which nobody writes to, are not.
#[pyfunction]
pub(crate) fn keep_table(stream: &Bound<'_, PyCapsule>) -> PyResult<Kept> {
    let pointer = stream.pointer_checked(Some(STREAM))?;
    let pointer = pointer.as_ptr().cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a stream, says the interface; the reader takes it over
    // and leaves an empty one to the capsule.
    let reader = unsafe { RecordBatchStreamReader::from_raw(pointer) };
    let reader = reader.map_err(|e| refuse_table(&e))?;
    let schema = reader.schema();
    let batches = reader.map(|batch| {
        let (schema, columns, rows) = batch?.into_parts();
        let columns = columns.iter().map(with_numbers_of_its_own).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema, columns, &options)
    });
    let batches: Result<Vec<RecordBatch>, ArrowError> = batches.collect();
    let table = Table::new(schema, batches.map_err(|e| refuse_table(&e))?);
    Ok(Kept(MemoryInput::of_table(table)))
}

fn with_numbers_of_its_own(column: &ArrayRef) -> ArrayRef {
    downcast_primitive_array!(
        column => Arc::new(copy_numbers(column)),
        // The codes of categories are numbers too.
        DataType::Dictionary(_, _) => downcast_dictionary_array!(
            column => {
                let codes = copy_numbers(column.keys());
                Arc::new(DictionaryArray::new(codes, column.values().clone()))
            }
            _ => column.clone(),
        ),
        _ => column.clone(),
    )
}

fn copy_numbers<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>) -> PrimitiveArray<T> {
    let copied = PrimitiveArray::new(column.values().to_vec().into(), column.nulls().cloned());
    copied.with_data_type(column.data_type().clone())
}

/// Keeps a text as a file might hold it.
#[pyfunction]
pub(crate) fn keep_text(text: Vec<u8>) -> Kept {
    Kept(MemoryInput::of_text(text))
}

fn refuse_table(error: &ArrowError) -> PyErr {
    PyValueError::new_err(format!("the table cannot be read: {error}"))
}

/// Returns records, which are dicts of what JSON has, as a stream of one table. `types` are columns
/// with the type of each, `text`, `integer`, `number` or `boolean`, or an empty one where its
/// values tell.
#[pyfunction]
pub(crate) fn stream_rows<'py>(
    py: Python<'py>,
    rows: Vec<Bound<'py, PyDict>>,
    types: Vec<(String, String)>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let batch = batch_of_rows(&rows, &types)?;
    let schema = batch.schema();
    let reader = RecordBatchIterator::new([Ok(batch)], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, STREAM)
}
