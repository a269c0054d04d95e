//! A run of a served judge that is killed at any instant, while its server fails, goes on where it
//! was: what was committed is never lost and never asked again, and the result is that of a run
//! that nobody disturbed.

use crate::common::served::*;
use crate::common::{Desk, Ran, database};
use evenhand_testing::server::{Fault, Script, Server};
use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

const ITEMS: usize = 36;
const CALLS: usize = ITEMS * CALLS_OF_ITEM;
const SETTINGS: &str = "attempts = 60\nbackoff = 0.02\nconcurrency = 16";

/// Fails all the time, and is slow enough for a run to be caught at it.
fn faulty() -> Script {
    Script {
        faults: 0.3,
        fault_kinds: Fault::passing(),
        latency: Duration::from_millis(15),
        keep: usize::MAX,
        seed: 9,
        ..quick()
    }
}

fn rank(run: &str) -> String {
    format!("rank {MINE} --run {run} --ci none --format json")
}

/// The questions whose replies are committed; none before the tables are there.
fn committed(desk: &Desk) -> BTreeSet<String> {
    let Some(db) = database(&desk.path("run")) else {
        return BTreeSet::new();
    };
    match db.query_row(
        "SELECT count(*) FROM sqlite_master WHERE name = 'calls'",
        [],
        |row| row.get(0),
    ) {
        Ok(1) => column(&db, "SELECT request FROM calls")
            .iter()
            .map(|request| question(request))
            .collect(),
        _ => BTreeSet::new(),
    }
}

/// xorshift64*: which instants are drawn must not change from one run of this test to the next.
struct Instants(u64);

impl Instants {
    fn next(&mut self, from: u64, to: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        from + (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % (to - from)
    }
}

/// What the server and the database said when the process before this one ended.
#[derive(Default)]
struct Before {
    asked: usize,
    committed: BTreeSet<String>,
}

impl Before {
    /// That since then nothing was asked which had been committed, and nothing committed was lost.
    fn assert_kept(&self, desk: &Desk, server: &Server) -> Before {
        let (asked, committed) = (server.requests(), committed(desk));
        let again = asked[self.asked..]
            .iter()
            .filter(|seen| self.committed.contains(&question(&seen.body)))
            .count();
        assert_eq!(again, 0, "{again} committed calls were made again");
        assert!(
            committed.is_superset(&self.committed),
            "committed calls were lost"
        );
        Before {
            asked: asked.len(),
            committed,
        }
    }
}

/// Starts and kills the run until it ends by itself: the kills that came after some calls were
/// committed and before all were, and the end. A start is killed at a number of requests, or a
/// time, after its own start, whichever is drawn.
fn killed_until_done(desk: &Desk, server: &Server) -> (u64, Ran) {
    let (mut instants, mut before, mut kills) = (Instants(0x5EED), Before::default(), 0);
    for starts in 0.. {
        let mut child = desk.start(&rank("run"));
        let more = if starts < 40 {
            instants.next(1, 90)
        } else {
            u64::MAX
        };
        let asked = server.stats().requests;
        while child.try_wait().unwrap().is_none()
            && server.stats().requests < asked.saturating_add(more)
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(instants.next(0, 20_000)));
        let alive = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        let ran = Ran::of(child.wait_with_output().unwrap());
        before = before.assert_kept(desk, server);
        kills += u64::from(alive && (1..CALLS).contains(&before.committed.len()));
        if ran.code.is_some() {
            return (kills, ran);
        }
    }
    unreachable!("the loop has no end of its own")
}

#[test]
fn a_faulty_run_that_is_killed_many_times_loses_nothing_asks_nothing_again_and_ends_as_if_undisturbed()
 {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    let server = start(faulty());
    configure(&desk, &[&server.url()], SETTINGS);
    let (kills, last) = killed_until_done(&desk, &server);
    assert_eq!(last.code, Some(0), "{}", last.stderr);
    let stats = server.stop();
    // Replies that came, or were on their way, when the process was killed, and were not committed
    // yet.
    let lost = stats.replied - CALLS as u64;
    eprintln!(
        "{kills} kills; {} requests, {} faults, {lost} replies lost by kills",
        stats.requests,
        stats.count_faults()
    );
    assert!(
        kills >= 10,
        "only {kills} kills hit a run that was under way"
    );
    assert_eq!(stats.distinct_bodies, CALLS as u64);
    let calm = start(Script {
        faults: 0.0,
        latency: Duration::ZERO,
        keep: 0,
        ..faulty()
    });
    configure(&desk, &[&calm.url()], SETTINGS);
    assert_eq!(result(&last), result(&desk.done(&rank("calm"))));
    assert!(
        Kept::read(&desk.path("run")) == Kept::read(&desk.path("calm")),
        "the stores differ"
    );
}

/// Ctrl-C keeps every reply that came, says how to go on, and the same command asks only the rest.
#[test]
fn ctrl_c_stops_a_run_and_the_same_command_goes_on() {
    let desk = Desk::new(ITEMS, &SYSTEMS);
    let server = start(faulty());
    configure(&desk, &[&server.url()], SETTINGS);
    let child = desk.start(&rank("run"));
    wait_for_requests(&server, 200);
    assert!(
        Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let ran = Ran::of(child.wait_with_output().unwrap());
    ran.prints_nothing(1);
    ran.says("the same command goes on from here (run directory run)");
    let before = Before::default().assert_kept(&desk, &server);
    assert!(
        (1..CALLS).contains(&before.committed.len()),
        "{} calls before Ctrl-C",
        before.committed.len()
    );
    let rest = desk.done(&rank("run"));
    assert_eq!(before.assert_kept(&desk, &server).committed.len(), CALLS);
    rest.says(&format!(
        "{} answered from the store",
        before.committed.len()
    ));
}
