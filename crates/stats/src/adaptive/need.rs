//! Which pairs the stopping rule still waits for.

use super::contest::Side;
use super::design::Adaptive;
use super::plan::Stop;
use std::cmp::Reverse;

impl Adaptive {
    /// The open pairs that must be decided for the stopping rule to be met, as far as is known.
    pub(super) fn needed(&self) -> Vec<usize> {
        match self.plan.stop {
            Stop::AllPairs => self.soonest(self.pairs.len()),
            Stop::Share(_) => self.soonest(self.target() - self.certificate.count()),
            Stop::Top(k) => self.crossing(k),
        }
    }

    /// Whether the stopping rule is met.
    pub(super) fn reached(&self) -> bool {
        match self.plan.stop {
            Stop::Top(k) => self.top_certified(k),
            _ => self.certificate.count() >= self.target(),
        }
    }

    /// How many pairs must be certified.
    fn target(&self) -> usize {
        match self.plan.stop {
            // A product a rounding above a whole number means that number.
            Stop::Share(share) => (share * self.pairs.len() as f64 - 1e-9).ceil() as usize,
            _ => self.pairs.len(),
        }
    }

    /// The open pairs that are expected to be decided first.
    fn soonest(&self, count: usize) -> Vec<usize> {
        let bar = self.certificate.bar();
        let places = |pair: usize| self.contests[pair].places_needed(self.pair_order(pair), bar);
        let open = (0..self.pairs.len()).filter(|&pair| self.open(pair));
        let mut open: Vec<(f64, usize)> = open.map(|pair| (places(pair), pair)).collect();
        open.sort_by(|x, y| x.0.total_cmp(&y.0));
        open.into_iter().take(count).map(|(_, pair)| pair).collect()
    }

    /// The open pairs of a system that seems to be among the first k and one that does not.
    fn crossing(&self, k: usize) -> Vec<usize> {
        let ahead = |pair: usize| if self.contests[pair].sum >= 0.0 { Side::First } else { Side::Second };
        let top = self.top(k, |pair| Some(self.certificate.side(pair).unwrap_or(ahead(pair))));
        let across = |pair: usize| top[self.pairs[pair].0] != top[self.pairs[pair].1];
        (0..self.pairs.len()).filter(|&pair| self.open(pair) && across(pair)).collect()
    }

    /// Whether a system is one of the k that win most pairs; of equal ones the smaller number goes first.
    fn top(&self, k: usize, side: impl Fn(usize) -> Option<Side>) -> Vec<bool> {
        let mut wins = vec![0usize; self.plan.systems];
        for (pair, &(a, b)) in self.pairs.iter().enumerate() {
            let winner = side(pair).map(|side| if side == Side::First { a } else { b });
            winner.into_iter().for_each(|system| wins[system] += 1);
        }
        let mut order: Vec<usize> = (0..wins.len()).collect();
        order.sort_by_key(|&system| Reverse(wins[system]));
        let mut top = vec![false; wins.len()];
        order.into_iter().take(k).for_each(|system| top[system] = true);
        top
    }

    /// Were each of k systems certified above each of the others, they would be the k that win most certified pairs.
    fn top_certified(&self, k: usize) -> bool {
        let top = self.top(k, |pair| self.certificate.side(pair));
        let decided = |(pair, &(a, b)): (usize, &(usize, usize))| match self.certificate.side(pair) {
            _ if top[a] == top[b] => true,
            Some(Side::First) => top[a],
            Some(Side::Second) => top[b],
            None => false,
        };
        self.pairs.iter().enumerate().all(decided)
    }
}
