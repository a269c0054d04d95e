//! Criteria of an item's own: what a response to it must do, or must not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a response must do, or must not: a line of an item's checklist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Criterion {
    /// The criterion, as a sentence or a question.
    pub text: String,
    /// What it counts where it is met: finite and not 0. Below 0 it is a fault, which takes away.
    pub weight: f64,
    /// A name that criteria of several items may share; unique within its item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Criterion {
    /// Makes a criterion without a name that counts 1.
    pub fn new(text: impl Into<String>) -> Criterion {
        Criterion {
            text: text.into(),
            weight: 1.0,
            name: None,
        }
    }

    /// Whether it is a fault: it takes away where it is met.
    pub fn is_fault(&self) -> bool {
        self.weight < 0.0
    }
}

/// A criterion as a look judged it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedCriterion {
    /// Its place in the checklist, from 1.
    pub number: u32,
    /// The criterion.
    #[serde(flatten)]
    pub criterion: Criterion,
    /// Whether a model wrote it, for this item.
    pub model_written: bool,
}
