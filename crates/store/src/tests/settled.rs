//! Verdicts that stand as they are kept, and what takes that back.

use crate::fixtures::{key, open, put, reply};
use crate::{Reader, Store};
use evenhand_core::{
    Failure, FailureKind, Judgment, Look, Outcome, Response, Stage, Trial, Verdict, VerdictSource,
};
use std::path::Path;

fn trial(index: u64) -> Trial {
    Trial {
        index,
        item: 0,
        systems: vec![0, 1],
        replicate: 0,
    }
}

fn responses(systems: [&str; 2]) -> [Response; 2] {
    systems.map(|system| Response::new(system, "text"))
}

fn verdict(first: f64) -> Outcome {
    let preference = [first, 0.1, 0.9 - first];
    Ok(Verdict::pair(
        preference,
        0.01,
        VerdictSource::Probabilities,
    ))
}

fn failed() -> Outcome {
    Err(Failure::new(FailureKind::Unparsed, "bad"))
}

/// A judgment that rests on these calls.
fn judgment(index: u64, outcome: Outcome, calls: &[&str]) -> Judgment {
    Judgment {
        trial: trial(index),
        outcome,
        calls: calls.iter().map(|text| key(text)).collect(),
        looks: Vec::new(),
    }
}

fn keep(store: &mut Store, judgment: &Judgment) {
    let responses = responses(["x", "y"]);
    store.put_judgment(judgment, "q", &responses).unwrap();
}

/// A run with as many judgments, each of a call of its own, in a session that trusts.
fn run_of(count: u64) -> (tempfile::TempDir, Vec<Judgment>) {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.trust_verdicts().unwrap();
    let mut kept = Vec::new();
    for index in 0..count {
        let text = index.to_string();
        put(&mut store, &text, &reply("A"));
        let first = 0.9 / (index as f64 + 1.3);
        kept.push(judgment(index, verdict(first), &[&text]));
        keep(&mut store, &kept[index as usize]);
    }
    (dir, kept)
}

/// Opens the run as the next session does.
fn reopen(dir: &Path) -> Store {
    let mut store = open(dir);
    store.trust_verdicts().unwrap();
    store
}

fn standing(store: &mut Store, index: u64) -> Option<Judgment> {
    let responses = responses(["x", "y"]);
    store
        .standing_judgment(&trial(index), "q", &responses)
        .unwrap()
}

#[test]
fn verdicts_stand_as_they_were_made_in_whatever_order_they_are_asked_for() {
    let (dir, kept) = run_of(2500);
    let mut store = reopen(dir.path());
    for judgment in &kept {
        let found = standing(&mut store, judgment.trial.index);
        assert_eq!(found.as_ref(), Some(judgment));
    }
    for index in [2499, 0, 1024, 1023, 1700, 3] {
        let found = standing(&mut store, index);
        assert_eq!(found.as_ref(), Some(&kept[index as usize]));
    }
    assert_eq!(standing(&mut store, 2500), None);
    assert_eq!(standing(&mut store, u64::MAX), None);
}

#[test]
fn another_trial_of_the_same_number_is_made_anew() {
    let (dir, _) = run_of(2);
    let mut store = reopen(dir.path());
    let mut ask = |trial: &Trial, item: &str, systems| {
        store
            .standing_judgment(trial, item, &responses(systems))
            .unwrap()
    };
    assert!(ask(&trial(0), "q", ["x", "y"]).is_some());
    assert!(ask(&trial(0), "other", ["x", "y"]).is_none());
    assert!(ask(&trial(0), "q", ["y", "x"]).is_none());
    let again = Trial {
        replicate: 1,
        ..trial(0)
    };
    assert!(ask(&again, "q", ["x", "y"]).is_none());
}

#[test]
fn failures_and_failed_looks_are_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    store.trust_verdicts().unwrap();
    put(&mut store, "a", &reply("A"));
    let look = |outcome: Outcome| Look {
        judge: 0,
        stage: Stage::Only,
        sample: 0,
        swapped: false,
        outcome,
        criterion: None,
    };
    let looks = |looks: Vec<Look>| Judgment {
        looks,
        ..judgment(1, verdict(0.5), &["a"])
    };
    keep(&mut store, &judgment(0, failed(), &["a"]));
    keep(&mut store, &looks(vec![look(verdict(0.5)), look(failed())]));
    let whole = Judgment {
        trial: trial(2),
        ..looks(vec![look(verdict(0.5)), look(verdict(0.2))])
    };
    keep(&mut store, &whole);
    drop(store);
    let mut store = reopen(dir.path());
    assert_eq!(standing(&mut store, 0), None);
    assert_eq!(standing(&mut store, 1), None);
    assert_eq!(standing(&mut store, 2), Some(whole));
}

