//! A run that is killed, or stopped, goes on where it was: nothing that was kept is asked again,
//! and the result is the same.

use crate::common::{Desk, Ran, database};
use rusqlite::Connection;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Command};
use std::time::Duration;

const SYSTEMS: [&str; 5] = ["ant", "bee", "cat", "dog", "eel"];
/// 60 items, 5 systems, all pairs in both orders.
const CALLS: usize = 60 * 20;
const SETTINGS: &str =
    "--data data --format json --judge simulated:gap=0.2,invalid=0.05,refuse=0.02";

fn desk() -> Desk {
    Desk::new(60, &SYSTEMS)
}

/// The run that is disturbed: slow enough to be caught at it.
fn slow() -> String {
    format!("rank {SETTINGS},delay-ms=1,log=asked --run run")
}

fn undisturbed(desk: &Desk) -> Ran {
    desk.done(&format!("rank {SETTINGS} --run undisturbed"))
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

/// The keys of the calls that are committed; none before the tables are there.
fn committed(desk: &Desk) -> BTreeSet<String> {
    let Some(db) = database(&desk.path("run")) else {
        return BTreeSet::new();
    };
    match column(&db, "SELECT lower(hex(key)) FROM calls") {
        Ok(keys) => keys.into_iter().collect(),
        Err(error) => {
            // Killed while the tables were made: their transaction is rolled back by the next that
            // may write.
            let unmade = ["no such table", "attempt to write a readonly database"];
            assert!(
                unmade.iter().any(|why| error.to_string().starts_with(why)),
                "{error}"
            );
            BTreeSet::new()
        }
    }
}

fn column(db: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    db.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

/// Kills it after so long; true if it was still alive.
fn kill_after(mut child: Child, milliseconds: u64) -> (bool, Ran) {
    std::thread::sleep(Duration::from_millis(milliseconds));
    let alive = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    (alive, Ran::of(child.wait_with_output().unwrap()))
}

/// What the log and the database said when the process before this one ended.
#[derive(Default)]
struct Before {
    asked: usize,
    committed: BTreeSet<String>,
}

impl Before {
    /// That since then nothing was asked which had been committed, nothing committed was lost, and
    /// nothing came from nowhere.
    fn assert_kept(&self, desk: &Desk) -> Before {
        let (asked, committed) = (desk.lines("asked"), committed(desk));
        let again: Vec<&String> = asked[self.asked..]
            .iter()
            .filter(|key| self.committed.contains(*key))
            .collect();
        assert!(
            again.is_empty(),
            "{} committed calls were made again, such as {}",
            again.len(),
            again[0]
        );
        assert!(
            committed.is_superset(&self.committed),
            "committed calls were lost"
        );
        assert!(
            asked
                .iter()
                .cloned()
                .collect::<BTreeSet<_>>()
                .is_superset(&committed)
        );
        Before {
            asked: asked.len(),
            committed,
        }
    }
}

/// Starts and kills the run until it ends by itself; how often it was killed, and its end. Later
/// starts are given more time, so that a slow machine gets there too.
fn killed_until_done(desk: &Desk) -> (u64, Ran) {
    let (mut instants, mut before) = (Instants(0x5EED), Before::default());
    for kills in 0.. {
        let patience = instants.next(20, 110) + 10 * u64::saturating_sub(kills, 60);
        let (killed, ran) = kill_after(desk.start(&slow()), patience);
        before = before.assert_kept(desk);
        if !killed || ran.code.is_some() {
            return (kills, ran);
        }
    }
    unreachable!("the loop has no end of its own")
}

#[test]
fn a_run_that_is_killed_many_times_ends_as_if_undisturbed() {
    let desk = desk();
    let (kills, last) = killed_until_done(&desk);
    assert_eq!(last.code, Some(0), "{}", last.stderr);
    assert!(
        kills >= 20,
        "only {kills} kills hit a living process: make the data larger"
    );
    assert_eq!(last.timeless(), undisturbed(&desk).timeless());
    let [run, whole] = ["run", "undisturbed"].map(|run| Kept::read(&desk, run));
    assert_eq!(run.calls.len(), CALLS);
    assert!(
        run.calls == whole.calls,
        "the calls differ from an undisturbed run's"
    );
    assert_eq!(run.judgments.len(), CALLS);
    assert!(
        run.judgments == whole.judgments,
        "the judgments differ from an undisturbed run's"
    );
}

/// All that a run directory holds, but for row ids and sessions.
struct Kept {
    /// By key: request, reply and error.
    calls: BTreeMap<String, String>,
    /// In the order of the plan: the judgment, and the keys of its calls.
    judgments: Vec<String>,
}

impl Kept {
    fn read(desk: &Desk, run: &str) -> Kept {
        let db = database(&desk.path(run)).unwrap();
        assert_eq!(column(&db, "PRAGMA integrity_check").unwrap(), ["ok"]);
        assert_eq!(
            column(
                &db,
                "SELECT cast(count(*) - count(DISTINCT key) AS text) FROM calls"
            )
            .unwrap(),
            ["0"]
        );
        let keys = column(&db, "SELECT lower(hex(key)) FROM calls ORDER BY id").unwrap();
        let replies = column(
            &db,
            "SELECT json_array(request, reply, error, prompt_tokens, completion_tokens) FROM calls \
             ORDER BY id",
        );
        let judged = "SELECT json_array(trial, item, first, second, replicate, verdict, failure, \
                      detail,
            (SELECT json_group_array(hex(c.key)) FROM json_each(judgments.calls) AS id JOIN calls AS c ON c.id = id.value)) FROM judgments ORDER BY trial";
        Kept {
            calls: keys.into_iter().zip(replies.unwrap()).collect(),
            judgments: column(&db, judged).unwrap(),
        }
    }
}

/// Interrupts the run when it has made some calls, and gives how it ended.
fn interrupted(desk: &Desk) -> Ran {
    let child = desk.start(&slow());
    desk.wait_for_lines("asked", 100);
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    Ran::of(child.wait_with_output().unwrap())
}

#[test]
fn ctrl_c_ends_a_run_with_code_1_and_says_how_to_go_on() {
    let desk = desk();
    let ran = interrupted(&desk);
    let judged = database(&desk.path("run"))
        .map(|db| column(&db, "SELECT cast(count(*) AS text) FROM judgments").unwrap());
    let judged = judged.unwrap().concat();
    let message = format!(
        "error: stopped after {judged} judged trials; the same command goes on from here (run \
         directory run)\n"
    );
    ran.prints_nothing(1);
    assert_eq!(ran.stderr, message);
}

#[test]
fn ctrl_c_loses_no_call_and_the_same_command_goes_on() {
    let desk = desk();
    interrupted(&desk);
    let asked: BTreeSet<String> = desk.lines("asked").into_iter().collect();
    assert!(
        (100..CALLS).contains(&asked.len()),
        "{} calls before Ctrl-C",
        asked.len()
    );
    assert!(
        asked == committed(&desk),
        "every call that was made is kept"
    );
    let rest = desk.done(&slow());
    let made = CALLS - asked.len();
    // On a slow machine lines of progress come first.
    assert_eq!(
        rest.stderr.lines().last().unwrap(),
        format!(
            "run kept in run: {made} calls made now, {} answered from the store",
            asked.len()
        )
    );
    assert_eq!(desk.lines("asked").len(), CALLS, "no call was made twice");
    assert_eq!(rest.timeless(), undisturbed(&desk).timeless());
}

#[test]
fn a_finished_run_makes_no_call_again() {
    let desk = desk();
    let rank = format!("rank {SETTINGS},log=asked --run run");
    let first = desk.done(&rank);
    assert_eq!(desk.lines("asked").len(), CALLS);
    let again = desk.done(&rank);
    assert_eq!(
        again.stderr,
        "run kept in run: 0 calls made now, 1200 answered from the store\n"
    );
    assert_eq!(again.timeless(), first.timeless());
    assert_eq!(desk.lines("asked").len(), CALLS);
}

/// How a ranking is made of the judgments is no part of what was asked.
#[test]
fn a_finished_run_is_ranked_otherwise_without_a_call() {
    let desk = desk();
    desk.done(&format!("judge {SETTINGS} --run run"));
    for settings in [
        "--aggregate win-ratio",
        "--seed 5 --rounds 50",
        "--level 0.5 --scale log-odds",
        "--ci none --cluster none",
    ] {
        let ran = desk.done(&format!("rank {SETTINGS} --run run {settings}"));
        assert_eq!(
            ran.stderr, "run kept in run: 0 calls made now, 1200 answered from the store\n",
            "{settings}"
        );
    }
}

/// Judgments that are cut short when their reader goes away are kept, and the run goes on from
/// them.
#[test]
fn a_run_whose_reader_goes_away_is_kept() {
    let desk = desk();
    let mut child = desk.start(&format!("judge {SETTINGS},delay-ms=1,log=asked --run run"));
    drop(child.stdout.take());
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(141), "{}", ran.stderr);
    assert!(!ran.stderr.contains("error:"), "{}", ran.stderr);
    let asked = desk.lines("asked").len();
    assert!(asked < CALLS, "it stops when it notices");
    let judgments: Vec<Value> = desk.judgments(&format!("{SETTINGS},log=asked --run run"));
    assert_eq!((judgments.len(), desk.lines("asked").len()), (CALLS, CALLS));
}

