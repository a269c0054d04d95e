//! The scheduler with simulated servers in virtual time.

use super::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// A server that answers so many calls at once, in 20 ms give or take 10, and refuses others after
/// a millisecond or more.
#[derive(Clone)]
pub(super) struct Server {
    /// From when on it answers how many at once; 0 is a server that is down.
    pub(super) capacity: Vec<(Duration, usize)>,
    pub(super) busy: usize,
    pub(super) refuses_after: Duration,
    /// The fault that a call meets while it is down.
    pub(super) down: FaultKind,
    /// Of a hundred calls that it takes, so many fail in a way that says nothing of how much it has
    /// to do.
    pub(super) chance: u64,
    /// Of a hundred calls that it takes, so many hang: half a second later they are given up.
    pub(super) hangs: u64,
    /// Of a hundred calls that it takes, so many are refused whatever it has to do.
    pub(super) refuses: u64,
    /// The calls that always fail, and how.
    pub(super) bad: BTreeSet<u64>,
    pub(super) bad_fault: FaultKind,
}

impl Server {
    pub(super) fn of(capacity: &[(u64, usize)]) -> Server {
        let capacity = capacity
            .iter()
            .map(|(second, capacity)| (Duration::from_secs(*second), *capacity))
            .collect();
        Server {
            capacity,
            busy: 0,
            refuses_after: Duration::from_millis(1),
            down: FaultKind::Unreachable,
            chance: 0,
            hangs: 0,
            refuses: 0,
            bad: BTreeSet::new(),
            bad_fault: FaultKind::Server,
        }
    }

    pub(super) fn capacity(&self, now: Duration) -> usize {
        self.capacity
            .iter()
            .rev()
            .find(|(from, _)| *from <= now)
            .map_or(0, |(_, capacity)| *capacity)
    }
}

/// Faults that come by chance.
pub(super) const BY_CHANCE: [FaultKind; 3] = [
    FaultKind::Server,
    FaultKind::Connection,
    FaultKind::Malformed,
];

/// Counts of a second of virtual time.
#[derive(Clone, Copy, Default)]
pub(super) struct Second {
    pub(super) replies: usize,
    pub(super) faults: usize,
    /// Milliseconds of service given, and that could have been given.
    pub(super) used: f64,
    pub(super) could: f64,
}

/// The end of an attempt: when, its number, the client, the call, the server and the fault.
pub(super) type End = (Duration, u64, usize, u64, usize, Option<FaultKind>);

pub(super) struct World {
    pub(super) servers: Vec<Server>,
    pub(super) clients: Vec<Scheduler>,
    pub(super) events: BinaryHeap<Reverse<End>>,
    pub(super) random: ChaCha8Rng,
    pub(super) now: Duration,
    pub(super) number: u64,
    pub(super) seconds: Vec<Second>,
    pub(super) done: usize,
    /// The calls of the first client that were answered, and that were given up and why.
    pub(super) answered: BTreeSet<u64>,
    pub(super) lost: Vec<(u64, GivenUp)>,
    /// When refusals by chance end.
    pub(super) refuses_until: Option<Duration>,
    /// Those that failed in an earlier session.
    pub(super) failed_before: BTreeSet<u64>,
    /// Replies to each client while all had calls to send.
    pub(super) shares: Vec<usize>,
    pub(super) given_up: usize,
    pub(super) stops: Vec<StopReason>,
    pub(super) notes: Vec<String>,
    pub(super) sends: Vec<(Duration, Send)>,
}

impl World {
    pub(super) fn new(servers: Vec<Server>, clients: usize, settings: &Settings) -> World {
        let client = |seed| {
            Scheduler::new(
                Settings {
                    seed,
                    ..settings.clone()
                },
                servers.len(),
            )
        };
        World {
            clients: (0..clients as u64).map(client).collect(),
            servers,
            events: BinaryHeap::new(),
            random: ChaCha8Rng::seed_from_u64(1),
            now: Duration::ZERO,
            number: 0,
            seconds: Vec::new(),
            done: 0,
            answered: BTreeSet::new(),
            lost: Vec::new(),
            refuses_until: None,
            failed_before: BTreeSet::new(),
            shares: vec![0; clients],
            given_up: 0,
            stops: Vec::new(),
            notes: Vec::new(),
            sends: Vec::new(),
        }
    }

