//! What `prompts render` and `align` print, a line of JSON each.

use evenhand_core::{Message, Task};
use schemars::JsonSchema;
use serde::Serialize;

/// A call that a judge would be sent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PromptLine<'a> {
    /// Position in the plan.
    pub trial: u64,
    /// The item's id.
    pub item: &'a str,
    /// The systems, in the order in which they are shown.
    pub systems: Vec<&'a str>,
    /// The round in which it is asked, from 1; what later rounds show of earlier replies is a
    /// stand-in.
    pub round: usize,
    /// The conversation, without a chat template.
    pub messages: &'a [Message],
    /// The prompt as the judge's own template makes it, where a judge with weights is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The kind of reply that is wanted.
    pub task: &'a Task,
}

/// Where PORTIA would cut a pair of answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AlignmentLine {
    /// By length; null where an answer has too few places to be cut.
    pub length: Option<CutPlaces>,
    /// By what the segments say; null where an answer has too few places to be cut, or nothing is
    /// alike.
    pub semantic: Option<SemanticCuts>,
}

/// Where both answers are cut, in characters from their beginning.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CutPlaces {
    /// Cuts of the first answer.
    pub a: Vec<usize>,
    /// Cuts of the second.
    pub b: Vec<usize>,
}

/// Cuts of segments that belong together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SemanticCuts {
    #[serde(flatten)]
    /// Where the answers are cut.
    pub cuts: CutPlaces,
    /// The sum over the k pairs of segments of how alike they are: above 0, at most k.
    pub score: f64,
    /// How many places of each answer were looked at, where an answer has more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched: Option<SearchedPlaces>,
}

/// How many places were looked at; null where it was all of them.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct SearchedPlaces {
    /// Of the first answer.
    pub a: Option<usize>,
    /// Of the second.
    pub b: Option<usize>,
}
