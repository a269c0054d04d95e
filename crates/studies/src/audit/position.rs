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

use super::asks::{Asks, Duel, Findings, Probed, Seen, View, findings_of_each};
use super::finding::FindingMaker;
use super::finding_name::{FindingName, LengthOrder, Third};
use super::opinion::{Shares, turned};
use super::rows::Rows;
use super::what::Kind;
use crate::figure::indicator;
use evenhand_core::Side;

/// Verdicts on one item in several orders; shares and truth values from 0 to 1.
#[derive(Default)]
pub(super) struct Seat {
    /// How much the first slot is preferred, over the verdicts of both orders.
    first: f64,
    /// The same by their probabilities.
    first_weighed: f64,
    /// Whether the verdict changes with the order.
    flipped: f64,
    /// Whether it changes when the same is asked again.
    repeated: f64,
    /// Whether it changes with the neutral rewrite.
    neutral: f64,
    /// Lengths of the two responses, in characters.
    lengths: [f64; 2],
}

impl Seat {
    /// Makes the seat of two looks in both orders that nothing else is known of.
    pub(super) fn of_orders([forward, swapped]: [Shares; 2], lengths: [f64; 2]) -> Seat {
        // How much the first slot has over both looks, a tie being half of it.
        let first_slot =
            |[one, other]: [Shares; 2]| (one[0] + one[1] / 2.0 + other[0] + other[1] / 2.0) / 2.0;
        Seat {
            first: first_slot([forward, swapped].map(|look| Side::of(look).certain())),
            first_weighed: first_slot([forward, swapped]),
            flipped: verdicts_differ(forward, turned(swapped)),
            lengths,
            ..Seat::default()
        }
    }
}

/// Whether two verdicts are on different sides, as 0 or 1.
fn verdicts_differ(x: Shares, y: Shares) -> f64 {
    indicator(Side::of(x) != Side::of(y))
}

pub(super) fn probe_position(asks: &Asks<'_>) -> Probed {
    findings_of_each(
        &asks.views_of(Kind::Pairs),
        |view| view.over_pairs(|duel| seat_of(view, duel)),
        |view, seats| {
            let make = view.maker();
            let mut found = order_findings(make, &seats)?;
            let by_repetition = seats.map(|seat| seat.repeated);
            let by_neutral = seats.map(|seat| seat.neutral);
            let beyond_repetition = seats.map(|seat| seat.flipped - seat.repeated);
            let beyond_neutral = seats.map(|seat| seat.flipped - seat.neutral);
            found.extend([
                make.share(FindingName::FlipsByRepetition, &by_repetition)?,
                make.share(FindingName::FlipsByNeutral, &by_neutral)?,
                make.difference(FindingName::FlipsBeyondRepetition, &beyond_repetition)?,
                make.tested_difference(FindingName::FlipsBeyondNeutral, &beyond_neutral)?,
            ]);
            found.extend(consistency_by_length(make, &seats)?);
            Ok(found)
        },
    )
}

fn seat_of(view: View<'_>, duel: Duel) -> Seen<Seat> {
    // All four are asked for before any of them is missed.
    let forward = view.shown(duel, 0);
    let swapped = view.shown(duel.swapped(), 0);
    let again = view.shown(duel, 1);
    let neutral = view.shown(view.asks.neutral(duel), 0);
    let forward = forward?;
    let data = view.asks.data();
    let lengths = [duel.a, duel.b].map(|system| data.length(system, duel.item) as f64);
    Ok(Seat {
        repeated: verdicts_differ(forward, again?),
        neutral: verdicts_differ(forward, neutral?),
        ..Seat::of_orders([forward, swapped?], lengths)
    })
}

/// Returns how often the first slot is preferred, and how often verdicts change with the order.
pub(super) fn order_findings(make: FindingMaker<'_>, seats: &Rows<Seat>) -> Findings {
    let first = seats.map(|seat| seat.first);
    let first_weighed = seats.map(|seat| seat.first_weighed);
    let by_order = seats.map(|seat| seat.flipped);
    let mut found = vec![make.tested_share(FindingName::FirstSlot, &first, 0.5)?];
    found.extend(make.weighed(FindingName::FirstSlot, &first, &first_weighed)?);
    found.push(make.share(FindingName::FlipsByOrder, &by_order)?);
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
