//! One record's text as a JSON value, or where exactly it goes wrong.

use super::error::{DataProblem, Result};
use super::json_words::message_of;
use super::layout::Layout;
use super::point::Point;
use super::python_json::mend;
use super::single_keys::{SingleKeys, key_twice};
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
    let (before, after) = split_at_error(&mended.text, &error);
    let before = mended.original_length(before.len());
    let before = text.get(..before).unwrap_or(text);
    let place = start.after(before.as_bytes()).place(source);
    Err(json_problem(&error, after, layout).at(&place))
}

fn json_problem(error: &serde_json::Error, after: &str, layout: Layout) -> DataProblem {
    if let Some(key) = key_twice(error) {
        return DataProblem::KeyTwice(key);
    }
    DataProblem::Json {
        expected: describe_error(error, after, layout),
        layout: layout.rule(),
    }
}

/// Returns the text before the fault and from it on.
fn split_at_error<'t>(text: &'t str, error: &serde_json::Error) -> (&'t str, &'t str) {
    let at = error_offset(text, error);
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let is_misspelt = error.is_syntax() && after.starts_with(char::is_alphabetic);
    if !is_misspelt {
        return (before, after);
    }
    let word = before.trim_end_matches(char::is_alphabetic).len();
    text.split_at_checked(word).unwrap_or((before, after))
}

/// Returns the byte of the fault, at a character boundary if it is within the text.
fn error_offset(text: &str, error: &serde_json::Error) -> usize {
    let mut at = if error.is_eof() {
        text.len()
    } else {
        (line_start(text, error.line()) + error.column()).saturating_sub(1)
    };
    while !text.is_char_boundary(at.min(text.len())) {
        at -= 1;
    }
    at
}

/// Returns the byte at which the line of this number, from 1, begins.
fn line_start(text: &str, line: usize) -> usize {
    let lines = text.split_inclusive('\n');
    let before = lines.take(line.saturating_sub(1));
    before.map(str::len).sum()
}

fn describe_error(error: &serde_json::Error, after: &str, layout: Layout) -> String {
    let message = message_of(error);
    let expected = rephrase(&message);
    if expected.starts_with("expected") {
        format!("{expected}, found {}", describe_fault(after, layout))
    } else {
        expected.to_owned()
    }
}

/// Puts a message of the JSON reader in our words.
fn rephrase(message: &str) -> &str {
    match message {
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
}

/// Returns the character or word at the fault.
fn describe_fault(after: &str, layout: Layout) -> String {
    let word = first_word(after);
    match after.chars().next() {
        None => layout.end().to_owned(),
        Some(_) if !word.is_empty() => format!("`{word}`"),
        Some(c) if c.is_control() => format!("`{}`", c.escape_default()),
        Some(c) => format!("`{c}`"),
    }
}

/// Returns the letters and digits that the text begins with, not more than an error shows.
fn first_word(text: &str) -> String {
    let letters = text.chars().take_while(|c| c.is_alphanumeric());
    letters.take(20).collect()
}
