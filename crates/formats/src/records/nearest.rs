//! Names of fields that come near to a misspelt one.

use serde_json::Value;

/// The name that comes nearest to the wanted one; None where none comes near. Of several the first.
pub(crate) fn nearest<'a, S: AsRef<str> + 'a>(
    wanted: &str,
    known: impl IntoIterator<Item = &'a S>,
) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let likeness = |name: &&str| strsim::jaro_winkler(&wanted, &name.to_lowercase());
    let near = known
        .into_iter()
        .map(AsRef::as_ref)
        .map(|name| (likeness(&name), name))
        .filter(|(like, _)| *like > 0.75);
    near.fold(None, |best: Option<(f64, &str)>, found| {
        best.filter(|best| best.0 >= found.0).or(Some(found))
    })
    .map(|(_, name)| name)
}

/// So many of a record's fields are told apart.
const MOST: usize = 200;

/// The fields of a record as `--map` and `--where` write them, those within others after them.
pub(crate) fn paths(record: &Value) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut level: Vec<(String, &Value)> = children("", record);
    for _ in 0..4 {
        let deeper = level
            .iter()
            .flat_map(|(name, value)| children(name, value))
            .collect();
        found.extend(level.into_iter().map(|(name, _)| name));
        level = deeper;
    }
    found.truncate(MOST);
    found
}

fn children<'a>(within: &str, value: &'a Value) -> Vec<(String, &'a Value)> {
    let path = |name: &str| {
        if within.is_empty() {
            name.to_owned()
        } else {
            format!("{within}.{name}")
        }
    };
    match value {
        Value::Object(fields) => fields
            .iter()
            .take(MOST)
            .map(|(name, value)| (path(name), value))
            .collect(),
        Value::Array(values) => values
            .iter()
            .take(3)
            .enumerate()
            .map(|(at, value)| (path(&at.to_string()), value))
            .collect(),
        _ => Vec::new(),
    }
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
            paths(&record),
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
