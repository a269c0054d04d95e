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
        content: match message.content.as_str() {
            "" => String::new(),
            _ => format!("{PAD}{OPEN}{number}{CLOSE}{PAD}"),
        },
    });
    marked.collect()
}

/// A rendered template with the contents in their places.
pub(super) struct Marked {
    pub(super) parts: Vec<Part>,
    missing: bool,
}

impl Marked {
    /// Puts the contents where their marks came out.
    pub(super) fn new(text: &str, messages: &[Message]) -> Marked {
        let mut parts = Vec::new();
        let mut seen = vec![false; messages.len()];
        let mut rest = text;
        while let Some((before, from)) = rest.split_once(OPEN)
            && let Some((number, after)) = from.split_once(CLOSE)
            && let Ok(number) = number.parse::<usize>()
            && let Some(message) = messages.get(number)
        {
            seen[number] = true;
            // Where the padding is gone, the template trims, and so is the content.
            let (before, content) = match before.strip_suffix(PAD) {
                Some(before) => (before, message.content.as_str()),
                None => (before, message.content.trim_start()),
            };
            let (content, after) = match after.strip_prefix(PAD) {
                Some(after) => (content, after),
                None => (content.trim_end(), after),
            };
            parts.push(Part::Template(before.to_owned()));
            parts.push(Part::Content(content.to_owned()));
            rest = after;
        }
        parts.push(Part::Template(rest.to_owned()));
        parts.retain(|part| !part.text().is_empty());
        let mut messages = messages.iter().zip(seen);
        Marked {
            parts,
            missing: messages.any(|(message, seen)| !seen && !message.content.is_empty()),
        }
    }

    /// Whether every content came out somewhere.
    pub(super) fn has_all(&self) -> bool {
        !self.missing
    }
}
