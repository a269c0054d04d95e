//! JSON values in the words of an error, and names.

use serde_json::{Number, Value};

/// What a value must be to be an id or a name.
pub(crate) const NAME: &str = "a non-empty string or a whole number";

/// Returns the id or name that a value is, if it is one; a whole number becomes its decimal string.
pub(crate) fn name_of_value(value: &Value) -> Option<String> {
    match value {
        Value::String(name) if !name.is_empty() => Some(name.clone()),
        Value::Number(number) if is_whole(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the names of a record's fields.
pub(crate) fn field_names(record: &Value) -> Vec<String> {
    let fields = record.as_object();
    fields.map_or_else(Vec::new, |fields| fields.keys().cloned().collect())
}

/// Says how to take the records out of one object that holds a list of them; nothing where it holds
/// none.
pub(crate) fn hint_at_lists(record: &Value) -> String {
    if record["ranking"].is_array() && record["aggregation"].is_string() {
        return "; this is a ranking that was printed as JSON; give the files that it was made of"
            .into();
    }
    // A list in the record comes before those of the objects within it.
    let found = find_list(record, "").or_else(|| {
        let mut fields = record.as_object()?.iter();
        fields.find_map(|(name, value)| find_list(value, &jq_path(name)))
    });
    let Some((first, length)) = found else {
        return String::new();
    };
    format!(
        "; this is one object with a list of {length} records in it: `jq -c '{first}[]' FILE > \
         FILE.jsonl` writes them one a line"
    )
}

/// Finds the first field that is a list of objects; returns its path and its length.
fn find_list(within: &Value, before: &str) -> Option<(String, usize)> {
    for (name, value) in within.as_object()? {
        if let Some(list) = value.as_array()
            && list.iter().any(Value::is_object)
        {
            return Some((format!("{before}{}", jq_path(name)), list.len()));
        }
    }
    None
}

fn jq_path(name: &str) -> String {
    if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        format!(".{name}")
    } else {
        format!("[{}]", Value::from(name))
    }
}

/// Returns the name of a value's type.
pub(crate) fn type_name(value: &Value) -> &'static str {
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

/// Iterates over the fields of a list of them, which may be empty: `a,b|c`.
pub(crate) fn split_fields(fields: &'static str) -> impl Iterator<Item = &'static str> {
    fields.split(',').filter(|field| !field.is_empty())
}
