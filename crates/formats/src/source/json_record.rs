//! One record's text as a JSON value, or where exactly it goes wrong.

use super::json::{SingleKeys, key_twice, message_of};
use super::layout::Layout;
use super::point::Point;
use super::python_json::mend;
use crate::error::{DataProblem, Result};
use serde_json::Value;
use std::sync::Arc;

/// Parses the text that begins at this point of the source. Returns the value, and how many lone
/// surrogates it holds U+FFFD for.
pub(super) fn parse_record(
    text: &str,
    start: Point,
    source: &Arc<str>,
    layout: Layout,
) -> Result<(Value, u64)> {
    let text = text.trim_end();
    let mut error = match serde_json::from_str(text) {
        Ok(SingleKeys(value)) => return Ok((value, 0)),
        Err(error) => error,
    };
    // What Python writes beside JSON is looked for only where JSON was not found.
    let mended = mend(text);
    if mended.changes() {
        match serde_json::from_str(&mended.text) {
            Ok(SingleKeys(value)) => return Ok((value, mended.lone_surrogates)),
            Err(other) => error = other,
        }
    }
    let fault = fault_offset(&mended.text, &error);
    let before = text.get(..mended.original_length(fault)).unwrap_or(text);
    let place = start.after(before.as_bytes()).place(source);
    if let Some(key) = key_twice(&error) {
        return Err(DataProblem::KeyTwice(key).at(&place));
    }
    let message = message_of(&error);
    // The words of the JSON reader, and ours.
    let mut expected = match message.as_str() {
        "EOF while parsing a list" => "expected `,` or `]`",
        "EOF while parsing an object" => "expected `,` or `}`",
        "EOF while parsing a string" => "expected a closing `\"`",
        "EOF while parsing a value" | "expected value" => "expected a value",
        "expected ident" => "expected `true`, `false` or `null`",
        "key must be a string" => "expected a key in double quotes",
        "trailing comma" => "expected another entry after `,`",
        "trailing characters" => "expected the end of the record",
        other => other,
    }
    .to_owned();
    if expected.starts_with("expected") {
        let after = mended.text.get(fault..).unwrap_or_default();
        expected = format!("{expected}, found {}", describe_fault(after, layout));
    }
    let layout = layout.rule();
    Err(DataProblem::Json { expected, layout }.at(&place))
}

/// Returns the byte of the fault: at a character boundary, or where the word begins that it is in.
fn fault_offset(text: &str, error: &serde_json::Error) -> usize {
    let mut at = if error.is_eof() {
        text.len()
    } else {
        let lines = text.split_inclusive('\n');
        let lines_before = lines.take(error.line().saturating_sub(1));
        let line_start: usize = lines_before.map(str::len).sum();
        (line_start + error.column()).saturating_sub(1)
    };
    while !text.is_char_boundary(at.min(text.len())) {
        at -= 1;
    }
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let is_misspelt = error.is_syntax() && after.starts_with(char::is_alphabetic);
    if is_misspelt {
        before.trim_end_matches(char::is_alphabetic).len()
    } else {
        before.len()
    }
}

/// Returns the character or word at the fault.
fn describe_fault(after: &str, layout: Layout) -> String {
    let letters = after.chars().take_while(|c| c.is_alphanumeric());
    let word: String = letters.take(20).collect();
    match after.chars().next() {
        None => layout.end().to_owned(),
        Some(_) if !word.is_empty() => format!("`{word}`"),
        Some(c) if c.is_control() => format!("`{}`", c.escape_default()),
        Some(c) => format!("`{c}`"),
    }
}