/// A scheduler sends TERM, a terminal that is closed HUP: what is under way is kept, and it is said
/// how to go on.
#[cfg(unix)]
#[test]
fn asked_to_end_by_any_signal_a_run_ends_in_good_order() {
    for signal in ["TERM", "HUP", "INT"] {
        let desk = desk();
        let child = desk.start(&slow());
        desk.wait_for_lines("asked", 20);
        let sent = std::process::Command::new("sh")
            .args(["-c", &format!("kill -{signal} {}", child.id())])
            .status()
            .unwrap();
        assert!(sent.success());
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(1), "{signal}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("the same command goes on from here"),
            "{signal}: {}",
            ran.stderr
        );
    }
}

/// Nothing is said to be kept that is not.
#[test]
fn a_run_whose_directory_vanished_says_so() {
    let desk = desk();
    let child = desk.start(&slow());
    desk.wait_for_lines("asked", 20);
    std::fs::remove_dir_all(desk.path("run")).unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("run: the run directory is gone")
            && !ran.stderr.contains("run kept in"),
        "{}",
        ran.stderr
    );
}

/// The message says to move it back: then nothing that was kept is asked again.
#[test]
fn a_run_whose_directory_was_moved_goes_on_once_it_is_back() {
    let desk = desk();
    let child = desk.start(&slow());
    desk.wait_for_lines("asked", 20);
    std::fs::rename(desk.path("run"), desk.path("elsewhere")).unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap());
    ran.ends(1, "if it was moved, move it back");
    std::fs::rename(desk.path("elsewhere"), desk.path("run")).unwrap();
    let before = Before::default().assert_kept(&desk);
    let rest = desk.done(&slow());
    before.assert_kept(&desk);
    assert_eq!(rest.timeless(), undisturbed(&desk).timeless());
}
