//! The calls that wait for their first sending.

use super::calls::Map;
use std::collections::VecDeque;

/// So many calls of one prefix are sent one after the other while others wait; then the next prefix
/// has its turn.
pub(super) const RUN: u32 = 256;
/// So many calls may go past the prefix that has waited longest.
pub(super) const PATIENCE: u32 = 64;
/// Only so many prefixes from the front are looked at for one that suits.
const LOOK: usize = 16;
/// For so many prefixes that wait no more the last endpoint is remembered.
const REMEMBERED: usize = 16_384;

/// Calls in the order they came, those of one prefix together.
#[derive(Debug, Default)]
pub(super) struct Queue {
    groups: Vec<Group>,
    unused: Vec<usize>,
    by_prefix: Map<usize>,
    order: VecDeque<usize>,
    /// How many calls went past the first group.
    passed: u32,
    /// How many calls wait.
    pub(super) waiting: usize,
    homes: Homes,
}

#[derive(Debug, Default)]
struct Group {
    prefix: u64,
    calls: VecDeque<u64>,
    home: Option<usize>,
    run: u32,
}

impl Queue {
    pub(super) fn push_call(&mut self, prefix: u64, call: u64) {
        let known = self.by_prefix.get(&prefix).copied();
        let index = known.unwrap_or_else(|| self.open_group(prefix));
        if let Some(group) = self.groups.get_mut(index) {
            group.calls.push_back(call);
            self.waiting += 1;
        }
    }

    /// Returns the place of the group to take from, and the endpoint that served it last: the first
    /// of those at the front that `suits`, else the very first.
    pub(super) fn pick_group(
        &self,
        suits: impl Fn(Option<usize>) -> bool,
    ) -> Option<(usize, Option<usize>)> {
        if self.order.is_empty() {
            return None;
        }
        // Whoever has waited longest is passed only so often.
        let looked_at = if self.passed < PATIENCE {
            LOOK.min(self.order.len())
        } else {
            0
        };
        let mut front = 0..looked_at;
        let fitting = front.find(|place| suits(self.home_at(*place)));
        let place = fitting.unwrap_or(0);
        Some((place, self.home_at(place)))
    }

    /// Returns the endpoint that served the group at this place last.
    fn home_at(&self, place: usize) -> Option<usize> {
        let group = self.order.get(place)?;
        self.groups.get(*group)?.home
    }

    /// Takes the first call of the group at a place, for an endpoint that is the group's home from
    /// now on. A group that is empty is closed, and one that had its turn goes to the back.
    pub(super) fn take_call(&mut self, place: usize, endpoint: usize) -> Option<u64> {
        let index = *self.order.get(place)?;
        let group = self.groups.get_mut(index)?;
        let call = group.calls.pop_front()?;
        group.home = Some(endpoint);
        group.run += 1;
        self.waiting -= 1;
        self.passed = if place == 0 { 0 } else { self.passed + 1 };
        if group.calls.is_empty() {
            self.close_group(place);
        } else if group.run >= RUN && self.order.len() > 1 {
            group.run = 0;
            self.order.remove(place);
            self.order.push_back(index);
        }
        Some(call)
    }

    /// Takes out one call, wherever it is in its group.
    pub(super) fn remove_call(&mut self, prefix: u64, call: u64) {
        let Some(index) = self.by_prefix.get(&prefix).copied() else {
            return;
        };
        let Some(group) = self.groups.get_mut(index) else {
            return;
        };
        let Some(at) = group.calls.iter().position(|one| *one == call) else {
            return;
        };
        group.calls.remove(at);
        self.waiting -= 1;
        if group.calls.is_empty()
            && let Some(place) = self.order.iter().position(|one| *one == index)
        {
            self.close_group(place);
        }
    }

    /// Returns how many calls wait whose prefix was served by an endpoint last.
    pub(super) fn count_at_home(&self, endpoint: usize) -> usize {
        let groups = self.order.iter().filter_map(|at| self.groups.get(*at));
        let at_home = groups.filter(|group| group.home == Some(endpoint));
        at_home.map(|group| group.calls.len()).sum()
    }

