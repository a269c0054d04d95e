//! Does a third response change the order of two? Tripathi et al. 2025, appendix A.5, table 5.
//!
//! A and B stand in a list with C, and in the same places with D; the third last, or first. A
//! reversal is a change of their order with the third. A judge that repeats itself may change it
//! with any change of the prompt, so the list is also shown with C in a rewrite that no reader
//! sees, and what is tested is the difference. The same list asked again is shown beside it.

use super::asks::{Asks, Duel, Seen, Stop};
use super::duels::drawn_systems;
use super::finding::Finding;
use super::finding_name::{FindingName, Placebo};
use super::probing::{Probed, findings_of_each};
use super::rows::Rows;
use crate::figure::indicator;
use evenhand_engine::EngineError;

/// How lists are asked about.
pub(super) const PROTOCOL: &str = "listwise:3/direct/single:fixed/rules";

/// What an item shows.
struct Reversals {
    /// Whether A and B change order with the third.
    with_third: f64,
    /// Whether they do when the same is asked again.
    repeated: f64,
    /// Whether they do when the third has spaces that no reader sees.
    neutral: f64,
}

pub(super) fn probe_choice_set(asks: &Asks<'_>) -> Probed {
    findings_of_each(
        &[false, true],
        |third_first| asks.over(0, |item| reversals_of(asks, item, third_first)),
        |third_first, seen| reversal_findings(asks, third_first, &seen),
    )
}

fn reversals_of(asks: &Asks<'_>, item: u32, third_first: bool) -> Seen<Reversals> {
    let systems = drawn_systems(asks, 0, item, 4).ok_or(Stop::Failed)?;
    let [a, b, c, d] = systems[..] else {
        return Err(Stop::Failed);
    };
    let pair = Duel {
        material: 0,
        item,
        a,
        b,
    };
    let lead = |third, replicate| lead_of_a(asks, pair, (third, third_first), replicate);
    // All four are asked for before any of them is missed.
    let neutral_c = asks.materials[0].neutrally(c);
    let (with_c, with_d, again, neutral) = (lead(c, 0), lead(d, 0), lead(c, 1), lead(neutral_c, 0));
    let (with_c, with_d, again, neutral) = (with_c?, with_d?, again?, neutral?);
    let is_reversed = |other: f64| indicator(with_c * other < 0.0);
    Ok(Reversals {
        with_third: is_reversed(with_d),
        repeated: is_reversed(again),
        neutral: is_reversed(neutral),
    })
}

/// Returns how many places a is ahead of b in a list with this third response.
fn lead_of_a(
    asks: &Asks<'_>,
    pair: Duel,
    (third, third_first): (u32, bool),
    replicate: u32,
) -> Seen<f64> {
    let Duel { a, b, .. } = pair;
    let shown = if third_first {
        vec![third, a, b]
    } else {
        vec![a, b, third]
    };
    let places = asks.places(PROTOCOL, pair, shown, replicate)?;
    let at = usize::from(third_first);
    Ok(places[at + 1] - places[at])
}

fn reversal_findings(
    asks: &Asks<'_>,
    third_first: bool,
    seen: &Rows<Reversals>,
) -> Result<Vec<Finding>, EngineError> {
    let about = |beyond| {
        FindingName::Reversals {
            beyond,
            third_first,
        }
        .under(PROTOCOL)
    };
    let all = seen.map(|item| item.with_third);
    let beyond_repetition = seen.map(|item| item.with_third - item.repeated);
    let beyond_neutral = seen.map(|item| item.with_third - item.neutral);
    Ok(vec![
        about(None).untested_share(&all, asks.level)?,
        about(Some(Placebo::Repetition)).untested_difference(&beyond_repetition, asks.level)?,
        about(Some(Placebo::Neutral)).tested_difference(&beyond_neutral, asks.level)?,
    ])
}
