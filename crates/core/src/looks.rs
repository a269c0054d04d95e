//! Compares the looks of one judgment with each other.

use crate::{Look, Response, Side, Stage, Verdict, are_same, average};

/// How far apart two scores of the same response are that disagree, on the form's scale.
const APART: f64 = 0.5;

/// Whether votes of a panel, or samples of one order, disagree: two verdicts of members, or two
/// looks of one stage and one order, prefer different sides, order a list differently, or give
/// scores that are half a point or more apart. Looks at single criteria and the terms of a weighed
/// panel are no votes.
pub fn are_split(looks: &[Look]) -> bool {
    let is_vote = |look: &&Look| look.criterion.is_none() && look.stage != Stage::Term;
    let votes: Vec<&Look> = looks.iter().filter(is_vote).collect();
    for (at, one) in votes.iter().enumerate() {
        for other in &votes[at + 1..] {
            let in_one_order = one.swapped == other.swapped || one.stage == Stage::Member;
            if one.stage == other.stage && in_one_order && disagree(one, other) {
                return true;
            }
        }
    }
    false
}

/// Whether the looks at both orders within one judgment prefer different responses: the mean of one
/// order the first, that of the other the second. The last stage that saw both orders decides.
/// `responses` are those of the judgment, in slot order, or none where they are not known: between
/// the same response twice nothing can be preferred.
pub fn are_flipped(looks: &[Look], responses: &[Response]) -> bool {
    if are_same(responses, 0, 1) {
        return false;
    }
    let seen_swapped = looks.iter().rev().find(|look| look.swapped);
    let Some(stage) = seen_swapped.map(|look| &look.stage) else {
        return false;
    };
    let mean_side = |swapped: bool| {
        let here = looks
            .iter()
            .filter(|look| look.stage == *stage && look.swapped == swapped);
        average(here.filter_map(|look| look.outcome.as_ref().ok()?.preference())).map(Side::of)
    };
    match (mean_side(false), mean_side(true)) {
        (Some(forward), Some(swapped)) => forward.is_opposite(swapped),
        _ => false,
    }
}

fn disagree(look: &Look, other: &Look) -> bool {
    match (&look.outcome, &other.outcome) {
        (Ok(Verdict::Pointwise { score, .. }), Ok(Verdict::Pointwise { score: another, .. })) => {
            (score - another).abs() >= APART
        }
        (
            Ok(Verdict::Listwise { places, .. }),
            Ok(Verdict::Listwise {
                places: another, ..
            }),
        ) => places != another,
        (Ok(verdict), Ok(another)) => verdict.side() != another.side(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VerdictSource;

    fn look(judge: u32, swapped: bool, first: f64) -> Look {
        let verdict = Verdict::pair([first, 0.0, 1.0 - first], 0.0, VerdictSource::Text);
        Look {
            judge,
            stage: Stage::Only,
            sample: 0,
            swapped,
            outcome: Ok(verdict),
            criterion: None,
        }
    }

    #[test]
    fn members_that_disagree_in_one_order_are_split() {
        assert!(are_split(&[look(0, false, 0.9), look(1, false, 0.2)]));
        assert!(!are_split(&[look(0, false, 0.9), look(1, false, 0.8)]));
        assert!(!are_split(&[look(0, false, 0.9), look(0, true, 0.2)]));
    }

    #[test]
    fn orders_that_prefer_different_responses_are_flipped() {
        let both = [look(0, false, 0.9), look(0, true, 0.2)];
        assert!(are_flipped(&both, &[]));
        assert!(!are_flipped(
            &[look(0, false, 0.9), look(0, true, 0.5)],
            &[]
        ));
        assert!(!are_flipped(
            &[look(0, false, 0.9), look(1, false, 0.2)],
            &[]
        ));

        let [ant, bee] = [("ant", "4"), ("bee", "4")].map(|(name, text)| Response::new(name, text));
        assert!(!are_flipped(&both, &[ant.clone(), bee]));
        assert!(are_flipped(&both, &[ant, Response::new("bee", "5")]));
    }
}
