//! What the end of an attempt means for its call, its endpoint and the run.

use super::calls::{CallState, Flight};
use super::{After, Fault, FaultKind, GiveUpReason, Note, Outcome, Scheduler, StopReason};
use std::time::Duration;

/// A wait that is worth a note.
const LONG_WAIT: Duration = Duration::from_secs(5);

/// An attempt that ended with a fault.
#[derive(Clone, Copy)]
struct Failure<'a> {
    id: u64,
    flight: Flight,
    fault: &'a Fault,
    now: Duration,
}

impl Scheduler {
    /// The attempt that was sent to `endpoint` ended.
    ///
    /// A fault that passes leads to another attempt after a while, as long as the call has attempts
    /// and time and the run has retries. Attempts that failed because nothing got through, or
    /// because their endpoint was down, do not count. Any other fault ends the call.
    pub fn ended(
        &mut self,
        id: u64,
        endpoint: usize,
        outcome: Outcome<'_>,
        now: Duration,
    ) -> After {
        let now = self.at(now);
        let Some(flight) = self.calls.get_mut(&id).and_then(|call| call.land(endpoint)) else {
            return After::Late;
        };
        self.endpoints
            .get_mut(endpoint)
            .into_iter()
            .for_each(|endpoint| endpoint.in_flight -= 1);
        match outcome {
            Outcome::Replied { tokens } => self.replied(id, flight, tokens, now),
            Outcome::Failed(fault) => self.failed(Failure {
                id,
                flight,
                fault,
                now,
            }),
        }
    }

    fn replied(&mut self, id: u64, flight: Flight, tokens: u64, now: Duration) -> After {
        let estimate = self.calls.get(&id).map_or(0, |call| call.ticket.tokens);
        let took = now.saturating_sub(flight.sent);
        let endpoint = self.endpoints.get_mut(flight.endpoint);
        endpoint
            .into_iter()
            .for_each(|endpoint| endpoint.replied(estimate, tokens, took, now));
        self.set_up.replied();
        self.answered(id, flight.endpoint, now);
        if self.leave(id) {
            After::Done
        } else {
            After::Late
        }
    }

    fn failed(&mut self, failure: Failure<'_>) -> After {
        self.learn(failure);
        self.stop_if_hopeless(failure);
        if self
            .calls
            .get(&failure.id)
            .is_none_or(|call| call.place == CallState::Over)
        {
            self.leave(failure.id);
            return After::Late;
        }
        match self.stop.clone() {
            Some(stop) => {
                self.put_back(failure.id, failure.now);
                After::Stop(stop)
            }
            None => self.decide(failure),
        }
    }

    /// Another attempt, or none.
    fn decide(&mut self, failure: Failure<'_>) -> After {
        let Failure {
            id,
            flight,
            fault,
            now,
        } = failure;
        let free = fault.kind.passes() && !self.is_well(flight.endpoint);
        let streak = self.streak(flight.endpoint);
        let most = self
            .endpoints
            .get(flight.endpoint)
            .filter(|_| fault.kind.is_chance());
        let most = most.and_then(|endpoint| endpoint.chance_wait());
        let Some(call) = self.calls.get_mut(&id) else {
            return After::Late;
        };
        call.note(fault, flight.endpoint, streak, free);
        if fault.kind.passes() && call.in_flight() > 0 {
            return After::Again;
        }
        let due = if free {
            now
        } else {
            now.saturating_add(self.retries.wait(call.failed, most))
        };
        match self.what_stands_against(failure, free, due) {
            Some(why) => self.give_up(id, why),
            None => {
                self.put_back(id, due);
                After::Again
            }
        }
    }

    /// What stands against another attempt at `due`; one that is `free` costs nothing.
    fn what_stands_against(
        &mut self,
        failure: Failure<'_>,
        free: bool,
        due: Duration,
    ) -> Option<GiveUpReason> {
        let call = self.calls.get(&failure.id)?;
        let deadline = self
            .settings
            .call_deadline
            .map(|deadline| call.offered.saturating_add(deadline));
        if !failure.fault.kind.passes() {
            Some(GiveUpReason::WillNotPass)
        } else if !free && call.failed >= self.settings.attempts.max(1) {
            Some(GiveUpReason::AttemptsSpent)
        } else if deadline.is_some_and(|deadline| due >= deadline) {
            Some(GiveUpReason::Overdue)
        } else {
            (!free && !self.retries.budget().take(self.offered))
                .then_some(GiveUpReason::BudgetSpent)
        }
    }

    /// What a fault says about its endpoint and about the run.
    ///
    /// That an endpoint refuses what was sent before its limit was cut is expected, and says
    /// nothing about its health.
    fn learn(&mut self, failure: Failure<'_>) {
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
        let expected = fault.kind == FaultKind::Overloaded && flight.cuts != endpoint.limit.cuts();
        endpoint.failed(fault, flight.cuts, now);
        if !fault.kind.passes() {
            return self.answered(id, flight.endpoint, now);
        }
        if endpoint.health.probe_failed(id, now) {
            return self.circuit.probe_failed(fault, now);
        }
        let again = self
            .calls
            .get(&id)
            .is_some_and(|call| call.was_in(flight.endpoint, endpoint.health.streaks()));
        if !expected {
            endpoint.health.failed(fault.kind, again);
        }
        if endpoint.health.is_failing(endpoint.limit.calls()) {
            self.set_aside(flight.endpoint, fault, now);
        }
    }

