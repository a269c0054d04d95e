//! JSON as it is found in files: with what Python writes beside it, and no key twice in an object.

use super::python_json::{Mended, mend};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Reads a text as JSON. What Python writes beside JSON is looked for only where JSON was not
/// found.
///
/// # Errors
/// Returns the error of the mended text, or of the text itself where there was nothing to mend.
pub(crate) fn read_or_mend<T>(
    text: &[u8],
    mut read: impl FnMut(&[u8]) -> Result<T, serde_json::Error>,
) -> Result<T, serde_json::Error> {
    read(text).or_else(|error| {
        let mended = std::str::from_utf8(text).ok().map(mend);
        match mended.filter(Mended::changes) {
            Some(mended) => read(mended.text.as_bytes()),
            None => Err(error),
        }
    })
}

/// Returns the key that an error is about, if it stands twice in its object.
pub(crate) fn key_twice(error: &serde_json::Error) -> Option<String> {
    let text = error.to_string();
    let (key, _) = text.strip_prefix(TWICE)?.rsplit_once(" at line ")?;
    Some(key.to_owned())
}

/// Returns the words of the JSON reader, without the place, which is within the record only.
pub(crate) fn message_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let words = text.split(" at line ").next().unwrap_or_default();
    words.to_owned()
}

/// A value without a key twice in one object: of two values nobody could say which is meant, and
/// the reader of JSON would take the last.
pub(crate) struct SingleKeys(pub(crate) Value);

/// What an error begins with whose rest is the key.
const TWICE: &str = "key twice: ";

/// Returns the error for this key.
pub(crate) fn twice<E: Error>(key: &str) -> E {
    E::custom(format!("{TWICE}{key}"))
}

impl<'de> Deserialize<'de> for SingleKeys {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        value.deserialize_any(ValueVisitor).map(SingleKeys)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(SingleKeys(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            if fields.contains_key(&key) {
                return Err(twice(&key));
            }
            let SingleKeys(value) = object.next_value()?;
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}
