//! The calls that are inside the scheduler.

use super::{Fault, GiveUpReason, GivenUp, Ticket};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// A map by number that is the same in every process; nothing depends on the order of its entries.
pub(super) type Map<T> = FxHashMap<u64, T>;

/// A call from its offer to the end of its last attempt.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) ticket: Ticket,
    pub(super) offered: Duration,
    pub(super) place: CallState,
    /// The attempts under way: one, or two where the call was hedged.
    pub(super) flights: [Option<Flight>; 2],
    /// Attempts that failed and count.
    pub(super) failed: u32,
    pub(super) last: Option<Box<Last>>,
    /// True where it failed, and others that were sent later to the same endpoint were answered.
    pub(super) is_suspect: bool,
    /// The latest round of probes that it was sent in; 0 if in none.
    pub(super) probed: u64,
}

/// Where a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallState {
    /// In the queue, never sent.
    Queue,
    /// Among the retries, under this number.
    Retry(u64),
    /// Sent.
    Sent,
    /// It came out; one half of a hedge is still under way.
    Over,
}

/// Which attempt of a call it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tries {
    /// Nothing is known against the call: it never failed before, or when nobody got through.
    First,
    /// It failed before, though others were answered that were sent later: it may be the call that
    /// fails.
    Later,
    /// It failed in the present streak already.
    InStreak,
    /// It failed to the end in an earlier session.
    Known,
}

/// One attempt under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub(super) endpoint: usize,
    /// When it was sent.
    pub(super) sent: Duration,
    /// Sendings so far, over all calls.
    pub(super) number: u64,
    /// How often the endpoint's limit was cut when the attempt was sent.
    pub(super) cuts: u32,
}

/// The last failed attempt of a call.
#[derive(Debug)]
pub(super) struct Last {
    pub(super) fault: Fault,
    pub(super) endpoint: usize,
    /// The number of its sending.
    number: u64,
    /// The endpoint's streak of faults that it belongs to, and how many of the call's failures that
    /// count do.
    pub(super) streak: u64,
    pub(super) in_streak: u32,
    /// The streaks at the endpoints where it failed before that.
    before: Vec<(usize, u64)>,
}

impl Last {
    fn is_of(&self, endpoint: usize, streak: u64) -> bool {
        (self.endpoint, self.streak) == (endpoint, streak)
    }
}

impl Call {
    pub(super) fn new(ticket: Ticket, offered: Duration) -> Call {
        Call {
            ticket,
            offered,
            place: CallState::Queue,
            flights: [None; 2],
            failed: 0,
            last: None,
            is_suspect: false,
            probed: 0,
        }
    }

    pub(super) fn in_flight(&self) -> u32 {
        self.flights.iter().flatten().count() as u32
    }

    /// Whether the call waits among the retries under this number.
    pub(super) fn is_retry(&self, number: u64) -> bool {
        self.place == CallState::Retry(number)
    }

    pub(super) fn start_flight(&mut self, flight: Flight) {
        self.place = CallState::Sent;
        if let Some(place) = self.flights.iter_mut().find(|place| place.is_none()) {
            *place = Some(flight);
        }
    }

    /// Whether one attempt is under way, and no other has been made of it.
    pub(super) fn is_sent_once(&self) -> bool {
        self.place == CallState::Sent && self.in_flight() == 1
    }

    /// Returns the attempt under way that has this number.
    pub(super) fn find_flight(&self, number: u64) -> Option<Flight> {
        let mut flights = self.flights.iter().flatten();
        flights.find(|flight| flight.number == number).copied()
    }

    /// Ends the attempt at an endpoint, if one is under way.
    pub(super) fn end_flight(&mut self, endpoint: usize) -> Option<Flight> {
        self.flights
            .iter_mut()
            .find(|flight| flight.is_some_and(|f| f.endpoint == endpoint))?
            .take()
    }

    pub(super) fn last_endpoint(&self) -> Option<usize> {
        self.last.as_ref().map(|last| last.endpoint)
    }

    /// Returns what the next result of this call is among its attempts. `newest` says which is the
    /// newest attempt that an endpoint answered.
    pub(super) fn tries(
        &self,
        endpoint: usize,
        streak: u64,
        newest: impl Fn(usize) -> u64,
    ) -> Tries {
        if self.ticket.failed_before {
            return Tries::Known;
        }
        let Some(last) = &self.last else {
            return Tries::First;
        };
        if last.is_of(endpoint, streak) || last.before.contains(&(endpoint, streak)) {
            return Tries::InStreak;
        }
        match self.is_suspect || newest(last.endpoint) > last.number {
            true => Tries::Later,
            false => Tries::First,
        }
    }

    /// Whether the call had a part in a streak of faults already.
    pub(super) fn was_in(&self, endpoint: usize, streak: u64) -> bool {
        self.last
            .as_ref()
            .is_some_and(|last| last.is_of(endpoint, streak))
    }

    /// Notes a failed attempt; one that is `free` does not count.
    pub(super) fn record_failure(
        &mut self,
        fault: &Fault,
        flight: Flight,
        streak: u64,
        free: bool,
    ) {
        let endpoint = flight.endpoint;
        let counts = u32::from(!free);
        let (mut in_streak, mut before) = (counts, Vec::new());
        if let Some(last) = self.last.take() {
            if last.is_of(endpoint, streak) {
                in_streak += last.in_streak;
            }
            before = last.before;
            if last.endpoint != endpoint {
                before.retain(|(at, _)| *at != last.endpoint);
                before.push((last.endpoint, last.streak));
            }
        }
        self.failed += counts;
        self.last = Some(Box::new(Last {
            fault: fault.clone(),
            endpoint,
            number: flight.number,
            streak,
            in_streak,
            before,
        }));
    }

    pub(super) fn give_up(&self, why: GiveUpReason) -> GivenUp {
        GivenUp {
            why,
            attempts: self.failed,
            fault: self.last.as_ref().map(|last| last.fault.clone()),
        }
    }

    /// Gives back what the call lost to a streak of faults: how many attempts.
    pub(super) fn forgive_streak(&mut self, endpoint: usize, streak: u64) -> u32 {
        let last = self.last.as_mut();
        let last = last.filter(|last| last.is_of(endpoint, streak));
        let lost = last.map_or(0, |last| std::mem::take(&mut last.in_streak));
        self.failed = self.failed.saturating_sub(lost);
        lost
    }
}
