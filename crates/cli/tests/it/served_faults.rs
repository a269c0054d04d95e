//! Served judges whose servers fail all the time: every trial ends, nothing is paid for twice,
//! memory stays bounded, and where every call got its reply in the end, the result is that of
//! servers which never fail.

use crate::common::served::*;
use crate::common::{Desk, Ran};
use evenhand_testing::is_slow;
use evenhand_testing::server::{Fault, RetryAfter, Script, Stats};
use std::time::Duration;

/// More attempts than any call needs here, and short waits between them. However slow the machine
/// is, no call is taken for one that hangs.
const PATIENT: &str = "attempts = 60\nbackoff = 0.02\ntimeout = 60\nleast-timeout = 60";

/// Ranks with this script at the other end, and says how that went on both sides, with the most
/// memory held in MiB.
fn ranked(desk: &Desk, run: &str, settings: &str, script: Script) -> (Ran, Stats, Option<u64>) {
    let server = start(script);
    configure(desk, &[&server.url()], settings);
    let (ran, most) =
        watched(desk.start(&format!("rank {MINE} --run {run} --ci none --format json")));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let stats = server.stop();
    eprintln!(
        "{run}: {} requests, {} faults, {} replied, {} bodies replied to more than once, {most:?} \
         MiB at most",
        stats.requests,
        stats.count_faults(),
        stats.replied,
        stats.bodies_replied_more_than_once
    );
    (ran, stats, most)
}

/// Coverage adds up, and the store has every trial: a verdict or a named failure.
fn assert_all_judged(desk: &Desk, run: &str, ran: &Ran, trials: usize) {
    let coverage = &ran.json()["coverage"];
    let failed: u64 = coverage["failures"]
        .as_object()
        .unwrap()
        .values()
        .map(|count| count.as_u64().unwrap())
        .sum();
    assert_eq!(coverage["trials"], trials);
    assert_eq!(
        coverage["verdicts"].as_u64().unwrap() + failed,
        trials as u64,
        "{coverage}"
    );
    assert_eq!(failures(desk, run).values().sum::<usize>() as u64, failed);
    let judged = rows(
        desk,
        run,
        "SELECT cast(trial AS text) FROM judgments ORDER BY trial",
    );
    assert!(
        judged
            .iter()
            .enumerate()
            .all(|(index, trial)| *trial == index.to_string())
            && judged.len() == trials
    );
}

/// MiB that a run may hold: what it needs grows with the calls in flight, not with all calls.
const MEMORY: u64 = 256;

/// A fault of these kinds is never a whole reply with status 200, no attempt is cut short by time,
/// and none is hedged; so a second good reply to one body would mean that the first was thrown
/// away: there must be none.
#[test]
fn of_thousands_of_calls_with_every_third_attempt_lost_none_is_lost_or_paid_for_twice() {
    // 20,200 calls where EVENHAND_SLOW=1 is set, else 5,000.
    let items = if is_slow() { 1010 } else { 250 };
    let desk = Desk::new(items, &SYSTEMS);
    let calls = items * CALLS_OF_ITEM;
    let faulty = Script {
        faults: 0.3,
        fault_kinds: Fault::passing(),
        seed: 5,
        ..quick()
    };
    let (ran, stats, most) = ranked(&desk, "faulty", PATIENT, faulty);
    assert_all_judged(&desk, "faulty", &ran, calls);
    let seen: Vec<Fault> = stats.faults.keys().copied().collect();
    let mut passing = Fault::passing();
    passing.sort();
    assert_eq!(seen, passing, "every kind was met");
    assert!(
        stats.count_faults() as f64 > 0.28 * stats.requests as f64,
        "{} of {}",
        stats.count_faults(),
        stats.requests
    );
    assert_eq!(stats.requests, stats.count_faults() + stats.replied);
    assert_eq!(stats.distinct_bodies, calls as u64);
    assert_eq!(stats.replied, calls as u64);
    assert_eq!(stats.bodies_replied_more_than_once, 0);
    assert!(most.is_none_or(|most| most < MEMORY), "{most:?} MiB");
    let (calm, ..) = ranked(&desk, "calm", PATIENT, Script { seed: 5, ..quick() });
    assert_eq!(result(&ran), result(&calm));
    assert!(
        Kept::read(&desk.path("faulty")) == Kept::read(&desk.path("calm")),
        "the stores differ"
    );
}

/// Calls that lose all their attempts are failures with a name; the next run asks them again, and
/// them only.
#[test]
fn calls_that_lose_all_attempts_fail_by_name_and_are_asked_again_by_the_next_run() {
    let desk = Desk::new(30, &SYSTEMS);
    let calls = 30 * CALLS_OF_ITEM;
    let faulty = Script {
        faults: 0.3,
        fault_kinds: Fault::passing(),
        seed: 6,
        ..quick()
    };
    let (ran, stats, _) = ranked(&desk, "run", "attempts = 2\nbackoff = 0.02", faulty);
    assert_all_judged(&desk, "run", &ran, calls);
    let failed = failures(&desk, "run");
    let lost = *failed.get("model-error").unwrap();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(lost > 10, "{lost}");
    assert_eq!(stats.replied as usize, calls - lost);
    assert_eq!(stats.bodies_replied_more_than_once, 0);
    let (again, stats, _) = ranked(&desk, "run", "", Script { seed: 6, ..quick() });
    assert_all_judged(&desk, "run", &again, calls);
    assert_eq!(stats.requests as usize, lost);
    assert_eq!(failures(&desk, "run").len(), 0);
}

