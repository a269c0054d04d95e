//! The answer that a report begins with, in whatever form it is printed.

use crate::serialize::json_text;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct AnswerJson {
    /// It in a sentence or a few, as the terminal begins with it, without the last full stop.
    pub(crate) text: String,
}

impl AnswerJson {
    /// Returns the answer that these sentences are.
    pub(crate) fn of_sentences(text: &str) -> AnswerJson {
        let text = text.strip_suffix('.').unwrap_or(text).into();
        AnswerJson { text }
    }
}

/// A report with its answer before it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Answered<'a, T> {
    /// The answer.
    answer: AnswerJson,
    #[serde(flatten)]
    report: &'a T,
}

/// Returns a report with the answer in these sentences as one object.
pub(crate) fn answered_json<T: Serialize>(
    sentences: &str,
    report: &T,
) -> Result<String, serde_json::Error> {
    let answer = AnswerJson::of_sentences(sentences);
    json_text(&Answered { answer, report })
}

/// What the figures of a table do not say by themselves: it stands there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct CaveatJson {
    /// The list of the report that it is about.
    pub(crate) about: CaveatTable,
    /// It in one sentence, without a full stop.
    pub(crate) text: String,
}

/// A list of a report, by its name there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CaveatTable {
    /// The benchers: also where there is one alone.
    Benchers,
    /// Their differences.
    Differences,
    /// The best benchers at every cost.
    Frontier,
}
