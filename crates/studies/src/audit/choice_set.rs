//! Does a third response change the order of two? Tripathi et al. 2025, appendix A.5, table 5.
//!
//! A and B stand in a list with C, and in the same places with D; the third last, or first. A
//! reversal is a change of their order with the third. A judge that repeats itself may change it
//! with any change of the prompt, so the list is also shown with C in a rewrite that no reader
//! sees, and what is tested is the difference. The same list asked again is shown beside it.

use super::asks::{Asks, Duel, Probed, Seen, findings_of_each};
use super::criteria::list_protocols;
use super::finding_name::{FindingName, Placebo};
use crate::figure::indicator;

/// How lists are asked about; the rubric follows.
const FORM: &str = "listwise:3/direct/single:fixed";

/// Changes of order on an item, as 0 or 1.
struct Reversals {
    /// Whether A and B change order with the third.
    with_third: f64,
    /// Whether they do when the same is asked again.
    repeated: f64,
    /// Whether they do when the third has spaces that no reader sees.
    neutral: f64,
}

pub(super) fn probe_choice_set(asks: &Asks<'_>) -> Probed {
    let protocols = list_protocols(FORM, &asks.options.criteria);
    let mut cases = Vec::new();
    for protocol in &protocols {
        cases.extend([false, true].map(|third_first| (protocol.as_str(), third_first)));
    }
    findings_of_each(
        &cases,
        |(protocol, third_first)| {
            asks.over(0, |item| reversals_on(asks, item, protocol, third_first))
        },
        |(protocol, third_first), seen| {
            let make = asks.maker(protocol);
            let name = |beyond| FindingName::Reversals {
                beyond,
                third_first,
            };
            let all = seen.map(|item| item.with_third);
            let beyond_repetition = seen.map(|item| item.with_third - item.repeated);
            let beyond_neutral = seen.map(|item| item.with_third - item.neutral);
            Ok(vec![
                make.share(name(None), &all)?,
                make.difference(name(Some(Placebo::Repetition)), &beyond_repetition)?,
                make.tested_difference(name(Some(Placebo::Neutral)), &beyond_neutral)?,
            ])
        },
    )
}

/// Compares the list with C with that with D, and with two that should be as that with C.
fn reversals_on(asks: &Asks<'_>, item: u32, protocol: &str, third_first: bool) -> Seen<Reversals> {
    let [a, b, c, d] = asks.drawn_systems(item)?;
    let pair = Duel::in_data(item, [a, b]);
    // By how many places A is ahead of B in a list with this third response.
    let lead_of_a = |third: u32, replicate: u32| -> Seen<f64> {
        let (shown, at) = if third_first {
            (vec![third, a, b], 1)
        } else {
            (vec![a, b, third], 0)
        };
        let places = asks.places(protocol, pair, shown, replicate)?;
        Ok(places[at + 1] - places[at])
    };
    // All four are asked for before any of them is missed.
    let with_c = lead_of_a(c, 0);
    let others = [
        lead_of_a(d, 0),
        lead_of_a(c, 1),
        lead_of_a(asks.data().neutrally(c), 0),
    ];
    let with_c = with_c?;
    // A leads in one list and B in the other; equal places are no lead.
    let is_reversed = |other: Seen<f64>| -> Seen<f64> { Ok(indicator(with_c * other? < 0.0)) };
    let [with_third, repeated, neutral] = others.map(is_reversed);
    Ok(Reversals {
        with_third: with_third?,
        repeated: repeated?,
        neutral: neutral?,
    })
}
