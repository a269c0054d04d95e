//! One record under its mapping: the values of its terms, and the errors for them.

use super::input::Input;
use super::map::{Mapping, Target};
use super::record::SystemOutput;
use super::trajectories::WrongPart;
use super::turn_choice::ConversationPart;
use crate::error::{DataError, DataProblem, Place, Result};
use crate::source::json_words::{NAME, describe_value, field_names, is_whole, name_of_value};
use crate::source::value_source::ValueSource;
use evenhand_core::FreeFields;
use serde_json::Value;

const TEXT: &str = "a string";
pub(super) const NUMBER: &str = "a number";

/// One record under its mapping.
pub(crate) struct Fields<'a> {
    pub(crate) record: &'a Value,
    /// From 0, in its file.
    pub(crate) position: u64,
    pub(crate) place: &'a Place,
    pub(crate) mapping: &'a Mapping,
    /// How the file is read.
    pub(crate) input: &'a Input<'a>,
    /// Whether the file is CSV: null is then a cell without anything in it.
    pub(crate) tabular: bool,
    /// Which part of a conversation is read.
    pub(crate) part: ConversationPart,
}

impl Fields<'_> {
    /// Returns the value of a term; `None` where the record lacks it.
    pub(super) fn find(&self, target: Target) -> Option<Value> {
        self.mapping.find(target, self.record, self.position)
    }

    /// Returns the value of a term; `None` where the record lacks it or it is null.
    pub(super) fn find_value(&self, target: Target) -> Option<Value> {
        self.find(target).filter(|value| !value.is_null())
    }

    pub(super) fn has(&self, target: Target) -> bool {
        self.find(target).is_some()
    }

    /// Returns a value that must be there, but may be null.
    pub(super) fn require(&self, target: Target, expected: &'static str) -> Result<Value> {
        self.find(target).ok_or_else(|| {
            DataProblem::MissingField {
                field: self.mapping.field_label(target),
                expected,
                has: field_names(self.record),
            }
            .at(self.place)
        })
    }

    /// Returns a text that may be absent or null; a whole number becomes its decimal string.
    pub(super) fn optional_text(&self, target: Target) -> Result<Option<String>> {
        match self.find_value(target) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(Value::Number(number)) if is_whole(&number) => Ok(Some(number.to_string())),
            Some(other) => Err(self.wrong_value(target, TEXT, &other)),
        }
    }

    /// Returns a text that must be there.
    pub(super) fn required_text(&self, target: Target) -> Result<String> {
        match self.require(target, TEXT)? {
            Value::String(text) => Ok(text),
            Value::Null if self.tabular => Ok(String::new()),
            scalar @ (Value::Bool(_) | Value::Number(_)) if self.mapping.lenient => {
                Ok(scalar.to_string())
            }
            other => Err(self.wrong_value(target, TEXT, &other)),
        }
    }

    /// Returns an id or a name; a whole number becomes its decimal string.
    pub(super) fn required_name(&self, target: Target) -> Result<String> {
        let value = self.require(target, NAME)?;
        name_of_value(&value).ok_or_else(|| self.wrong_value(target, NAME, &value))
    }

    /// Returns a finite number that may be absent or null; a string that spells one will do.
    pub(super) fn optional_number(&self, target: Target) -> Result<Option<f64>> {
        let Some(value) = self.find_value(target) else {
            return Ok(None);
        };
        let (number, found): (Option<f64>, String) = match &value {
            Value::Number(number) => (number.as_f64(), number.to_string()),
            Value::String(text) => (text.trim().parse().ok(), format!("`{text}`")),
            other => (None, describe_value(other)),
        };
        match number {
            Some(number) if number.is_finite() => Ok(Some(number)),
            Some(number) => Err(self.wrong_type(target, NUMBER, format!("`{number}`"))),
            None => Err(self.wrong_type(target, NUMBER, found)),
        }
    }

    /// Returns the error for a value that must be there: it is missing, or it is null.
    pub(super) fn absent_value(&self, target: Target, expected: &'static str) -> DataError {
        match self.require(target, expected) {
            Ok(found) => self.wrong_value(target, expected, &found),
            Err(missing) => missing,
        }
    }

    pub(super) fn wrong_value(
        &self,
        target: Target,
        expected: &'static str,
        found: &Value,
    ) -> DataError {
        self.wrong_type(target, expected, describe_value(found))
    }

    pub(super) fn wrong_type(
        &self,
        target: Target,
        expected: &'static str,
        mut found: String,
    ) -> DataError {
        // That is what a null of a table is there.
        if self.tabular && found == "null" {
            found = "an empty cell".to_owned();
        }
        DataProblem::WrongType {
            field: self.mapping.field_label(target),
            expected,
            found,
        }
        .at(self.place)
    }

    /// Returns the error for a value within a field.
    pub(super) fn wrong_within(&self, wrong: WrongPart) -> DataError {
        DataProblem::WrongType {
            field: format!("`{}`", wrong.path),
            expected: wrong.expected,
            found: wrong.found,
        }
        .at(self.place)
    }

    /// Reads the free fields of the item that the record holds.
    pub(super) fn item_fields(&self) -> Result<FreeFields> {
        let shown = self.input.shown.into_iter();
        self.find_fields(shown.flat_map(|shown| &shown.item), "")
    }

    /// Adds the free fields of a response; in a pair, the names have an ending, as `output_1` has.
    pub(super) fn with_fields(&self, answer: SystemOutput, ending: &str) -> Result<SystemOutput> {
        let shown = self.input.shown.into_iter();
        let names = shown.flat_map(|shown| shown.response.union(&shown.covariates));
        let fields = self.find_fields(names, ending)?;
        Ok(SystemOutput { fields, ..answer })
    }

    /// Finds fields that are not null.
    fn find_fields<'n>(
        &self,
        names: impl Iterator<Item = &'n String>,
        ending: &str,
    ) -> Result<FreeFields> {
        let mut fields = FreeFields::new();
        for name in names {
            let field = format!("{name}{ending}");
            let source = ValueSource::parse_fields(&field, &field)?;
            match source.find(self.record, self.position) {
                None | Some(Value::Null) => {}
                Some(value) => _ = fields.insert(name.clone(), value),
            }
        }
        Ok(fields)
    }
}
