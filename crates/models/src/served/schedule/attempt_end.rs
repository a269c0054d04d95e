//! Ends attempts: the consequences for the call, its endpoint and the run.

use super::calls::{CallState, Flight};
use super::endpoint::Endpoint;
use super::{After, Fault, FaultKind, GiveUpReason, Note, Outcome, Scheduler, StopReason};
use std::time::Duration;

/// A wait that is worth a note.
const LONG_WAIT: Duration = Duration::from_secs(5);

/// Faults in a row at one call that would come by chance to fewer than one call in so many say that
/// it is the call that fails.
const UNLIKELY: f64 = 1e-6;

/// An attempt that ended with a fault.
#[derive(Clone, Copy)]
struct Failure<'a> {
    id: u64,
    flight: Flight,
    fault: &'a Fault,
    now: Duration,
}

impl Scheduler {
    /// Ends the attempt that was sent to `endpoint`, and says what becomes of its call.
    ///
    /// A transient fault leads to another attempt after a while, as long as the call has attempts
    /// and time and the run has retries. Attempts that failed because nothing got through, or
    /// because their endpoint was down, do not count. Any other fault ends the call.
    pub fn end_attempt(
        &mut self,
        id: u64,
        endpoint: usize,
        outcome: Outcome<'_>,
        now: Duration,
    ) -> After {
        let now = self.advance_clock(now);
        let Some(flight) = self.end_flight(id, endpoint) else {
            return After::Late;
        };
        match outcome {
            Outcome::Replied { tokens } => self.end_with_reply(id, flight, tokens, now),
            Outcome::Failed(fault) => self.end_with_fault(Failure {
                id,
                flight,
                fault,
                now,
            }),
        }
    }

    fn end_flight(&mut self, id: u64, endpoint: usize) -> Option<Flight> {
        let flight = self.calls.get_mut(&id)?.end_flight(endpoint)?;
        if let Some(endpoint) = self.endpoints.get_mut(endpoint) {
            endpoint.in_flight -= 1;
        }
        Some(flight)
    }

    fn end_with_reply(&mut self, id: u64, flight: Flight, tokens: u64, now: Duration) -> After {
        let estimate = self.calls.get(&id).map_or(0, |call| call.ticket.tokens);
        let took = now.saturating_sub(flight.sent);
        if let Some(endpoint) = self.endpoints.get_mut(flight.endpoint) {
            endpoint.record_reply(estimate, tokens, took, now);
        }
        self.misconfiguration.record_reply();
        self.record_answer(id, flight.endpoint, now);
        if self.remove_call(id) {
            After::Done
        } else {
            After::Late
        }
    }

    fn end_with_fault(&mut self, failure: Failure<'_>) -> After {
        self.learn_from_fault(failure);
        self.stop_if_hopeless(failure);
        if self.is_over(failure.id) {
            self.remove_call(failure.id);
            return After::Late;
        }
        match self.stop.clone() {
            Some(stop) => {
                self.put_back(failure.id, failure.now);
                After::Stop(stop)
            }
            None => self.retry_or_give_up(failure),
        }
    }

    fn is_over(&self, id: u64) -> bool {
        let call = self.calls.get(&id);
        call.is_none_or(|call| call.place == CallState::Over)
    }

    fn retry_or_give_up(&mut self, failure: Failure<'_>) -> After {
        let Failure {
            id,
            flight,
            fault,
            now,
        } = failure;
        let is_transient = fault.kind.is_transient();
        // An endpoint that is down costs a call nothing.
        let free = is_transient && !self.is_well(flight.endpoint);
        let streak = self.streak_of(flight.endpoint);
        let most = self.longest_wait(failure);
        let Some(call) = self.calls.get_mut(&id) else {
            return After::Late;
        };
        call.record_failure(fault, flight.endpoint, streak, free);
        if is_transient && call.in_flight() > 0 {
            return After::Again;
        }
        let failed = call.failed;
        let due = if free {
            now
        } else {
            now.saturating_add(self.retries.draw_wait(failed, most))
        };
        self.retry_at(failure, free, due)
    }

    /// Returns the longest that a call may wait after a fault that came by chance.
    fn longest_wait(&self, failure: Failure<'_>) -> Option<Duration> {
        if !failure.fault.kind.is_chance() {
            return None;
        }
        self.endpoints.get(failure.flight.endpoint)?.chance_wait()
    }

