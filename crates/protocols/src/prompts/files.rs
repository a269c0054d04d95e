//! Prompt files: TOML with templates.

use super::PromptError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use toml::Spanned;

/// A file that asks for a verdict.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct VerdictFile {
    /// The mark before the verdict at the end of a longer reply.
    #[serde(default)]
    pub(super) marker: String,
    /// The notation of the verdict, where it is not the answer itself after the marker.
    #[serde(default)]
    pub(super) notation: Option<Spanned<String>>,
    /// The answers between which the judge decides, for the reader of the file; checked against the
    /// form.
    #[serde(default)]
    pub(super) answers: Option<Spanned<Vec<String>>>,
    pub(super) system: Spanned<String>,
    pub(super) user: Spanned<String>,
    /// Turns that follow where there are analyses.
    #[serde(default)]
    pub(super) turns: Vec<Turn>,
    #[serde(default)]
    pub(super) question: BTreeMap<String, Spanned<String>>,
}

/// A turn of a conversation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Turn {
    pub(super) role: evenhand_core::Role,
    pub(super) content: Spanned<String>,
}

/// A file that asks for a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextFile {
    pub(super) system: Spanned<String>,
    pub(super) user: Spanned<String>,
}

/// A template for use in others.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartFile {
    pub(super) text: Spanned<String>,
    /// In material.toml: what a judge is told about the marks around the material.
    #[serde(default)]
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
