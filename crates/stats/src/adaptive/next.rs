//! What to judge next.

use super::design::Adaptive;
use super::plan::{Allocation, Setting, Unit, Wanted};

impl Adaptive {
    /// At most `batch` judgments to make next; none when it is finished, or when the batch is 0.
    pub fn next(&self, batch: usize) -> Vec<Wanted> {
        if self.finished().is_some() {
            return Vec::new();
        }
        let left = self.plan.budget.map_or(u64::MAX, |budget| budget.saturating_sub(self.judged()));
        let batch = batch.min(usize::try_from(left).unwrap_or(usize::MAX));
        let units = self.active();
        let mut ahead: Vec<usize> = self.outcomes.iter().map(Vec::len).collect();
        (0..batch).map_while(|_| self.least_ahead(&units, &mut ahead)).collect()
    }

    /// Of some units the one that has been judged on the fewest items; it is then one further ahead.
    fn least_ahead(&self, units: &[usize], ahead: &mut [usize]) -> Option<Wanted> {
        let free = units.iter().copied().filter(|&unit| ahead[unit] < self.plan.order(unit).len());
        let unit = free.min_by_key(|&unit| ahead[unit])?;
        let place = ahead[unit];
        ahead[unit] += 1;
        Some(Wanted { unit: self.unit(unit), place, item: self.plan.order(unit).places()[place].item })
    }

    fn unit(&self, unit: usize) -> Unit {
        match &self.plan.setting {
            Setting::Arms(_) => Unit::System(unit),
            Setting::Pairs(_) => Unit::Pair(self.pairs[unit].0, self.pairs[unit].1),
        }
    }

    /// The units that are to go on.
    fn active(&self) -> Vec<usize> {
        let needed = match self.plan.allocation {
            Allocation::Uniform => return (0..self.plan.units()).collect(),
            Allocation::Undecided => (0..self.pairs.len()).filter(|p| self.open(*p)).collect(),
            Allocation::Adaptive => self.needed(),
            Allocation::Greedy => self.needed().into_iter().take(1).collect(),
        };
        match &self.plan.setting {
            Setting::Arms(_) => {
                let mut systems: Vec<usize> = needed.iter().flat_map(|&pair| [self.pairs[pair].0, self.pairs[pair].1]).collect();
                systems.sort_unstable();
                systems.dedup();
                systems
            }
            Setting::Pairs(_) => needed,
        }
    }
}
