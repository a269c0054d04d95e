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
    let bad: BTreeSet<u64> = (0..CALLS).filter(|id| is_bad(*id, share, seed)).collect();
    let mut calls: Vec<u64> = (0..CALLS).collect();
    match order {
        Order::Mixed => {}
        Order::GoodFirst => calls.sort_by_key(|id| bad.contains(id)),
        Order::BadFirst => calls.sort_by_key(|id| !bad.contains(id)),
    }
    let server = Server {
        bad,
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

/// Whatever the fault, and whenever it comes before the last dozen calls: of fewer it cannot be told
/// that it is not they that fail.
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
