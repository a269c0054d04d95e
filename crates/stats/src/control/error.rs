//! Errors of a regression on covariates.

use crate::{Error, Undefined};

/// Why a controlled fit could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// A row, a level or a number of threads that cannot be used, or an answer that does not exist.
    #[error(transparent)]
    Input(#[from] Error),
    /// Columns of different lengths.
    #[error("column {column} has {found} rows; expected {expected}, as many as the others")]
    Length {
        /// Which column.
        column: String,
        /// How many rows the others have.
        expected: usize,
        /// How many rows it has.
        found: usize,
    },
    /// A covariate that is NaN, infinite or too large.
    #[error(
        "row {row}: covariate {covariate} is {value}; expected a number between -1e30 and 1e30"
    )]
    Covariate {
        /// Position of the row in the input, from 0.
        row: usize,
        /// Position of the covariate, from 0.
        covariate: usize,
        /// The number found.
        value: f64,
    },
    /// A column that does not vary and so cannot be standardised.
    #[error("the column has the same value in all {rows} rows, so it says nothing; leave it out")]
    Constant {
        /// How many rows there are.
        rows: usize,
    },
    /// A covariate that the others determine: its coefficient could be anything.
    #[error("covariate {covariate} is determined by {}; leave one of them out", name_others(.by))]
    Collinear {
        /// Position of the covariate, from 0.
        covariate: usize,
        /// Earlier covariates that it is a combination of; none if the systems alone determine it
        /// (or it is 0 throughout).
        by: Vec<usize>,
    },
    /// A covariate that, with the others, predicts outcomes without a mistake: its coefficient has
    /// no finite maximum.
    #[error("covariate {covariate} separates the outcomes, so its effect has no finite estimate")]
    Separated {
        /// Position of the covariate with the largest part in it, from 0.
        covariate: usize,
    },
    /// Fewer rows than numbers to be estimated.
    #[error("{rows} rows with a weight cannot determine {parameters} numbers")]
    TooFewRows {
        /// Rows with a weight above 0 between systems that are scored.
        rows: usize,
        /// Differences in strength and coefficients to be estimated.
        parameters: usize,
    },
}

impl From<Undefined> for ControlError {
    fn from(reason: Undefined) -> Self {
        ControlError::Input(Error::Undefined(reason))
    }
}

fn name_others(by: &[usize]) -> String {
    if by.is_empty() {
        return "which systems are compared, or is 0 in all rows".into();
    }
    let names = by.iter().map(|other| format!("covariate {other}"));
    names.collect::<Vec<_>>().join(" and ")
}
