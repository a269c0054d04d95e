//! Marks that stand for the contents of messages while a template is rendered.

use super::Part;
use evenhand_core::Message;

/// A mark is a message's number between two characters that no template writes, padded with a white
/// space that no template writes either: where the padding is gone, the template trims.
const OPEN: char = '\u{e0f0}';
const CLOSE: char = '\u{e0f1}';
const PAD: char = '\u{2003}';

/// The messages with marks in place of their contents. An empty content stays empty: templates ask
/// for that.
pub(super) fn mark(messages: &[Message]) -> Vec<Message> {
    let marked = messages.iter().enumerate().map(|(number, message)| {
        let content = if message.content.is_empty() {
            String::new()
        } else {
            format!("{PAD}{OPEN}{number}{CLOSE}{PAD}")
        };
        Message {
            role: message.role,
            content,
        }
    });
    marked.collect()
}

/// What a template wrote around the contents.
pub(super) struct Marked {
    parts: Vec<Part>,
    missing: bool,
}

impl Marked {
    /// Puts the contents where their marks came out.
    pub(super) fn new(text: &str, messages: &[Message]) -> Marked {
        let mut parts = Vec::new();
        let mut seen = vec![false; messages.len()];
        let mut rest = text;
        while let Some((before, number, after)) = next_mark(rest) {
            let Some(message) = messages.get(number) else {
                break;
            };
            let (before, keeps_start) = strip(before, str::strip_suffix);
            let (after, keeps_end) = strip(after, str::strip_prefix);
            seen[number] = true;
            parts.push(Part::Template(before.to_owned()));
            parts.push(Part::Content(
                trimmed(&message.content, keeps_start, keeps_end).to_owned(),
            ));
            rest = after;
        }
        parts.push(Part::Template(rest.to_owned()));
        parts.retain(|part| !part.text().is_empty());
        let missing = messages
            .iter()
            .zip(seen)
            .any(|(message, seen)| !seen && !message.content.is_empty());
        Marked { parts, missing }
    }

    /// Whether every content came out somewhere.
    pub(super) fn has_all(&self) -> bool {
        !self.missing
    }

    pub(super) fn into_parts(self) -> Vec<Part> {
        self.parts
    }
}

/// The text before the next mark, the mark's number, and the text after it.
fn next_mark(text: &str) -> Option<(&str, usize, &str)> {
    let (before, from) = text.split_once(OPEN)?;
    let (number, after) = from.split_once(CLOSE)?;
    Some((before, number.parse().ok()?, after))
}

fn strip<'a>(text: &'a str, side: impl Fn(&'a str, char) -> Option<&'a str>) -> (&'a str, bool) {
    side(text, PAD).map_or((text, false), |stripped| (stripped, true))
}

fn trimmed(content: &str, keeps_start: bool, keeps_end: bool) -> &str {
    let content = if keeps_start {
        content
    } else {
        content.trim_start()
    };
    if keeps_end {
        content
    } else {
        content.trim_end()
    }
}
