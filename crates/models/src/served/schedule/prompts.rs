//! Laws of a server that fails at some prompts, whenever they are sent, and answers all others.

use super::simulation::*;
use super::*;
use std::collections::{BTreeMap, BTreeSet};

/// The calls of a run.
const CALLS: u64 = 180;

/// How the calls follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Good and bad ones as they come.
    Mixed,
    GoodFirst,
    BadFirst,
}

/// A number from 0 to 99 that belongs to a call.
fn hundredth(id: u64, seed: u64) -> u64 {
    let mixed = (id + 1 + 1000 * seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
}

fn is_bad(id: u64, share: u64, seed: u64) -> bool {
    hundredth(id, seed) % 100 < share
}

fn settings(most: u32) -> Settings {
    Settings {
        start: most.min(16),
        most,
        ..Settings::default()
    }
}

/// Runs all calls against so many servers, of which each fails at the same prompts.
fn run(share: u64, most: u32, order: Order, seed: u64, servers: usize) -> World {
    run_of(FaultKind::Server, share, most, order, seed, servers)
}

/// The same, where they fail in this way.
fn run_of(
    fault: FaultKind,
    share: u64,
    most: u32,
    order: Order,
    seed: u64,
    servers: usize,
) -> World {
    let bad: BTreeSet<u64> = (0..CALLS).filter(|id| is_bad(*id, share, seed)).collect();
    let mut calls: Vec<u64> = (0..CALLS).collect();
    match order {
        Order::Mixed => {}
        Order::GoodFirst => calls.sort_by_key(|id| bad.contains(id)),
        Order::BadFirst => calls.sort_by_key(|id| !bad.contains(id)),
    }
    let server = Server {
        bad,
        bad_fault: fault,
        ..Server::of(&[(0, 10_000)])
    };
    let world = World::new(vec![server; servers], 1, &settings(most));
    world.run_holding(&calls, 64.max(2 * most as usize), 256)
}

/// Every good prompt is answered, every bad one is given up, and the run ends: soon, but where
/// those that are left look like a server that has gone.
#[test]
fn every_good_prompt_is_answered_and_every_bad_one_is_given_up() {
    for servers in [1, 2] {
        for share in [0, 1, 5, 20, 50, 80, 90, 95, 98, 99] {
            for most in [1, 2, 3, 8, 16, 32] {
                for order in [Order::Mixed, Order::GoodFirst, Order::BadFirst] {
                    for seed in 0..4 {
                        check(share, most, order, seed, servers);
                    }
                }
            }
        }
    }
}

#[track_caller]
fn check(share: u64, most: u32, order: Order, seed: u64, servers: usize) {
    let world = run(share, most, order, seed, servers);
    let what = format!("{share} % of {servers}, {most} at once, {order:?}, seed {seed}");
    let good: BTreeSet<u64> = (0..CALLS).filter(|id| !is_bad(*id, share, seed)).collect();
    if good.is_empty() {
        return;
    }
    let (pauses, seconds) = (world.notes.len(), world.now.as_secs());
    assert_eq!(world.answered, good, "{what}: {:?}", world.notes);
    assert_eq!(world.stops, [], "{what}");
    assert_eq!(world.lost.len() + good.len(), CALLS as usize, "{what}");
    let mut sends: BTreeMap<u64, u32> = BTreeMap::new();
    for (_, send) in &world.sends {
        *sends.entry(send.id).or_default() += 1;
    }
    for (id, given_up) in &world.lost {
        let enough = match given_up.why {
            GiveUpReason::AttemptsSpent => 6,
            // One that was tried in vain beside many others.
            _ => 1,
        };
        assert!(sends[id] >= enough, "{what}: {given_up:?}");
    }
    println!(
        "{what}: {seconds} s, {pauses} notes, {} sends",
        world.sends.len()
    );
    // Where hardly any is good, the last good one comes long before the last bad one.
    let soon = if order == Order::Mixed && share <= 95 {
        200
    } else {
        900
    };
    assert!(seconds < soon, "{what}: {seconds} s, {:?}", world.notes);
}

/// Prompts that are refused for what they say are asked once each, and end no run in which one is
/// answered among the first 128.
#[test]
fn prompts_that_are_refused_leave_the_others_their_answers() {
    for share in [0, 20, 50, 80, 90, 95, 98, 99, 100] {
        for most in [1, 3, 16, 32] {
            for seed in 0..16 {
                let what = format!("{share} %, {most} at once, seed {seed}");
                let good: BTreeSet<u64> =
                    (0..CALLS).filter(|id| !is_bad(*id, share, seed)).collect();
                let world = run_of(FaultKind::Rejected, share, most, Order::Mixed, seed, 1);
                // What is under way when the last of them ends is told no more.
                if good
                    .first()
                    .is_none_or(|first| *first >= 128 - u64::from(most))
                {
                    let calls = world.lost.len();
                    assert!(world.stops.is_empty() && calls >= 128, "{what}: {calls}");
                    continue;
                }
                assert_eq!(world.answered, good, "{what}");
                assert_eq!(world.clients[0].stop_reason(), None, "{what}");
                assert_eq!(world.sends.len(), CALLS as usize, "{what}");
                assert_eq!(world.notes, Vec::<String>::new(), "{what}");
            }
        }
    }
}

/// Whoever goes on with a run of which only such prompts are left asks them again, gives them up
/// and is done: whatever the fault that says nothing of how much there is to do, and however many.
#[test]
fn what_failed_before_is_asked_again_and_ends_soon() {
    for fault in [
        FaultKind::Server,
        FaultKind::Malformed,
        FaultKind::Connection,
        FaultKind::Rejected,
    ] {
        for calls in [1, 12, 60, 180, 2000] {
            for most in [1, 8, 32, 512] {
                let calls: Vec<u64> = (0..calls).collect();
                let server = Server {
                    bad: calls.iter().copied().collect(),
                    bad_fault: fault,
                    ..Server::of(&[(0, 10_000)])
                };
                let mut world = World::new(vec![server], 1, &settings(most));
                world.failed_before = calls.iter().copied().collect();
                let world = world.run_holding(&calls, 64.max(2 * most as usize), 256);
                let what = format!("{fault:?}, {} calls, {most} at once", calls.len());
                assert_eq!(world.clients[0].stop_reason(), None, "{what}");
                assert_eq!(world.notes, Vec::<String>::new(), "{what}");
                assert_eq!(world.lost.len(), calls.len(), "{what}");
                // Six attempts of 20 ms each, and up to 15.5 s between those of one call.
                let turns = calls.len().div_ceil(64.max(2 * most as usize)) as f64;
                let attempts = 0.03 * 6.0 * calls.len() as f64 / f64::from(most);
                let seconds = world.now.as_secs_f64();
                assert!(seconds < 16.0 * turns + attempts, "{what}: {seconds} s");
            }
        }
    }
}

/// One that is away is waited for all the same, and what came back answers them.
#[test]
fn what_failed_before_waits_for_a_server_that_is_away() {
    let calls: Vec<u64> = (0..60).collect();
    let server = Server::of(&[(0, 0), (15, 10_000)]);
    let mut world = World::new(vec![server], 1, &settings(16));
    world.failed_before = calls.iter().copied().collect();
    let world = world.run_holding(&calls, 64, 256);
    assert_eq!((world.answered.len(), world.lost.len()), (60, 0));
    assert!(
        world.notes[0].contains("paused: no connection"),
        "{:?}",
        world.notes
    );
}

/// A server that answers nobody is one that is away: the run pauses, and ends without a loss.
#[test]
fn a_server_that_answers_nobody_pauses_the_run_and_loses_nothing() {
    for most in [1, 2, 3, 8, 16, 32] {
        let world = run(100, most, Order::Mixed, 0, 1);
        assert_eq!((world.answered.len(), world.lost.len()), (0, 0));
        let stop = world.clients[0].stop_reason();
        assert!(
            matches!(stop, Some(StopReason::Paused { pause, .. }) if pause.as_secs() >= 600),
            "{stop:?}"
        );
        assert!(world.now.as_secs() < 700);
    }
}

/// Whatever the fault, and whenever it comes before the last dozen calls: of fewer it cannot be
/// told that it is not they that fail.
#[test]
fn a_server_that_comes_back_has_cost_nothing() {
    let kinds = [
        FaultKind::Server,
        FaultKind::Connection,
        FaultKind::Unreachable,
        FaultKind::Timeout,
    ];
    for down in kinds {
        for most in [1, 2, 3, 8, 16, 32] {
            for from in [0, 100, 200, 400] {
                for lasts in [2, 15, 100] {
                    // Nobody waits longer than 20 s for a server that was never there.
                    if down == FaultKind::Unreachable && from == 0 && lasts > 15 {
                        continue;
                    }
                    let from = Duration::from_millis(from);
                    let mut server = Server::of(&[(0, 10_000)]);
                    server.capacity = vec![
                        (Duration::ZERO, 10_000),
                        (from, 0),
                        (from + Duration::from_secs(lasts), 10_000),
                    ];
                    server.down = down;
                    let calls: Vec<u64> = (0..1000).collect();
                    let world = World::new(vec![server], 1, &settings(most));
                    let world = world.run_holding(&calls, 64.max(2 * most as usize), 256);
                    let what = format!("{down:?} from {from:?} for {lasts} s, {most} at once");
                    assert_eq!(world.stops, [], "{what}");
                    assert_eq!(world.lost, [], "{what}: {:?}", world.notes);
                    assert_eq!(world.answered.len(), 1000, "{what}");
                }
            }
        }
    }
}
