//! The next judgments.

use super::design::Adaptive;
use super::plan::{Allocation, Layout, Unit, Wanted};
use crate::index::{distinct, saturating_size};

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
        let units = self.active_units();
        let mut ahead: Vec<usize> = self.outcomes.iter().map(Vec::len).collect();
        (0..batch.min(self.judgments_left()))
            .map_while(|_| self.take_least_ahead(&units, &mut ahead))
            .collect()
    }

    /// How many judgments the budget allows.
    fn judgments_left(&self) -> usize {
        let budget = self.plan.budget.unwrap_or(u64::MAX);
        saturating_size(budget.saturating_sub(self.judged()))
    }

    /// Of some units the one that has been judged on the fewest items; it is then one further
    /// ahead.
    fn take_least_ahead(&self, units: &[usize], ahead: &mut [usize]) -> Option<Wanted> {
        let has_places = |unit: &&usize| ahead[**unit] < self.plan.order(**unit).len();
        let free = units.iter().filter(has_places);
        let unit = *free.min_by_key(|&&unit| ahead[unit])?;
        let wanted = self.judgment_at(unit, ahead[unit]);
        ahead[unit] += 1;
        Some(wanted)
    }

    fn judgment_at(&self, unit: usize, place: usize) -> Wanted {
        Wanted {
            unit: self.unit_at(unit),
            place,
            item: self.plan.order(unit).places()[place].item,
        }
    }

    fn unit_at(&self, unit: usize) -> Unit {
        match &self.plan.layout {
            Layout::Arms(_) => Unit::System(unit),
            Layout::Pairs(_) => Unit::Pair(self.pairs[unit].0, self.pairs[unit].1),
        }
    }

    /// The units that are to go on.
    fn active_units(&self) -> Vec<usize> {
        match self.plan.allocation {
            Allocation::Uniform => (0..self.plan.units()).collect(),
            Allocation::Adaptive => self.needed_units(),
        }
    }

    /// The units that decide the pairs still needed, each once: a system is in many pairs.
    fn needed_units(&self) -> Vec<usize> {
        let pairs = self.needed_pairs().into_iter();
        distinct(pairs.flat_map(|pair| self.units_of(pair)).collect())
    }
}
