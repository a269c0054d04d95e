//! Which records of files are read: those whose fields have given values.

mod fields_found;

pub use fields_found::FieldsFound;

use crate::error::{DataError, DataProblem, Result};
use crate::source::value_source::ValueSource;
use evenhand_core::{Setting, split_unquoted, unquote};
use serde_json::Value;
use std::fmt;

/// Conditions on the fields of records. A record is read if it meets every one; without any, all
/// are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    conditions: Vec<Condition>,
}

/// A field, and the values of which it must have one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    of: FieldValue,
    /// The field with the quotation marks that it was given with.
    written: String,
    values: Vec<String>,
}

impl Filter {
    /// Reads conditions as a user gives them, each `FIELD=VALUE`. Of several values of one field a
    /// record must have one.
    ///
    /// ```
    /// use evenhand_formats::records::Filter;
    /// let filter = Filter::parse(&["lang=en", "turn=1", "lang=de"])?;
    /// assert!(filter.keeps(&serde_json::json!({"lang": "de", "turn": 1.0}), 0));
    /// assert!(!filter.keeps(&serde_json::json!({"lang": "fr", "turn": 1}), 0));
    /// # Ok::<(), evenhand_formats::records::DataError>(())
    /// ```
    ///
    /// # Errors
    /// A condition without `=`, or without a field before it.
    pub fn parse<S: AsRef<str>>(arguments: &[S]) -> Result<Self> {
        let mut conditions: Vec<Condition> = Vec::new();
        for argument in arguments.iter().map(AsRef::as_ref) {
            let Some(condition) = parse_condition(argument) else {
                let argument = argument.to_owned();
                return Err(DataError::new(DataProblem::Where { argument }));
            };
            let mut known = conditions.iter_mut();
            match known.find(|known| known.of.field == condition.of.field) {
                Some(known) => known.values.extend(condition.values),
                None => conditions.push(condition),
            }
        }
        Ok(Filter { conditions })
    }

    /// Returns the problem of a filter that leaves no record.
    pub(crate) fn nothing_left(&self) -> DataProblem {
        let filter = self.to_string();
        DataProblem::NothingLeft { filter }
    }

    /// Returns the filter with one more condition: that a field has exactly this value, blank where
    /// it has none.
    #[must_use]
    pub fn with_value(&self, field: &FieldValue, value: &str) -> Filter {
        let mut filter = self.clone();
        filter.conditions.push(Condition {
            of: field.clone(),
            written: field.field.clone(),
            values: vec![value.to_owned()],
        });
        filter
    }

    /// Returns the conditions as [`Filter::parse`] reads them, in one order whatever was given
    /// first.
    pub fn arguments(&self) -> Vec<String> {
        let conditions = self.conditions.iter();
        let mut arguments: Vec<String> = conditions.flat_map(Condition::arguments).collect();
        arguments.sort();
        arguments.dedup();
        arguments
    }

    /// Whether every record is read.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Returns one condition for each field, in the order in which they were first named.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Whether a record, at this position of its file, is read.
    pub fn keeps(&self, record: &Value, position: u64) -> bool {
        self.conditions
            .iter()
            .all(|condition| condition.is_met_by(record, position))
    }

    /// Returns the conditions for which `is_kept` is true of their number.
    #[must_use]
    pub fn filter_conditions(&self, is_kept: impl Fn(usize) -> bool) -> Filter {
        let conditions = self.conditions.iter().zip(0..);
        let kept = conditions.filter(|(_, number)| is_kept(*number));
        Filter {
            conditions: kept.map(|(condition, _)| condition.clone()).collect(),
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&join_arguments(self.conditions.iter()))
    }
}

impl Condition {
    fn arguments(&self) -> impl Iterator<Item = String> {
        let values = self.values.iter();
        values.map(|value| format!("{}={value}", self.written))
    }

    /// Returns the field, as the user wrote it.
    pub fn field(&self) -> &str {
        &self.of.field
    }

    /// Whether a record has the field, be it null.
    pub fn is_in(&self, record: &Value, position: u64) -> bool {
        self.of.find(record, position).is_some()
    }

