//! Stands in for the Parquet reader in a build without it.

use crate::error::{DataProblem, Place, Result};
use serde_json::Value;
use std::io::{self, Read};

/// Stands in for the rows of a file.
pub struct ParquetRows;

impl ParquetRows {
    /// Refuses the file.
    ///
    /// # Errors
    /// Always.
    pub fn open(_: impl Read, place: &Place) -> Result<ParquetRows> {
        Err(DataProblem::NoParquet.at(place))
    }

    /// Returns none.
    ///
    /// # Errors
    /// None.
    pub fn next_row(&mut self) -> Result<Option<(Value, Place)>> {
        Ok(None)
    }
}

/// See the function of this name in a build with Parquet.
///
/// # Errors
/// Always.
pub fn parquet_of_texts(_: &[(&str, Vec<&str>)]) -> io::Result<Vec<u8>> {
    Err(io::Error::other("this build has no Parquet"))
}
