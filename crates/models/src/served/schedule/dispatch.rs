//! What is sent next, and where to.

use super::calls::{CallState, Flight};
use super::{Scheduler, Send, StopReason};
use std::time::Duration;

/// A call goes to the endpoint that served its prefix last unless that is busier than the least
/// busy by more than this share of its limit.
const NEAR: f64 = 0.25;
/// Only so many of the attempts that have been under way longest are looked at for one that can be
/// hedged.
const LOOK: usize = 8;

impl Scheduler {
    /// An attempt to be sent now, if there is one.  To be asked until it gives nothing.
    ///
    /// First comes a probe of an endpoint that was set aside, if it is time for one; then the retry
    /// that has been due longest, to another endpoint than the one where it failed, if that can be;
    /// then a hedge; then the queue. A call of the queue goes to the endpoint that served its
    /// prefix last, if it is well, has room, and its load (what is in flight relative to the limit)
    /// is not more than 0.25 above the smallest; else to the one with the smallest load. While the
    /// run pauses, one probe at a time is all that is sent.
    #[allow(clippy::should_implement_trait)] // not an iterator: it takes the time
    pub fn next(&mut self, now: Duration) -> Option<Send> {
        let now = self.at(now);
        self.retries.release(now);
        self.end_a_long_pause(now);
        if self.stop.is_some() {
            return None;
        }
        if self.circuit.is_open() {
            return self.probe_the_run(now);
        }
        self.probe(now)
            .or_else(|| self.retry(now))
            .or_else(|| self.hedge(now))
            .or_else(|| self.send_first(now))
    }

    /// When [`Scheduler::next`] or [`Scheduler::overdue`] may give something although nothing ended
    /// before: a time since the start, as `now` is, and later than it. Holds once `next` gave
    /// nothing at `now`.
    pub fn wake(&self, now: Duration) -> Option<Duration> {
        if self.stop.is_some() || (self.waiting() == 0 && self.hedges.is_empty()) {
            return None;
        }
        let hedge = self
            .settings
            .hedge_after
            .and_then(|after| Some(self.hedges.front()?.0.saturating_add(after)));
        let overdue = self
            .settings
            .call_deadline
            .and_then(|after| Some(self.offers.front()?.0.saturating_add(after)));
        let moments = [
            self.room_at(),
            self.retries.next_due(),
            self.pause_ends_at(),
            hedge,
            overdue,
        ];
        moments
            .into_iter()
            .flatten()
            .filter(|moment| *moment > now)
            .min()
    }

