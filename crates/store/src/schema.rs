//! The tables of a run, version 3.

use rusqlite::Connection;

/// `PRAGMA user_version` of the format.
pub(crate) const VERSION: i64 = 3;

/// `PRAGMA application_id`: "EVEN".
pub(crate) const APPLICATION: i64 = 0x4556_454e;

/// That a database is a run of this version, or what it is and what to do.
pub(crate) fn check(db: &Connection, version: i64) -> Result<(), String> {
    let application: i64 = db.query_row("PRAGMA application_id", [], |row| row.get(0)).unwrap_or(0);
    match (application == APPLICATION, version == VERSION) {
        (true, true) => check_schema(db),
        (false, _) => Err("run.sqlite is the database of another program; choose another --run DIR".into()),
        (true, false) => Err(format!(
            "this run was made by another version of evenhand (format {version}; this one reads format {VERSION}); use that version, or choose another --run DIR"
        )),
    }
}

/// That a database has the tables and triggers of a run, and nothing else that could act.
fn check_schema(db: &Connection) -> Result<(), String> {
    let own = Connection::open_in_memory().and_then(|own| own.execute_batch(TABLES).and_then(|()| schema(&own)));
    match (own, schema(db)) {
        (Ok(own), Ok(found)) if own == found => Ok(()),
        (Ok(own), Ok(found)) => {
            let odd = found.iter().find(|part| !own.contains(part)).or_else(|| own.iter().find(|part| !found.contains(part)));
            let (kind, name, _) = odd.cloned().unwrap_or_default();
            Err(format!("run.sqlite has not the tables of a run ({kind} {name} differs): somebody changed it; do not use it"))
        }
        (Err(e), _) | (_, Err(e)) => Err(format!("the tables of run.sqlite cannot be read ({e})")),
    }
}

/// Kind, name and text of all that a database defines, in order.
fn schema(db: &Connection) -> rusqlite::Result<Vec<(String, String, String)>> {
    let mut select = db.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_master ORDER BY type, name")?;
    select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
}

/// Times are Unix seconds. A session whose program ends in ` --reuse` holds calls that were taken over from other runs.
/// `calls.key` is the BLAKE3 of `calls.request`, and its UNIQUE makes a second payment for the same
/// call impossible: the insert fails. `calls.raw` is what a server sent, byte for byte. `calls.batch` is 1 where the reply came by a
/// batch file. `exported` holds requests that were written to
/// batch files and have no result yet. `judgments.calls` holds the ids of the calls as a JSON array,
/// `judgments.systems` the systems in slot order where there are more than two, `judgments.looks` the looks that a judgment was
/// made of where there was more than one, both as JSON.
pub(crate) const TABLES: &str = "
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
";
