//! Which k systems are the best, as far as is known.

use super::contest::Side;
use super::design::Adaptive;
use std::cmp::Reverse;

impl Adaptive {
    /// The open pairs of a system that seems to be among the first k and one that does not; where
    /// these are all decided without being certified to be the first k, all open pairs.
    pub(super) fn crossing_pairs(&self, k: usize) -> Vec<usize> {
        let top = self.find_top(k, |pair| Some(self.likely_side(pair)));
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

    /// Who is certified to have the larger mean, or else has it so far.
    fn likely_side(&self, pair: usize) -> Side {
        let certified = self.certificate.side(pair);
        certified.unwrap_or_else(|| self.side_ahead(pair))
    }

    /// Who has the larger mean so far.
    fn side_ahead(&self, pair: usize) -> Side {
        if self.contests[pair].sum >= 0.0 {
            Side::First
        } else {
            Side::Second
        }
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

    /// For each system whether it is one of the k that win most pairs, those with k certified
    /// defeats after all others; of equal ones the smaller number goes first.
    fn find_top(&self, k: usize, side: impl Fn(usize) -> Option<Side>) -> Vec<bool> {
        self.count_results(side).find_top(k)
    }

    /// How many pairs each system wins, and how many of its defeats are certified.
    fn count_results(&self, side: impl Fn(usize) -> Option<Side>) -> Results {
        let mut results = Results::new(self.plan.systems);
        for (pair, &systems) in self.pairs.iter().enumerate() {
            if let Some(side) = side(pair) {
                results.add(side.put_first(systems), self.is_certified(pair));
            }
        }
        results
    }
}

/// How many pairs each system wins, and how many of its defeats are certified.
struct Results {
    wins: Vec<usize>,
    defeats: Vec<usize>,
}

impl Results {
    fn new(systems: usize) -> Results {
        Results {
            wins: vec![0; systems],
            defeats: vec![0; systems],
        }
    }

    fn add(&mut self, (winner, loser): (usize, usize), certified: bool) {
        self.wins[winner] += 1;
        self.defeats[loser] += usize::from(certified);
    }

    /// See [`Adaptive::find_top`].
    fn find_top(&self, k: usize) -> Vec<bool> {
        let mut top = vec![false; self.wins.len()];
        for system in self.first_systems(k) {
            top[system] = true;
        }
        top
    }

    /// The k best, the best first. A system with k certified defeats cannot be among the first k.
    fn first_systems(&self, k: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.wins.len()).collect();
        order.sort_by_key(|&system| (self.defeats[system] >= k, Reverse(self.wins[system])));
        order.truncate(k);
        order
    }
}
