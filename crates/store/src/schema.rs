//! The tables of a run, version 4, and of version 3, which is read and brought up to date.

use rusqlite::Connection;

/// `PRAGMA user_version` of the format.
pub(crate) const VERSION: i64 = 4;

/// The version before it, which had one reply to a call.
pub(crate) const BEFORE: i64 = 3;

/// `PRAGMA application_id`: "EVEN".
pub(crate) const APPLICATION: i64 = 0x4556_454e;

/// That a database is a run of this version or the one before, or what it is and what to do.
pub(crate) fn check(db: &Connection, version: i64) -> Result<(), String> {
    let application: i64 = db
        .query_row("PRAGMA application_id", [], |row| row.get(0))
        .unwrap_or(0);
    match (
        application == APPLICATION,
        (BEFORE..=VERSION).contains(&version),
    ) {
        (true, true) => check_schema(db, version),
        (false, _) => {
            Err("run.sqlite is the database of another program; choose another --run DIR".into())
        }
        (true, false) => Err(format!(
            "this run was made by another version of evenhand (format {version}; this one reads \
             formats {BEFORE} and {VERSION}); use that version, or choose another --run DIR"
        )),
    }
}

/// That a database has the tables and triggers of a run, and nothing else that could act.
fn check_schema(db: &Connection, version: i64) -> Result<(), String> {
    let own = Connection::open_in_memory().and_then(|own| {
        own.execute_batch(&tables(version))
            .and_then(|()| schema(&own))
    });
    match (own, schema(db)) {
        (Ok(own), Ok(found)) if own == found => Ok(()),
        (Ok(own), Ok(found)) => {
            let odd = found
                .iter()
                .find(|part| !own.contains(part))
                .or_else(|| own.iter().find(|part| !found.contains(part)));
            let (kind, name, _) = odd.cloned().unwrap_or_default();
            Err(format!(
                "run.sqlite has not the tables of a run ({kind} {name} differs): somebody changed \
                 it; do not use it"
            ))
        }
        (Err(e), _) | (_, Err(e)) => Err(format!("the tables of run.sqlite cannot be read ({e})")),
    }
}

/// Kind, name and text of all that a database defines, in order.
fn schema(db: &Connection) -> rusqlite::Result<Vec<(String, String, String)>> {
    let mut select =
        db.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_master ORDER BY type, name")?;
    select
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect()
}

/// The SQL of a version's tables.
pub(crate) fn tables(version: i64) -> String {
    match version {
        BEFORE => [MANIFEST, &calls("", " UNIQUE", ""), REST].concat(),
        _ => [MANIFEST, &calls(ATTEMPT, "", UNIQUE), RETRIES, REST].concat(),
    }
}

/// Brings the tables of the version before up to date, all or nothing.
pub(crate) fn migrate(db: &Connection) -> rusqlite::Result<()> {
    let columns = "judge, request, reply, error, prompt_tokens, completion_tokens, cached_tokens, \
                   reasoning_tokens, raw, batch, session";
    let transaction = db.unchecked_transaction()?;
    transaction.execute_batch(
        "DROP TRIGGER calls_are_never_changed; DROP TRIGGER calls_are_never_removed;",
    )?;
    transaction.execute_batch("ALTER TABLE calls RENAME TO calls_before;")?;
    transaction.execute_batch(&calls(ATTEMPT, "", UNIQUE))?;
    let copy = format!(
        "INSERT INTO calls (id, key, attempt, {columns}) SELECT id, key, 0, {columns} FROM \
         calls_before ORDER BY id"
    );
    transaction.execute(&copy, [])?;
    transaction.execute_batch("DROP TABLE calls_before;")?;
    transaction.execute_batch(RETRIES)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// Shows the calls of the version before as those of this one, to a connection that only reads.
pub(crate) fn show_as_now(db: &Connection) -> rusqlite::Result<()> {
    db.pragma_update(None, "query_only", false)?;
    db.execute_batch("CREATE TEMP VIEW calls AS SELECT *, 0 AS attempt FROM main.calls;")?;
    db.pragma_update(None, "query_only", true)
}

const ATTEMPT: &str = "\n  attempt INTEGER NOT NULL,";
const UNIQUE: &str = "\n  UNIQUE (key, attempt),";

/// Times are Unix seconds. A session whose program ends in ` --reuse` holds calls that were taken
/// over from other runs. `calls.key` is the BLAKE3 of `calls.request`, and UNIQUE makes a second
/// payment for the same attempt at a call impossible: the insert fails. Attempts count from 0, and
/// the last one answers. `retries` holds the calls that are wanted again, up to which attempt, and
/// whether what asked for that is still under way. `calls.raw` is what a server sent, byte for
/// byte. `calls.batch` is 1 where the reply came by a batch file. `exported` holds requests that
/// were written to batch files and have no result yet. `judgments.calls` holds the ids of the calls
/// as a JSON array, `judgments.systems` the systems in slot order where there are more than two,
/// `judgments.looks` the looks that a judgment was made of where there was more than one, both as
/// JSON.
const MANIFEST: &str = "
CREATE TABLE manifest (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (id INTEGER PRIMARY KEY, started REAL NOT NULL, program TEXT NOT NULL);
CREATE TABLE judges (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE);
";

fn calls(attempt: &str, unique: &str, last: &str) -> String {
    format!(
        "
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL{unique},{attempt}
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
  session INTEGER NOT NULL REFERENCES sessions(id),{last}
  CHECK ((reply IS NULL) <> (error IS NULL))
);
CREATE TRIGGER calls_are_never_changed BEFORE UPDATE ON calls BEGIN SELECT RAISE(ABORT, 'calls are append-only'); END;
CREATE TRIGGER calls_are_never_removed BEFORE DELETE ON calls BEGIN SELECT RAISE(ABORT, 'calls are append-only'); END;
"
    )
}

const RETRIES: &str = "
CREATE TABLE retries (key BLOB PRIMARY KEY, attempt INTEGER NOT NULL, under_way INTEGER NOT NULL) WITHOUT ROWID;
";

const REST: &str = "
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
