//! Marks that stand for the contents of messages while a template is rendered.

use super::Part;
use evenhand_core::Message;

/// A mark is a message's number between two characters that no template writes, padded with a white
/// space that no template writes either: where the padding is gone, the template trims.
const OPEN: char = '\u{e0f0}';
const CLOSE: char = '\u{e0f1}';
const PAD: char = '\u{2003}';

/// Returns the messages with marks in place of their contents. An empty content stays empty:
/// templates ask for that.
pub(super) fn mark_contents(messages: &[Message]) -> Vec<Message> {
    let numbered = messages.iter().enumerate();
    let marked = numbered.map(|(number, message)| Message {
        role: message.role,
        content: mark_of(number, &message.content),
    });
    marked.collect()
}

fn mark_of(number: usize, content: &str) -> String {
    if content.is_empty() {
        String::new()
    } else {
        format!("{PAD}{OPEN}{number}{CLOSE}{PAD}")
    }
}

/// A rendered template with the contents in their places.
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
        while let Some(mark) = find_mark(rest) {
            let Some(message) = messages.get(mark.number) else {
                break;
            };
            seen[mark.number] = true;
            let (before, content, after) = mark.split_around(&message.content);
            parts.push(Part::Template(before.to_owned()));
            parts.push(Part::Content(content.to_owned()));
            rest = after;
        }
        parts.push(Part::Template(rest.to_owned()));
        parts.retain(|part| !part.text().is_empty());
        Marked {
            parts,
            missing: is_any_missing(messages, &seen),
        }
    }

    /// Whether every content came out somewhere.
    pub(super) fn has_all(&self) -> bool {
        !self.missing
    }

    pub(super) fn into_parts(self) -> Vec<Part> {
        self.parts
    }
}

fn is_any_missing(messages: &[Message], seen: &[bool]) -> bool {
    messages
        .iter()
        .zip(seen)
        .any(|(message, seen)| !seen && !message.content.is_empty())
}

/// A mark in a text, and what stands around it.
struct Mark<'a> {
    before: &'a str,
    number: usize,
    after: &'a str,
}

impl<'a> Mark<'a> {
    /// Returns what stands before the mark, the content in its place, and what stands after it.
    /// Where the padding is gone, the template trims, and so is the content.
    fn split_around<'c>(&self, content: &'c str) -> (&'a str, &'c str, &'a str) {
        let (before, content) = match self.before.strip_suffix(PAD) {
            Some(before) => (before, content),
            None => (self.before, content.trim_start()),
        };
        match self.after.strip_prefix(PAD) {
            Some(after) => (before, content, after),
            None => (before, content.trim_end(), self.after),
        }
    }
}

/// Finds the next mark.
fn find_mark(text: &str) -> Option<Mark<'_>> {
    let (before, from) = text.split_once(OPEN)?;
    let (number, after) = from.split_once(CLOSE)?;
    Some(Mark {
        before,
        number: number.parse().ok()?,
        after,
    })
}
