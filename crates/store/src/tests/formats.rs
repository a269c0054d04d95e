//! Runs of older formats: read as they are, and brought up to date.

use super::*;
use crate::Reader;
use crate::fixtures::{key, open, put, reply, request};
use rusqlite::params;
use std::path::Path;

/// What formats 3 to 5 had in common, as programs up to 2026-11-24 wrote it. `KEY` and `UNIQUE`
/// stand for what differs in the table of calls.
const BEFORE_6: &str = r#"
CREATE TABLE manifest (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (id INTEGER PRIMARY KEY, started REAL NOT NULL, program TEXT NOT NULL);
CREATE TABLE judges (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE);
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  KEY
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
  session INTEGER NOT NULL REFERENCES sessions(id),UNIQUE
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
INSERT INTO sessions VALUES (1, 1790000000.0, 'evenhand 0.1.0');
INSERT INTO sessions VALUES (2, 1790000001.0, 'evenhand 0.1.0 --reuse');
INSERT INTO judges VALUES (1, 'test');
INSERT INTO judgments VALUES (0, 'q0', 'x', 'y', NULL, 0, NULL, 'unparsed', 'bad', '[7]', NULL);
INSERT INTO judgments VALUES (1, 'q0', 'y', 'x', NULL, 0, '{"form":"pairwise","first":0.75,"tie":0.0,"second":0.25,"outside":0.0,"source":"text"}', NULL, NULL, '[8]', '[{"judge":0,"stage":"","sample":0,"swapped":false,"outcome":{"Ok":{"form":"pairwise","first":1.0,"tie":0.0,"second":0.0,"outside":0.0,"source":"text"}}},{"judge":0,"stage":"","sample":0,"swapped":true,"outcome":{"Ok":{"form":"pairwise","first":0.0,"tie":0.0,"second":1.0,"outside":0.0,"source":"text"}}}]');
INSERT INTO judgments VALUES (2, 'q0', 'x', NULL, NULL, 0, '{"form":"pointwise","score":7.0,"outside":0.0,"source":"text"}', NULL, NULL, '[7]', NULL);
"#;

const RETRIES_OF_4: &str = "
CREATE TABLE retries (key BLOB PRIMARY KEY, attempt INTEGER NOT NULL, under_way INTEGER NOT NULL) WITHOUT ROWID;
";

const SESSIONS_OF_5: &str = "
DROP TABLE sessions;
CREATE TABLE sessions (id INTEGER PRIMARY KEY, started REAL NOT NULL, program TEXT NOT NULL, reused INTEGER NOT NULL);
INSERT INTO sessions VALUES (1, 1790000000.0, 'evenhand 0.1.0', 0);
INSERT INTO sessions VALUES (2, 1790000001.0, 'evenhand 0.1.0', 1);
";

/// A run with a call that was made for it, and one that was copied from another run.
fn run_of_format(version: i64) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let db = Connection::open(dir.path().join("run.sqlite")).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    let (key_column, unique, attempt) = match version {
        3 => ("key BLOB NOT NULL UNIQUE,", "", ""),
        _ => (
            "key BLOB NOT NULL,\n  attempt INTEGER NOT NULL,",
            "\n  UNIQUE (key, attempt),",
            "0, ",
        ),
    };
    let sql = BEFORE_6
        .replace("  KEY\n", &format!("  {key_column}\n"))
        .replace(",UNIQUE\n", &format!(",{unique}\n"));
    db.execute_batch(&sql).unwrap();
    if version > 4 {
        db.execute_batch(SESSIONS_OF_5).unwrap();
    }
    if version > 3 {
        db.execute_batch(RETRIES_OF_4).unwrap();
    }
    db.pragma_update(None, "user_version", version).unwrap();
    for (id, text, session) in [(7, "a", 1), (8, "copied", 2)] {
        let stored = serde_json::to_string(&reply("bad").unwrap()).unwrap();
        let sql = format!(
            "INSERT INTO calls VALUES ({id}, ?1, {attempt}1, ?2, ?3, NULL, 3, 0, 0, 0, NULL, 0, \
             {session})"
        );
        let values = params![&key(text).0[..], request(text).canonical(), stored];
        db.execute(&sql, values).unwrap();
    }
    dir
}

fn version_of(dir: &Path) -> i64 {
    version(&Connection::open(dir.join("run.sqlite")).unwrap()).unwrap()
}

