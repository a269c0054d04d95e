//! What is wrong with a file, where in it, and the exact words for it, whoever reads it: every
//! message of the readers is here.

use crate::battles;
use crate::source::foreign::Foreign;
use evenhand_core::{Setting, did_you_mean, printable, quote};
use std::fmt;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

/// Where in the user's files something is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file, as the user named it.
    pub source: Arc<str>,
    /// Where in the file.
    pub at: At,
}

/// Where in a file something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// The file as a whole.
    File,
    /// A line of a text, or a record of a file that has none, from 1. A row that spans lines is at
    /// its first.
    Line(u64),
    /// A character of a line, both from 1.
    Character {
        /// The line.
        line: u64,
        /// The character.
        column: u64,
    },
    /// A row of a table, or a record of which several may share a line, from 1.
    Row(u64),
}

impl Place {
    /// Returns a file as a whole.
    pub fn file(source: impl Into<Arc<str>>) -> Self {
        Place {
            source: source.into(),
            at: At::File,
        }
    }

    /// Returns a line of this file.
    pub fn at_line(&self, line: u64) -> Self {
        Place {
            source: self.source.clone(),
            at: At::Line(line),
        }
    }

    /// Returns a row of this file, or a record of which several may share a line.
    pub(crate) fn at_row(&self, row: u64) -> Self {
        Place {
            source: self.source.clone(),
            at: At::Row(row),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A file's name may hold a line end, or what a terminal acts on.
        f.write_str(&printable(&self.source))?;
        match self.at {
            At::File => Ok(()),
            At::Line(line) => write!(f, ":{line}"),
            At::Character { line, column } => write!(f, ":{line}:{column}"),
            At::Row(row) => write!(f, ": row {row}"),
        }
    }
}

/// The result of reading data; where no error is named, it is a [`DataError`].
pub type Result<T = (), E = DataError> = std::result::Result<T, E>;

/// A problem of the data, and where it is. Its text is meant for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataError {
    /// Where; None where it is about no file alone.
    pub place: Option<Place>,
    /// The problem itself.
    pub problem: Box<DataProblem>,
}

impl DataError {
    /// Returns a problem that is about no file alone.
    pub fn new(problem: DataProblem) -> Self {
        DataError {
            place: None,
            problem: Box::new(problem),
        }
    }

    /// Returns several errors, at least one, as one.
    pub fn of_many(mut errors: Vec<DataError>) -> Self {
        match errors.len() {
            1 => errors.remove(0),
            _ => DataError::new(DataProblem::Many(errors)),
        }
    }

    /// Returns the errors of a file's records of which so many are left out, and that has more: all
    /// of them, or `errors` alone where none was to be left out or one is of more than a record.
    pub(crate) fn of_bad(mut skipped: Vec<DataError>, errors: Vec<DataError>, skip: u64) -> Self {
        if skip == 0 || !errors.iter().all(DataError::is_of_record) {
            return DataError::of_many(errors);
        }
        let is_all = errors.len() < MOST_ERRORS;
        skipped.extend(errors);
        DataError::new(DataProblem::TooManyBad {
            errors: skipped,
            is_all,
            skip,
        })
    }

    /// Returns whether the problem is of a whole file.
    pub fn is_of_file(&self) -> bool {
        matches!(&self.place, Some(place) if place.at == At::File)
    }

