//! Verdicts, in terms of the slots of the prompt, and failures.

use crate::{Side, likeliest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::mem::swap;
use strum::{EnumString, IntoStaticStr, VariantArray, VariantNames};

/// Where a verdict was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum VerdictSource {
    /// The probabilities of the answer's tokens.
    Probabilities,
    /// The judge's text, in the form that the prompt asks for.
    Text,
    /// The probability of the response itself: no verdict was asked.
    Likelihood,
    /// The number that a reward model gives the response: no verdict was asked.
    Reward,
    /// A model's reading of a judge's text in which the strict reader found no verdict.
    SecondStage,
    /// A person, who looked at what the judge was not sure of.
    Person,
    /// Several verdicts that came from different sources.
    Mixed,
    /// The judge's text, which its server held to a JSON schema.
    Schema,
    /// The judge's text, in words of its own: the reader looked for what they state.
    Prose,
    /// What the judge thought before a reply that is empty.
    Reasoning,
    /// The arguments of a tool call, in place of a text.
    ToolCall,
    /// The probabilities of the answer's tokens, of which the most probable is not the answer that
    /// the text states.
    AgainstText,
    /// The judge's text, which is a JSON object, alone or in a fence, that no server held it to.
    Json,
}

impl VerdictSource {
    /// Every source.
    pub const ALL: &[VerdictSource] = VerdictSource::VARIANTS;

    /// Returns the name that files and reports use.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns how the reply was read, for people; None where no words of a judge were read.
    pub fn manner(self) -> Option<&'static str> {
        match self {
            VerdictSource::Schema => Some("by schema"),
            VerdictSource::Text => Some("by notation"),
            VerdictSource::Json => Some("as JSON"),
            VerdictSource::Prose => Some("as prose"),
            VerdictSource::Reasoning => Some("from the judge's thinking, the reply being empty"),
            VerdictSource::ToolCall => Some("from a tool call, the reply being empty"),
            VerdictSource::SecondStage => Some("by a second stage"),
            VerdictSource::AgainstText => Some("by probabilities that go against the words"),
            VerdictSource::Probabilities
            | VerdictSource::Likelihood
            | VerdictSource::Reward
            | VerdictSource::Person
            | VerdictSource::Mixed => None,
        }
    }

    /// Whether the strict reader read it from words of the judge, so that it is all or nothing.
    pub fn is_words(self) -> bool {
        use VerdictSource::{AgainstText, SecondStage};
        self.manner().is_some() && !matches!(self, SecondStage | AgainstText)
    }

    /// Whether it was made of the probabilities of answers.
    pub fn is_measured(self) -> bool {
        matches!(
            self,
            VerdictSource::Probabilities | VerdictSource::AgainstText
        )
    }
}

/// How much better one response is, in the pairwise forms that say so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// The probability of each step of a scale that runs from "the first is much better" to "the
    /// second is much better": 5 steps or 7; they sum to 1.
    Steps(Vec<f64>),
    /// A score for the first and one for the second, on the form's scale.
    Scores([f64; 2]),
}

/// A judge's decision. It speaks of slots in the prompt, never of systems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "form", rename_all = "kebab-case")]
pub enum Verdict {
    /// A score for one response.
    Pointwise {
        /// On the form's scale; for probabilities the probability-weighted mean (Liu et al. 2023,
        /// G-Eval, section 2). Finite.
        score: f64,
        /// The probability of each value of the scale, renormalised; empty where the score came
        /// from text or a likelihood.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        distribution: Vec<f64>,
        /// The probability that lay on none of the answers, in [0, 1]; 0 for text.
        outside: f64,
        /// Where it was read.
        source: VerdictSource,
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
        source: VerdictSource,
        /// By how much, in the forms that say so.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        grade: Option<Grade>,
    },
    /// An order of several responses.
    Listwise {
        /// The place of the response in each slot, from 1 for the best; equals share the middle of
        /// their places.
        places: Vec<f64>,
        /// Where it was read.
        source: VerdictSource,
    },
}

impl Verdict {
    /// Makes a preference without a grade: probabilities of the first, a tie, the second.
    pub fn pair([first, tie, second]: [f64; 3], outside: f64, source: VerdictSource) -> Self {
        Verdict::Pairwise {
            first,
            tie,
            second,
            outside,
            source,
            grade: None,
        }
    }

    /// Returns the verdict with the slots in reverse; a pointwise verdict is its own mirror.
    #[must_use]
    pub fn swapped(mut self) -> Self {
        match &mut self {
            Verdict::Pairwise {
                first,
                second,
                grade,
                ..
            } => {
                swap(first, second);
                *grade = grade.take().map(Grade::swapped);
            }
            Verdict::Listwise { places, .. } => places.reverse(),
            Verdict::Pointwise { .. } => {}
        }
        self
    }

    /// Returns the probability that lay on none of the answers.
    pub fn outside(&self) -> f64 {
        match self {
            Verdict::Pointwise { outside, .. } | Verdict::Pairwise { outside, .. } => *outside,
            Verdict::Listwise { .. } => 0.0,
        }
    }

    /// Returns where it was read.
    pub fn source(&self) -> VerdictSource {
        match self {
            Verdict::Pointwise { source, .. }
            | Verdict::Pairwise { source, .. }
            | Verdict::Listwise { source, .. } => *source,
        }
    }

