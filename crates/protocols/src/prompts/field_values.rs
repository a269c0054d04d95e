//! The values of free fields as texts.

use evenhand_core::FreeFields;
use serde_json::Value;

/// Returns the texts that free fields show.
pub(super) fn list_field_texts(fields: &FreeFields) -> impl Iterator<Item = String> {
    fields.values().flat_map(list_texts)
}

/// Returns the texts of a value: one, or one for each entry of a list. What is no text is JSON.
pub(super) fn list_texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(entries) if !entries.is_empty() => entries.iter().map(write_value).collect(),
        single => vec![write_value(single)],
    }
}

fn write_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_else(|_| other.to_string()),
    }
}