    /// Whether it is of one record alone, so that others of its file may be read.
    pub(crate) fn is_of_record(&self) -> bool {
        self.place.is_some() && self.problem.is_of_record()
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

/// A problem of a file, or of what files hold together.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each is its documentation")]
pub enum DataProblem {
    // What a file is, and its text.
    #[error("cannot be read: {0}")]
    Io(String),
    #[error("the gzip data is damaged or cut short ({0}); fetch the file again")]
    Gzip(String),
    #[error("{0}")]
    Foreign(Foreign),
    #[error("{}", list_errors(.0))]
    Many(Vec<DataError>),
    #[error(
        "{}{} records of a file cannot be read, and {} allows {skip}; mend them, or allow more:\n{}",
        if *.is_all { "" } else { "at least " }, .errors.len(), Setting::SkipBad,
        tell_once(.errors).join("\n")
    )]
    TooManyBad {
        errors: Vec<DataError>,
        is_all: bool,
        skip: u64,
    },
    #[error("the file is empty; expected at least one record")]
    Empty,
    #[error(
        "there is nothing after the first line, which is read as the header of a CSV file; \
         expected rows, or JSON"
    )]
    HeaderOnly,
    #[error("the file is empty; expected CSV with a header, or one JSON object a line")]
    EmptyTable,
    #[error("there are no rows; expected at least one")]
    NoRows,
    #[error(
        "{}; intervals need to know which rows belong together: give every row its item, or treat \
         each row as independent with {} none",
        describe_some(.field, *.is_here), Setting::Cluster
    )]
    ItemsOfSome { field: String, is_here: bool },
    #[error("not valid JSON ({expected}); {layout}")]
    Json {
        expected: String,
        layout: &'static str,
    },
    #[error("not valid JSON ({0}); expected one JSON object a line")]
    JsonLine(String),
    #[error("{0}")]
    Values(String),
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
    #[error("field {field}: not valid UTF-8 (`{lossy}`); save the file as UTF-8")]
    FieldUtf8 { field: String, lossy: String },
    #[error(
        "the record that begins here is longer than {limit} bytes; is the file one record per \
         line, or one JSON array?"
    )]
    TooLong { limit: usize },
    #[error(
        "the row that begins here is longer than {limit} bytes; is a quotation mark left open?"
    )]
    RowTooLong { limit: usize },
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
    #[error("a quotation mark is opened here or later and never closed")]
    OpenQuoteLater,
    #[error("the header has the column `{0}` twice; give every column its own name")]
    TwiceInHeader(String),
    #[error(
        "column `{name}` is of one side only, but would be taken for a difference; both sides are \
         given as {} {}",
        Setting::Control, .pair.join("/")
    )]
    OneSide { name: String, pair: [String; 2] },
    #[error(
        "the row has {found} cells, but the header has {expected}; {}",
        if found < expected {
            "see whether the file is cut short there, and quote a cell that holds a line end"
        } else {
            "quote a cell that holds a separator"
        }
    )]
    Cells { expected: usize, found: usize },

    // Records of data sets.
    #[error(
        "expected a JSON object, found {found}; each record must be an object with named fields"
    )]
    NotAnObject { found: &'static str },
    #[error(
        "field {field} is missing; expected {expected}; the record has {}",
        quote_names(.has, 12)
    )]
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
        "field {field}: there is no response (`{found}`), as where a generation failed; go on \
         without such responses with {}, or write \"\" where an empty answer is meant",
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
        "the format is not known: the record has {}; {}say which field is which with {}, or name \
         the format with {} ({}){hint}",
        quote_fields(.has, 12), hint_at_battles(.has), suggest_map(.has), Setting::InputFormat,
        .formats.join(", ")
    )]
    Unrecognised {
        has: Vec<String>,
        hint: String,
        formats: Vec<&'static str>,
    },
    #[error(
        "no field of the record is of use: expected {}, {}, or {} with two systems; the record has \
         {}; one mapping serves all files: add what this one needs, such as {}",
        .output, .instruction, .label, quote_fields(.has, 12), suggest_map(.has)
    )]
    NothingMapped {
        output: String,
        instruction: String,
        label: String,
        has: Vec<String>,
    },

    #[error(
        "{}: no file has a field `{}`{}; {name} has {}",
        printable(.argument), printable(.field),
        hint_at_near(.field, .nearest.as_deref()), quote_fields(.has, 20)
    )]
    NoSuchField {
        argument: String,
        field: String,
        nearest: Option<Box<str>>,
        name: String,
        has: Vec<String>,
    },
    #[error(
        "{argument}: `{field}` is a field of {kind} ({name}), and {argument} takes a field of \
         items; give files of items that have it ({})",
        Setting::Data
    )]
    NotOfItems {
        argument: String,
        field: String,
        kind: &'static str,
        name: String,
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
         '{}=first,...=second,...=tie'",
        Setting::Outcomes, .found.trim()
    )]
    SlotOrSystem { field: String, found: String },
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
        "{} {filter}: nothing is left; values must match exactly, capitals included",
        Setting::Where
    )]
    NothingLeft { filter: String },

    #[error(
        "{}: `{found}` is not known; expected one of {}",
        Setting::InputFormat, .formats.join(", ")
    )]
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

    // Data sets.
    #[error("duplicate item id `{item}` (first at {first}); give every item its own id")]
    DuplicateItem { item: String, first: Place },
    #[error(
        "the item `{item}` has another instruction than at {first}; if these are turns of one \
         conversation, take each: {} each; if not, give every item its own id",
        Setting::Turn
    )]
    ConflictingItem { item: String, first: Place },
    #[error(
        "`latency` is {seconds} s and `latency_ms` {milliseconds} ms, which is not the same time, \
         and which of the two is meant is not known; keep one of them"
    )]
    TwoLatencies {
        seconds: String,
        milliseconds: String,
    },
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
         of `{system}`; {} item=# makes every record a separate item",
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
        "{what} for the unknown item `{item}`; give the file with the items too, before this one{}",
        match *.what {
            "label" => ", or rank what is judged already by `evenhand leaderboard`".into(),
            "response" => format!(
                "; or, if its records hold the instructions, name their field: {} \
                 instruction=FIELD",
                Setting::Map
            ),
            _ => String::new(),
        }
    )]
    UnknownItem { what: &'static str, item: String },
    #[error(
        "label for the system `{system}`, which has no response; the systems are {}",
        quote_names(.known, 10)
    )]
    UnknownLabelSystem {
        system: String,
        known: Vec<Arc<str>>,
    },

    #[error(
        "{}: {} not in the data; the systems are {}{}",
        Setting::Systems, quote_names(.unknown, 10), quote_names(.known, 50),
        did_you_mean(.unknown.first().map_or("", String::as_str), .known.iter().map(|name| &**name))
    )]
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

    // Battles and counts.
    #[error(
        "no column {}; expected {expected}; the file has {}{}",
        quote_names(.missing, 20), quote_names(.has, 20),
        suggest_columns(.missing, .has, .settings)
    )]
    Columns {
        missing: Vec<String>,
        expected: String,
        has: Vec<String>,
        /// The settings that name the missing columns, where there are such settings.
        settings: Vec<Setting>,
    },
    #[error(
        "{setting}: {} `{}`{}{} has {}",
        if *.in_records { "the first record has no field" } else { "no column" },
        printable(.name),
        hint_at_near(.name, .nearest.as_deref()),
        if *.in_records {
            ", and it says which there are; if later ones have it, write it in the first too, as \
             null where it is empty; that record"
        } else {
            "; the file"
        },
        quote_fields(.has, 20)
    )]
    NoPart {
        setting: Setting,
        name: String,
        nearest: Option<String>,
        has: Vec<String>,
        /// Whether the file holds JSON objects, of which later ones may have the field.
        in_records: bool,
    },
    #[error(
        "{} {filter}: no row is left; values must match exactly, capitals included",
        Setting::Where
    )]
    NoRowLeft { filter: String },
    #[error("column {field}: expected {expected}, found {found}")]
    ColumnType {
        field: String,
        expected: &'static str,
        found: String,
    },
    #[error("field {field} is missing; expected {expected}")]
    LacksField {
        field: String,
        expected: &'static str,
    },
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
        "field {field} is empty: the row does not say who won; {} '=drop' leaves such rows \
         out and counts them",
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
        "{} are 1 and 0 and never -1, so who won where there is 0 (or 1) is not known; say it: {} \
         '1=first,0=second', or '1=first,0=tie'",
        match .field {
            Some(field) => format!("field {field}: the outcomes"),
            None => "the outcomes here".to_owned(),
        },
        Setting::Outcomes
    )]
    Signs { field: Option<String> },
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

    // Recorded judgments.
    #[error(
        "these are not judgments or scores of a known form{}: the record has {}{}; expected {known}, \
         or battles ({battles}); for battles of your own, name their columns with {}, {} and {}; \
         for scores, those of the system and the score with {} and {}{hint}",
        hint_at_answers(.has),
        if .has.is_empty() { "no fields".to_owned() } else { quote_fields(.has, 12) },
        suggest_battle_columns(.has), Setting::Left, Setting::Right, Setting::Winner,
        Setting::SystemColumn, Setting::ScoreColumn
    )]
    NoJudgments {
        has: Vec<String>,
        known: String,
        battles: String,
        hint: String,
    },
    #[error(
        "this is a data set's file (`{format}`), not judgments or scores; \
         `evenhand judge` with {} makes them of a data set{hint}",
        Setting::Data
    )]
    DataSet { format: &'static str, hint: String },
    #[error(
        "{kind} do not name the systems, so they cannot rank systems; they tell how good a judge \
         is: give them to `evenhand meta judge` with {}",
        Setting::Recorded
    )]
    NoSystems { kind: &'static str },
    #[error(
        "comparisons and scores cannot be ranked together: {comparisons} is a comparison \
         ({comparisons_kind}), \
         {scores} is a score ({scores_kind}); give only one of the two"
    )]
    Mixed {
        comparisons: Place,
        comparisons_kind: &'static str,
        scores: Place,
        scores_kind: &'static str,
    },
    #[error("field `games`: expected a list of one or two games, found {found}")]
    Games { found: String },
    #[error(
        "the record names no `baseline`, the system that every other is compared with; \
         give its name: {} NAME (Arena-Hard v0.1 compared with gpt-4-0314, v2 with several)",
        Setting::Baseline
    )]
    NoBaseline,
    #[error(
        "PandaLM verdicts do not name the systems; give the file with the pairs too, \
         before this one"
    )]
    NoPairs,
    #[error("field `idx`: there is no pair `{found}` in the file with the pairs")]
    UnknownPair { found: String },
    #[error("duplicate pair `{found}`; give every pair its own `idx`")]
    PairTwice { found: String },
    #[error("this is {what} number {}; at most {limit} can be read together", .limit + 1)]
    OneTooMany { what: &'static str, limit: u64 },
    #[error("field `weight`: expected 1, found `{found}`; battles as judgments count once each")]
    Weight { found: String },
    #[error("no file was given; expected at least one file of judgments or scores")]
    NoFiles,
}

