//! Inputs that are not accepted.

use crate::Undefined;

/// Why an input was not accepted, or a single number could not be given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A row names a system that does not exist.
    #[error("row {row}: there is no system {system}; the {systems} systems are numbered from 0")]
    NoSuchSystem {
        /// Position of the row in the input, from 0.
        row: usize,
        /// The number found.
        system: usize,
        /// How many systems there are.
        systems: usize,
    },
    /// A row compares a system with itself.
    #[error("row {row}: system {system} is compared with itself; a comparison needs two systems")]
    SelfComparison {
        /// Position of the row in the input, from 0.
        row: usize,
        /// The system.
        system: usize,
    },
    /// A number of a row is NaN, infinite, too large, or negative where it must not be.
    #[error("row {row}: {field} is {value}; expected a finite number {expected}")]
    Value {
        /// Position of the row in the input, from 0.
        row: usize,
        /// Which number of the row.
        field: &'static str,
        /// The number found.
        value: f64,
        /// The range that was expected.
        expected: &'static str,
    },
    /// More systems than a dense table of pairs can hold.
    #[error("{systems} systems are too many; at most {limit} can be ranked together")]
    TooManySystems {
        /// How many were given.
        systems: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// More rows or clusters than 32 bits can count.
    #[error("{rows} rows are too many; at most 4294967295 can be counted")]
    TooManyRows {
        /// How many were given.
        rows: usize,
    },
    /// A share (a level or a power) that is not strictly between 0 and 1.
    #[error("the {name} is {value}; expected a number strictly between 0 and 1, such as 0.95")]
    Share {
        /// Which share.
        name: &'static str,
        /// The number found.
        value: f64,
    },
    /// A number of bootstrap rounds that cannot be run.
    #[error("{rounds} bootstrap rounds were asked for; expected 2 to {limit}")]
    Rounds {
        /// How many were asked for.
        rounds: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// The threads could not be started.
    #[error("the bootstrap could not start its threads: {reason}; try fewer")]
    Threads {
        /// The message of the thread pool.
        reason: String,
    },
    /// A list of weights that does not fit the data.
    #[error("{found} weights were given for {expected} clusters")]
    Weights {
        /// How many clusters there are.
        expected: usize,
        /// How many weights were given.
        found: usize,
    },
    /// An option that is out of range.
    #[error("the {name} is {value}; expected {expected}")]
    Setting {
        /// Which option.
        name: &'static str,
        /// The number found.
        value: f64,
        /// The range that was expected.
        expected: &'static str,
    },
    /// Two lists that belong together row by row and differ in length.
    #[error(
        "two lists belong together row by row, but one has {first} rows and the other {second}"
    )]
    Lengths {
        /// Rows of the first.
        first: usize,
        /// Rows of the second.
        second: usize,
    },
    /// A label that is not one of the categories.
    #[error(
        "row {row}: there is no category {category}; the {categories} categories are numbered from \
         0"
    )]
    NoSuchCategory {
        /// Position of the row in the input, from 0.
        row: usize,
        /// The number found.
        category: usize,
        /// How many categories there are.
        categories: usize,
    },
    /// More categories than a dense table of them can hold.
    #[error("{categories} categories are too many; at most {limit} can be counted")]
    TooManyCategories {
        /// How many were given.
        categories: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// A table of counts that is not square.
    #[error("{found} cells were given for a table of {categories} by {categories} categories")]
    Cells {
        /// How many categories there are.
        categories: usize,
        /// How many cells were given.
        found: usize,
    },
    /// A number of bins that cannot be used.
    #[error("{bins} bins were asked for; expected 1 to {limit}")]
    Bins {
        /// How many were asked for.
        bins: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// The inputs are valid, and the answer does not exist.
    #[error(transparent)]
    Undefined(#[from] Undefined),
}