    fn retry_at(&mut self, failure: Failure<'_>, free: bool, due: Duration) -> After {
        match self.what_stands_against(failure, free, due) {
            Some(why) => self.give_up(failure.id, why),
            None => {
                self.put_back(failure.id, due);
                After::Again
            }
        }
    }

    /// Returns what stands against another attempt at `due`; one that is `free` costs nothing.
    fn what_stands_against(
        &mut self,
        failure: Failure<'_>,
        free: bool,
        due: Duration,
    ) -> Option<GiveUpReason> {
        let call = self.calls.get(&failure.id)?;
        let (failed, offered) = (call.failed, call.offered);
        // An endpoint that answers others has not too much to do: what fails there fails by chance,
        // and a call is lost only where chance does not explain its faults any more.
        let endpoint = self.endpoints.get(failure.flight.endpoint);
        let odds = endpoint.and_then(Endpoint::fault_odds);
        let answers = odds.is_some();
        let least = self.settings.attempts.max(1);
        let most = odds.map_or(least, |odds| {
            let enough = (UNLIKELY.ln() / odds.ln()).ceil() as u32;
            enough.min(self.settings.attempts_by_chance).max(least)
        });
        if !failure.fault.kind.is_transient() {
            Some(GiveUpReason::WillNotPass)
        } else if !free && failed >= most {
            Some(GiveUpReason::AttemptsSpent)
        } else if self.is_past_deadline(offered, due) {
            Some(GiveUpReason::Overdue)
        } else {
            (!free && !answers && !self.retries.budget().spend_one(self.offered))
                .then_some(GiveUpReason::BudgetSpent)
        }
    }

    fn is_past_deadline(&self, offered: Duration, due: Duration) -> bool {
        let deadline = self.settings.call_deadline;
        deadline.is_some_and(|deadline| due >= offered.saturating_add(deadline))
    }

    /// Learns what a fault says about its endpoint and about the run.
    ///
    /// That an endpoint refuses what was sent before its limit was cut is expected, and says
    /// nothing about its health.
    fn learn_from_fault(&mut self, failure: Failure<'_>) {
        let Failure {
            id,
            flight,
            fault,
            now,
        } = failure;
        self.note_a_long_wait(failure);
        let Some(endpoint) = self.endpoints.get_mut(flight.endpoint) else {
            return;
        };
        let is_expected =
            fault.kind == FaultKind::Overloaded && flight.cuts != endpoint.limit.cuts();
        endpoint.record_fault(fault, flight.cuts, now);
        if !fault.kind.is_transient() {
            return self.record_answer(id, flight.endpoint, now);
        }
        if endpoint.health.probe_failed(id, now) {
            return self.circuit.probe_failed(fault, now);
        }
        self.weaken_health(failure, is_expected);
    }

    /// Counts a fault against its endpoint's health, which may set it aside.
    fn weaken_health(&mut self, failure: Failure<'_>, is_expected: bool) {
        let (at, fault) = (failure.flight.endpoint, failure.fault);
        let Some(endpoint) = self.endpoints.get_mut(at) else {
            return;
        };
        let streak = endpoint.health.streak_number();
        let call = self.calls.get(&failure.id);
        let again = call.is_some_and(|call| call.was_in(at, streak));
        if !is_expected {
            endpoint.health.record_fault(fault.kind, again);
        }
        if endpoint.health.is_failing(endpoint.limit.calls()) {
            self.set_endpoint_aside(at, fault, failure.now);
        }
    }

    /// Records that an endpoint answered a call, whatever the answer was.
    fn record_answer(&mut self, id: u64, endpoint: usize, now: Duration) {
        let Some(server) = self.endpoints.get_mut(endpoint) else {
            return;
        };
        let Some(after) = server.health.record_answer(id, now) else {
            return;
        };
        server.limit.restart_at(self.settings.start);
        match self.circuit.end_pause(now) {
            None => self.notes.push(Note::Back { endpoint, after }),
            Some(after) => self.resume(after, now),
        }
    }

    fn resume(&mut self, after: Duration, now: Duration) {
        self.notes.push(Note::Resumed { after });
        for endpoint in &mut self.endpoints {
            endpoint.health.probe_at_once(now);
        }
    }

