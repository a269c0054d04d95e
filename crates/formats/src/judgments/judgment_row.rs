//! The fields of one record, and the errors for them. `a|b` is the first of these that is there
//! and not null.

use crate::error::{DataError, DataProblem, Place, Result};
use crate::filter::finite_number;
use crate::source::json_words::{NAME, describe_value, field_names, name_of_value};
use crate::source::value_source::find_path;
use evenhand_core::{LARGEST_SCORE, Side};
use serde_json::Value;

const NUMBER: &str = "a number";
const FINITE_IN_SUM: &str = "a number between -1e100 and 1e100, which sums can hold";
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

    /// Returns the value, which must be there but may be null.
    pub(super) fn require(&self, field: &str, expected: &'static str) -> Result<&'a Value> {
        if let Some(found) = self.find(field) {
            return Ok(found);
        }
        let problem = DataProblem::MissingField {
            field: format!("`{field}`"),
            expected,
            has: field_names(self.record),
        };
        Err(problem.at(self.place))
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

    /// Returns a text, where the field has one.
    pub(super) fn find_text(&self, field: &str) -> Option<&'a str> {
        self.find(field).and_then(Value::as_str)
    }

    /// Returns the length of a text in characters, where the field has one. A number or a truth is
    /// a text as it is written, as readers of data sets take it.
    pub(super) fn text_length(&self, field: &str) -> Option<usize> {
        let length = match self.find(field)? {
            Value::String(text) => text.chars().count(),
            scalar @ (Value::Bool(_) | Value::Number(_)) => scalar.to_string().chars().count(),
            _ => return None,
        };
        Some(length)
    }

    /// Returns an id or a name; a whole number becomes its decimal string.
    pub(super) fn required_name(&self, field: &str) -> Result<String> {
        let value = self.require(field, NAME)?;
        name_of_value(value).ok_or_else(|| self.wrong_value(field, NAME, value))
    }

    /// Returns a name that may be absent or null.
    pub(super) fn optional_name(&self, field: &str) -> Result<Option<String>> {
        match self.find(field) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.required_name(field).map(Some),
        }
    }

    /// Returns a name, where the field has one.
    pub(super) fn name_if_any(&self, field: &str) -> Option<String> {
        self.find(field).and_then(name_of_value)
    }

    /// Returns two names that must be there.
    pub(super) fn required_names(&self, [first, second]: [&str; 2]) -> Result<[String; 2]> {
        Ok([self.required_name(first)?, self.required_name(second)?])
    }

    /// Returns a text that must be there.
    pub(super) fn required_text(&self, field: &str) -> Result<&'a str> {
        let value = self.require(field, TEXT)?;
        let text = value.as_str();
        text.ok_or_else(|| self.wrong_value(field, TEXT, value))
    }

    /// Returns a finite number, `None` where it is null or, as programs write it in tables, not a
    /// number; a string that spells one will do.
    pub(super) fn nullable_number(&self, field: &str) -> Result<Option<f64>> {
        let value = self.require(field, NUMBER)?;
        if is_nothing(value) {
            return Ok(None);
        }
        let (number, shown) = match value {
            Value::String(text) => (finite_number(text), format!("`{text}`")),
            Value::Number(number) => (number.as_f64(), format!("`{number}`")),
            other => (None, describe_value(other)),
        };
        match number.filter(|number| number.is_finite()) {
            Some(number) if number.abs() > LARGEST_SCORE => {
                Err(self.wrong_type(field, FINITE_IN_SUM, shown))
            }
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong_type(field, NUMBER, shown)),
        }
    }

    /// Returns a number as [`nullable_number`](Self::nullable_number) does; true is 1, false 0.
    pub(super) fn nullable_score(&self, field: &str) -> Result<Option<f64>> {
        let truth = match self.require(field, NUMBER)? {
            Value::Bool(truth) => Some(*truth),
            Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Some(true),
            Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Some(false),
            Value::String(letter) => match self.inspect_grade(field, letter) {
                None => None,
                grade => return Ok(grade),
            },
            _ => None,
        };
        match truth {
            Some(truth) => Ok(Some(f64::from(u8::from(truth)))),
            None => self.nullable_number(field),
        }
    }

    /// Returns what a letter of Inspect's scorers counts: correct, partially so, incorrect, no
    /// answer (`value_to_float` of Inspect). It is no grade but in a sample's `scores`: elsewhere C
    /// is worse than B.
    fn inspect_grade(&self, field: &str, letter: &str) -> Option<f64> {
        let is_sample = has_any("epoch", self.record) && has_any("scores", self.record);
        if !is_sample || !field.starts_with("scores.") {
            return None;
        }
        match letter {
            "C" => Some(1.0),
            "P" => Some(0.5),
            "I" | "N" => Some(0.0),
            _ => None,
        }
    }

    /// Returns a number that may be absent or null.
    pub(super) fn optional_number(&self, field: &str) -> Result<Option<f64>> {
        if self.has_field(field) {
            self.nullable_number(field)
        } else {
            Ok(None)
        }
    }

    /// Returns the item of a question: `QUESTION/2` where the record is of a turn.
    pub(super) fn item_of_question(&self, question: String) -> Result<String> {
        match self.optional_name("turn")? {
            Some(turn) => Ok(format!("{question}/{turn}")),
            None => Ok(question),
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
    pub(super) fn wrong_value(
        &self,
        field: &str,
        expected: &'static str,
        found: &Value,
    ) -> DataError {
        self.wrong_type(field, expected, describe_value(found))
    }

    /// Returns the error for a word that the field may not have; such a word is never read as a
    /// tie.
    pub(super) fn unknown_word(
        &self,
        field: &str,
        found: &Value,
        expected: &'static str,
    ) -> DataError {
        let word = match found {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let mut shown: String = word.chars().take(LONGEST_WORD).collect();
        if shown.len() < word.len() {
            shown.push('…');
        }
        self.wrong_type(field, expected, format!("`{shown}`"))
    }
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
