//! The problems of data sets, and the exact words for them: every message of the readers of records
//! is here.

use crate::source::container::Foreign;
use crate::source::values::list_errors;
use evenhand_core::{Setting, printable};
use std::fmt;
use std::sync::Arc;

/// Where in the user's files something is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file, as the user named it.
    pub source: Arc<str>,
    /// From 1; 0 means the file as a whole.
    pub line: u64,
    /// In characters, from 1; 0 means the line as a whole.
    pub column: u64,
}

impl Place {
    /// Returns a file as a whole.
    pub fn file(source: impl Into<Arc<str>>) -> Self {
        Place {
            source: source.into(),
            line: 0,
            column: 0,
        }
    }

    /// Returns a line of this file.
    pub fn at_line(&self, line: u64) -> Self {
        Place {
            source: self.source.clone(),
            line,
            column: 0,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A file's name may hold a line end, or what a terminal acts on.
        f.write_str(&printable(&self.source))?;
        match (self.line, self.column) {
            (0, _) => Ok(()),
            (line, 0) => write!(f, ":{line}"),
            (line, column) => write!(f, ":{line}:{column}"),
        }
    }
}

/// The result of reading data; where no error is named, it is a [`DataError`].
pub type Result<T = (), E = DataError> = std::result::Result<T, E>;

/// A problem of the data, and where it is. Its text is meant for the user.
#[derive(Debug)]
pub struct DataError {
    /// Where; None where it is about the data set as a whole.
    pub place: Option<Place>,
    /// The problem itself.
    pub problem: Box<DataProblem>,
}

impl DataError {
    /// Returns a problem of the data set as a whole.
    pub fn new(problem: DataProblem) -> Self {
        DataError {
            place: None,
            problem: Box::new(problem),
        }
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        self.problem.fmt(f)
    }
}

impl std::error::Error for DataError {}

/// An item that some systems have not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The item's id.
    pub item: String,
    /// The systems that have no response for it, in the order of the data set.
    pub systems: Vec<Arc<str>>,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` (no response of {})",
            self.item,
            quote_names(&self.systems, 3)
        )
    }
}

/// A problem of a data set or its files.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each is its documentation")]
pub enum DataProblem {
    #[error("cannot be read: {0}")]
    Io(String),
    #[error("{0}")]
    Foreign(Foreign),
    #[error("{}", list_errors(.0))]
    Many(Vec<DataError>),
    #[error("the file is empty; expected at least one record")]
    Empty,
    #[error(
        "there is nothing after the first line, which is read as the header of a CSV file; \
         expected rows, or JSON"
    )]
    NoRows,
    #[error("not valid JSON ({expected}); {layout}")]
    Json {
        expected: String,
        layout: &'static str,
    },
    #[error(
        "the object has the key `{0}` twice, and which of the two values is meant is not known; \
         keep one of them"
    )]
    KeyTwice(String),
    #[error(
        "not valid UTF-8 (byte 0x{byte:02x} at byte offset {offset} of the file); save the file as \
         UTF-8"
    )]
    Utf8 { byte: u8, offset: u64 },
    #[error(
        "the record that begins here is longer than {limit} bytes; is the file one record per \
         line, or one JSON array?"
    )]
    TooLong { limit: usize },
    #[error("the Parquet file is damaged or cut short, or uses a feature that is not read ({0})")]
    Parquet(String),
    #[error(
        "this is a Parquet file, and this build reads none; convert it to CSV, or build with the \
         feature `parquet`"
    )]
    NoParquet,
    #[error(
        "a quotation mark is opened in the row that begins here and never closed; is the file cut \
         short?"
    )]
    OpenQuote,
    #[error("the header has the column `{0}` twice; give every column a name of its own")]
    TwiceInHeader(String),
    #[error(
        "the row has {found} cells, but the header has {expected}; quote a cell that holds a \
         separator"
    )]
    Cells { expected: usize, found: usize },

    #[error(
        "expected a JSON object, found {found}; each record must be an object with named fields"
    )]
    NotAnObject { found: &'static str },
    #[error("field {field} is missing; expected {expected}; the record has {}", quote_names(.has, 12))]
    MissingField {
        field: String,
        expected: &'static str,
        has: Vec<String>,
    },
    #[error("field {field}: expected {expected}, found {found}")]
    WrongType {
        field: String,
        expected: &'static str,
        found: String,
    },
    #[error(
        "field {field}: there is no response (`{found}`), as where a generation failed; go on without \
         such responses with {}",
        Setting::AllowMissing
    )]
    NoOutput { field: String, found: &'static str },
    #[error(
        "the record has a label and more than two responses, and which two it is of is not known; \
         leave the field of the label out"
    )]
    LabelOfMany,
    #[error("field {field}, criterion {number}: {why}")]
    Criterion {
        field: String,
        number: usize,
        why: String,
    },
    #[error(
        "field {field}: `{found}` names no preference; expected 1, `a` or `{a}` for the first, 2, \
         `b` or `{b}` for the second, 0 or `tie`; \
         say what your words mean: {} '{found}=first,...=second,...=tie'",
        Setting::Outcomes
    )]
    UnknownPreference {
        field: String,
        found: String,
        a: String,
        b: String,
    },
    #[error(
        "the record names no system, and none was given for the file; map one with {} \
         system=FIELD or {} system:=NAME",
        Setting::Map,
        Setting::Map
    )]
    NoSystemName,
    #[error(
        "the format is not known: the record has {}; say which field is which with {}, or name the \
         format with {} ({}){hint}",
        quote_names(.has, 12), suggest_map(.has), Setting::InputFormat, .formats.join(", ")
    )]
    Unrecognised {
        has: Vec<String>,
        hint: String,
        formats: Vec<&'static str>,
    },
    #[error(
        "no field of the record is of use: expected {}, {}, or {} with two systems; the record has \
         {}",
        .output, .instruction, .label, quote_names(.has, 12)
    )]
    NothingMapped {
        output: String,
        instruction: String,
        label: String,
        has: Vec<String>,
    },

    #[error(
        "{argument}: no file has a field `{field}`{}; {name} has {}",
        .nearest.as_ref().map(|name| format!(" (`{name}` comes near)")).unwrap_or_default(), quote_names(.has, 20)
    )]
    NoSuchField {
        argument: String,
        field: String,
        nearest: Option<String>,
        name: String,
        has: Vec<String>,
    },
    #[error(
        "field {field}: the labels are 1 and 0 and never 2 or -1, so who is preferred where there \
         is 0 (or 1) is not known; \
         say it: {} '1=first,0=second', or '1=first,0=tie'",
        Setting::Outcomes
    )]
    Zeros { field: String },
    #[error(
        "field {field}: `{found}` is the first or the second response, and here a system of that \
         name is the other one; \
         give the systems other names, or say what the word means: {} \
         '{found}=first,...=second,...=tie'",
        Setting::Outcomes
    )]
    PreferenceOrSystem { field: String, found: String },
    #[error(
        "{} `{argument}`: expected FIELD=VALUE, such as category=coding",
        Setting::Where
    )]
    Where { argument: String },
    #[error(
        "{} {found}: expected first, second, a number from 1, each or whole",
        Setting::Turn
    )]
    Turn { found: String },
    #[error(
        "{}: {name} has no field `{field}`, and {other} has; leave one of the two out, or \
         give the records of {name} the field",
        Setting::Where
    )]
    FilterLacks {
        field: String,
        name: String,
        other: String,
    },
    #[error(
        "{} {filter}: nothing is left; values are compared as they are written, capitals and \
         all",
        Setting::Where
    )]
    NothingLeft { filter: String },

    #[error("{}: `{found}` is not known; expected one of {}", Setting::InputFormat, .formats.join(", "))]
    UnknownFormat {
        found: String,
        formats: Vec<&'static str>,
    },
    #[error(
        "{}: `{part}`: {what}; expected NAME=FIELD or NAME:=VALUE, separated by commas, for \
         example output=answer,item=question_id",
        Setting::Map
    )]
    Mapping { part: String, what: String },

    #[error("duplicate item id `{item}` (first at {first}); give every item an id of its own")]
    DuplicateItem { item: String, first: Place },
    #[error(
        "the item `{item}` has another instruction than at {first}; give every item an id of its \
         own"
    )]
    ConflictingItem { item: String, first: Place },
    #[error(
        "duplicate response of `{system}` for the item `{item}` (first at {first}); remove one of \
         them, or give the systems different names"
    )]
    DuplicateResponse {
        item: String,
        system: String,
        first: Place,
    },
    #[error(
        "two pairs have the question of the item `{item}` (first at {first}) and other responses \
         of `{system}`; \
         {} item=# makes every record an item of its own",
        Setting::Map
    )]
    DuplicatePair {
        item: String,
        system: String,
        first: Place,
    },
    #[error(
        "both responses of the pair are of the system `{system}`; say which field names each: \
         system_1=FIELD,system_2=FIELD in {}",
        Setting::Map
    )]
    SameSystem { system: String },
    #[error(
        "a second reference answer for the item `{item}` (first at {first}); give one file of them"
    )]
    DuplicateReference { item: String, first: Place },
    #[error(
        "{}: expected answers with the names of their items, such as MT-Bench's \
         reference_answer/gpt-4.jsonl",
        Setting::ReferenceAnswers
    )]
    NoReferences,
    #[error("duplicate rating of `{system}` (first at {first}); remove one of them")]
    DuplicateRating { system: String, first: Place },
    #[error(
        "{what} for the unknown item `{item}`; give the file with the items too, before this one"
    )]
    UnknownItem { what: &'static str, item: String },
    #[error("label for the system `{system}`, which has no response; the systems are {}", quote_names(.known, 10))]
    UnknownLabelSystem {
        system: String,
        known: Vec<Arc<str>>,
    },

    #[error("{}: {} not in the data; the systems are {}", Setting::Systems, quote_names(.unknown, 10), quote_names(.known, 50))]
    UnknownSystems {
        unknown: Vec<String>,
        known: Vec<Arc<str>>,
    },
    #[error(
        "{} of {items} items lack a response of some system: {}; add the responses, or go on \
         without them with {}",
        .missing.len(), list_some(.missing.iter(), 10), Setting::AllowMissing
    )]
    MissingResponses { missing: Vec<Missing>, items: usize },
    #[error(
        "there are no items; give a file with items, or with records that hold their instruction"
    )]
    NoItems,
    #[error("there are no responses; give a file with the systems' responses")]
    NoResponses,
    #[error(
        "there is only one system (`{system}`), and a comparison needs two; add the responses of \
         another, or use a pointwise protocol"
    )]
    OneSystem { system: Arc<str> },
}

impl DataProblem {
    /// Whether it is of one record alone, so that others of its file may be read.
    pub(crate) fn is_of_record(&self) -> bool {
        !matches!(
            self,
            DataProblem::Many(_)
                | DataProblem::Io(_)
                | DataProblem::Foreign(_)
                | DataProblem::Empty
                | DataProblem::NoRows
                | DataProblem::TooLong { .. }
                | DataProblem::OpenQuote
                | DataProblem::Parquet(_)
                | DataProblem::NoParquet
                | DataProblem::TwiceInHeader(_)
                | DataProblem::Unrecognised { .. }
                | DataProblem::NothingMapped { .. }
        )
    }

    /// Returns the problem at this place.
    pub fn at(self, place: &Place) -> DataError {
        DataError {
            place: Some(place.clone()),
            problem: Box::new(self),
        }
    }
}

/// Suggests a mapping for a record with these fields: two responses to an instruction, or one and
/// its system.
fn suggest_map(has: &[String]) -> String {
    let is_id = |field: &str| field == "id" || field.ends_with("_id");
    let like = |names: &[&str]| -> Vec<&String> {
        let fields = has.iter().filter(|field| !is_id(field));
        fields
            .filter(|field| names.iter().any(|name| field.to_lowercase().contains(name)))
            .collect()
    };
    // The item and its instruction, as far as fields are called like them.
    let mut from = String::new();
    if let Some(field) = has.iter().find(|field| is_id(field)) {
        from += &format!("item={field},");
    }
    if let Some(field) = like(&INSTRUCTIONS).first() {
        from += &format!("instruction={field},");
    }
    let map = Setting::Map;
    match (&like(&OUTPUTS)[..], &like(&SYSTEMS)[..]) {
        ([first, second, ..], _) if !from.is_empty() => {
            format!("{map} '{from}output_1={first},output_2={second}'")
        }
        ([output], [system, ..]) if !from.is_empty() => {
            format!("{map} '{from}system={system},output={output}'")
        }
        _ => {
            format!("{map} '{ONE_RESPONSE}', or for two responses a record {map} '{TWO_RESPONSES}'")
        }
    }
}

const ONE_RESPONSE: &str = "item=FIELD,instruction=FIELD,system=FIELD,output=FIELD";
const TWO_RESPONSES: &str = "instruction=FIELD,output_1=FIELD,output_2=FIELD";
/// Parts of the names of fields with instructions, responses and systems.
const INSTRUCTIONS: [&str; 5] = ["question", "instruction", "prompt", "query", "input"];
const OUTPUTS: [&str; 5] = ["answer", "response", "output", "completion", "reply"];
const SYSTEMS: [&str; 3] = ["system", "model", "version"];

/// Lists the names in backquotes, at most `limit` of them, then "and N more".
pub(crate) fn quote_names<T: fmt::Display>(names: &[T], limit: usize) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    list_some(names.iter().map(|name| format!("`{name}`")), limit)
}

/// Lists the things, at most `limit` of them, then "and N more".
fn list_some<T: fmt::Display>(things: impl ExactSizeIterator<Item = T>, limit: usize) -> String {
    let more = things.len().saturating_sub(limit);
    let shown: Vec<String> = things.take(limit).map(|thing| thing.to_string()).collect();
    let shown = shown.join(", ");
    if more > 0 {
        format!("{shown} and {more} more")
    } else {
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_says_only_what_is_known() {
        let file = Place::file("a.jsonl");
        assert_eq!(file.to_string(), "a.jsonl");
        assert_eq!(file.at_line(3).to_string(), "a.jsonl:3");
        assert_eq!(
            Place {
                column: 4,
                ..file.at_line(3)
            }
            .to_string(),
            "a.jsonl:3:4"
        );
    }

    #[test]
    fn lists_end() {
        assert_eq!(quote_names(&["a", "b", "c"], 2), "`a`, `b` and 1 more");
        assert_eq!(quote_names(&["a", "b"], 2), "`a`, `b`");
        assert_eq!(quote_names::<String>(&[], 2), "none");
    }
}
