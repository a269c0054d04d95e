//! Chooses the next attempt, and the endpoint that it goes to.

use super::calls::Flight;
use super::{Scheduler, Send, StopReason};
use std::time::Duration;

/// A call goes to the endpoint that served its prefix last unless that is busier than the least
/// busy by more than this share of its limit.
const NEAR: f64 = 0.25;
/// Only so many of the attempts that have been under way longest are looked at for one that can be
/// hedged.
const LOOK: usize = 8;

impl Scheduler {
    /// Returns an attempt to be sent now, if there is one. To be asked until it gives nothing.
    ///
    /// First comes a probe of an endpoint that was set aside, if it is time for one; then the retry
    /// that has been due longest, to another endpoint than the one where it failed, if that can be;
    /// then a hedge; then the queue. A call of the queue goes to the endpoint that served its
    /// prefix last, if it is well, has room, and its load (what is in flight relative to the limit)
    /// is not more than 0.25 above the smallest; else to the one with the smallest load. While the
    /// run pauses, one probe at a time is all that is sent.
    pub fn next_send(&mut self, now: Duration) -> Option<Send> {
        let now = self.advance_clock(now);
        self.retries.release_due(now);
        self.end_a_long_pause(now);
        if self.stop.is_some() {
            return None;
        }
        self.send_most_urgent(now)
    }

    fn send_most_urgent(&mut self, now: Duration) -> Option<Send> {
        if self.circuit.is_open() {
            return self.probe_the_run(now);
        }
        let probe = self.probe_endpoint(now);
        probe
            .or_else(|| self.send_retry(now))
            .or_else(|| self.send_new(now))
    }

    fn send_new(&mut self, now: Duration) -> Option<Send> {
        // A hedge first: its call has waited longer than any of the queue.
        self.send_hedge(now).or_else(|| self.send_first(now))
    }

    /// Returns when [`Scheduler::next_send`] or [`Scheduler::take_overdue`] may give something
    /// although nothing ended before: a time since the start, as `now` is, and later than it.
    ///
    /// `now` must be the time at which `next_send` gave nothing, not a later one: a moment between
    /// the two would be passed over, and perhaps no other comes.
    pub fn wake_at(&self, now: Duration) -> Option<Duration> {
        if self.stop.is_some() || self.is_idle() {
            return None;
        }
        let moments = self.moments().into_iter().flatten();
        moments.filter(|moment| *moment > now).min()
    }

    /// Whether nothing waits that time alone could bring on.
    fn is_idle(&self) -> bool {
        self.count_waiting() == 0 && self.hedges.is_empty()
    }

    /// Returns when each of the things comes about that time alone brings.
    fn moments(&self) -> [Option<Duration>; 5] {
        [
            self.room_at(),
            self.retries.next_due(),
            self.pause_ends_at(),
            self.hedge_at(),
            self.overdue_at(),
        ]
    }

    fn hedge_at(&self) -> Option<Duration> {
        let (sent, ..) = self.hedges.front()?;
        Some(sent.saturating_add(self.settings.hedge_after?))
    }

    fn overdue_at(&self) -> Option<Duration> {
        let (offered, _) = self.offers.front()?;
        Some(offered.saturating_add(self.settings.call_deadline?))
    }

    /// Stops the run when it has paused for too long and no probe is under way.
    pub(super) fn end_a_long_pause(&mut self, now: Duration) {
        if self.stop.is_none() && self.pause_ends_at().is_some_and(|end| end <= now) {
            self.stop = self.find_long_pause(now);
        }
    }

    fn find_long_pause(&self, now: Duration) -> Option<StopReason> {
        let (pause, fault) = self.circuit.current_pause(now)?;
        Some(StopReason::Paused {
            pause,
            fault: fault.clone(),
        })
    }

    fn pause_ends_at(&self) -> Option<Duration> {
        self.circuit
            .ends_at(self.settings.longest_pause)
            .filter(|_| !self.is_probing())
    }

    fn is_probing(&self) -> bool {
        self.endpoints
            .iter()
            .any(|endpoint| endpoint.health.is_probing())
    }

    /// Returns the earliest moment at which an endpoint with room takes a call.
    fn room_at(&self) -> Option<Duration> {
        let paused = self.circuit.probe_at();
        if paused.is_some() && self.is_probing() {
            return None;
        }
        let open = self.endpoints.iter().filter(|endpoint| endpoint.has_room());
        open.filter_map(|endpoint| endpoint.takes_call_at(paused))
            .min()
    }

    /// While the run pauses, the endpoints are probed in turn.
    fn probe_the_run(&mut self, now: Duration) -> Option<Send> {
        let probe_at = self.circuit.probe_at()?;
        if probe_at > now || self.is_probing() {
            return None;
        }
        let endpoint = self.next_turn(now)?;
        self.turn = endpoint + 1;
        self.send_probe(endpoint, now)
    }

    /// Returns the next endpoint in turn that can take a call now.
    fn next_turn(&self, now: Duration) -> Option<usize> {
        let count = self.endpoints.len();
        let mut turns = (0..count).map(|step| (self.turn + step) % count);
        turns.find(|at| self.can_probe(*at, now))
    }

    fn can_probe(&self, at: usize, now: Duration) -> bool {
        let endpoint = self.endpoints.get(at);
        endpoint.is_some_and(|endpoint| endpoint.can_probe(now))
    }

    fn probe_endpoint(&mut self, now: Duration) -> Option<Send> {
        let mut endpoints = self.endpoints.iter();
        let endpoint = endpoints.position(|endpoint| endpoint.is_probe_due(now))?;
        self.send_probe(endpoint, now)
    }

