//! Reading JSON whose shape is not to be relied on.

use crate::served::codec::LARGEST_BODY;
use crate::served::fault::{Fault, FaultKind};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use std::borrow::Cow;
use std::fmt;

/// A value within a body.
///
/// Texts that stand in the body as they are read are not copied, and fields stand in a list: a
/// reply is read once, a few of its fields at that.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    /// Of fields with the same name the last one counts.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl<'a> Json<'a> {
    /// Returns a field of an object.
    pub(super) fn get(&self, name: &str) -> Option<&Json<'a>> {
        let fields = self.as_object()?.iter().rev();
        let mut named = fields.filter(|(field, _)| field == name);
        named.next().map(|(_, value)| value)
    }

    /// Returns what stands at the end of a path of fields and of places in lists, such as
    /// `/choices/0/message`.
    pub(super) fn pointer(&self, path: &str) -> Option<&Json<'a>> {
        path.split('/')
            .skip(1)
            .try_fold(self, |value, step| match value {
                Json::List(list) => list.get(step.parse::<usize>().ok()?),
                value => value.get(step),
            })
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_u64(&self) -> Option<u64> {
        match self {
            Json::Number(number) => number.as_u64(),
            _ => None,
        }
    }

    pub(super) fn as_f64(&self) -> Option<f64> {
        match self {
            Json::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    pub(super) fn as_array(&self) -> Option<&[Json<'a>]> {
        match self {
            Json::List(list) => Some(list),
            _ => None,
        }
    }

    pub(super) fn as_object(&self) -> Option<&[(Cow<'a, str>, Json<'a>)]> {
        match self {
            Json::Object(fields) => Some(fields),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

/// Takes whatever a body holds.
struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, it_is: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(it_is))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json<'de>, E> {
        Ok(Number::from_f64(number).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Json<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = values.next_element()? {
            list.push(value);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json<'de>, A::Error> {
        let mut fields = Vec::new();
        while let Some((Name(name), value)) = entries.next_entry()? {
            fields.push((name, value));
        }
        Ok(Json::Object(fields))
    }
}

/// A field's name as it stands, or, where it is escaped, what it means.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// How much of a body that is not JSON is shown.
const EXCERPT: usize = 200;

/// Makes the fault of a reply that cannot be used.
pub(super) fn malformed(what: impl AsRef<str>) -> Fault {
    Fault::new(FaultKind::Malformed, one_line(what.as_ref()))
}

/// Reads the whole of a body as JSON.
pub(super) fn parse_body(body: &[u8]) -> Result<Json<'_>, Fault> {
    if body.len() >= LARGEST_BODY {
        return Err(malformed(format!(
            "the reply has {LARGEST_BODY} bytes or more, and no more are read"
        )));
    }
    if body.trim_ascii().is_empty() {
        return Err(malformed("the reply is empty"));
    }
    serde_json::from_slice(body).map_err(|error| {
        let start = String::from_utf8_lossy(body.get(..EXCERPT).unwrap_or(body));
        malformed(format!("the reply is not JSON ({error}): {start}"))
    })
}

/// Returns a text that has something in it.
pub(super) fn text<'a>(value: &'a Json, pointer: &str) -> Option<&'a str> {
    value
        .pointer(pointer)?
        .as_str()
        .filter(|text| !text.trim().is_empty())
}

/// Returns a count; 0 where it is missing, negative or no number.
pub(super) fn count(value: &Json, pointer: &str) -> u64 {
    let Some(number) = value.pointer(pointer) else {
        return 0;
    };
    // A float is cut to the nearest count: `as` saturates, and gives 0 for what is no number.
    number
        .as_u64()
        .or_else(|| Some(number.as_f64()? as u64))
        .unwrap_or(0)
}

/// The most characters of a line.
pub(super) const LONGEST: usize = 300;

