//! The ground under all readers: what a file is, its text, and the rows or values in it.

mod archive;
pub(crate) mod container;
pub(crate) mod csv;
pub(crate) mod foreign;
pub(crate) mod json;
pub(crate) mod json_lines;
mod json_record;
pub(crate) mod json_scan;
pub(crate) mod json_words;
pub(crate) mod layout;
pub(crate) mod nearest;
#[cfg_attr(not(feature = "parquet"), path = "no_parquet.rs")]
pub(crate) mod parquet;
#[cfg(feature = "parquet")]
pub(crate) mod parquet_writer;
pub(crate) mod point;
mod promptfoo;
pub(crate) mod python_json;
mod split;
pub(crate) mod value_source;
pub(crate) mod values;
