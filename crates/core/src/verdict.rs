//! What was decided, in terms of the slots of the prompt, and what failed.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a verdict was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The probabilities of the answer's tokens.
    Probabilities,
    /// The judge's text.
    Text,
    /// The probability of the response itself: no verdict was asked.
    Likelihood,
}

/// What a judge decided. It speaks of slots in the prompt, never of systems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "kebab-case")]
pub enum Verdict {
    /// A score for one response.
    Pointwise {
        /// On the form's scale; for probabilities the probability-weighted mean (Liu et al. 2023, G-Eval, section 2). Finite.
        score: f64,
        /// The probability of each value of the scale, renormalised; empty where the score came from text or a likelihood.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        distribution: Vec<f64>,
        /// The probability that lay on none of the answers, in [0, 1]; 0 for text.
        outside: f64,
        /// Where it was read.
        source: Source,
    },
    /// A preference between the response in the first slot and that in the second.
    Pairwise {
        /// Probability that the first is better, in [0, 1]; the three sum to 1.
        first: f64,
        /// Probability of a tie.
        tie: f64,
        /// Probability that the second is better.
        second: f64,
        /// The probability that lay on none of the answers, in [0, 1]; 0 for text.
        outside: f64,
        /// Where it was read.
        source: Source,
    },
}

impl Verdict {
    /// The same verdict as seen with the two slots exchanged; a pointwise verdict is its own mirror.
    pub fn swapped(self) -> Self {
        match self {
            Verdict::Pairwise { first, tie, second, outside, source } => {
                Verdict::Pairwise { first: second, tie, second: first, outside, source }
            }
            pointwise => pointwise,
        }
    }

    /// Probability that lay on none of the answers.
    pub fn outside(&self) -> f64 {
        match self {
            Verdict::Pointwise { outside, .. } | Verdict::Pairwise { outside, .. } => *outside,
        }
    }
}

/// The kinds of failure. A failure is a state of a trial: never a tie, never a low score, never dropped in silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The judge's text holds no verdict of the asked form, or more than one.
    Unparsed,
    /// The judge declined.
    Refused,
    /// The reply ended at its token limit before the verdict.
    Truncated,
    /// The prompt does not fit the judge's context; nothing was computed.
    TooLong,
    /// The request has no answer, such as the likelihood of an empty response.
    Invalid,
    /// The model failed.
    ModelError,
    /// The stored reply belongs to another prompt than the one that would be sent now.
    Drifted,
}

impl FailureKind {
    /// The name that files and reports use.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::Unparsed => "unparsed",
            FailureKind::Refused => "refused",
            FailureKind::Truncated => "truncated",
            FailureKind::TooLong => "too-long",
            FailureKind::Invalid => "invalid",
            FailureKind::ModelError => "model-error",
            FailureKind::Drifted => "drifted",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A judgment that did not come about, with its cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The kind.
    pub kind: FailureKind,
    /// What was found, for a person to read.
    pub detail: String,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, detail: impl Into<String>) -> Self {
        Failure { kind, detail: detail.into() }
    }
}
