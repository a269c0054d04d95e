//! The scheduler with simulated servers in virtual time.

use super::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A server that answers so many calls at once, in 20 ms give or take 10, and refuses others after
/// a millisecond or more.
#[derive(Clone)]
struct Server {
    /// From when on it answers how many at once; 0 is a server that is down.
    capacity: Vec<(Duration, usize)>,
    busy: usize,
    refuses_after: Duration,
    /// What a call meets while it is down.
    down: FaultKind,
    /// Of a hundred calls that it takes, so many fail in a way that says nothing of how much it has
    /// to do.
    chance: u64,
}

impl Server {
    fn of(capacity: &[(u64, usize)]) -> Server {
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
        }
    }

    fn capacity(&self, now: Duration) -> usize {
        self.capacity
            .iter()
            .rev()
            .find(|(from, _)| *from <= now)
            .map_or(0, |(_, capacity)| *capacity)
    }
}

/// Faults that come by chance.
const BY_CHANCE: [FaultKind; 3] = [
    FaultKind::Server,
    FaultKind::Connection,
    FaultKind::Malformed,
];

/// What was counted in a second of virtual time.
#[derive(Clone, Copy, Default)]
struct Second {
    replies: usize,
    faults: usize,
    /// Milliseconds of service given, and that could have been given.
    used: f64,
    could: f64,
}

/// The end of an attempt: when, its number, the client, the call, the server and the fault.
type End = (Duration, u64, usize, u64, usize, Option<FaultKind>);

struct World {
    servers: Vec<Server>,
    clients: Vec<Scheduler>,
    events: BinaryHeap<Reverse<End>>,
    random: ChaCha8Rng,
    now: Duration,
    number: u64,
    seconds: Vec<Second>,
    done: usize,
    /// Replies to each client while all had calls to send.
    shares: Vec<usize>,
    given_up: usize,
    stops: Vec<StopReason>,
    notes: Vec<String>,
    sends: Vec<(Duration, Send)>,
}

