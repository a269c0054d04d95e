//! Chooses the next attempt, and the endpoint that it goes to.

use super::calls::{Call, CallState, Flight};
use super::{GiveUpReason, Scheduler, Send, StopReason};
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
    /// First comes a probe of an endpoint that was set aside, if it is time for one: a call of the
    /// queue, else a retry. Then comes the retry that has been due longest, to another endpoint
    /// than the one where it failed, if that can be; then a hedge; then the queue. A call of the
    /// queue goes to the endpoint that served its prefix last, if it is well, has room, and its
    /// load (what is in flight relative to the limit) is not more than 0.25 above the smallest;
    /// else to the one with the smallest load. While the run pauses, one probe at a time is all
    /// that is sent.
    pub fn next_send(&mut self, now: Duration) -> Option<Send> {
        let now = self.advance_clock(now);
        self.retries.release_due(now);
        self.end_a_long_pause(now);
        if self.stop.is_some() {
            return None;
        }
        if self.circuit.is_open() {
            return self.probe_the_run(now);
        }
        let due = self
            .endpoints
            .iter()
            .position(|endpoint| endpoint.is_probe_due(now));
        due.and_then(|endpoint| self.send_probe(endpoint, now))
            .or_else(|| self.send_retry(now))
            // A hedge first: its call has waited longer than any of the queue.
            .or_else(|| self.send_hedge(now))
            .or_else(|| self.send_first(now))
    }

    /// Returns when [`Scheduler::next_send`] or [`Scheduler::take_overdue`] may give something
    /// although nothing ended before: a time since the start, as `now` is, and later than it.
    ///
    /// `now` must be the time at which `next_send` gave nothing, not a later one: a moment between
    /// the two would be passed over, and perhaps no other comes.
    pub fn wake_at(&self, now: Duration) -> Option<Duration> {
        let is_idle = self.count_waiting() == 0 && self.hedges.is_empty();
        if self.stop.is_some() || is_idle {
            return None;
        }
        let hedge = self.hedges.front().zip(self.settings.hedge_after);
        let offer = self.offers.front().zip(self.settings.call_deadline);
        let moments = [
            self.room_at(),
            self.retries.next_due(),
            self.pause_ends_at(),
            hedge.map(|((sent, ..), after)| sent.saturating_add(after)),
            offer.map(|((offered, _), deadline)| offered.saturating_add(deadline)),
        ];
        let moments = moments.into_iter().flatten();
        moments.filter(|moment| *moment > now).min()
    }

    /// Stops the run when it has paused for too long and no probe is under way.
    ///
    /// Where others were answered before, somebody is there still, and each call that is left was
    /// tried in this pause, then it may as well be these calls that fail: they are given up, and
    /// the run goes on with what comes after them.
    pub(super) fn end_a_long_pause(&mut self, now: Duration) {
        if self.stop.is_some() || self.pause_ends_at().is_none_or(|end| end > now) {
            return;
        }
        let Some((pause, fault, at)) = self.circuit.current_pause(now) else {
            return;
        };
        let fault = fault.clone();
        let first_round = self.circuit.first_round();
        let was_tried = |call: &Call| match call.place {
            CallState::Queue => false,
            CallState::Retry(_) => call.probed >= first_round,
            CallState::Sent | CallState::Over => true,
        };
        let answered = self.endpoints.iter().any(|one| one.health.is_known());
        let all_tried = self.calls.values().all(was_tried);
        if !(answered && fault.kind.is_chance() && all_tried && self.retries.waiting > 0) {
            let is_start = self.longest_pause() != self.settings.longest_pause;
            self.stop = Some(StopReason::Paused {
                pause,
                endpoint: self.address_of(at),
                fault,
                is_start,
            });
            return;
        }
        let waiting = self.calls.iter().filter(|(_, call)| {
            let place = call.place;
            matches!(place, CallState::Retry(_))
        });
        let mut ids: Vec<u64> = waiting.map(|(id, _)| *id).collect();
        // In their order, whatever that of the map.
        ids.sort_unstable();
        for id in ids {
            if let Some(call) = self.calls.remove(&id) {
                self.retries.forget_one();
                let given_up = call.give_up(GiveUpReason::PauseOver);
                self.given_up.push_back((id, given_up));
            }
        }
        // What comes after them is asked as if the pause had begun now.
        self.circuit.start_pause(&fault, at, now);
    }

    fn pause_ends_at(&self) -> Option<Duration> {
        self.circuit
            .ends_at(self.longest_pause())
            .filter(|_| !self.is_probing())
    }

    /// Returns how long the run may pause; for ever, if not given. It is less where nobody was ever
    /// met.
    pub(super) fn longest_pause(&self) -> Option<Duration> {
        let longest = self.settings.longest_pause;
        let start = self.settings.longest_start.filter(|_| !self.is_met);
        longest.into_iter().chain(start).min()
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
        self.endpoints
            .iter()
            .filter(|endpoint| endpoint.has_room())
            .filter_map(|endpoint| endpoint.takes_call_at(paused))
            .min()
    }

    /// While the run pauses, the endpoints are probed in turn, each call no more than once a round.
    fn probe_the_run(&mut self, now: Duration) -> Option<Send> {
        if self.circuit.probe_at()? > now || self.is_probing() {
            return None;
        }
        let round = self.circuit.round();
        if self.queue.waiting == 0
            && let Some(id) = self.first_retry()
            && self.calls.get(&id).is_some_and(|call| call.probed == round)
        {
            self.circuit.end_round(now);
            return None;
        }
        let count = self.endpoints.len();
        let mut turns = (0..count).map(|step| (self.turn + step) % count);
        let endpoint = turns.find(|at| self.endpoints[*at].can_probe(now))?;
        self.turn = endpoint + 1;
        self.send_probe(endpoint, now)
    }

    /// A call that never failed is the better probe: another may fail whoever is asked.
    fn send_probe(&mut self, endpoint: usize, now: Duration) -> Option<Send> {
        let first = self.queue.take_call(0, endpoint);
        let id = first.or_else(|| self.take_retry())?;
        if let Some(call) = self.calls.get_mut(&id) {
            call.probed = self.circuit.round();
        }
        self.endpoints.get_mut(endpoint)?.health.start_probe(id);
        self.launch_attempt(id, endpoint, now)
    }

    fn send_retry(&mut self, now: Duration) -> Option<Send> {
        let first = self.first_retry()?;
        let last = self.calls.get(&first)?.last_endpoint();
        // The endpoint where it failed is taken only where no other can be.
        let endpoint = self
            .least_busy(now, last)
            .or_else(|| self.least_busy(now, None))?;
        let id = self.take_retry()?;
        self.launch_attempt(id, endpoint, now)
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

    /// Sends a call a second time whose attempt is late, if the run may spend one more.
    fn send_hedge(&mut self, now: Duration) -> Option<Send> {
        let after = self.settings.hedge_after?;
        while let Some((_, id, number)) = self.hedges.front().copied()
            && self.alone_at(id, number).is_none()
        {
            self.hedges.pop_front();
        }
        let looked_at = self.hedges.iter().take(LOOK);
        let late = looked_at.take_while(|(sent, ..)| sent.saturating_add(after) <= now);
        let (at, id, endpoint) = late.enumerate().find_map(|(at, (_, id, number))| {
            let first = self.alone_at(*id, *number)?;
            Some((at, *id, self.least_busy(now, Some(first))?))
        })?;
        self.hedges.remove(at);
        if !self.retries.budget.spend_one(self.offered) {
            return None;
        }
        self.launch_attempt(id, endpoint, now)
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
        let smallest = self.endpoints.get(least)?.load();
        // Calls that are at home there, or nowhere where anything can be sent.
        let (place, home) = self.queue.pick_group(|home| {
            home.is_none_or(|home| home == least || !self.endpoints[home].health.is_well())
        })?;
        let near = home.filter(|home| {
            let server = self.endpoints.get(*home);
            server.is_some_and(|server| server.is_able(now) && server.load() <= smallest + NEAR)
        });
        let endpoint = near.unwrap_or(least);
        let id = self.queue.take_call(place, endpoint)?;
        self.launch_attempt(id, endpoint, now)
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
        let call = self.calls.get_mut(&id)?;
        let server = self.endpoints.get_mut(endpoint)?;
        self.sent += 1;
        server.record_send(call.ticket.tokens, now);
        call.start_flight(Flight {
            endpoint,
            sent: now,
            number: self.sent,
            cuts: server.limit.cuts,
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
