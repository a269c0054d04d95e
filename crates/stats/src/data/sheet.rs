//! The pairs of systems that met, and what was won in each: what a bootstrap round draws.

use super::{Comparisons, Tally};

/// The pairs that met, the lower system number first, in ascending order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pairs {
    pub(crate) systems: usize,
    pub(crate) list: Vec<[u16; 2]>,
}

impl Pairs {
    pub(crate) fn of_tally(tally: &Tally) -> Pairs {
        let systems = tally.systems();
        let pairs = (0..systems).flat_map(|a| (a + 1..systems).map(move |b| (a, b)));
        let met = pairs.filter(|&(a, b)| tally.games(a, b) > 0.0);
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
                list.sort_unstable();
                list.dedup();
                list.reserve(list.len().max(1024));
            }
            list.push([row.a, row.b]);
        }
        list.sort_unstable();
        list.dedup();
        Pairs {
            systems: data.systems(),
            list,
        }
    }

    /// All that was won in these pairs.
    pub(crate) fn sheet(&self, tally: &Tally) -> Sheet<'_> {
        let of = |&[a, b]: &[u16; 2]| {
            let (a, b) = (usize::from(a), usize::from(b));
            [tally.wins(a, b), tally.ties(a, b), tally.wins(b, a)]
        };
        Sheet {
            pairs: self,
            won: self.list.iter().map(of).collect(),
        }
    }

    /// The number of a pair that is there.
    pub(crate) fn number(&self, a: u16, b: u16) -> u32 {
        self.list.partition_point(|pair| *pair < [a, b]) as u32
    }
}

/// What was won in each pair: by the first system, tied, by the second.
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
        let cell = &mut self.won[pair as usize];
        cell.iter_mut()
            .zip(outcome)
            .for_each(|(sum, weight)| *sum += times * weight);
    }

    pub(crate) fn tally(&self) -> Tally {
        let mut tally = Tally::sized(self.pairs.systems);
        for ([a, b], [wins, ties, losses]) in self.pairs.list.iter().zip(&self.won) {
            tally.add_checked(usize::from(*a), usize::from(*b), *wins, *ties, *losses);
        }
        tally
    }
}
