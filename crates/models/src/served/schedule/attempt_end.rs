//! Ends attempts: the consequences for the call, its endpoint and the run.

use super::calls::{CallState, Flight, Tries};
use super::{After, AttemptOutcome, Fault, FaultKind, GiveUpReason, Note, Scheduler, StopReason};
use std::time::Duration;

/// A wait that is worth a note.
const LONG_WAIT: Duration = Duration::from_secs(5);

/// The longest wait after a refusal where a share of all calls is refused whatever is sent.
const REFUSED_WAIT: Duration = Duration::from_secs(5);

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
        outcome: AttemptOutcome<'_>,
        now: Duration,
    ) -> After {
        let now = self.advance_clock(now);
        let call = self.calls.get_mut(&id);
        let Some(flight) = call.and_then(|call| call.end_flight(endpoint)) else {
            return After::Late;
        };
        self.endpoints[endpoint].in_flight -= 1;
        self.is_met |= !matches!(outcome, AttemptOutcome::Failed(fault) if fault.kind == FaultKind::Unreachable);
        let fault = match outcome {
            AttemptOutcome::Failed(fault) => fault,
            AttemptOutcome::Replied { tokens } => {
                let estimate = self.calls.get(&id).map_or(0, |call| call.ticket.tokens);
                self.endpoints[endpoint].record_reply(estimate, tokens, flight, now);
                self.misconfiguration.record_reply();
                self.record_answer(id, flight, now);
                return if self.remove_call(id) {
                    After::Done
                } else {
                    After::Late
                };
            }
        };
        let failure = Failure {
            id,
            flight,
            fault,
            now,
        };
        self.learn_from_fault(failure);
        self.stop_if_hopeless(failure);
        let call = self.calls.get(&id);
        if call.is_none_or(|call| call.place == CallState::Over) {
            self.remove_call(id);
            return After::Late;
        }
        // What stops the run has failed as those before it did, unless it may yet pass.
        if let Some(stop) = self.stop.clone().filter(|_| fault.kind.is_transient()) {
            self.put_back(id, now);
            return After::Stop(stop);
        }
        self.retry_or_give_up(failure)
    }

    fn retry_or_give_up(&mut self, failure: Failure<'_>) -> After {
        let Failure {
            id,
            flight,
            fault,
            now,
        } = failure;
        let is_transient = fault.kind.is_transient();
        let endpoint = &self.endpoints[flight.endpoint];
        // An endpoint that is down costs a call nothing.
        let free = is_transient && !endpoint.health.is_well();
        // A fault that came by chance asks for no long wait.
        let most = match fault.kind {
            kind if kind.is_chance() => endpoint.chance_wait(),
            FaultKind::Overloaded => endpoint.limit.refuses_anyway().then_some(REFUSED_WAIT),
            _ => None,
        };
        let Some(call) = self.calls.get_mut(&id) else {
            return After::Late;
        };
        let streak = endpoint.health.streaks;
        call.record_failure(fault, flight, streak, free);
        if is_transient && call.in_flight() > 0 {
            return After::Again;
        }
        let due = if free {
            now
        } else {
            now.saturating_add(self.retries.draw_wait(call.failed, most))
        };
        // An endpoint that answers others has not too much to do: what fails there fails by chance,
        // and a call is lost only where chance does not explain its faults any more.
        let odds = endpoint.fault_odds();
        let least = self.settings.attempts.max(1);
        let most = odds.map_or(least, |odds| {
            let enough = (UNLIKELY.ln() / odds.ln()).ceil() as u32;
            enough.min(self.settings.attempts_by_chance).max(least)
        });
        let deadline = self.settings.call_deadline;
        let is_overdue =
            deadline.is_some_and(|deadline| due >= call.offered.saturating_add(deadline));
        let why = if !is_transient {
            GiveUpReason::WillNotPass
        } else if !free && call.failed >= most {
            GiveUpReason::AttemptsSpent
        } else if is_overdue {
            GiveUpReason::Overdue
        } else if free || odds.is_some() || self.retries.budget.spend_one(self.offered) {
            self.put_back(id, due);
            return After::Again;
        } else {
            GiveUpReason::BudgetSpent
        };
        let given_up = call.give_up(why);
        self.remove_call(id);
        After::GivenUp(given_up)
    }

    /// Learns what a fault says about its endpoint and about the run.
    fn learn_from_fault(&mut self, failure: Failure<'_>) {
        let Failure {
            id,
            flight,
            fault,
            now,
        } = failure;
        let at = flight.endpoint;
        if let Some(wait) = fault.retry_after.filter(|wait| *wait >= LONG_WAIT)
            && self.endpoints[at].paused_until <= now
        {
            let endpoint = self.address_of(at);
            self.notes.push(Note::Waits { endpoint, wait });
        }
        let tries = self.tries(id, at);
        if let Some(call) = self.calls.get_mut(&id) {
            call.is_suspect |= tries == Tries::Later;
        }
        let endpoint = &mut self.endpoints[at];
        // That an endpoint refuses what was sent before its limit was cut is expected, and says
        // nothing about its health; nor does what leads to no cut, as long as there can be one.
        let cuts = endpoint.limit.cuts;
        endpoint.record_fault(fault, flight.cuts, now);
        let leads_to_none = endpoint.limit.cuts == cuts && endpoint.limit.calls() > 1;
        let is_expected =
            fault.kind == FaultKind::Overloaded && (flight.cuts != cuts || leads_to_none);
        if !fault.kind.is_transient() {
            return self.record_answer(id, flight, now);
        }
        if endpoint.health.is_probed_by(id) {
            let waits = self.circuit.probe_failed(fault, at, now);
            endpoint.health.probe_failed(tries, waits, now);
            if self.circuit.tells_fault(fault.kind) {
                self.notes.push(Note::StillPaused {
                    endpoint: self.address_of(at),
                    fault: fault.clone(),
                    longest: self.longest_pause(),
                });
            }
            return;
        }
        if !is_expected {
            endpoint.health.record_fault(fault.kind, tries);
        }
        let limit = endpoint.limit.calls();
        let mut others = self.endpoints.iter().enumerate();
        let is_last = !others.any(|(other, server)| other != at && server.health.is_well());
        if self.endpoints[at].health.is_failing(limit, is_last) {
            self.set_endpoint_aside(at, fault, now);
        }
    }

    /// Records that an endpoint answered a call, whatever the answer was.
    fn record_answer(&mut self, id: u64, flight: Flight, now: Duration) {
        let endpoint = flight.endpoint;
        let tries = self.tries(id, endpoint);
        let server = &mut self.endpoints[endpoint];
        server.newest = server.newest.max(flight.number);
        let Some(after) = server.health.record_answer(id, tries, now) else {
            return;
        };
        server.limit.restart_at(self.settings.start);
        match self.circuit.end_pause(now) {
            None => {
                let endpoint = self.name_of(endpoint);
                self.notes.push(Note::Back { endpoint, after });
            }
            Some(after) => {
                self.notes.push(Note::Resumed { after });
                for endpoint in &mut self.endpoints {
                    endpoint.health.probe_at_once(now);
                }
            }
        }
    }

    /// Returns what a result of this call at an endpoint is among its attempts.
    fn tries(&self, id: u64, endpoint: usize) -> Tries {
        let streak = self.endpoints[endpoint].health.streaks;
        let newest = |at: usize| self.endpoints[at].newest;
        let call = self.calls.get(&id);
        call.map_or(Tries::First, |call| call.tries(endpoint, streak, newest))
    }

    /// Sets an endpoint aside; where it was the last that was well, the run pauses.
    fn set_endpoint_aside(&mut self, endpoint: usize, fault: &Fault, now: Duration) {
        let server = &mut self.endpoints[endpoint];
        let wait = server.health.set_aside(now);
        let streak = server.health.streaks;
        // Waiting calls get back what they lost to the endpoint's present streak of faults.
        let (mut count, mut lost) = (0, 0);
        for (number, id) in self.retries.iter_waiting() {
            if let Some(call) = self.calls.get_mut(&id)
                && call.is_retry(number)
                && call.was_in(endpoint, streak)
            {
                count += 1;
                lost += call.forgive_streak(endpoint, streak);
            }
        }
        self.retries.budget.give_back(lost);
        let moved = 1 + count + self.queue.count_at_home(endpoint);
        let fault = fault.clone();
        if self.endpoints.iter().any(|server| server.health.is_well()) {
            self.notes.push(Note::SetAside {
                endpoint: self.name_of(endpoint),
                moved,
                wait,
                fault,
            });
        } else {
            self.circuit.start_pause(&fault, endpoint, now);
            let longest = self.longest_pause();
            let is_start = longest != self.settings.longest_pause;
            self.notes.push(Note::Paused {
                endpoint: self.address_of(endpoint),
                fault,
                longest,
                is_start,
            });
        }
    }

    fn stop_if_hopeless(&mut self, failure: Failure<'_>) {
        let Failure {
            flight, fault, now, ..
        } = failure;
        self.end_a_long_pause(now);
        // The fault is counted in any case.
        let call = self.calls.get(&failure.id);
        let failed_before = call.is_some_and(|call| call.ticket.failed_before);
        let misconfigured = self.misconfiguration.record_fault(fault, failed_before);
        if self.stop.is_some() {
            return;
        }
        if let Some(calls) = misconfigured {
            self.stop = Some(StopReason::Misconfiguration {
                calls,
                endpoint: self.address_of(flight.endpoint),
                fault: fault.clone(),
            });
            return;
        }
        // Every endpoint may ask to wait for longer than the run may pause.
        let first = self.endpoints.iter().map(|one| one.paused_until).min();
        let wait = first.unwrap_or_default().saturating_sub(now);
        if self.settings.longest_pause.is_some_and(|most| wait > most) {
            self.stop = Some(StopReason::Wait {
                wait,
                endpoint: self.address_of(flight.endpoint),
                fault: fault.clone(),
            });
        }
    }

    fn put_back(&mut self, id: u64, due: Duration) {
        let Some(call) = self.calls.get_mut(&id).filter(|call| call.in_flight() == 0) else {
            return;
        };
        call.place = CallState::Retry(self.retries.add_retry(id, due));
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
}
