//! The fields of one record, and the errors for them. `a|b` is the first of these that is there
//! and not null.

use super::{Error, Result};
use crate::records::{
    DataProblem, Place, describe_value, field_names, find_path, finite_number, is_whole,
};
use evenhand_core::Side;
use serde_json::Value;

const NAME: &str = "a non-empty string or a whole number";
const NUMBER: &str = "a number";
const TEXT: &str = "a string";

/// How many characters of an unknown word an error shows.
const LONGEST_WORD: usize = 40;

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
        let mut found = field.split('|').filter_map(|name| find_path(record, name));
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

    fn has_value(&self, field: &str) -> bool {
        self.find(field).is_some_and(|value| !value.is_null())
    }

    /// Returns the value, which must be there but may be null.
    pub(super) fn require(&self, field: &str, expected: &'static str) -> Result<&'a Value> {
        let found = self.find(field);
        found.ok_or_else(|| self.missing_field(field, expected))
    }

    /// Reads a required field, as far as `read` knows its value.
    pub(super) fn read_word<T>(
        &self,
        field: &str,
        expected: &'static str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<T> {
        let found = self.require(field, expected)?;
        read(found).ok_or_else(|| self.unknown_word(field, found, expected))
    }

    fn missing_field(&self, field: &str, expected: &'static str) -> Error {
        DataProblem::MissingField {
            field: quote_field(field),
            expected,
            has: field_names(self.record),
        }
        .at(self.place)
        .into()
    }

    /// Returns a text, where the field has one.
    pub(super) fn find_text(&self, field: &str) -> Option<&'a str> {
        self.find(field).and_then(Value::as_str)
    }

    /// Returns the length of a text in characters, where the field has one.
    pub(super) fn text_length(&self, field: &str) -> Option<usize> {
        let text = self.find_text(field)?;
        Some(text.chars().count())
    }

    /// Returns an id or a name; a whole number becomes its decimal string.
    pub(super) fn required_name(&self, field: &str) -> Result<String> {
        let value = self.require(field, NAME)?;
        name_of(value).ok_or_else(|| self.wrong_value(field, NAME, value))
    }

    /// Returns a name that may be absent or null.
    pub(super) fn optional_name(&self, field: &str) -> Result<Option<String>> {
        if self.has_value(field) {
            self.required_name(field).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Returns a name, where the field has one.
    pub(super) fn name_if_any(&self, field: &str) -> Option<String> {
        self.find(field).and_then(name_of)
    }

    /// Returns two names that must be there.
    pub(super) fn required_names(&self, [first, second]: [&str; 2]) -> Result<[String; 2]> {
        Ok([self.required_name(first)?, self.required_name(second)?])
    }

    /// Returns a text that must be there.
    pub(super) fn required_text(&self, field: &str) -> Result<&'a str> {
        let value = self.require(field, TEXT)?;
        value
            .as_str()
            .ok_or_else(|| self.wrong_value(field, TEXT, value))
    }

    /// Returns a finite number, `None` where it is null or, as programs write it in tables, not a
    /// number; a string that spells one will do.
    pub(super) fn nullable_number(&self, field: &str) -> Result<Option<f64>> {
        match self.require(field, NUMBER)? {
            value if is_nothing(value) => Ok(None),
            value => self.read_number(field, value).map(Some),
        }
    }

    /// Returns a number as [`nullable_number`](Self::nullable_number) does; true is 1, false 0.
    pub(super) fn nullable_score(&self, field: &str) -> Result<Option<f64>> {
        let value = self.require(field, NUMBER)?;
        match truth_of(value) {
            Some(truth) => Ok(Some(f64::from(u8::from(truth)))),
            None => match self.inspect_grade(field, value) {
                None => self.nullable_number(field),
                grade => Ok(grade),
            },
        }
    }

    /// Returns what a letter of Inspect's scorers counts: correct, partially so, incorrect, no
    /// answer (`value_to_float` of Inspect). It is no grade but in a sample's `scores`: elsewhere C
    /// is worse than B.
    fn inspect_grade(&self, field: &str, value: &Value) -> Option<f64> {
        let is_sample = ["epoch", "scores"]
            .iter()
            .all(|name| has_any(name, self.record));
        if !is_sample || !field.starts_with("scores.") {
            return None;
        }
        match value.as_str()? {
            "C" => Some(1.0),
            "P" => Some(0.5),
            "I" | "N" => Some(0.0),
            _ => None,
        }
    }

    fn read_number(&self, field: &str, value: &Value) -> Result<f64> {
        let number = number_of(value);
        number.ok_or_else(|| self.wrong_type(field, NUMBER, show_number(value)))
    }

    /// Returns a number that may be absent or null.
    pub(super) fn optional_number(&self, field: &str) -> Result<Option<f64>> {
        if self.has_field(field) {
            self.nullable_number(field)
        } else {
            Ok(None)
        }
    }

    /// Returns three numbers that may be null.
    pub(super) fn nullable_numbers(&self, fields: [&str; 3]) -> Result<[Option<f64>; 3]> {
        let mut numbers = [None; 3];
        for (number, field) in numbers.iter_mut().zip(fields) {
            *number = self.nullable_number(field)?;
        }
        Ok(numbers)
    }

    /// Returns the item of a question: `QUESTION/2` where the record is of a turn.
    pub(super) fn item_of_question(&self, question: String) -> Result<String> {
        match self.optional_name("turn")? {
            Some(turn) => Ok(format!("{question}/{turn}")),
            None => Ok(question),
        }
    }

    /// Returns the error for a value that is there but is something else.
    pub(super) fn wrong_type(&self, field: &str, expected: &'static str, found: String) -> Error {
        DataProblem::WrongType {
            field: quote_field(field),
            expected,
            found,
        }
        .at(self.place)
        .into()
    }

    /// Returns the error for a value of the wrong type.
    pub(super) fn wrong_value(&self, field: &str, expected: &'static str, found: &Value) -> Error {
        self.wrong_type(field, expected, describe_value(found))
    }

    /// Returns the error for a word that the field may not have; such a word is never read as a
    /// tie.
    pub(super) fn unknown_word(&self, field: &str, found: &Value, expected: &'static str) -> Error {
        let word = shorten_word(word_of(found));
        self.wrong_type(field, expected, format!("`{word}`"))
    }
}

