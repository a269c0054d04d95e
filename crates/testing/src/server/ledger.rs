//! Who is let in, and the books about it. Pure: time comes in as an argument.

use super::draw::Draw;
use super::script::Script;
use super::{Fault, Stats};
use std::collections::HashMap;
use std::time::Duration;

/// The most bins that are kept.
const MOST_BINS: usize = 100_000;

/// The server's decision on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// The server has served its number of requests.
    Dead,
    /// The key is missing or another.
    Unauthorized,
    /// There are as many requests as there is room for.
    Rejected,
    /// Let in, as the attempt of this number for its body (from 1), to end in this fault if any.
    Attempt(u64, Option<Fault>),
}

#[derive(Clone, Copy, Debug, Default)]
struct Body {
    attempts: u32,
    replies: u32,
    /// When its first good reply was written, since the start.
    replied_at: Option<Duration>,
}

/// The books.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) stats: Stats,
    at_once: usize,
    bodies: HashMap<u64, Body>,
}

impl Ledger {
    pub(super) fn new(bin: Duration) -> Ledger {
        let stats = Stats {
            bin,
            ..Stats::default()
        };
        Ledger {
            stats,
            ..Ledger::default()
        }
    }

    /// Lets a request in, or not, at this time since the start.
    pub(super) fn admit(
        &mut self,
        script: &Script,
        key: Option<&str>,
        digest: u64,
        at: Duration,
    ) -> Admission {
        let requests = self.stats.requests;
        if script.die_after.is_some_and(|most| requests >= most) {
            return Admission::Dead;
        }
        self.stats.requests += 1;
        let wanted = script.require_key.as_deref();
        if wanted.is_some_and(|wanted| key != Some(wanted)) {
            self.stats.unauthorized += 1;
            return Admission::Unauthorized;
        }
        if script.capacity.is_some_and(|most| self.at_once >= most) {
            self.stats.rejected += 1;
            if let Some(bin) = self.find_bin(at) {
                bin.rejected += 1;
            }
            return Admission::Rejected;
        }
        self.at_once += 1;
        let at_once = self.at_once;
        self.stats.most_at_once = self.stats.most_at_once.max(at_once);
        if let Some(bin) = self.find_bin(at) {
            bin.accepted += 1;
            bin.most_at_once = bin.most_at_once.max(at_once);
        }
        let body = self.bodies.entry(digest).or_default();
        body.attempts += 1;
        let attempt = u64::from(body.attempts);
        if let Some(replied_at) = body.replied_at {
            let since = at.saturating_sub(replied_at);
            self.stats.asked_after_reply.push(since);
        }
        self.stats.distinct_bodies = self.bodies.len() as u64;
        let fault = draw_fault(script, digest, attempt);
        if let Some(fault) = fault {
            *self.stats.faults.entry(fault).or_default() += 1;
        }
        Admission::Attempt(attempt, fault)
    }

    fn find_bin(&mut self, at: Duration) -> Option<&mut super::Bin> {
        let index = (at.as_nanos() / self.stats.bin.as_nanos().max(1)) as usize;
        if index < MOST_BINS && index >= self.stats.bins.len() {
            self.stats.bins.resize(index + 1, super::Bin::default());
        }
        self.stats.bins.get_mut(index)
    }

    /// Makes room for another request, once one that was let in is over.
    pub(super) fn make_room(&mut self) {
        self.at_once = self.at_once.saturating_sub(1);
    }

    /// Records that a good reply to this body is about to be written. Booked before, so that
    /// whoever has read the reply finds it in the books.
    pub(super) fn record_reply(&mut self, digest: u64, at: Duration) {
        self.stats.replied += 1;
        let body = self.bodies.entry(digest).or_default();
        body.replies += 1;
        body.replied_at.get_or_insert(at);
        self.stats.bodies_replied_more_than_once += u64::from(body.replies == 2);
    }

    /// Takes a reply back that could not be written.
    pub(super) fn retract_reply(&mut self, digest: u64) {
        self.stats.replied -= 1;
        self.stats.unwritten += 1;
        let body = self.bodies.entry(digest).or_default();
        self.stats.bodies_replied_more_than_once -= u64::from(body.replies == 2);
        body.replies = body.replies.saturating_sub(1);
        if body.replies == 0 {
            body.replied_at = None;
        }
    }
}

/// Draws the fault in which this attempt ends, if any: a function of the seed, the body and the
/// attempt's number.
fn draw_fault(script: &Script, digest: u64, attempt: u64) -> Option<Fault> {
    let can_fail = script.faults > 0.0 && script.fault_attempts.is_none_or(|most| attempt <= most);
    let draw = Draw::new(script.seed, digest);
    let always_fails = script.failing > 0.0 && draw.uniform("failing", 0) < script.failing;
    if always_fails || can_fail && draw.uniform("fault", attempt) < script.faults {
        draw.pick("kind", attempt, &script.fault_kinds).copied()
    } else {
        None
    }
}

