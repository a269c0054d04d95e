//! The criteria of an item's own, in the shapes in which benchmarks write them: texts, or objects
//! with a text, a weight and a name.

use super::error::{DataError, DataProblem, Result};
use super::fields::Fields;
use super::json_words::describe_value;
use super::map::Target;
use evenhand_core::Criterion;
use serde_json::Value;

const CRITERIA: &str = "a list of texts, or of objects {text, weight, name}";
/// The fields in which a criterion's text may stand, one of them: our own, HealthBench's, and that
/// of rubrics.
const TEXTS: [&str; 3] = ["text", "criterion", "description"];
/// The fields in which its weight may stand: our own, and HealthBench's.
const WEIGHTS: [&str; 2] = ["weight", "points"];
const NAMES: [&str; 1] = ["name"];

impl Fields<'_> {
    /// Reads the criteria of the item; none where it has no such field, or an empty one.
    pub(super) fn read_criteria(&self) -> Result<Vec<Criterion>> {
        let Some(value) = self.find_value(Target::Criteria) else {
            return Ok(Vec::new());
        };
        match self.list_criteria(value) {
            Ok(list) => self.read_criteria_of(&list),
            // A foreign record may have a field of this name that is something else.
            Err(_) if !self.mapping.mentions(Target::Criteria) => Ok(Vec::new()),
            Err(other) => Err(self.wrong_value(Target::Criteria, CRITERIA, &other)),
        }
    }

    /// Returns the list that the value is, in a table as JSON; else the value.
    fn list_criteria(&self, value: Value) -> Result<Vec<Value>, Value> {
        match value {
            Value::Array(list) => Ok(list),
            Value::String(text) if self.tabular => {
                serde_json::from_str(&text).map_err(|_| Value::String(text))
            }
            other => Err(other),
        }
    }

    fn read_criteria_of(&self, list: &[Value]) -> Result<Vec<Criterion>> {
        let mut criteria: Vec<Criterion> = Vec::new();
        for (at, value) in list.iter().enumerate() {
            let read = read_criterion(value).and_then(|one| refuse_name_twice(&criteria, one));
            criteria.push(read.map_err(|why| self.bad_criterion(at + 1, why))?);
        }
        Ok(criteria)
    }

    fn bad_criterion(&self, number: usize, why: String) -> DataError {
        DataProblem::Criterion {
            field: self.mapping.field_label(Target::Criteria),
            number,
            why,
        }
        .at(self.place)
    }
}

fn refuse_name_twice(before: &[Criterion], one: Criterion) -> Result<Criterion, String> {
    let is_known = one.name.is_some() && before.iter().any(|known| known.name == one.name);
    match &one.name {
        Some(name) if is_known => Err(format!(
            "an earlier criterion of the item has the name `{name}`; give each a name of its own"
        )),
        _ => Ok(one),
    }
}

fn read_criterion(value: &Value) -> Result<Criterion, String> {
    match value {
        Value::String(text) => Ok(Criterion::new(require_words(text)?)),
        Value::Object(_) => read_criterion_fields(value),
        other => Err(wrong_criterion(other)),
    }
}

fn wrong_criterion(found: &Value) -> String {
    let found = describe_value(found);
    format!("expected a text or an object, found {found}")
}

fn read_criterion_fields(value: &Value) -> Result<Criterion, String> {
    Ok(Criterion {
        text: read_text(value)?,
        weight: read_weight(value)?,
        name: read_name(value)?,
    })
}

/// Returns the one of these fields that the criterion has; null is as if it were not there.
fn find_one<'v>(value: &'v Value, names: &[&str]) -> Result<Option<&'v Value>, String> {
    let mut given = names.iter().filter(|name| has_field(value, name));
    match (given.next(), given.next()) {
        (Some(one), Some(other)) => Err(format!("it has `{one}` and `{other}`; leave one out")),
        (only, _) => Ok(only.and_then(|name| value.get(*name))),
    }
}

fn has_field(value: &Value, name: &str) -> bool {
    value.get(name).is_some_and(|field| !field.is_null())
}

fn read_text(value: &Value) -> Result<String, String> {
    match find_one(value, &TEXTS)? {
        Some(Value::String(text)) => require_words(text),
        Some(other) => Err(format!(
            "its text must be a string, found {}",
            describe_value(other)
        )),
        None => Err("it has no text; expected `text` (or `criterion`, `description`)".into()),
    }
}

fn require_words(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        Err("its text is empty".into())
    } else {
        Ok(text.to_owned())
    }
}

/// Returns the weight, 1 where there is none.
fn read_weight(value: &Value) -> Result<f64, String> {
    match find_one(value, &WEIGHTS)? {
        Some(weight) => parse_weight(weight),
        None => Ok(1.0),
    }
}

fn parse_weight(found: &Value) -> Result<f64, String> {
    found
        .as_f64()
        .filter(|weight| weight.is_finite() && *weight != 0.0)
        .ok_or_else(|| wrong_weight(found))
}

fn wrong_weight(found: &Value) -> String {
    let found = describe_value(found);
    format!("its weight must be a number other than 0 (below 0 for a fault), found {found}")
}

fn read_name(value: &Value) -> Result<Option<String>, String> {
    match find_one(value, &NAMES)? {
        None => Ok(None),
        Some(Value::String(name)) if !name.trim().is_empty() => Ok(Some(name.clone())),
        Some(other) => Err(format!(
            "its name must be a text, found {}",
            describe_value(other)
        )),
    }
}
