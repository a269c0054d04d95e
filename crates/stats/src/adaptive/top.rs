//! Which k systems are the best, as far as is known.

use super::contest::Side;
use super::design::Adaptive;
use std::cmp::Reverse;

impl Adaptive {
    /// The open pairs of a system that seems to be among the first k and one that does not; where
    /// these are all decided without being certified to be the first k, all open pairs.
    pub(super) fn crossing(&self, k: usize) -> Vec<usize> {
        let ahead = |pair: usize| {
            if self.contests[pair].sum >= 0.0 {
                Side::First
            } else {
                Side::Second
            }
        };
        let top = self.top(k, |pair| {
            Some(self.certificate.side(pair).unwrap_or(ahead(pair)))
        });
        let across = |pair: &usize| top[self.pairs[*pair].0] != top[self.pairs[*pair].1];
        let open = self.open_pairs();
        let crossing: Vec<usize> = open.iter().copied().filter(across).collect();
        if crossing.is_empty() { open } else { crossing }
    }

    /// Whether k systems are certified above each of the others: they are then those that win most
    /// certified pairs.
    pub(super) fn top_certified(&self, k: usize) -> bool {
        let top = self.top(k, |pair| self.certificate.side(pair));
        let decided = |(pair, &(a, b)): (usize, &(usize, usize))| match self.certificate.side(pair)
        {
            _ if top[a] == top[b] => true,
            Some(Side::First) => top[a],
            Some(Side::Second) => top[b],
            None => false,
        };
        self.pairs.iter().enumerate().all(decided)
    }

    /// For each system whether it is one of the k that win most pairs, those with k certified
    /// defeats after all others; of equal ones the smaller number goes first.
    fn top(&self, k: usize, side: impl Fn(usize) -> Option<Side>) -> Vec<bool> {
        let (mut wins, mut defeats) = (
            vec![0usize; self.plan.systems],
            vec![0usize; self.plan.systems],
        );
        for (pair, &(a, b)) in self.pairs.iter().enumerate() {
            let Some(side) = side(pair) else { continue };
            let (winner, loser) = if side == Side::First { (a, b) } else { (b, a) };
            wins[winner] += 1;
            defeats[loser] += usize::from(self.certificate.side(pair).is_some());
        }
        let mut order: Vec<usize> = (0..wins.len()).collect();
        order.sort_by_key(|&system| (defeats[system] >= k, Reverse(wins[system])));
        let mut top = vec![false; wins.len()];
        order
            .into_iter()
            .take(k)
            .for_each(|system| top[system] = true);
        top
    }
}
