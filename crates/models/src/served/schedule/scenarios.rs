//! Fates of calls, step by step.

use super::*;

fn second(number: u64) -> Duration {
    Duration::from_secs(number)
}

fn scheduler(settings: Settings, endpoints: usize, calls: u64) -> Scheduler {
    let mut scheduler = Scheduler::new(settings, endpoints);
    (0..calls).for_each(|id| {
        assert!(scheduler.offer_call(
            Ticket {
                id,
                prefix: id,
                tokens: 1,
                ..Ticket::default()
            },
            Duration::ZERO
        ))
    });
    scheduler
}

fn fail(scheduler: &mut Scheduler, send: Send, kind: FaultKind, now: Duration) -> After {
    scheduler.end_attempt(
        send.id,
        send.endpoint,
        AttemptOutcome::Failed(&Fault::new(kind, "said")),
        now,
    )
}

fn reply(scheduler: &mut Scheduler, send: Send, now: Duration) -> After {
    scheduler.end_attempt(
        send.id,
        send.endpoint,
        AttemptOutcome::Replied { tokens: 1 },
        now,
    )
}

/// The next attempt, whenever it comes, and its time.
fn next_ever(scheduler: &mut Scheduler, mut now: Duration) -> (Send, Duration) {
    loop {
        match scheduler.next_send(now) {
            Some(send) => return (send, now),
            None => now = scheduler.wake_at(now).unwrap(),
        }
    }
}

#[test]
fn a_fault_that_does_not_pass_ends_the_call_at_once() {
    for kind in [
        FaultKind::Denied,
        FaultKind::NotFound,
        FaultKind::Rejected,
        FaultKind::TooLong,
        FaultKind::Filtered,
    ] {
        let mut scheduler = scheduler(Settings::default(), 1, 1);
        let send = scheduler.next_send(second(0)).unwrap();
        let given_up = GivenUp {
            why: GiveUpReason::WillNotPass,
            fault: Some(Fault::new(kind, "said")),
            attempts: 1,
        };
        assert_eq!(
            fail(&mut scheduler, send, kind, second(1)),
            After::GivenUp(given_up)
        );
        assert_eq!(scheduler.count_waiting(), 0);
        assert_eq!(scheduler.count_in_flight(), 0);
        assert_eq!(scheduler.wake_at(second(1)), None);
    }
}

#[test]
fn a_call_has_so_many_attempts_with_growing_waits_between() {
    let mut scheduler = scheduler(
        Settings {
            attempts: 4,
            ..Settings::default()
        },
        1,
        1,
    );
    let mut now = second(0);
    for attempt in 1..=4 {
        let (send, at) = next_ever(&mut scheduler, now);
        assert_eq!(send.attempt, attempt);
        assert!(at <= now + Backoff::default().longest_wait(attempt.saturating_sub(1)));
        now = at + second(1);
        let after = fail(&mut scheduler, send, FaultKind::Malformed, now);
        match after {
            After::GivenUp(given_up) => assert_eq!(
                (attempt, given_up.why, given_up.attempts),
                (4, GiveUpReason::AttemptsSpent, 4)
            ),
            after => assert_eq!((attempt < 4, after), (true, After::Again)),
        }
    }
}

#[test]
fn a_spent_budget_ends_calls_at_once() {
    let mut scheduler = scheduler(
        Settings {
            spare_retries: 1,
            retries_per_call: 0.5,
            ..Settings::default()
        },
        1,
        4,
    );
    let sends: Vec<_> = std::iter::from_fn(|| scheduler.next_send(second(0))).collect();
    let afters: Vec<_> = sends
        .iter()
        .map(|send| fail(&mut scheduler, *send, FaultKind::Malformed, second(1)))
        .collect();
    assert_eq!(afters[..3], [After::Again, After::Again, After::Again]);
    assert!(
        matches!(&afters[3], After::GivenUp(given_up) if given_up.why == GiveUpReason::BudgetSpent)
    );
}

#[test]
fn eight_calls_that_are_denied_end_the_run() {
    let mut scheduler = scheduler(Settings::default(), 1, 20);
    for ended in 1..8 {
        let send = scheduler.next_send(second(ended)).unwrap();
        assert!(matches!(
            fail(&mut scheduler, send, FaultKind::Denied, second(ended)),
            After::GivenUp(_)
        ));
    }
    let sends = [
        scheduler.next_send(second(9)).unwrap(),
        scheduler.next_send(second(9)).unwrap(),
    ];
    let eighth = fail(&mut scheduler, sends[0], FaultKind::Denied, second(9));
    assert!(
        matches!(eighth, After::GivenUp(_)),
        "it failed as the others did"
    );
    let stop = scheduler.stop_reason().cloned().expect("the run goes on");
    assert!(
        stop.to_string()
            .ends_with("access denied (said); check the environment variable that holds the key, and the account's credit"),
        "{stop}"
    );
    assert_eq!(scheduler.next_send(second(99)), None);
    assert_eq!(scheduler.wake_at(second(99)), None);
    assert_eq!(scheduler.stop_reason(), Some(&stop));
    assert_eq!(reply(&mut scheduler, sends[1], second(99)), After::Done);
    assert_eq!(scheduler.count_waiting(), 11);
}

