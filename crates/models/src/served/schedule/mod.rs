//! When and where calls are sent.
//!
//! A state machine without clock, thread or I/O: its owner says what time it is (as the time since
//! some fixed start, never going back), sends what [`Scheduler::next_send`] gives, and reports how
//! it ended. The same settings, seed and sequence of calls give the same sequence of sends. A step
//! costs about a microsecond, whatever the number of calls inside.
//!
//! ```
//! use evenhand_models::served::schedule::{After, AttemptOutcome, Scheduler, Settings, Ticket};
//! use std::time::Duration;
//!
//! let mut scheduler = Scheduler::new(Settings::default(), 1);
//! scheduler.offer_call(Ticket { id: 7, tokens: 100, ..Ticket::default() }, Duration::ZERO);
//! let send = scheduler.next_send(Duration::ZERO).unwrap();
//! let after = scheduler.end_attempt(send.id, send.endpoint, AttemptOutcome::Replied { tokens: 90 }, Duration::from_secs(1));
//! assert_eq!(after, After::Done);
//! ```
//!
//! Whenever something was offered or ended, or the time of [`Scheduler::wake_at`] has come, its
//! owner asks [`Scheduler::take_overdue`] and [`Scheduler::next_send`] until they give nothing, and
//! then [`Scheduler::stop_reason`] and `wake_at`.
//!
//! The rules, a file each: how much an endpoint is given at once (`aimd`) and in a minute
//! (`bucket`), whether it answers at all (`health`), when the whole run pauses (`circuit`) or stops
//! (`misconfiguration`), what is sent first (`queue`), again (`retry`) and where (`dispatch`), and
//! what the end of an attempt means (`attempt_end`).

mod aimd;
mod attempt_end;
mod bucket;
mod calls;
mod circuit;
mod dispatch;
mod endpoint;
mod health;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod loads;
mod misconfiguration;
mod notices;
#[cfg(test)]
mod prompts;
mod queue;
mod retry;
#[cfg(test)]
mod scenarios;
mod settings;
#[cfg(test)]
mod simulation;

use super::fault::{Fault, FaultKind};
use calls::{Call, CallState, Map};
use circuit::Circuit;
use endpoint::Endpoint;
use misconfiguration::Misconfiguration;
use queue::Queue;
use retry::Retries;
use std::collections::VecDeque;
use std::time::Duration;

pub use notices::{GiveUpReason, GivenUp, Note, StopReason};
pub use settings::{Backoff, Settings};

/// A call to be made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticket {
    /// The call's number; used once at a time.
    pub id: u64,
    /// A hash of the part of the prompt that it shares with others: calls of one prefix go near one
    /// another, to one endpoint.
    pub prefix: u64,
    /// How many tokens it will probably cost, for `tokens_per_minute`.
    pub tokens: u64,
    /// Whether it failed to the end in an earlier session: where it fails again, that says nothing
    /// of its server.
    pub failed_before: bool,
}

/// An attempt to be made now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// The call.
    pub id: u64,
    /// The endpoint, from 0.
    pub endpoint: usize,
    /// From 1 to the settings' `attempts`; those that failed while the run paused are not counted.
    pub attempt: u32,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug)]
pub enum AttemptOutcome<'a> {
    /// With a reply that cost so many tokens.
    Replied {
        /// Of the prompt and the reply.
        tokens: u64,
    },
    /// With a fault.
    Failed(&'a Fault),
}

/// The fate of a call whose attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub enum After {
    /// It is answered and no longer inside.
    Done,
    /// It stays inside: another attempt is under way or will come out of [`Scheduler::next_send`].
    Again,
    /// It will not be answered and is no longer inside.
    GivenUp(GivenUp),
    /// The call came out before (the other half of a hedge was first), or was never sent there:
    /// nothing to do.
    Late,
    /// The whole run should end; the call stays inside, and nothing will be sent any more.
    Stop(StopReason),
}

/// The scheduler of one model's calls over its endpoints.
#[derive(Debug)]
pub struct Scheduler {
    settings: Settings,
    endpoints: Vec<Endpoint>,
    calls: Map<Call>,
    queue: Queue,
    retries: Retries,
    circuit: Circuit,
    misconfiguration: Misconfiguration,
    /// When calls were offered, in that order; empty where there is no deadline.
    offers: VecDeque<(Duration, u64)>,
    /// When attempts were sent (with the call and the attempt's number), in that order; empty where
    /// there is no hedging.
    hedges: VecDeque<(Duration, u64, u64)>,
    notes: Vec<Note>,
    stop: Option<StopReason>,
    offered: u64,
    sent: u64,
    /// The endpoint whose turn it is to be probed while the run pauses.
    turn: usize,
    /// Whether anybody was ever met at any endpoint: something else came than that no connection
    /// could be made.
    is_met: bool,
    /// Calls that were given up while they waited, until they are taken.
    given_up: VecDeque<(u64, GivenUp)>,
    /// Where the endpoints are, for people; empty where nobody said.
    addresses: Vec<String>,
    now: Duration,
}

