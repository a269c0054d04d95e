//! Does the place of a response in the prompt decide? Each pair is shown in both orders, in one of
//! them twice, and in that one with a rewrite of both that no reader sees.
//!
//! - *First-slot share*: how often the first slot is preferred, over both orders; a half for a
//!   judge to whom order means nothing.
//! - *Flips by order*, *by repetition* and *by a neutral rewrite*: how often the verdict on a pair
//!   changes with the order, when the same is asked again, and with spaces that no reader sees. A
//!   noisy judge changes its verdict without a cause, and one that repeats itself with any change
//!   of the prompt; so what is tested is the difference to the neutral rewrite.
//! - *Consistency by length*: by thirds of the mean length, and of the difference in length
//!   (PORTIA, tables 4 to 6).

use super::asks::{Asks, Seen, Shares, View, turned};
use super::finding::FindingMaker;
use super::finding_name::{FindingName, LengthOrder, Third};
use super::probing::{Findings, Probed, findings_of_each};
use super::rows::Rows;
use crate::figure::indicator;
use evenhand_core::Side;

/// Verdicts on one item in several orders; shares and truth values from 0 to 1.
#[derive(Default)]
pub(super) struct Seat {
    /// How much the first slot is preferred, over the verdicts of both orders.
    pub(super) first: f64,
    /// The same by their probabilities.
    pub(super) first_weighed: f64,
    /// Whether the verdict changes with the order.
    pub(super) flipped: f64,
    /// Whether it changes when the same is asked again.
    pub(super) repeated: f64,
    /// Whether it changes with the neutral rewrite.
    pub(super) neutral: f64,
    /// Lengths of the two responses, in characters.
    pub(super) lengths: [f64; 2],
}

pub(super) fn probe_position(asks: &Asks<'_>) -> Probed {
    findings_of_each(
        &asks.pair_views(),
        |view| view.over(|item| seat_of(view, item)),
        position_findings,
    )
}

fn seat_of(view: View<'_>, item: u32) -> Seen<Seat> {
    let duel = view.asks.duel(item)?;
    // All four are asked for before any of them is missed.
    let forward = view.shown(duel, 0);
    let others = [
        view.shown(duel.swapped(), 0),
        view.shown(duel, 1),
        view.shown(view.asks.neutral(duel), 0),
    ];
    let forward = forward?;
    let [swapped, again, neutral] = others;
    let swapped = swapped?;
    Ok(Seat {
        first: first_slot_share([forward, swapped]),
        first_weighed: first_slot_weighed([forward, swapped]),
        flipped: verdicts_differ(forward, turned(swapped)),
        repeated: verdicts_differ(forward, again?),
        neutral: verdicts_differ(forward, neutral?),
        lengths: duel
            .systems()
            .map(|system| view.asks.data().length(system, item) as f64),
    })
}

/// Returns how much the first slot is preferred by the verdicts of two looks, a tie being half of
/// it.
pub(super) fn first_slot_share(looks: [Shares; 2]) -> f64 {
    first_slot_weighed(looks.map(|look| Side::of(look).certain()))
}

/// Returns how much probability the first slot has over two looks, a tie being half of it.
pub(super) fn first_slot_weighed([one, other]: [Shares; 2]) -> f64 {
    (one[0] + one[1] / 2.0 + other[0] + other[1] / 2.0) / 2.0
}

/// Whether two verdicts are on different sides, as 0 or 1.
pub(super) fn verdicts_differ(x: Shares, y: Shares) -> f64 {
    indicator(Side::of(x) != Side::of(y))
}

fn position_findings(view: View<'_>, seats: Rows<Seat>) -> Findings {
    let make = view.maker();
    let first = seats.map(|seat| seat.first);
    let first_weighed = seats.map(|seat| seat.first_weighed);
    let by_order = seats.map(|seat| seat.flipped);
    let by_repetition = seats.map(|seat| seat.repeated);
    let by_neutral = seats.map(|seat| seat.neutral);
    let beyond_repetition = by_order.less(&by_repetition);
    let beyond_neutral = by_order.less(&by_neutral);
    let mut found = vec![make.tested_share(FindingName::FirstSlot, &first, 0.5)?];
    found.extend(make.weighed(FindingName::FirstSlot, &first, &first_weighed)?);
    found.extend([
        make.share(FindingName::FlipsByOrder, &by_order)?,
        make.share(FindingName::FlipsByRepetition, &by_repetition)?,
        make.share(FindingName::FlipsByNeutral, &by_neutral)?,
        make.difference(FindingName::FlipsBeyondRepetition, &beyond_repetition)?,
        make.tested_difference(FindingName::FlipsBeyondNeutral, &beyond_neutral)?,
    ]);
    found.extend(consistency_by_length(make, &seats)?);
    Ok(found)
}

/// Returns how often both orders have the same verdict, by thirds of lengths.
pub(super) fn consistency_by_length(make: FindingMaker<'_>, seats: &Rows<Seat>) -> Findings {
    let mut found = Vec::new();
    for by in [LengthOrder::Mean, LengthOrder::Difference] {
        let length = |seat: &Seat| match (by, seat.lengths) {
            (LengthOrder::Mean, [a, b]) => (a + b) / 2.0,
            (LengthOrder::Difference, [a, b]) => (a - b).abs(),
        };
        let thirds = [Third::Lowest, Third::Middle, Third::Highest];
        for (third, part) in thirds.into_iter().zip(seats.parts(length, 3)) {
            let name = FindingName::Consistency { third, by };
            found.push(make.share(name, &part.map(|seat| 1.0 - seat.flipped))?);
        }
    }
    Ok(found)
}
