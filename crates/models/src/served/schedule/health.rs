//! Whether an endpoint answers at all.

use super::FaultKind;
use super::calls::Tries;
use std::collections::VecDeque;
use std::time::Duration;

/// So many calls in a row must fail, or half of the endpoint's limit if that is more, before it is
/// set aside: where three in ten fail by chance, that comes once in two million. Where more fail
/// though others are answered, it takes as many as come equally seldom.
const STREAK: u32 = 12;
const BY_CHANCE: f64 = 0.3;
/// The share of faults among calls that failed before, until more is known: it may be they that
/// fail.
const AGAIN: f64 = 0.9;
/// As many results count for what is taken for usual before more is known.
const PRIOR: f64 = 10.0;
/// Of about so many results, the latest, the share of faults is known.
const REMEMBERED: f64 = 256.0;
/// So many in a row, or half of the limit, for which no connection could be made; one where the
/// endpoint never answered yet.
const UNREACHABLE: u32 = 5;
/// Or nine in ten of the latest results: as many as the endpoint's limit, and from 20 to 512.
/// Faults come back sooner than replies, so that those of a whole round may come in a row. Of the
/// last endpoint that is well these must be faults of one that has too much to do, since one that
/// answers anybody is no reason to pause.
const RECENT: std::ops::RangeInclusive<usize> = 20..=512;
pub(super) const FIRST_WAIT: Duration = Duration::from_secs(1);
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// After so many replies an endpoint that is set aside again waits for `FIRST_WAIT` again.
const STEADY: u32 = 100;

/// The latest results of an endpoint, and whether it is set aside.
///
/// It is set aside after a streak of faults that pass, after a shorter one of connections that
/// could not be made, or when nine in ten of its latest results are faults. Then it is probed with
/// single calls, after 1 s, 2 s, 4 s, ... 60 s, until it answers one.
#[derive(Clone, Debug, Default)]
pub(super) struct Health {
    /// Faults in a row, each as far as it says something: one that is usual says little.
    streak: f64,
    /// How often calls fail while others are answered, and how often those do that failed before.
    shares: [Share; 2],
    /// The faults at the end for which no connection was made.
    unreachable: u32,
    /// The number of the present streak of faults.
    pub(super) streaks: u64,
    /// True once it has answered.
    known: bool,
    /// The latest results, the newest first.
    recent: VecDeque<Latest>,
    replies: u32,
    wait: Duration,
    aside: Option<Aside>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Latest {
    Answer,
    Chance,
    Pressure,
}

/// How often attempts fail, as far as answers to others show that the endpoint was there.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    faults: f64,
    results: f64,
    /// Faults since the last answer.
    open: f64,
}

impl Share {
    /// Returns how much one more fault in a row says, from 0 to 1: the logarithm of how often one
    /// comes by chance, by default so often.
    fn weight(&self, usual: f64) -> f64 {
        let share = (self.faults + usual * PRIOR) / (self.results + PRIOR);
        share.max(BY_CHANCE).ln() / BY_CHANCE.ln()
    }

    /// Counts the faults since the last answer, and so many answers.
    fn close(&mut self, answers: f64) {
        self.faults += self.open;
        self.results += self.open + answers;
        self.open = 0.0;
        if self.results > REMEMBERED {
            self.faults /= 2.0;
            self.results /= 2.0;
        }
    }
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

