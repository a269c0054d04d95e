//! One server that answers calls.

use super::aimd::Limit;
use super::bucket::Bucket;
use super::calls::Flight;
use super::health::Health;
use super::{Fault, FaultKind, Settings};
use std::time::Duration;

/// How much the latest reply counts in what is usual.
const LATEST: f64 = 0.1;
/// A call that failed by chance waits for up to so many usual replies.
const CHANCE_WAIT: f64 = 2.0;

/// An endpoint: how much it is given, and when.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    pub(super) limit: Limit,
    pub(super) health: Health,
    pub(super) in_flight: u32,
    /// The number of the newest attempt that it answered.
    pub(super) newest: u64,
    /// Seconds that a reply takes of late; None before the first.
    usual: Option<f64>,
    pub(super) paused_until: Duration,
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
}

impl Endpoint {
    pub(super) fn new(settings: &Settings) -> Endpoint {
        Endpoint {
            limit: Limit::new(settings.start, settings.most),
            health: Health::default(),
            in_flight: 0,
            newest: 0,
            usual: None,
            paused_until: Duration::ZERO,
            requests: Bucket::per_minute(settings.requests_per_minute),
            tokens: Bucket::per_minute(settings.tokens_per_minute),
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.in_flight < self.limit.calls()
    }

    /// Returns when its rates and the wait it asked for allow the next call.
    pub(super) fn ready_at(&self) -> Duration {
        let rates = [&self.requests, &self.tokens]
            .into_iter()
            .flatten()
            .map(Bucket::ready_at);
        rates.fold(self.paused_until, Duration::max)
    }

    pub(super) fn is_able(&self, now: Duration) -> bool {
        self.health.is_well() && self.can_probe(now)
    }

    pub(super) fn can_probe(&self, now: Duration) -> bool {
        self.has_room() && self.ready_at() <= now
    }

    /// Whether the endpoint was set aside and it is time to see if it answers again.
    pub(super) fn is_probe_due(&self, now: Duration) -> bool {
        self.health.probe_at().is_some_and(|at| at <= now) && self.can_probe(now)
    }

    /// Returns when the endpoint takes its next call, if it has room; `run_probe` is when a paused
    /// run is probed.
    pub(super) fn takes_call_at(&self, run_probe: Option<Duration>) -> Option<Duration> {
        let ready = self.ready_at();
        if run_probe.is_none() && self.health.is_well() {
            return Some(ready);
        }
        let probe_at = run_probe.or_else(|| self.health.probe_at())?;
        Some(ready.max(probe_at))
    }

    /// Returns what is outstanding relative to the limit, if one more were sent.
    pub(super) fn load(&self) -> f64 {
        f64::from(self.in_flight + 1) / f64::from(self.limit.calls())
    }

    pub(super) fn record_send(&mut self, tokens: u64, now: Duration) {
        self.in_flight += 1;
        take_from(&mut self.requests, 1, now);
        take_from(&mut self.tokens, tokens, now);
    }

    /// Records a reply of so many tokens to the call of an attempt, which is no longer in flight.
    pub(super) fn record_reply(
        &mut self,
        estimate: u64,
        tokens: u64,
        flight: Flight,
        now: Duration,
    ) {
        let took = now.saturating_sub(flight.sent);
        // An exponential moving average.
        let took = took.as_secs_f64();
        let usual = self.usual.unwrap_or(took);
        self.usual = Some(usual + LATEST * (took - usual));
        if let Some(bucket) = &mut self.tokens {
            bucket.correct_amount(estimate, tokens, now);
        }
        // The reply's own call was under way too.
        self.limit.record_reply(flight.cuts, self.in_flight + 1);
    }

    /// Returns the longest wait after a fault that says nothing of how much there is to do, while
    /// the endpoint answers others.
    pub(super) fn chance_wait(&self) -> Option<Duration> {
        let usual = self
            .usual
            .filter(|_| self.health.answers_some(self.limit.calls()))?;
        Duration::try_from_secs_f64(CHANCE_WAIT * usual).ok()
    }

    /// Returns the share of the latest calls that failed, while it answers at least a quarter of
    /// them; None where it does not.
    pub(super) fn fault_odds(&self) -> Option<f64> {
        let odds = self.health.fault_odds(self.limit.calls());
        odds.map(|odds| odds.max(self.limit.usual_odds()))
    }

    /// Records a fault of a call that was sent after `cuts` cuts of the limit and is no longer in
    /// flight.
    pub(super) fn record_fault(&mut self, fault: &Fault, cuts: u32, now: Duration) {
        let in_flight = self.in_flight;
        match fault.kind {
            FaultKind::Overloaded => self.limit.record_refusal(cuts, in_flight),
            kind if kind.is_pressure() => self.limit.record_loss(cuts, in_flight),
            _ => {}
        }
        // A shorter wait never takes back a longer one.
        let wait = fault.retry_after.unwrap_or_default();
        self.paused_until = self.paused_until.max(now.saturating_add(wait));
    }
}

fn take_from(bucket: &mut Option<Bucket>, amount: u64, now: Duration) {
    if let Some(bucket) = bucket {
        bucket.take_amount(amount, now);
    }
}