impl DataProblem {
    /// Returns the problem of a text that is not UTF-8, with the text as far as it is.
    pub(crate) fn not_utf8(field: String, text: &[u8]) -> Self {
        let lossy = String::from_utf8_lossy(text).into_owned();
        DataProblem::FieldUtf8 { field, lossy }
    }

    /// Whether others of its file's records may be read.
    fn is_of_record(&self) -> bool {
        !matches!(
            self,
            DataProblem::Many(_)
                | DataProblem::TooManyBad { .. }
                | DataProblem::Io(_)
                | DataProblem::Foreign(_)
                | DataProblem::Empty
                | DataProblem::HeaderOnly
                | DataProblem::TooLong { .. }
                | DataProblem::OpenQuote
                | DataProblem::Parquet(_)
                | DataProblem::NoParquet
                | DataProblem::TwiceInHeader(_)
                | DataProblem::OneSide { .. }
                | DataProblem::Unrecognised { .. }
                | DataProblem::NothingMapped { .. }
                | DataProblem::NoJudgments { .. }
                | DataProblem::DataSet { .. }
                | DataProblem::NoSystems { .. }
                | DataProblem::NoBaseline
                | DataProblem::NoPairs
                | DataProblem::OneTooMany { .. }
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

/// Says who reads battles, where a record with these fields is one.
fn hint_at_battles(has: &[String]) -> &'static str {
    let has = |name: &str| has.iter().any(|field| field == name);
    let names_two = battles::SYSTEMS.iter().any(|(a, b)| has(a) && has(b));
    match names_two && (has("winner") || has("wins_a") || has("winner_model_a")) {
        true => "that is a battle, and `evenhand leaderboard` ranks battles; for answers, ",
        false => "",
    }
}

/// Says who judges answers, where a record with these fields has answers of several systems and
/// nobody who won.
fn hint_at_answers(has: &[String]) -> String {
    let answers = has.iter().filter(|field| looks_like_response(field));
    if answers.count() < 2 || find_vote(has).is_some() {
        return String::new();
    }
    format!(
        ", but answers of several systems: `evenhand rank` has a judge compare them, with {} and {}",
        Setting::Data,
        suggest_map(has)
    )
}

/// Suggests a mapping for a record with these fields: two or more responses to an instruction, or
/// one and its system.
fn suggest_map(has: &[String]) -> String {
    // Long: which field is which is told by what the others are.
    let is_like = |field: &str, names: &[&str]| {
        let lower = field.to_lowercase();
        names.iter().any(|name| lower.contains(name))
    };
    let fields = |is_meant: &dyn Fn(&str) -> bool| -> Vec<&String> {
        has.iter().filter(|field| is_meant(field)).collect()
    };
    let mut outputs = fields(&looks_like_response);
    let instructions = fields(&|field| {
        is_like(field, &INSTRUCTIONS) && is_text(field) && !is_like(field, &["system"])
    });
    let systems = fields(&|field| {
        let is_other = is_like(field, &INSTRUCTIONS) || tells_of_a_text(field);
        is_like(field, &SYSTEMS) && !is_other && !outputs.iter().any(|output| *output == field)
    });
    let items =
        fields(&|field| is_id(field) && !is_like(field, &SYSTEMS) && !is_like(field, &NO_ITEMS));
    let spell = spell_in_mapping;
    let is_no_output = |field: &&String| !outputs.contains(field);
    let instructions: Vec<&String> = instructions.into_iter().filter(is_no_output).collect();
    let instruction = find_nearest(&instructions, &INSTRUCTIONS)
        .map(|field| format!("instruction={}", spell(field)));
    let map = Setting::Map;
    // What a mapping does not mention is looked for under our own names, so that one mapping serves
    // a file of items and one of responses.
    let names_item = has.iter().any(|field| field == "id" || field == "item");
    let is_known = |field: &&String| ITEM_FIELDS.contains(&field.to_lowercase().as_str());
    let has_more = has.len() > 2 + has.iter().filter(is_known).count();
    if let (true, true, false, Some(instruction)) =
        (names_item, outputs.is_empty(), has_more, &instruction)
    {
        return format!("{map} '{instruction}'");
    }
    if let ([output], true, Some(system)) = (
        &outputs[..],
        names_item && instruction.is_none(),
        find_nearest(&systems, &SYSTEMS),
    ) {
        let named = [("system", system), ("output", *output)].into_iter();
        let other = named.filter(|(own, field)| own != field);
        let mut parts: Vec<String> = other
            .map(|(own, field)| format!("{own}={}", spell(field)))
            .collect();
        if parts.is_empty() {
            // All but the item is called as it should be.
            parts.push("item=id".into());
        }
        return format!("{map} '{}'", parts.join(","));
    }
    // The item and its instruction, as far as fields are called like them.
    let item = find_nearest(&items, &["id", "item_id", "question_id", "prompt_id"])
        .map(|field| format!("item={}", spell(field)));
    let from: String = [&item, &instruction]
        .into_iter()
        .flatten()
        .map(|part| format!("{part},"))
        .collect();
    match (outputs.len(), find_nearest(&systems, &SYSTEMS)) {
        (2.., _) if !from.is_empty() => {
            let mut written_by = String::new();
            // Where the record says who wrote the two, the columns are no systems.
            let sides = find_sides(&outputs).filter(|_| outputs.len() == 2);
            if let Some((sides, [first, second])) = sides.zip(find_sides(&systems)) {
                outputs = sides.to_vec();
                written_by = format!(",system_1={},system_2={}", spell(first), spell(second));
            }
            let numbered = outputs.iter().zip(1..=MOST_OUTPUTS);
            let parts = numbered.map(|(field, n)| format!("output_{n}={}", spell(field)));
            let parts: Vec<String> = parts.collect();
            format!("{map} '{from}{}{written_by}'", parts.join(","))
        }
        (1, Some(system)) if !from.is_empty() => {
            let (system, output) = (spell(system), spell(outputs[0]));
            format!("{map} '{from}system={system},output={output}'")
        }
        // Votes on two systems, without their texts.
        _ if outputs.is_empty()
            && let Some(([first, second], label)) = find_vote(has) =>
        {
            let item = fields(&|field| field.eq_ignore_ascii_case("item") || is_id(field));
            let item = item.first().copied().or(instructions.first().copied());
            let item = item.map_or_else(String::new, |field| format!("item={},", spell(field)));
            let [first, second, label] = [first, second, label].map(|field| spell(field));
            let people = has.iter().find(|field| names_a_person(field));
            let people =
                people.map_or_else(String::new, |field| format!(",annotator={}", spell(field)));
            format!("{map} '{item}system_1={first},system_2={second},label={label}{people}'")
        }
        _ => {
            format!("{map} '{ONE_RESPONSE}', or for two responses a record {map} '{TWO_RESPONSES}'")
        }
    }
}

/// Spells a field in a mapping that stands in single quotes. A dot there goes into an object, so a
/// name that holds one is quoted.
fn spell_in_mapping(field: &str) -> String {
    match field.contains('.') {
        true => in_quotes(&format!("\"{}\"", field.replace('"', "\"\""))),
        false => in_quotes(&quote(field)),
    }
}

fn is_id(field: &str) -> bool {
    let lower = field.to_lowercase();
    lower == "id" || ["_id", " id", " #"].iter().any(|end| lower.ends_with(end))
}

/// Whether a field of this name may hold a text of a system or a user.
fn is_text(field: &str) -> bool {
    let lower = field.to_lowercase();
    let is_kind = KINDS.iter().any(|end| lower.ends_with(end));
    !is_id(field) && !is_kind && !tells_of_a_text(field)
}

/// Whether a field of this name may hold a response.
fn looks_like_response(field: &str) -> bool {
    let lower = field.to_lowercase();
    OUTPUTS.iter().any(|part| lower.contains(part)) && is_text(field)
}

/// Whether a field of this name, beside two responses that are read, may hold a further one:
/// `response_c`, `rejected_2`, or `other`. What a judge wrote, as in `raw_completion`, is none.
pub(crate) fn may_be_further_response(field: &str) -> bool {
    let lower = field.to_lowercase();
    let is_of_pair = ["chosen", "rejected"].iter().any(|side| {
        let rest = lower
            .strip_prefix(side)
            .map(|rest| rest.strip_prefix(['_', ' ']));
        rest.flatten()
            .is_some_and(|rest| !rest.is_empty() && rest.len() < 3)
    });
    let is_third = ["other", "third", "neutral"].contains(&&*lower);
    is_third || is_of_pair || (looks_like_response(field) && !lower.starts_with("raw"))
}

/// Says that fields which look like further responses are not read beside the two of a pair, and
/// the mapping that reads all of them.
pub(crate) fn describe_further_responses(
    instruction: &str,
    pair: [&str; 2],
    further: &[String],
) -> String {
    let read = [instruction, pair[0], pair[1]].map(spell_in_mapping);
    let numbered = further.iter().zip(3..=MOST_OUTPUTS);
    let more = numbered.map(|(field, n)| format!(",output_{n}={}", spell_in_mapping(field)));
    format!(
        "{} {} not read: a record is a pair of `{}` and `{}`; {} \
         'instruction={},output_1={},output_2={}{}' reads all of them, without a label",
        quote_names(further, MOST_OUTPUTS),
        if further.len() == 1 { "is" } else { "are" },
        pair[0],
        pair[1],
        Setting::Map,
        read[0],
        read[1],
        read[2],
        more.collect::<String>()
    )
}

/// Whether a field of this name tells something of a response or an instruction, as its length or
/// its price does, or holds what is right, and so not the text of a system or a user.
fn tells_of_a_text(field: &str) -> bool {
    let lower = field.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric());
    TOLD.iter().any(|part| lower.contains(part)) || words.any(|word| TOLD_WORDS.contains(&word))
}

/// Of fields that are like these names the first that is called so and no more, or else the first
/// whose name ends so, or else the first.
fn find_nearest<'a>(fields: &[&'a String], names: &[&str]) -> Option<&'a String> {
    let distance = |field: &&&String| {
        let lower = field.to_lowercase();
        match names.contains(&lower.as_str()) {
            true => 0,
            false if names.iter().any(|name| lower.ends_with(name)) => 1,
            false => 2,
        }
    };
    fields.iter().min_by_key(distance).copied()
}

