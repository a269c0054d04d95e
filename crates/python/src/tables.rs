//! Tables in and out by the Arrow C stream interface, which pandas, polars, pyarrow and DuckDB
//! speak.

#![allow(
    unsafe_code,
    reason = "the Arrow C stream interface is a pointer in a capsule"
)]

use crate::call::error_of;
use crate::columns::batch_of_rows;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::ArrowError;
use evenhand_engine::{MemoryInput, NamedInput};
use evenhand_formats::battles::Table;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::CStr;
use std::path::PathBuf;

/// The name that the interface gives its capsules.
const STREAM: &CStr = c"arrow_array_stream";

/// An input in memory; it is forgotten with this object.
#[pyclass(frozen)]
pub(crate) struct Kept(NamedInput);

#[pymethods]
impl Kept {
    /// The name under which it is read where a path is expected.
    #[getter]
    fn path(&self) -> PathBuf {
        self.0.path().to_path_buf()
    }
}

/// Keeps a table under a name, for as long as the returned object lives. Nothing is copied.
#[pyfunction]
pub(crate) fn keep_table(name: &str, stream: &Bound<'_, PyCapsule>) -> PyResult<Kept> {
    let reader = open_stream(stream)?;
    let schema = reader.schema();
    let batches: Result<Vec<RecordBatch>, ArrowError> = reader.collect();
    let table = Table::new(schema, batches.map_err(|e| refuse_table(&e))?);
    Ok(Kept(MemoryInput::of_table(table).named(name)))
}

/// Keeps a text as a file might hold it under a name, for as long as the returned object lives.
#[pyfunction]
pub(crate) fn keep_text(name: &str, text: Vec<u8>) -> Kept {
    Kept(MemoryInput::of_text(text).named(name))
}

fn open_stream(stream: &Bound<'_, PyCapsule>) -> PyResult<RecordBatchStreamReader> {
    let pointer = stream.pointer_checked(Some(STREAM))?;
    let pointer = pointer.as_ptr().cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a stream, says the interface; the reader takes it over
    // and leaves an empty one to the capsule.
    let reader = unsafe { RecordBatchStreamReader::from_raw(pointer) };
    reader.map_err(|e| refuse_table(&e))
}

fn refuse_table(error: &ArrowError) -> PyErr {
    PyValueError::new_err(format!("the table cannot be read: {error}"))
}

/// Returns rows, which are JSON lines, as a stream of one table.
#[pyfunction]
pub(crate) fn stream_rows<'py>(py: Python<'py>, rows: &str) -> PyResult<Bound<'py, PyCapsule>> {
    let batch = batch_of_rows(rows).map_err(|e| error_of(&e))?;
    let schema = batch.schema();
    let reader = RecordBatchIterator::new([Ok(batch)], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, STREAM)
}
