//! Where in a record a value stands: a path to a field, several of them, or a constant.

use crate::error::{DataError, DataProblem, Result};
use evenhand_core::{split_unquoted, unquote};
use serde_json::Value;

/// Where in a record a term's value stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueSource {
    pub(crate) text: String,
    from: ValueOrigin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ValueOrigin {
    /// One value for every record.
    Constant(String),
    /// The first of these that is there and not null. Each is one field, or several that are read
    /// as one text.
    Fields(Vec<Vec<Path>>),
}

/// The steps to a value: names of fields, and positions in lists. `#` is the record's own position
/// in its file.
type Path = Vec<String>;

impl ValueSource {
    pub(crate) fn constant(value: &str) -> Self {
        ValueSource {
            text: value.to_owned(),
            from: ValueOrigin::Constant(value.to_owned()),
        }
    }

    pub(crate) fn is_constant(&self) -> bool {
        matches!(self.from, ValueOrigin::Constant(_))
    }

    /// Parses `a.0.b|c`, the first of two that is there, or `a+b`, both as one text. `part` is the
    /// part of the user's text that an error names.
    pub(crate) fn parse_fields(text: &str, part: &str) -> Result<Self> {
        let mut alternatives = Vec::new();
        for joined in split_unquoted(text, '|') {
            let mut paths: Vec<Path> = Vec::new();
            for path in split_unquoted(joined, '+') {
                let steps = split_unquoted(path.trim(), '.').into_iter();
                paths.push(steps.map(unquote).collect());
            }
            if paths.iter().flatten().any(String::is_empty) {
                return Err(DataError::new(DataProblem::Mapping {
                    part: part.to_owned(),
                    what: "a field's name is empty".to_owned(),
                }));
            }
            alternatives.push(paths);
        }
        Ok(ValueSource {
            text: text.to_owned(),
            from: ValueOrigin::Fields(alternatives),
        })
    }

    /// Returns the name of the field that is found; None where none is, or several make the value.
    pub(crate) fn found_name(&self, record: &Value) -> Option<String> {
        let (path, _) = self.find_single(record)?;
        Some(path.join("."))
    }

    /// Returns the list that the value is, without copying it; None where it is none.
    pub(crate) fn find_list<'v>(&self, record: &'v Value) -> Option<&'v Vec<Value>> {
        let (_, value) = self.find_single(record)?;
        value.as_array()
    }

    /// Returns the first of the alternatives of one field each that is there and not null.
    fn find_single<'v>(&self, record: &'v Value) -> Option<(&Path, &'v Value)> {
        let ValueOrigin::Fields(alternatives) = &self.from else {
            return None;
        };
        alternatives.iter().find_map(|joined| match &joined[..] {
            [path] => {
                let value = find_steps(path, record).filter(|value| !value.is_null())?;
                Some((path, value))
            }
            _ => None,
        })
    }

    /// Returns the value, if it is there; null where it is there but null.
    pub(crate) fn find(&self, record: &Value, position: u64) -> Option<Value> {
        let alternatives = match &self.from {
            ValueOrigin::Constant(value) => return Some(value.as_str().into()),
            ValueOrigin::Fields(alternatives) => alternatives,
        };
        let mut null = None;
        for joined in alternatives {
            let found = match &joined[..] {
                [path] => follow_path(path, record, position),
                paths => join_values(paths, record, position),
            };
            match found {
                Some(Value::Null) => null = found,
                Some(_) => return found,
                None => {}
            }
        }
        null
    }
}

/// Joins texts by a blank line, empty ones left out; anything else becomes an object of its parts.
fn join_values(paths: &[Path], record: &Value, position: u64) -> Option<Value> {
    let mut parts = Vec::new();
    for path in paths {
        if let Some(value) = follow_path(path, record, position) {
            parts.push((path.join("."), value));
        }
    }
    if parts.is_empty() {
        return None;
    }
    let given = parts.iter().filter(|(_, part)| !part.is_null());
    let texts: Option<Vec<&str>> = given.map(|(_, part)| part.as_str()).collect();
    match texts {
        Some(mut texts) => {
            texts.retain(|text| !text.is_empty());
            Some(Value::String(texts.join("\n\n")))
        }
        None => Some(Value::Object(parts.into_iter().collect())),
    }
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
        let within = match (name, value) {
            ([step], Value::Array(list)) => {
                let at = match step.strip_prefix('-') {
                    Some(from_end) => list.len().checked_sub(from_end.parse().ok()?)?,
                    None => step.parse().ok()?,
                };
                list.get(at)?
            }
            ([step], _) => value.get(step)?,
            // Only objects have names with dots.
            (several, _) => value.as_object()?.get(&several.join("."))?,
        };
        find_steps(rest, within)
    })
}
