//! The answer that a report begins with, where it is a sentence alone.

use schemars::JsonSchema;
use serde::Serialize;

/// The answer of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct AnswerJson {
    /// It in one sentence, without a full stop.
    pub(crate) text: String,
}