    /// Every client offers so many calls, ten of each prefix, at once, and all is run to its end.
    pub(super) fn run(mut self, calls: u64) -> World {
        for client in &mut self.clients {
            (0..calls).for_each(|id| {
                assert!(client.offer_call(
                    Ticket {
                        id,
                        prefix: id / 10,
                        tokens: 10,
                        ..Ticket::default()
                    },
                    Duration::ZERO
                ))
            });
        }
        self.send_all();
        while self.step() {}
        self
    }

    /// One client is offered calls in this order, so many at a time, and so many more while nothing
    /// gets through, until all have come out or the run stops.
    pub(super) fn run_holding(mut self, calls: &[u64], held: usize, more: usize) -> World {
        let mut calls = calls.iter();
        let mut offered = 0;
        loop {
            let client = &mut self.clients[0];
            let is_paused = client.paused_for(self.now).is_some();
            let room = held + if is_paused { more } else { 0 };
            while offered - self.answered.len() - self.lost.len() < room
                && let Some(id) = calls.next()
            {
                let ticket = Ticket {
                    id: *id,
                    prefix: id / 10,
                    tokens: 10,
                    failed_before: self.failed_before.contains(id),
                };
                assert!(client.offer_call(ticket, self.now));
                offered += 1;
            }
            self.send_all();
            if !self.step() {
                return self;
            }
        }
    }

    /// Goes on to the next moment at which something happens; false where nothing will.
    fn step(&mut self) -> bool {
        let Some(next) = self.next_moment() else {
            return false;
        };
        self.pass(next);
        while self
            .events
            .peek()
            .is_some_and(|Reverse((at, ..))| *at <= self.now)
        {
            self.end_one();
        }
        self.send_all();
        true
    }

    pub(super) fn next_moment(&self) -> Option<Duration> {
        let wakes = self
            .clients
            .iter()
            .filter_map(|client| client.wake_at(self.now));
        wakes
            .chain(self.events.peek().map(|Reverse((at, ..))| *at))
            .min()
    }

    pub(super) fn pass(&mut self, next: Duration) {
        let queued = self.clients.iter().all(|client| client.queue.waiting > 0);
        let (from, to) = (self.now.as_secs_f64(), next.as_secs_f64());
        let used: f64 = self
            .servers
            .iter()
            .map(|server| server.busy.min(server.capacity(self.now)) as f64)
            .sum();
        let could: f64 = self
            .servers
            .iter()
            .map(|server| server.capacity(self.now) as f64)
            .sum();
        let second = self.second();
        if queued {
            (second.used, second.could) = (
                second.used + used * (to - from),
                second.could + could * (to - from),
            );
        }
        self.now = next;
    }

    pub(super) fn second(&mut self) -> &mut Second {
        let at = self.now.as_secs() as usize;
        if self.seconds.len() <= at {
            self.seconds.resize(at + 1, Second::default());
        }
        &mut self.seconds[at]
    }

    pub(super) fn send_all(&mut self) {
        for at in 0..self.clients.len() {
            while let Some(send) = self.clients[at].next_send(self.now) {
                self.sends.push((self.now, send));
                self.arrive(at, send);
            }
            while let Some((id, given_up)) = self.clients[at].take_overdue(self.now) {
                self.given_up += 1;
                self.lost.push((id, given_up));
            }
            self.notes.extend(
                self.clients[at]
                    .take_notes()
                    .iter()
                    .map(|note| format!("{} s: {note}", self.now.as_secs())),
            );
        }
    }