    /// Returns the verdict, read from there.
    #[must_use]
    pub fn with_source(mut self, from: VerdictSource) -> Self {
        match &mut self {
            Verdict::Pointwise { source, .. }
            | Verdict::Pairwise { source, .. }
            | Verdict::Listwise { source, .. } => *source = from,
        }
        self
    }

    /// Returns, of a pair, the probabilities that the first is better, that they tie, that the
    /// second is better.
    pub fn preference(&self) -> Option<[f64; 3]> {
        match self {
            Verdict::Pairwise {
                first, tie, second, ..
            } => Some([*first, *tie, *second]),
            _ => None,
        }
    }

    /// Returns the side that a verdict on a pair states ([`Side::of`]).
    pub fn side(&self) -> Option<Side> {
        self.preference().map(Side::of)
    }
}

/// Whether two scores are the same: the most probable value of each (of equals the worst) where
/// both have a distribution over the scale, else what was stated. Their probability-weighted means
/// are nearly never equal, and say nothing of whether a judge gives the same score. None of
/// anything but scores.
pub fn have_same_score(a: &Verdict, b: &Verdict) -> Option<bool> {
    let of = |verdict| match verdict {
        &Verdict::Pointwise {
            score,
            ref distribution,
            ..
        } => Some((score, distribution)),
        _ => None,
    };
    let [(a, of_a), (b, of_b)] = [of(a)?, of(b)?];
    if of_a.is_empty() || of_a.len() != of_b.len() {
        return Some(Side::of_scores([a, b]) == Side::Tie);
    }
    Some(likeliest(of_a) == likeliest(of_b))
}

impl Grade {
    /// Returns the grade with the slots exchanged.
    pub fn swapped(self) -> Self {
        match self {
            Grade::Steps(p) => Grade::Steps(p.into_iter().rev().collect()),
            Grade::Scores([first, second]) => Grade::Scores([second, first]),
        }
    }

    /// Returns how much better the first is than the second: for steps their expected place, from 1
    /// (the first is much better) over 0 to -1; for scores their difference on the form's scale.
    pub fn strength(&self) -> f64 {
        match self {
            Grade::Steps(p) => {
                let most = (p.len().max(2) - 1) as f64;
                p.iter()
                    .enumerate()
                    .map(|(at, p)| p * (1.0 - 2.0 * at as f64 / most))
                    .sum()
            }
            Grade::Scores([first, second]) => first - second,
        }
    }
}

/// The kinds of failure. A failure is a state of a trial: never a tie, never a low score, never
/// dropped in silence.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[derive(EnumString, IntoStaticStr, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case")]
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
    /// The verdict changes with the order of the responses, and the protocol takes only one that
    /// does not.
    Inconsistent,
    /// A judge that answers with probabilities put too little of them on the answers of the
    /// question, or most on something else.
    OffLabel,
}

/// The largest reward that is taken for one, in either direction.
///
/// Rewards of models are log-odds or shares, and stay within a few hundred. A bound far beyond them
/// keeps every figure that is made of rewards finite: sums, squares and products of any number of
/// them, whose last digits still tell rewards apart that differ by a millionth.
pub const LARGEST_REWARD: f64 = 1e9;

/// The largest number that is read as a score of any kind, in either direction: sums and squares of
/// larger ones are no numbers any more.
pub const LARGEST_SCORE: f64 = 1e100;

/// Returns a reward that is one: a finite number, not beyond [`LARGEST_REWARD`].
///
/// # Errors
/// A number that is none, as what is wrong with it.
pub fn check_reward(reward: f64) -> Result<f64, String> {
    match reward.abs() <= LARGEST_REWARD {
        true => Ok(reward),
        false => Err(format!(
            "the reward is {reward:e}; expected a number from {:e} to {LARGEST_REWARD:e}",
            -LARGEST_REWARD
        )),
    }
}

impl FailureKind {
    /// Every kind, in the order of the variants.
    pub const ALL: &[FailureKind] = <FailureKind as VariantArray>::VARIANTS;
    /// Their names.
    pub const NAMES: &[&str] = <FailureKind as VariantNames>::VARIANTS;

    /// Returns the name that files and reports use.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a trial has no verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The kind.
    pub kind: FailureKind,
    /// The details, for a person to read.
    pub detail: String,
}

impl Failure {
    /// Makes a failure of this kind.
    pub fn new(kind: FailureKind, detail: impl Into<String>) -> Self {
        Failure {
            kind,
            detail: detail.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_the_same_where_their_most_probable_values_are() {
        let score = |score: f64, distribution: &[f64]| Verdict::Pointwise {
            score,
            distribution: distribution.into(),
            outside: 0.0,
            source: VerdictSource::Probabilities,
        };
        let of = |a: &Verdict, b: &Verdict| have_same_score(a, b).unwrap();
        let six = score(2.1, &[0.1, 0.7, 0.2]);
        assert!(of(&six, &score(2.0, &[0.2, 0.6, 0.2])));
        assert!(!of(&six, &score(2.1, &[0.3, 0.2, 0.5])));
        assert!(!of(&score(6.1, &[]), &score(6.2, &[])));
        assert!(of(&score(28.0 / 3.0, &[]), &score(9.0 + 1.0 / 3.0, &[])));
        let pair = Verdict::pair([1.0, 0.0, 0.0], 0.0, VerdictSource::Text);
        assert_eq!(have_same_score(&six, &pair), None);
    }
}
