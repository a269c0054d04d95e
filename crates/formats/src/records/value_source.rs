//! Where in a record a value stands: a path to a field, several of them, or a constant.

use super::error::{DataError, DataProblem, Result};
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
        let alternatives = text.split('|');
        let fields: Result<Vec<JoinedPaths>> = alternatives
            .map(|joined| parse_joined(joined, part))
            .collect();
        Ok(ValueSource {
            text: text.to_owned(),
            from: ValueOrigin::Fields(fields?),
        })
    }

    /// Returns the name of the field that is found; None where none is, or several make the value.
    pub(super) fn found_name(&self, record: &Value) -> Option<String> {
        let ValueOrigin::Fields(fields) = &self.from else {
            return None;
        };
        let single = fields.iter().filter_map(|joined| match joined.as_slice() {
            [path] => Some(path),
            _ => None,
        });
        let has_value = |path: &&Path| find_steps(path, record).is_some_and(|v| !v.is_null());
        single
            .into_iter()
            .find(has_value)
            .map(|path| path.join("."))
    }

    /// Returns the list that the value is, without copying it; None where it is none.
    pub(super) fn find_list<'v>(&self, record: &'v Value) -> Option<&'v Vec<Value>> {
        let ValueOrigin::Fields(fields) = &self.from else {
            return None;
        };
        let single = fields.iter().filter_map(|joined| match joined.as_slice() {
            [path] => find_steps(path, record),
            _ => None,
        });
        single
            .into_iter()
            .find(|value| !value.is_null())?
            .as_array()
    }

    /// Returns the value, if it is there; null where it is there but null.
    pub(super) fn find(&self, record: &Value, position: u64) -> Option<Value> {
        let fields = match &self.from {
            ValueOrigin::Constant(value) => return Some(Value::String(value.clone())),
            ValueOrigin::Fields(fields) => fields,
        };
        let values = fields.iter();
        let mut found = values
            .filter_map(|joined| joined_value(joined, record, position))
            .peekable();
        let null = found.peek().map(|_| Value::Null);
        found.find(|value| !value.is_null()).or(null)
    }
}

fn parse_joined(text: &str, part: &str) -> Result<JoinedPaths> {
    text.split('+').map(|path| parse_path(path, part)).collect()
}

fn parse_path(path: &str, part: &str) -> Result<Path> {
    let steps: Path = path.trim().split('.').map(str::to_owned).collect();
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
    let parts: Vec<(&Path, Value)> = paths
        .iter()
        .filter_map(|path| Some((path, follow_path(path, record, position)?)))
        .collect();
    if parts.is_empty() {
        return None;
    }
    Some(match join_texts(&parts) {
        Some(text) => Value::String(text),
        None => join_fields(parts),
    })
}

fn join_fields(parts: Vec<(&Path, Value)>) -> Value {
    let fields = parts.into_iter();
    let fields = fields.map(|(path, part)| (path.join("."), part));
    Value::Object(fields.collect())
}

/// Returns the parts as one text, if all are texts or null.
fn join_texts(parts: &[(&Path, Value)]) -> Option<String> {
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

fn find_steps<'v>(steps: &[String], record: &'v Value) -> Option<&'v Value> {
    let whole = record.get(steps.join("."));
    whole.or_else(|| steps.iter().try_fold(record, take_step))
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
