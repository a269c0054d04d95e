//! The pairs of a Swiss round.

use super::{Meeting, log2_up};
use crate::graph;

/// The pairs of round number `round`, from 0: from the top of the standings down, everybody meets
/// the nearest below whom they may meet.
///
/// Standings are the points of the meetings (1 for more than half of the share, a half for half of
/// it, a half for a round without a meeting), then the sum of the shares, then the drawn order.
/// Nobody meets twice. Where as many rounds are left as it takes to link all systems (⌈log2 p⌉ for
/// p parts that the meetings so far do not link), only systems of different parts meet, and every
/// part but one that rests has such a meeting: that halves the number of parts.
pub(super) fn pairs_of_round(
    drawn: &[usize],
    round: usize,
    rounds: usize,
    past: &[Meeting],
) -> Vec<[usize; 2]> {
    let field = Field::new(drawn.len(), rounds - round, past);
    let mut standing = standings(drawn, round, past);
    if standing.len() % 2 == 1 {
        // The lowest who has always played rests.
        let played = |system: &usize| {
            let own = past.iter().filter(|meeting| meeting.pair.contains(system));
            own.count() == round
        };
        let resting = standing.iter().rposition(played);
        standing.remove(resting.unwrap_or(standing.len() - 1));
    }

    let (mut pairs, mut waiting) = (Vec::new(), Vec::new());
    while !standing.is_empty() {
        let next = standing.remove(0);
        match standing
            .iter()
            .position(|other| field.may_meet(next, *other))
        {
            Some(at) => pairs.push([next, standing.remove(at)]),
            None => waiting.push(next),
        }
    }
    // Where parts must be linked, those who wait are all of one: others would have met. If it has
    // no meeting outside, two of it break up the last pair.
    let is_alone = |part: usize| {
        pairs
            .iter()
            .flatten()
            .all(|system| field.part[*system] != part)
    };
    if let [first, second, ..] = waiting[..]
        && field.must_link
        && is_alone(field.part[first])
        && let Some([a, b]) = pairs.pop()
    {
        pairs.extend([[first, a], [second, b]]);
        waiting.drain(..2);
    }
    pair_those_who_wait(&mut pairs, waiting, &field);
    pairs
}

/// Pairs those who are left with each other; where they have all met, two of them break up a pair;
/// and where that cannot be, one rests.
fn pair_those_who_wait(pairs: &mut Vec<[usize; 2]>, mut waiting: Vec<usize>, field: &Field) {
    while waiting.len() > 1 {
        let next = waiting.remove(0);
        if let Some(at) = waiting
            .iter()
            .position(|other| !field.have_met(next, *other))
        {
            pairs.push([next, waiting.remove(at)]);
            continue;
        }
        let other = waiting[0];
        let may_both = |[a, b]: [usize; 2]| !field.have_met(next, a) && !field.have_met(other, b);
        let broken = pairs
            .iter()
            .rposition(|&[a, b]| may_both([a, b]) || may_both([b, a]));
        if let Some(at) = broken {
            let [a, b] = pairs.remove(at);
            let [a, b] = if may_both([a, b]) { [a, b] } else { [b, a] };
            pairs.extend([[next, a], [other, b]]);
            waiting.remove(0);
        }
    }
}

/// The systems, the best so far first.
fn standings(drawn: &[usize], round: usize, past: &[Meeting]) -> Vec<usize> {
    let mut rows: Vec<(f64, f64, usize)> = Vec::with_capacity(drawn.len());
    for &system in drawn {
        let (mut points, mut shares, mut played) = (0.0, 0.0, 0);
        for meeting in past.iter().filter(|meeting| meeting.pair.contains(&system)) {
            let share = if meeting.pair[0] == system {
                meeting.share
            } else {
                1.0 - meeting.share
            };
            points += match share.total_cmp(&0.5) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
            shares += share;
            played += 1;
        }
        let rested = 0.5 * (round - played) as f64;
        rows.push((points + rested, shares + rested, system));
    }
    // The sort is stable: the drawn order decides among equals.
    rows.sort_by(|x, y| y.0.total_cmp(&x.0).then(y.1.total_cmp(&x.1)));
    rows.into_iter().map(|(_, _, system)| system).collect()
}

/// Who has met, and who is linked by meetings.
struct Field {
    systems: usize,
    /// Row-major.
    met: Vec<bool>,
    /// The part of each system; those of one part are linked.
    part: Vec<usize>,
    /// Whether only systems of different parts may meet.
    must_link: bool,
}

impl Field {
    fn new(systems: usize, rounds_left: usize, past: &[Meeting]) -> Field {
        let mut met = vec![false; systems * systems];
        for meeting in past {
            let [a, b] = meeting.pair;
            met[a * systems + b] = true;
            met[b * systems + a] = true;
        }
        let parts = graph::components(systems, |a, b| met[a * systems + b]);
        let mut part = vec![0; systems];
        for (number, members) in parts.iter().enumerate() {
            members.iter().for_each(|system| part[*system] = number);
        }
        Field {
            systems,
            met,
            part,
            must_link: parts.len() > 1 && log2_up(parts.len()) >= rounds_left,
        }
    }

    fn have_met(&self, a: usize, b: usize) -> bool {
        self.met[a * self.systems + b]
    }

    fn may_meet(&self, a: usize, b: usize) -> bool {
        match self.must_link {
            true => self.part[a] != self.part[b],
            false => !self.have_met(a, b),
        }
    }
}
