//! The findings of an adaptive design: the orders that are certain, and how far apart the systems
//! are.

use crate::CertainFor;
use schemars::JsonSchema;
use serde::Serialize;

/// The findings of an adaptive design.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AdaptiveReport {
    /// Which orders were to be certain: `order`, `top:K` or `share:S`.
    pub until: String,
    /// Of which items the orders hold.
    pub certain_for: CertainFor,
    /// The chance, at least, that no certified order is false.
    pub certainty: f64,
    /// Why it ended: `certain`, `budget` or `exhausted`.
    pub ended: &'static str,
    /// Comparisons, or scores, that were made, and that judging everything would take.
    pub judged: u64,
    /// See `judged`.
    pub of: u64,
    /// Trials without a verdict, which count for neither side.
    pub failed: u64,
    /// The pairs whose order is certain.
    pub certified: Vec<CertifiedPair>,
    /// Of every pair, how far apart the two are; all hold together, with the same chance, whenever
    /// the run is stopped. An end at 0 of a certified pair is its order's, and holds with the
    /// orders.
    pub differences: Vec<PairBounds>,
}

/// Two systems whose order is certain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CertifiedPair {
    /// The better one.
    pub above: String,
    /// The other.
    pub below: String,
}

/// How far apart two systems are.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PairBounds {
    /// One system.
    pub a: String,
    /// The other.
    pub b: String,
    /// Items on which they were compared.
    pub judged: u64,
    /// The least and the greatest mean, from -1 to 1, of a's share less b's (of comparisons), or of
    /// a's score less b's as a share of the scale. Of a certified pair it is on one side of 0; an
    /// end at 0 is then not part of it.
    pub ci: [f64; 2],
    /// Whether their order is certain.
    pub certified: bool,
}
