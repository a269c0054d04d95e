//! Served judges with several endpoints, and how much is asked of an endpoint at once.

use crate::common::served::*;
use crate::common::{Desk, Ran};
use evenhand_testing::server::{Script, Stats};
use std::time::Duration;

fn rank(run: &str) -> String {
    format!("rank {MINE} --run {run} --ci none --format json")
}

/// Half way one of two endpoints is gone: how the run ended, and what each endpoint saw.
fn half_way_alone(desk: &Desk, calls: usize, more: &str) -> (Ran, Stats, Stats) {
    let slow = Script {
        latency: Duration::from_millis(5),
        ..quick()
    };
    let dies = start(Script {
        die_after: Some(calls as u64 / 4),
        ..slow.clone()
    });
    let stays = start(slow);
    configure(
        desk,
        &[&dies.url(), &stays.url()],
        "backoff = 0.05\nconcurrency = 16",
    );
    let ran = desk.done(&format!("{} {more}", rank("run")));
    (ran, dies.stop(), stays.stop())
}

#[test]
fn what_a_dead_endpoint_leaves_undone_is_moved_to_the_other_and_the_report_says_so() {
    let desk = Desk::new(100, &SYSTEMS);
    let calls = 100 * CALLS_OF_ITEM;
    let (ran, dead, alive) = half_way_alone(&desk, calls, "");
    let report = ran.json();
    assert_eq!(
        (
            &report["coverage"]["verdicts"],
            &report["coverage"]["failures"]
        ),
        (&calls.into(), &serde_json::json!({}))
    );
    assert_eq!(dead.requests, calls as u64 / 4);
    assert!(
        dead.replied <= dead.requests && alive.replied >= calls as u64 - dead.replied,
        "{} {}",
        dead.replied,
        alive.replied
    );
    let aside = |line: &str| {
        line.starts_with("openai:m: endpoint 1 set aside: ")
            && line.contains(" moved; it is tried again in ")
    };
    let notes = notes(&report);
    eprintln!("{} and {} replies; {notes:?}", dead.replied, alive.replied);
    assert!(notes.iter().any(|note| aside(note)), "{notes:?}");
    assert!(
        notes
            .iter()
            .all(|note| ran.stderr.lines().any(|line| line == *note)),
        "{notes:?}: {}",
        ran.stderr
    );
    let calm = start(quick());
    configure(&desk, &[&calm.url()], "");
    assert_eq!(result(&ran), result(&desk.done(&rank("calm"))));
    assert!(
        Kept::read(&desk.path("run")) == Kept::read(&desk.path("calm")),
        "the stores differ"
    );
}

#[test]
fn quiet_keeps_notes_from_stderr_and_not_from_the_report() {
    let desk = Desk::new(40, &SYSTEMS);
    let (ran, ..) = half_way_alone(&desk, 40 * CALLS_OF_ITEM, "--quiet");
    assert_eq!(ran.stderr, "");
    assert!(!notes(&ran.json()).is_empty());
}

#[test]
fn an_endpoint_that_is_taken_out_of_the_configuration_leaves_the_run_its_own() {
    let desk = Desk::new(20, &SYSTEMS);
    let servers = [start(quick()), start(quick()), start(quick())];
    let [first, second, third] = [0, 1, 2].map(|server: usize| servers[server].url());
    configure(&desk, &[&first, &second], "");
    assert_eq!(
        desk.run(&format!("{} --max-calls 100", rank("run"))).code,
        Some(1)
    );
    configure(&desk, &[&second], "concurrency = 4");
    assert_eq!(
        desk.run(&format!("{} --max-calls 200", rank("run"))).code,
        Some(1)
    );
    configure(&desk, &[&third, &first], "timeout = 30");
    let ran = desk.done(&rank("run"));
    assert_eq!(ran.json()["judge"], "openai:m@mine");
    let stats = servers.map(|server| server.stop());
    let asked: Vec<u64> = stats.iter().map(|stats| stats.requests).collect();
    assert_eq!(
        asked.iter().sum::<u64>() as usize,
        20 * CALLS_OF_ITEM,
        "{asked:?}"
    );
    assert!(asked.iter().all(|asked| *asked > 0), "{asked:?}");
}

/// How many are refused depends on how fast this machine is: where the client is the slow part, its
/// bursts go beyond what the server takes. The figures are printed, and held to 2 % where time is
/// simulated (`schedule/simulation.rs`). What holds on any machine is asserted: the capacity is
/// found, and refusals are obeyed (of a client that took no notice, seven of eight would be
/// refused).
#[test]
fn a_server_of_unknown_capacity_is_used_well_and_seldom_asked_too_much() {
    let desk = Desk::new(500, &SYSTEMS);
    let calls = 500 * CALLS_OF_ITEM as u64;
    let latency = Duration::from_millis(20);
    let server = start(Script {
        capacity: Some(64),
        latency,
        ..quick()
    });
    configure(&desk, &[&server.url()], "");
    desk.done(&format!("judge {MINE} --run run --quiet"));
    let stats = server.stop();
    let steady = stats
        .bins
        .get(10..stats.bins.len().saturating_sub(1))
        .unwrap_or_default();
    let accepted: u64 = steady.iter().map(|bin| bin.accepted).sum();
    let mean =
        accepted as f64 / steady.len() as f64 / stats.bin.as_secs_f64() * latency.as_secs_f64();
    let at_once = steady
        .iter()
        .map(|bin| bin.most_at_once as f64)
        .sum::<f64>()
        / steady.len() as f64;
    let share = stats.rejected as f64 / stats.requests as f64;
    eprintln!(
        "{} requests, {} rejected ({:.2} %); after the first second {at_once:.1} of 64 at once, \
         and {:.0} % of what 64 could do in 20 ms each",
        stats.requests,
        stats.rejected,
        100.0 * share,
        100.0 * mean / 64.0
    );
    assert_eq!(stats.replied, calls);
    assert_eq!(stats.bodies_replied_more_than_once, 0);
    assert!(share < 0.25, "{share}");
    assert!(
        (32..=64).contains(&stats.most_at_once),
        "{}",
        stats.most_at_once
    );
}