/// Returns one line of at most [`LONGEST`] characters, without control characters and without what
/// looks like a key.
pub(super) fn one_line(text: &str) -> String {
    let words = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .map(|word| if looks_like_key(word) { "[key]" } else { word });
    // A word has a character at least, so that no more of them can be shown.
    let line = words.take(LONGEST).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some(_) => line.chars().take(LONGEST - 1).chain(['…']).collect(),
        None => line,
    }
}

/// The beginnings of well-known keys. Servers quote a wrong key, if masked.
const KEYS: [&str; 7] = ["sk-", "gsk_", "xai-", "fw_", "tgp_", "AIza", "Bearer"];

fn looks_like_key(word: &str) -> bool {
    let word = word.trim_start_matches(|c: char| c.is_ascii_punctuation());
    word.len() > 10 && (word.contains("***") || KEYS.iter().any(|key| word.starts_with(key)))
}

#[cfg(test)]
impl From<serde_json::Value> for Json<'_> {
    fn from(tree: serde_json::Value) -> Self {
        use serde_json::Value;
        match tree {
            Value::Null => Json::Null,
            Value::Bool(it_is) => Json::Bool(it_is),
            Value::Number(number) => Json::Number(number),
            Value::String(text) => Json::Text(text.into()),
            Value::Array(list) => Json::List(list.into_iter().map(Json::from).collect()),
            Value::Object(map) => {
                let fields = map.into_iter();
                Json::Object(
                    fields
                        .map(|(name, one)| (name.into(), one.into()))
                        .collect(),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// Whether a value is what serde_json's own tree holds.
    fn is_same(read: &Json, tree: &Value) -> bool {
        match (read, tree) {
            (Json::Null, Value::Null) => true,
            (Json::Bool(one), Value::Bool(other)) => one == other,
            (Json::Number(one), Value::Number(other)) => one == other,
            (Json::Text(one), Value::String(other)) => one == other,
            (Json::List(one), Value::Array(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(a, b)| is_same(a, b))
            }
            (Json::Object(fields), Value::Object(map)) => {
                let is_known = |name: &str| map.contains_key(name);
                let is_same_at = |(name, value): (&String, &Value)| {
                    read.get(name).is_some_and(|read| is_same(read, value))
                };
                fields.iter().all(|(name, _)| is_known(name)) && map.iter().all(is_same_at)
            }
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn a_body_is_read_as_serde_json_reads_it(
            pieces in proptest::collection::vec(
                r#"[{}\[\],:]|null|true|-?[0-9]{1,25}|[0-9]\.[0-9]e[0-9]{1,3}|"[ab]?"|"\\u00e9\\n"|"\\ud800""#,
                0..24,
            ),
        ) {
            let body = pieces.concat();
            let read = serde_json::from_str::<Json>(&body).map_err(|e| e.to_string());
            let tree = serde_json::from_str::<Value>(&body).map_err(|e| e.to_string());
            match (read, tree) {
                (Ok(read), Ok(tree)) => prop_assert!(is_same(&read, &tree), "{body}"),
                (read, tree) => prop_assert_eq!(read.err(), tree.err(), "{}", body),
            }
        }
    }

    #[test]
    fn fields_are_found_by_a_path_and_the_last_of_a_name_counts() {
        let body = r#"{"a": 1, "b": [{"c": "x"}, {"c": "y\n"}], "a": 2, "\u0064": null}"#;
        let json: Json = serde_json::from_str(body).unwrap();
        assert_eq!(json.get("a").and_then(Json::as_u64), Some(2));
        assert_eq!(json.pointer("/b/1/c").and_then(Json::as_str), Some("y\n"));
        assert_eq!(json.pointer("/b/2/c"), None);
        assert_eq!(json.pointer("/b/c"), None);
        assert_eq!(json.pointer("/a/0"), None);
        assert_eq!(json.get("d"), Some(&Json::Null));
        let tree: Value = serde_json::from_str(body).unwrap();
        assert!(is_same(&json, &tree));
    }
}
