//! Prompts whose long texts are named, not repeated: a report would otherwise hold each response
//! once for every judgment of it.

use evenhand_core::{Message, Role};
use serde::ser::{Serialize, SerializeTuple, Serializer};

/// The shortest text, in bytes, that is worth a name.
const SHORTEST: usize = 24;

/// A message whose content is the concatenation of its parts.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub(super) struct PromptMessage {
    role: Role,
    parts: Vec<PromptPart>,
}

impl PromptMessage {
    /// Counts the bytes of its own text.
    pub(super) fn bytes(&self) -> usize {
        let texts = self.parts.iter().map(|part| match part {
            PromptPart::Text(text) => text.len(),
            PromptPart::Item(_) | PromptPart::Response(_) => 0,
        });
        texts.sum()
    }
}

/// A piece of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PromptPart {
    Text(String),
    /// The instruction at this place in the list of items.
    Item(usize),
    /// The text at this place in the list of responses.
    Response(usize),
}

impl Serialize for PromptPart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, place) = match self {
            PromptPart::Text(text) => return serializer.serialize_str(text),
            PromptPart::Item(place) => ("item", place),
            PromptPart::Response(place) => ("response", place),
        };
        let mut pair = serializer.serialize_tuple(2)?;
        pair.serialize_element(kind)?;
        pair.serialize_element(place)?;
        pair.end()
    }
}

/// Texts that have a name in the file.
pub(super) type NamedTexts<'a> = [(&'a str, PromptPart)];

/// Takes messages apart at the texts that have a name.
pub(super) fn name_texts(messages: &[Message], named: &NamedTexts<'_>) -> Vec<PromptMessage> {
    let messages = messages.iter().map(|message| PromptMessage {
        role: message.role,
        parts: split_at_texts(&message.content, named),
    });
    messages.collect()
}

fn split_at_texts(content: &str, named: &NamedTexts<'_>) -> Vec<PromptPart> {
    let mut parts = Vec::new();
    let mut rest = content;
    loop {
        // The named text that begins first; of several, the longest.
        let long = named.iter().filter(|(text, _)| text.len() >= SHORTEST);
        let found = long.filter_map(|(text, part)| Some((rest.find(text)?, text.len(), part)));
        let Some((at, length, part)) =
            found.min_by_key(|(at, length, _)| (*at, std::cmp::Reverse(*length)))
        else {
            break;
        };
        push_text(&mut parts, &rest[..at]);
        parts.push(part.clone());
        rest = &rest[at + length..];
    }
    push_text(&mut parts, rest);
    parts
}

fn push_text(parts: &mut Vec<PromptPart>, text: &str) {
    if !text.is_empty() {
        parts.push(PromptPart::Text(text.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ITEM: &str = "Explain the tides in a few words.";
    const ANSWER: &str = "The moon pulls at the water, and the sun a little.";

    fn named() -> Vec<(&'static str, PromptPart)> {
        vec![
            (ITEM, PromptPart::Item(3)),
            (ANSWER, PromptPart::Response(7)),
            ("A", PromptPart::Item(0)),
        ]
    }

    fn join(message: &PromptMessage) -> String {
        let parts = message.parts.iter().map(|part| match part {
            PromptPart::Text(text) => text.as_str(),
            PromptPart::Item(_) => ITEM,
            PromptPart::Response(_) => ANSWER,
        });
        parts.collect()
    }

    #[test]
    fn long_texts_are_named_and_short_ones_are_not() {
        let content = format!("Q: {ITEM}\nA: {ANSWER}{ANSWER}");
        let parts = split_at_texts(&content, &named());
        let expected = [
            PromptPart::Text("Q: ".into()),
            PromptPart::Item(3),
            PromptPart::Text("\nA: ".into()),
            PromptPart::Response(7),
            PromptPart::Response(7),
        ];
        assert_eq!(parts, expected);
        let json = serde_json::to_string(&parts[..2]).unwrap();
        assert_eq!(json, r#"["Q: ",["item",3]]"#);
    }

    proptest! {
        #[test]
        fn parts_join_to_the_prompt(pieces in prop::collection::vec(prop_oneof![
            Just(ITEM.to_owned()), Just(ANSWER.to_owned()), Just(ANSWER[..30].to_owned()), ".{0,9}"
        ], 0..9)) {
            let message = Message::user(pieces.concat());
            let taken_apart = name_texts(std::slice::from_ref(&message), &named());
            prop_assert_eq!(join(&taken_apart[0]), message.content);
        }
    }
}
