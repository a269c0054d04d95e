//! Reading JSON whose shape is not to be relied on.

use crate::served::codec::LARGEST_BODY;
use crate::served::fault::{Fault, FaultKind};
use serde_json::Value;

/// How much of a body that is not JSON is shown.
const EXCERPT: usize = 200;

/// Makes the fault of a reply that cannot be used.
pub(super) fn malformed(what: impl AsRef<str>) -> Fault {
    Fault::new(FaultKind::Malformed, one_line(what.as_ref()))
}

/// Reads the whole of a body as JSON.
pub(super) fn parse_body(body: &[u8]) -> Result<Value, Fault> {
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
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value
        .pointer(pointer)?
        .as_str()
        .filter(|text| !text.trim().is_empty())
}

/// Returns a count; 0 where it is missing, negative or no number.
pub(super) fn count(value: &Value, pointer: &str) -> u64 {
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
