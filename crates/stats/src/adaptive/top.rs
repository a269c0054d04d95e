//! Which k systems are the best, as far as is known.

use super::contest::Side;
use super::design::Adaptive;
use std::cmp::Reverse;

impl Adaptive {
    /// The open pairs of a system that seems to be among the first k and one that does not; where
    /// these are all decided without being certified to be the first k, all open pairs.
    pub(super) fn crossing_pairs(&self, k: usize) -> Vec<usize> {
        let top = self.find_top(k, |pair| {
            let certified = self.certificate.side(pair);
            certified.or(Some(self.side_ahead(pair)))
        });
        let crosses = |pair: usize| top[self.pairs[pair].0] != top[self.pairs[pair].1];
        let open = self.open_pairs();
        let crossing: Vec<usize> = open.iter().copied().filter(|&pair| crosses(pair)).collect();
        if crossing.is_empty() { open } else { crossing }
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
        let mut pairs = self.pairs.iter().enumerate();
        pairs.all(|(pair, &(a, b))| {
            let above = match self.certificate.side(pair) {
                Some(Side::First) => top[a],
                Some(Side::Second) => top[b],
                None => false,
            };
            above || top[a] == top[b]
        })
    }

    /// For each system whether it is one of the k that win most pairs, those with k certified
    /// defeats after all others; of equal ones the smaller number goes first.
    fn find_top(&self, k: usize, side: impl Fn(usize) -> Option<Side>) -> Vec<bool> {
        let (wins, defeats) = self.count_results(side);
        let mut order: Vec<usize> = (0..wins.len()).collect();
        order.sort_by_key(|&system| (defeats[system] >= k, Reverse(wins[system])));
        let mut top = vec![false; wins.len()];
        for &system in order.iter().take(k) {
            top[system] = true;
        }
        top
    }

    /// How many pairs each system wins, and how many of its defeats are certified.
    fn count_results(&self, side: impl Fn(usize) -> Option<Side>) -> (Vec<usize>, Vec<usize>) {
        let (mut wins, mut defeats) = (vec![0; self.plan.systems], vec![0; self.plan.systems]);
        for (pair, &(a, b)) in self.pairs.iter().enumerate() {
            let Some(side) = side(pair) else { continue };
            let (winner, loser) = if side == Side::First { (a, b) } else { (b, a) };
            wins[winner] += 1;
            defeats[loser] += usize::from(self.certificate.side(pair).is_some());
        }
        (wins, defeats)
    }
}
