//! JSON values in the words of an error, and names made of texts.

use serde_json::{Number, Value};

/// Returns a name for something that is known by its text only: the same text has the same name in
/// every file.
pub(crate) fn name_of_text(text: &str) -> String {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    format!("text:{}", hash.get(..32).unwrap_or_default())
}

/// Returns the names of a record's fields.
pub(crate) fn field_names(record: &Value) -> Vec<String> {
    let fields = record.as_object();
    fields.map_or_else(Vec::new, |fields| fields.keys().cloned().collect())
}

/// Returns the name of a value's type.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Describes a value in the words of an error.
pub(crate) fn describe_value(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "an empty string".to_owned(),
        Value::Array(list) if list.is_empty() => "an empty list".to_owned(),
        Value::Number(number) => format!("the number {number}"),
        other => type_name(other).to_owned(),
    }
}

/// Whether it is an integer of 64 bits.
pub(crate) fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64()
}

/// Returns the words of the JSON reader, without the place, which is within the record only.
pub(crate) fn message_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let words = text.split(" at line ").next().unwrap_or_default();
    words.to_owned()
}
