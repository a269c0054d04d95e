//! Which k systems are the best, as far as is known.

use super::contest::Leader;
use super::design::Adaptive;
use std::cmp::Reverse;

impl Adaptive {
    /// The open pairs of a system that seems to be among the first k and one that does not; where
    /// these are all decided without being certified to be the first k, all open pairs.
    pub(super) fn crossing_pairs(&self, k: usize) -> Vec<usize> {
        // Who is certified to have the larger mean, or else has it so far.
        let likely_side = |pair: usize| match self.certificate.side(pair) {
            Some(side) => Some(side),
            None if self.contests[pair].sum >= 0.0 => Some(Leader::First),
            None => Some(Leader::Second),
        };
        let top = self.find_top(k, likely_side);
        let open = self.open_pairs();
        let crosses = |pair: &usize| self.is_across(*pair, &top);
        let crossing: Vec<usize> = open.iter().copied().filter(crosses).collect();
        if crossing.is_empty() { open } else { crossing }
    }

    /// Whether one system of a pair is on top and the other is not.
    fn is_across(&self, pair: usize, top: &[bool]) -> bool {
        let (a, b) = self.pairs[pair];
        top[a] != top[b]
    }

    /// Whether k systems are certified above each of the others: they are then those that win most
    /// certified pairs.
    pub(super) fn is_top_certified(&self, k: usize) -> bool {
        let top = self.find_top(k, |pair| self.certificate.side(pair));
        let mut across = (0..self.pairs.len()).filter(|&pair| self.is_across(pair, &top));
        across.all(|pair| {
            let order = self.certified_order(pair);
            order.is_some_and(|order| top[order.above])
        })
    }

    /// For each system whether it is one of the k that win most pairs; of equal ones the smaller
    /// number goes first. One with k certified defeats cannot be among the first k, and comes after
    /// all others.
    fn find_top(&self, k: usize, side: impl Fn(usize) -> Option<Leader>) -> Vec<bool> {
        let mut wins = vec![0; self.plan.systems];
        let mut certified_defeats = vec![0; self.plan.systems];
        for (pair, &systems) in self.pairs.iter().enumerate() {
            if let Some(side) = side(pair) {
                let (winner, loser) = side.put_first(systems);
                wins[winner] += 1;
                certified_defeats[loser] += usize::from(self.is_certified(pair));
            }
        }
        let mut order: Vec<usize> = (0..self.plan.systems).collect();
        order.sort_by_key(|&system| (certified_defeats[system] >= k, Reverse(wins[system])));
        let mut top = vec![false; self.plan.systems];
        for &system in &order[..k] {
            top[system] = true;
        }
        top
    }
}
