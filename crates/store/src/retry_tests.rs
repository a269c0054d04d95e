use super::*;
use crate::{Call, Manifest, Reader};
use evenhand_core::{About, CallResult, Decoding, Message, Reply, Request, Task, Usage};
use rusqlite::Connection;
use std::path::Path;

fn request(text: &str) -> Request {
    let decoding = Decoding {
        max_tokens: 1,
        temperature: 0.0,
        seed: 0,
    };
    let task = Task::Generate {
        decoding,
        answers: None,
    };
    Request {
        judge: "test".into(),
        messages: vec![Message::user(text)],
        task,
        sample: 0,
        about: About::default(),
    }
}

fn reply(text: &str) -> CallResult {
    Ok(Reply {
        text: text.into(),
        usage: Usage {
            prompt_tokens: 3,
            ..Usage::default()
        },
        ..Reply::default()
    })
}

fn put(store: &mut Store, text: &str, reply: &CallResult) {
    let (key, canonical, judge) = (key(text), request(text).canonical(), "test".into());
    store
        .put(&Call {
            key: &key,
            judge: &judge,
            request: &canonical,
            result: reply,
            raw: None,
            batch: false,
        })
        .unwrap();
}

fn key(text: &str) -> RequestKey {
    request(text).key()
}

fn open(dir: &Path) -> Store {
    Store::open(dir, &Manifest::default()).unwrap()
}

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
    assert_eq!(
        (
            store.result(&key("a")).unwrap(),
            store.result(&key("b")).unwrap()
        ),
        (None, Some(reply("bad")))
    );
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
    assert_eq!(
        (
            store.result(&key("a")).unwrap(),
            store.result(&key("b")).unwrap()
        ),
        (Some(reply("bad again")), None)
    );
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

/// The tables of format 3, as programs up to 2026-11-23 wrote them.
const FORMAT_3: &str = "
CREATE TABLE manifest (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (id INTEGER PRIMARY KEY, started REAL NOT NULL, program TEXT NOT NULL);
CREATE TABLE judges (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE);
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE,
  judge INTEGER NOT NULL REFERENCES judges(id),
  request TEXT NOT NULL,
  reply TEXT,
  error TEXT,
  prompt_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  raw TEXT,
  batch INTEGER NOT NULL,
  session INTEGER NOT NULL REFERENCES sessions(id),
  CHECK ((reply IS NULL) <> (error IS NULL))
);
CREATE TRIGGER calls_are_never_changed BEFORE UPDATE ON calls BEGIN SELECT RAISE(ABORT, 'calls are append-only'); END;
CREATE TRIGGER calls_are_never_removed BEFORE DELETE ON calls BEGIN SELECT RAISE(ABORT, 'calls are append-only'); END;
CREATE TABLE exported (
  key BLOB PRIMARY KEY,
  judge TEXT NOT NULL,
  request TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE judgments (
  trial INTEGER PRIMARY KEY,
  item TEXT NOT NULL,
  first TEXT NOT NULL,
  second TEXT,
  systems TEXT,
  replicate INTEGER NOT NULL,
  verdict TEXT,
  failure TEXT,
  detail TEXT,
  calls TEXT NOT NULL,
  looks TEXT,
  CHECK ((verdict IS NULL) <> (failure IS NULL))
);
PRAGMA application_id = 1163281742;
PRAGMA user_version = 3;
INSERT INTO sessions VALUES (1, 1790000000.0, 'evenhand 0.1.0');
INSERT INTO judges VALUES (1, 'test');
INSERT INTO judgments VALUES (0, 'q0', 'x', 'y', NULL, 0, NULL, 'unparsed', 'bad', '[7]', NULL);
";

fn run_of_format_3() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let db = Connection::open(dir.path().join("run.sqlite")).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    db.execute_batch(FORMAT_3).unwrap();
    let told = serde_json::to_string(&reply("bad").unwrap()).unwrap();
    let values = params![&key("a").0[..], request("a").canonical(), told];
    db.execute(
        "INSERT INTO calls VALUES (7, ?1, 1, ?2, ?3, NULL, 3, 0, 0, 0, NULL, 0, 1)",
        values,
    )
    .unwrap();
    dir
}

fn version(dir: &Path) -> i64 {
    let db = Connection::open(dir.join("run.sqlite")).unwrap();
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap()
}

#[test]
fn a_run_of_format_3_is_read_as_it_is_by_who_only_reads() {
    let dir = run_of_format_3();
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.result(&key("a")).unwrap(), Some(reply("bad")));
    assert_eq!(
        (
            reader.totals().unwrap()[0].calls,
            reader.coverage().unwrap()
        ),
        (1, (1, 0))
    );
    let other = tempfile::tempdir().unwrap();
    let mut store = open(other.path());
    store.reuse(vec![reader]);
    assert!(store.take_over(&key("a")).unwrap());
    assert_eq!(
        (store.result(&key("a")).unwrap(), version(dir.path())),
        (Some(reply("bad")), 3)
    );
}

#[test]
fn a_run_of_format_3_is_brought_up_to_date_by_who_goes_on_with_it() {
    let dir = run_of_format_3();
    let mut store = open(dir.path());
    assert_eq!(
        (store.result(&key("a")).unwrap(), version(dir.path())),
        (Some(reply("bad")), 4)
    );
    store.start_retries().unwrap();
    assert!(store.want_again(&key("a")).unwrap());
    put(&mut store, "a", &reply("good"));
    put(&mut store, "b", &reply("good"));
    drop(store);
    let reader = Reader::open(dir.path()).unwrap();
    assert_eq!(
        (
            reader.result(&key("a")).unwrap(),
            reader.spent().unwrap()[0].calls
        ),
        (Some(reply("good")), 3)
    );
    let db = Connection::open(dir.path().join("run.sqlite")).unwrap();
    let mut select = db
        .prepare("SELECT id, attempt FROM calls ORDER BY id")
        .unwrap();
    let ids: Vec<(i64, i64)> = select
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(
        ids,
        [(7, 0), (8, 1), (9, 0)],
        "the ids stay, since judgments name them"
    );
    assert!(
        db.execute("DELETE FROM calls", [])
            .unwrap_err()
            .to_string()
            .contains("append-only")
    );
}
