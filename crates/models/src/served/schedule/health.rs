//! Whether an endpoint answers at all.

use super::FaultKind;
use std::collections::VecDeque;
use std::time::Duration;

/// So many calls in a row must fail, or half of the endpoint's limit if that is more, before it is
/// set aside: where three in ten fail by chance, that comes once in two million.
const STREAK: u32 = 12;
/// So many in a row, or half of the limit, for which no connection could be made; one where the
/// endpoint never answered yet.
const UNREACHABLE: u32 = 5;
/// Or nine in ten of the latest results: as many as the endpoint's limit, and from 20 to 512.
/// Faults come back sooner than replies, so that those of a whole round may come in a row.
const RECENT: std::ops::RangeInclusive<usize> = 20..=512;
pub(super) const FIRST_WAIT: Duration = Duration::from_secs(1);
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// After so many replies an endpoint that is set aside again waits for `FIRST_WAIT` again.
const STEADY: u32 = 100;

/// The latest results of an endpoint, and whether it is set aside.
///
/// It is set aside after a streak of lost connections, time-outs and server errors, after a shorter
/// one of connections that could not be made, or when nine in ten of its latest results are faults
/// that pass. Then it is probed with single calls, after 1 s, 2 s, 4 s, ... 60 s, until it answers
/// one.
#[derive(Clone, Debug, Default)]
pub(super) struct Health {
    streak: u32,
    /// Of these, those at the end for which no connection was made.
    unreachable: u32,
    /// The number of the present streak of faults.
    pub(super) streaks: u64,
    /// Whether it has ever answered.
    known: bool,
    /// Whether each of the latest results is a fault, the newest first.
    recent: VecDeque<bool>,
    replies: u32,
    wait: Duration,
    aside: Option<Aside>,
}

#[derive(Clone, Copy, Debug)]
struct Aside {
    since: Duration,
    until: Duration,
    probe: Option<u64>,
}

impl Health {
    pub(super) fn is_well(&self) -> bool {
        self.aside.is_none()
    }

    /// Returns when a probe may be sent; never while one is under way or the endpoint is well.
    pub(super) fn probe_at(&self) -> Option<Duration> {
        self.aside
            .filter(|aside| aside.probe.is_none())
            .map(|aside| aside.until)
    }

    pub(super) fn is_probing(&self) -> bool {
        self.aside.is_some_and(|aside| aside.probe.is_some())
    }

    pub(super) fn start_probe(&mut self, call: u64) {
        if let Some(aside) = &mut self.aside {
            aside.probe = Some(call);
        }
    }

    /// Records that the endpoint answered a call, and returns how long it had been set aside, if it
    /// is well again.
    ///
    /// While it is set aside only the answer to the probe counts: others were sent before.
    pub(super) fn record_answer(&mut self, call: u64, now: Duration) -> Option<Duration> {
        if self.aside.is_some_and(|aside| aside.probe != Some(call)) {
            return None;
        }
        self.streak = 0;
        self.unreachable = 0;
        self.known = true;
        self.streaks += 1;
        self.record_result(false);
        self.replies = self.replies.saturating_add(1);
        if self.replies == STEADY {
            self.wait = Duration::ZERO;
        }
        let aside = self.aside.take();
        aside.map(|aside| now.saturating_sub(aside.since))
    }

    /// Records that a call failed in a transient way. `again`: the call is in the streak already.
    ///
    /// A call that fails again and again says little about the endpoint unless no connection was
    /// made or it was too busy.
    pub(super) fn record_fault(&mut self, kind: FaultKind, again: bool) {
        use FaultKind::*;
        if !self.is_well() || again && !matches!(kind, Unreachable | Overloaded) {
            return;
        }
        self.record_result(true);
        self.streak += u32::from(matches!(kind, Unreachable | Connection | Timeout | Server));
        self.unreachable = if kind == Unreachable {
            self.unreachable + 1
        } else {
            0
        };
    }

    /// Whether at least a quarter of its latest results are answers: then a fault that comes by
    /// chance needs no long wait.
    pub(super) fn answers_some(&self, limit: u32) -> bool {
        let (faults, results) = self.count_latest(limit);
        self.is_well() && self.known && 4 * faults <= 3 * results
    }

    /// Returns the share of the latest results that are faults, drawn a little towards one half,
    /// while it [answers some](Health::answers_some).
    pub(super) fn fault_odds(&self, limit: u32) -> Option<f64> {
        let (faults, results) = self.count_latest(limit);
        self.answers_some(limit)
            .then(|| (faults as f64 + 1.0) / (results as f64 + 2.0))
    }

    /// Whether the endpoint, which may be given `limit` calls at once, should be set aside.
    pub(super) fn is_failing(&self, limit: u32) -> bool {
        let (faults, results) = self.count_latest(limit);
        let has_mostly_faults = results >= window_for(limit) && 10 * faults >= 9 * results;
        let most_unreachable = if self.known {
            UNREACHABLE.max(limit / 2)
        } else {
            1
        };
        self.is_well()
            && (has_mostly_faults
                || self.streak >= STREAK.max(limit / 2)
                || self.unreachable >= most_unreachable)
    }