/// Draws how long the answer to this attempt takes.
pub(super) fn draw_latency(script: &Script, digest: u64, attempt: u64) -> Duration {
    if script.latency_jitter.is_zero() {
        return script.latency;
    }
    let share = Draw::new(script.seed, digest).uniform("latency", attempt);
    script.latency + script.latency_jitter.mul_f64(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    #[test]
    fn a_body_that_fails_always_fails_at_each_attempt_and_others_never_do() {
        let script = Script {
            failing: 0.3,
            fault_kinds: vec![Fault::TooMany],
            ..Script::default()
        };
        let fails = |body: u64, attempt| draw_fault(&script, body, attempt).is_some();
        let failing = (0..1000).filter(|body| fails(*body, 1)).count();
        assert!((250..350).contains(&failing), "{failing}");
        assert!((0..1000).all(|body| (2..9).all(|again| fails(body, again) == fails(body, 1))));
    }

    #[test]
    fn faults_have_their_share_and_are_drawn_anew_for_each_attempt() {
        let script = Script {
            faults: 0.3,
            fault_kinds: vec![Fault::TooMany, Fault::Html],
            ..Script::default()
        };
        let drawn: Vec<Option<Fault>> = (0..10_000)
            .map(|n| draw_fault(&script, n % 100, 1 + n / 100))
            .collect();
        let of = |kind| drawn.iter().filter(|fault| **fault == Some(kind)).count();
        assert!(
            (1_350..1_650).contains(&of(Fault::TooMany)),
            "{}",
            of(Fault::TooMany)
        );
        assert!(
            (1_350..1_650).contains(&of(Fault::Html)),
            "{}",
            of(Fault::Html)
        );
        assert!(
            drawn
                .chunks(100)
                .collect::<std::collections::HashSet<_>>()
                .len()
                == 100
        );
    }

    #[test]
    fn room_is_made_by_those_who_leave() {
        let script = Script {
            capacity: Some(2),
            ..Script::default()
        };
        let mut ledger = Ledger::new(Duration::from_millis(100));
        let admit =
            |ledger: &mut Ledger, at| ledger.admit(&script, None, 1, Duration::from_millis(at));
        assert_eq!(admit(&mut ledger, 0), Admission::Attempt(1, None));
        assert_eq!(admit(&mut ledger, 50), Admission::Attempt(2, None));
        assert_eq!(admit(&mut ledger, 99), Admission::Rejected);
        ledger.make_room();
        assert_eq!(admit(&mut ledger, 250), Admission::Attempt(3, None));
        let bins: Vec<_> = ledger
            .stats
            .bins
            .iter()
            .map(|bin| (bin.accepted, bin.rejected, bin.most_at_once))
            .collect();
        assert_eq!(bins, [(2, 1, 2), (0, 0, 0), (1, 0, 2)]);
        assert_eq!(
            (ledger.stats.requests, ledger.stats.distinct_bodies),
            (4, 1)
        );
    }

    #[test]
    fn what_was_paid_for_twice_is_known_and_a_reply_can_be_taken_back() {
        let mut ledger = Ledger::new(Duration::from_secs(1));
        [1, 1, 1, 2]
            .into_iter()
            .for_each(|digest| ledger.record_reply(digest, NOW));
        assert_eq!(
            (
                ledger.stats.replied,
                ledger.stats.bodies_replied_more_than_once
            ),
            (4, 1)
        );
        ledger.retract_reply(1);
        assert_eq!(ledger.stats.bodies_replied_more_than_once, 1);
        ledger.retract_reply(1);
        assert_eq!(
            (
                ledger.stats.replied,
                ledger.stats.bodies_replied_more_than_once
            ),
            (2, 0)
        );
    }

    #[test]
    fn what_is_asked_again_says_how_long_after_its_reply() {
        let mut ledger = Ledger::new(Duration::from_secs(1));
        let script = Script::default();
        let at = Duration::from_millis;
        let ask = |ledger: &mut Ledger, now| ledger.admit(&script, None, 1, at(now));
        ask(&mut ledger, 0);
        ask(&mut ledger, 50);
        ledger.record_reply(1, at(200));
        ledger.record_reply(1, at(250));
        ask(&mut ledger, 230);
        assert_eq!(ledger.stats.asked_after_reply, [at(30)]);
        ledger.retract_reply(1);
        ledger.retract_reply(1);
        ask(&mut ledger, 300);
        assert_eq!(ledger.stats.asked_after_reply, [at(30)]);
    }

    #[test]
    fn after_its_number_of_requests_the_server_is_dead_and_without_the_key_nobody_is_let_in() {
        let script = Script {
            die_after: Some(2),
            require_key: Some("k".into()),
            ..Script::default()
        };
        let mut ledger = Ledger::new(Duration::from_secs(1));
        assert_eq!(
            ledger.admit(&script, Some("x"), 1, NOW),
            Admission::Unauthorized
        );
        assert_eq!(
            ledger.admit(&script, Some("k"), 1, NOW),
            Admission::Attempt(1, None)
        );
        assert_eq!(ledger.admit(&script, Some("k"), 1, NOW), Admission::Dead);
        assert_eq!(ledger.stats.requests, 2);
    }
}
