//! One record's text as a JSON value, or where exactly it goes wrong.

use super::error::{DataProblem, Result};
use super::layout::Layout;
use super::point::Point;
use serde_json::Value;
use std::sync::Arc;

/// Parses the text that begins at this point of the source.
pub(super) fn parse_record(
    text: &str,
    start: Point,
    source: &Arc<str>,
    layout: Layout,
) -> Result<Value> {
    let text = text.trim_end();
    serde_json::from_str(text).map_err(|error| {
        let (before, after) = split_at_error(text, &error);
        let place = start.after(before.as_bytes()).place(source);
        DataProblem::Json {
            expected: describe_error(&error, after, layout),
            layout: layout.rule(),
        }
        .at(&place)
    })
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
    let lines = text.split_inclusive('\n');
    let lines_before = lines.take(error.line().saturating_sub(1));
    let line_start: usize = lines_before.map(str::len).sum();
    let mut at = if error.is_eof() {
        text.len()
    } else {
        (line_start + error.column()).saturating_sub(1)
    };
    while !text.is_char_boundary(at.min(text.len())) {
        at -= 1;
    }
    at
}

fn describe_error(error: &serde_json::Error, after: &str, layout: Layout) -> String {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let expected = rephrase(message);
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
    let letters = after.chars().take_while(|c| c.is_alphanumeric());
    let word: String = letters.take(20).collect();
    match after.chars().next() {
        None => layout.end().to_owned(),
        Some(_) if !word.is_empty() => format!("`{word}`"),
        Some(c) if c.is_control() => format!("`{}`", c.escape_default()),
        Some(c) => format!("`{c}`"),
    }
}
