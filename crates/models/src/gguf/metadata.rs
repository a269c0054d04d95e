//! The values that a GGUF file's header keeps by name.

use std::collections::BTreeMap;

/// The metadata of a file, by key.
pub(super) type Metadata = BTreeMap<String, Value>;

/// A value of the metadata.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A whole number that is not negative, or a truth value as 0 or 1.
    Unsigned(u64),
    /// A negative whole number.
    Negative(i64),
    /// A floating-point number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list, of which only the length is kept.
    List(u64),
}

impl Value {
    pub(super) fn from_signed(number: i64) -> Value {
        u64::try_from(number).map_or(Value::Negative(number), Value::Unsigned)
    }
}

/// Returns the text of this key, if it is one.
pub(super) fn find_text<'a>(metadata: &'a Metadata, key: &str) -> Option<&'a str> {
    match metadata.get(key)? {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// Returns the whole number of this key, if it is one.
pub(super) fn find_number(metadata: &Metadata, key: &str) -> Option<u64> {
    match metadata.get(key)? {
        Value::Unsigned(number) => Some(*number),
        _ => None,
    }
}

/// Returns the length of the list of this key, if it is one.
pub(super) fn find_list_length(metadata: &Metadata, key: &str) -> Option<u64> {
    match metadata.get(key)? {
        Value::List(length) => Some(*length),
        _ => None,
    }
}
