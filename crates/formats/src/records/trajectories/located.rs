//! A value within a field of a record, with its path for errors.

use crate::source::json_words::describe_value;
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
        Some(self.inner(name, value))
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

    /// Returns a copy of a field that must be a text.
    pub(super) fn owned(&self, name: &str) -> PartResult<String> {
        self.text_field(name).map(str::to_owned)
    }

    pub(super) fn text(&self) -> PartResult<&'v str> {
        let text = self.value.as_str();
        text.ok_or_else(|| self.wrong("a string"))
    }

    /// Returns the values of a list.
    pub(super) fn list(&self, expected: &'static str) -> PartResult<Vec<Located<'v>>> {
        let Some(list) = self.value.as_array() else {
            return Err(self.wrong(expected));
        };
        let entries = list.iter().enumerate();
        Ok(entries.map(|(at, value)| self.inner(at, value)).collect())
    }

    /// Returns a value within this one.
    fn inner(&self, name: impl std::fmt::Display, value: &'v Value) -> Located<'v> {
        Located::new(value, format!("{}.{name}", self.path))
    }

    pub(super) fn wrong(&self, expected: &'static str) -> WrongPart {
        WrongPart {
            path: self.path.clone(),
            expected,
            found: match self.value {
                Value::String(text) => format!("`{text}`"),
                other => describe_value(other),
            },
        }
    }

    /// Whether the field of this name is there and true.
    pub(super) fn is_true(&self, name: &str) -> bool {
        self.field(name).is_some_and(|field| field.value == true)
    }
}
