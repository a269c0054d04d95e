//! A value within a field of a record, with its path for errors.

use crate::records::json_words::describe_value;
use serde_json::Value;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Located<'v> {
    pub(super) value: &'v Value,
    /// Such as `output.2.content`.
    path: String,
}

/// Why a value cannot be read.
#[derive(Debug)]
pub(in crate::records) struct WrongPart {
    /// The path of the field.
    pub(in crate::records) path: String,
    pub(in crate::records) expected: &'static str,
    pub(in crate::records) found: String,
}

pub(super) type PartResult<T = ()> = Result<T, WrongPart>;

impl<'v> Located<'v> {
    pub(super) fn new(value: &'v Value, path: String) -> Located<'v> {
        Located { value, path }
    }

    /// Returns the field of this name; None where there is none, or null.
    pub(super) fn field(&self, name: &str) -> Option<Located<'v>> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        Some(Located::new(value, format!("{}.{name}", self.path)))
    }

    /// Returns the field of this name, which must be there.
    pub(super) fn require(&self, name: &str, expected: &'static str) -> PartResult<Located<'v>> {
        self.field(name).ok_or_else(|| WrongPart {
            path: format!("{}.{name}", self.path),
            expected,
            found: "none".to_owned(),
        })
    }

    /// Returns the first of these fields that is there.
    pub(super) fn any_field(&self, names: &[&str]) -> Option<Located<'v>> {
        names.iter().find_map(|name| self.field(name))
    }

    /// Returns a field that must be a text.
    pub(super) fn text_field(&self, name: &str) -> PartResult<&'v str> {
        self.require(name, "a string")?.text()
    }

    pub(super) fn text(&self) -> PartResult<&'v str> {
        let text = self.value.as_str();
        text.ok_or_else(|| self.wrong("a string"))
    }

    /// Returns the values of a list.
    pub(super) fn list(&self, expected: &'static str) -> PartResult<Vec<Located<'v>>> {
        let list = self.value.as_array();
        let list = list.ok_or_else(|| self.wrong(expected))?.iter();
        Ok(list
            .enumerate()
            .map(|(at, value)| Located::new(value, format!("{}.{at}", self.path)))
            .collect())
    }

    pub(super) fn wrong(&self, expected: &'static str) -> WrongPart {
        let found = match self.value {
            Value::String(text) => format!("`{text}`"),
            other => describe_value(other),
        };
        WrongPart {
            path: self.path.clone(),
            expected,
            found,
        }
    }
}
