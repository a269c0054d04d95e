//! A judgment as the index takes it.

use evenhand_core::FailureKind;

/// A judgment as the index takes it.
#[derive(Clone, Debug, Default)]
pub struct JudgmentEntry<'a> {
    /// Its position in the plan.
    pub trial: u64,
    /// The item's id.
    pub item: &'a str,
    /// The item's category.
    pub category: Option<&'a str>,
    /// The systems in slot order: one for a score, two for a pair, more for a list.
    pub systems: Vec<&'a str>,
    /// Which repetition it is, from 0.
    pub replicate: u32,
    /// The judge's decision, or the reason why there is none.
    pub outcome: EntryOutcome,
    /// The comparison of its looks.
    pub looks: LookFlags,
    /// The rows of the calls that it rests on.
    pub calls: Vec<u32>,
}

/// A judge's decision, or the reason why there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryOutcome {
    /// The probabilities of the first slot, a tie and the second.
    Pair([f64; 3]),
    /// The score of a single response.
    Score(f64),
    /// The places of the slots, from 1 for the best.
    Places(Vec<f64>),
    /// No verdict, for this reason.
    Failed(FailureKind),
}

impl Default for EntryOutcome {
    fn default() -> Self {
        EntryOutcome::Failed(FailureKind::ModelError)
    }
}

/// The comparison of the looks of one judgment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookFlags {
    /// The two orders, both shown within this judgment, prefer different systems.
    pub flipped: bool,
    /// Members of a panel, or samples of one order, disagree.
    pub split: bool,
}
