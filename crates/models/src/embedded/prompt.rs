//! From a request's messages to the tokens of a prompt.

use super::halt::{Halt, invalid};
use super::vocabulary::{Origin, Tokens, Vocabulary};
use crate::chat::{Part, Template};
use evenhand_core::Message;

/// How a model is spoken to.
pub(super) struct Prompter {
    /// The model's chat template; a base model has none.
    pub(super) template: Option<Template>,
    pub(super) vocabulary: Vocabulary,
}

impl Prompter {
    /// The tokens of a conversation, up to where the model's turn begins.
    pub(super) fn conversation(&self, messages: &[Message]) -> Result<Tokens, Halt> {
        let tokens = match &self.template {
            Some(template) => self.with_template(template, messages)?,
            None => self.plain(messages, ""),
        };
        not_empty(tokens)
    }

    /// The text of a conversation as the model reads it; None where the template refuses it.
    pub(super) fn text(&self, messages: &[Message]) -> Option<String> {
        let Some(template) = &self.template else {
            return Some(joined(messages));
        };
        let parts = template
            .parts(messages, &|text| self.vocabulary.is_risky(text))
            .ok()?;
        Some(parts.iter().map(Part::text).collect())
    }

    /// The tokens of a conversation, up to where a text that is to be scored begins.
    pub(super) fn before_continuation(&self, messages: &[Message]) -> Result<Tokens, Halt> {
        match &self.template {
            Some(_) => self.conversation(messages),
            None => not_empty(self.plain(messages, BLANK_LINE)),
        }
    }

    fn with_template(&self, template: &Template, messages: &[Message]) -> Result<Tokens, Halt> {
        let risky = |text: &str| self.vocabulary.is_risky(text);
        let parts = template
            .parts(messages, &risky)
            .map_err(|error| invalid(error.to_string()))?;
        Ok(self
            .vocabulary
            .conversation(parts.iter().map(|part| (part.text(), origin(part)))))
    }

    /// What a base model is given: the contents, with blank lines between.
    fn plain(&self, messages: &[Message], end: &str) -> Tokens {
        let mut text = joined(messages);
        if !text.is_empty() {
            text.push_str(end);
        }
        let mut tokens = self
            .vocabulary
            .conversation([(text.as_str(), Origin::Message)]);
        if let Some(first) = self.vocabulary.first_token() {
            tokens.all.insert(0, first);
        }
        tokens
    }
}

const BLANK_LINE: &str = "\n\n";

fn joined(messages: &[Message]) -> String {
    let contents = messages
        .iter()
        .map(|message| message.content.as_str())
        .filter(|content| !content.is_empty());
    contents.collect::<Vec<_>>().join(BLANK_LINE)
}

fn origin(part: &Part) -> Origin {
    match part {
        Part::Template(_) => Origin::Template,
        Part::Content(_) => Origin::Message,
    }
}

fn not_empty(tokens: Tokens) -> Result<Tokens, Halt> {
    if tokens.all.is_empty() {
        Err(invalid(
            "the prompt is empty, and this model needs at least one token before what it writes",
        ))
    } else {
        Ok(tokens)
    }
}
