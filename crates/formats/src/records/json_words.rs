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

/// Says how to take the records out of one object that holds a list of them; nothing where it holds
/// none.
pub(crate) fn hint_at_lists(record: &Value) -> String {
    let path = |name: &str| match name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        true => format!(".{name}"),
        false => format!("[{}]", Value::from(name)),
    };
    let lists = |within: &Value, before: &str| -> Vec<(String, usize)> {
        let fields = within.as_object().into_iter().flatten();
        let lists = fields.filter_map(|(name, value)| {
            let list = value
                .as_array()
                .filter(|list| list.iter().any(Value::is_object))?;
            Some((format!("{before}{}", path(name)), list.len()))
        });
        lists.collect()
    };
    let mut found = lists(record, "");
    for (name, value) in record.as_object().into_iter().flatten() {
        found.extend(lists(value, &path(name)));
    }
    let Some((first, length)) = found.first() else {
        return String::new();
    };
    format!(
        "; this is one object with a list of {length} records in it: `jq -c '{first}[]' FILE > \
         FILE.jsonl` writes them one a line"
    )
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
