//! The whole run pauses while nothing gets through.

use super::Fault;
use super::health::{FIRST_WAIT, LONGEST_WAIT};
use std::time::Duration;

/// Open (nothing is sent but probes) while every endpoint is set aside.
#[derive(Debug, Default)]
pub(super) struct Circuit {
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    since: Duration,
    wait: Duration,
    probe_at: Duration,
    fault: Fault,
}

impl Circuit {
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(super) fn start_pause(&mut self, fault: &Fault, now: Duration) {
        let probe_at = now.saturating_add(FIRST_WAIT);
        self.open = Some(Open {
            since: now,
            wait: FIRST_WAIT,
            probe_at,
            fault: fault.clone(),
        });
    }

    /// Ends the pause, since something got through, and returns how long it was, if there was one.
    pub(super) fn end_pause(&mut self, now: Duration) -> Option<Duration> {
        self.open.take().map(|open| now.saturating_sub(open.since))
    }

    /// Records that a probe failed: the next comes after twice the wait.
    pub(super) fn probe_failed(&mut self, fault: &Fault, now: Duration) {
        if let Some(open) = &mut self.open {
            open.wait = (open.wait * 2).min(LONGEST_WAIT);
            open.probe_at = now.saturating_add(open.wait);
            open.fault = fault.clone();
        }
    }

    pub(super) fn probe_at(&self) -> Option<Duration> {
        self.open.as_ref().map(|open| open.probe_at)
    }

    /// Returns when the pause will have lasted for `longest`.
    pub(super) fn ends_at(&self, longest: Option<Duration>) -> Option<Duration> {
        Some(self.open.as_ref()?.since.saturating_add(longest?))
    }

    /// Returns how long the pause has lasted, and the fault that was seen last.
    pub(super) fn current_pause(&self, now: Duration) -> Option<(Duration, &Fault)> {
        self.open
            .as_ref()
            .map(|open| (now.saturating_sub(open.since), &open.fault))
    }
}
