//! The fields of a record that is a system's row in a table.

use evenhand_core::Refusal;
use evenhand_formats::records::Place;
use serde_json::{Map, Value};

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
pub(super) fn interval_ends(record: &Value, place: &Place) -> Result<Option<[f64; 2]>, Refusal> {
    match record.get("ci") {
        Some(Value::Array(ci)) => Ok(ends_in(ci)),
        _ => ends_in_columns(record, place),
    }
}

fn ends_in_columns(record: &Value, place: &Place) -> Result<Option<[f64; 2]>, Refusal> {
    let low = first_number(record, &LOW, place)?;
    let high = first_number(record, &HIGH, place)?;
    Ok(low.zip(high).map(<[f64; 2]>::from))
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
) -> Result<Option<f64>, Refusal> {
    match column_of(record, None, names) {
        Some(name) => finite_number(record, name, place),
        None => Ok(None),
    }
}

/// Returns the bootstrap scores of a row; none where it has none.
pub(super) fn bootstrap_scores(record: &Value, place: &Place) -> Result<Vec<f64>, Refusal> {
    const EXPECTED: &str = "a list of bootstrap scores";
    let Some(results) = record.get("results") else {
        return Ok(Vec::new());
    };
    finite_numbers(results).ok_or_else(|| wrong_field(place, "results", EXPECTED, Some(results)))
}

fn finite_numbers(list: &Value) -> Option<Vec<f64>> {
    list.as_array()?.iter().map(finite_value).collect()
}

fn finite_value(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.is_finite())
}

/// Returns a number; None where the field is missing or null.
pub(super) fn finite_number(
    record: &Value,
    column: &str,
    place: &Place,
) -> Result<Option<f64>, Refusal> {
    let value = record.get(column).filter(|value| !value.is_null());
    match value.map(usable_number) {
        Some(None) => Err(wrong_field(place, column, "a finite number", value)),
        number => Ok(number.flatten()),
    }
}

/// Returns a number that can be reckoned with; None where the value is none.
fn usable_number(value: &Value) -> Option<f64> {
    number_in(value).filter(is_usable)
}

/// Returns a number; cells of a CSV file are texts.
fn number_in(value: &Value) -> Option<f64> {
    if let Value::String(text) = value {
        text.trim().parse().ok()
    } else {
        value.as_f64()
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
) -> Refusal {
    let found = excerpt(found);
    Refusal::of_input(format!(
        "{place}: field `{column}`: expected {expected}, found {found}"
    ))
}

/// Shows a value, or as much of it as fits a message.
fn excerpt(value: Option<&Value>) -> String {
    let text = value.map_or("nothing".into(), Value::to_string);
    text.chars().take(40).collect()
}

pub(super) fn lacking_field(
    record: &Value,
    place: &Place,
    column: &str,
    expected: &str,
) -> Refusal {
    let fields = field_names(record);
    Refusal::of_input(format!(
        "{place}: there is no field `{column}` with {expected}; the record has {fields}"
    ))
}

/// Lists the fields of a record, the first dozen of them.
fn field_names(record: &Value) -> String {
    let fields = record.as_object().into_iter().flat_map(Map::keys);
    fields.take(12).cloned().collect::<Vec<_>>().join(", ")
}
