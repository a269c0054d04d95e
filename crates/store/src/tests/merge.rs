//! Runs put together.

use super::*;
use crate::fixtures::{key, open, put, reply, request};
use rusqlite::Connection;

/// A run with a reply to each of these.
fn run_of(texts: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    for (text, said) in texts {
        put(&mut store, text, &reply(said));
    }
    dir
}

fn merge(dirs: &[&tempfile::TempDir]) -> (Reader, Vec<MergedRun>, tempfile::TempDir) {
    let out = tempfile::tempdir().unwrap();
    let runs: Vec<Reader> = dirs
        .iter()
        .map(|dir| Reader::open(dir.path()).unwrap())
        .collect();
    let merged = open(out.path()).merge(&runs).unwrap();
    (Reader::open(out.path()).unwrap(), merged, out)
}

#[test]
fn the_first_answer_to_a_call_stands() {
    let (one, two) = (
        run_of(&[("a", "x"), ("b", "y")]),
        run_of(&[("a", "x"), ("b", "z"), ("c", "w")]),
    );
    let (run, merged, _dir) = merge(&[&one, &two]);
    let counts = |merged: &MergedRun| (merged.calls, merged.calls_twice, merged.calls_differ);
    assert_eq!(
        [counts(&merged[0]), counts(&merged[1])],
        [(2, 0, 0), (1, 1, 1)]
    );
    for (text, said) in [("a", "x"), ("b", "y"), ("c", "w")] {
        assert_eq!(run.result(&key(text)).unwrap(), Some(reply(said)));
    }
    assert_eq!(run.spent().unwrap()[0].calls, 3);
}

#[test]
fn an_answer_that_was_asked_again_is_the_last_one_of_its_own_run() {
    let one = run_of(&[("a", "bad")]);
    let mut store = open(one.path());
    store.start_retries().unwrap();
    assert!(store.want_again(&key("a")).unwrap());
    put(&mut store, "a", &reply("good"));
    drop(store);
    let two = run_of(&[("a", "other")]);
    for (order, said) in [([&one, &two], "good"), ([&two, &one], "other")] {
        let (run, _, _dir) = merge(&order);
        assert_eq!(run.result(&key("a")).unwrap(), Some(reply(said)));
    }
}

#[test]
fn what_was_changed_since_it_was_kept_is_left_out() {
    let one = run_of(&[("a", "x"), ("b", "y"), ("c", "z")]);
    let db = Connection::open(one.path().join("run.sqlite")).unwrap();
    let sql = "SELECT sql FROM sqlite_master WHERE name = 'calls_are_never_changed'";
    let trigger: String = db.query_row(sql, [], |row| row.get(0)).unwrap();
    db.execute_batch("DROP TRIGGER calls_are_never_changed")
        .unwrap();
    db.execute(
        "UPDATE calls SET request = ?1 WHERE id = 1",
        [request("d").canonical()],
    )
    .unwrap();
    db.execute("UPDATE calls SET reply = '{' WHERE id = 2", [])
        .unwrap();
    db.execute_batch(&trigger).unwrap();
    drop(db);
    let (run, merged, _dir) = merge(&[&one]);
    assert_eq!((merged[0].calls, merged[0].calls_damaged), (1, 2));
    for (text, found) in [
        ("a", None),
        ("b", None),
        ("c", Some(reply("z"))),
        ("d", None),
    ] {
        assert_eq!(run.result(&key(text)).unwrap(), found, "{text}");
    }
}