impl World {
    fn new(servers: Vec<Server>, clients: usize, settings: &Settings) -> World {
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
            shares: vec![0; clients],
            given_up: 0,
            stops: Vec::new(),
            notes: Vec::new(),
            sends: Vec::new(),
        }
    }

    /// Every client offers so many calls, ten of each prefix, at once, and all is run to its end.
    fn run(mut self, calls: u64) -> World {
        for client in &mut self.clients {
            (0..calls).for_each(|id| {
                assert!(client.offer_call(
                    Ticket {
                        id,
                        prefix: id / 10,
                        tokens: 10
                    },
                    Duration::ZERO
                ))
            });
        }
        self.send_all();
        while let Some(next) = self.next_moment() {
            self.pass(next);
            while self
                .events
                .peek()
                .is_some_and(|Reverse((at, ..))| *at <= self.now)
            {
                self.end_one();
            }
            self.send_all();
        }
        self
    }

    fn next_moment(&self) -> Option<Duration> {
        let wakes = self
            .clients
            .iter()
            .filter_map(|client| client.wake_at(self.now));
        wakes
            .chain(self.events.peek().map(|Reverse((at, ..))| *at))
            .min()
    }

    fn pass(&mut self, next: Duration) {
        let queued = self.clients.iter().all(|client| client.queue.len() > 0);
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

    fn second(&mut self) -> &mut Second {
        let at = self.now.as_secs() as usize;
        if self.seconds.len() <= at {
            self.seconds.resize(at + 1, Second::default());
        }
        &mut self.seconds[at]
    }

    fn send_all(&mut self) {
        for at in 0..self.clients.len() {
            while let Some(send) = self.clients[at].next_send(self.now) {
                self.sends.push((self.now, send));
                self.arrive(at, send);
            }
            self.notes.extend(
                self.clients[at]
                    .take_notes()
                    .iter()
                    .map(|note| format!("{} s: {note}", self.now.as_secs())),
            );
        }
    }

    fn arrive(&mut self, client: usize, send: Send) {
        let server = &mut self.servers[send.endpoint];
        let capacity = server.capacity(self.now);
        let fault = if capacity == 0 {
            Some(server.down)
        } else {
            (server.busy >= capacity).then_some(FaultKind::Overloaded)
        };
        server.busy += usize::from(fault.is_none());
        let (refuses_after, chance) = (server.refuses_after, server.chance);
        let service = if fault.is_some() {
            refuses_after
        } else {
            Duration::from_micros(10_000 + self.random.next_u64() % 20_000)
        };
        self.number += 1;
        let unlucky = fault.is_none() && chance > 0 && self.random.next_u64() % 100 < chance;
        let fault = if unlucky {
            Some(BY_CHANCE[self.number as usize % BY_CHANCE.len()])
        } else {
            fault
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

    fn end_one(&mut self) {
        let Some(Reverse((now, _, client, id, endpoint, fault))) = self.events.pop() else {
            return;
        };
        let by_chance = fault.is_some_and(|fault| BY_CHANCE.contains(&fault));
        self.servers[endpoint].busy -= usize::from(fault.is_none() || by_chance);
        let second = self.second();
        second.replies += usize::from(fault.is_none());
        second.faults += usize::from(fault.is_some() && !by_chance);
        let fault = fault.map(|kind| Fault::new(kind, "simulated"));
        let outcome = fault
            .as_ref()
            .map_or(Outcome::Replied { tokens: 10 }, Outcome::Failed);
        match self.clients[client].end_attempt(id, endpoint, outcome, now) {
            After::Done => {
                self.done += 1;
                self.shares[client] +=
                    usize::from(self.clients.iter().all(|client| client.queue.len() > 0));
            }
            After::GivenUp(_) => self.given_up += 1,
            After::Stop(stop) => self.stops.push(stop),
            After::Again | After::Late => {}
        }
    }

    /// The share of the capacity that was used, and of the calls that were refused, in whole
    /// seconds.
    fn shares(&self, from: usize, to: usize) -> (f64, f64) {
        let seconds = &self.seconds[from..to.min(self.seconds.len())];
        let sum = |of: fn(&Second) -> f64| seconds.iter().map(of).sum::<f64>();
        let faults = sum(|s| s.faults as f64);
        (
            sum(|s| s.used) / sum(|s| s.could),
            faults / (faults + sum(|s| s.replies as f64)),
        )
    }

    #[track_caller]
    fn check(&self, from: usize, to: usize, used: f64, refused: f64) {
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

#[test]
fn a_server_for_64_is_used_and_hardly_ever_asked_in_vain() {
    let world = World::new(vec![Server::of(&[(0, 64)])], 1, &Settings::default()).run(100_000);
    assert_eq!((world.done, world.given_up), (100_000, 0));
    world.check(0, 1, 0.8, 0.03);
    world.check(1, 100, 0.9, 0.02);
}

#[test]
fn a_capacity_that_changes_is_followed_however_fast_the_refusals() {
    for milliseconds in [1, 10, 30] {
        let server = Server {
            refuses_after: Duration::from_millis(milliseconds),
            ..Server::of(&[(0, 64), (6, 16), (15, 128)])
        };
        let world = World::new(vec![server], 1, &Settings::default()).run(60_000);
        println!("refusals after {milliseconds} ms: {:?}", world.notes);
        assert_eq!((world.done, world.given_up), (60_000, 0));
        world.check(1, 6, 0.9, 0.02);
        world.check(6, 8, 0.8, 0.25);
        world.check(8, 15, 0.9, 0.02);
        world.check(18, 100, 0.9, 0.02);
    }
}

/// Three of ten calls fail by chance: 500, a lost connection, half a body. Each reply then takes
/// 1.43 calls.
#[test]
fn faults_by_chance_cost_what_they_take_and_leave_the_limit_alone() {
    let time = |chance, capacity| {
        let server = Server {
            chance,
            ..Server::of(&[(0, capacity)])
        };
        let world = World::new(
            vec![server],
            1,
            &Settings {
                attempts: 60,
                ..Settings::default()
            },
        )
        .run(40_000);
        assert_eq!(
            (world.done, world.given_up, world.notes.len()),
            (40_000, 0, 0),
            "{:?}",
            world.notes
        );
        (world.now.as_secs_f64(), world)
    };
    let ((calm, _), (faulty, world)) = (time(0, 10_000), time(30, 10_000));
    println!("40,000 calls: {calm:.2} s without faults, {faulty:.2} s with 30 %");
    assert_eq!(world.clients[0].concurrency_limits(), [512]);
    assert!(faulty < 2.0 * calm, "{faulty} s, {calm} s");
    let ((calm, _), (faulty, world)) = (time(0, 64), time(30, 64));
    println!(
        "40,000 calls at a server for 64: {calm:.2} s without faults, {faulty:.2} s with 30 %"
    );
    assert!(faulty < 2.0 * calm, "{faulty} s, {calm} s");
    world.check(1, 100, 0.85, 0.03);
}

/// A round is as many results as are under way: two rounds after the capacity fell, hardly anything
/// is refused.
#[test]
fn refusals_are_obeyed_within_two_rounds_though_others_fail_by_chance() {
    let server = Server {
        chance: 30,
        ..Server::of(&[(0, 64), (6, 32)])
    };
    let settings = Settings {
        attempts: 60,
        ..Settings::default()
    };
    let world = World::new(vec![server], 1, &settings).run(20_000);
    assert_eq!((world.done, world.given_up), (20_000, 0));
    let sent_within = |from: f64, to: f64| {
        world
            .sends
            .iter()
            .filter(|(at, _)| (from..to).contains(&at.as_secs_f64()))
            .count()
    };
    println!(
        "sent a second before the fall: {}, after two rounds: {}",
        sent_within(5.0, 6.0),
        sent_within(6.06, 7.06)
    );
    assert!(sent_within(6.06, 7.06) < sent_within(5.0, 6.0) * 6 / 10);
    world.check(6, 7, 0.7, 0.1);
}

#[test]
fn clients_that_share_a_server_settle_too() {
    let world = World::new(vec![Server::of(&[(0, 64)])], 4, &Settings::default()).run(20_000);
    assert_eq!((world.done, world.given_up), (80_000, 0));
    world.check(2, 100, 0.9, 0.02);
    println!(
        "replies to each while all had calls to send: {:?}",
        world.shares
    );
    let all: usize = world.shares.iter().sum();
    assert!(
        world.shares.iter().all(|share| *share >= all / 10),
        "{:?}",
        world.shares
    );
}

#[test]
fn unequal_endpoints_are_both_used() {
    let world = World::new(
        vec![Server::of(&[(0, 64)]), Server::of(&[(0, 8)])],
        1,
        &Settings::default(),
    )
    .run(30_000);
    assert_eq!((world.done, world.given_up), (30_000, 0));
    world.check(2, 100, 0.9, 0.02);
}

#[test]
fn a_server_that_goes_down_is_waited_for() {
    let world = World::new(
        vec![Server::of(&[(0, 64), (3, 0), (33, 64)])],
        1,
        &Settings::default(),
    )
    .run(20_000);
    assert_eq!(
        (world.done, world.given_up, world.stops.len()),
        (20_000, 0, 0)
    );
    let down: usize = world.seconds[4..33]
        .iter()
        .map(|second| second.faults)
        .sum();
    assert_eq!(down, 4, "probes after 1, 3, 7, 15 s");
    assert!(
        world.notes[0].starts_with("3 s: paused: no connection (simulated); "),
        "{:?}",
        world.notes
    );
    assert_eq!(world.notes[1..], ["34 s: resumed after 31 s"]);
}

#[test]
fn a_server_that_stays_down_ends_the_run_and_loses_nothing() {
    let world = World::new(
        vec![Server::of(&[(0, 64), (3, 0)])],
        1,
        &Settings::default(),
    )
    .run(20_000);
    let client = &world.clients[0];
    assert!(
        matches!(client.stop_reason(), Some(StopReason::Paused { pause, .. }) if pause.as_secs() == 600),
        "{:?}",
        client.stop_reason()
    );
    assert_eq!(
        (
            world.done + client.count_waiting(),
            world.given_up,
            client.count_in_flight()
        ),
        (20_000, 0, 0)
    );
}

#[test]
fn the_calls_of_an_endpoint_that_goes_down_move_to_the_others() {
    let servers = vec![
        Server::of(&[(0, 64)]),
        Server::of(&[(0, 64), (2, 0), (5, 64)]),
        Server::of(&[(0, 64)]),
    ];
    let world = World::new(servers, 1, &Settings::default()).run(60_000);
    assert_eq!((world.done, world.given_up), (60_000, 0));
    assert!(
        world.notes[0].starts_with("2 s: endpoint 2 set aside: no connection (simulated); "),
        "{:?}",
        world.notes
    );
    assert!(
        world.notes[1].ends_with("s: endpoint 2 answers again after 3.0 s"),
        "{:?}",
        world.notes
    );
    assert_eq!(world.notes.len(), 2);
    world.check(1, 2, 0.9, 0.02);
    world.check(3, 9, 0.9, 0.02);
}

#[test]
fn a_prefix_stays_at_one_endpoint() {
    let servers = vec![
        Server::of(&[(0, 64)]),
        Server::of(&[(0, 64)]),
        Server::of(&[(0, 64)]),
    ];
    let world = World::new(servers, 1, &Settings::default()).run(30_000);
    let mut homes = vec![[0u32; 3]; 3000];
    world
        .sends
        .iter()
        .for_each(|(_, send)| homes[(send.id / 10) as usize][send.endpoint] += 1);
    let alone: u32 = homes.iter().map(|home| home.iter().max().unwrap()).sum();
    println!(
        "{} of {} sends at the prefix's main endpoint",
        alone,
        world.sends.len()
    );
    assert!(f64::from(alone) >= 0.9 * world.sends.len() as f64);
}

#[test]
fn rates_are_kept() {
    let settings = Settings {
        requests_per_minute: Some(600.0),
        tokens_per_minute: Some(3000.0),
        ..Settings::default()
    };
    let world = World::new(vec![Server::of(&[(0, 64)])], 1, &settings).run(1000);
    let within = |from: usize| {
        world.sends[from..]
            .iter()
            .take_while(|(at, _)| *at < world.sends[from].0 + Duration::from_secs(60))
            .count()
    };
    let most = (0..world.sends.len()).map(within).max().unwrap();
    // 10 tokens each: 300 calls, a second's worth (5) and one beyond.
    assert!((300..=306).contains(&most), "{most}");
    assert_eq!(world.done, 1000);
}
