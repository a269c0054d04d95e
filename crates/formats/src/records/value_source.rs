//! Where in a record a value stands: a path to a field, several of them, or a constant.

use super::error::{DataError, DataProblem, Result};
use evenhand_core::{split_unquoted, unquote};
use serde_json::Value;

/// Where in a record a term's value stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValueSource {
    pub(super) text: String,
    from: ValueOrigin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ValueOrigin {
    /// One value for every record.
    Constant(String),
    /// The first of these that is there and not null.
    Fields(Vec<JoinedPaths>),
}

/// One field, or several that are read as one text.
type JoinedPaths = Vec<Path>;

/// The steps to a value: names of fields, and positions in lists. `#` is the record's own position
/// in its file.
type Path = Vec<String>;

/// A field of several that are read as one, and its value.
type JoinedPart<'p> = (&'p Path, Value);

impl ValueSource {
    pub(super) fn constant(value: &str) -> Self {
        ValueSource {
            text: value.to_owned(),
            from: ValueOrigin::Constant(value.to_owned()),
        }
    }

    pub(super) fn is_constant(&self) -> bool {
        matches!(self.from, ValueOrigin::Constant(_))
    }

    /// Parses `a.0.b|c`, the first of two that is there, or `a+b`, both as one text. `part` is the
    /// part of the user's text that an error names.
    pub(super) fn parse_fields(text: &str, part: &str) -> Result<Self> {
        let alternatives = split_unquoted(text, '|').into_iter();
        let alternatives = alternatives.map(|joined| parse_joined(joined, part));
        Ok(ValueSource {
            text: text.to_owned(),
            from: ValueOrigin::Fields(alternatives.collect::<Result<_>>()?),
        })
    }

    /// Returns the name of the field that is found; None where none is, or several make the value.
    pub(super) fn found_name(&self, record: &Value) -> Option<String> {
        let found = self.single_paths().find(|path| has_value(path, record));
        found.map(|path| path.join("."))
    }

    /// Iterates over the alternatives that are one field each.
    fn single_paths(&self) -> impl Iterator<Item = &Path> {
        self.alternatives().iter().filter_map(only_path)
    }

    fn alternatives(&self) -> &[JoinedPaths] {
        match &self.from {
            ValueOrigin::Constant(_) => &[],
            ValueOrigin::Fields(fields) => fields,
        }
    }

    /// Returns the list that the value is, without copying it; None where it is none.
    pub(super) fn find_list<'v>(&self, record: &'v Value) -> Option<&'v Vec<Value>> {
        let paths = self.single_paths();
        let mut values = paths.filter_map(|path| find_steps(path, record));
        values.find(|value| !value.is_null())?.as_array()
    }

    /// Returns the value, if it is there; null where it is there but null.
    pub(super) fn find(&self, record: &Value, position: u64) -> Option<Value> {
        let constant = self.constant_value();
        constant.or_else(|| self.find_field(record, position))
    }

    fn constant_value(&self) -> Option<Value> {
        match &self.from {
            ValueOrigin::Constant(value) => Some(value.as_str().into()),
            ValueOrigin::Fields(_) => None,
        }
    }

    fn find_field(&self, record: &Value, position: u64) -> Option<Value> {
        let fields = self.alternatives().iter();
        first_not_null(fields.filter_map(|joined| joined_value(joined, record, position)))
    }
}

/// Returns the first value that is not null; null where all are.
fn first_not_null(values: impl Iterator<Item = Value>) -> Option<Value> {
    let mut values = values.peekable();
    let null = values.peek().map(|_| Value::Null);
    values.find(|value| !value.is_null()).or(null)
}

fn only_path(joined: &JoinedPaths) -> Option<&Path> {
    match joined.as_slice() {
        [path] => Some(path),
        _ => None,
    }
}

fn has_value(path: &Path, record: &Value) -> bool {
    find_steps(path, record).is_some_and(|value| !value.is_null())
}