    /// Whether this value of the field is asked for; numbers are compared as numbers.
    pub fn accepts(&self, value: &str) -> bool {
        let number = finite_number(value);
        let mut wanted = self.values.iter();
        wanted.any(|wanted| {
            wanted == value || number.is_some_and(|number| finite_number(wanted) == Some(number))
        })
    }

    fn is_met_by(&self, record: &Value, position: u64) -> bool {
        let value = self.of.find(record, position);
        self.accepts(&value.unwrap_or_default())
    }
}

/// A field whose values are looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldValue {
    field: String,
    source: ValueSource,
}

impl FieldValue {
    /// Reads a field as a user names it: a name, or a path such as `meta.lang`.
    ///
    /// # Errors
    /// A name that is no path.
    pub fn parse(field: &str) -> Result<FieldValue> {
        Ok(FieldValue {
            field: field.trim().to_owned(),
            source: ValueSource::parse_fields(field.trim(), field)?,
        })
    }

    /// Returns the value of a record as [`Condition::accepts`] takes it; None without the field.
    pub fn find(&self, record: &Value, position: u64) -> Option<String> {
        Some(match self.source.find(record, position)? {
            Value::Null => String::new(),
            Value::String(text) => text,
            other => other.to_string(),
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.values.iter();
        let arguments = values.map(|value| format!("{}={value}", self.of.field));
        f.write_str(&join_arguments(arguments))
    }
}

/// Shows conditions as they would be given, without the setting before the first.
fn join_arguments<T: ToString>(arguments: impl Iterator<Item = T>) -> String {
    let shown: Vec<String> = arguments.map(|argument| argument.to_string()).collect();
    shown.join(&format!(" {} ", Setting::Where))
}

fn parse_condition(argument: &str) -> Option<Condition> {
    let field = *split_unquoted(argument, '=').first()?;
    let value = argument.get(field.len() + 1..)?;
    let field = field.trim();
    Some(Condition {
        of: FieldValue {
            field: unquote(field),
            source: ValueSource::parse_fields(field, argument).ok()?,
        },
        written: field.to_owned(),
        values: vec![value.trim().to_owned()],
    })
}

pub(crate) fn finite_number(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_compared_as_they_are_written_and_numbers_as_numbers() {
        let keeps =
            |argument: &str, record: Value| Filter::parse(&[argument]).unwrap().keeps(&record, 3);
        assert!(keeps("a.b.0=x", json!({"a": {"b": ["x"]}})));
        assert!(keeps("code=true", json!({"code": true})));
        assert!(keeps("turn=1", json!({"turn": "1.0"})));
        assert!(keeps("lang=", json!({"lang": null})) && keeps("lang=", json!({})));
        assert!(keeps("#=3", json!({})));
        assert!(!keeps("lang=en", json!({"lang": "EN"})));
    }

    #[test]
    fn the_arguments_of_a_filter_are_read_back_as_the_same() {
        let parse = |arguments: &[&str]| Filter::parse(arguments).unwrap();
        let given = parse(&["lang=en", "\"a.b\"=x", "turn=1", "lang=de"]);
        let kept = given.arguments();
        assert_eq!(kept, ["\"a.b\"=x", "lang=de", "lang=en", "turn=1"]);
        let again = Filter::parse(&kept).unwrap();
        assert_eq!(again.arguments(), kept);
        for record in [
            json!({"lang": "en", "a.b": "x", "turn": 1}),
            json!({"lang": "en", "a": {"b": "x"}, "turn": 1}),
        ] {
            assert_eq!(given.keeps(&record, 0), again.keeps(&record, 0));
        }
        let other = parse(&["turn=1", "lang=de", "lang=en", "\"a.b\"=x"]);
        assert_eq!(other.arguments(), kept);
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for bad in ["lang", "=en", "a..b=1"] {
            let error = Filter::parse(&[bad]).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("`where` `{bad}`: expected FIELD=VALUE, such as category=coding")
            );
        }
    }
}
