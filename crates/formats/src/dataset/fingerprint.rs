//! A data set's content as one digest, however its files were formatted, ordered or split.

use super::Dataset;
use blake3::Hasher;
use evenhand_core::{Item, Role};
use serde_json::Value;
use std::io;

impl Dataset {
    /// BLAKE3, in hex, of the items, systems and responses: items by id, systems by name. Labels
    /// and ratings are not part of it: nothing that a judge sees depends on them.
    pub fn fingerprint(&self) -> io::Result<String> {
        let mut hasher = Hasher::new_derive_key("evenhand dataset 1");
        let systems = sorted_by(self.systems.len(), |index| {
            self.systems.get(index).map(|name| &**name)
        });
        number(&mut hasher, systems.len());
        self.systems_into(&mut hasher, &systems);
        number(&mut hasher, self.items.len());
        for item in sorted_by(self.items.len(), |index| {
            self.items.get(index).map(|item| &*item.id)
        }) {
            self.items
                .get(item)
                .into_iter()
                .for_each(|item| item_into(&mut hasher, item));
            self.responses_into(&mut hasher, item, &systems)?;
        }
        Ok(hasher.finalize().to_hex().to_string())
    }

    fn systems_into(&self, hasher: &mut Hasher, order: &[usize]) {
        order
            .iter()
            .filter_map(|&system| self.systems.get(system))
            .for_each(|name| text(hasher, name));
    }

    fn responses_into(
        &self,
        hasher: &mut Hasher,
        item: usize,
        systems: &[usize],
    ) -> io::Result<()> {
        for &system in systems {
            optional(
                hasher,
                self.response(item, system)?
                    .as_ref()
                    .map(|response| &*response.text),
            );
        }
        Ok(())
    }
}

/// The indices below n, by what is found at them.
fn sorted_by<K: Ord>(n: usize, key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&index| key(index));
    order
}

fn item_into(hasher: &mut Hasher, item: &Item) {
    text(hasher, &item.id);
    number(hasher, item.messages.len());
    for message in &item.messages {
        text(hasher, role_name(message.role));
        text(hasher, &message.content);
    }
    optional(hasher, item.reference.as_deref());
    optional(hasher, item.category.as_deref());
    optional(
        hasher,
        item.constraints
            .as_ref()
            .map(sorted)
            .map(|value| value.to_string())
            .as_deref(),
    );
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

fn number(hasher: &mut Hasher, number: usize) {
    hasher.update(&(number as u64).to_le_bytes());
}

fn text(hasher: &mut Hasher, text: &str) {
    number(hasher, text.len());
    hasher.update(text.as_bytes());
}

fn optional(hasher: &mut Hasher, value: Option<&str>) {
    number(hasher, usize::from(value.is_some()));
    value.into_iter().for_each(|value| text(hasher, value));
}

/// The value with the fields of its objects in the order of their names.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(sorted).collect(),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .map(|(name, value)| (name.clone(), sorted(value)))
                .collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(fields.into_iter().collect())
        }
        other => other.clone(),
    }
}
