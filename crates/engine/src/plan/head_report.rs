//! What a head is worth: the report of its fit, which its file keeps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The report of the fit of a head.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeadReport {
    /// The answer in a few sentences: how often the head is right, and what to use.
    pub answer: String,
    /// The way to judge that is advised: `head`, a ready score by its name, or `nothing` where none
    /// is shown to be right more often than a coin.
    pub recommended: String,
    /// The model, by its name.
    pub model: String,
    /// Labelled pairs with a winner, which the head is fitted to.
    pub pairs: u64,
    /// Labelled pairs without a winner, which say nothing and are left out.
    pub ties: u64,
    /// Labelled pairs of which a response could not be read, and are left out.
    pub failures: u64,
    /// Questions of the pairs.
    pub questions: u64,
    /// The systems whose responses were labelled.
    pub systems: Vec<String>,
    /// How deep the states are taken, in percent of the layers; null for a head without states.
    pub depth: Option<u8>,
    /// The ridge penalty.
    pub penalty: f64,
    /// On questions that the head has not seen.
    pub unseen_questions: HeadWorth,
    /// On questions and systems that it has not seen: neither of a pair's two systems.
    pub unseen_systems: HeadWorth,
    /// How often each ready score, which needs no fit, is right about all labels.
    pub ready: Vec<ReadyScore>,
    /// How often heads that are fitted to fewer labels are right.
    pub curve: Vec<CurvePoint>,
    /// By how much more often it would be right with 50 more labels, from the curve.
    pub next: Known,
    /// The coverage of the intervals.
    pub level: f64,
    /// The seed of what was drawn.
    pub seed: u64,
}

/// How often a head is right where it was not fitted, beside the best ready score. Both are chosen
/// without what they are tried on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeadWorth {
    /// Pairs that it was tried on.
    pub pairs: u64,
    /// The share that the head judges right; a pair that it cannot decide counts half.
    pub head: Known,
    /// The share that the best ready score judges right.
    pub ready: Known,
    /// The head's less the ready score's, on the same pairs.
    pub difference: Known,
}

/// A ready score and how often it is right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadyScore {
    /// A protocol, or `longer` or `shorter`.
    pub name: String,
    /// The share of all labelled pairs that it judges right.
    pub accuracy: Known,
}

/// A point of the learning curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurvePoint {
    /// How many labels a head was fitted to.
    pub labels: u64,
    /// The share of pairs on other questions that such a head judges right.
    pub accuracy: Known,
    /// On questions and systems that it has not seen, beside the ready score that is best about the
    /// same labels; null where too few are left.
    #[serde(default)]
    pub unseen_systems: Option<HeadWorth>,
}

/// A number with its interval, or why it has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The number; null where it is not known.
    pub value: Option<f64>,
    /// Its interval.
    pub ci: Option<[f64; 2]>,
    /// Why the number or the interval is missing.
    pub note: Option<String>,
}

impl Known {
    /// Returns a number that is not known, for this reason.
    pub fn not(why: impl Into<String>) -> Known {
        Known {
            note: Some(why.into()),
            ..Known::default()
        }
    }
}
