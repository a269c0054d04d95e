//! The scheduler against plain books, under random calls, outcomes and times.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A call that is inside, as a law knows it.
#[derive(Default)]
struct Entry {
    offered: Duration,
    at: Vec<usize>,
    failures: u32,
    /// Not to be sent before this.
    due: Duration,
}

/// The books: everything that was offered and did not come out, and what each endpoint asked for.
struct Books {
    settings: Settings,
    scheduler: Scheduler,
    inside: BTreeMap<u64, Entry>,
    /// Halves of hedges that are under way although their call came out.
    late: Vec<(u64, usize)>,
    paused_until: Vec<Duration>,
    offered: u64,
    out: u64,
    now: Duration,
    sends: Vec<Send>,
}

impl Books {
    fn new(settings: Settings, endpoints: usize) -> Books {
        Books {
            scheduler: Scheduler::new(settings.clone(), endpoints),
            settings,
            inside: BTreeMap::new(),
            late: Vec::new(),
            paused_until: vec![Duration::ZERO; endpoints],
            offered: 0,
            out: 0,
            now: Duration::ZERO,
            sends: Vec::new(),
        }
    }

    fn offer(&mut self, prefix: u64) {
        let ticket = Ticket {
            id: self.offered,
            prefix,
            tokens: 5,
            failed_before: prefix == 4,
        };
        assert!(self.scheduler.offer_call(ticket, self.now));
        assert!(!self.scheduler.offer_call(ticket, self.now));
        self.inside.insert(
            ticket.id,
            Entry {
                offered: self.now,
                ..Entry::default()
            },
        );
        self.offered += 1;
    }

    fn send_all(&mut self) {
        while let Some((id, given_up)) = self.scheduler.take_overdue(self.now) {
            let entry = self.inside.remove(&id).unwrap();
            assert!(entry.at.is_empty());
            match given_up.why {
                GiveUpReason::PauseOver => assert!(entry.failures > 0),
                why => {
                    assert_eq!(why, GiveUpReason::Overdue);
                    let deadline = self.settings.call_deadline.unwrap();
                    assert!(entry.offered + deadline <= self.now);
                }
            }
            self.out += 1;
        }
        while let Some(send) = self.scheduler.next_send(self.now) {
            self.check_send(send);
            self.sends.push(send);
            self.inside
                .get_mut(&send.id)
                .unwrap()
                .at
                .push(send.endpoint);
            let limit = self.scheduler.concurrency_limits()[send.endpoint] as usize;
            assert!(
                self.flights()
                    .iter()
                    .filter(|(_, at)| *at == send.endpoint)
                    .count()
                    <= limit
            );
        }
        assert!(
            self.scheduler
                .wake_at(self.now)
                .is_none_or(|wake| wake > self.now)
        );
        assert_eq!(self.scheduler.count_in_flight(), self.flights().len());
        assert_eq!(
            self.scheduler.count_waiting(),
            self.inside
                .values()
                .filter(|entry| entry.at.is_empty())
                .count()
        );
        assert_eq!(self.offered, self.out + self.inside.len() as u64);
    }

    fn check_send(&self, send: Send) {
        let entry = &self.inside[&send.id];
        assert!(self.scheduler.stop_reason().is_none());
        assert!(
            entry.at.len() <= usize::from(self.settings.hedge_after.is_some())
                && !entry.at.contains(&send.endpoint)
        );
        assert!((1..=self.most_attempts()).contains(&send.attempt));
        assert!(send.attempt as usize <= entry.failures as usize + entry.at.len() + 1);
        assert!(self.now >= self.paused_until[send.endpoint] && self.now >= entry.due);
    }

    /// All attempts under way, with the call and the endpoint.
    fn flights(&self) -> Vec<(u64, usize)> {
        let inside = self
            .inside
            .iter()
            .flat_map(|(id, entry)| entry.at.iter().map(|at| (*id, *at)));
        inside.chain(self.late.iter().copied()).collect()
    }

    fn end(&mut self, which: usize, fault: Option<Fault>) {
        let flights = self.flights();
        let Some((id, endpoint)) = flights.get(which % flights.len().max(1)).copied() else {
            return;
        };
        let wait = fault
            .as_ref()
            .and_then(|fault| fault.retry_after)
            .unwrap_or_default();
        self.paused_until[endpoint] = self.paused_until[endpoint].max(self.now + wait);
        let outcome = fault.as_ref().map_or(
            AttemptOutcome::Replied { tokens: 7 },
            AttemptOutcome::Failed,
        );
        let after = self.scheduler.end_attempt(id, endpoint, outcome, self.now);
        match self.late.iter().position(|late| *late == (id, endpoint)) {
            Some(at) => {
                assert_eq!(after, After::Late);
                self.late.remove(at);
            }
            None => self.book(id, endpoint, fault, after),
        }
    }