    /// True once it has answered.
    pub(super) fn is_known(&self) -> bool {
        self.known
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
    pub(super) fn record_answer(
        &mut self,
        call: u64,
        tries: Tries,
        now: Duration,
    ) -> Option<Duration> {
        if self.aside.is_some_and(|aside| aside.probe != Some(call)) {
            return None;
        }
        self.streak = 0.0;
        self.unreachable = 0;
        let is_first = tries == Tries::First;
        self.shares[0].close(f64::from(u8::from(is_first)));
        self.shares[1].close(f64::from(u8::from(!is_first)));
        self.known = true;
        self.streaks += 1;
        self.record_result(Latest::Answer);
        self.replies = self.replies.saturating_add(1);
        if self.replies == STEADY {
            self.wait = Duration::ZERO;
        }
        let aside = self.aside.take();
        aside.map(|aside| now.saturating_sub(aside.since))
    }

    /// Records that a call failed in a transient way.
    ///
    /// A call that fails again and again says little about the endpoint unless no connection was
    /// made or it was too busy; one that failed in an earlier session says nothing, unless the
    /// fault is of how much there is to do.
    pub(super) fn record_fault(&mut self, kind: FaultKind, tries: Tries) {
        use FaultKind::*;
        let is_again = tries == Tries::InStreak;
        if !self.is_well() || is_again && !matches!(kind, Unreachable | Overloaded) {
            return;
        }
        if tries == Tries::Known && kind.is_chance() {
            return;
        }
        self.record_result(match kind.is_pressure() || kind == Overloaded {
            true => Latest::Pressure,
            false => Latest::Chance,
        });
        self.unreachable = if kind == Unreachable {
            self.unreachable + 1
        } else {
            0
        };
        match kind {
            Overloaded => {}
            Unreachable => self.streak += 1.0,
            _ => {
                let share = self.share_of(tries);
                share.open += 1.0;
                self.streak += match tries {
                    Tries::First => share.weight(BY_CHANCE),
                    Tries::Later | Tries::InStreak | Tries::Known => share.weight(AGAIN),
                };
            }
        }
    }

    fn share_of(&mut self, tries: Tries) -> &mut Share {
        &mut self.shares[usize::from(tries != Tries::First)]
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

    /// Whether the endpoint, which may be given `limit` calls at once, should be set aside; `last`
    /// where no other is well.
    pub(super) fn is_failing(&self, limit: u32, last: bool) -> bool {
        let (mut faults, results) = self.count_latest(limit);
        if last {
            let latest = self.recent.iter().take(window_for(limit));
            faults = latest.filter(|one| **one == Latest::Pressure).count();
        }
        let has_mostly_faults = results >= window_for(limit) && 10 * faults >= 9 * results;
        let most_unreachable = if self.known {
            UNREACHABLE.max(limit / 2)
        } else {
            1
        };
        self.is_well()
            && (has_mostly_faults
                || self.streak + 1e-9 >= f64::from(STREAK.max(limit / 2))
                || self.unreachable >= most_unreachable)
    }

    /// Sets the endpoint aside, and says for how long.
    pub(super) fn set_aside(&mut self, now: Duration) -> Duration {
        (self.streak, self.unreachable, self.replies) = (0.0, 0, 0);
        self.recent.clear();
        // It may have been away all along. Where it answers the first that asks again, what failed
        // twice shows that it was not.
        self.shares[0].open = 0.0;
        self.wait_longer();
        self.aside = Some(Aside {
            since: now,
            until: now.saturating_add(self.wait),
            probe: None,
        });
        self.wait
    }

    /// Whether this call is the probe of an endpoint that is set aside.
    pub(super) fn is_probed_by(&self, call: u64) -> bool {
        self.aside.is_some_and(|aside| aside.probe == Some(call))
    }

    /// Records that the probe failed; the next one comes after twice the wait, or at once.
    pub(super) fn probe_failed(&mut self, tries: Tries, waits: bool, now: Duration) {
        if waits {
            self.wait_longer();
            self.shares.iter_mut().for_each(|share| share.open = 0.0);
        } else {
            // If the next is answered, the endpoint was there.
            self.share_of(tries).open += 1.0;
        }
        let wait = if waits { self.wait } else { Duration::ZERO };
        if let Some(aside) = &mut self.aside {
            (aside.probe, aside.until) = (None, now.saturating_add(wait));
        }
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

    fn record_result(&mut self, result: Latest) {
        self.recent.push_front(result);
        self.recent.truncate(*RECENT.end());
    }

    /// Returns faults among the latest results, and how many of these there are.
    fn count_latest(&self, limit: u32) -> (usize, usize) {
        let latest = self.recent.iter().take(window_for(limit));
        (
            latest.clone().filter(|one| **one != Latest::Answer).count(),
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
        (0..11).for_each(|_| health.record_fault(FaultKind::Timeout, Tries::First));
        (0..9).for_each(|_| health.record_fault(FaultKind::Server, Tries::InStreak));
        assert!(!health.is_failing(1, true));
        health.record_fault(FaultKind::Connection, Tries::First);
        assert!(health.is_failing(25, true) && !health.is_failing(26, true));
        health.record_answer(0, Tries::First, NOW);
        assert!(!health.is_failing(1, true));
    }

    #[test]
    fn five_calls_without_a_connection_or_half_the_limit_and_one_where_nobody_ever_answered() {
        let mut health = Health::default();
        health.record_fault(FaultKind::Server, Tries::First);
        assert!(!health.is_failing(512, true));
        health.record_fault(FaultKind::Unreachable, Tries::First);
        assert!(health.is_failing(512, true));
        health.record_answer(0, Tries::First, NOW);
        (0..4).for_each(|_| health.record_fault(FaultKind::Unreachable, Tries::InStreak));
        assert!(!health.is_failing(1, true));
        health.record_fault(FaultKind::Unreachable, Tries::InStreak);
        assert!(health.is_failing(11, true) && !health.is_failing(12, true));
        health.record_fault(FaultKind::Server, Tries::First);
        assert!(!health.is_failing(11, true), "somebody listens");
    }

    #[test]
    fn an_endpoint_answers_some_while_a_quarter_of_its_results_are_answers() {
        let mut health = Health::default();
        assert!(!health.answers_some(1), "nothing is known");
        health.record_answer(0, Tries::First, NOW);
        (0..3).for_each(|_| health.record_fault(FaultKind::Malformed, Tries::First));
        assert!(health.answers_some(1));
        health.record_fault(FaultKind::Malformed, Tries::First);
        assert!(!health.answers_some(1));
    }

    #[test]
    fn nine_in_ten_of_the_latest_results() {
        let mut health = Health::default();
        health.record_answer(0, Tries::First, NOW);
        health.record_answer(0, Tries::First, NOW);
        (0..17).for_each(|_| health.record_fault(FaultKind::Overloaded, Tries::InStreak));
        assert!(!health.is_failing(1, true));
        health.record_fault(FaultKind::Overloaded, Tries::InStreak);
        assert!(health.is_failing(20, true) && !health.is_failing(21, true));
        (0..491).for_each(|_| health.record_fault(FaultKind::Overloaded, Tries::InStreak));
        assert!(!health.is_failing(1000, true));
        health.record_fault(FaultKind::Overloaded, Tries::InStreak);
        assert!(health.is_failing(1000, true));
    }

    /// A round of 64 calls, of which 22 fail, and that sooner than the others are answered.
    #[test]
    fn the_faults_of_a_round_may_come_first() {
        let mut health = Health::default();
        (0..64).for_each(|call| _ = health.record_answer(call, Tries::First, NOW));
        (0..22).for_each(|_| health.record_fault(FaultKind::Connection, Tries::First));
        assert!(!health.is_failing(64, true) && health.answers_some(64));
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
            assert!(health.is_probing() && health.probe_at().is_none() && !health.is_probed_by(4));
            assert!(health.is_probed_by(3));
            health.probe_failed(Tries::First, true, now);
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
        health.start_probe(3);
        assert_eq!(health.record_answer(4, Tries::First, now), None);
        assert_eq!(health.record_answer(3, Tries::First, now), Some(now - NOW));
        assert!(health.is_well());
        assert_eq!(health.set_aside(now).as_secs(), 60);
        health.start_probe(3);
        health.record_answer(3, Tries::First, now);
        assert!((1..STEADY).all(|call| {
            health
                .record_answer(u64::from(call), Tries::First, now)
                .is_none()
        }));
        assert_eq!(health.set_aside(now).as_secs(), 1);
    }

    /// What is usual says little: half of all prompts fail, and all that failed before.
    #[test]
    fn a_streak_is_as_long_as_chance_does_not_explain() {
        let mut health = Health::default();
        for _ in 0..100 {
            health.record_fault(FaultKind::Server, Tries::First);
            health.record_fault(FaultKind::Server, Tries::Later);
            _ = health.record_answer(0, Tries::First, NOW);
        }
        // ln(0.3^12) / ln(0.5), about.
        (0..19).for_each(|_| health.record_fault(FaultKind::Server, Tries::First));
        assert!(!health.is_failing(1, true));
        (0..3).for_each(|_| health.record_fault(FaultKind::Server, Tries::First));
        assert!(health.is_failing(1, true));
        _ = health.record_answer(0, Tries::First, NOW);
        (0..200).for_each(|_| health.record_fault(FaultKind::Server, Tries::Later));
        assert!(!health.is_failing(1, true));
    }

    #[test]
    fn an_endpoint_that_answers_anybody_is_the_last_to_be_set_aside() {
        let mut health = Health::default();
        for _ in 0..40 {
            _ = health.record_answer(0, Tries::First, NOW);
            (0..11).for_each(|_| health.record_fault(FaultKind::Server, Tries::First));
        }
        assert!(health.is_failing(1, false) && !health.is_failing(1, true));
    }
}
