//! What the looks of a judgment say of each other.

use super::entry::LookFlags;
use evenhand_core::{Look, Side, Stage, Verdict};

impl LookFlags {
    /// Compares the looks of one judgment.
    ///
    /// Looks that judge a criterion, and the terms of a weighed panel, are no votes. Where members
    /// of a panel have verdicts of their own, these are the votes; otherwise the looks of one order
    /// and stage vote together.
    pub fn of(looks: &[Look]) -> LookFlags {
        let votes: Vec<&Look> = looks.iter().filter(|look| is_vote(look)).collect();
        LookFlags {
            flipped: is_flipped(&votes),
            split: is_split(&votes),
        }
    }
}

fn is_vote(look: &Look) -> bool {
    look.criterion.is_none() && look.stage != Stage::Term
}

/// Whether the mean preferences of the two orders are for different slots.
fn is_flipped(votes: &[&Look]) -> bool {
    let sides = [false, true].map(|swapped| side_of_order(votes, swapped));
    are_opposite(sides[0], sides[1])
}

/// Whether two outcomes each prefer a side, and not the same.
pub(crate) fn are_opposite(one: Option<Side>, other: Option<Side>) -> bool {
    matches!(
        (one, other),
        (Some(Side::First), Some(Side::Second)) | (Some(Side::Second), Some(Side::First))
    )
}

/// Returns the side of the mean of the looks in one order; None where none has a preference.
fn side_of_order(votes: &[&Look], swapped: bool) -> Option<Side> {
    let of_order = votes.iter().filter(|look| look.swapped == swapped);
    let preferences = of_order.filter_map(|look| look.outcome.as_ref().ok()?.preference());
    let sum = preferences.reduce(|sum, next| [0, 1, 2].map(|at| sum[at] + next[at]))?;
    Some(side_of(sum))
}

/// Returns the side whose weight is above both others, else a tie.
pub(crate) fn side_of([first, tie, second]: [f64; 3]) -> Side {
    if first > second && first > tie {
        Side::First
    } else if second > first && second > tie {
        Side::Second
    } else {
        Side::Tie
    }
}

fn is_split(votes: &[&Look]) -> bool {
    let mut members = votes.iter().filter(|look| look.stage == Stage::Member);
    match members.next() {
        Some(first) => members.any(|look| disagree(first, look)),
        None => is_any_group_split(votes),
    }
}

fn is_any_group_split(votes: &[&Look]) -> bool {
    votes.iter().enumerate().any(|(at, look)| {
        let before = votes.iter().take(at);
        let mut group = before.filter(|other| are_one_group(look, other));
        group.any(|other| disagree(look, other))
    })
}

/// Whether two looks answer the same question: in the same order, and at the same stage.
fn are_one_group(one: &Look, other: &Look) -> bool {
    one.swapped == other.swapped && one.stage == other.stage
}

/// Whether two looks have verdicts that say different things: another side, a score that rounds to
/// another point, another order of a list. A look without a verdict disagrees with none.
fn disagree(one: &Look, other: &Look) -> bool {
    let (Ok(one), Ok(other)) = (&one.outcome, &other.outcome) else {
        return false;
    };
    match (one, other) {
        (Verdict::Pointwise { score: a, .. }, Verdict::Pointwise { score: b, .. }) => {
            a.round() != b.round()
        }
        (Verdict::Listwise { places: a, .. }, Verdict::Listwise { places: b, .. }) => a != b,
        _ => one.side() != other.side(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::VerdictSource;

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
            let flags = LookFlags::of(&looks);
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
        assert!(LookFlags::of(&samples).split);
        let members = [look("member", false, FIRST), look("member", true, SECOND)];
        assert!(LookFlags::of(&members).split);
        let steps = [look("first", false, FIRST), look("second", false, SECOND)];
        assert!(!LookFlags::of(&steps).split);
        let terms = [look("term", false, FIRST), look("term", false, SECOND)];
        assert_eq!(LookFlags::of(&terms), LookFlags::default());
    }
}
