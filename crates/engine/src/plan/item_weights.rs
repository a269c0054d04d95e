//! Weights of items: how well each of them distinguished systems in earlier judgments.

use crate::{EngineError, open_input};
use evenhand_core::{Cause, Item, Refusal, Setting};
use evenhand_formats::Dataset;
use evenhand_formats::records::{Input, Place, read_objects};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Display;
use std::io::BufReader;
use std::path::Path;

/// The largest weight.
const MOST_WEIGHT: f64 = 1e100;

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
    let name = path.display().to_string();
    let file = open_input(path).map_err(|e| refuse_file(&name, format!("cannot be read: {e}")))?;
    let mut by_item: HashMap<String, f64> = HashMap::new();
    read_objects(BufReader::new(file), &Input::new(&name), |record, place| {
        let item = parse_item(&record)
            .ok_or_else(|| refuse_field(&record, place, "item", "the id of an item"))?;
        let weight = parse_weight(&record)
            .ok_or_else(|| refuse_field(&record, place, "weight", "a number from 0 to 1e100"))?;
        if by_item.insert(item.clone(), weight).is_some() {
            let why = format!("the item `{item}` has a weight already");
            return Err(EngineError::from(refuse_file(place, why)));
        }
        Ok(())
    })?;

    let mut weights = Vec::with_capacity(dataset.items.len());
    for Item { id, .. } in &dataset.items {
        let weight = by_item.get(id).copied().ok_or_else(|| {
            let why =
                format!("there is no weight for the item `{id}`; give every item one, 0 and more");
            Refusal::new(Setting::ItemWeights, Cause::Data, why).with_value(path.display())
        })?;
        weights.push(weight);
    }
    Ok(weights)
}

fn parse_item(record: &Value) -> Option<String> {
    match record.get("item")? {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

fn parse_weight(record: &Value) -> Option<f64> {
    let weight = match record.get("weight")? {
        // A table of text has its numbers as texts.
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    };
    weight.filter(|weight| (0.0..=MOST_WEIGHT).contains(weight))
}

fn refuse_field(record: &Value, place: &Place, field: &str, what: &str) -> Refusal {
    let found = record.get(field).map_or("nothing".into(), Value::to_string);
    let found: String = found.chars().take(VALUE_SHOWN).collect();
    refuse_file(
        place,
        format!("field `{field}`: expected {what}, found {found}"),
    )
}

fn refuse_file(place: impl Display, why: String) -> Refusal {
    Refusal::new(Setting::ItemWeights, Cause::File, why).with_value(place)
}
