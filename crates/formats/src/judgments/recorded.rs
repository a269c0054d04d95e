//! What recorded judgments and scores are, whatever the files looked like.

use super::Kind;
use std::collections::BTreeMap;

/// How sure a judge on a five-step scale was of the winner (`A>>B`, `A>B`, `A=B`, `B>A`, `B>>A`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    /// `A>B`: slightly better.
    Slight,
    /// `A>>B`: significantly better. Arena-Hard counts it three times (Li et al. 2024, "From
    /// Crowdsourced Data to High-Quality Benchmarks: Arena-Hard and BenchBuilder Pipeline").
    Great,
}

/// One recorded verdict on two systems' responses to an item.
///
/// The four weights of one verdict are in [0, 1] and sum to 1 (up to 1e-6 where a file rounds
/// them); they are not multiplied by the strength. Where the format tells the order of presentation
/// (our own judgments, Arena-Hard, MT-Bench pairs), `a` was shown first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// Index into [`Recorded::items`].
    pub item: u32,
    /// Index into [`Recorded::systems`]; never that of `b`.
    pub a: u16,
    /// Index into [`Recorded::systems`].
    pub b: u16,
    /// Weight of "a is better".
    pub wins_a: f64,
    /// Weight of "equally good".
    pub ties: f64,
    /// Weight of "both are bad"; only battles have such a verdict.
    pub both_bad: f64,
    /// Weight of "b is better".
    pub wins_b: f64,
    /// How strong the verdict was; None for a tie and for formats with no strength.
    pub strength: Option<Strength>,
    /// Length of a's response in characters, where the file has it.
    pub length_a: Option<f64>,
    /// Length of b's response in characters, where the file has it.
    pub length_b: Option<f64>,
}

impl Compared {
    /// A verdict with no weight yet.
    pub(super) fn of(item: u32, a: u16, b: u16) -> Self {
        let (wins_a, ties, both_bad, wins_b) = (0.0, 0.0, 0.0, 0.0);
        Compared {
            item,
            a,
            b,
            wins_a,
            ties,
            both_bad,
            wins_b,
            strength: None,
            length_a: None,
            length_b: None,
        }
    }
}

/// One recorded score of a system's response to an item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// Index into [`Recorded::items`].
    pub item: u32,
    /// Index into [`Recorded::systems`].
    pub system: u16,
    /// Finite; on the scale of the file.
    pub score: f64,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name, as it was given.
    pub name: String,
    /// What it was found to be.
    pub kind: Kind,
    /// How many records it holds; at least 1.
    pub records: u64,
}

/// Recorded judgments: either comparisons or scores, the other list is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// Names of the systems, in the order of their first appearance, those with nothing but
    /// failures included.
    pub systems: Vec<String>,
    /// Names of the items, in the order of their first appearance. Where a file gives no id, the
    /// name is made of the instruction (`text:` and its BLAKE3 hash) or of the record's place
    /// (`FILE:N`).
    pub items: Vec<String>,
    /// Verdicts on pairs, in the order of the files.
    pub comparisons: Vec<Compared>,
    /// Scores of single responses, in the order of the files.
    pub scores: Vec<Scored>,
    /// Judgments without a verdict, by kind: one of [`evenhand_core::FailureKind`], or `missing` for an
    /// empty score of an unknown source. They are in neither list.
    pub failures: BTreeMap<String, u64>,
    /// Verdicts on a system and itself, such as AlpacaEval's reference as its own opponent. They
    /// rank nobody and are in neither list.
    pub self_comparisons: u64,
    /// The files, in the order in which they were read.
    pub sources: Vec<Source>,
    /// Judges and annotators that the files name, in the order of their first appearance.
    pub judges: Vec<String>,
}

impl Recorded {
    /// How many judgments there were, failures and self-comparisons included.
    pub fn judgments(&self) -> u64 {
        let verdicts = (self.comparisons.len() + self.scores.len()) as u64;
        verdicts + self.self_comparisons + self.failures.values().sum::<u64>()
    }
}