/// Finds two fields whose names differ in the word for the side alone, the left one first.
fn find_sides<'a>(fields: &[&'a String]) -> Option<[&'a String; 2]> {
    let by_parts = fields.iter().find_map(|field| {
        let lower = field.to_lowercase();
        SIDES.iter().find_map(|&(left, right)| {
            let wanted = lower.contains(left).then(|| lower.replace(left, right))?;
            let partner = fields.iter().find(|other| other.to_lowercase() == wanted)?;
            Some([*field, *partner])
        })
    });
    let called = |name: &str| fields.iter().find(|field| field.eq_ignore_ascii_case(name));
    by_parts.or_else(|| Some([*called("a")?, *called("b")?]))
}

/// Spells what stands between single quotes of a shell.
fn in_quotes(text: &str) -> String {
    text.replace('\'', "'\\''")
}

/// Says how the missing columns are named: those that look like them, else by which settings.
fn suggest_columns(missing: &[String], has: &[String], settings: &[Setting]) -> String {
    if missing.len() > 1 {
        let suggested = suggest_battle_columns(has);
        if !suggested.is_empty() {
            return suggested;
        }
    }
    let which = match settings.len() {
        0 => return String::new(),
        1 => "the column that the file has for it",
        _ => "the columns that the file has for them",
    };
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    format!("; name {which} with {}", settings.join(" and "))
}

