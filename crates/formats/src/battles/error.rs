//! The problems of files of battles or counts, and the exact words for them.

use crate::records::quote_names;
use crate::source::container::Foreign;
use crate::source::values::list_errors;
use evenhand_core::{Setting, printable};
use std::fmt;
use std::sync::Arc;

/// Where in a file something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The file as a whole.
    File,
    /// A line of a text file, from 1. A row that spans lines is at its first.
    Line(u64),
    /// A row of a Parquet file, from 1.
    Row(u64),
}

/// The result of a step; where no error is named, it is a [`BattleProblem`] without its place.
pub(super) type Result<T = (), E = BattleProblem> = std::result::Result<T, E>;

/// A problem and where it is. Its text is meant for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The file, as the caller named it.
    pub source: Arc<str>,
    /// Where in the file.
    pub at: At,
    /// The problem itself.
    pub problem: Box<BattleProblem>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let BattleProblem::Many(errors) = &*self.problem {
            return f.write_str(&list_errors(errors));
        }
        let source = printable(&self.source);
        match self.at {
            At::File => write!(f, "{source}: {}", self.problem),
            At::Line(line) => write!(f, "{source}:{line}: {}", self.problem),
            At::Row(row) => write!(f, "{source}: row {row}: {}", self.problem),
        }
    }
}

impl std::error::Error for Error {}

/// A problem of a file of battles or counts.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each is its documentation")]
pub enum BattleProblem {
    #[error("{}", list_errors(.0))]
    Many(Vec<Error>),
    #[error("cannot be read: {0}")]
    Io(String),
    #[error("the gzip data is damaged or cut short ({0}); fetch the file again")]
    Gzip(String),
    #[error("the Parquet file is damaged or cut short, or uses a feature that is not read ({0})")]
    Parquet(String),
    #[error(
        "this is a Parquet file, and this build reads none; convert it to CSV, or build with the \
         feature `parquet`"
    )]
    NoParquet,
    #[error("the file is empty; expected CSV with a header, or one JSON object a line")]
    Empty,
    #[error("there are no rows; expected at least one")]
    NoRows,
    #[error("{0}")]
    Foreign(Foreign),
    #[error(
        "the object has the key `{0}` twice, and which of the two values is meant is not known; \
         keep one of them"
    )]
    KeyTwice(String),
    #[error("no column {}; expected {expected}; the file has {}", list_names(.missing), list_names(.has))]
    Columns {
        missing: Vec<String>,
        expected: String,
        has: Vec<String>,
    },
    #[error(
        "{}: no column `{name}`{}; the file has {}", Setting::Where,
        .nearest.as_ref().map(|name| format!(" (`{name}` comes near)")).unwrap_or_default(), list_names(.has)
    )]
    NoFilterColumn {
        name: String,
        nearest: Option<String>,
        has: Vec<String>,
    },
    #[error("{} {filter}: no row is left", Setting::Where)]
    NothingLeft { filter: String },
    #[error("column {field}: expected {expected}, found the Parquet type {found}")]
    ColumnType {
        field: String,
        expected: &'static str,
        found: String,
    },
    #[error("the header has the column `{0}` twice; give every column a name of its own")]
    TwiceInHeader(String),
    #[error(
        "the row that begins here is longer than {limit} bytes; is a quotation mark left open?"
    )]
    TooLong { limit: usize },
    #[error("a quotation mark is opened here or later and never closed")]
    OpenQuote,

    #[error(
        "the row has {found} cells, but the header has {expected}; quote a cell that holds a \
         separator"
    )]
    Cells { expected: usize, found: usize },
    #[error("not valid JSON ({0}); expected one JSON object a line")]
    Json(String),
    #[error("{0}")]
    Values(String),
    #[error("field {field} is missing; expected {expected}")]
    MissingField {
        field: String,
        expected: &'static str,
    },
    #[error("field {field}: expected {expected}, found {found}")]
    WrongType {
        field: String,
        expected: &'static str,
        found: &'static str,
    },
    #[error("field {field}: not valid UTF-8 (`{lossy}`); save the file as UTF-8")]
    Utf8 { field: String, lossy: String },
    #[error("field {field} is empty; expected {expected}")]
    EmptyCell {
        field: String,
        expected: &'static str,
    },
    #[error(
        "field {field}: `{found}` is not an outcome that is known; expected `model_a`, `left`, `a` \
         or the first system's name, \
         `model_b`, `right`, `b` or the second's, `tie` or `both_bad`; say what your words mean: \
         {} '{}'", Setting::Outcomes, example_outcomes(.found)
    )]
    Winner { field: String, found: String },
    #[error(
        "field {field} is empty: the row says of nobody that he won; {} '=drop' leaves such rows out \
         and counts them",
        Setting::Outcomes
    )]
    NoWinner { field: String },
    #[error(
        "field {field}: `{found}` is not 1 or 0; one of {marks} is 1, for who won, and the others \
         are 0"
    )]
    Mark {
        field: String,
        found: String,
        marks: String,
    },
    #[error("{marks}: {found} of them are 1; expected one, for who won")]
    Marks { marks: String, found: usize },
    #[error(
        "field {field}: `{found}` is the first or the second response, and here a system of that \
         name is the other one; \
         give the systems other names, or say what the word means: {} '{}'", Setting::Outcomes, example_outcomes(.found)
    )]
    WinnerOrSystem { field: String, found: String },
    #[error(
        "field {field}: the outcomes are 1 and 0 and never -1, so who won where there is 0 (or 1) \
         is not known; \
         say it: {} '1=first,0=second', or '1=first,0=tie'",
        Setting::Outcomes
    )]
    Signs { field: String },
    #[error(
        "the system `{system}` is compared with itself; remove the row, or give the two systems \
         different names"
    )]
    Itself { system: String },
    #[error("field {field}: `{found}` is not {expected}")]
    Number {
        field: String,
        found: String,
        expected: &'static str,
    },

    #[error("there are more than {limit} different systems; is {field} a column of system names?")]
    TooManySystems { limit: usize, field: String },
    #[error("there are more than {limit} different values of {field}")]
    TooManyClusters { limit: u32, field: String },
}