impl Scheduler {
    /// Makes a scheduler over `endpoints` equal servers (with none, nothing is ever sent).
    pub fn new(settings: Settings, endpoints: usize) -> Scheduler {
        Scheduler {
            endpoints: vec![Endpoint::new(&settings); endpoints],
            calls: Map::default(),
            queue: Queue::default(),
            retries: Retries::new(&settings),
            circuit: Circuit::default(),
            misconfiguration: Misconfiguration::default(),
            offers: VecDeque::new(),
            hedges: VecDeque::new(),
            notes: Vec::new(),
            stop: None,
            offered: 0,
            sent: 0,
            turn: 0,
            is_met: false,
            given_up: VecDeque::new(),
            addresses: Vec::new(),
            now: Duration::ZERO,
            settings,
        }
    }

    /// Tells people where the endpoints are, in their order.
    pub fn with_addresses(self, addresses: Vec<String>) -> Scheduler {
        Scheduler { addresses, ..self }
    }

    /// Returns where an endpoint is, for what a report does not keep.
    fn address_of(&self, endpoint: usize) -> String {
        let address = self.addresses.get(endpoint).cloned();
        address.unwrap_or_else(|| format!("endpoint {}", endpoint + 1))
    }

    /// Returns what an endpoint is called in what a report keeps: the addresses of several are
    /// nobody's business there.
    fn name_of(&self, endpoint: usize) -> String {
        match self.endpoints.len() {
            1 => self.address_of(endpoint),
            _ => format!("endpoint {}", endpoint + 1),
        }
    }

    /// Takes a call in. False, and nothing happens, if one with this id is still inside or has an
    /// attempt under way.
    pub fn offer_call(&mut self, ticket: Ticket, now: Duration) -> bool {
        let now = self.advance_clock(now);
        if self.calls.contains_key(&ticket.id) {
            return false;
        }
        self.offered += 1;
        self.calls.insert(ticket.id, Call::new(ticket, now));
        self.queue.push_call(ticket.prefix, ticket.id);
        if self.settings.call_deadline.is_some() {
            // Those at the front that came out need not be remembered.
            while let Some((at, id)) = self.offers.front()
                && self.calls.get(id).is_none_or(|call| call.offered != *at)
            {
                self.offers.pop_front();
            }
            self.offers.push_back((now, ticket.id));
        }
        true
    }

    /// Returns a call that came out while it waited, since its deadline passed or it failed to the
    /// end of a pause. To be asked until it gives nothing.
    pub fn take_overdue(&mut self, now: Duration) -> Option<(u64, GivenUp)> {
        let now = self.advance_clock(now);
        if let Some(given_up) = self.given_up.pop_front() {
            return Some(given_up);
        }
        let deadline = self.settings.call_deadline?;
        if self.stop.is_some() {
            return None;
        }
        let latest = now.checked_sub(deadline)?;
        while let Some((offered, id)) = self.offers.front().copied()
            && offered <= latest
        {
            self.offers.pop_front();
            let Some(call) = self.calls.get(&id).filter(|call| call.offered == offered) else {
                continue;
            };
            match call.place {
                CallState::Queue => self.queue.remove_call(call.ticket.prefix, id),
                CallState::Retry(_) => self.retries.forget_one(),
                CallState::Sent | CallState::Over => continue,
            }
            let call = self.calls.remove(&id)?;
            return Some((id, call.give_up(GiveUpReason::Overdue)));
        }
        None
    }

    /// Returns how many calls wait to be sent, for the first time or again.
    pub fn count_waiting(&self) -> usize {
        self.queue.waiting + self.retries.waiting
    }

    /// Returns how many attempts are under way.
    #[cfg(test)]
    pub(crate) fn count_in_flight(&self) -> usize {
        self.endpoints
            .iter()
            .map(|endpoint| endpoint.in_flight as usize)
            .sum()
    }

    /// Returns for how long nothing has got through, while the run pauses.
    pub fn paused_for(&self, now: Duration) -> Option<Duration> {
        self.circuit.current_pause(now).map(|(pause, ..)| pause)
    }

    /// Returns how many attempts may be under way at each endpoint now; at least 1.
    #[cfg(test)]
    pub(crate) fn concurrency_limits(&self) -> Vec<u32> {
        self.endpoints
            .iter()
            .map(|endpoint| endpoint.limit.calls())
            .collect()
    }

    /// Returns why nothing will be sent any more, if that is so. Worth asking whenever
    /// [`Scheduler::next_send`] gives nothing.
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.stop.as_ref()
    }

    /// Takes what there is to tell since this was last asked, in order.
    pub fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// Takes the time from the caller; it does not go back.
    fn advance_clock(&mut self, now: Duration) -> Duration {
        self.now = self.now.max(now);
        self.now
    }
}