/// Says which columns may be the two systems and the winner of battles, where names other than the
/// usual ones look like them; else nothing.
fn suggest_battle_columns(has: &[String]) -> String {
    match find_vote(has) {
        Some(([left, right], winner)) if winner != "winner" || !is_usual_side(left) => {
            format!(
                "; if they are battles, tell `leaderboard` which column is which: {} '{}' {} '{}' \
                 {} '{}'",
                Setting::Left,
                in_quotes(left),
                Setting::Right,
                in_quotes(right),
                Setting::Winner,
                in_quotes(winner)
            )
        }
        Some(_) => String::new(),
        None => {
            let is_there = |name: &str| has.iter().any(|field| field == name);
            let mut sides = battles::SYSTEMS.iter();
            let sides = sides.find(|(a, b)| is_there(a) && is_there(b));
            sides.map_or_else(String::new, |(a, b)| {
                format!(
                    "; `{a}` and `{b}` name two systems, but no column says who won: add it as \
                     `winner`, with `{a}`, `{b}` or `tie` in each row"
                )
            })
        }
    }
}

/// Finds the columns that may be two systems and which of them was preferred, by their names.
fn find_vote(has: &[String]) -> Option<([&String; 2], &String)> {
    let is_text = |name: &str| TEXTS_AND_SIZES.iter().any(|part| name.contains(part));
    let fields = has.iter().filter(|field| !is_text(&field.to_lowercase()));
    let sides = find_sides(&fields.collect::<Vec<_>>())?;
    let winner = has
        .iter()
        .find(|field| field.eq_ignore_ascii_case("winner"));
    let winner = winner.or_else(|| {
        WINNERS.iter().find_map(|part| {
            let others = has.iter().filter(|field| !sides.contains(field));
            let mut others = others.filter(|field| !names_a_person(field));
            others.find(|field| field.to_lowercase().contains(part))
        })
    });
    Some((sides, winner?))
}

