//! Verdicts that a judge writes as a JSON object, plain or fenced.

use serde_json::{Map, Value};

/// Fields in which judges put a verdict.
const FIELDS: [&str; 15] = [
    "verdict",
    "final_verdict",
    "answer",
    "final_answer",
    "winner",
    "choice",
    "preference",
    "preferred",
    "better",
    "decision",
    "judgment",
    "judgement",
    "result",
    "rating",
    "score",
];

/// The verdicts of a reply that is one JSON object: the values of its fields that name one. None
/// where it is no such object.
pub(super) fn values(text: &str) -> Option<Vec<String>> {
    let object = object(text)?;
    let named = object.iter().filter(|(key, _)| {
        FIELDS.contains(&key.to_ascii_lowercase().replace([' ', '-'], "_").as_str())
    });
    Some(named.filter_map(|(_, value)| scalar(value)).collect())
}

/// Two scores: `{"A": 8, "B": 9}` or `{"scores": [8, 9]}`.
pub(super) fn pair(text: &str) -> Option<[f64; 2]> {
    let object = object(text)?;
    let of = |keys: [&str; 2]| {
        Some([
            object.get(keys[0])?.as_f64()?,
            object.get(keys[1])?.as_f64()?,
        ])
    };
    let listed = || match object.get("scores")?.as_array()?.as_slice() {
        [a, b] => Some([a.as_f64()?, b.as_f64()?]),
        _ => None,
    };
    of(["A", "B"])
        .or_else(|| of(["score_a", "score_b"]))
        .or_else(listed)
}

/// Texts of a list: `{"order": ["B", "A"]}`, or an order as one text.
pub(super) fn order(text: &str) -> Option<String> {
    let object = object(text)?;
    let value = ["order", "ranking", "rank"]
        .into_iter()
        .find_map(|key| object.get(key))?;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(all) => all
            .iter()
            .map(|one| one.as_str())
            .collect::<Option<Vec<_>>>()
            .map(|all| all.join(" > ")),
        _ => None,
    }
}

fn object(text: &str) -> Option<Map<String, Value>> {
    let text = text.trim();
    let fenced = text
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"));
    let inner = fenced.map_or(text, |inner| {
        inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric())
    });
    match serde_json::from_str(inner.trim()) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(super::token::bare(text.trim()).to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
