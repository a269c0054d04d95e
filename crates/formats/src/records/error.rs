//! What can be wrong with a data set, and the exact words for it: every message of this crate's
//! readers is here.

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
    /// A file as a whole.
    pub fn file(source: impl Into<Arc<str>>) -> Self {
        Place {
            source: source.into(),
            line: 0,
            column: 0,
        }
    }

    /// A line of the same file.
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
        f.write_str(&self.source)?;
        match (self.line, self.column) {
            (0, _) => Ok(()),
            (line, 0) => write!(f, ":{line}"),
            (line, column) => write!(f, ":{line}:{column}"),
        }
    }
}

/// What is wrong with the data, and where. Its text is meant for the user.
#[derive(Debug)]
pub struct DataError {
    /// Where; None where it is about the data set as a whole.
    pub place: Option<Place>,
    /// What.
    pub problem: Box<Problem>,
}

impl DataError {
    /// A problem of the data set as a whole.
    pub fn new(problem: Problem) -> Self {
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
            quoted(&self.systems, 3)
        )
    }
}

/// What can be wrong.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each is its documentation")]
pub enum Problem {
    #[error("cannot be read: {0}")]
    Io(String),
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
    #[error("field {field} is missing; expected {expected}; the record has {}", quoted(.has, 12))]
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
        "field {field}: `{found}` names no preference; expected 1, `a` or `{a}` for the first, 2, \
         `b` or `{b}` for the second, 0 or `tie`; \
         say what your words mean: --outcomes '{found}=first,...=second,...=tie'"
    )]
    UnknownPreference {
        field: String,
        found: String,
        a: String,
        b: String,
    },
    #[error(
        "the record names no system, and none was given for the file; map one with --map \
         system=FIELD or --map system:=NAME"
    )]
    NoSystemName,
    #[error(
        "the format is not known: the record has {}; say which field is which with {}, or name the \
         format with --input-format ({})",
        quoted(.has, 12), suggested_map(.has), .formats.join(", ")
    )]
    Unrecognised {
        has: Vec<String>,
        formats: Vec<&'static str>,
    },
    #[error(
        "no field of the record is of use: expected {}, {}, or {} with two systems; the record has \
         {}",
        .output, .instruction, .label, quoted(.has, 12)
    )]
    NothingMapped {
        output: String,
        instruction: String,
        label: String,
        has: Vec<String>,
    },

    #[error(
        "{argument}: no file has a field `{field}`{}; {name} has {}",
        .nearest.as_ref().map(|name| format!(" (`{name}` comes near)")).unwrap_or_default(), quoted(.has, 20)
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
         say it: --outcomes '1=first,0=second', or '1=first,0=tie'"
    )]
    Zeros { field: String },
    #[error(
        "field {field}: `{found}` is the first or the second response, and here a system of that \
         name is the other one; \
         give the systems other names, or say what the word means: --outcomes \
         '{found}=first,...=second,...=tie'"
    )]
    PreferenceOrSystem { field: String, found: String },
    #[error("--where `{argument}`: expected FIELD=VALUE, such as category=coding")]
    Where { argument: String },
    #[error(
        "--where: {name} has no field `{field}`, and {other} has; leave one of the two out, or \
         give the records of {name} the field"
    )]
    FilterLacks {
        field: String,
        name: String,
        other: String,
    },
    #[error(
        "--where {filter}: nothing is left; values are compared as they are written, capitals and \
         all"
    )]
    NothingLeft { filter: String },

    #[error("--input-format: `{found}` is not known; expected one of {}", .formats.join(", "))]
    UnknownFormat {
        found: String,
        formats: Vec<&'static str>,
    },
    #[error(
        "--map: `{part}`: {what}; expected NAME=FIELD or NAME:=VALUE, separated by commas, for \
         example output=answer,item=question_id"
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
         --map item=# makes every record an item of its own"
    )]
    DuplicatePair {
        item: String,
        system: String,
        first: Place,
    },
    #[error(
        "both responses of the pair are of the system `{system}`; say which field names each: \
         system_1=FIELD,system_2=FIELD in --map"
    )]
    SameSystem { system: String },
    #[error("duplicate rating of `{system}` (first at {first}); remove one of them")]
    DuplicateRating { system: String, first: Place },
    #[error(
        "{what} for the unknown item `{item}`; give the file with the items too, before this one"
    )]
    UnknownItem { what: &'static str, item: String },
    #[error("label for the system `{system}`, which has no response; the systems are {}", quoted(.known, 10))]
    UnknownLabelSystem {
        system: String,
        known: Vec<Arc<str>>,
    },

    #[error("--systems: {} not in the data; the systems are {}", quoted(.unknown, 10), quoted(.known, 50))]
    UnknownSystems {
        unknown: Vec<String>,
        known: Vec<Arc<str>>,
    },
    #[error(
        "{} of {items} items lack a response of some system: {}; add the responses, or go on \
         without them with --allow-missing",
        .missing.len(), listed(.missing.iter(), 10)
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

impl Problem {
    /// The problem, at this place.
    pub fn at(self, place: &Place) -> DataError {
        DataError {
            place: Some(place.clone()),
            problem: Box::new(self),
        }
    }
}

/// A `--map` for a record with these fields: two responses to an instruction, or one and its
/// system.
fn suggested_map(has: &[String]) -> String {
    let is_id = |field: &str| field == "id" || field.ends_with("_id");
    let like = |names: &'static [&'static str]| {
        let fields = has.iter().filter(move |field| !is_id(field));
        fields.filter(move |field| names.iter().any(|name| field.to_lowercase().contains(name)))
    };
    let item = has
        .iter()
        .find(|field| is_id(field))
        .map(|field| format!("item={field},"))
        .unwrap_or_default();
    let instruction = like(&INSTRUCTIONS)
        .next()
        .map(|field| format!("instruction={field},"))
        .unwrap_or_default();
    let (outputs, system) = (like(&OUTPUTS).collect::<Vec<_>>(), like(&SYSTEMS).next());
    match (&outputs[..], system) {
        _ if item.is_empty() && instruction.is_empty() => {
            format!("--map '{ONE}', or for two responses a record --map '{TWO}'")
        }
        ([first, second, ..], _) => {
            format!("--map '{item}{instruction}output_1={first},output_2={second}'")
        }
        ([output], Some(system)) => {
            format!("--map '{item}{instruction}system={system},output={output}'")
        }
        _ => format!("--map '{ONE}', or for two responses a record --map '{TWO}'"),
    }
}