    fn open_group(&mut self, prefix: u64) -> usize {
        let home = self.homes.find(prefix);
        let index = self.unused.pop().unwrap_or(self.groups.len());
        match self.groups.get_mut(index) {
            // Its list of calls is empty and keeps its memory.
            Some(unused) => {
                unused.prefix = prefix;
                unused.home = home;
                unused.run = 0;
            }
            None => self.groups.push(Group {
                prefix,
                home,
                ..Group::default()
            }),
        }
        self.by_prefix.insert(prefix, index);
        self.order.push_back(index);
        index
    }

    fn close_group(&mut self, place: usize) {
        let Some(index) = self.order.remove(place) else {
            return;
        };
        let Some(group) = self.groups.get(index) else {
            return;
        };
        self.by_prefix.remove(&group.prefix);
        self.homes.remember_home(group.prefix, group.home);
        self.unused.push(index);
    }
}

/// Which endpoint served a prefix last, for the latest prefixes.
#[derive(Debug, Default)]
struct Homes {
    by_prefix: Map<usize>,
    order: VecDeque<u64>,
}

impl Homes {
    fn find(&self, prefix: u64) -> Option<usize> {
        self.by_prefix.get(&prefix).copied()
    }

    fn remember_home(&mut self, prefix: u64, home: Option<usize>) {
        let Some(home) = home else { return };
        if self.by_prefix.insert(prefix, home).is_none() {
            self.order.push_back(prefix);
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_prefix.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(calls: &[(u64, u64)]) -> Queue {
        let mut queue = Queue::default();
        calls
            .iter()
            .for_each(|(prefix, call)| queue.push_call(*prefix, *call));
        queue
    }

    fn drain(queue: &mut Queue, endpoint: usize) -> Vec<u64> {
        std::iter::from_fn(|| {
            queue.take_call(
                queue
                    .pick_group(|home| home.is_none_or(|h| h == endpoint))?
                    .0,
                endpoint,
            )
        })
        .collect()
    }

    #[test]
    fn calls_of_one_prefix_go_one_after_the_other() {
        let mut queue = queue(&[(7, 1), (8, 2), (7, 3), (9, 4), (8, 5)]);
        assert_eq!(queue.waiting, 5);
        assert_eq!(drain(&mut queue, 0), [1, 3, 2, 5, 4]);
        assert_eq!(queue.waiting, 0);
    }

    #[test]
    fn a_prefix_comes_back_to_the_endpoint_that_served_it() {
        let mut queue = queue(&[(7, 1), (8, 2)]);
        assert_eq!(drain(&mut queue, 3), [1, 2]);
        queue.push_call(7, 3);
        queue.push_call(9, 4);
        assert_eq!(queue.pick_group(|home| home.is_none()), Some((1, None)));
        assert_eq!(queue.pick_group(|_| false), Some((0, Some(3))));
        assert_eq!(queue.count_at_home(3), 1);
    }

    #[test]
    fn a_long_prefix_does_not_keep_the_others_out() {
        let mut queue = Queue::default();
        (0..1000).for_each(|call| queue.push_call(1, call));
        queue.push_call(2, 5000);
        let out = drain(&mut queue, 0);
        assert_eq!(
            out.iter().position(|call| *call == 5000),
            Some(RUN as usize)
        );
        assert_eq!(out.len(), 1001);
    }

    #[test]
    fn the_first_prefix_is_passed_by_so_many_and_no_more() {
        let mut queue = queue(&[(1, 0)]);
        queue.groups[0].home = Some(9);
        (1..200).for_each(|call| queue.push_call(2, call));
        assert_eq!(
            drain(&mut queue, 0).iter().position(|call| *call == 0),
            Some(PATIENCE as usize)
        );
    }

    #[test]
    fn a_call_can_be_taken_out() {
        let mut queue = queue(&[(7, 1), (7, 2), (8, 3)]);
        queue.remove_call(7, 1);
        queue.remove_call(8, 3);
        queue.remove_call(8, 3);
        assert_eq!((queue.waiting, drain(&mut queue, 0)), (1, vec![2]));
    }

    #[test]
    fn only_the_latest_prefixes_are_remembered() {
        let mut queue = Queue::default();
        for prefix in 0..REMEMBERED as u64 + 10 {
            queue.push_call(prefix, prefix);
            drain(&mut queue, 0);
        }
        assert_eq!(queue.homes.by_prefix.len(), REMEMBERED);
        assert_eq!(queue.homes.find(9), None);
        assert_eq!(queue.homes.find(10), Some(0));
        assert_eq!(queue.groups.len(), 1);
    }
}