/// Returns the id or name that a value is, if it is one.
fn name_of(value: &Value) -> Option<String> {
    match value.as_str() {
        Some("") => None,
        Some(name) => Some(name.to_owned()),
        None => whole_number(value),
    }
}

fn quote_field(field: &str) -> String {
    format!("`{field}`")
}

fn whole_number(value: &Value) -> Option<String> {
    let number = value.as_number()?;
    is_whole(number).then(|| number.to_string())
}

/// Whether a value stands for a number that is not there: null, or what programs write into a table
/// in its place.
fn is_nothing(value: &Value) -> bool {
    let words = ["", "nan", "na", "n/a", "null", "none"];
    match value {
        Value::Null => true,
        Value::String(text) => words
            .iter()
            .any(|word| text.trim().eq_ignore_ascii_case(word)),
        _ => false,
    }
}

/// Returns the truth that a value is or, as a text, spells.
fn truth_of(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Returns the finite number that a value is or, as a text, spells.
fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => finite_number(text),
        other => other.as_f64().filter(|number| number.is_finite()),
    }
}

/// Shows what stands in place of a number.
fn show_number(value: &Value) -> String {
    match value {
        Value::Number(number) => format!("`{number}`"),
        Value::String(text) => format!("`{text}`"),
        other => describe_value(other),
    }
}

fn word_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the first characters of a word, and dots in place of the others.
fn shorten_word(word: String) -> String {
    let shown: String = word.chars().take(LONGEST_WORD).collect();
    if shown.len() < word.len() {
        shown + "…"
    } else {
        shown
    }
}

/// Returns the side that a word or number stands for in a table of them.
pub(super) fn look_up_side<K: PartialEq>(sides: &[(K, Side)], found: K) -> Option<Side> {
    let known = sides.iter().find(|(known, _)| *known == found)?;
    Some(known.1)
}

/// Whether the record has one of these fields, `a|b`, be it null.
pub(super) fn has_any(fields: &str, record: &Value) -> bool {
    fields
        .split('|')
        .any(|field| find_path(record, field).is_some())
}
