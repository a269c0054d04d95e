//! Readers of the data, battle and judgment files that language-model evaluation is recorded in.
//!
//! All readers stand on one ground: `error` says what is wrong with a file and where, `source` what
//! a file is, and cuts its text into rows or records, `filter` which of them are read, and
//! `outcomes` how a file spells who won. Above it are three builders: [`records`] of data sets,
//! [`battles`] at speed, and [`judgments`].
//!
//! Nothing here opens a file, reads a clock or draws a random number: readers take any
//! [`std::io::BufRead`].

mod dataset;
mod error;
mod filter;
mod latency;
mod outcomes;
mod source;
mod style;

pub mod battles;
pub mod judgments;
pub mod records;

pub use dataset::{Dataset, DatasetBuilder, InMemory, Label, Selection, TextRef, Texts};
pub use error::{At, DataError, DataProblem, Missing, Place, describe_skipped};
pub use latency::{LATENCY_FIELDS, read_latency};
pub use source::foreign::Foreign;
pub use source::nearest::nearest;
pub use source::parquet::{ParquetRows, parquet_of_texts};
#[cfg(feature = "parquet")]
pub use source::parquet_writer::{ColumnKind, ParquetWriter};
pub use style::{Style, StyleCovariate, count_covariates, count_style, count_tokens};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