/// Whether a column of this name says who voted, which is not how it ended.
fn names_a_person(field: &str) -> bool {
    let lower = field.to_lowercase();
    let mut words = lower.rsplit(|c: char| !c.is_alphanumeric());
    let last = words.find(|word| !["id", "name", "hash"].contains(word));
    last.is_some_and(|word| ANNOTATORS.contains(&word))
}

/// Whether a column of this name is read as the first system's.
fn is_usual_side(name: &str) -> bool {
    battles::SYSTEMS.iter().any(|(first, _)| *first == name)
}

/// Words for the first and the second of two systems in the names of columns.
const SIDES: [(&str, &str); 7] = [
    ("_a", "_b"),
    ("_x", "_y"),
    (" a", " b"),
    ("left", "right"),
    ("first", "second"),
    ("_1", "_2"),
    ("1", "2"),
];
/// Parts of the names of columns that say who won, the surest first.
const WINNERS: [&str; 12] = [
    "winner", "vote", "outcome", "prefer", "verdict", "result", "choice", "label", "better",
    "best", "won", "who",
];
/// Last words of the names of columns that say who voted, an `id` behind them aside.
const ANNOTATORS: [&str; 8] = [
    "annotator",
    "judge",
    "rater",
    "reviewer",
    "worker",
    "user",
    "voter",
    "person",
];
/// Parts of the names of columns with a response's text, its size or its score.
const TEXTS_AND_SIZES: [&str; 10] = [
    "text",
    "response",
    "output",
    "answer",
    "completion",
    "conversation",
    "len",
    "token",
    "score",
    "win",
];

