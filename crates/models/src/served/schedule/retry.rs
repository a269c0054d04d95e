//! The calls that failed and will be sent again.

use super::{Backoff, Settings};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

/// Retries, due and not yet due, and what may still be spent on them.
///
/// A retry is known by the number it got when it came in. The owner of the calls knows which
/// numbers still hold.
#[derive(Debug)]
pub(super) struct Retries {
    later: BinaryHeap<Reverse<(Duration, u64, u64)>>,
    due: VecDeque<(u64, u64)>,
    numbers: u64,
    /// How many calls wait to be sent again.
    pub(super) waiting: usize,
    backoff: Backoff,
    random: ChaCha8Rng,
    pub(super) budget: Budget,
}

/// Retries may be a share of all calls and a constant number beyond.
#[derive(Debug)]
pub(super) struct Budget {
    per_call: f64,
    spare: f64,
    spent: f64,
}

impl Budget {
    /// Takes one, if there is one left after so many calls were offered.
    pub(super) fn spend_one(&mut self, offered: u64) -> bool {
        let left = self.spent + 1.0 <= self.spare + self.per_call * offered as f64;
        if left {
            self.spent += 1.0;
        }
        left
    }

    pub(super) fn give_back(&mut self, retries: u32) {
        self.spent = (self.spent - f64::from(retries)).max(0.0);
    }
}

impl Retries {
    pub(super) fn new(settings: &Settings) -> Retries {
        Retries {
            later: BinaryHeap::new(),
            due: VecDeque::new(),
            numbers: 0,
            waiting: 0,
            backoff: settings.backoff.clone(),
            random: ChaCha8Rng::seed_from_u64(settings.seed),
            budget: Budget {
                per_call: settings.retries_per_call,
                spare: f64::from(settings.spare_retries),
                spent: 0.0,
            },
        }
    }

    /// Returns the wait after so many failed attempts, drawn anew; it is no longer than `most`.
    pub(super) fn draw_wait(&mut self, failed: u32, most: Option<Duration>) -> Duration {
        let longest = self.backoff.longest_wait(failed);
        let longest = most.map_or(longest, |most| most.min(longest));
        let share = f64::from(self.random.next_u32()) / 4_294_967_296.0;
        longest.mul_f64(share)
    }

    /// Keeps a call until it is due, and gives its number.
    pub(super) fn add_retry(&mut self, call: u64, due: Duration) -> u64 {
        self.numbers += 1;
        self.waiting += 1;
        self.later.push(Reverse((due, self.numbers, call)));
        self.numbers
    }

    /// Makes those that are due ready to be sent.
    pub(super) fn release_due(&mut self, now: Duration) {
        while let Some(Reverse((due, number, call))) = self.later.peek().copied()
            && due <= now
        {
            self.later.pop();
            self.due.push_back((number, call));
        }
    }

    /// Returns the call that has been due longest, with its number, among those that still hold.
    pub(super) fn first_due(&mut self, holds: impl Fn(u64, u64) -> bool) -> Option<u64> {
        while let Some((number, call)) = self.due.front().copied() {
            if holds(number, call) {
                return Some(call);
            }
            self.due.pop_front();
        }
        None
    }

    /// Takes the first out: it was sent.
    pub(super) fn take_first(&mut self) {
        self.waiting -= usize::from(self.due.pop_front().is_some());
    }

    /// Returns all that wait, with their numbers, in no order; some may hold no longer.
    pub(super) fn iter_waiting(&self) -> impl Iterator<Item = (u64, u64)> {
        let later = self
            .later
            .iter()
            .map(|Reverse((_, number, call))| (*number, *call));
        self.due.iter().copied().chain(later)
    }

    #[cfg(test)]
    pub(super) fn due_at(&self, number: u64) -> Option<Duration> {
        self.later
            .iter()
            .find(|Reverse((_, one, _))| *one == number)
            .map(|Reverse((due, _, _))| *due)
    }

    /// Counts one less: a call that waits came out another way.
    pub(super) fn forget_one(&mut self) {
        self.waiting = self.waiting.saturating_sub(1);
    }

    pub(super) fn next_due(&self) -> Option<Duration> {
        self.later.peek().map(|Reverse((due, _, _))| *due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retries() -> Retries {
        Retries::new(&Settings {
            spare_retries: 2,
            retries_per_call: 0.5,
            ..Settings::default()
        })
    }

    #[test]
    fn they_come_out_when_they_are_due() {
        let mut retries = retries();
        let at = Duration::from_millis;
        retries.add_retry(1, at(30));
        let gone = retries.add_retry(2, at(10));
        retries.add_retry(3, at(20));
        retries.forget_one();
        retries.release_due(at(20));
        assert_eq!(retries.first_due(|number, _| number != gone), Some(3));
        retries.take_first();
        assert_eq!(retries.first_due(|_, _| true), None);
        assert_eq!(retries.next_due(), Some(at(30)));
        assert_eq!(retries.waiting, 1);
    }

    #[test]
    fn waits_are_spread_evenly_from_zero_to_the_longest() {
        let mut retries = retries();
        let waits: Vec<f64> = (0..4000)
            .map(|_| retries.draw_wait(2, None).as_secs_f64())
            .collect();
        assert!(waits.iter().all(|wait| (0.0..1.0).contains(wait)));
        // The mean is 0.5 with a standard error of 1 / sqrt(12 * 4000) = 0.0046: five of them.
        assert!((waits.iter().sum::<f64>() / 4000.0 - 0.5).abs() < 0.023);
        let short = Duration::from_millis(3);
        assert!((0..100).all(|_| retries.draw_wait(5, Some(short)) < short));
        assert!(
            (0..100)
                .all(|_| retries.draw_wait(1, Some(Duration::MAX)) < Duration::from_millis(500))
        );
    }

    #[test]
    fn the_budget_is_a_share_of_the_calls_and_a_constant() {
        let mut retries = retries();
        assert_eq!((0..10).filter(|_| retries.budget.spend_one(7)).count(), 5); // 2 + 0.5 * 7
        retries.budget.give_back(3);
        assert_eq!((0..10).filter(|_| retries.budget.spend_one(7)).count(), 3);
    }
}
