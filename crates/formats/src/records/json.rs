//! One record's text as a JSON value, or where exactly it is none.

use super::error::{DataError, Problem};
use super::raw::{Layout, Point};
use serde_json::Value;
use std::sync::Arc;

/// The value of the text that begins at this point of the source.
pub(super) fn parse(
    text: &str,
    start: Point,
    source: &Arc<str>,
    layout: Layout,
) -> Result<Value, DataError> {
    let text = text.trim_end();
    serde_json::from_str(text).map_err(|error| {
        let (before, after) = split_at_error(text, &error);
        let expected = describe(&error, after, layout);
        Problem::Json {
            expected,
            layout: layout.rule(),
        }
        .at(&start.after(before.as_bytes()).place(source))
    })
}

/// The text before the fault and from it on.
fn split_at_error<'t>(text: &'t str, error: &serde_json::Error) -> (&'t str, &'t str) {
    let line_start: usize = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let mut at = if error.is_eof() {
        text.len()
    } else {
        (line_start + error.column()).saturating_sub(1)
    };
    while !text.is_char_boundary(at.min(text.len())) {
        at -= 1;
    }
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let word_begins = before.trim_end_matches(char::is_alphabetic).len();
    let misspelt = error.is_syntax() && after.starts_with(char::is_alphabetic);
    if misspelt {
        text.split_at_checked(word_begins)
            .unwrap_or((before, after))
    } else {
        (before, after)
    }
}

fn describe(error: &serde_json::Error, after: &str, layout: Layout) -> String {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let expected = match message {
        "EOF while parsing a list" => "expected `,` or `]`",
        "EOF while parsing an object" => "expected `,` or `}`",
        "EOF while parsing a string" => "expected a closing `\"`",
        "EOF while parsing a value" | "expected value" => "expected a value",
        "expected ident" => "expected `true`, `false` or `null`",
        "key must be a string" => "expected a key in double quotes",
        "trailing comma" => "expected another entry after `,`",
        "trailing characters" => "expected the end of the record",
        other => other,
    };
    if expected.starts_with("expected") {
        format!("{expected}, found {}", found(after, layout))
    } else {
        expected.to_owned()
    }
}

/// The character or word at the fault.
fn found(after: &str, layout: Layout) -> String {
    let word: String = after
        .chars()
        .take_while(|c| c.is_alphanumeric())
        .take(20)
        .collect();
    match after.chars().next() {
        None => layout.end().to_owned(),
        Some(_) if !word.is_empty() => format!("`{word}`"),
        Some(c) if c.is_control() => format!("`{}`", c.escape_default()),
        Some(c) => format!("`{c}`"),
    }
}
