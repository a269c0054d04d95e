//! Who beat whom how often, all items together.

use crate::checks::{check_pair, check_systems, check_weight};
use crate::{Error, graph};

/// Weighted wins and ties of every pair of k systems: two dense k x k tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    systems: usize,
    /// Row-major: `wins[i * k + j]` is what i won over j.
    wins: Vec<f64>,
    /// Row-major and symmetric.
    ties: Vec<f64>,
}

impl Tally {
    /// An empty tally of `systems` systems.
    ///
    /// # Errors
    /// More than [`crate::MAX_SYSTEMS`] systems.
    pub fn new(systems: usize) -> Result<Self, Error> {
        check_systems(systems)?;
        Ok(Tally::sized(systems))
    }

    /// For data that have been checked already.
    pub(crate) fn sized(systems: usize) -> Self {
        Tally {
            systems,
            wins: vec![0.0; systems * systems],
            ties: vec![0.0; systems * systems],
        }
    }

    /// Adds comparisons of `a` with `b`: the weight that a won, that was tied, and that b won; each
    /// from 0 to 1e100.
    ///
    /// # Errors
    /// An unknown system, a system against itself, or a weight that is negative, NaN, infinite or
    /// too large.
    pub fn add(
        &mut self,
        a: usize,
        b: usize,
        wins_a: f64,
        ties: f64,
        wins_b: f64,
    ) -> Result<(), Error> {
        check_pair(0, a, b, self.systems)?;
        check_weight(0, "wins_a", wins_a)?;
        check_weight(0, "ties", ties)?;
        check_weight(0, "wins_b", wins_b)?;
        self.add_checked(a, b, wins_a, ties, wins_b);
        Ok(())
    }

    pub(crate) fn add_checked(&mut self, a: usize, b: usize, wins_a: f64, ties: f64, wins_b: f64) {
        let (ab, ba) = (a * self.systems + b, b * self.systems + a);
        self.wins[ab] += wins_a;
        self.wins[ba] += wins_b;
        self.ties[ab] += ties;
        self.ties[ba] += ties;
    }

    /// How many systems there are.
    pub fn systems(&self) -> usize {
        self.systems
    }

    /// The weight that `i` won over `j`; 0 for an unknown system.
    pub fn wins(&self, i: usize, j: usize) -> f64 {
        self.entry(&self.wins, i, j)
    }

    /// The weight tied between `i` and `j`; 0 for an unknown system.
    pub fn ties(&self, i: usize, j: usize) -> f64 {
        self.entry(&self.ties, i, j)
    }

    /// The points of `i` against `j`: wins, and half the ties.
    pub fn points(&self, i: usize, j: usize) -> f64 {
        self.wins(i, j) + 0.5 * self.ties(i, j)
    }

    /// Weight of all comparisons of `i` with `j`.
    pub fn games(&self, i: usize, j: usize) -> f64 {
        self.wins(i, j) + self.ties(i, j) + self.wins(j, i)
    }

    /// The weights that `i` won over `j`, that they tied, and that `j` won.
    pub(crate) fn outcome(&self, i: usize, j: usize) -> [f64; 3] {
        [self.wins(i, j), self.ties(i, j), self.wins(j, i)]
    }

    /// Weight of all comparisons of `i` with anyone.
    pub fn games_of(&self, i: usize) -> f64 {
        (0..self.systems).map(|j| self.games(i, j)).sum()
    }

    /// The points of `i` against anyone: wins, and half the ties.
    pub fn points_of(&self, i: usize) -> f64 {
        (0..self.systems).map(|j| self.points(i, j)).sum()
    }

    /// Whether each system won every comparison that it is in, or lost every one.
    pub(crate) fn one_sided(&self) -> Vec<bool> {
        let systems = 0..self.systems();
        let is_one_sided = |i: usize| {
            let all = self.games_of(i);
            let won = (0..self.systems()).map(|j| self.wins(i, j)).sum::<f64>();
            let lost = (0..self.systems()).map(|j| self.wins(j, i)).sum::<f64>();
            all > 0.0 && (won >= all || lost >= all)
        };
        systems.map(is_one_sided).collect()
    }

    /// Of each system the weight of all its comparisons.
    pub(crate) fn weights(&self) -> Vec<f64> {
        (0..self.systems).map(|i| self.games_of(i)).collect()
    }

    /// The weight of all comparisons: each is among the weights of two systems.
    pub(crate) fn total(&self) -> f64 {
        self.weights().iter().sum::<f64>() / 2.0
    }

    /// Groups of systems linked by comparisons, each in ascending order, the one with the lowest
    /// system first.
    pub fn components(&self) -> Vec<Vec<usize>> {
        graph::components(self.systems, |i, j| self.games(i, j) > 0.0)
    }

    fn entry(&self, table: &[f64], i: usize, j: usize) -> f64 {
        if i < self.systems && j < self.systems {
            table[i * self.systems + j]
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_adds_up_from_either_side() {
        let mut tally = Tally::new(2).unwrap();
        tally.add(0, 1, 2.0, 1.0, 0.5).unwrap();
        tally.add(1, 0, 0.25, 1.0, 0.0).unwrap();
        assert_eq!(
            (
                tally.wins(0, 1),
                tally.wins(1, 0),
                tally.ties(0, 1),
                tally.ties(1, 0)
            ),
            (2.0, 0.75, 2.0, 2.0)
        );
        assert_eq!(
            (tally.games(0, 1), tally.points(0, 1), tally.points_of(1)),
            (4.75, 3.0, 1.75)
        );
        assert_eq!(tally.wins(7, 0), 0.0);
    }

    #[test]
    fn bad_rows_are_errors() {
        let mut tally = Tally::new(2).unwrap();
        assert_eq!(
            tally.add(0, 2, 1.0, 0.0, 0.0),
            Err(Error::NoSuchSystem {
                row: 0,
                system: 2,
                systems: 2
            })
        );
        assert_eq!(
            tally.add(1, 1, 1.0, 0.0, 0.0),
            Err(Error::SelfComparison { row: 0, system: 1 })
        );
        for bad in [-1.0, f64::NAN, f64::INFINITY, 1e101] {
            assert!(matches!(
                tally.add(0, 1, bad, 0.0, 0.0),
                Err(Error::Value {
                    field: "wins_a",
                    ..
                })
            ));
            assert!(matches!(
                tally.add(0, 1, 0.0, bad, 0.0),
                Err(Error::Value { field: "ties", .. })
            ));
            assert!(matches!(
                tally.add(0, 1, 0.0, 0.0, bad),
                Err(Error::Value {
                    field: "wins_b",
                    ..
                })
            ));
        }
        assert!(matches!(
            Tally::new(5000),
            Err(Error::TooManySystems { .. })
        ));
    }
}
