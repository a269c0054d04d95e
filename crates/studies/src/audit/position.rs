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

use super::asks::{Asked, Asks, Duel, Kind, Seen, Stop};
use super::duels::duel;
use super::finding::{About, Finding};
use super::rows::Rows;
use crate::judge::decided;
use evenhand_engine::EngineError;

const NEUTRAL: &str = "flips by a neutral rewrite";

/// What one item shows.
pub(super) struct Seat {
    pub(super) first: f64,
    pub(super) flipped: f64,
    pub(super) repeated: f64,
    pub(super) neutral: f64,
    /// Mean length and difference of lengths, in characters.
    pub(super) lengths: [f64; 2],
}

pub(super) fn position(
    asks: &Asks<'_>,
    protocols: &[Asked],
) -> Seen<Result<Vec<Finding>, EngineError>> {
    let pairs: Vec<&Asked> = protocols
        .iter()
        .filter(|asked| asked.kind == Kind::Pairs)
        .collect();
    let seen: Vec<_> = pairs
        .iter()
        .map(|asked| asks.over(0, |item| seat(asks, &asked.protocol, item)))
        .collect();
    let seen = seen.into_iter().collect::<Seen<Vec<_>>>()?;
    Ok(pairs
        .iter()
        .zip(seen)
        .map(|(asked, seats)| findings(&asked.protocol, &seats, asks.level))
        .collect::<Result<Vec<_>, _>>()
        .map(|all| all.concat()))
}

fn seat(asks: &Asks<'_>, protocol: &str, item: u32) -> Seen<Seat> {
    let duel = duel(asks, 0, item).ok_or(Stop::Failed)?;
    let forward = asks.shown(protocol, duel, 0);
    let swapped = asks.shown(
        protocol,
        Duel {
            a: duel.b,
            b: duel.a,
            ..duel
        },
        0,
    );
    let again = asks.shown(protocol, duel, 1);
    let neutral = asks.shown(protocol, asks.neutral(duel), 0);
    let (forward, swapped, again, neutral) = (forward?, swapped?, again?, neutral?);
    let differ = |x: [f64; 3], y: [f64; 3]| f64::from(u8::from(decided(x) != decided(y)));
    let [a, b] = [duel.a, duel.b].map(|system| asks.materials[0].length(system, item) as f64);
    Ok(Seat {
        first: (forward[0] + forward[1] / 2.0 + swapped[0] + swapped[1] / 2.0) / 2.0,
        flipped: differ(forward, [swapped[2], swapped[1], swapped[0]]),
        repeated: differ(forward, again),
        neutral: differ(forward, neutral),
        lengths: [(a + b) / 2.0, (a - b).abs()],
    })
}

fn findings(protocol: &str, seats: &Rows<Seat>, level: f64) -> Result<Vec<Finding>, EngineError> {
    let share = |name, estimand, unbiased, value: fn(&Seat) -> f64| {
        about(protocol, name, estimand).share(&seats.map(value), unbiased, level)
    };
    let beyond = |name, estimand| about(protocol, name, estimand);
    let repeated = seats.map(|seat| seat.flipped - seat.repeated);
    let neutral = seats.map(|seat| seat.flipped - seat.neutral);
    let mut found = vec![
        share(
            "first slot",
            "how often the first of two is preferred, over both orders",
            Some(0.5),
            |seat| seat.first,
        )?,
        share(
            "flips by order",
            "how often a verdict changes when the two change places",
            None,
            |seat| seat.flipped,
        )?,
        share(
            "flips by repetition",
            "how often a verdict changes when the same is asked again",
            None,
            |seat| seat.repeated,
        )?,
        share(
            NEUTRAL,
            "how often a verdict changes once both have spaces that no reader sees",
            None,
            |seat| seat.neutral,
        )?,
        beyond(
            "flips beyond repetition",
            "flips by order less flips by repetition",
        )
        .untested_difference(&repeated, level)?,
        beyond(
            "flips beyond neutral",
            "flips by order less flips by a neutral rewrite",
        )
        .difference(&neutral, level)?,
    ];
    found.extend(of_lengths(protocol, seats, level)?);
    Ok(found)
}

/// Consistency by thirds of lengths.
pub(super) fn of_lengths(
    protocol: &str,
    seats: &Rows<Seat>,
    level: f64,
) -> Result<Vec<Finding>, EngineError> {
    let mut found = Vec::new();
    for (which, name) in [(0, "length"), (1, "difference in length")] {
        for (third, of) in seats
            .parts(|seat| seat.lengths[which], 3)
            .iter()
            .enumerate()
        {
            let name = format!(
                "consistency, {} third by {name}",
                ["lowest", "middle", "highest"][third]
            );
            let about = self::about(
                protocol,
                &name,
                "how often both orders have the same verdict",
            );
            found.push(about.share(&of.map(|seat| 1.0 - seat.flipped), None, level)?);
        }
    }
    Ok(found)
}

fn about<'a>(protocol: &'a str, name: &'a str, estimand: &'static str) -> About<'a> {
    About {
        probe: "position",
        name,
        protocol,
        estimand,
    }
}