#[test]
fn an_endpoint_that_asks_to_wait_is_left_alone() {
    let mut scheduler = scheduler(
        Settings {
            start: 1,
            most: 1,
            ..Settings::default()
        },
        2,
        3,
    );
    let sends = [
        scheduler.next_send(second(0)).unwrap(),
        scheduler.next_send(second(0)).unwrap(),
    ];
    let fault = Fault {
        retry_after: Some(second(30)),
        ..Fault::new(FaultKind::Overloaded, "")
    };
    assert_eq!(
        scheduler.end_attempt(
            sends[0].id,
            sends[0].endpoint,
            AttemptOutcome::Failed(&fault),
            second(1)
        ),
        After::Again
    );
    assert_eq!(scheduler.next_send(second(2)), None);
    assert_eq!(reply(&mut scheduler, sends[1], second(3)), After::Done);
    let other = scheduler.next_send(second(3)).unwrap();
    assert_eq!(other.id, sends[0].id);
    assert_eq!(other.endpoint, sends[1].endpoint);
    assert_eq!(scheduler.next_send(second(3)), None);
    assert_eq!(scheduler.wake_at(second(3)), Some(second(31)));
    assert_eq!(
        scheduler.next_send(second(31)).unwrap().endpoint,
        sends[0].endpoint
    );
    assert_eq!(
        scheduler.take_notes(),
        [Note::Waits {
            endpoint: format!("endpoint {}", sends[0].endpoint + 1),
            wait: second(30)
        }]
    );
}

#[test]
fn a_wait_longer_than_the_longest_pause_ends_the_run() {
    let mut scheduler = scheduler(Settings::default(), 1, 2);
    let send = scheduler.next_send(second(0)).unwrap();
    let fault = Fault {
        retry_after: Some(second(3600)),
        ..Fault::new(FaultKind::Overloaded, "quota")
    };
    let after = scheduler.end_attempt(
        send.id,
        send.endpoint,
        AttemptOutcome::Failed(&fault),
        second(1),
    );
    assert_eq!(
        after,
        After::Stop(StopReason::Wait {
            wait: second(3600),
            endpoint: "endpoint 1".into(),
            fault
        })
    );
}

#[test]
fn a_call_without_a_reply_is_hedged_and_the_first_reply_wins() {
    let mut scheduler = scheduler(
        Settings {
            hedge_after: Some(second(5)),
            ..Settings::default()
        },
        2,
        1,
    );
    let first = scheduler.next_send(second(0)).unwrap();
    assert_eq!(scheduler.next_send(second(4)), None);
    assert_eq!(scheduler.wake_at(second(4)), Some(second(5)));
    let other = scheduler.next_send(second(5)).unwrap();
    assert_eq!((other.id, other.attempt), (first.id, 2));
    assert_ne!(other.endpoint, first.endpoint);
    assert_eq!(scheduler.next_send(second(60)), None);
    assert_eq!(scheduler.count_in_flight(), 2);
    assert_eq!(reply(&mut scheduler, other, second(61)), After::Done);
    assert!(!scheduler.offer_call(
        Ticket {
            id: first.id,
            ..Ticket::default()
        },
        second(61)
    ));
    assert_eq!(
        fail(&mut scheduler, first, FaultKind::Timeout, second(62)),
        After::Late
    );
    assert_eq!(scheduler.count_in_flight(), 0);
    assert_eq!(reply(&mut scheduler, first, second(63)), After::Late);
}

#[test]
fn one_half_of_a_hedge_that_fails_leaves_the_other() {
    let mut scheduler = scheduler(
        Settings {
            hedge_after: Some(second(5)),
            ..Settings::default()
        },
        2,
        1,
    );
    let first = scheduler.next_send(second(0)).unwrap();
    let other = scheduler.next_send(second(5)).unwrap();
    assert_eq!(
        fail(&mut scheduler, first, FaultKind::Timeout, second(6)),
        After::Again
    );
    assert_eq!(scheduler.count_waiting(), 0);
    assert_eq!(scheduler.next_send(second(600)), None);
    assert_eq!(reply(&mut scheduler, other, second(601)), After::Done);
}

