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

use super::asks::{Asked, Asks, Kind, Seen, Stop};
use super::duels::duel_of;
use super::finding::Finding;
use super::finding_name::{FindingName, LengthOrder, Third};
use super::probing::{Probed, findings_of_each};
use super::rows::Rows;
use crate::figure::indicator;
use crate::judge::decided;
use evenhand_engine::EngineError;

/// What one item shows; shares and truth values from 0 to 1.
pub(super) struct Seat {
    /// How much the first slot is preferred, over both orders.
    pub(super) first: f64,
    /// Whether the verdict changes with the order.
    pub(super) flipped: f64,
    /// Whether it changes when the same is asked again.
    pub(super) repeated: f64,
    /// Whether it changes with the neutral rewrite.
    pub(super) neutral: f64,
    pub(super) lengths: Lengths,
}

/// Lengths of two responses, in characters.
#[derive(Clone, Copy)]
pub(super) struct Lengths {
    mean: f64,
    difference: f64,
}

impl Lengths {
    pub(super) fn of_pair([a, b]: [f64; 2]) -> Lengths {
        Lengths {
            mean: (a + b) / 2.0,
            difference: (a - b).abs(),
        }
    }

    fn by(self, order: LengthOrder) -> f64 {
        match order {
            LengthOrder::Mean => self.mean,
            LengthOrder::Difference => self.difference,
        }
    }
}

pub(super) fn probe_position(asks: &Asks<'_>, protocols: &[Asked]) -> Probed {
    let pairs: Vec<&Asked> = protocols
        .iter()
        .filter(|asked| asked.kind == Kind::Pairs)
        .collect();
    findings_of_each(
        &pairs,
        |asked| asks.over(0, |item| seat_of(asks, &asked.protocol, item)),
        |asked, seats| position_findings(&asked.protocol, &seats, asks.level),
    )
}

fn seat_of(asks: &Asks<'_>, protocol: &str, item: u32) -> Seen<Seat> {
    let duel = duel_of(asks, 0, item).ok_or(Stop::Failed)?;
    let forward = asks.shown(protocol, duel, 0);
    let swapped = asks.shown(protocol, duel.swapped(), 0);
    let again = asks.shown(protocol, duel, 1);
    let neutral = asks.shown(protocol, asks.neutral(duel), 0);
    let (forward, swapped, again, neutral) = (forward?, swapped?, again?, neutral?);
    let lengths = [duel.a, duel.b].map(|system| asks.materials[0].length(system, item) as f64);
    Ok(Seat {
        first: first_slot_share(forward, swapped),
        flipped: verdicts_differ(forward, turned(swapped)),
        repeated: verdicts_differ(forward, again),
        neutral: verdicts_differ(forward, neutral),
        lengths: Lengths::of_pair(lengths),
    })
}

/// Returns how much the first slot is preferred over two looks, a tie being half of it.
pub(super) fn first_slot_share(one: [f64; 3], other: [f64; 3]) -> f64 {
    (one[0] + one[1] / 2.0 + other[0] + other[1] / 2.0) / 2.0
}

/// Returns the shares as seen from the other order.
pub(super) fn turned([first, tie, second]: [f64; 3]) -> [f64; 3] {
    [second, tie, first]
}

/// Whether two verdicts decide for different sides, as 0 or 1.
pub(super) fn verdicts_differ(x: [f64; 3], y: [f64; 3]) -> f64 {
    indicator(decided(x) != decided(y))
}

fn position_findings(
    protocol: &str,
    seats: &Rows<Seat>,
    level: f64,
) -> Result<Vec<Finding>, EngineError> {
    let about = |name: FindingName| name.under(protocol);
    let flipped = seats.map(|seat| seat.flipped);
    let repeated = seats.map(|seat| seat.repeated);
    let neutral = seats.map(|seat| seat.neutral);
    let first = seats.map(|seat| seat.first);
    let mut found = vec![
        about(FindingName::FirstSlot).tested_share(&first, 0.5, level)?,
        about(FindingName::FlipsByOrder).untested_share(&flipped, level)?,
        about(FindingName::FlipsByRepetition).untested_share(&repeated, level)?,
        about(FindingName::FlipsByNeutral).untested_share(&neutral, level)?,
        about(FindingName::FlipsBeyondRepetition)
            .untested_difference(&flipped.less(&repeated), level)?,
        about(FindingName::FlipsBeyondNeutral).tested_difference(&flipped.less(&neutral), level)?,
    ];
    found.extend(consistency_by_length(protocol, seats, level)?);
    Ok(found)
}

/// Returns how often both orders have the same verdict, by thirds of lengths.
pub(super) fn consistency_by_length(
    protocol: &str,
    seats: &Rows<Seat>,
    level: f64,
) -> Result<Vec<Finding>, EngineError> {
    let mut found = Vec::new();
    for by in [LengthOrder::Mean, LengthOrder::Difference] {
        let parts = seats.parts(|seat| seat.lengths.by(by), 3);
        for (third, part) in [Third::Lowest, Third::Middle, Third::Highest]
            .into_iter()
            .zip(parts)
        {
            let about = FindingName::Consistency { third, by }.under(protocol);
            let consistent = part.map(|seat| 1.0 - seat.flipped);
            found.push(about.untested_share(&consistent, level)?);
        }
    }
    Ok(found)
}
