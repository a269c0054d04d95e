//! A judgment as the index takes it.

use evenhand_core::{FailureKind, Look, Response, Side, are_flipped, are_split};

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

impl EntryOutcome {
    /// Returns the outcome of a list; one of two is a pair, whose verdict is certain.
    pub(crate) fn of_places(places: Vec<f64>) -> EntryOutcome {
        match places[..] {
            [first, second] if first < second => EntryOutcome::Pair(Side::First.certain()),
            [first, second] if first > second => EntryOutcome::Pair(Side::Second.certain()),
            [_, _] => EntryOutcome::Pair(Side::Tie.certain()),
            _ => EntryOutcome::Places(places),
        }
    }
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

impl LookFlags {
    /// Compares the looks of one judgment, as the store does where it keeps one. `responses` are
    /// its own, in slot order.
    pub fn of(looks: &[Look], responses: &[Response]) -> LookFlags {
        LookFlags {
            flipped: are_flipped(looks, responses),
            split: are_split(looks),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::{Verdict, VerdictSource};

    fn look(stage: &'static str, swapped: bool, preference: [f64; 3]) -> Look {
        Look {
            judge: 0,
            stage: stage.into(),
            sample: 0,
            swapped,
            outcome: Ok(Verdict::pair(preference, 0.0, VerdictSource::Text)),
            criterion: None,
        }
    }

    const FIRST: [f64; 3] = [1.0, 0.0, 0.0];
    const TIE: [f64; 3] = [0.0, 1.0, 0.0];
    const SECOND: [f64; 3] = [0.0, 0.0, 1.0];

    #[test]
    fn orders_that_prefer_different_systems_are_flipped() {
        for (forward, swapped, expected) in [
            (FIRST, SECOND, true),
            (FIRST, FIRST, false),
            (FIRST, TIE, false),
        ] {
            let looks = [look("", false, forward), look("", true, swapped)];
            let flags = LookFlags::of(&looks, &[]);
            assert_eq!(
                flags,
                LookFlags {
                    flipped: expected,
                    split: false
                }
            );
        }
    }

    #[test]
    fn samples_of_one_order_or_members_that_disagree_are_split() {
        let samples = [look("", false, FIRST), look("", false, TIE)];
        assert!(LookFlags::of(&samples, &[]).split);
        let members = [look("member", false, FIRST), look("member", true, SECOND)];
        assert!(LookFlags::of(&members, &[]).split);
        let steps = [look("first", false, FIRST), look("second", false, SECOND)];
        assert!(!LookFlags::of(&steps, &[]).split);
        let terms = [look("term", false, FIRST), look("term", false, SECOND)];
        assert_eq!(LookFlags::of(&terms, &[]), LookFlags::default());
    }
}
