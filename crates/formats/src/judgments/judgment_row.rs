//! The fields of one record, and the errors for them. `a|b` is the first of these that is there and not null.

use super::Error;
use crate::records::{DataError, DataProblem, Place, describe_value, field_names, is_whole};
use serde_json::Value;

const NAME: &str = "a non-empty string or a whole number";
const NUMBER: &str = "a number";
const TEXT: &str = "a string";

/// One record and where it stands.
#[derive(Clone, Copy)]
pub(super) struct JudgmentRow<'a> {
    pub(super) record: &'a Value,
    pub(super) place: &'a Place,
}

impl<'a> JudgmentRow<'a> {
    /// Returns the value, null included.
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
    pub(super) fn has_field(&self, field: &str) -> bool {
        self.find(field).is_some()
    }

    /// Returns the value, which must be there but may be null.
    pub(super) fn require(
        &self,
        field: &str,
        expected: &'static str,
    ) -> Result<&'a Value, DataError> {
        self.find(field).ok_or_else(|| {
            DataProblem::MissingField {
                field: format!("`{field}`"),
                expected,
                has: field_names(self.record),
            }
            .at(self.place)
        })
    }

    /// Returns a text, where the field has one.
    pub(super) fn find_text(&self, field: &str) -> Option<&'a str> {
        self.find(field).and_then(Value::as_str)
    }

    /// Returns an id or a name; a whole number becomes its decimal string.
    pub(super) fn required_name(&self, field: &str) -> Result<String, DataError> {
        match self.require(field, NAME)? {
            Value::String(name) if !name.is_empty() => Ok(name.clone()),
            Value::Number(number) if is_whole(number) => Ok(number.to_string()),
            other => Err(self.wrong_type(field, NAME, describe_value(other))),
        }
    }

    /// Returns a name that may be absent or null.
    pub(super) fn optional_name(&self, field: &str) -> Result<Option<String>, DataError> {
        let value = self.find(field).filter(|value| !value.is_null());
        value.map(|_| self.required_name(field)).transpose()
    }

    /// Returns a text that must be there.
    pub(super) fn required_text(&self, field: &str) -> Result<&'a str, DataError> {
        match self.require(field, TEXT)? {
            Value::String(text) => Ok(text),
            other => Err(self.wrong_type(field, TEXT, describe_value(other))),
        }
    }

    /// Returns a finite number, `None` where it is null; a string that spells one will do.
    pub(super) fn nullable_number(&self, field: &str) -> Result<Option<f64>, DataError> {
        let (number, found) = match self.require(field, NUMBER)? {
            Value::Null => return Ok(None),
            Value::Number(number) => (number.as_f64(), format!("`{number}`")),
            Value::String(text) => (text.trim().parse().ok(), format!("`{text}`")),
            other => (None, describe_value(other)),
        };
        match number {
            Some(number) if number.is_finite() => Ok(Some(number)),
            _ => Err(self.wrong_type(field, NUMBER, found)),
        }
    }

    /// Returns a number that may be absent or null.
    pub(super) fn optional_number(&self, field: &str) -> Result<Option<f64>, DataError> {
        if self.has_field(field) {
            self.nullable_number(field)
        } else {
            Ok(None)
        }
    }

    /// Returns the error for a value that is there but is something else.
    pub(super) fn wrong_type(
        &self,
        field: &str,
        expected: &'static str,
        found: String,
    ) -> DataError {
        DataProblem::WrongType {
            field: format!("`{field}`"),
            expected,
            found,
        }
        .at(self.place)
    }

    /// Returns the error for a value of the wrong type.
    pub(super) fn wrong_value(&self, field: &str, expected: &'static str, found: &Value) -> Error {
        self.wrong_type(field, expected, describe_value(found))
            .into()
    }

    /// Returns the error for a word that the field may not have; such a word is never read as a
    /// tie.
    pub(super) fn unknown_word(&self, field: &str, found: &Value, expected: &'static str) -> Error {
        let word = match found {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let shown: String = word.chars().take(40).collect();
        let dots = if shown.len() < word.len() { "…" } else { "" };
        let found = format!("`{shown}{dots}`");
        self.wrong_type(field, expected, found).into()
    }
}

/// Whether the record has one of these fields, `a|b`, be it null.
pub(super) fn has_any(fields: &str, record: &Value) -> bool {
    fields.split('|').any(|field| record.get(field).is_some())
}
