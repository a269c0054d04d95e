//! Names of fields that are close to a misspelt one.

use crate::error::{DataError, DataProblem, is_composed_alike};
pub use evenhand_core::nearest;
use serde_json::Value;

/// How many of a record's fields are looked at.
const MOST_FIELDS: usize = 200;

/// Returns the fields of a record as mappings and filters write them, those within others after
/// them.
pub(crate) fn field_paths(record: &Value) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut level: Vec<(String, &Value)> = child_fields("", record);
    for _ in 0..4 {
        let values = level.iter();
        let deeper = values.flat_map(|(name, value)| child_fields(name, value));
        let deeper = deeper.collect();
        found.extend(level.into_iter().map(|(name, _)| name));
        level = deeper;
    }
    found.truncate(MOST_FIELDS);
    found
}

fn child_fields<'a>(within: &str, value: &'a Value) -> Vec<(String, &'a Value)> {
    let join = |name: &str| match within {
        "" => name.to_owned(),
        _ => format!("{within}.{name}"),
    };
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().take(MOST_FIELDS);
            fields.map(|(name, value)| (join(name), value)).collect()
        }
        Value::Array(values) => {
            let values = values.iter().take(3).enumerate();
            let named = values.map(|(at, value)| (join(&at.to_string()), value));
            named.collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the error for a field that none of the files has, which speaks of the file with the
/// nearest field.
pub(crate) fn field_not_found(
    argument: String,
    field: String,
    files: Vec<(String, Vec<String>)>,
) -> DataError {
    let all = || files.iter().flat_map(|(_, fields)| fields);
    let alike = all().find(|name| is_composed_alike(&field, name));
    let nearest = alike.map(String::as_str).or_else(|| nearest(&field, all()));
    let nearest = nearest.map(str::to_owned);
    let is_near = |fields: &[String]| nearest.as_ref().is_some_and(|near| fields.contains(near));
    let at = files.iter().position(|(_, fields)| is_near(fields));
    let (name, has) = files.into_iter().nth(at.unwrap_or(0)).unwrap_or_default();
    DataError::new(DataProblem::NoSuchField {
        argument,
        field,
        nearest: nearest.map(Into::into),
        name,
        has,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_that_look_the_same_are_told_apart() {
        let told = |field: &str, has: &str| {
            let files = vec![("f.csv".to_owned(), vec!["id".to_owned(), has.to_owned()])];
            field_not_found("FIELD".into(), field.into(), files).to_string()
        };
        let composed = told("f\u{fc}r", "fu\u{308}r");
        assert!(
            composed.contains("looks the same") && !composed.contains("comes near"),
            "{composed}"
        );
        let broken = told("answer b", "answer\nb");
        assert!(broken.contains("(`answer\\nb` comes near)"), "{broken}");
        assert!(
            broken.contains("\\n is a line break") && !broken.contains('\n'),
            "{broken}"
        );
    }

    #[test]
    fn fields_within_fields_have_paths() {
        let record = json!({"id": 1, "choices": [{"turns": ["x"]}]});
        assert_eq!(
            field_paths(&record),
            [
                "id",
                "choices",
                "choices.0",
                "choices.0.turns",
                "choices.0.turns.0"
            ]
        );
    }
}