/// A verdict that does without a call which got no answer is another once it has one.
#[test]
fn a_verdict_without_one_of_its_calls_unsettles_the_run() {
    let (dir, kept) = run_of(2);
    let mut store = reopen(dir.path());
    put(&mut store, "c", &reply("A"));
    keep(&mut store, &judgment(2, failed(), &["c", "not answered"]));
    assert_eq!(
        standing(&mut store, 0).as_ref(),
        Some(&kept[0]),
        "a failure is made anew"
    );
    keep(
        &mut store,
        &judgment(2, verdict(0.5), &["c", "not answered"]),
    );
    assert_eq!(standing(&mut store, 0), None);
    store.settle(3).unwrap();
    drop(store);
    assert_eq!(standing(&mut reopen(dir.path()), 0), None);
}

#[test]
fn only_who_made_all_judgments_anew_settles_them() {
    let (dir, kept) = run_of(3);
    let mut store = reopen(dir.path());
    store.unsettle().unwrap();
    drop(store);
    let mut store = reopen(dir.path());
    assert_eq!(standing(&mut store, 0), None);
    store.settle(2).unwrap();
    assert_eq!(standing(&mut store, 0), None, "one is from before");
    store.settle(3).unwrap();
    drop(store);
    assert_eq!(
        standing(&mut reopen(dir.path()), 2).as_ref(),
        Some(&kept[2])
    );
}

#[test]
fn what_another_version_settled_is_made_anew() {
    let (dir, _) = run_of(1);
    let store = open(dir.path());
    store
        .db
        .execute("UPDATE derived SET text = 'evenhand 0.0.1'", [])
        .unwrap();
    drop(store);
    assert_eq!(standing(&mut reopen(dir.path()), 0), None);
    // And is not left under its name beside ours.
    let reader = Reader::open(dir.path()).unwrap();
    let count = "SELECT count(*) FROM derived";
    let left: i64 = reader.db.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

#[test]
fn rows_that_somebody_damaged_are_made_anew() {
    for damage in [
        "UPDATE judgments SET verdict = '{' WHERE trial = 1",
        "UPDATE judgments SET calls = '[99]' WHERE trial = 1",
        "UPDATE judgments SET calls = 'x' WHERE trial = 1",
        "UPDATE judgments SET systems = 'x' WHERE trial = 1",
        "UPDATE judgments SET looks = '[1]' WHERE trial = 1",
    ] {
        let (dir, kept) = run_of(3);
        let store = open(dir.path());
        store.db.execute(damage, []).unwrap();
        drop(store);
        let mut store = reopen(dir.path());
        assert_eq!(standing(&mut store, 1), None, "{damage}");
        assert_eq!(standing(&mut store, 2).as_ref(), Some(&kept[2]));
    }
}

#[test]
fn a_run_of_format_9_goes_on_and_is_settled_by_its_next_session() {
    let (dir, kept) = run_of(2);
    let store = open(dir.path());
    let back = "DROP TABLE derived; PRAGMA user_version = 9";
    store.db.execute_batch(back).unwrap();
    drop(store);
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.judgment_counts().unwrap().verdicts, 2);
    drop(reader);
    let mut store = reopen(dir.path());
    assert_eq!(standing(&mut store, 0), None);
    store.settle(2).unwrap();
    drop(store);
    assert_eq!(
        standing(&mut reopen(dir.path()), 0).as_ref(),
        Some(&kept[0])
    );
}

/// Whoever goes on with a run knows which trials failed, and whether any came to a verdict.
#[test]
fn the_next_session_knows_what_failed_and_that_others_did_not() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    assert!(!store.has_verdict().unwrap());
    keep(&mut store, &judgment(0, failed(), &[]));
    assert!(!store.has_verdict().unwrap());
    put(&mut store, "1", &reply("A"));
    keep(&mut store, &judgment(1, verdict(0.5), &["1"]));
    store.commit().unwrap();
    drop(store);
    let store = open(dir.path());
    assert!(store.has_verdict().unwrap());
    let kept = |trial| store.kept_failure(trial).unwrap();
    assert_eq!(kept(0).as_deref(), Some("unparsed"));
    assert_eq!([kept(1), kept(2)], [None, None]);
}
