//! A run's plan and its state.

use super::*;
use crate::fixtures::open;
use crate::{Manifest, keep_report, schema};
use evenhand_core::{Failure, FailureKind, Judgment, Response, Trial, Verdict, VerdictSource};
use rusqlite::Connection;
use std::path::Path;

/// Judges these trials: some with a verdict, some without.
fn judge(store: &mut Store, trials: std::ops::Range<u64>, is_verdict: bool) {
    for index in trials {
        let judgment = Judgment {
            trial: Trial {
                index,
                item: 0,
                systems: vec![0, 1],
                replicate: 0,
            },
            outcome: match is_verdict {
                true => Ok(Verdict::pair([1.0, 0.0, 0.0], 0.0, VerdictSource::Text)),
                false => Err(Failure::new(FailureKind::Unparsed, "?")),
            },
            calls: Vec::new(),
            looks: Vec::new(),
        };
        let responses = ["x", "y"].map(|system| Response::new(system, ""));
        store.put_judgment(&judgment, "q", &responses).unwrap();
    }
}

fn progress_of(dir: &Path) -> RunProgress {
    Reader::open(dir).unwrap().progress().unwrap()
}

fn progress(planned: Option<u64>, [judgments, verdicts]: [u64; 2], state: RunState) -> RunProgress {
    RunProgress {
        planned,
        judgments,
        verdicts,
        state,
    }
}

/// A migration asks no more than its answer needs; going on to judge all may be stopped.
#[test]
fn a_migration_that_is_decided_is_not_stopped_until_more_is_judged() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.put_plan(Some(4)).unwrap();
    judge(&mut store, 0..2, true);
    store.commit().unwrap();
    drop(store);
    let report = |why: &str| format!(r#"{{"ended": {{"why": "{why}"}}, "judgments_asked": 2}}"#);
    keep_report(dir.path(), "migrate", &report("limit"), "[]").unwrap();
    assert_eq!(progress_of(dir.path()).state, RunState::Stopped);
    keep_report(dir.path(), "migrate", &report("decided"), "[]").unwrap();
    let found = progress_of(dir.path());
    assert_eq!(found, progress(Some(4), [2, 2], RunState::Decided));
    // What is missing stays missing for whoever compares the two.
    assert_eq!((found.missing(), found.is_unfinished()), (Some(2), true));
    assert!(found.is_done());
    let mut store = open(dir.path());
    judge(&mut store, 2..3, true);
    store.commit().unwrap();
    drop(store);
    assert_eq!(progress_of(dir.path()).state, RunState::Stopped);
}

#[test]
fn a_run_is_running_while_it_is_held_then_stopped_then_complete() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.put_plan(Some(4)).unwrap();
    judge(&mut store, 0..3, true);
    store.commit().unwrap();
    let found = progress_of(dir.path());
    assert_eq!(found, progress(Some(4), [3, 3], RunState::Running));
    assert!(found.is_unfinished() && !found.is_done());
    drop(store);
    let found = progress_of(dir.path());
    assert_eq!(found, progress(Some(4), [3, 3], RunState::Stopped));
    assert_eq!((found.missing(), found.is_unfinished()), (Some(1), true));
    assert!(!found.is_done());
    let mut store = open(dir.path());
    store.put_plan(Some(4)).unwrap();
    judge(&mut store, 3..4, false);
    drop(store);
    let found = progress_of(dir.path());
    assert_eq!(found, progress(Some(4), [4, 3], RunState::Complete));
    assert!(!found.is_unfinished() && found.is_done());
}

#[test]
fn a_run_without_a_verdict_has_failed_however_far_it_came() {
    for judged in [2, 4] {
        let dir = tempfile::tempdir().unwrap();
        let mut store = open(dir.path());
        store.put_plan(Some(4)).unwrap();
        judge(&mut store, 0..judged, false);
        drop(store);
        let found = progress_of(dir.path());
        assert_eq!(found, progress(Some(4), [judged, 0], RunState::Failed));
        assert_eq!(found.is_unfinished(), judged < 4);
        assert!(!found.is_done());
    }
}

#[test]
fn a_plan_that_is_known_at_the_end_is_unfinished_until_then() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.put_plan(None).unwrap();
    judge(&mut store, 0..2, true);
    drop(store);
    let found = progress_of(dir.path());
    assert_eq!(found, progress(None, [2, 2], RunState::Stopped));
    assert!(found.is_unfinished());
    open(dir.path()).put_plan(Some(2)).unwrap();
    let found = progress_of(dir.path());
    assert_eq!(found, progress(Some(2), [2, 2], RunState::Complete));
}

#[test]
fn a_session_that_plans_less_than_was_judged_leaves_a_complete_run() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    judge(&mut store, 0..6, true);
    store.put_plan(Some(2)).unwrap();
    drop(store);
    let found = progress_of(dir.path());
    assert_eq!(found, progress(Some(6), [6, 6], RunState::Complete));
}