const ONE_RESPONSE: &str = "item=FIELD,instruction=FIELD,system=FIELD,output=FIELD";
const TWO_RESPONSES: &str = "instruction=FIELD,output_1=FIELD,output_2=FIELD";
/// Fields of an item beside its id and its instruction that hold no response.
const ITEM_FIELDS: [&str; 14] = [
    "reference",
    "category",
    "question_id",
    "constraints",
    "criteria",
    "source",
    "dataset",
    "topic",
    "type",
    "difficulty",
    "language",
    "split",
    "tags",
    "metadata",
];
/// Parts of the names of fields with instructions, responses and systems.
const INSTRUCTIONS: [&str; 5] = ["question", "instruction", "prompt", "query", "input"];
const OUTPUTS: [&str; 5] = ["answer", "response", "output", "completion", "reply"];
const SYSTEMS: [&str; 3] = ["system", "model", "version"];
/// Parts of the names of fields that tell something of a text.
const TOLD: [&str; 6] = ["length", "token", "score", "latency", "reference", "truth"];
/// Words in such names; in other words they may be by chance.
const TOLD_WORDS: [&str; 26] = [
    "len",
    "time",
    "ms",
    "seconds",
    "count",
    "price",
    "cost",
    "rating",
    "rank",
    "grade",
    "label",
    "key",
    "url",
    "source",
    "category",
    "topic",
    "language",
    "lang",
    "correct",
    "gold",
    "golden",
    "expected",
    "ideal",
    "best",
    "preferred",
    "embedding",
];
/// Ends of such names, which elsewhere in a name say whose response it is: `model_output`.
const KINDS: [&str; 4] = ["type", "format", "model", "system"];
/// Parts of the names of ids that are not the item's.
const NO_ITEMS: [&str; 11] = [
    "answer",
    "response",
    "output",
    "completion",
    "reply",
    "user",
    "annotator",
    "worker",
    "rater",
    "judge",
    "session",
];
/// How many responses a record may have.
const MOST_OUTPUTS: usize = 99;

/// Says that only some rows or files name their items.
fn describe_some(field: &str, is_here: bool) -> String {
    match is_here {
        true => format!("`{field}` names the item here, and what was read before has none"),
        false => format!("no `{field}`, which names the item in what was read before"),
    }
}

/// Names the field that was perhaps meant in place of this one.
fn hint_at_near(field: &str, nearest: Option<&str>) -> String {
    match nearest {
        Some(name) if is_composed_alike(field, name) => format!(
            " (`{}` looks the same, but its letters are composed of other characters, as where an \
             accent is one of its own; copy the name from the file)",
            printable(name)
        ),
        Some(name) => format!(" (`{}` comes near)", printable(name)),
        None => String::new(),
    }
}

/// Whether two different names are the same text, of letters that are composed differently.
pub(crate) fn is_composed_alike(one: &str, other: &str) -> bool {
    one != other && one.nfc().eq(other.nfc())
}

