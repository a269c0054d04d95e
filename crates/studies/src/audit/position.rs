//! Does the place of a response in the prompt decide?  Each pair is shown in both orders, and in one of them twice.
//!
//! - *First-slot share*: how often the first slot is preferred, over both orders; a half for a judge to whom order means nothing.
//! - *Flips by order* and *by repetition*: how often the verdict on a pair changes, with the order and without.  A judge that is
//!   merely noisy changes as often without, so what is tested is the difference.
//! - *Consistency by length*: by thirds of the mean length, and of the difference in length (PORTIA, tables 4 to 6).

use super::asks::{Asked, Asks, Duel, Kind, Seen, Stop};
use super::duels::{duel, items};
use super::finding::{About, Finding};
use crate::judge::decided;
use evenhand_engine::EngineError;

/// What one item shows.
pub(super) struct Seat {
    pub(super) first: f64,
    pub(super) flipped: f64,
    pub(super) repeated: f64,
    /// Mean length and difference of lengths, in characters.
    pub(super) lengths: [f64; 2],
}

pub(super) fn position(asks: &Asks<'_>, protocols: &[Asked]) -> Seen<Result<Vec<Finding>, EngineError>> {
    let pairs: Vec<&Asked> = protocols.iter().filter(|asked| asked.kind == Kind::Pairs).collect();
    let seen: Vec<_> = pairs.iter().map(|asked| asks.over(items(asks, 0), |item| seat(asks, &asked.protocol, item))).collect();
    let seen = seen.into_iter().collect::<Seen<Vec<_>>>()?;
    Ok(pairs
        .iter()
        .zip(seen)
        .map(|(asked, (seats, failed))| findings(&asked.protocol, &seats, failed, asks.level))
        .collect::<Result<Vec<_>, _>>()
        .map(|all| all.concat()))
}

fn seat(asks: &Asks<'_>, protocol: &str, item: u32) -> Seen<Seat> {
    let duel = duel(asks, 0, item).ok_or(Stop::Failed)?;
    let forward = asks.shown(protocol, duel, 0);
    let swapped = asks.shown(protocol, Duel { a: duel.b, b: duel.a, ..duel }, 0);
    let again = asks.shown(protocol, duel, 1);
    let (forward, swapped, again) = (forward?, swapped?, again?);
    let differ = |x: [f64; 3], y: [f64; 3]| f64::from(u8::from(decided(x) != decided(y)));
    let [a, b] = [duel.a, duel.b].map(|system| asks.materials[0].length(system, item) as f64);
    Ok(Seat {
        first: (forward[0] + forward[1] / 2.0 + swapped[0] + swapped[1] / 2.0) / 2.0,
        flipped: differ(forward, [swapped[2], swapped[1], swapped[0]]),
        repeated: differ(forward, again),
        lengths: [(a + b) / 2.0, (a - b).abs()],
    })
}

fn findings(protocol: &str, seats: &[Seat], failed: u64, level: f64) -> Result<Vec<Finding>, EngineError> {
    let about = |name, estimand| about(protocol, name, estimand);
    let all = |value: fn(&Seat) -> f64| seats.iter().map(value).collect::<Vec<f64>>();
    let (first, flipped, repeated) = (all(|s| s.first), all(|s| s.flipped), all(|s| s.repeated));
    let beyond = all(|s| s.flipped - s.repeated);
    let mut found = vec![
        about("first slot", "how often the first of two is preferred, over both orders").share(
            (&first, failed),
            Some(0.5),
            level,
        )?,
        about("flips by order", "how often a verdict changes when the two change places").share(
            (&flipped, failed),
            None,
            level,
        )?,
        about("flips by repetition", "how often a verdict changes when the same is asked again").share(
            (&repeated, failed),
            None,
            level,
        )?,
        about("flips beyond repetition", "flips by order less flips by repetition").difference((&beyond, failed), level)?,
    ];
    found.extend(of_lengths(protocol, seats, level)?);
    Ok(found)
}

/// Consistency by thirds of lengths.
pub(super) fn of_lengths(protocol: &str, seats: &[Seat], level: f64) -> Result<Vec<Finding>, EngineError> {
    let mut found = Vec::new();
    for (which, name) in [(0, "length"), (1, "difference in length")] {
        for (third, of) in thirds(seats, which).iter().enumerate() {
            let name = format!("consistency, {} third by {name}", ["lowest", "middle", "highest"][third]);
            let values: Vec<f64> = of.iter().map(|seat| 1.0 - seat.flipped).collect();
            let about = self::about(protocol, &name, "how often both orders have the same verdict");
            found.push(about.share((&values, 0), None, level)?);
        }
    }
    Ok(found)
}

fn thirds(seats: &[Seat], which: usize) -> [Vec<&Seat>; 3] {
    let mut sorted: Vec<&Seat> = seats.iter().collect();
    sorted.sort_by(|x, y| x.lengths[which].total_cmp(&y.lengths[which]));
    let (n, mut thirds) = (sorted.len(), [vec![], vec![], vec![]]);
    sorted.into_iter().enumerate().for_each(|(at, seat)| thirds[3 * at / n.max(1)].push(seat));
    thirds
}

fn about<'a>(protocol: &'a str, name: &'a str, estimand: &'static str) -> About<'a> {
    About { probe: "position", name, protocol, estimand }
}
