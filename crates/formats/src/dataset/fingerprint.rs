//! A data set's content as one digest, however its files were formatted, ordered or split.

use super::Dataset;
use blake3::Hasher;
use evenhand_core::{FreeFields, Item, Message};
use serde_json::Value;
use std::io;

impl Dataset {
    /// Returns BLAKE3, in hex, of the items, systems and responses: items by id, systems by name.
    /// Labels and ratings are not part of it: nothing that a judge sees depends on them.
    ///
    /// # Errors
    /// If a response cannot be read back.
    pub fn fingerprint(&self) -> io::Result<String> {
        let mut hasher = Hasher::new_derive_key("evenhand dataset 1");
        let systems = sort_indices(&self.systems, |name| name.clone());
        hash_number(&mut hasher, systems.len());
        for name in systems.iter().filter_map(|&at| self.systems.get(at)) {
            hash_text(&mut hasher, name);
        }
        hash_number(&mut hasher, self.items.len());
        for index in sort_indices(&self.items, |item| item.id.clone()) {
            if let Some(item) = self.items.get(index) {
                hash_item(&mut hasher, item);
            }
            self.hash_responses(&mut hasher, index, &systems)?;
        }
        Ok(hasher.finalize().to_hex().to_string())
    }

    fn hash_responses(
        &self,
        hasher: &mut Hasher,
        item: usize,
        systems: &[usize],
    ) -> io::Result<()> {
        for &system in systems {
            let response = self.response(item, system)?;
            hash_optional(hasher, response.as_ref().map(|response| &*response.text));
            let Some(response) = response else {
                continue;
            };
            // Of the free fields those that prompts show.
            let mut fields: FreeFields = (*response.fields).clone();
            fields.retain(|name, _| !self.unshown_fields.contains(name));
            hash_fields(hasher, &fields);
            // The number before the turns is none that stands before the next response, so that no
            // two data sets give the same bytes.
            if let Some(trajectory) = &response.trajectory {
                hash_number(hasher, 4);
                hash_text(hasher, &serde_json::to_string(&**trajectory)?);
            } else if !response.earlier.is_empty() {
                hash_number(hasher, 2 + usize::from(response.whole));
                hash_messages(hasher, &response.earlier);
            }
        }
        Ok(())
    }
}

/// Returns the indices of the values in the order of their keys.
fn sort_indices<T, K: Ord>(values: &[T], key: impl Fn(&T) -> K) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_cached_key(|&index| values.get(index).map(&key));
    order
}

fn hash_item(hasher: &mut Hasher, item: &Item) {
    hash_text(hasher, &item.id);
    hash_messages(hasher, &item.messages);
    hash_optional(hasher, item.reference.as_deref());
    hash_optional(hasher, item.category.as_deref());
    let constraints = item.constraints.as_ref();
    let constraints = constraints.map(|value| sort_fields(value).to_string());
    hash_optional(hasher, constraints.as_deref());
    if !item.criteria.is_empty() {
        hash_number(hasher, CRITERIA);
        hash_number(hasher, item.criteria.len());
        for criterion in &item.criteria {
            hash_text(hasher, &criterion.text);
            hasher.update(&criterion.weight.to_le_bytes());
            hash_optional(hasher, criterion.name.as_deref());
        }
    }
    hash_fields(hasher, &item.fields);
}

/// Hashes the free fields that prompts show, where there are any, behind a number that stands
/// before nothing else there.
fn hash_fields(hasher: &mut Hasher, fields: &FreeFields) {
    if fields.is_empty() {
        return;
    }
    hash_number(hasher, 5);
    hash_number(hasher, fields.len());
    for (name, value) in fields {
        hash_text(hasher, name);
        hash_text(hasher, &sort_fields(value).to_string());
    }
}

/// The number before the criteria of an item that has any; it stands before nothing else there.
const CRITERIA: usize = 16;

fn hash_messages(hasher: &mut Hasher, messages: &[Message]) {
    hash_number(hasher, messages.len());
    for message in messages {
        hash_text(hasher, message.role.name());
        hash_text(hasher, &message.content);
    }
}

fn hash_number(hasher: &mut Hasher, number: usize) {
    hasher.update(&(number as u64).to_le_bytes());
}

fn hash_text(hasher: &mut Hasher, text: &str) {
    // The length first, so that no two lists of texts give the same bytes.
    hash_number(hasher, text.len());
    hasher.update(text.as_bytes());
}

fn hash_optional(hasher: &mut Hasher, value: Option<&str>) {
    hash_number(hasher, usize::from(value.is_some()));
    if let Some(value) = value {
        hash_text(hasher, value);
    }
}

/// Returns the value with the fields of its objects in the order of their names.
fn sort_fields(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(sort_fields).collect(),
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort();
            let sorted = names
                .into_iter()
                .filter_map(|name| Some((name.clone(), sort_fields(fields.get(name)?))));
            Value::Object(sorted.collect())
        }
        other => other.clone(),
    }
}
