//! What is wrong with a piece of a file, before it is known where in the file the piece stands.

use crate::error::{At, DataError, DataProblem, Place};
use std::sync::Arc;

/// The result of a step; where no error is named, it is a problem without its place.
pub(super) type Result<T = (), E = DataProblem> = std::result::Result<T, E>;

/// A problem in a piece of a file.
#[derive(Debug)]
pub(super) struct Fault {
    /// How many lines (of a Parquet file, rows) of the piece come before it; None where it is about
    /// the file as a whole.
    before: Option<u64>,
    problem: Box<DataProblem>,
}

impl Fault {
    /// Whether it is about the file as a whole.
    pub(super) fn is_of_file(&self) -> bool {
        self.before.is_none()
    }

    pub(super) fn of_file(problem: DataProblem) -> Self {
        Fault {
            before: None,
            problem: Box::new(problem),
        }
    }

    /// Returns a problem after so many lines or rows of the piece, unless it is about the file as a
    /// whole, wherever it was noticed.
    pub(super) fn after(before: u64, problem: DataProblem) -> Self {
        let is_of_file = matches!(
            problem,
            DataProblem::Io(_)
                | DataProblem::Gzip(_)
                | DataProblem::Parquet(_)
                | DataProblem::Values(_)
        );
        Fault {
            before: (!is_of_file).then_some(before),
            problem: Box::new(problem),
        }
    }

    /// Moves the problem behind so many more lines or rows.
    #[cfg(feature = "parquet")]
    pub(super) fn moved_by(self, more: u64) -> Self {
        Fault {
            before: self.before.map(|before| before + more),
            ..self
        }
    }

    /// Returns the error for a file of this name; `at` finds the place in the file.
    pub(super) fn locate(self, source: &Arc<str>, at: impl Fn(u64) -> At) -> DataError {
        self.problem.at(&Place {
            source: source.clone(),
            at: self.before.map_or(At::File, at),
        })
    }
}
