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
    let Some((path, records)) = find_longest_list(record) else {
        return String::new();
    };
    let what = match records {
        1 => "1 record".to_owned(),
        many => format!("{many} records"),
    };
    format!(
        "; this is one object with a list of {what} in it: `jq -c '{path}[]' FILE > FILE.jsonl` \
         writes them one a line"
    )
}

/// Finds the list with the most objects, in the record or in an object within it, the first of
/// equally long ones; returns its path and how many objects it has.
fn find_longest_list(record: &Value) -> Option<(String, usize)> {
    let mut found = paths_within("", record);
    let inner = found
        .iter()
        .flat_map(|(path, value)| paths_within(path, value));
    found.extend(inner.collect::<Vec<_>>());
    let mut longest = None;
    for (path, value) in found {
        let objects = value.as_array().into_iter().flatten();
        let count = objects.filter(|value| value.is_object()).count();
        if count > longest.as_ref().map_or(0, |(_, most)| *most) {
            longest = Some((path, count));
        }
    }
    longest
}

fn paths_within<'v>(before: &str, within: &'v Value) -> Vec<(String, &'v Value)> {
    let fields = within.as_object().into_iter().flatten();
    let paths = fields.map(|(name, value)| (format!("{before}{}", jq_path(name)), value));
    paths.collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_list_with_the_most_records_is_named() {
        let said = |record: Value| hint_at_lists(&record);
        let promptfoo = json!({
            "results": {"prompts": [{"raw": "a"}], "results": [{"id": 1}, {"id": 2}, {"id": 3}]},
            "tags": ["x", "y", "z", "u"],
        });
        let hint = said(promptfoo);
        assert!(hint.contains("3 records"), "{hint}");
        assert!(hint.contains("'.results.results[]'"), "{hint}");
        // Of equally long ones that of the record itself.
        let hint = said(json!({"in": {"b": [{}]}, "a": [{}]}));
        assert!(hint.contains("1 record in it: `jq -c '.a[]'"), "{hint}");
        assert_eq!(said(json!({"a": {"b": {"c": [{}]}}, "d": []})), "");
    }
}
