//! The criteria of an item's own, in the shapes in which benchmarks write them: texts, or objects
//! with a text, a weight and a name.

use super::fields::Fields;
use super::map::Target;
use crate::error::{DataProblem, Result};
use crate::source::json_words::describe_value;
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
        let list = match value {
            Value::Array(list) => Ok(list),
            // In a table the list is JSON.
            Value::String(text) if self.tabular => {
                serde_json::from_str(&text).map_err(|_| Value::String(text))
            }
            other => Err(other),
        };
        let list: Vec<Value> = match list {
            Ok(list) => list,
            // A foreign record may have a field of this name that is something else.
            Err(_) if !self.mapping.mentions(Target::Criteria) => return Ok(Vec::new()),
            Err(other) => return Err(self.wrong_value(Target::Criteria, CRITERIA, &other)),
        };
        let mut criteria: Vec<Criterion> = Vec::new();
        for (value, number) in list.iter().zip(1..) {
            match read_criterion(value, &criteria) {
                Ok(criterion) => criteria.push(criterion),
                Err(why) => {
                    return Err(DataProblem::Criterion {
                        field: self.mapping.field_label(Target::Criteria),
                        number,
                        why,
                    }
                    .at(self.place));
                }
            }
        }
        Ok(criteria)
    }
}

/// Reads a criterion, whose name is none of those before it.
fn read_criterion(value: &Value, before: &[Criterion]) -> Result<Criterion, String> {
    let criterion = match value {
        Value::String(text) => Criterion::new(require_words(text)?),
        Value::Object(_) => Criterion {
            text: read_text(value)?,
            weight: read_weight(value)?,
            name: read_name(value)?,
        },
        other => {
            let found = describe_value(other);
            return Err(format!("expected a text or an object, found {found}"));
        }
    };
    match &criterion.name {
        Some(name) if before.iter().any(|known| known.name == criterion.name) => Err(format!(
            "an earlier criterion of the item has the name `{name}`; give each its own name"
        )),
        _ => Ok(criterion),
    }
}

/// Returns the one of these fields that the criterion has; null is as if it were not there.
fn find_one<'v>(value: &'v Value, names: &[&str]) -> Result<Option<&'v Value>, String> {
    let mut given = names.iter().filter_map(|name| {
        let field = value.get(*name).filter(|field| !field.is_null())?;
        Some((name, field))
    });
    match (given.next(), given.next()) {
        (Some((one, _)), Some((other, _))) => {
            Err(format!("it has `{one}` and `{other}`; leave one out"))
        }
        (only, _) => Ok(only.map(|(_, field)| field)),
    }
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
    let Some(found) = find_one(value, &WEIGHTS)? else {
        return Ok(1.0);
    };
    match found.as_f64() {
        Some(weight) if weight.is_finite() && weight != 0.0 => Ok(weight),
        _ => Err(format!(
            "its weight must be a number other than 0 (below 0 for a fault), found {}",
            describe_value(found)
        )),
    }
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