impl BattleProblem {
    /// Returns the problem of a text that is not UTF-8, with the text as far as it is.
    pub(super) fn not_utf8(field: String, text: &[u8]) -> Self {
        let lossy = String::from_utf8_lossy(text).into_owned();
        BattleProblem::Utf8 { field, lossy }
    }

    /// Whether it is about the file as a whole, wherever it was noticed.
    pub(super) fn is_of_file(&self) -> bool {
        matches!(
            self,
            BattleProblem::Io(_)
                | BattleProblem::Gzip(_)
                | BattleProblem::Parquet(_)
                | BattleProblem::Values(_)
        )
    }

    /// Returns the problem at a place of a file of this name.
    pub(super) fn at(self, source: &Arc<str>, at: At) -> Error {
        Error {
            source: source.clone(),
            at,
            problem: Box::new(self),
        }
    }
}

/// A problem in a piece of a file.
#[derive(Debug)]
pub(super) struct Fault {
    /// How many lines (of a Parquet file, rows) of the piece come before it; None where it is about
    /// the file as a whole.
    before: Option<u64>,
    problem: BattleProblem,
}

impl Fault {
    /// Whether it is about the file as a whole.
    pub(super) fn is_of_file(&self) -> bool {
        self.before.is_none()
    }

    pub(super) fn of_file(problem: BattleProblem) -> Self {
        Fault {
            before: None,
            problem,
        }
    }

    /// Returns a problem after so many lines or rows of the piece.
    pub(super) fn after(before: u64, problem: BattleProblem) -> Self {
        Fault {
            before: (!problem.is_of_file()).then_some(before),
            problem,
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
    pub(super) fn locate(self, source: &Arc<str>, at: impl Fn(u64) -> At) -> Error {
        self.problem.at(source, self.before.map_or(At::File, at))
    }
}

/// Returns spellings of outcomes with this word in them.
fn example_outcomes(word: &str) -> String {
    let word = word.trim();
    if word.parse::<f64>().is_ok() {
        "1=first,2=second,0=tie".to_owned()
    } else {
        format!("{word}=first,...=second,...=tie")
    }
}

/// Lists the names in backquotes, at most 20 of them, then "and N more".
fn list_names(names: &[String]) -> String {
    quote_names(names, 20)
}