const ONE: &str = "item=FIELD,instruction=FIELD,system=FIELD,output=FIELD";
const TWO: &str = "instruction=FIELD,output_1=FIELD,output_2=FIELD";
/// What fields with instructions, responses and systems are called, in part.
const INSTRUCTIONS: [&str; 5] = ["question", "instruction", "prompt", "query", "input"];
const OUTPUTS: [&str; 5] = ["answer", "response", "output", "completion", "reply"];
const SYSTEMS: [&str; 3] = ["system", "model", "version"];

/// The names in backquotes, at most `limit` of them, then "and N more".
fn quoted<T: fmt::Display>(names: &[T], limit: usize) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        listed(names.iter().map(|name| format!("`{name}`")), limit)
    }
}

/// The things, at most `limit` of them, then "and N more".
fn listed<T: fmt::Display>(things: impl ExactSizeIterator<Item = T>, limit: usize) -> String {
    let more = things.len().saturating_sub(limit);
    let mut text = things
        .take(limit)
        .map(|thing| thing.to_string())
        .collect::<Vec<_>>()
        .join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
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
        assert_eq!(quoted(&["a", "b", "c"], 2), "`a`, `b` and 1 more");
        assert_eq!(quoted(&["a", "b"], 2), "`a`, `b`");
        assert_eq!(quoted::<String>(&[], 2), "none");
    }
}