#[test]
fn a_run_of_an_older_format_is_read_as_it_is_by_who_only_reads() {
    for format in [3, 4, 5] {
        let dir = run_of_format(format);
        let reader = Reader::open(dir.path()).unwrap();
        assert_eq!(reader.result(&key("a")).unwrap(), Some(reply("bad")));
        assert_eq!(reader.totals().unwrap()[0].calls, 2);
        assert_eq!(reader.spent().unwrap()[0].calls, 1, "one was copied");
        assert_eq!(reader.judgment_counts().unwrap().judgments, 3);
        assert_eq!(reader.items().unwrap(), [], "no texts were kept");
        assert_eq!(reader.last_report().unwrap(), None);
        assert_eq!(scan(&reader), scanned(), "read as it is");
        let merged = tempfile::tempdir().unwrap();
        let brought = open(merged.path())
            .merge(std::slice::from_ref(&reader))
            .unwrap();
        assert_eq!((brought[0].calls, brought[0].judgments), (2, 3));
        let merged = Reader::open(merged.path()).unwrap();
        assert_eq!(scan(&merged), scanned(), "columns are filled");
        assert_eq!(merged.spent().unwrap()[0].calls, 1, "as in the run itself");
        let other = tempfile::tempdir().unwrap();
        let mut store = open(other.path());
        store.set_reused_runs(vec![reader]);
        assert!(store.reuse_call(&key("a")).unwrap());
        assert_eq!(store.result(&key("a")).unwrap(), Some(reply("bad")));
        assert_eq!(version_of(dir.path()), format);
    }
}

#[test]
fn a_run_of_an_older_format_is_brought_up_to_date_by_who_goes_on_with_it() {
    for format in [3, 4, 5] {
        let dir = run_of_format(format);
        let mut store = open(dir.path());
        assert_eq!(store.result(&key("a")).unwrap(), Some(reply("bad")));
        assert_eq!(version_of(dir.path()), VERSION);
        store.start_retries().unwrap();
        assert!(store.want_again(&key("a")).unwrap());
        put(&mut store, "a", &reply("good"));
        put(&mut store, "b", &reply("good"));
        drop(store);
        let reader = Reader::open(dir.path()).unwrap();
        assert_eq!(scan(&reader), scanned(), "columns are filled");
        assert_eq!(reader.result(&key("a")).unwrap(), Some(reply("good")));
        assert_eq!(reader.totals().unwrap()[0].calls, 4);
        assert_eq!(reader.spent().unwrap()[0].calls, 3, "one was copied");
    }
}

#[test]
fn what_is_brought_up_to_date_keeps_its_ids_and_its_guards() {
    for format in [3, 4, 5] {
        let dir = run_of_format(format);
        put(&mut open(dir.path()), "b", &reply("good"));
        let db = Connection::open(dir.path().join("run.sqlite")).unwrap();
        let calls = rows_of(&db, "SELECT id, attempt FROM calls ORDER BY id");
        assert_eq!(calls, [(7, 0), (8, 0), (9, 0)], "judgments name the ids");
        let sessions = rows_of(&db, "SELECT id, reused FROM sessions ORDER BY id");
        assert_eq!(sessions, [(1, 0), (2, 1), (3, 0)], "calls name the ids");
        let removed = db.execute("DELETE FROM calls", []).unwrap_err();
        assert!(removed.to_string().contains("append-only"));
        let broken = rows_of(&db, "SELECT rowid, fkid FROM pragma_foreign_key_check");
        assert_eq!(broken, [], "every call has its session and judge");
    }
}

fn rows_of(db: &Connection, sql: &str) -> Vec<(i64, i64)> {
    let mut select = db.prepare(sql).unwrap();
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.unwrap().map(Result::unwrap).collect()
}

/// A judgment's probabilities, its score, and whether it is flipped.
type Scanned = (Option<[f64; 3]>, Option<f64>, bool);

fn scan(reader: &Reader) -> Vec<Scanned> {
    let mut rows = Vec::new();
    let see = |row: crate::JudgmentColumns| rows.push((row.preference, row.score, row.flipped));
    reader.for_each_judgment(0, see).unwrap();
    rows
}

fn scanned() -> [Scanned; 3] {
    [
        (None, None, false),
        (Some([0.75, 0.0, 0.25]), None, true),
        (None, Some(7.0), false),
    ]
}
