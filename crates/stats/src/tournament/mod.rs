//! Tournaments: who meets whom next, by how the systems stand so far.
//!
//! A round robin of k systems has k (k - 1) / 2 meetings, and most of them are of systems that
//! anybody can tell apart. A tournament has fewer, in rounds in which systems of like standing
//! meet:
//!
//! - [`Tournament::Swiss`]: in each round everybody meets one other, the nearest in the standings
//!   whom they have not met.
//! - [`Tournament::Swim`]: Swiss-wise iterative matchmaking (Xu, Ruis, Rocktäschel and Kirk 2025,
//!   arXiv 2502.14074, section 3.3). Systems come to the leaderboard one after the other; a
//!   newcomer to one of M meets max(1, ⌈log2 M⌉) of them: first the one in the middle, then always
//!   the one whose Bradley-Terry strength is nearest to its own by then. (The paper says so in
//!   words; its algorithm 1 was not at hand.)
//!
//! # What must not be done with it
//! Who meets whom depends on how the meetings before went. Strengths that are fitted to those same
//! meetings, with intervals that take the pairs as given, cover less than they say: of systems that
//! are all equal, a lucky one meets lucky ones, whose luck stands for its strength once more:
//! 95 % intervals of equal systems were found to miss in 8 to 15 % (Swiss, 8 to 32 systems) and 11
//! to 32 % (Swim). So the meetings of a tournament decide who meets whom, on items of their own
//! ([`DECIDING_SHARE`] of them), and nothing else: the ranking rests on the same pairs on all
//! other items. Given the pairs, those outcomes are as independent as in a design that was fixed
//! beforehand, and whatever interval or test holds there holds here. (Items are taken as
//! independent draws.)
//!
//! Scores must know whom a system met: Bradley-Terry does, a share of comparisons won does not.

mod swim;
mod swiss;

use crate::Error;
use crate::bootstrap::{keyed_generator, shuffle};
use crate::checks::{Entry, check_pair, check_probability, check_setting, check_systems};

/// The share of the items on which a tournament is played: they decide who meets whom.
pub const DECIDING_SHARE: f64 = 0.25;

/// A kind of tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tournament {
    /// So many rounds, in each of which every system meets one other at most.
    Swiss {
        /// How many.
        rounds: usize,
    },
    /// One newcomer after the other.
    Swim,
}

/// Two systems that met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// In which round, from 0.
    pub round: usize,
    /// The two.
    pub pair: [usize; 2],
    /// The share that the first of them got, from 0 to 1, ties half.
    pub share: f64,
    /// On how many items they met; above 0.
    pub items: usize,
}

impl Tournament {
    /// Checks that so many systems can play it.
    ///
    /// A Swiss tournament needs ⌈log2 k⌉ rounds: with fewer no pairing links all k systems, and
    /// strengths of systems that nothing links cannot be compared. It has at most as many as a
    /// round robin.
    ///
    /// # Errors
    /// Fewer than 2 systems or more than [`crate::MAX_SYSTEMS`]; too few or too many rounds.
    pub fn check(self, systems: usize) -> Result<(), Error> {
        check_systems(systems)?;
        check_setting("systems", systems as f64, systems >= 2, "at least 2")?;
        let Tournament::Swiss { rounds } = self else {
            return Ok(());
        };
        let range = Tournament::swiss_rounds(systems);
        check_setting(
            "rounds",
            rounds as f64,
            range.contains(&rounds),
            "enough to link all systems, and no more than there are opponents",
        )
    }

    /// How many rounds a Swiss tournament of so many systems, at least 2, may have.
    pub fn swiss_rounds(systems: usize) -> std::ops::RangeInclusive<usize> {
        log2_up(systems).max(1)..=systems - 1 + systems % 2
    }

    /// How many meetings it has at most. A Swim tournament has just so many; so has a Swiss one
    /// whose rounds are fewer than half of a round robin's.
    pub fn most_meetings(self, systems: usize) -> usize {
        match self {
            Tournament::Swiss { rounds } => rounds * (systems / 2),
            Tournament::Swim => (1..systems).map(swim::meetings_of_newcomer).sum(),
        }
    }

    /// The pairs of the next round; none when it is over. A function of its arguments: the same
    /// meetings before lead to the same pairs.
    ///
    /// `past` has the meetings of all rounds before, round by round. `seed` draws the order in
    /// which systems that stand alike, or that nobody knows yet, are taken. Systems are 0 to
    /// `systems`.
    ///
    /// # Errors
    /// Those of [`Tournament::check`]; a meeting of systems that do not exist, with a share that
    /// is not from 0 to 1, or out of the order of rounds.
    pub fn next_round(
        self,
        systems: usize,
        seed: u64,
        past: &[Meeting],
    ) -> Result<Vec<[usize; 2]>, Error> {
        self.check(systems)?;
        let mut round = 0;
        for (row, meeting) in past.iter().enumerate() {
            check_pair(row, meeting.pair[0], meeting.pair[1], systems)?;
            check_probability(row, "share", meeting.share)?;
            let number = meeting.round as f64;
            let is_next = (round..=round + 1).contains(&meeting.round);
            Entry::new(row, "round", number)
                .require(is_next, "that of the meeting before or the next")?;
            round = meeting.round;
        }
        let drawn = drawn_order(systems, seed);
        match self {
            Tournament::Swiss { rounds } => {
                let round = past.last().map_or(0, |meeting| meeting.round + 1);
                if round >= rounds {
                    return Ok(Vec::new());
                }
                Ok(swiss::pairs_of_round(&drawn, round, rounds, past))
            }
            Tournament::Swim => Ok(Vec::from_iter(swim::next_pair(&drawn, past)?)),
        }
    }
}

/// The key of the drawn order, beside those of resamples, orders and labels.
const TOURNAMENT: u8 = 0x75;

/// The systems in an order in which each is equally likely.
fn drawn_order(systems: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<u32> = (0..systems as u32).collect();
    shuffle(&mut order, &mut keyed_generator(seed, TOURNAMENT, 0));
    order.into_iter().map(|system| system as usize).collect()
}

/// The smallest whole number whose power of 2 is at least n, which is at least 1.
fn log2_up(n: usize) -> usize {
    (usize::BITS - (n - 1).leading_zeros()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_met_from_below() {
        let found: Vec<usize> = (1..=9).map(log2_up).collect();
        assert_eq!(found, [0, 1, 2, 2, 3, 3, 3, 3, 4]);
    }

    #[test]
    fn too_few_rounds_link_nobody_and_too_many_have_no_opponents() {
        let swiss = |rounds, systems| Tournament::Swiss { rounds }.check(systems).is_ok();
        assert_eq!(
            [1, 2, 3, 4, 5].map(|rounds| swiss(rounds, 4)),
            [false, true, true, false, false]
        );
        assert_eq!(
            [2, 3, 5, 6].map(|rounds| swiss(rounds, 5)),
            [false, true, true, false]
        );
        assert!(swiss(1, 2) && !swiss(2, 2));
        assert!(Tournament::Swim.check(1).is_err() && Tournament::Swim.check(2).is_ok());
    }

    #[test]
    fn the_numbers_of_meetings_by_hand() {
        assert_eq!(Tournament::Swiss { rounds: 3 }.most_meetings(8), 12);
        assert_eq!(Tournament::Swiss { rounds: 3 }.most_meetings(7), 9);
        // Newcomers to 1, 2, 3, 4 and 5 systems: 1, 1, 2, 2 and 3.
        assert_eq!(Tournament::Swim.most_meetings(6), 9);
    }
}
