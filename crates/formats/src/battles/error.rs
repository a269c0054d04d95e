//! What can be wrong with a file of battles or counts, and the exact words for it.

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

/// What is wrong, and where. Its text is meant for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The file, as the caller named it.
    pub source: Arc<str>,
    /// Where in the file.
    pub at: At,
    /// What.
    pub problem: Box<Problem>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            At::File => write!(f, "{}: {}", self.source, self.problem),
            At::Line(line) => write!(f, "{}:{line}: {}", self.source, self.problem),
            At::Row(row) => write!(f, "{}: row {row}: {}", self.source, self.problem),
        }
    }
}

impl std::error::Error for Error {}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each is its documentation")]
pub enum Problem {
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
    #[error(
        "the file is one JSON array; expected one JSON object a line (`jq -c '.[]'` converts it)"
    )]
    Array,
    #[error("no column {}; expected {expected}; the file has {}", listed(.missing), listed(.has))]
    Columns {
        missing: Vec<String>,
        expected: String,
        has: Vec<String>,
    },
    #[error(
        "--where: no column `{name}`{}; the file has {}",
        .nearest.as_ref().map(|name| format!(" (`{name}` comes near)")).unwrap_or_default(), listed(.has)
    )]
    NoFilterColumn {
        name: String,
        nearest: Option<String>,
        has: Vec<String>,
    },
    #[error("--where {filter}: no row is left")]
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
         --outcomes '{}'", example(.found)
    )]
    Winner { field: String, found: String },
    #[error(
        "field {field}: `{found}` is the first or the second response, and here a system of that \
         name is the other one; \
         give the systems other names, or say what the word means: --outcomes '{}'", example(.found)
    )]
    WinnerOrSystem { field: String, found: String },
    #[error(
        "field {field}: the outcomes are 1 and 0 and never -1, so who won where there is 0 (or 1) \
         is not known; \
         say it: --outcomes '1=first,0=second', or '1=first,0=tie'"
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

impl Problem {
    /// Whether it is about the file as a whole, wherever it was noticed.
    pub(super) fn is_of_file(&self) -> bool {
        matches!(
            self,
            Problem::Io(_) | Problem::Gzip(_) | Problem::Parquet(_)
        )
    }

    /// The problem, somewhere in a file of this name.
    pub(super) fn at(self, source: &Arc<str>, at: At) -> Error {
        Error {
            source: source.clone(),
            at,
            problem: Box::new(self),
        }
    }
}

/// An argument of `--outcomes` with this word in it.
fn example(word: &str) -> String {
    match word.trim().parse::<f64>() {
        Ok(_) => "1=first,2=second,0=tie".to_owned(),
        Err(_) => format!("{}=first,...=second,...=tie", word.trim()),
    }
}

/// The names in backquotes, at most 20 of them, then "and N more".
fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let mut text = names
        .iter()
        .take(20)
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > 20 {
        text.push_str(&format!(" and {} more", names.len() - 20));
    }
    text
}
