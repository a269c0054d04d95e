use super::*;
use crate::fixtures::{key, open, put, reply};
use crate::{Reader, StoreError};
use std::path::Path;

fn database(dir: &Path) -> Connection {
    Connection::open(dir.join("run.sqlite")).unwrap()
}

/// Returns how many keys are filed, and the last call that is.
fn filed(dir: &Path) -> (i64, Option<i64>) {
    let db = database(dir);
    let count = |sql: &str| db.query_row(sql, [], |row| row.get(0)).unwrap();
    let last = find_row(&db, "SELECT call FROM filed", [], |row| row.get(0));
    (count("SELECT count(*) FROM keys"), last.unwrap())
}

#[test]
fn a_run_files_its_keys_when_it_ends_and_finds_them_before_and_after() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    for number in 0..300 {
        put(
            &mut store,
            &format!("q{number}"),
            &reply(&format!("r{number}")),
        );
    }
    store.commit().unwrap();
    assert_eq!(filed(dir.path()), (0, None));
    // Who reads meanwhile finds what is not filed, and what comes later.
    let reader = Reader::open(dir.path()).unwrap();
    let read = |name: &str| reader.result(&key(name)).unwrap();
    assert_eq!((read("q7"), read("late")), (Some(reply("r7")), None));
    put(&mut store, "late", &reply("came"));
    store.commit().unwrap();
    assert_eq!(read("late"), Some(reply("came")));
    drop(store);
    assert_eq!(filed(dir.path()), (301, Some(301)));
    assert_eq!((read("q299"), read("none")), (Some(reply("r299")), None));
    let mut store = open(dir.path());
    for number in 0..300 {
        let found = store.result(&key(&format!("q{number}"))).unwrap();
        assert_eq!(found, Some(reply(&format!("r{number}"))));
    }
    put(&mut store, "more", &reply("r"));
    drop(store);
    assert_eq!(filed(dir.path()), (302, Some(302)));
    assert_eq!(
        Reader::open(dir.path())
            .unwrap()
            .result(&key("more"))
            .unwrap(),
        Some(reply("r"))
    );
}

/// A process that is killed files nothing: the next one finds its calls all the same.
#[test]
fn what_a_killed_process_left_is_found_and_filed() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    put(&mut store, "filed", &reply("a"));
    drop(store);
    let mut store = open(dir.path());
    put(&mut store, "left", &reply("b"));
    store.commit().unwrap();
    std::mem::forget(store);
    let copy = tempfile::tempdir().unwrap();
    for name in ["run.sqlite", "run.sqlite-wal"] {
        std::fs::copy(dir.path().join(name), copy.path().join(name)).unwrap();
    }
    let reader = Reader::open(copy.path()).unwrap();
    for (name, said) in [("filed", "a"), ("left", "b")] {
        assert_eq!(reader.result(&key(name)).unwrap(), Some(reply(said)));
    }
    let mut store = open(copy.path());
    assert_eq!(store.result(&key("left")).unwrap(), Some(reply("b")));
    let twice = crate::Call {
        key: &key("left"),
        judge: &"test".into(),
        request: &crate::fixtures::request("left").canonical(),
        about: &evenhand_core::About::default(),
        result: &reply("c"),
        raw: None,
        batch: false,
    };
    assert!(matches!(
        store.put(&twice),
        Err(StoreError::PaidTwice { .. })
    ));
    drop(store);
    assert_eq!(filed(copy.path()), (2, Some(2)));
}

#[test]
fn attempts_are_found_wherever_they_are_the_last_first() {
    let dir = tempfile::tempdir().unwrap();
    for said in ["first", "second", "third"] {
        let mut store = open(dir.path());
        store.start_retries().unwrap();
        store.want_again(&key("q")).unwrap();
        put(&mut store, "q", &reply(said));
        assert_eq!(store.result(&key("q")).unwrap(), Some(reply(said)));
        let ids = store.unfiled.attempts(&store.db, &key("q")).unwrap();
        assert!(ids.is_sorted_by(|a, b| a > b), "{ids:?}");
    }
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.result(&key("q")).unwrap(), Some(reply("third")));
    let usage = open(dir.path()).usage_of([&key("q")].into_iter()).unwrap();
    assert_eq!(usage.prompt_tokens, 9, "every attempt was paid for");
}

/// Keys that share eight bytes are told apart by their rows, filed or not.
#[test]
fn keys_that_begin_alike_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let db = database(dir.path());
    db.execute_batch("INSERT INTO judges VALUES (1, 'test')")
        .unwrap();
    let alike: Vec<RequestKey> = (0..6_u8)
        .map(|end| {
            let mut bytes = [7; 32];
            bytes[31] = end;
            RequestKey(bytes)
        })
        .collect();
    let mut unfiled = Unfiled::read(&db).unwrap();
    for (id, key) in (1..).zip(&alike[..5]) {
        db.execute(
            "INSERT INTO calls VALUES (?1, ?2, 0, 1, '', '{}', NULL, 0, 0, 0, 0, NULL, 0, 1)",
            (id, &key.0[..]),
        )
        .unwrap();
        unfiled.add(key, id);
        // Some are filed, some are not.
        if id == 2 {
            unfiled.file(&db).unwrap();
        }
    }
    for filing in [false, true] {
        if filing {
            unfiled.file(&db).unwrap();
        }
        for (id, key) in (1..).zip(&alike[..5]) {
            assert_eq!(unfiled.attempts(&db, key).unwrap(), [id]);
        }
        assert_eq!(unfiled.attempts(&db, &alike[5]).unwrap(), [0_i64; 0]);
        let read = Unfiled::read(&db).unwrap();
        assert_eq!(read.attempts(&db, &alike[4]).unwrap(), [5]);
    }
}

/// A filing that broke off leaves keys, and not how far it came: nothing is found or counted twice.
#[test]
fn what_was_filed_in_part_is_found_once() {
    let dir = tempfile::tempdir().unwrap();
    for said in ["first", "second"] {
        let mut store = open(dir.path());
        store.start_retries().unwrap();
        store.want_again(&key("q")).unwrap();
        put(&mut store, "q", &reply(said));
    }
    let db = database(dir.path());
    db.execute_batch("DELETE FROM filed").unwrap();
    drop(db);
    let mut store = open(dir.path());
    assert_eq!(
        store.unfiled.attempts(&store.db, &key("q")).unwrap(),
        [2, 1]
    );
    put(&mut store, "other", &reply("third"));
    drop(store);
    assert_eq!(filed(dir.path()), (3, Some(3)));
    let usage = open(dir.path()).usage_of([&key("q")].into_iter()).unwrap();
    assert_eq!(usage.prompt_tokens, 6);
}

/// A foreign index that leads elsewhere finds nothing.
#[test]
fn an_index_that_was_changed_finds_no_other_call() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    put(&mut store, "a", &reply("a"));
    put(&mut store, "b", &reply("b"));
    drop(store);
    let db = database(dir.path());
    db.execute_batch("UPDATE keys SET call = 3 - call").unwrap();
    drop(db);
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.result(&key("a")).unwrap(), None);
    assert_eq!(reader.result(&key("b")).unwrap(), None);
}