    /// An endpoint answered a call, whatever the answer was.
    fn answered(&mut self, id: u64, endpoint: usize, now: Duration) {
        let Some(server) = self.endpoints.get_mut(endpoint) else {
            return;
        };
        let Some(after) = server.health.answered(id, now) else {
            return;
        };
        server.limit.restart(self.settings.start);
        match self.circuit.close(now) {
            None => self.notes.push(Note::Back { endpoint, after }),
            Some(after) => {
                self.notes.push(Note::Resumed { after });
                self.endpoints
                    .iter_mut()
                    .for_each(|endpoint| endpoint.health.hurry(now));
            }
        }
    }

    fn set_aside(&mut self, endpoint: usize, fault: &Fault, now: Duration) {
        let Some(wait) = self
            .endpoints
            .get_mut(endpoint)
            .map(|endpoint| endpoint.health.set_aside(now))
        else {
            return;
        };
        let moved = 1 + self.forgive(endpoint) + self.queue.at_home(endpoint);
        if self
            .endpoints
            .iter()
            .any(|endpoint| endpoint.health.is_well())
        {
            return self.notes.push(Note::SetAside {
                endpoint,
                moved,
                wait,
                fault: fault.clone(),
            });
        }
        self.circuit.open(fault, now);
        self.notes.push(Note::Paused {
            fault: fault.clone(),
            longest: self.settings.longest_pause,
        });
    }

    /// Gives back what waiting calls lost to an endpoint's present streak of faults, and says how
    /// many they are.
    fn forgive(&mut self, endpoint: usize) -> usize {
        let streak = self.streak(endpoint);
        let (calls, mut count, mut lost) = (&mut self.calls, 0, 0);
        for (number, id) in self.retries.all() {
            let call = calls
                .get_mut(&id)
                .filter(|call| call.is_retry(number) && call.was_in(endpoint, streak));
            call.into_iter().for_each(|call| {
                (count, lost) = (count + 1, lost + call.forgive(endpoint, streak))
            });
        }
        self.retries.budget().give_back(lost);
        count
    }

    fn stop_if_hopeless(&mut self, failure: Failure<'_>) {
        let Failure {
            flight, fault, now, ..
        } = failure;
        self.end_a_long_pause(now);
        let wrong = self.set_up.failed(fault);
        let stop = wrong.map(|calls| StopReason::Misconfiguration {
            calls,
            endpoint: flight.endpoint,
            fault: fault.clone(),
        });
        let stop = stop.or_else(|| {
            self.all_wait_too_long(now).map(|wait| StopReason::Wait {
                wait,
                fault: fault.clone(),
            })
        });
        self.stop = self.stop.take().or(stop);
    }

    /// The shortest wait that the endpoints ask for, if that is longer than the longest pause.
    fn all_wait_too_long(&self, now: Duration) -> Option<Duration> {
        let wait = self
            .endpoints
            .iter()
            .map(|endpoint| endpoint.paused_until())
            .min()?
            .saturating_sub(now);
        self.settings
            .longest_pause
            .filter(|longest| wait > *longest)
            .map(|_| wait)
    }

    fn note_a_long_wait(&mut self, failure: Failure<'_>) {
        let endpoint = failure.flight.endpoint;
        let waits = self
            .endpoints
            .get(endpoint)
            .is_some_and(|endpoint| endpoint.paused_until() > failure.now);
        let wait = failure
            .fault
            .retry_after
            .filter(|wait| *wait >= LONG_WAIT && !waits);
        self.notes
            .extend(wait.map(|wait| Note::Waits { endpoint, wait }));
    }

    fn put_back(&mut self, id: u64, due: Duration) {
        let Some(call) = self.calls.get_mut(&id).filter(|call| call.in_flight() == 0) else {
            return;
        };
        call.place = CallState::Retry(self.retries.push(id, due));
    }

    fn give_up(&mut self, id: u64, why: GiveUpReason) -> After {
        let Some(given_up) = self.calls.get(&id).map(|call| call.given_up(why)) else {
            return After::Late;
        };
        self.leave(id);
        After::GivenUp(given_up)
    }

    /// The call comes out; it is forgotten when nothing of it is under way. False if it came out
    /// before.
    fn leave(&mut self, id: u64) -> bool {
        let Some(call) = self.calls.get_mut(&id) else {
            return false;
        };
        let first = call.place != CallState::Over;
        call.place = CallState::Over;
        if call.in_flight() == 0 {
            self.calls.remove(&id);
        }
        first
    }

    fn is_well(&self, endpoint: usize) -> bool {
        self.endpoints
            .get(endpoint)
            .is_some_and(|endpoint| endpoint.health.is_well())
    }

    fn streak(&self, endpoint: usize) -> u64 {
        self.endpoints
            .get(endpoint)
            .map_or(0, |endpoint| endpoint.health.streaks())
    }
}
