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
    waiting: usize,
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
    pub(super) fn len(&self) -> usize {
        self.waiting
    }

    pub(super) fn push(&mut self, prefix: u64, call: u64) {
        let group = self
            .by_prefix
            .get(&prefix)
            .copied()
            .unwrap_or_else(|| self.open(prefix));
        if let Some(group) = self.groups.get_mut(group) {
            group.calls.push_back(call);
            self.waiting += 1;
        }
    }

    /// The place of the group to take from, and the endpoint that served it last: the first of
    /// those at the front that `suits`, else the very first.
    pub(super) fn pick(
        &self,
        suits: impl Fn(Option<usize>) -> bool,
    ) -> Option<(usize, Option<usize>)> {
        let home = |place: usize| {
            self.order
                .get(place)
                .and_then(|group| self.groups.get(*group))
                .and_then(|group| group.home)
        };
        let look = if self.passed < PATIENCE {
            LOOK.min(self.order.len())
        } else {
            0
        };
        let place = (0..look).find(|place| suits(home(*place))).unwrap_or(0);
        (!self.order.is_empty()).then(|| (place, home(place)))
    }

    /// Takes the first call of the group at a place, for an endpoint.
    pub(super) fn take(&mut self, place: usize, endpoint: usize) -> Option<u64> {
        let index = *self.order.get(place)?;
        let others = self.order.len() > 1;
        let group = self.groups.get_mut(index)?;
        let call = group.calls.pop_front()?;
        group.home = Some(endpoint);
        group.run += 1;
        let (empty, turn) = (group.calls.is_empty(), group.run >= RUN && others);
        self.waiting -= 1;
        self.passed = if place == 0 { 0 } else { self.passed + 1 };
        if empty {
            self.close(place)
        } else if turn {
            self.send_back(place)
        }
        Some(call)
    }

    /// Takes out one call, wherever it is in its group.
    pub(super) fn remove(&mut self, prefix: u64, call: u64) {
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
        if group.calls.is_empty() {
            self.order
                .iter()
                .position(|one| *one == index)
                .into_iter()
                .for_each(|place| self.close(place));
        }
    }

    /// How many calls wait whose prefix was served by an endpoint last.
    pub(super) fn at_home(&self, endpoint: usize) -> usize {
        self.order
            .iter()
            .filter_map(|group| self.groups.get(*group))
            .filter(|group| group.home == Some(endpoint))
            .map(|group| group.calls.len())
            .sum()
    }

    fn open(&mut self, prefix: u64) -> usize {
        let home = self.homes.of(prefix);
        let index = self.unused.pop().unwrap_or(self.groups.len());
        match self.groups.get_mut(index) {
            Some(group) => (group.prefix, group.home, group.run) = (prefix, home, 0),
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

    fn close(&mut self, place: usize) {
        let Some(index) = self.order.remove(place) else {
            return;
        };
        let Some(group) = self.groups.get(index) else {
            return;
        };
        self.by_prefix.remove(&group.prefix);
        self.homes.remember(group.prefix, group.home);
        self.unused.push(index);
    }

    fn send_back(&mut self, place: usize) {
        let Some(index) = self.order.remove(place) else {
            return;
        };
        self.order.push_back(index);
        self.groups
            .get_mut(index)
            .into_iter()
            .for_each(|group| group.run = 0);
    }
}

/// Which endpoint served a prefix last, for the latest prefixes.
#[derive(Debug, Default)]
struct Homes {
    by_prefix: Map<usize>,
    order: VecDeque<u64>,
}

impl Homes {
    fn of(&self, prefix: u64) -> Option<usize> {
        self.by_prefix.get(&prefix).copied()
    }

    fn remember(&mut self, prefix: u64, home: Option<usize>) {
        let Some(home) = home else { return };
        if self.by_prefix.insert(prefix, home).is_none() {
            self.order.push_back(prefix);
        }
        let oldest = if self.order.len() > REMEMBERED {
            self.order.pop_front()
        } else {
            None
        };
        if let Some(oldest) = oldest {
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
            .for_each(|(prefix, call)| queue.push(*prefix, *call));
        queue
    }

    fn drain(queue: &mut Queue, endpoint: usize) -> Vec<u64> {
        std::iter::from_fn(|| {
            queue.take(
                queue.pick(|home| home.is_none_or(|h| h == endpoint))?.0,
                endpoint,
            )
        })
        .collect()
    }

    #[test]
    fn calls_of_one_prefix_go_one_after_the_other() {
        let mut queue = queue(&[(7, 1), (8, 2), (7, 3), (9, 4), (8, 5)]);
        assert_eq!(queue.len(), 5);
        assert_eq!(drain(&mut queue, 0), [1, 3, 2, 5, 4]);
        assert_eq!(queue.len(), 0);
    }

    #[test]
    fn a_prefix_comes_back_to_the_endpoint_that_served_it() {
        let mut queue = queue(&[(7, 1), (8, 2)]);
        assert_eq!(drain(&mut queue, 3), [1, 2]);
        queue.push(7, 3);
        queue.push(9, 4);
        assert_eq!(queue.pick(|home| home.is_none()), Some((1, None)));
        assert_eq!(queue.pick(|_| false), Some((0, Some(3))));
        assert_eq!(queue.at_home(3), 1);
    }

    #[test]
    fn a_long_prefix_does_not_keep_the_others_out() {
        let mut queue = Queue::default();
        (0..1000).for_each(|call| queue.push(1, call));
        queue.push(2, 5000);
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
        (1..200).for_each(|call| queue.push(2, call));
        assert_eq!(
            drain(&mut queue, 0).iter().position(|call| *call == 0),
            Some(PATIENCE as usize)
        );
    }

    #[test]
    fn a_call_can_be_taken_out() {
        let mut queue = queue(&[(7, 1), (7, 2), (8, 3)]);
        queue.remove(7, 1);
        queue.remove(8, 3);
        queue.remove(8, 3);
        assert_eq!((queue.len(), drain(&mut queue, 0)), (1, vec![2]));
    }

    #[test]
    fn only_the_latest_prefixes_are_remembered() {
        let mut queue = Queue::default();
        for prefix in 0..REMEMBERED as u64 + 10 {
            queue.push(prefix, prefix);
            drain(&mut queue, 0);
        }
        assert_eq!(
            (
                queue.homes.by_prefix.len(),
                queue.homes.of(9),
                queue.homes.of(10)
            ),
            (REMEMBERED, None, Some(0))
        );
        assert_eq!(queue.groups.len(), 1);
    }
}
