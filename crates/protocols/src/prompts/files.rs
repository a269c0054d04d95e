//! Prompt files: TOML with templates.

use super::PromptError;
use evenhand_core::Role;
use serde::de::{DeserializeOwned, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;
use std::mem;
use toml::Spanned;

/// A file that asks for a verdict.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(super) struct VerdictFile {
    /// The mark before the verdict at the end of a longer reply.
    pub(super) marker: String,
    /// The notation of the verdict, where it is not the answer itself after the marker.
    pub(super) notation: Option<Spanned<String>>,
    /// The answers between which the judge decides, for the reader of the file; checked against the
    /// form.
    pub(super) answers: Option<Spanned<Vec<String>>>,
    pub(super) system: Option<Spanned<String>>,
    pub(super) user: Option<Spanned<String>>,
    /// The turns of the dialogue; behind `user`, those that follow where there are analyses.
    pub(super) turns: Vec<Turn>,
    pub(super) question: BTreeMap<String, Spanned<Question>>,
}

impl VerdictFile {
    /// Returns all of its turns. Behind `user`, `turns` are those that follow analyses.
    pub(super) fn take_turns(&mut self) -> Vec<Turn> {
        let mut turns = mem::take(&mut self.turns);
        for turn in &mut turns {
            turn.follows_notes = self.user.is_some();
        }
        list_turns(self.system.take(), self.user.take(), turns)
    }

    /// Returns the turns of a dialogue of `[question]`, behind the file's `system` unless they
    /// begin with one.
    pub(super) fn with_system(&mut self, turns: Vec<Turn>) -> Vec<Turn> {
        let begins_with_one = turns.first().is_some_and(|turn| turn.role == Role::System);
        let system = self.system.take().filter(|_| !begins_with_one);
        list_turns(system, None, turns)
    }
}

/// A file that asks for a text.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TextFile {
    pub(super) system: Option<Spanned<String>>,
    pub(super) user: Option<Spanned<String>>,
    /// The turns of the dialogue, behind `user` where that is there too.
    pub(super) turns: Vec<Turn>,
}

impl TextFile {
    /// Returns all of its turns.
    pub(super) fn into_turns(self) -> Vec<Turn> {
        list_turns(self.system, self.user, self.turns)
    }
}

/// A turn of a dialogue.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Turn {
    pub(super) role: Role,
    #[serde(alias = "text")]
    pub(super) content: Spanned<String>,
    /// Whether it is there only where there are analyses.
    #[serde(skip)]
    pub(super) follows_notes: bool,
}

/// Puts the turns with keys of their own before the others.
pub(super) fn list_turns(
    system: Option<Spanned<String>>,
    user: Option<Spanned<String>>,
    turns: Vec<Turn>,
) -> Vec<Turn> {
    let own = [(Role::System, system), (Role::User, user)];
    let own = own.into_iter().filter_map(|(role, content)| {
        Some(Turn {
            role,
            content: content?,
            follows_notes: false,
        })
    });
    own.chain(turns).collect()
}

/// How the verdict is asked for after one kind of reasoning.
pub(super) enum Question {
    /// A text, which stands where the file names `question`.
    Text(String),
    /// A dialogue in the place of the file's `user` and `turns`, and of its `system` where it
    /// begins with one.
    Dialogue(Vec<Turn>),
}

impl<'de> Deserialize<'de> for Question {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Question, D::Error> {
        struct TextOrTurns;

        impl<'de> Visitor<'de> for TextOrTurns {
            type Value = Question;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or turns with role and content")
            }

            fn visit_str<E>(self, text: &str) -> Result<Question, E> {
                Ok(Question::Text(text.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Question, A::Error> {
                let mut turns = Vec::new();
                while let Some(turn) = seq.next_element()? {
                    turns.push(turn);
                }
                Ok(Question::Dialogue(turns))
            }
        }

        deserializer.deserialize_any(TextOrTurns)
    }
}

/// A template for use in others.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartFile {
    pub(super) text: Spanned<String>,
    /// In material.toml: what a judge is told about the marks around the material.
    pub(super) fencing: Option<Spanned<String>>,
}

/// The file of the likelihood form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LikelihoodFile {
    /// The null instruction.
    pub(super) null: String,
    /// Asks for the instruction of a response.
    pub(super) inverse: Spanned<String>,
}

/// The file that asks about two responses side by side.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BesideFile {
    /// The turn of the system, where there is one.
    pub(super) system: Option<Spanned<String>>,
    /// The turn of the user, up to the responses.
    pub(super) user: Spanned<String>,
    /// Shows one response.
    pub(super) answer: Spanned<String>,
    /// What stands behind a response: one behind the one, the other behind the other.
    pub(super) names: [Spanned<String>; 2],
    /// The question behind both.
    pub(super) question: Spanned<String>,
    /// The answers: that the response with the first name is better, and that the other is.
    pub(super) answers: [String; 2],
}

/// A prompt file's path and text, to parse it and to report errors in it.
pub(super) struct PromptSource<'a> {
    pub(super) path: String,
    pub(super) text: &'a str,
}

impl PromptSource<'_> {
    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, PromptError> {
        toml::from_str(self.text)
            .map_err(|e| self.error_at(e.span().map(|span| span.start), e.message().to_string()))
    }

    /// Returns an error at a byte of the file.
    pub(super) fn error_at(&self, at: Option<usize>, why: String) -> PromptError {
        PromptError::new(&*self.path, at.map(|at| self.line_of(at)), why)
    }

    /// Returns an error on a line of a template, counted from 1.
    pub(super) fn error_within(
        &self,
        template: &Spanned<String>,
        line: usize,
        why: String,
    ) -> PromptError {
        let start = template.span().start;
        let opening = self.text.get(start..start + 4).unwrap_or("");
        // TOML leaves out a line break that follows the opening quotes.
        let skipped = usize::from(opening == "'''\n" || opening == "\"\"\"\n");
        let first = self.line_of(start) + skipped;
        PromptError::new(&*self.path, Some(first + line - 1), why)
    }

    /// Returns the line of a byte, counted from 1.
    fn line_of(&self, at: usize) -> usize {
        let before = self.text.bytes().take(at);
        1 + before.filter(|byte| *byte == b'\n').count()
    }
}