fn parse_joined(text: &str, part: &str) -> Result<JoinedPaths> {
    let paths = split_unquoted(text, '+').into_iter();
    paths.map(|path| parse_path(path, part)).collect()
}

fn parse_path(path: &str, part: &str) -> Result<Path> {
    let steps = split_unquoted(path.trim(), '.').into_iter();
    let steps: Path = steps.map(unquote).collect();
    if steps.iter().any(String::is_empty) {
        return Err(unnamed_step(part));
    }
    Ok(steps)
}

fn unnamed_step(part: &str) -> DataError {
    DataError::new(DataProblem::Mapping {
        part: part.to_owned(),
        what: "a field's name is empty".to_owned(),
    })
}

fn joined_value(joined: &JoinedPaths, record: &Value, position: u64) -> Option<Value> {
    match joined.as_slice() {
        [path] => follow_path(path, record, position),
        paths => join_values(paths, record, position),
    }
}

/// Joins texts by a blank line, empty ones left out; anything else becomes an object of its parts.
fn join_values(paths: &[Path], record: &Value, position: u64) -> Option<Value> {
    let parts = find_parts(paths, record, position);
    (!parts.is_empty()).then(|| join_parts(parts))
}

fn find_parts<'p>(paths: &'p [Path], record: &Value, position: u64) -> Vec<JoinedPart<'p>> {
    let paths = paths.iter();
    paths
        .filter_map(|path| Some((path, follow_path(path, record, position)?)))
        .collect()
}

fn join_parts(parts: Vec<JoinedPart<'_>>) -> Value {
    match join_texts(&parts) {
        Some(text) => Value::String(text),
        None => join_fields(parts),
    }
}

fn join_fields(parts: Vec<JoinedPart<'_>>) -> Value {
    let fields = parts.into_iter();
    let fields = fields.map(|(path, part)| (path.join("."), part));
    Value::Object(fields.collect())
}

/// Returns the parts as one text, if all are texts or null.
fn join_texts(parts: &[JoinedPart<'_>]) -> Option<String> {
    let given = parts.iter().filter(|(_, part)| !part.is_null());
    let texts: Option<Vec<&str>> = given.map(|(_, part)| part.as_str()).collect();
    let mut texts = texts?;
    texts.retain(|text| !text.is_empty());
    Some(texts.join("\n\n"))
}

fn follow_path(path: &Path, record: &Value, position: u64) -> Option<Value> {
    match &path[..] {
        [only] if only == "#" => Some(position.into()),
        // A field's own name may hold dots.
        steps => find_steps(steps, record).cloned(),
    }
}

/// Returns the value of a field, or at the end of a path of fields: `meta.lang`.
pub(crate) fn find_path<'v>(record: &'v Value, path: &str) -> Option<&'v Value> {
    let whole = record.get(path);
    if whole.is_some() || !path.contains('.') {
        return whole;
    }
    let steps: Path = path.split('.').map(str::to_owned).collect();
    find_steps(&steps, record)
}

/// Follows the steps. The names of fields may hold dots, at any depth: of several ways the one is
/// taken whose first name is the longest.
fn find_steps<'v>(steps: &[String], value: &'v Value) -> Option<&'v Value> {
    if steps.is_empty() {
        return Some(value);
    }
    (1..=steps.len()).rev().find_map(|length| {
        let (name, rest) = steps.split_at_checked(length)?;
        let within = match name {
            [step] => take_step(value, step)?,
            // Only objects have names with dots.
            several => value.as_object()?.get(&several.join("."))?,
        };
        find_steps(rest, within)
    })
}

fn take_step<'v>(value: &'v Value, step: &String) -> Option<&'v Value> {
    let Value::Array(list) = value else {
        return value.get(step);
    };
    let at = match step.strip_prefix('-') {
        Some(from_end) => list.len().checked_sub(from_end.parse().ok()?)?,
        None => step.parse().ok()?,
    };
    list.get(at)
}
