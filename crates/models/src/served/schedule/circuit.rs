//! The whole run pauses while nothing gets through.
//!
//! A pause is for a server that answers nobody. Whether it is one, no single prompt can tell: a
//! server may fail at some prompts for ever, and answer all others. So the prompts take turns,
//! those first that were never sent. Where the fault says nothing of how much there is to do, a
//! round of probes goes on at once with another prompt, up to [`ROUND`] of them.

use super::health::{FIRST_WAIT, LONGEST_WAIT};
use super::{Fault, FaultKind};
use std::time::Duration;

/// The most prompts that are tried in one round, one after the other. Ten rounds come in less than
/// six minutes: 320 prompts, of which one that is answered is enough.
pub(super) const ROUND: u32 = 32;

/// Open (nothing is sent but probes) while every endpoint is set aside.
#[derive(Debug, Default)]
pub(super) struct Circuit {
    open: Option<Open>,
    /// Rounds of probes so far, in all pauses.
    rounds: u64,
}

#[derive(Debug)]
struct Open {
    since: Duration,
    wait: Duration,
    probe_at: Duration,
    /// Probes of the present round that failed.
    failed: u32,
    fault: Fault,
    /// The endpoint of that fault.
    endpoint: usize,
    /// The kind of fault that the user was told last, and in which round.
    told: FaultKind,
    told_in: u64,
    first_round: u64,
}

impl Circuit {
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(super) fn start_pause(&mut self, fault: &Fault, endpoint: usize, now: Duration) {
        self.rounds += 1;
        self.open = Some(Open {
            since: now,
            wait: FIRST_WAIT,
            probe_at: now.saturating_add(FIRST_WAIT),
            failed: 0,
            fault: fault.clone(),
            endpoint,
            told: fault.kind,
            told_in: 0,
            first_round: self.rounds,
        });
    }

    /// Ends the pause, since something got through, and returns how long it was, if there was one.
    pub(super) fn end_pause(&mut self, now: Duration) -> Option<Duration> {
        self.open.take().map(|open| now.saturating_sub(open.since))
    }

    /// Records that a probe failed, and returns whether it is waited before the next: always where
    /// the run does not pause.
    pub(super) fn probe_failed(&mut self, fault: &Fault, endpoint: usize, now: Duration) -> bool {
        let Some(open) = &mut self.open else {
            return true;
        };
        open.failed += 1;
        (open.fault, open.endpoint) = (fault.clone(), endpoint);
        let goes_on = fault.kind.is_chance() && open.failed < ROUND;
        if goes_on {
            open.probe_at = now;
        } else {
            self.end_round(now);
        }
        !goes_on
    }

    /// Ends a round of probes that nobody answered: the next comes after twice the wait.
    pub(super) fn end_round(&mut self, now: Duration) {
        if let Some(open) = &mut self.open {
            self.rounds += 1;
            open.failed = 0;
            open.wait = (open.wait * 2).min(LONGEST_WAIT);
            open.probe_at = now.saturating_add(open.wait);
        }
    }

    /// Whether the user is to be told that probes fail in another way than was said; no more than
    /// once a round, since each prompt may fail in its own way.
    pub(super) fn tells_fault(&mut self, kind: FaultKind) -> bool {
        let round = self.rounds;
        let open = self.open.as_mut();
        let news = open.filter(|open| open.told != kind && open.told_in != round);
        let Some(open) = news else {
            return false;
        };
        (open.told, open.told_in) = (kind, round);
        true
    }

    /// Returns the number of the present round of probes, from 1.
    pub(super) fn round(&self) -> u64 {
        self.rounds
    }

    /// Returns the number of the first round of this pause.
    pub(super) fn first_round(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.first_round)
    }

    pub(super) fn probe_at(&self) -> Option<Duration> {
        self.open.as_ref().map(|open| open.probe_at)
    }

    /// Returns when the pause will have lasted for `longest`.
    pub(super) fn ends_at(&self, longest: Option<Duration>) -> Option<Duration> {
        Some(self.open.as_ref()?.since.saturating_add(longest?))
    }

    /// Returns how long the pause has lasted, and the fault that was seen last and where.
    pub(super) fn current_pause(&self, now: Duration) -> Option<(Duration, &Fault, usize)> {
        let open = self.open.as_ref()?;
        Some((now.saturating_sub(open.since), &open.fault, open.endpoint))
    }
}
