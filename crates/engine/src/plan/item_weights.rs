//! Weights of items: how well each of them distinguished systems in earlier judgments.

use crate::{EngineError, open_input};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_formats::Dataset;
use evenhand_formats::records::{Input, Place, read_objects};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Display;
use std::io::BufReader;
use std::path::Path;

/// The largest weight.
const MOST_WEIGHT: f64 = 1e100;
type WeightsByItem = HashMap<String, f64>;

/// Characters of a wrong value that an error shows.
const VALUE_SHOWN: usize = 40;

/// Returns the weight, from 0, of every item of `dataset`, in its order, from a table with the
/// columns `item` and `weight` (CSV, JSON or JSONL, not compressed). Items that the dataset does
/// not have are passed over.
///
/// # Errors
/// A file that cannot be read; a weight that is negative, no number or given twice; an item without
/// one.
pub fn item_weights(path: &Path, dataset: &Dataset) -> Result<Vec<f64>, EngineError> {
    let by_item = read_weights(path)?;
    let items = dataset.items.iter();
    let weights = items.map(|item| weight_of(&by_item, &item.id, path));
    Ok(weights.collect::<Result<_, _>>()?)
}

fn weight_of(by_item: &WeightsByItem, item: &str, path: &Path) -> Result<f64, Refusal> {
    let weight = by_item.get(item).copied();
    weight.ok_or_else(|| refuse_unweighted(path, item))
}

fn read_weights(path: &Path) -> Result<WeightsByItem, EngineError> {
    let name = path.display().to_string();
    let file = open_input(path).map_err(|e| refuse_file(&name, format!("cannot be read: {e}")))?;
    let mut weights = HashMap::new();
    read_objects(BufReader::new(file), &Input::new(&name), |record, place| {
        Ok::<(), EngineError>(add_row(&mut weights, &record, place)?)
    })?;
    Ok(weights)
}

fn add_row(weights: &mut WeightsByItem, record: &Value, place: &Place) -> Result<(), Refusal> {
    let (item, weight) = parse_row(record, place)?;
    match weights.insert(item.clone(), weight) {
        None => Ok(()),
        Some(_) => Err(refuse_file(
            place,
            format!("the item `{item}` has a weight already"),
        )),
    }
}

fn parse_row(record: &Value, place: &Place) -> Result<(String, f64), Refusal> {
    let item = parse_item(record)
        .ok_or_else(|| refuse_field(record, place, "item", "the id of an item"))?;
    let weight = parse_weight(record)
        .ok_or_else(|| refuse_field(record, place, "weight", "a number from 0 to 1e100"))?;
    Ok((item, weight))
}

fn parse_item(record: &Value) -> Option<String> {
    match record.get("item")? {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

fn parse_weight(record: &Value) -> Option<f64> {
    let weight = number_in(record.get("weight")?);
    weight.filter(|weight| (0.0..=MOST_WEIGHT).contains(weight))
}

/// A table of text has its numbers as texts.
fn number_in(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    }
}

fn refuse_field(record: &Value, place: &Place, field: &str, what: &str) -> Refusal {
    let found = show_value(record, field);
    let why = format!("field `{field}`: expected {what}, found {found}");
    refuse_file(place, why)
}

fn show_value(record: &Value, field: &str) -> String {
    let found = record.get(field).map_or("nothing".into(), Value::to_string);
    found.chars().take(VALUE_SHOWN).collect()
}

fn refuse_unweighted(path: &Path, item: &str) -> Refusal {
    let reason =
        format!("there is no weight for the item `{item}`; give every item one, 0 and more");
    refuse_weights(path.display(), Cause::Data, reason)
}

fn refuse_file(place: impl Display, why: String) -> Refusal {
    refuse_weights(place, Cause::File, why)
}

fn refuse_weights(place: impl Display, cause: Cause, why: String) -> Refusal {
    Refusal::new(Setting::ItemWeights, cause, why).with_value(place)
}
