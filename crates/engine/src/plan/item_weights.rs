//! What earlier judgments say of each item: which of them tell systems apart.

use crate::{EngineError, open_input};
use evenhand_formats::Dataset;
use evenhand_formats::records::{Input, Place, records};
use serde_json::Value;
use std::collections::HashMap;
use std::io::BufReader;
use std::path::Path;

/// The weight, from 0, of every item of `dataset`, in its order, from a table with the columns
/// `item` and `weight` (CSV, JSON or JSONL, not compressed). Items that the dataset does not have
/// are passed over.
///
/// # Errors
/// A file that cannot be read; a weight that is negative, no number or given twice; an item without
/// one.
pub fn item_weights(path: &Path, dataset: &Dataset) -> Result<Vec<f64>, EngineError> {
    let name = path.display().to_string();
    let file = open_input(path).map_err(|e| refused(format!("{name}: cannot be read: {e}")))?;
    let mut found = HashMap::new();
    records(BufReader::new(file), &Input::new(&name), |record, place| {
        let (item, weight) = row(&record, place)?;
        match found.insert(item.clone(), weight) {
            Some(_) => Err(refused(format!(
                "{place}: the item `{item}` has a weight already"
            ))),
            None => Ok(()),
        }
    })?;
    let lacking = |item: &str| {
        refused(format!(
            "{name}: there is no weight for the item `{item}`; give every item one, 0 and more"
        ))
    };
    dataset
        .items
        .iter()
        .map(|item| {
            found
                .get(&item.id)
                .copied()
                .ok_or_else(|| lacking(&item.id))
        })
        .collect()
}

fn row(record: &Value, place: &Place) -> Result<(String, f64), EngineError> {
    let expected = |field: &str, what: &str| {
        let found: String = record
            .get(field)
            .map_or("nothing".into(), Value::to_string)
            .chars()
            .take(40)
            .collect();
        refused(format!(
            "{place}: field `{field}`: expected {what}, found {found}"
        ))
    };
    let item = match record.get("item") {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => return Err(expected("item", "the id of an item")),
    };
    let number = match record.get("weight") {
        Some(Value::String(text)) => text.trim().parse().ok(),
        other => other.and_then(Value::as_f64),
    };
    let weight = number.filter(|weight| (0.0..=1e100).contains(weight));
    Ok((
        item,
        weight.ok_or_else(|| expected("weight", "a number from 0 to 1e100"))?,
    ))
}

fn refused(why: String) -> EngineError {
    EngineError::Setting(format!("--item-weights {why}"))
}