/// A run as programs of format 7 left it.
fn run_of_format_7(dir: &Path, judged: u64) {
    let mut store = open(dir);
    judge(&mut store, 0..judged, true);
    drop(store);
    let now = dir.join("run.sqlite");
    let old = dir.join("old.sqlite");
    let db = Connection::open(&old).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    db.execute_batch(&schema::tables(7)).unwrap();
    db.execute_batch(&format!(
        "ATTACH '{}' AS now; INSERT INTO sessions SELECT * FROM now.sessions;
         INSERT INTO judgments SELECT * FROM now.judgments; DETACH now;
         PRAGMA application_id = 1163281742; PRAGMA user_version = 7;",
        now.display()
    ))
    .unwrap();
    drop(db);
    std::fs::rename(old, now).unwrap();
}

#[test]
fn a_run_of_an_earlier_version_knows_its_plan_by_its_report_alone() {
    let dir = tempfile::tempdir().unwrap();
    run_of_format_7(dir.path(), 3);
    let unknown = progress(None, [3, 3], RunState::Unknown);
    assert_eq!(progress_of(dir.path()), unknown);
    assert!(!unknown.is_unfinished() && unknown.is_done());
    let db = Connection::open(dir.path().join("run.sqlite")).unwrap();
    let report = "INSERT INTO results VALUES (1, 1, 'rank', 0.0, ?1)";
    // What a report counts and the run does not hold is of another time.
    db.execute(report, [r#"{"coverage":{"trials":9}}"#])
        .unwrap();
    assert_eq!(progress_of(dir.path()), unknown);
    db.execute("DELETE FROM results", []).unwrap();
    db.execute(report, [r#"{"coverage":{"trials":3}}"#])
        .unwrap();
    let complete = progress(Some(3), [3, 3], RunState::Complete);
    assert_eq!(progress_of(dir.path()), complete);
    drop(db);
    drop(open(dir.path()));
    let db = Connection::open(dir.path().join("run.sqlite")).unwrap();
    assert_eq!(schema::version(&db).unwrap(), schema::VERSION);
    assert_eq!(progress_of(dir.path()), complete, "brought up to date");
}

#[test]
fn a_store_of_several_jobs_is_complete_by_its_report() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open_shared(dir.path(), &Manifest::default()).unwrap();
    store.put_plan(Some(4)).unwrap();
    assert_eq!(progress_of(dir.path()).state, RunState::Running);
    drop(store);
    let stopped = progress(None, [0, 0], RunState::Stopped);
    assert_eq!(progress_of(dir.path()), stopped);
    keep_report(dir.path(), "audit", "{}", "[]").unwrap();
    let complete = progress(None, [0, 0], RunState::Complete);
    assert_eq!(progress_of(dir.path()), complete);
}

#[test]
fn the_version_of_a_run_tells_when_a_process_begins_and_ends() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let reader = Reader::open(dir.path()).unwrap();
    let free = reader.version().unwrap();
    let store = open(dir.path());
    let held = reader.version().unwrap();
    drop(store);
    assert_ne!(free, held);
    assert_eq!(reader.version().unwrap(), free);
}

#[test]
fn whoever_looks_at_a_run_keeps_nobody_from_it() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let reader = Reader::open(dir.path()).unwrap();
    std::thread::scope(|scope| {
        let looks = scope.spawn(|| (0..2000).filter(|_| is_locked(dir.path())).count());
        for _ in 0..20 {
            drop(open(dir.path()));
        }
        looks.join().unwrap();
    });
    assert!(!reader.is_running());
}

/// A run of somebody else may have anything by the name of the lock.
#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_no_lock() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let held = tempfile::tempdir().unwrap();
    let _held = open(held.path());
    std::fs::remove_file(dir.path().join("lock")).unwrap();
    assert!(!is_locked(dir.path()));
    std::os::unix::fs::symlink(held.path().join("lock"), dir.path().join("lock")).unwrap();
    assert!(!is_locked(dir.path()));
}

/// A run's file is there a moment before its tables: a reader waits for whoever has the lock.
#[test]
fn a_run_that_is_just_beginning_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("run.sqlite"), "").unwrap();
    let refused = Reader::open(dir.path()).unwrap_err().to_string();
    assert!(refused.contains("run.sqlite is empty"), "{refused}");

    let lock = crate::connect::lock(dir.path()).unwrap();
    let path = dir.path().to_owned();
    let owner = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(200));
        crate::connect::connect(&path, &Manifest::default()).map(|_| ())
    });
    assert_eq!(progress_of(dir.path()).judgments, 0);
    owner.join().unwrap().unwrap();
    drop(lock);
}