    /// Sets the endpoint aside, and says for how long.
    pub(super) fn set_aside(&mut self, now: Duration) -> Duration {
        (self.streak, self.unreachable, self.replies) = (0, 0, 0);
        self.recent.clear();
        self.wait_longer();
        self.aside = Some(Aside {
            since: now,
            until: now.saturating_add(self.wait),
            probe: None,
        });
        self.wait
    }

    /// Records that the probe failed, if it was this call.
    pub(super) fn probe_failed(&mut self, call: u64, now: Duration) -> bool {
        let Some(mut aside) = self.aside.filter(|aside| aside.probe == Some(call)) else {
            return false;
        };
        self.wait_longer();
        (aside.probe, aside.until) = (None, now.saturating_add(self.wait));
        self.aside = Some(aside);
        true
    }

    /// Lets the next probe be sent at once.
    pub(super) fn probe_at_once(&mut self, now: Duration) {
        if let Some(aside) = &mut self.aside {
            aside.until = aside.until.min(now);
        }
    }

    fn wait_longer(&mut self) {
        self.wait = (self.wait * 2).clamp(FIRST_WAIT, LONGEST_WAIT);
    }

    fn record_result(&mut self, is_fault: bool) {
        self.recent.push_front(is_fault);
        self.recent.truncate(*RECENT.end());
    }

    /// Returns faults among the latest results, and how many of these there are.
    fn count_latest(&self, limit: u32) -> (usize, usize) {
        let latest = self.recent.iter().take(window_for(limit));
        (
            latest.clone().filter(|is_fault| **is_fault).count(),
            latest.count(),
        )
    }
}

fn window_for(limit: u32) -> usize {
    (limit as usize).clamp(*RECENT.start(), *RECENT.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    #[test]
    fn a_streak_of_twelve_calls_or_of_half_the_limit() {
        let mut health = Health::default();
        (0..11).for_each(|_| health.record_fault(FaultKind::Timeout, false));
        (0..9).for_each(|_| health.record_fault(FaultKind::Server, true));
        assert!(!health.is_failing(1));
        health.record_fault(FaultKind::Connection, false);
        assert!(health.is_failing(25) && !health.is_failing(26));
        health.record_answer(0, NOW);
        assert!(!health.is_failing(1));
    }

    #[test]
    fn five_calls_without_a_connection_or_half_the_limit_and_one_where_nobody_ever_answered() {
        let mut health = Health::default();
        health.record_fault(FaultKind::Server, false);
        assert!(!health.is_failing(512));
        health.record_fault(FaultKind::Unreachable, false);
        assert!(health.is_failing(512));
        health.record_answer(0, NOW);
        (0..4).for_each(|_| health.record_fault(FaultKind::Unreachable, true));
        assert!(!health.is_failing(1));
        health.record_fault(FaultKind::Unreachable, true);
        assert!(health.is_failing(11) && !health.is_failing(12));
        health.record_fault(FaultKind::Server, false);
        assert!(!health.is_failing(11), "somebody listens");
    }

    #[test]
    fn an_endpoint_answers_some_while_a_quarter_of_its_results_are_answers() {
        let mut health = Health::default();
        assert!(!health.answers_some(1), "nothing is known");
        health.record_answer(0, NOW);
        (0..3).for_each(|_| health.record_fault(FaultKind::Malformed, false));
        assert!(health.answers_some(1));
        health.record_fault(FaultKind::Malformed, false);
        assert!(!health.answers_some(1));
    }

    #[test]
    fn nine_in_ten_of_the_latest_results() {
        let mut health = Health::default();
        health.record_answer(0, NOW);
        health.record_answer(0, NOW);
        (0..17).for_each(|_| health.record_fault(FaultKind::Overloaded, true));
        assert!(!health.is_failing(1));
        health.record_fault(FaultKind::Overloaded, true);
        assert!(health.is_failing(20) && !health.is_failing(21));
        (0..491).for_each(|_| health.record_fault(FaultKind::Overloaded, true));
        assert!(!health.is_failing(1000));
        health.record_fault(FaultKind::Overloaded, true);
        assert!(health.is_failing(1000));
    }

    /// A round of 64 calls, of which 22 fail, and that sooner than the others are answered.
    #[test]
    fn the_faults_of_a_round_may_come_first() {
        let mut health = Health::default();
        (0..64).for_each(|call| _ = health.record_answer(call, NOW));
        (0..22).for_each(|_| health.record_fault(FaultKind::Connection, false));
        assert!(!health.is_failing(64) && health.answers_some(64));
    }

    #[test]
    fn probes_come_after_growing_waits() {
        let mut health = Health::default();
        health.set_aside(NOW);
        let mut waits = Vec::new();
        let mut now = NOW;
        for _ in 0..8 {
            let at = health.probe_at().unwrap();
            waits.push((at - now).as_secs());
            now = at;
            health.start_probe(3);
            assert!(
                health.is_probing() && health.probe_at().is_none() && !health.probe_failed(4, now)
            );
            assert!(health.probe_failed(3, now));
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
        health.start_probe(3);
        assert_eq!(health.record_answer(4, now), None);
        assert_eq!(health.record_answer(3, now), Some(now - NOW));
        assert!(health.is_well());
        assert_eq!(health.set_aside(now).as_secs(), 60);
        health.start_probe(3);
        health.record_answer(3, now);
        assert!((1..STEADY).all(|call| health.record_answer(u64::from(call), now).is_none()));
        assert_eq!(health.set_aside(now).as_secs(), 1);
    }
}
