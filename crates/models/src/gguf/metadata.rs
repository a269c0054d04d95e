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

    /// Returns the text, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}