    /// The run stops when it has paused for too long and no probe is under way.
    pub(super) fn end_a_long_pause(&mut self, now: Duration) {
        if self.stop.is_none() && self.pause_ends_at().is_some_and(|end| end <= now) {
            self.stop = self
                .circuit
                .state(now)
                .map(|(pause, fault)| StopReason::Paused {
                    pause,
                    fault: fault.clone(),
                });
        }
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

    /// The earliest moment at which an endpoint with room takes a call.
    fn room_at(&self) -> Option<Duration> {
        let paused = self.circuit.probe_at();
        if paused.is_some() && self.is_probing() {
            return None;
        }
        let open = self.endpoints.iter().filter(|endpoint| endpoint.has_room());
        let ready = open.filter_map(|endpoint| match paused {
            Some(probe_at) => Some(endpoint.ready_at().max(probe_at)),
            None if endpoint.health.is_well() => Some(endpoint.ready_at()),
            None => Some(endpoint.ready_at().max(endpoint.health.probe_at()?)),
        });
        ready.min()
    }

    fn probe_the_run(&mut self, now: Duration) -> Option<Send> {
        if self.circuit.probe_at().is_none_or(|at| at > now) || self.is_probing() {
            return None;
        }
        let count = self.endpoints.len();
        let mut turns = (0..count).map(|step| (self.turn + step) % count);
        let endpoint = turns.find(|at| {
            self.endpoints
                .get(*at)
                .is_some_and(|endpoint| endpoint.can_probe(now))
        })?;
        self.turn = endpoint + 1;
        self.send_probe(endpoint, now)
    }

    fn probe(&mut self, now: Duration) -> Option<Send> {
        let due = |endpoint: &super::Endpoint| {
            endpoint.health.probe_at().is_some_and(|at| at <= now) && endpoint.can_probe(now)
        };
        let endpoint = self.endpoints.iter().position(due)?;
        self.send_probe(endpoint, now)
    }

    fn send_probe(&mut self, endpoint: usize, now: Duration) -> Option<Send> {
        let id = self.take_retry().or_else(|| self.queue.take(0, endpoint))?;
        self.endpoints.get_mut(endpoint)?.health.probe(id);
        self.launch(id, endpoint, now)
    }

    fn retry(&mut self, now: Duration) -> Option<Send> {
        let first = self.first_retry()?;
        let last = self.calls.get(&first)?.last_endpoint();
        let endpoint = self
            .least_busy(now, last)
            .or_else(|| self.least_busy(now, None))?;
        let id = self.take_retry()?;
        self.launch(id, endpoint, now)
    }

    fn first_retry(&mut self) -> Option<u64> {
        let calls = &self.calls;
        self.retries
            .first(|number, id| calls.get(&id).is_some_and(|call| call.is_retry(number)))
    }

    fn take_retry(&mut self) -> Option<u64> {
        let id = self.first_retry()?;
        self.retries.take();
        Some(id)
    }

    fn hedge(&mut self, now: Duration) -> Option<Send> {
        let after = self.settings.hedge_after?;
        while self
            .hedges
            .front()
            .is_some_and(|(_, id, number)| self.alone_at(*id, *number).is_none())
        {
            self.hedges.pop_front();
        }
        let late = self
            .hedges
            .iter()
            .take(LOOK)
            .take_while(|(sent, _, _)| sent.saturating_add(after) <= now);
        let place_for = |(at, (_, id, number)): (usize, &(Duration, u64, u64))| {
            Some((at, *id, self.least_busy(now, self.alone_at(*id, *number))?))
                .filter(|_| self.alone_at(*id, *number).is_some())
        };
        let (at, id, endpoint) = late.enumerate().find_map(place_for)?;
        self.hedges.remove(at);
        if self.retries.budget().take(self.offered) {
            self.launch(id, endpoint, now)
        } else {
            None
        }
    }

    /// The endpoint of a call's attempt, if that is its only one and another is allowed.
    fn alone_at(&self, id: u64, number: u64) -> Option<usize> {
        let call = self
            .calls
            .get(&id)
            .filter(|call| call.place == CallState::Sent && call.in_flight() == 1)?;
        let flight = call
            .flights
            .iter()
            .flatten()
            .find(|flight| flight.number == number)?;
        (call.failed + 2 <= self.settings.attempts).then_some(flight.endpoint)
    }

    fn send_first(&mut self, now: Duration) -> Option<Send> {
        let least = self.least_busy(now, None)?;
        let is_well = |at: usize| {
            self.endpoints
                .get(at)
                .is_some_and(|endpoint| endpoint.health.is_well())
        };
        let (place, home) = self
            .queue
            .pick(|home| home.is_none_or(|home| home == least || !is_well(home)))?;
        let endpoint = home
            .filter(|home| self.is_near(*home, least, now))
            .unwrap_or(least);
        let id = self.queue.take(place, endpoint)?;
        self.launch(id, endpoint, now)
    }

    /// Whether an endpoint can take a call and is not much busier than the least busy.
    fn is_near(&self, endpoint: usize, least: usize, now: Duration) -> bool {
        let load = |at: usize| {
            self.endpoints
                .get(at)
                .map_or(f64::INFINITY, |endpoint| endpoint.load())
        };
        self.endpoints
            .get(endpoint)
            .is_some_and(|endpoint| endpoint.is_able(now))
            && load(endpoint) <= load(least) + NEAR
    }

    /// The endpoint with the smallest load among those that can take a call now; the first of
    /// several.
    fn least_busy(&self, now: Duration, except: Option<usize>) -> Option<usize> {
        let able = self
            .endpoints
            .iter()
            .enumerate()
            .filter(|(at, endpoint)| Some(*at) != except && endpoint.is_able(now));
        able.min_by(|(_, a), (_, b)| a.load().total_cmp(&b.load()))
            .map(|(at, _)| at)
    }

    fn launch(&mut self, id: u64, endpoint: usize, now: Duration) -> Option<Send> {
        let (call, server) = (self.calls.get_mut(&id)?, self.endpoints.get_mut(endpoint)?);
        self.sent += 1;
        server.sent(call.ticket.tokens, now);
        call.launch(Flight {
            endpoint,
            sent: now,
            number: self.sent,
            cuts: server.limit.cuts(),
        });
        if self.settings.hedge_after.is_some() && call.in_flight() == 1 {
            self.hedges.push_back((now, id, self.sent));
        }
        Some(Send {
            id,
            endpoint,
            attempt: call.failed + call.in_flight(),
        })
    }
}
