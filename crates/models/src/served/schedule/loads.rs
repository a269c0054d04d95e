//! Laws of the scheduler under load, with simulated servers.

use super::simulation::*;
use super::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

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
        // It takes three refusals to be a sign, and slow ones come late.
        let refused = if milliseconds == 30 { 0.04 } else { 0.02 };
        world.check(8, 15, 0.9, refused);
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

/// One call in ten hangs, for half a second each: the calls that are left, 512 at a time, are
/// answered as fast as the server can, and none is lost.
#[test]
fn calls_that_hang_hold_up_no_others() {
    for hangs in [3, 10, 30] {
        let server = Server {
            hangs,
            ..Server::of(&[(0, 10_000)])
        };
        let world = World::new(vec![server], 1, &Settings::default()).run(20_000);
        assert_eq!((world.done, world.given_up), (20_000, 0), "{hangs} %");
        assert_eq!(world.notes, Vec::<String>::new());
        assert_eq!(world.clients[0].concurrency_limits(), [512]);
        let rate = 20_000.0 / world.now.as_secs_f64();
        println!("{hangs} % hang: {rate:.0} replies a second");
        assert!(rate > 1000.0, "{rate}");
    }
}

/// Half of all calls fail, or three in five: no call is given up while its faults may be chance.
#[test]
fn no_call_is_lost_to_chance() {
    for chance in [30, 50, 60] {
        let server = Server {
            chance,
            ..Server::of(&[(0, 10_000)])
        };
        let world = World::new(vec![server], 1, &Settings::default()).run(20_000);
        let sends = world.sends.len() as f64 / 20_000.0;
        println!("{chance} % fail: {sends:.2} attempts a call");
        assert_eq!((world.done, world.given_up), (20_000, 0), "{chance} %");
    }
}

/// A share of all calls is refused whatever the server is given. The share is not what is sent too
/// much: the run goes on as fast as it can, and the capacity that there is is found all the same.
#[test]
fn a_steady_share_of_refusals_is_no_reason_to_send_one_at_a_time() {
    for capacity in [32, 10_000] {
        let seconds = |refuses, seed| {
            let server = Server {
                refuses,
                ..Server::of(&[(0, capacity)])
            };
            let settings = Settings {
                most: 128,
                ..Settings::default()
            };
            let mut world = World::new(vec![server], 1, &settings);
            world.random = ChaCha8Rng::seed_from_u64(seed);
            let world = world.run(20_000);
            let what = format!("{refuses} % of {capacity}, seed {seed}");
            assert_eq!((world.done, world.given_up), (20_000, 0), "{what}");
            assert_eq!(world.notes, Vec::<String>::new(), "{what}");
            let sends = world.sends.len() as f64 / 20_000.0;
            // The last calls wait for their turn alone.
            let mut replies = 0;
            let most = world.seconds.iter().position(|second| {
                replies += second.replies;
                replies >= 19_000
            });
            (most.unwrap() as f64, world.now.as_secs_f64(), sends)
        };
        let (calm, ..) = seconds(0, 1);
        for refuses in [1, 3, 10, 20, 30, 50, 60] {
            for seed in 1..5 {
                let (most, all, sends) = seconds(refuses, seed);
                println!(
                    "{refuses} % of {capacity} refused, seed {seed}: {most} s for most calls, \
                     {all:.1} s for all, {calm} s without, {sends:.2} attempts a call"
                );
                let needed = calm / (1.0 - refuses as f64 / 100.0);
                assert!(most < 3.0 * needed + 5.0, "{refuses} %: {most} s, {calm} s");
                assert!(all < most + 90.0, "{refuses} %: {all} s");
            }
        }
    }
}

/// Where the refusals by chance end, those for want of room are obeyed as before.
#[test]
fn refusals_that_end_are_forgotten() {
    let server = Server {
        refuses: 30,
        ..Server::of(&[(0, 10_000)])
    };
    let mut world = World::new(vec![server], 1, &Settings::default());
    world.refuses_until = Some(Duration::from_secs(4));
    world.servers[0].capacity.push((Duration::from_secs(4), 64));
    let world = world.run(60_000);
    assert_eq!((world.done, world.given_up), (60_000, 0));
    world.check(6, 100, 0.85, 0.05);
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
    assert_eq!(world.done, 20_000);
    assert_eq!(world.given_up, 0);
    assert_eq!(world.stops.len(), 0);
    let down: usize = world.seconds[4..33]
        .iter()
        .map(|second| second.faults)
        .sum();
    assert_eq!(down, 4, "probes after 1, 3, 7, 15 s");
    assert!(
        world.notes[0].starts_with("3 s: paused: no connection (simulated) at endpoint 1; "),
        "{:?}",
        world.notes
    );
    assert_eq!(
        world.notes[1..],
        ["34 s: nothing got through for 31 s; then it answered again"]
    );
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
    assert_eq!(world.done + client.count_waiting(), 20_000);
    assert_eq!(world.given_up, 0);
    assert_eq!(client.count_in_flight(), 0);
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
