//! Names of fields that are close to a misspelt one.

use crate::error::{DataError, DataProblem};
use serde_json::Value;

/// Returns the name that is most like the wanted one; `None` where none is close. Of several the
/// first.
pub fn nearest<'a, S: AsRef<str> + 'a>(
    wanted: &str,
    known: impl IntoIterator<Item = &'a S>,
) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for name in known.into_iter().map(AsRef::as_ref) {
        let likeness = strsim::jaro_winkler(&wanted, &name.to_lowercase());
        // Names that are less alike have little more than a few letters in common.
        if likeness > 0.75 && best.is_none_or(|(best, _)| likeness > best) {
            best = Some((likeness, name));
        }
    }
    best.map(|(_, name)| name)
}

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
    let all = files.iter().flat_map(|(_, fields)| fields);
    let nearest = nearest(&field, all).map(str::to_owned);
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
    fn the_nearest_name_is_found() {
        let fields = ["question", "answer_v1", "answer_v2"];
        assert_eq!(nearest("anwser_v2", &fields), Some("answer_v2"));
        assert_eq!(nearest("QUESTOIN", &fields), Some("question"));
        assert_eq!(nearest("lang", &["language"]), Some("language"));
        assert_eq!(nearest("winner", &fields), None);
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