#[test]
fn a_call_that_waits_past_its_deadline_comes_out() {
    let settings = Settings {
        start: 1,
        most: 1,
        call_deadline: Some(second(10)),
        ..Settings::default()
    };
    let mut scheduler = scheduler(settings, 1, 2);
    let send = scheduler.next_send(second(0)).unwrap();
    assert_eq!(scheduler.take_overdue(second(9)), None);
    assert_eq!(scheduler.wake_at(second(9)), Some(second(10)));
    let given_up = GivenUp {
        why: GiveUpReason::Overdue,
        fault: None,
        attempts: 0,
    };
    assert_eq!(scheduler.take_overdue(second(10)), Some((1, given_up)));
    assert_eq!(scheduler.take_overdue(second(10)), None);
    assert_eq!(scheduler.count_waiting(), 0);
    let after = fail(&mut scheduler, send, FaultKind::Timeout, second(11));
    assert!(
        matches!(after, After::GivenUp(given_up) if given_up.why == GiveUpReason::Overdue && given_up.attempts == 1)
    );
}

#[test]
fn what_fails_while_nothing_gets_through_loses_no_attempts() {
    let mut scheduler = scheduler(
        Settings {
            start: 6,
            attempts: 2,
            longest_start: None,
            ..Settings::default()
        },
        1,
        6,
    );
    let sends: Vec<_> = std::iter::from_fn(|| scheduler.next_send(second(0))).collect();
    assert!(sends.iter().all(|send| fail(
        &mut scheduler,
        *send,
        FaultKind::Unreachable,
        second(1)
    ) == After::Again));
    for probe in [2, 4, 8, 16] {
        let (send, at) = next_ever(&mut scheduler, second(1));
        assert_eq!(send.attempt, 1);
        assert_eq!(at, second(probe));
        assert_eq!(scheduler.next_send(at), None);
        assert_eq!(
            fail(&mut scheduler, send, FaultKind::Unreachable, at),
            After::Again
        );
    }
    let mut now = second(16);
    for _ in 0..6 {
        let (send, at) = next_ever(&mut scheduler, now);
        assert_eq!(send.attempt, 1);
        assert_eq!(reply(&mut scheduler, send, at), After::Done);
        now = at;
    }
    let notes: Vec<_> = scheduler.take_notes().iter().map(Note::to_string).collect();
    let paused = "paused: no connection (said) at endpoint 1; it is asked again after 1 s, 2 s, 4 s, ... 60 s, \
                  and the run ends after 600 s without an answer (longest-pause in [judges.NAME] \
                  of the configuration)";
    let resumed = "nothing got through for 31 s; then it answered again";
    assert_eq!(notes, [paused, resumed]);
}

/// One call and nobody there: the user is told at once, and for how long it is waited.
#[test]
fn a_server_that_never_answered_pauses_the_run_at_the_first_connection_that_cannot_be_made() {
    let mut scheduler = scheduler(Settings::default(), 1, 1);
    let send = scheduler.next_send(second(0)).unwrap();
    assert_eq!(
        fail(&mut scheduler, send, FaultKind::Unreachable, second(1)),
        After::Again
    );
    let note = scheduler.take_notes()[0].to_string();
    assert!(note.contains("ends after 20 s"), "{note}");
    assert_eq!(scheduler.paused_for(second(8)), Some(second(7)));
    assert_eq!(scheduler.wake_at(second(1)), Some(second(2)));
}

/// Whoever waits for a server that starts hears when it does, and for how long it is waited then.
#[test]
fn a_pause_says_when_its_reason_changes_and_is_longer_once_somebody_is_met() {
    let mut scheduler = scheduler(Settings::default(), 1, 3);
    let send = scheduler.next_send(second(0)).unwrap();
    let after = fail(&mut scheduler, send, FaultKind::Unreachable, second(0));
    assert_eq!((after, scheduler.take_notes().len()), (After::Again, 1));
    for (kind, notes) in [(FaultKind::Unreachable, 0), (FaultKind::Overloaded, 1)] {
        let (send, at) = next_ever(&mut scheduler, second(0));
        assert_eq!(fail(&mut scheduler, send, kind, at), After::Again);
        let told = scheduler.take_notes();
        assert_eq!(told.len(), notes, "{told:?}");
        if let [note] = &told[..] {
            let words = "still paused, now for another reason: server overloaded (said) at endpoint 1; the run \
                         ends after 600 s";
            assert!(note.to_string().starts_with(words), "{note}");
        }
    }
    assert_eq!(
        scheduler.next_send(second(30)).map(|send| send.attempt),
        Some(1)
    );
}

