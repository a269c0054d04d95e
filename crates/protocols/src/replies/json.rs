//! Verdicts that a judge writes as a JSON object, plain or fenced.

use super::tokens::strip_marks;
use serde_json::{Map, Value};

/// Fields in which judges put a verdict.
const VERDICT_FIELDS: [&str; 15] = [
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

/// Reads the values of the fields that name a verdict, from a reply that is one JSON object; None
/// where it is not.
pub(super) fn read_verdict_fields(text: &str) -> Option<Vec<String>> {
    let object = parse_object(text)?;
    let named = object.iter().filter(|(key, _)| names_verdict(key));
    Some(named.filter_map(|(_, value)| read_scalar(value)).collect())
}

fn names_verdict(key: &str) -> bool {
    let key = key.to_ascii_lowercase().replace([' ', '-'], "_");
    VERDICT_FIELDS.contains(&key.as_str())
}

/// Reads two scores: `{"A": 8, "B": 9}` or `{"scores": [8, 9]}`.
pub(super) fn read_score_fields(text: &str) -> Option<[f64; 2]> {
    let object = parse_object(text)?;
    read_two_fields(&object, ["A", "B"])
        .or_else(|| read_two_fields(&object, ["score_a", "score_b"]))
        .or_else(|| read_score_list(&object))
}

fn read_two_fields(object: &Map<String, Value>, [a, b]: [&str; 2]) -> Option<[f64; 2]> {
    Some([object.get(a)?.as_f64()?, object.get(b)?.as_f64()?])
}

fn read_score_list(object: &Map<String, Value>) -> Option<[f64; 2]> {
    match object.get("scores")?.as_array()?.as_slice() {
        [a, b] => Some([a.as_f64()?, b.as_f64()?]),
        _ => None,
    }
}

/// Reads an order, a list or one text: `{"order": ["B", "A"]}`, `{"order": "B > A"}`.
pub(super) fn read_order_field(text: &str) -> Option<String> {
    let object = parse_object(text)?;
    let mut keys = ["order", "ranking", "rank"].into_iter();
    match keys.find_map(|key| object.get(key))? {
        Value::String(text) => Some(text.clone()),
        Value::Array(names) => join_names(names),
        _ => None,
    }
}

fn join_names(names: &[Value]) -> Option<String> {
    let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
    Some(names?.join(" > "))
}

fn parse_object(text: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(strip_code_fence(text.trim()).trim()) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// Returns what stands in a block of code, without the language that it names.
fn strip_code_fence(text: &str) -> &str {
    let fenced = text
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"));
    fenced.map_or(text, |inner| {
        inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric())
    })
}

fn read_scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(strip_marks(text.trim()).to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
