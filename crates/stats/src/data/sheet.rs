//! The pairs of systems that met, and what was won in each: what a bootstrap round draws.

use super::{Comparisons, Tally};
use crate::index;
use crate::linear::add_scaled;

/// The pairs that met, the lower system number first, in ascending order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pairs {
    pub(crate) systems: usize,
    pub(crate) list: Vec<[u16; 2]>,
}

impl Pairs {
    pub(crate) fn of_tally(tally: &Tally) -> Pairs {
        let systems = tally.systems();
        let met = index::pairs(systems).filter(|&(a, b)| tally.games(a, b) > 0.0);
        Pairs {
            systems,
            list: met.map(|(a, b)| [a as u16, b as u16]).collect(),
        }
    }

    pub(crate) fn of_rows(data: &Comparisons) -> Pairs {
        let mut list: Vec<[u16; 2]> = Vec::new();
        for row in data.rows() {
            // Long runs of few pairs need not be kept whole.
            if list.len() == list.capacity() {
                sort_distinct(&mut list);
                list.reserve(list.len().max(1024));
            }
            list.push([row.a, row.b]);
        }
        sort_distinct(&mut list);
        Pairs {
            systems: data.systems(),
            list,
        }
    }

    /// All that was won in these pairs.
    pub(crate) fn sheet(&self, tally: &Tally) -> Sheet<'_> {
        let pairs = self.list.iter();
        Sheet {
            pairs: self,
            won: pairs
                .map(|&[a, b]| tally.outcome(a.into(), b.into()))
                .collect(),
        }
    }

    /// The position in the list of a pair that is there.
    pub(crate) fn position(&self, a: u16, b: u16) -> u32 {
        self.list.partition_point(|pair| *pair < [a, b]) as u32
    }
}

fn sort_distinct(list: &mut Vec<[u16; 2]>) {
    list.sort_unstable();
    list.dedup();
}

/// The outcomes of each pair: won by the first system, tied, won by the second.
#[derive(Clone, Debug)]
pub(crate) struct Sheet<'p> {
    pub(crate) pairs: &'p Pairs,
    pub(crate) won: Vec<[f64; 3]>,
}

impl<'p> Sheet<'p> {
    pub(crate) fn new(pairs: &'p Pairs) -> Sheet<'p> {
        Sheet {
            pairs,
            won: vec![[0.0; 3]; pairs.list.len()],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.won.fill([0.0; 3]);
    }

    pub(crate) fn add(&mut self, pair: u32, outcome: [f64; 3], times: f64) {
        add_scaled(&mut self.won[pair as usize], &outcome, times);
    }

    pub(crate) fn tally(&self) -> Tally {
        let mut tally = Tally::sized(self.pairs.systems);
        for ([a, b], [wins, ties, losses]) in self.pairs.list.iter().zip(&self.won) {
            tally.add_checked(usize::from(*a), usize::from(*b), *wins, *ties, *losses);
        }
        tally
    }
}
