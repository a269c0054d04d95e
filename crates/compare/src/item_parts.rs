//! Which items of a run count, and the categories that they have.

use evenhand_core::{Item, Refusal};
use evenhand_engine::EngineError;
use evenhand_formats::judgments::Options;
use evenhand_store::Reader;
use rustc_hash::FxHashMap;
use serde_json::Value;

/// Which part of a side is read, and how.
#[derive(Clone, Debug, Default)]
pub struct SideReading {
    /// How files of judgments are understood. Its filter also says which items of a run count.
    pub files: Options,
    /// The field of a run's items by which they have categories, in place of `category`.
    pub by: Option<String>,
}

/// The items that count, with their categories; None where all of a run do, by their own.
pub(super) struct ItemParts(Option<FxHashMap<String, Option<String>>>);

impl ItemParts {
    /// Reads which items count and what their categories are.
    ///
    /// # Errors
    /// A field that no item has.
    pub(super) fn read(reader: &Reader, parts: &SideReading) -> Result<ItemParts, EngineError> {
        let filter = &parts.files.columns.filter;
        if filter.is_empty() && parts.by.is_none() {
            return Ok(ItemParts(None));
        }
        let items = reader.items()?;
        // An item's free fields stand beside its own.
        let mut records: Vec<Value> = Vec::new();
        for item in &items {
            let mut record = serde_json::to_value(item).unwrap_or_default();
            if let Value::Object(object) = &mut record {
                for (name, value) in &item.fields {
                    object.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
            records.push(record);
        }
        for condition in filter.conditions() {
            let mut rows = records.iter().zip(0..);
            if !rows.any(|(record, place)| condition.is_in(record, place)) {
                return Err(without_field(reader, "--where", condition.field(), &records).into());
            }
        }
        if let Some(field) = &parts.by
            && records.iter().all(|record| find(record, field).is_none())
        {
            return Err(without_field(reader, "--by", field, &records).into());
        }
        let text_of = |value: &Value| value.as_str().map_or_else(|| value.to_string(), Into::into);
        let mut kept = FxHashMap::default();
        for ((item, record), place) in items.iter().zip(&records).zip(0..) {
            if filter.keeps(record, place) {
                let category = match &parts.by {
                    Some(field) => find(record, field).map(text_of),
                    None => item.category.clone(),
                };
                kept.insert(item.id.clone(), category);
            }
        }
        Ok(ItemParts(Some(kept)))
    }

    pub(super) fn has(&self, item: &str) -> bool {
        self.0.as_ref().is_none_or(|kept| kept.contains_key(item))
    }

    pub(super) fn category_of(&self, item: &Item) -> Option<String> {
        match &self.0 {
            None => item.category.clone(),
            Some(kept) => kept.get(&item.id).cloned().flatten(),
        }
    }
}

fn without_field(reader: &Reader, flag: &str, field: &str, records: &[Value]) -> Refusal {
    let first = records.first().and_then(Value::as_object);
    let names = first
        .into_iter()
        .flat_map(|object| object.keys().map(String::as_str));
    let names: Vec<&str> = names.filter(|name| *name != "fields").collect();
    Refusal::of_input(format!(
        "{flag} {field}: no item of {} keeps such a field; they keep {}. A run keeps a category, \
         and the fields that its prompts show",
        reader.dir().display(),
        names.join(", ")
    ))
}

/// The value of a field, or of one within fields, as `meta.lang`.
fn find<'v>(record: &'v Value, path: &str) -> Option<&'v Value> {
    let found = match record.get(path) {
        Some(value) => Some(value),
        None => {
            let (first, rest) = path.split_once('.')?;
            return find(record.get(first)?, rest);
        }
    };
    found.filter(|value| !value.is_null())
}
