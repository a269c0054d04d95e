//! The fields of a record that is a system's row in a table.

use evenhand_engine::EngineError;
use evenhand_formats::records::Place;
use serde_json::Value;

const LOW: [&str; 4] = ["ci_low", "ci_lower", "lower", "rating_q025"];
const HIGH: [&str; 4] = ["ci_high", "ci_upper", "upper", "rating_q975"];

/// Returns the column of this name, or the first of the usual ones that is there.
pub(super) fn column_of<'a>(
    record: &Value,
    named: Option<&'a str>,
    usual: &[&'a str],
) -> Option<&'a str> {
    let is_there = |name: &&str| record.get(*name).is_some();
    match named {
        Some(name) => Some(name).filter(is_there),
        None => usual.iter().copied().find(is_there),
    }
}

/// Returns the interval of a row; None where it has none, or an end is open.
pub(super) fn interval_ends(
    record: &Value,
    place: &Place,
) -> Result<Option<[f64; 2]>, EngineError> {
    if let Some(Value::Array(ci)) = record.get("ci") {
        return Ok(ends_in(ci));
    }
    let low = first_number(record, &LOW, place)?;
    let high = first_number(record, &HIGH, place)?;
    Ok(low.zip(high).map(|(low, high)| [low, high]))
}

fn ends_in(ci: &[Value]) -> Option<[f64; 2]> {
    let [low, high] = ci else { return None };
    Some([low.as_f64()?, high.as_f64()?])
}

/// Returns the number in the first of these columns that is there.
fn first_number(
    record: &Value,
    names: &[&'static str],
    place: &Place,
) -> Result<Option<f64>, EngineError> {
    match column_of(record, None, names) {
        Some(name) => finite_number(record, name, place),
        None => Ok(None),
    }
}

/// Returns the bootstrap scores of a row; none where it has none.
pub(super) fn bootstrap_scores(record: &Value, place: &Place) -> Result<Vec<f64>, EngineError> {
    let Some(results) = record.get("results") else {
        return Ok(Vec::new());
    };
    finite_numbers(results).ok_or_else(|| {
        wrong_field(
            place,
            "results",
            "a list of bootstrap scores",
            Some(results),
        )
    })
}

fn finite_numbers(list: &Value) -> Option<Vec<f64>> {
    let values = list.as_array()?.iter();
    values
        .map(|value| value.as_f64().filter(|x| x.is_finite()))
        .collect()
}

/// Returns a number; None where the field is missing or null.
pub(super) fn finite_number(
    record: &Value,
    column: &str,
    place: &Place,
) -> Result<Option<f64>, EngineError> {
    match record.get(column) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match number_in(value).filter(is_usable) {
            Some(number) => Ok(Some(number)),
            None => Err(wrong_field(place, column, "a finite number", Some(value))),
        },
    }
}

/// Returns a number; cells of a CSV file are texts.
fn number_in(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn is_usable(number: &f64) -> bool {
    number.is_finite() && number.abs() <= 1e100
}

pub(super) fn wrong_field(
    place: &Place,
    column: &str,
    expected: &str,
    found: Option<&Value>,
) -> EngineError {
    let found: String = found
        .map_or("nothing".into(), Value::to_string)
        .chars()
        .take(40)
        .collect();
    EngineError::Setting(format!(
        "{place}: field `{column}`: expected {expected}, found {found}"
    ))
}

pub(super) fn lacking_field(
    record: &Value,
    place: &Place,
    column: &str,
    expected: &str,
) -> EngineError {
    let fields = field_names(record);
    EngineError::Setting(format!(
        "{place}: there is no field `{column}` with {expected}; the record has {fields}"
    ))
}

/// Lists the fields of a record, the first dozen of them.
fn field_names(record: &Value) -> String {
    let fields = record
        .as_object()
        .into_iter()
        .flat_map(|object| object.keys());
    fields.take(12).cloned().collect::<Vec<_>>().join(", ")
}
