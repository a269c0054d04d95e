//! The next judgments, and the pairs that the stopping rule still waits for.

use super::choice::{Candidate, cheapest_pairs};
use super::design::Adaptive;
use super::plan::{Allocation, Layout, StopRule, Unit, Wanted};
use crate::index::{count_for_share, distinct, saturating_size};

impl Adaptive {
    /// At most `batch` judgments to make next; none when it is finished, or when the batch is 0.
    ///
    /// [`Allocation::Adaptive`] judges the units of the pairs that the stopping rule still waits
    /// for, always the one that has been judged on the fewest items:
    /// - [`StopRule::AllPairs`](super::StopRule::AllPairs): the pairs that are not certified. A
    ///   system stops when all of its are.
    /// - [`StopRule::Share`](super::StopRule::Share): of these as many as are missing, chosen by
    ///   how many places each is expected to need; a system that would go far for few of them is
    ///   left where it is.
    /// - [`StopRule::Top`](super::StopRule::Top): those between a system that seems to be among the
    ///   first k and one that does not.
    ///
    /// [`Allocation::Uniform`] judges all in turn. The smaller the batch, the fewer judgments are
    /// made in vain; the outcomes of a batch may be observed in any order that keeps each unit's
    /// places in theirs.
    pub fn next_judgments(&self, batch: usize) -> Vec<Wanted> {
        if self.stop_reason().is_some() {
            return Vec::new();
        }
        let units = match self.plan.allocation {
            Allocation::Uniform => (0..self.plan.units()).collect(),
            Allocation::Adaptive => {
                let pairs = self.needed_pairs().into_iter();
                // Each once: a system is in many pairs.
                distinct(pairs.flat_map(|pair| self.units_of(pair)).collect())
            }
        };
        let budget = self.plan.budget.unwrap_or(u64::MAX);
        let left = saturating_size(budget.saturating_sub(self.judged()));
        let mut ahead: Vec<usize> = self.outcomes.iter().map(Vec::len).collect();
        let mut wanted = Vec::new();
        for _ in 0..batch.min(left) {
            let has_places = |unit: &&usize| ahead[**unit] < self.plan.order(**unit).len();
            let free = units.iter().filter(has_places);
            let Some(&unit) = free.min_by_key(|&&unit| ahead[unit]) else {
                break;
            };
            let place = ahead[unit];
            wanted.push(Wanted {
                unit: match &self.plan.layout {
                    Layout::Arms(_) => Unit::System(unit),
                    Layout::Pairs(_) => Unit::Pair(self.pairs[unit].0, self.pairs[unit].1),
                },
                place,
                item: self.plan.order(unit).places()[place].item,
            });
            ahead[unit] += 1;
        }
        wanted
    }

    /// The open pairs to be decided for the stopping rule to be met, as far as is known.
    fn needed_pairs(&self) -> Vec<usize> {
        match self.plan.stop {
            StopRule::AllPairs => self.open_pairs(),
            StopRule::Share(_) => {
                let bar = self.certificate.bar();
                let as_candidate = |pair: usize| Candidate {
                    pair,
                    units: self.units_of(pair),
                    places: self.contests[pair].places_needed(self.plan.order(pair), bar),
                };
                let ahead: Vec<usize> = self.outcomes.iter().map(Vec::len).collect();
                let open: Vec<_> = self.open_pairs().into_iter().map(as_candidate).collect();
                let missing = self.target_count().saturating_sub(self.certificate.count());
                cheapest_pairs(&ahead, &open, missing)
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
    fn units_of(&self, pair: usize) -> Vec<usize> {
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
}
