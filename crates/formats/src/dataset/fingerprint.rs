//! A data set's content as one digest, however its files were formatted, ordered or split.

use super::Dataset;
use blake3::Hasher;
use evenhand_core::{Criterion, FreeFields, Item, Message, Response, Role};
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
        self.hash_systems(&mut hasher, &systems);
        hash_number(&mut hasher, self.items.len());
        for index in sort_indices(&self.items, |item| item.id.clone()) {
            if let Some(item) = self.items.get(index) {
                hash_item(&mut hasher, item);
            }
            self.hash_responses(&mut hasher, index, &systems)?;
        }
        Ok(hasher.finalize().to_hex().to_string())
    }

    fn hash_systems(&self, hasher: &mut Hasher, systems: &[usize]) {
        hash_number(hasher, systems.len());
        for name in systems.iter().filter_map(|&at| self.systems.get(at)) {
            hash_text(hasher, name);
        }
    }

    /// Returns the free fields of a response that prompts show.
    fn fields_of(&self, response: &Response) -> FreeFields {
        let shown = response.fields.iter();
        let shown = shown.filter(|(name, _)| !self.unshown_fields.contains(*name));
        shown
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
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
            if let Some(response) = response {
                hash_fields(hasher, &self.fields_of(&response));
                hash_turns_before(hasher, &response)?;
            }
        }
        Ok(())
    }
}

fn hash_turns_before(hasher: &mut Hasher, response: &Response) -> io::Result<()> {
    if let Some(trajectory) = &response.trajectory {
        hash_number(hasher, 4);
        hash_text(hasher, &serde_json::to_string(&**trajectory)?);
    } else if !response.earlier.is_empty() {
        hash_conversation(hasher, response);
    }
    Ok(())
}

/// Hashes the turns before a response. The number before them is none that stands before the next
/// response, so that no two data sets give the same bytes.
fn hash_conversation(hasher: &mut Hasher, response: &Response) {
    hash_number(hasher, 2 + usize::from(response.whole));
    hash_messages(hasher, &response.earlier);
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
    hash_constraints(hasher, item.constraints.as_ref());
    hash_criteria(hasher, &item.criteria);
    hash_fields(hasher, &item.fields);
}

fn hash_constraints(hasher: &mut Hasher, constraints: Option<&Value>) {
    let sorted = constraints.map(|value| sort_fields(value).to_string());
    hash_optional(hasher, sorted.as_deref());
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

/// Hashes the criteria of an item that has any, behind a number that stands before nothing else
/// there.
fn hash_criteria(hasher: &mut Hasher, criteria: &[Criterion]) {
    if criteria.is_empty() {
        return;
    }
    hash_number(hasher, CRITERIA);
    hash_number(hasher, criteria.len());
    for criterion in criteria {
        hash_criterion(hasher, criterion);
    }
}

fn hash_criterion(hasher: &mut Hasher, criterion: &Criterion) {
    hash_text(hasher, &criterion.text);
    hasher.update(&criterion.weight.to_le_bytes());
    hash_optional(hasher, criterion.name.as_deref());
}

/// The number before criteria; before responses stand others.
const CRITERIA: usize = 16;

fn hash_messages(hasher: &mut Hasher, messages: &[Message]) {
    hash_number(hasher, messages.len());
    for message in messages {
        hash_text(hasher, role_name(message.role));
        hash_text(hasher, &message.content);
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
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
