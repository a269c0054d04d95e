//! The next judgments, and the pairs that the stopping rule still waits for.

use super::choice::{Candidate, cheapest_pairs};
use super::contest::Leader;
use super::design::Adaptive;
use super::plan::{Allocation, Layout, StopRule, Unit, Wanted};
use crate::index::{count_for_share, distinct, saturating_size};
use std::cmp::Reverse;

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
                let bar = self.bar();
                let as_candidate = |pair: usize| Candidate {
                    pair,
                    units: self.units_of(pair),
                    places: self.contests[pair].places_needed(self.plan.order(pair), bar),
                };
                let ahead: Vec<usize> = self.outcomes.iter().map(Vec::len).collect();
                let open: Vec<_> = self.open_pairs().into_iter().map(as_candidate).collect();
                let missing = self.target_count().saturating_sub(self.certified);
                cheapest_pairs(&ahead, &open, missing)
            }
            StopRule::Top(k) => self.crossing_pairs(k),
        }
    }

    /// Whether the stopping rule is met.
    pub(super) fn is_certain(&self) -> bool {
        match self.plan.stop {
            StopRule::Top(k) => self.is_top_certified(k),
            _ => self.certified >= self.target_count(),
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

    /// The open pairs of a system that seems to be among the first k and one that does not; where
    /// these are all decided without being certified to be the first k, all open pairs.
    pub(super) fn crossing_pairs(&self, k: usize) -> Vec<usize> {
        // Who is certified to have the larger mean, or else has it so far.
        let likely_side = |pair: usize| match self.sides[pair] {
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
        let top = self.find_top(k, |pair| self.sides[pair]);
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
                certified_defeats[loser] += usize::from(self.sides[pair].is_some());
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