#[test]
fn nobody_waits_long_for_an_address_where_nobody_ever_was() {
    let mut scheduler = scheduler(Settings::default(), 1, 3);
    let mut now = second(0);
    loop {
        if let Some(send) = scheduler.next_send(now) {
            let after = fail(&mut scheduler, send, FaultKind::Unreachable, now);
            assert_eq!(after, After::Again);
        } else if let Some(next) = scheduler.wake_at(now) {
            now = next;
        } else {
            break;
        }
    }
    assert_eq!(now, second(20));
    let stop = scheduler.stop_reason().unwrap().to_string();
    assert!(stop.contains("set longest-pause = 600"), "{stop}");
}

/// What fails by chance while others are answered waits for about as long as a reply takes, and not
/// for half a second.
#[test]
fn a_fault_by_chance_waits_no_longer_than_two_replies_take() {
    let mut scheduler = scheduler(Settings::default(), 1, 3);
    let at = Duration::from_millis;
    let sends: Vec<_> = std::iter::from_fn(|| scheduler.next_send(at(0))).collect();
    assert_eq!(reply(&mut scheduler, sends[0], at(10)), After::Done);
    assert_eq!(
        fail(&mut scheduler, sends[1], FaultKind::Server, at(10)),
        After::Again
    );
    let again = scheduler.wake_at(at(10)).unwrap();
    assert!(again <= at(30), "{again:?}");
    assert_eq!(
        fail(&mut scheduler, sends[2], FaultKind::Overloaded, at(30)),
        After::Again
    );
    assert_eq!(
        scheduler.next_send(at(30)).map(|send| send.id),
        Some(sends[1].id)
    );
}

#[test]
fn one_call_that_always_fails_does_not_pause_the_run() {
    let mut scheduler = scheduler(Settings::default(), 1, 1);
    let (mut now, mut attempts) = (second(0), 0);
    loop {
        let (send, at) = next_ever(&mut scheduler, now);
        (now, attempts) = (at + second(1), attempts + 1);
        if let After::GivenUp(given_up) = fail(&mut scheduler, send, FaultKind::Server, now) {
            assert_eq!((given_up.why, attempts), (GiveUpReason::AttemptsSpent, 6));
            return assert_eq!(scheduler.take_notes(), []);
        }
    }
}

#[test]
fn a_retry_goes_elsewhere_and_before_the_queue() {
    let mut scheduler = scheduler(
        Settings {
            start: 1,
            most: 1,
            ..Settings::default()
        },
        2,
        9,
    );
    let sends = [
        scheduler.next_send(second(0)).unwrap(),
        scheduler.next_send(second(0)).unwrap(),
    ];
    assert_eq!(
        fail(&mut scheduler, sends[0], FaultKind::Server, second(1)),
        After::Again
    );
    assert_eq!(reply(&mut scheduler, sends[1], second(9)), After::Done);
    let again = scheduler.next_send(second(9)).unwrap();
    assert_eq!(again.id, sends[0].id);
    assert_eq!(again.endpoint, sends[1].endpoint);
    assert_eq!(again.attempt, 2);
    assert_eq!(scheduler.next_send(second(9)).unwrap().attempt, 1);
}

/// The owner's clock goes on between the two questions: what came due meanwhile is not lost to one
/// that asks as of its last look.
#[test]
fn a_wake_up_asked_for_as_of_the_last_look_is_never_passed_over() {
    let mut scheduler = scheduler(Settings::default(), 1, 1);
    let send = scheduler.next_send(second(0)).unwrap();
    let again = fail(&mut scheduler, send, FaultKind::Server, second(0));
    assert_eq!(again, After::Again);
    assert_eq!(scheduler.next_send(second(0)), None);
    let due = scheduler.wake_at(second(0)).unwrap();
    assert_eq!(scheduler.wake_at(due), None, "nothing else would ever come");
    assert_eq!(scheduler.wake_at(second(0)), Some(due));
    assert!(scheduler.next_send(due).is_some());
}

#[test]
fn with_no_endpoint_calls_wait() {
    let mut scheduler = scheduler(Settings::default(), 0, 2);
    assert_eq!(scheduler.next_send(second(1)), None);
    assert_eq!(scheduler.wake_at(second(1)), None);
    assert_eq!(scheduler.count_waiting(), 2);
    assert_eq!(
        scheduler.end_attempt(0, 0, AttemptOutcome::Replied { tokens: 0 }, second(1)),
        After::Late
    );
}