    fn book(&mut self, id: u64, endpoint: usize, fault: Option<Fault>, after: After) {
        let most = self.most_attempts();
        let entry = self.inside.get_mut(&id).unwrap();
        entry.at.retain(|at| *at != endpoint);
        entry.failures += u32::from(fault.is_some());
        let passes = fault.as_ref().is_none_or(|fault| fault.kind.is_transient());
        match after {
            After::Done => assert!(fault.is_none()),
            After::GivenUp(given_up) => {
                assert_eq!(given_up.why == GiveUpReason::WillNotPass, !passes);
                assert_eq!(given_up.fault, fault);
                assert!(given_up.attempts <= most && given_up.attempts <= entry.failures);
                assert!(
                    !passes || entry.at.is_empty(),
                    "given up while another half is under way"
                );
                assert!(
                    given_up.why != GiveUpReason::AttemptsSpent
                        || given_up.attempts >= self.settings.attempts
                );
            }
            After::Again => return self.note_due(id, passes && fault.is_some()),
            After::Stop(stop) => {
                assert_eq!(self.scheduler.stop_reason(), Some(&stop));
                return assert!(fault.is_some());
            }
            After::Late => panic!("call {id} was inside"),
        }
        let entry = self.inside.remove(&id).unwrap();
        self.late.extend(entry.at.into_iter().map(|at| (id, at)));
        self.out += 1;
    }

    fn most_attempts(&self) -> u32 {
        self.settings.attempts.max(self.settings.attempts_by_chance)
    }

    fn note_due(&mut self, id: u64, passes: bool) {
        let call = &self.scheduler.calls[&id];
        assert!(passes && call.failed <= self.most_attempts());
        let entry = self.inside.get_mut(&id).unwrap();
        match call.place {
            CallState::Retry(number) => entry.due = self.scheduler.retries.due_at(number).unwrap(),
            place => assert!(place == CallState::Sent && !entry.at.is_empty()),
        }
        assert!(entry.due <= self.now + self.settings.backoff.longest_wait(call.failed));
    }

    fn step(&mut self, (what, number, milliseconds): (u8, usize, u64)) {
        match what {
            0..=59 => self.offer(number as u64 % 5),
            60..=99 => self.now += Duration::from_millis(milliseconds),
            100..=179 => self.end(number, None),
            _ => self.end(number, Some(fault(what, milliseconds))),
        }
        self.send_all();
    }

    /// Everything is answered from here on: all comes out, unless the run stopped.
    fn finish(&mut self) {
        for _ in 0..100_000 {
            while !self.flights().is_empty() {
                self.end(0, None);
            }
            self.send_all();
            if self.flights().is_empty() {
                if self.inside.is_empty()
                    || self.scheduler.stop_reason().is_some()
                    || self.paused_until.is_empty()
                {
                    return;
                }
                self.now = self
                    .scheduler
                    .wake_at(self.now)
                    .expect("calls wait, and nothing is under way");
                self.send_all();
            }
        }
        panic!("{} calls never come out", self.inside.len());
    }
}

fn fault(what: u8, milliseconds: u64) -> Fault {
    use FaultKind::*;
    let kinds = [
        Connection,
        Timeout,
        Overloaded,
        Server,
        Unreachable,
        Overloaded,
        Malformed,
        Hung,
        Denied,
        Rejected,
        TooLong,
        Filtered,
    ];
    let kind = kinds[what as usize % kinds.len()];
    let retry_after = (milliseconds.is_multiple_of(3) && kind == Overloaded)
        .then(|| Duration::from_millis(milliseconds));
    Fault {
        retry_after,
        ..Fault::new(kind, "drawn")
    }
}

fn some_settings() -> impl Strategy<Value = (Settings, usize)> {
    let limits = (1u32..6, 6u32..20, 1u32..6, 0u32..20, any::<u64>());
    let times = (
        prop::option::of(1u64..3000),
        prop::option::of(500u64..20_000),
        prop::option::of(1u64..40),
    );
    (limits, times, prop::option::of(30.0..3000.0), 0usize..4).prop_map(
        |(limits, times, rate, endpoints)| {
            let (start, most, attempts, spare_retries, seed) = limits;
            let settings = Settings {
                requests_per_minute: rate,
                tokens_per_minute: rate.map(|rate| 4.0 * rate),
                hedge_after: times.0.map(Duration::from_millis),
                call_deadline: times.1.map(Duration::from_millis),
                longest_pause: times.2.map(Duration::from_secs),
                ..Settings {
                    start,
                    most,
                    attempts,
                    // At times a fixed number of attempts.
                    attempts_by_chance: if seed % 2 == 0 { 0 } else { 60 },
                    spare_retries,
                    seed,
                    ..Settings::default()
                }
            };
            (settings, endpoints)
        },
    )
}

fn run((settings, endpoints): (Settings, usize), steps: &[(u8, usize, u64)]) -> Vec<Send> {
    let mut books = Books::new(settings, endpoints);
    steps.iter().for_each(|step| books.step(*step));
    books.finish();
    books.sends
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn nothing_is_lost_nothing_is_sent_too_early_and_the_seed_decides(
        settings in some_settings(),
        steps in vec((any::<u8>(), 0usize..1000, 0u64..4000), 0..300),
    ) {
        let sends = run(settings.clone(), &steps);
        prop_assert_eq!(run(settings, &steps), sends);
    }

    /// Where calls come first and then hardly anything but faults, so that endpoints are set aside
    /// and the run pauses.
    #[test]
    fn nor_when_nearly_everything_fails(settings in some_settings(), steps in vec((160u8.., 0usize..1000, 0u64..4000), 0..300)) {
        let offers = (0..40).map(|number| (0, number, 0));
        let waits = steps.iter().flat_map(|(what, number, time)| [(*what, *number, *time), (80, 0, *time)]);
        run(settings, &offers.chain(waits).collect::<Vec<_>>());
    }
}