    fn send_probe(&mut self, endpoint: usize, now: Duration) -> Option<Send> {
        let retry = self.take_retry();
        let id = retry.or_else(|| self.queue.take_call(0, endpoint))?;
        self.endpoints.get_mut(endpoint)?.health.start_probe(id);
        self.launch_attempt(id, endpoint, now)
    }

    fn send_retry(&mut self, now: Duration) -> Option<Send> {
        let first = self.first_retry()?;
        let last = self.calls.get(&first)?.last_endpoint();
        let endpoint = self.find_other(now, last)?;
        let id = self.take_retry()?;
        self.launch_attempt(id, endpoint, now)
    }

    /// Returns the least busy endpoint but this one, which is taken only where no other can be.
    fn find_other(&self, now: Duration, last: Option<usize>) -> Option<usize> {
        self.least_busy(now, last)
            .or_else(|| self.least_busy(now, None))
    }

    fn first_retry(&mut self) -> Option<u64> {
        let calls = &self.calls;
        self.retries
            .first_due(|number, id| calls.get(&id).is_some_and(|call| call.is_retry(number)))
    }

    fn take_retry(&mut self) -> Option<u64> {
        let id = self.first_retry()?;
        self.retries.take_first();
        Some(id)
    }

    fn send_hedge(&mut self, now: Duration) -> Option<Send> {
        let after = self.settings.hedge_after?;
        self.forget_ended_hedges();
        let (at, id, endpoint) = self.find_late_attempt(now, after)?;
        self.hedges.remove(at);
        self.launch_extra(id, endpoint, now)
    }

    /// Sends a call a second time, if the run may spend one more attempt.
    fn launch_extra(&mut self, id: u64, endpoint: usize, now: Duration) -> Option<Send> {
        if self.retries.budget().spend_one(self.offered) {
            self.launch_attempt(id, endpoint, now)
        } else {
            None
        }
    }

    fn forget_ended_hedges(&mut self) {
        while let Some((_, id, number)) = self.hedges.front().copied()
            && self.alone_at(id, number).is_none()
        {
            self.hedges.pop_front();
        }
    }

    /// Finds an attempt that is late and can be hedged: its place among the hedges, its call, and
    /// the endpoint for the second attempt.
    fn find_late_attempt(&self, now: Duration, after: Duration) -> Option<(usize, u64, usize)> {
        let looked_at = self.hedges.iter().take(LOOK);
        let late = looked_at.take_while(|(sent, ..)| sent.saturating_add(after) <= now);
        late.enumerate().find_map(|(at, (_, id, number))| {
            let first = self.alone_at(*id, *number)?;
            Some((at, *id, self.least_busy(now, Some(first))?))
        })
    }

    /// Returns the endpoint of a call's attempt, if that is its only one and another is allowed.
    fn alone_at(&self, id: u64, number: u64) -> Option<usize> {
        let call = self.calls.get(&id).filter(|call| call.is_sent_once())?;
        let flight = call.find_flight(number)?;
        // The attempt under way and the hedge may both fail.
        (call.failed + 2 <= self.settings.attempts).then_some(flight.endpoint)
    }

    fn send_first(&mut self, now: Duration) -> Option<Send> {
        let least = self.least_busy(now, None)?;
        let (place, home) = self.pick_group(least)?;
        let near = home.filter(|home| self.is_near(*home, least, now));
        let endpoint = near.unwrap_or(least);
        let id = self.queue.take_call(place, endpoint)?;
        self.launch_attempt(id, endpoint, now)
    }

    /// Picks a group of the queue for the least busy endpoint, and returns its place and its home:
    /// one that is at home there, or nowhere where anything can be sent.
    fn pick_group(&self, least: usize) -> Option<(usize, Option<usize>)> {
        self.queue
            .pick_group(|home| home.is_none_or(|home| home == least || !self.is_well(home)))
    }

    /// Whether an endpoint can take a call and is not much busier than the least busy.
    fn is_near(&self, endpoint: usize, least: usize, now: Duration) -> bool {
        let server = self.endpoints.get(endpoint);
        server.is_some_and(|server| server.is_able(now))
            && self.load_of(endpoint) <= self.load_of(least) + NEAR
    }

    fn load_of(&self, endpoint: usize) -> f64 {
        let server = self.endpoints.get(endpoint);
        server.map_or(f64::INFINITY, |server| server.load())
    }

    /// Returns the endpoint with the smallest load among those that can take a call now; the first
    /// of several.
    fn least_busy(&self, now: Duration, except: Option<usize>) -> Option<usize> {
        let numbered = self.endpoints.iter().enumerate();
        let able = numbered.filter(|(at, server)| Some(*at) != except && server.is_able(now));
        let (at, _) = able.min_by(|(_, a), (_, b)| a.load().total_cmp(&b.load()))?;
        Some(at)
    }

    fn launch_attempt(&mut self, id: u64, endpoint: usize, now: Duration) -> Option<Send> {
        self.start_flight(id, endpoint, now)?;
        let call = self.calls.get(&id)?;
        let attempt = call.failed + call.in_flight();
        if self.settings.hedge_after.is_some() && call.in_flight() == 1 {
            self.hedges.push_back((now, id, self.sent));
        }
        Some(Send {
            id,
            endpoint,
            attempt,
        })
    }

    fn start_flight(&mut self, id: u64, endpoint: usize, now: Duration) -> Option<()> {
        let (call, server) = (self.calls.get_mut(&id)?, self.endpoints.get_mut(endpoint)?);
        self.sent += 1;
        server.record_send(call.ticket.tokens, now);
        call.start_flight(Flight {
            endpoint,
            sent: now,
            number: self.sent,
            cuts: server.limit.cuts(),
        });
        Some(())
    }
}
