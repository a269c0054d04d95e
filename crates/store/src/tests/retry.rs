//! Rounds of retries: begun, broken off, killed and taken up.

use crate::Reader;
use crate::fixtures::{key, open, put, reply};

/// A run in which two calls were answered badly.
fn run() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    put(&mut store, "a", &reply("bad"));
    put(&mut store, "b", &reply("bad"));
    dir
}

#[test]
fn a_call_that_is_wanted_again_is_lacking_until_it_is_answered_anew() {
    let dir = run();
    let mut store = open(dir.path());
    assert!(
        !store.want_again(&key("a")).unwrap(),
        "no round was started"
    );
    store.start_retries().unwrap();
    assert!(store.want_again(&key("a")).unwrap() && !store.want_again(&key("a")).unwrap());
    assert!(!store.want_again(&key("never asked")).unwrap());
    assert_eq!(store.result(&key("a")).unwrap(), None);
    assert_eq!(store.result(&key("b")).unwrap(), Some(reply("bad")));
    put(&mut store, "a", &reply("good"));
    assert_eq!(store.result(&key("a")).unwrap(), Some(reply("good")));
    assert!(!store.want_again(&key("a")).unwrap(), "once in a round");
    assert_eq!(store.usage_of([key("a")].iter()).unwrap().prompt_tokens, 6);
    assert_eq!(store.spent().unwrap()[0].calls, 3);
    drop(store);
    assert_eq!(
        Reader::open(dir.path()).unwrap().result(&key("a")).unwrap(),
        Some(reply("good"))
    );
}

#[test]
fn a_round_that_was_broken_off_goes_on_and_a_later_one_asks_anew() {
    let dir = run();
    let mut store = open(dir.path());
    store.start_retries().unwrap();
    assert!(store.want_again(&key("a")).unwrap() && store.want_again(&key("b")).unwrap());
    put(&mut store, "a", &reply("bad again"));
    store.break_off_retries();
    drop(store);
    // Who does not ask again is given what there is.
    assert_eq!(
        open(dir.path()).result(&key("b")).unwrap(),
        Some(reply("bad"))
    );
    let mut store = open(dir.path());
    store.start_retries().unwrap();
    assert_eq!(store.result(&key("a")).unwrap(), Some(reply("bad again")));
    assert_eq!(store.result(&key("b")).unwrap(), None);
    assert!(
        !store.want_again(&key("a")).unwrap(),
        "it was asked in this round"
    );
    put(&mut store, "b", &reply("good"));
    drop(store);
    let mut store = open(dir.path());
    store.start_retries().unwrap();
    assert!(store.want_again(&key("a")).unwrap(), "a new round");
    put(&mut store, "a", &reply("good"));
    assert_eq!(store.result(&key("a")).unwrap(), Some(reply("good")));
}

#[test]
fn a_round_that_was_killed_goes_on() {
    let dir = run();
    let mut store = open(dir.path());
    store.start_retries().unwrap();
    store.want_again(&key("a")).unwrap();
    store.commit().unwrap();
    std::mem::forget(store);
    // What the killed process held is free in a copy of its directory.
    let copy = tempfile::tempdir().unwrap();
    for name in ["run.sqlite", "run.sqlite-wal"] {
        std::fs::copy(dir.path().join(name), copy.path().join(name)).unwrap();
    }
    let mut store = open(copy.path());
    store.start_retries().unwrap();
    assert_eq!(store.result(&key("a")).unwrap(), None);
}
