//! The answer that a report begins with, where it is a sentence alone.

use schemars::JsonSchema;
use serde::Serialize;

/// The answer of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct AnswerJson {
    /// It in one sentence, without a full stop.
    pub(crate) text: String,
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
