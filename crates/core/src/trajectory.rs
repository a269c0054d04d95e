//! Trajectories: the steps that an agent took before its final message.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The steps of a response before its text, which is the final message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trajectory {
    /// In order; where something is left out, those that are kept.
    pub steps: Vec<Step>,
    /// How many steps there were before anything was left out, with the final message where there
    /// is one.
    pub length: u32,
    /// The gap in the middle, where the trajectory was longer than its budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Gap>,
    /// Which part of the final message the response's text is.
    #[serde(default)]
    pub final_piece: Piece,
}

/// One step of a trajectory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Its place, from 1.
    pub number: u32,
    /// What was done.
    pub kind: StepKind,
    /// What was said, called or returned.
    pub text: String,
    /// Which part of it the text is.
    #[serde(default)]
    pub piece: Piece,
    /// Whether it is shown only so that what follows can be understood.
    #[serde(default)]
    pub for_context: bool,
}

impl Step {
    /// Makes a step that is shown whole.
    pub fn new(number: u32, kind: StepKind, text: impl Into<String>) -> Step {
        Step {
            number,
            kind,
            text: text.into(),
            piece: Piece::Whole,
            for_context: false,
        }
    }

    /// Returns a piece of this step.
    #[must_use]
    pub fn with_piece(&self, piece: Piece, text: &str) -> Step {
        Step {
            piece,
            text: text.to_owned(),
            ..self.clone()
        }
    }
}

/// What was done in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// The system said something.
    Message,
    /// The system thought.
    Thinking,
    /// The system called a tool.
    Call,
    /// A tool returned something.
    Result {
        /// The step that called it, where it is known.
        of: Option<u32>,
        /// Whether the tool says that it failed.
        failed: bool,
    },
    /// The user said something.
    User,
    /// An instruction that stands above the conversation.
    System,
}

/// Which part of a step is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Piece {
    /// All of it.
    #[default]
    Whole,
    /// What stands before the gap.
    Beginning,
    /// What stands after the gap.
    End,
}

/// What is left out of the middle of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// How many of the kept steps stand before it.
    pub after: usize,
    /// How many tokens are left out, as [`crate::approximate_tokens`] counts them.
    pub tokens: u64,
    /// How many steps are left out whole.
    pub steps: u32,
}
