//! Does a third response change the order of two? Tripathi et al. 2025, appendix A.5, table 5.
//!
//! A and B stand in a list with C, and in the same places with D; the third last, or first. A
//! reversal is a change of their order with the third. A judge that repeats itself may change it
//! with any change of the prompt, so the list is also shown with C in a rewrite that no reader
//! sees, and what is tested is the difference. The same list asked again is shown beside it.

use super::asks::{Asks, Duel, Seen};
use super::criteria::list_protocols;
use super::finding_name::{FindingName, Placebo};
use super::probing::{Findings, Probed, findings_of_each};
use super::rows::Rows;
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

/// Two responses of which a list has a third.
#[derive(Clone, Copy)]
struct Lists<'a> {
    asks: &'a Asks<'a>,
    protocol: &'a str,
    pair: Duel,
    third_first: bool,
}

pub(super) fn probe_choice_set(asks: &Asks<'_>) -> Probed {
    let protocols = list_protocols(FORM, &asks.options.criteria);
    let cases: Vec<Case<'_>> = protocols
        .iter()
        .flat_map(|protocol| [false, true].map(|third_first| (protocol.as_str(), third_first)))
        .collect();
    findings_of_each(
        &cases,
        |case| asks.over_data(|item| reversals_of(asks, item, case)),
        |case, seen| reversal_findings(asks, case, seen),
    )
}

/// A protocol of lists, and whether the third response stands first in them.
type Case<'a> = (&'a str, bool);

fn reversals_of(asks: &Asks<'_>, item: u32, (protocol, third_first): Case<'_>) -> Seen<Reversals> {
    let [a, b, c, d] = asks.drawn_systems(item)?;
    let pair = Duel::in_data(item, [a, b]);
    let lists = Lists {
        asks,
        protocol,
        pair,
        third_first,
    };
    lists.reversals(c, d)
}

impl Lists<'_> {
    /// Compares the list with c with that with d, and with two that should be as that with c.
    fn reversals(self, c: u32, d: u32) -> Seen<Reversals> {
        // All four are asked for before any of them is missed.
        let with_c = self.lead_of_a(c, 0);
        let others = [
            self.lead_of_a(d, 0),
            self.lead_of_a(c, 1),
            self.lead_of_a(self.asks.data().neutrally(c), 0),
        ];
        let with_c = with_c?;
        let [with_third, repeated, neutral] = others.map(|other| is_reversed(with_c, other));
        Ok(Reversals {
            with_third: with_third?,
            repeated: repeated?,
            neutral: neutral?,
        })
    }

    /// Returns how many places a is ahead of b in a list with this third response.
    fn lead_of_a(self, third: u32, replicate: u32) -> Seen<f64> {
        let shown = self.shown_with(third);
        let places = self
            .asks
            .places(self.protocol, self.pair, shown, replicate)?;
        let at = usize::from(self.third_first);
        Ok(places[at + 1] - places[at])
    }

    /// Returns the systems of a list in slot order.
    fn shown_with(self, third: u32) -> Vec<u32> {
        let Duel { a, b, .. } = self.pair;
        if self.third_first {
            vec![third, a, b]
        } else {
            vec![a, b, third]
        }
    }
}

/// Whether a leads in one list and b in the other, as 0 or 1; equal places are no lead.
fn is_reversed(lead: f64, other: Seen<f64>) -> Seen<f64> {
    Ok(indicator(lead * other? < 0.0))
}

fn reversal_findings(
    asks: &Asks<'_>,
    (protocol, third_first): Case<'_>,
    seen: Rows<Reversals>,
) -> Findings {
    let make = asks.maker(protocol);
    let beyond = |placebo| reversals_name(third_first, Some(placebo));
    let all = seen.map(|item| item.with_third);
    let beyond_repetition = seen.map(Reversals::beyond_repetition);
    let beyond_neutral = seen.map(Reversals::beyond_neutral);
    Ok(vec![
        make.share(reversals_name(third_first, None), &all)?,
        make.difference(beyond(Placebo::Repetition), &beyond_repetition)?,
        make.tested_difference(beyond(Placebo::Neutral), &beyond_neutral)?,
    ])
}

fn reversals_name(third_first: bool, beyond: Option<Placebo>) -> FindingName {
    FindingName::Reversals {
        beyond,
        third_first,
    }
}

impl Reversals {
    fn beyond_repetition(&self) -> f64 {
        self.with_third - self.repeated
    }

    fn beyond_neutral(&self) -> f64 {
        self.with_third - self.neutral
    }
}