/// Lists the names of fields, as [`quote_names`] does, on one line, and says how one with a line
/// break is written.
fn quote_fields(names: &[String], limit: usize) -> String {
    let shown: Vec<_> = names.iter().map(|name| printable(name)).collect();
    let has_break = names.iter().take(limit).any(|name| name.contains('\n'));
    let hint = match has_break {
        true => {
            " (\\n is a line break: write it as such, in a shell as $'a\\nb', or in the \
             configuration as \"a\\nb\")"
        }
        false => "",
    };
    quote_names(&shown, limit) + hint
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

/// How many errors of a file are told at once.
pub(crate) const MOST_ERRORS: usize = 10;

/// Lists errors, a line each, and says that there may be more.
fn list_errors(errors: &[DataError]) -> String {
    let mut lines = tell_once(errors);
    if errors.len() >= MOST_ERRORS {
        lines.push(format!(
            "there may be more; the first {MOST_ERRORS} are listed"
        ));
    }
    lines.join("\n")
}

/// Says how many records are left out because they cannot be read, and why, in one line.
pub fn describe_skipped(skipped: &[&DataError]) -> String {
    let (count, why) = (skipped.len(), tell_once(skipped.iter().copied()).join("; "));
    let are = if count == 1 {
        "record cannot be read and is"
    } else {
        "records cannot be read and are"
    };
    format!("{count} {are} left out: {why}")
}

/// Returns whether a problem needs no words of its own beside another: it is the same, or that of
/// another item.
fn comes_again(first: &DataProblem, next: &DataProblem) -> bool {
    match (first, next) {
        (DataProblem::ConflictingItem { .. }, DataProblem::ConflictingItem { .. }) => true,
        (DataProblem::UnknownItem { what, .. }, DataProblem::UnknownItem { what: other, .. }) => {
            what == other
        }
        _ => first == next,
    }
}

/// Tells errors: one that comes again in its file once, with the lines where it is the same. At most
/// [`MOST_ERRORS`] are told, and how many more there are.
fn tell_once<'e>(errors: impl IntoIterator<Item = &'e DataError>) -> Vec<String> {
    let source = |error: &DataError| error.place.as_ref().map(|place| place.source.clone());
    let mut told: Vec<(&DataError, Vec<u64>)> = Vec::new();
    let mut more = 0;
    for error in errors {
        let same = told.iter().position(|(first, _)| {
            comes_again(&first.problem, &error.problem) && source(first) == source(error)
        });
        match (same, error.place.as_ref().map(|place| place.at)) {
            (
                Some(first),
                Some(At::Line(number) | At::Row(number) | At::Character { line: number, .. }),
            ) => told[first].1.push(number),
            _ if told.len() >= MOST_ERRORS => more += 1,
            _ => told.push((error, Vec::new())),
        }
    }
    let mut lines: Vec<String> = told
        .iter()
        .map(|(error, again)| {
            let what = match error.place.as_ref().map(|place| place.at) {
                Some(At::Row(_)) => "row",
                _ => "line",
            };
            let plural = if again.len() > 1 { "s" } else { "" };
            match again.is_empty() {
                true => error.to_string(),
                false => format!(
                    "{error}; the same in {what}{plural} {}",
                    list_some(again.iter(), MOST_ERRORS)
                ),
            }
        })
        .collect();
    if more > 0 {
        lines.push(format!("and {more} more of other kinds"));
    }
    lines
}

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
    fn battles_are_known_where_data_are_expected() {
        for (fields, is_battle) in [
            (vec!["item", "model_a", "model_b", "winner"], true),
            (vec!["left", "right", "winner"], true),
            (vec!["model_a", "model_b", "wins_a", "wins_b", "ties"], true),
            (vec!["model_a", "winner"], false),
            (vec!["left", "right", "instruction"], false),
            (vec![], false),
        ] {
            let has: Vec<String> = fields.iter().map(ToString::to_string).collect();
            assert_eq!(!hint_at_battles(&has).is_empty(), is_battle, "{fields:?}");
        }
    }

    #[test]
    fn who_voted_is_not_taken_for_how_it_ended() {
        let said = |fields: &[&str]| {
            suggest_battle_columns(&fields.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        for person in ["voter", "voter_id", "annotator", "Judge name", "user id"] {
            let said = said(&[person, "category", "model_a", "model_b"]);
            assert!(said.contains("no column says who won"), "{person}: {said}");
            assert!(!said.contains(person), "{person}: {said}");
        }
        let vote = said(&["voter", "model_a", "model_b", "vote"]);
        assert!(vote.contains("'vote'"), "{vote}");
        let verdict = said(&["model_a", "model_b", "judge_verdict"]);
        assert!(verdict.contains("'judge_verdict'"), "{verdict}");
        assert_eq!(said(&["model_a", "model_b", "winner"]), "");
        assert_eq!(said(&["question", "answer"]), "");
    }

    #[test]
    fn a_place_says_only_what_is_known() {
        let file = Place::file("a.jsonl");
        assert_eq!(file.to_string(), "a.jsonl");
        assert_eq!(file.at_line(3).to_string(), "a.jsonl:3");
        for (at, shown) in [
            (At::Character { line: 3, column: 4 }, "a.jsonl:3:4"),
            (At::Row(3), "a.jsonl: row 3"),
        ] {
            let source = file.source.clone();
            assert_eq!(Place { source, at }.to_string(), shown);
        }
    }

    #[test]
    fn what_comes_again_in_a_file_is_told_once() {
        let error = |file: &str, at: At, problem: DataProblem| DataError {
            place: Some(Place {
                source: file.into(),
                at,
            }),
            problem: Box::new(problem),
        };
        let winner = |file: &str, at: At, found: &str| {
            let system = found.to_owned();
            error(file, at, DataProblem::Itself { system })
        };
        let told = |errors: &[DataError]| list_errors(errors).lines().map(str::to_owned).collect();
        let lines: Vec<String> = told(&[
            winner("a.csv", At::Line(2), "x"),
            winner("a.csv", At::Line(3), "y"),
            winner("a.csv", At::Line(4), "x"),
            winner("b.csv", At::Line(5), "x"),
            winner("a.csv", At::Line(9), "x"),
            winner("b.parquet", At::Row(1), "x"),
            winner("b.parquet", At::Row(7), "x"),
        ]);
        let said = DataProblem::Itself { system: "x".into() }.to_string();
        let other = DataProblem::Itself { system: "y".into() }.to_string();
        assert_eq!(
            lines,
            [
                format!("a.csv:2: {said}; the same in lines 4, 9"),
                format!("a.csv:3: {other}"),
                format!("b.csv:5: {said}"),
                format!("b.parquet: row 1: {said}; the same in row 7"),
            ]
        );
        // Of items that are unknown the first is named.
        let unknown = |what: &'static str, item: &str| DataProblem::UnknownItem {
            what,
            item: item.into(),
        };
        let lines: Vec<String> = told(&[
            error("a.csv", At::Line(2), unknown("response", "p")),
            error("a.csv", At::Line(3), unknown("response", "q")),
            error("a.csv", At::Line(4), unknown("label", "q")),
        ]);
        assert_eq!(
            lines,
            [
                format!("a.csv:2: {}; the same in line 3", unknown("response", "p")),
                format!("a.csv:4: {}", unknown("label", "q")),
            ]
        );
    }

    #[test]
    fn lists_end() {
        assert_eq!(quote_names(&["a", "b", "c"], 2), "`a`, `b` and 1 more");
        assert_eq!(quote_names(&["a", "b"], 2), "`a`, `b`");
        assert_eq!(quote_names::<String>(&[], 2), "none");
    }
}