    pub(super) fn arrive(&mut self, client: usize, send: Send) {
        let server = &mut self.servers[send.endpoint];
        let capacity = server.capacity(self.now);
        let fault = if capacity == 0 {
            Some(server.down)
        } else {
            (server.busy >= capacity).then_some(FaultKind::Overloaded)
        };
        server.busy += usize::from(fault.is_none());
        let (refuses_after, chance, hangs) = (server.refuses_after, server.chance, server.hangs);
        let is_over = self.refuses_until.is_some_and(|end| end <= self.now);
        let refuses = if is_over { 0 } else { server.refuses };
        let bad_fault = server.bad_fault;
        let service = if fault.is_some() {
            refuses_after
        } else {
            Duration::from_micros(10_000 + self.random.next_u64() % 20_000)
        };
        self.number += 1;
        let unlucky = fault.is_none() && chance > 0 && self.random.next_u64() % 100 < chance;
        let hangs = fault.is_none() && hangs > 0 && self.random.next_u64() % 100 < hangs;
        let is_bad = fault.is_none() && self.servers[send.endpoint].bad.contains(&send.id);
        let refused = fault.is_none() && refuses > 0 && self.random.next_u64() % 100 < refuses;
        let (fault, service) = if is_bad {
            (Some(bad_fault), service)
        } else if refused {
            self.servers[send.endpoint].busy -= 1;
            (Some(FaultKind::Overloaded), refuses_after)
        } else if unlucky {
            let fault = BY_CHANCE[self.number as usize % BY_CHANCE.len()];
            (Some(fault), service)
        } else if hangs {
            (Some(FaultKind::Hung), Duration::from_millis(500))
        } else {
            (fault, service)
        };
        self.events.push(Reverse((
            self.now + service,
            self.number,
            client,
            send.id,
            send.endpoint,
            fault,
        )));
    }

    pub(super) fn end_one(&mut self) {
        let Some(Reverse((now, _, client, id, endpoint, fault))) = self.events.pop() else {
            return;
        };
        let by_chance = fault.is_some_and(|fault| {
            [FaultKind::Hung, FaultKind::Rejected].contains(&fault) || BY_CHANCE.contains(&fault)
        });
        // One that is down may fail in the same ways, and was not busy with the call.
        let busy = &mut self.servers[endpoint].busy;
        *busy = busy.saturating_sub(usize::from(fault.is_none() || by_chance));
        let second = self.second();
        second.replies += usize::from(fault.is_none());
        second.faults += usize::from(fault.is_some() && !by_chance);
        let fault = fault.map(|kind| Fault::new(kind, "simulated"));
        let outcome = fault.as_ref().map_or(
            AttemptOutcome::Replied { tokens: 10 },
            AttemptOutcome::Failed,
        );
        match self.clients[client].end_attempt(id, endpoint, outcome, now) {
            After::Done => {
                self.done += 1;
                if client == 0 {
                    self.answered.insert(id);
                }
                self.shares[client] +=
                    usize::from(self.clients.iter().all(|client| client.queue.waiting > 0));
            }
            After::GivenUp(given_up) => {
                self.given_up += 1;
                self.lost.push((id, given_up));
            }
            After::Stop(stop) => self.stops.push(stop),
            After::Again | After::Late => {}
        }
    }

    /// The share of the capacity that was used, and of the calls that were refused, in whole
    /// seconds.
    pub(super) fn shares(&self, from: usize, to: usize) -> (f64, f64) {
        let seconds = &self.seconds[from..to.min(self.seconds.len())];
        let sum = |of: fn(&Second) -> f64| seconds.iter().map(of).sum::<f64>();
        let faults = sum(|s| s.faults as f64);
        (
            sum(|s| s.used) / sum(|s| s.could),
            faults / (faults + sum(|s| s.replies as f64)),
        )
    }

    #[track_caller]
    pub(super) fn check(&self, from: usize, to: usize, used: f64, refused: f64) {
        let shares = self.shares(from, to);
        println!(
            "seconds {from} to {to}: {:.4} of the capacity used, {:.5} of the calls refused",
            shares.0, shares.1
        );
        assert!(
            shares.0 >= used && shares.1 <= refused,
            "seconds {from} to {to}: {shares:?}"
        );
    }
}
