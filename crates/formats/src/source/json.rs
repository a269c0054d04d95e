//! JSON as it is found in files: with what Python writes beside it, and no key twice in an object.

use super::python_json::{Mended, mend};
use super::single_keys::TWICE;

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