    fn set_endpoint_aside(&mut self, endpoint: usize, fault: &Fault, now: Duration) {
        let Some(server) = self.endpoints.get_mut(endpoint) else {
            return;
        };
        let wait = server.health.set_aside(now);
        let moved = 1 + self.forgive_waiting(endpoint) + self.queue.count_at_home(endpoint);
        if self.is_any_well() {
            self.notes.push(Note::SetAside {
                endpoint,
                moved,
                wait,
                fault: fault.clone(),
            });
        } else {
            self.pause_run(fault, now);
        }
    }

    fn is_any_well(&self) -> bool {
        let mut endpoints = self.endpoints.iter();
        endpoints.any(|endpoint| endpoint.health.is_well())
    }

    fn pause_run(&mut self, fault: &Fault, now: Duration) {
        self.circuit.start_pause(fault, now);
        self.notes.push(Note::Paused {
            fault: fault.clone(),
            longest: self.settings.longest_pause,
        });
    }

    /// Gives back what waiting calls lost to an endpoint's present streak of faults, and returns
    /// how many calls they are.
    fn forgive_waiting(&mut self, endpoint: usize) -> usize {
        let streak = self.streak_of(endpoint);
        let (mut count, mut lost) = (0, 0);
        for (number, id) in self.retries.iter_waiting() {
            let Some(call) = self.calls.get_mut(&id) else {
                continue;
            };
            if call.is_retry(number) && call.was_in(endpoint, streak) {
                count += 1;
                lost += call.forgive_streak(endpoint, streak);
            }
        }
        self.retries.budget().give_back(lost);
        count
    }

    fn stop_if_hopeless(&mut self, failure: Failure<'_>) {
        self.end_a_long_pause(failure.now);
        let misconfigured = self.find_misconfiguration(failure);
        let stop = misconfigured.or_else(|| self.find_endless_wait(failure));
        self.stop = self.stop.take().or(stop);
    }

    fn find_misconfiguration(&mut self, failure: Failure<'_>) -> Option<StopReason> {
        let calls = self.misconfiguration.record_fault(failure.fault)?;
        Some(StopReason::Misconfiguration {
            calls,
            endpoint: failure.flight.endpoint,
            fault: failure.fault.clone(),
        })
    }

    fn find_endless_wait(&self, failure: Failure<'_>) -> Option<StopReason> {
        let longest = self.settings.longest_pause?;
        let wait = self.shortest_wait(failure.now)?;
        (wait > longest).then(|| StopReason::Wait {
            wait,
            fault: failure.fault.clone(),
        })
    }

    /// Returns the shortest of the waits that the endpoints ask for.
    fn shortest_wait(&self, now: Duration) -> Option<Duration> {
        let ends = self
            .endpoints
            .iter()
            .map(|endpoint| endpoint.paused_until());
        Some(ends.min()?.saturating_sub(now))
    }

    fn note_a_long_wait(&mut self, failure: Failure<'_>) {
        let endpoint = failure.flight.endpoint;
        let Some(wait) = failure.fault.retry_after.filter(|wait| *wait >= LONG_WAIT) else {
            return;
        };
        let server = self.endpoints.get(endpoint);
        let waits_already = server.is_some_and(|server| server.paused_until() > failure.now);
        if !waits_already {
            self.notes.push(Note::Waits { endpoint, wait });
        }
    }

    fn put_back(&mut self, id: u64, due: Duration) {
        let Some(call) = self.calls.get_mut(&id).filter(|call| call.in_flight() == 0) else {
            return;
        };
        call.place = CallState::Retry(self.retries.add_retry(id, due));
    }

    fn give_up(&mut self, id: u64, why: GiveUpReason) -> After {
        let Some(given_up) = self.calls.get(&id).map(|call| call.give_up(why)) else {
            return After::Late;
        };
        self.remove_call(id);
        After::GivenUp(given_up)
    }

    /// Lets a call out, and forgets it once nothing of it is under way. False if it came out
    /// before.
    fn remove_call(&mut self, id: u64) -> bool {
        let Some(call) = self.calls.get_mut(&id) else {
            return false;
        };
        let is_first = call.place != CallState::Over;
        call.place = CallState::Over;
        if call.in_flight() == 0 {
            self.calls.remove(&id);
        }
        is_first
    }

    pub(super) fn is_well(&self, endpoint: usize) -> bool {
        self.endpoints
            .get(endpoint)
            .is_some_and(|endpoint| endpoint.health.is_well())
    }

    fn streak_of(&self, endpoint: usize) -> u64 {
        self.endpoints
            .get(endpoint)
            .map_or(0, |endpoint| endpoint.health.streak_number())
    }
}