/// A 429 that says when to come back is obeyed: seconds, milliseconds, a date, and nonsense.
#[test]
fn a_429_with_retry_after_in_every_form_passes() {
    let texts = ["1", "0.25", "Wed, 21 Oct 2015 07:28:00 GMT", "soon", "-1"];
    let forms = texts
        .into_iter()
        .map(|text| RetryAfter::Text(text.into()))
        .chain([RetryAfter::Seconds(1), RetryAfter::Millis(20)]);
    let passes = |number: u64, form: RetryAfter| {
        let desk = Desk::new(1, &SYSTEMS);
        let kinds = vec![Fault::TooManyWithRetryAfter];
        let script = Script {
            faults: 0.3,
            fault_kinds: kinds,
            retry_after: Some(form),
            seed: 10 + number,
            ..Script::default()
        };
        let (ran, stats, _) = ranked(&desk, "run", PATIENT, script);
        assert_all_judged(&desk, "run", &ran, CALLS_OF_ITEM);
        assert!(stats.count_faults() > 0, "this form was never met");
        assert_eq!(stats.replied as usize, CALLS_OF_ITEM);
        assert_eq!(stats.bodies_replied_more_than_once, 0);
    };
    // Side by side: most of the time is waited as the server says.
    std::thread::scope(|scope| {
        for (number, form) in (0..).zip(forms) {
            scope.spawn(move || passes(number, form));
        }
    });
}

/// Here a good reply may come too late on a busy machine, so that a body may get two: what is kept
/// is one for each call.
///
/// A reply is read up to 16 MiB; eight at a time, held in buffers that double, come to 8 *
/// (16 + 16) MiB beside the rest.
#[test]
fn stalls_drips_and_floods_cost_time_but_neither_calls_nor_memory() {
    let desk = Desk::new(12, &SYSTEMS);
    let calls = 12 * CALLS_OF_ITEM;
    let kinds = vec![Fault::Stall, Fault::SlowLoris, Fault::HugeBody];
    let script = Script {
        faults: 0.15,
        fault_kinds: kinds.clone(),
        seed: 7,
        ..quick()
    };
    let settings = "attempts = 60\nbackoff = 0.02\ntimeout = 1\nconcurrency = 8";
    let (ran, stats, most) = ranked(&desk, "faulty", settings, script);
    assert_all_judged(&desk, "faulty", &ran, calls);
    assert!(
        kinds
            .iter()
            .all(|kind| stats.faults.get(kind).is_some_and(|count| *count > 0)),
        "{:?}",
        stats.faults
    );
    assert!(most.is_none_or(|most| most < MEMORY + 256), "{most:?} MiB");
    let (calm, ..) = ranked(&desk, "calm", PATIENT, Script { seed: 7, ..quick() });
    assert_eq!(result(&ran), result(&calm));
    assert!(
        Kept::read(&desk.path("faulty")) == Kept::read(&desk.path("calm")),
        "the stores differ"
    );
}

/// A request that hangs is given up by what the others took, and not after the longest wait, which
/// is ten minutes here.
#[test]
fn a_request_that_hangs_is_sent_again_once_the_others_have_shown_how_long_a_reply_takes() {
    let desk = Desk::new(10, &SYSTEMS);
    let script = Script {
        faults: 0.05,
        fault_kinds: vec![Fault::Stall],
        fault_attempts: Some(1),
        seed: 9,
        ..quick()
    };
    let (ran, stats, _) = ranked(&desk, "run", "least-timeout = 1", script);
    assert_all_judged(&desk, "run", &ran, 10 * CALLS_OF_ITEM);
    assert!(
        stats.count_faults() > 2 && failures(&desk, "run").is_empty(),
        "{} stalled",
        stats.count_faults()
    );
}

/// A call that is sent to a second endpoint too, because the first is slow, is kept once.
#[test]
fn hedged_calls_are_kept_once() {
    let desk = Desk::new(6, &SYSTEMS);
    let calls = 6 * CALLS_OF_ITEM;
    let slow = start(Script {
        latency: Duration::from_millis(400),
        ..quick()
    });
    let fast = start(quick());
    configure(&desk, &[&slow.url(), &fast.url()], "hedge-after = 0.05");
    let ran = desk.done(&format!("rank {MINE} --run run --ci none --format json"));
    assert_all_judged(&desk, "run", &ran, calls);
    let (slow, fast) = (slow.stop(), fast.stop());
    eprintln!(
        "hedged: {} requests to the slow endpoint, {} to the fast one",
        slow.requests, fast.requests
    );
    assert!(
        slow.requests + fast.requests > calls as u64,
        "some were hedged"
    );
    assert_eq!(Kept::read(&desk.path("run")).calls.len(), calls);
}
