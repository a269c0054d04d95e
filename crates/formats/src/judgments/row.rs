//! The fields of one record. `a|b` is the first of these that is there and not null.

use crate::records::{DataError, Place, Problem, described, field_names, is_whole};
use serde_json::Value;

const NAME: &str = "a non-empty string or a whole number";
pub(super) const NUMBER: &str = "a number";
const TEXT: &str = "a string";

/// One record and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) record: &'a Value,
    pub(super) place: &'a Place,
}

impl<'a> Row<'a> {
    /// The value, null included.
    pub(super) fn find(&self, field: &str) -> Option<&'a Value> {
        let record = self.record;
        let mut found = field.split('|').filter_map(move |name| record.get(name));
        let first = found.next()?;
        if first.is_null() {
            found.find(|value| !value.is_null()).or(Some(first))
        } else {
            Some(first)
        }
    }

    /// Whether the record has the field, be it null.
    pub(super) fn has(&self, field: &str) -> bool {
        self.find(field).is_some()
    }

    /// The value, which must be there but may be null.
    pub(super) fn need(&self, field: &str, expected: &'static str) -> Result<&'a Value, DataError> {
        let missing = || Problem::MissingField {
            field: format!("`{field}`"),
            expected,
            has: field_names(self.record),
        };
        self.find(field).ok_or_else(|| missing().at(self.place))
    }

    /// An id or a name; a whole number becomes its decimal string.
    pub(super) fn name(&self, field: &str) -> Result<String, DataError> {
        match self.need(field, NAME)? {
            Value::String(name) if !name.is_empty() => Ok(name.clone()),
            Value::Number(number) if is_whole(number) => Ok(number.to_string()),
            other => Err(self.wrong(field, NAME, described(other))),
        }
    }

    /// A name that may be absent or null.
    pub(super) fn name_if_given(&self, field: &str) -> Result<Option<String>, DataError> {
        self.find(field)
            .filter(|value| !value.is_null())
            .map(|_| self.name(field))
            .transpose()
    }

    /// A text that must be there.
    pub(super) fn text(&self, field: &str) -> Result<&'a str, DataError> {
        match self.need(field, TEXT)? {
            Value::String(text) => Ok(text),
            other => Err(self.wrong(field, TEXT, described(other))),
        }
    }

    /// A finite number, None where it is null; a string that spells one will do.
    pub(super) fn number(&self, field: &str) -> Result<Option<f64>, DataError> {
        let (number, found) = match self.need(field, NUMBER)? {
            Value::Null => return Ok(None),
            Value::Number(number) => (number.as_f64(), format!("`{number}`")),
            Value::String(text) => (text.trim().parse().ok(), format!("`{text}`")),
            other => (None, described(other)),
        };
        let finite = number.filter(|number| number.is_finite());
        finite
            .map(Some)
            .ok_or_else(|| self.wrong(field, NUMBER, found))
    }

    /// A number that may be absent too.
    pub(super) fn number_if_given(&self, field: &str) -> Result<Option<f64>, DataError> {
        if self.find(field).is_some() {
            self.number(field)
        } else {
            Ok(None)
        }
    }

    /// The error for a value that is there but is something else.
    pub(super) fn wrong(&self, field: &str, expected: &'static str, found: String) -> DataError {
        Problem::WrongType {
            field: format!("`{field}`"),
            expected,
            found,
        }
        .at(self.place)
    }
}
