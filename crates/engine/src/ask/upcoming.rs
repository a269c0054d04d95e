//! The trials that are still to be begun: in the order of the plan, but for some that are begun
//! before their turn.

use evenhand_core::Trial;
use std::collections::VecDeque;

/// The others are looked for among so many trials.
const FAR: usize = 16_384;

/// Trials that were not begun.
pub(crate) struct Upcoming<Trials> {
    /// To be begun first, before their turn.
    early: VecDeque<Trial>,
    /// Those between them, in order.
    between: VecDeque<Trial>,
    rest: Trials,
}

impl<Trials: Iterator<Item = Trial>> Upcoming<Trials> {
    pub(crate) fn new(trials: Trials) -> Self {
        Upcoming {
            early: VecDeque::new(),
            between: VecDeque::new(),
            rest: trials,
        }
    }

    /// Whether the next trial is one whose turn [`Upcoming::spread`] gave back.
    pub(crate) fn is_spread(&self) -> bool {
        !(self.early.is_empty() && self.between.is_empty())
    }

    /// Puts so many trials first, as far apart as they can be. Returns the numbers of all trials
    /// that were looked at for that, in order: their turns.
    pub(crate) fn spread(&mut self, count: usize) -> Vec<u64> {
        let far: Vec<Trial> = self.rest.by_ref().take(FAR).collect();
        let turns = far.iter().map(|trial| trial.index).collect();
        let step = far.len().div_ceil(count.max(1)).max(1);
        for (at, trial) in far.into_iter().enumerate() {
            match at % step {
                0 => self.early.push_back(trial),
                _ => self.between.push_back(trial),
            }
        }
        turns
    }
}

impl<Trials: Iterator<Item = Trial>> Iterator for Upcoming<Trials> {
    type Item = Trial;

    fn next(&mut self) -> Option<Trial> {
        let drawn = self.early.pop_front().or_else(|| self.between.pop_front());
        drawn.or_else(|| self.rest.next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(index: u64) -> Trial {
        Trial {
            index,
            item: 0,
            systems: Vec::new(),
            replicate: 0,
        }
    }

    #[test]
    fn those_far_apart_come_first_and_none_is_lost() {
        let mut upcoming = Upcoming::new((0..10).map(trial));
        assert_eq!(upcoming.next().map(|trial| trial.index), Some(0));
        assert_eq!(upcoming.spread(3), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let order: Vec<u64> = upcoming.map(|trial| trial.index).collect();
        assert_eq!(order, [1, 4, 7, 2, 3, 5, 6, 8, 9]);
    }

    #[test]
    fn of_fewer_than_are_wanted_all_come_in_order() {
        let mut upcoming = Upcoming::new((0..4).map(trial));
        upcoming.spread(140);
        let order: Vec<u64> = upcoming.map(|trial| trial.index).collect();
        assert_eq!(order, [0, 1, 2, 3]);
    }
}
