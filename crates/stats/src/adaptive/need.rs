//! Which pairs the stopping rule still waits for.

use super::choice::Choice;
use super::design::Adaptive;
use super::plan::{Layout, StopRule};
use crate::index::count_for_share;

impl Adaptive {
    /// The open pairs to be decided for the stopping rule to be met, as far as is known.
    pub(super) fn needed_pairs(&self) -> Vec<usize> {
        match self.plan.stop {
            StopRule::AllPairs => self.open_pairs(),
            StopRule::Share(_) => {
                let missing = self.target_count().saturating_sub(self.certificate.count());
                self.cheapest_pairs(missing)
            }
            StopRule::Top(k) => self.crossing_pairs(k),
        }
    }

    /// Whether the stopping rule is met.
    pub(super) fn is_certain(&self) -> bool {
        match self.plan.stop {
            StopRule::Top(k) => self.is_top_certified(k),
            _ => self.certificate.count() >= self.target_count(),
        }
    }

    pub(super) fn open_pairs(&self) -> Vec<usize> {
        (0..self.pairs.len())
            .filter(|&pair| self.is_open(pair))
            .collect()
    }

    /// The units whose judgments decide a pair.
    pub(super) fn units_of(&self, pair: usize) -> Vec<usize> {
        match self.plan.layout {
            Layout::Arms(_) => vec![self.pairs[pair].0, self.pairs[pair].1],
            Layout::Pairs(_) => vec![pair],
        }
    }

    /// How many pairs must be certified.
    fn target_count(&self) -> usize {
        match self.plan.stop {
            StopRule::Share(share) => count_for_share(share, self.pairs.len()) as usize,
            _ => self.pairs.len(),
        }
    }

    /// As many open pairs as asked for, chosen so that few judgments decide them.
    fn cheapest_pairs(&self, count: usize) -> Vec<usize> {
        let bar = self.certificate.bar();
        let mut choice = Choice::new(self.pairs.len(), self.outcomes.iter().map(Vec::len));
        for pair in self.open_pairs() {
            let places = self.contests[pair].places_needed(self.pair_order(pair), bar);
            choice.add_pair(pair, places, &self.units_of(pair));
        }
        choice.reduce_to(count)
    }
}
