//! From a request's messages to the tokens of a prompt.

use super::halt::{Halt, invalid};
use super::llama::Token;
use super::vocabulary::{Origin, Tokens, Vocabulary};
use crate::chat::{Part, Template};
use crate::query::{as_query, split_answer};
use evenhand_core::{Message, Request};

/// How a model is spoken to.
pub(super) struct Prompter {
    /// The model's chat template; a base model has none.
    pub(super) template: Option<Template>,
    /// How a question and its answer are given to a model that scores the two, with `{query}` and
    /// `{document}` in their places; None where only its own tokens stand around them.
    pub(super) scored: Option<String>,
    pub(super) vocabulary: Vocabulary,
}

impl Prompter {
    /// Returns the tokens of a conversation, up to where the model's turn begins.
    pub(super) fn tokenize(&self, messages: &[Message]) -> Result<Tokens, Halt> {
        let tokens = match &self.template {
            Some(template) => {
                let parts = template
                    .parts(messages, &|text| self.vocabulary.is_risky(text))
                    .map_err(|error| invalid(error.to_string()))?;
                let parts = parts.iter().map(|part| match part {
                    Part::Template(text) => (text.as_str(), Origin::Template),
                    Part::Content(text) => (text.as_str(), Origin::Message),
                });
                self.vocabulary.tokenize_parts(parts)
            }
            None => self.tokenize_plain(messages, ""),
        };
        check_not_empty(tokens)
    }

    /// Returns the tokens of an answer and of what it follows, for a model that scores the two.
    /// Reads what they say as text, never as a mark.
    pub(super) fn tokenize_answered(&self, request: &Request) -> Result<Vec<Token>, Halt> {
        let Some((before, answer)) = split_answer(request) else {
            return Err(invalid("there is no answer to score"));
        };
        let (query, answer) = (as_query(before), answer.content.as_str());
        let weights = &self.vocabulary.weights;
        if let Some(template) = &self.scored {
            let mut parts = Vec::new();
            let mut rest = template.as_str();
            while let Some((at, mark, text)) = [("{query}", query.as_str()), ("{document}", answer)]
                .into_iter()
                .filter_map(|(mark, text)| Some((rest.find(mark)?, mark, text)))
                .min()
            {
                parts.push((&rest[..at], Origin::Template));
                parts.push((text, Origin::Message));
                rest = &rest[at + mark.len()..];
            }
            parts.push((rest, Origin::Template));
            return check_not_empty(self.vocabulary.tokenize_parts(parts)).map(|tokens| tokens.all);
        }
        let mut tokens: Vec<Token> = weights.first_token().into_iter().collect();
        tokens.extend(self.vocabulary.tokenize_with_unknown(&query));
        tokens.extend(weights.tokens_between());
        tokens.extend(self.vocabulary.tokenize_with_unknown(answer));
        tokens.extend(weights.last_token());
        Ok(tokens)
    }

    /// Returns the tokens of a conversation up to the end of what its last message says, and those
    /// of a text that goes on with it, up to where the model's turn begins.
    pub(super) fn tokenize_around(
        &self,
        messages: &[Message],
        text: &str,
    ) -> Result<(Vec<Token>, Vec<Token>), Halt> {
        let Some(template) = &self.template else {
            let before = check_not_empty(self.tokenize_plain(messages, ""))?;
            return Ok((before.all, self.vocabulary.tokenize_line(text)));
        };
        // Of any text, so that what the template says is kept apart from what the messages say.
        let parts = template
            .parts(messages, &|_| true)
            .map_err(|error| invalid(error.to_string()))?;
        let is_content = |part: &Part| matches!(part, Part::Content(_));
        let Some(last) = parts.iter().rposition(is_content) else {
            return Err(invalid("the chat template shows no message of the user"));
        };
        let as_written = |part: &'_ Part| match part {
            Part::Template(_) => Origin::Template,
            Part::Content(_) => Origin::Message,
        };
        let (before, behind) = parts.split_at(last + 1);
        let before = before.iter().map(|part| (part.text(), as_written(part)));
        let behind = behind.iter().map(|part| (part.text(), as_written(part)));
        let before = check_not_empty(self.vocabulary.tokenize_parts(before))?;
        let asked = [(text, Origin::Message)].into_iter().chain(behind);
        Ok((before.all, self.vocabulary.tokenize_parts(asked).all))
    }

    /// Returns the text of a conversation as the model reads it, or None if the template refuses
    /// it.
    pub(super) fn render_text(&self, messages: &[Message]) -> Option<String> {
        let Some(template) = &self.template else {
            return Some(join_contents(messages));
        };
        let parts = template
            .parts(messages, &|text| self.vocabulary.is_risky(text))
            .ok()?;
        Some(parts.iter().map(Part::text).collect())
    }

    /// Returns the tokens of a conversation, up to where a text that is to be scored begins.
    pub(super) fn tokenize_before_continuation(
        &self,
        messages: &[Message],
    ) -> Result<Tokens, Halt> {
        match &self.template {
            Some(_) => self.tokenize(messages),
            None => check_not_empty(self.tokenize_plain(messages, BLANK_LINE)),
        }
    }

    /// Returns the tokens of what a base model is given: the contents, with blank lines between.
    fn tokenize_plain(&self, messages: &[Message], end: &str) -> Tokens {
        let mut text = join_contents(messages);
        if !text.is_empty() {
            text.push_str(end);
        }
        let mut tokens = self
            .vocabulary
            .tokenize_parts([(text.as_str(), Origin::Message)]);
        if let Some(first) = self.vocabulary.weights.first_token() {
            tokens.all.insert(0, first);
        }
        tokens
    }
}

const BLANK_LINE: &str = "\n\n";

fn join_contents(messages: &[Message]) -> String {
    let contents = messages.iter().map(|message| message.content.as_str());
    let contents: Vec<&str> = contents.filter(|content| !content.is_empty()).collect();
    contents.join(BLANK_LINE)
}

fn check_not_empty(tokens: Tokens) -> Result<Tokens, Halt> {
    if tokens.all.is_empty() {
        Err(invalid(
            "the prompt is empty, and this model needs at least one token before what it writes",
        ))
    } else {
        Ok(tokens)
    }
}
