//! The tables of a run, format 10.
//!
//! Times are Unix seconds. `sessions.reused` is 1 for a session whose calls were copied from
//! another run, which `sessions.program` names behind "copied from". `calls.key` is the BLAKE3 of
//! the request; `keys` files the calls up to `filed.call` by it (`keys.rs`), and a call that is
//! there is not kept again unless another attempt is wanted. Attempts count from 0, and the last
//! one answers. `retries` holds the calls that are wanted again, up to which attempt, and whether
//! what asked for that is still under way. `calls.request` and `exported.request` are whole, or a
//! template with the ids of texts (`prompts.rs`). `calls.raw` is what a server sent, byte for byte.
//! `calls.batch` is 1 where the reply came by a batch file. `exported` holds requests that were
//! written to batch files and have no result yet. `judgments.calls` holds the ids of the calls as a
//! JSON array, `judgments.systems` the systems in slot order where there are more than two,
//! `judgments.looks` the looks that a judgment was made of where there was more than one, both as
//! JSON. `p_first`, `p_tie`, `p_second` and `score` are those of the verdict, NULL where it has
//! none; `flipped` is 1 where both orders within the judgment prefer different responses, `split`
//! where votes or samples of one order disagree. `items` and `responses` are the texts that were
//! judged, in the order of the data; `results` holds the last report of each command, as its JSON,
//! `figures` what it draws. `labels` are what people said of the responses, as it stood in the
//! data. `plan` has one row: how many trials the session that judged last had to judge, NULL where
//! that is known only at its end. `derived` holds what follows from the rest and takes long to
//! find: each text stands under a name, and may be removed.
//!
//! `calls_scan` has what a scan of all calls reads, without the texts between: of a large run it is
//! a hundredth of the table.

use crate::error::choose_another;
use crate::query::read_rows;
use rusqlite::Connection;

/// `PRAGMA user_version` of the format.
pub(crate) const VERSION: i64 = 10;

/// `PRAGMA application_id`: "EVEN".
const APPLICATION: i64 = 0x4556_454e;

/// A table, trigger or view of a database: its kind, name and SQL.
type Part = (String, String, String);

/// Reads the format of a database; 0 for a new one.
pub(crate) fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Makes the tables of a run.
pub(crate) fn create(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(&tables())?;
    db.pragma_update(None, "application_id", APPLICATION)?;
    db.pragma_update(None, "user_version", VERSION)
}

/// Checks that a database is a run of a format that is read.
///
/// # Errors
/// What it is instead, and what to do.
pub(crate) fn check(db: &Connection, version: i64) -> Result<(), String> {
    let found = db.query_row("PRAGMA application_id", [], |row| row.get::<_, i64>(0));
    if found.unwrap_or(0) != APPLICATION {
        let why = match is_empty(db) {
            Ok(true) => "run.sqlite is empty: no run was begun in it",
            _ => "run.sqlite is the database of another program",
        };
        return Err(format!("{why}; {}", choose_another()));
    }
    if version != VERSION {
        return Err(format!(
            "this run was made by another version of evenhand (format {version}; this one reads \
             format {VERSION}); use that version, or {}",
            choose_another()
        ));
    }
    match odd_part(db) {
        Ok(None) => Ok(()),
        Ok(Some((kind, name, _))) => Err(format!(
            "run.sqlite does not have the tables of a run ({kind} {name} differs): somebody \
             changed it; do not use it"
        )),
        Err(e) => Err(format!("the tables of run.sqlite cannot be read ({e})")),
    }
}

/// Whether a database defines nothing, as one that was only just made.
pub(crate) fn is_empty(db: &Connection) -> rusqlite::Result<bool> {
    let count = "SELECT count(*) FROM sqlite_master";
    Ok(db.query_row(count, [], |row| row.get::<_, i64>(0))? == 0)
}

/// Finds something that a database defines and a run does not, or the other way round: it could
/// act when the run is read.
fn odd_part(db: &Connection) -> rusqlite::Result<Option<Part>> {
    let model = Connection::open_in_memory()?;
    model.execute_batch(&tables())?;
    let (expected, found) = (parts(&model)?, parts(db)?);
    // The tables of figures that `ANALYZE` makes, also when a database browser does, tell the
    // planner how many rows there are, and cannot act. Another thing under such a name has other
    // SQL.
    let statistics = [
        "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
        "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
    ];
    let added = found.iter().find(|part| {
        let (kind, _, sql) = part;
        let is_statistics = kind == "table" && statistics.contains(&sql.as_str());
        !is_statistics && !expected.contains(part)
    });
    let lacking = expected.iter().find(|part| !found.contains(part));
    Ok(added.or(lacking).cloned())
}

/// Lists all that a database defines, in order.
fn parts(db: &Connection) -> rusqlite::Result<Vec<Part>> {
    let sql = "SELECT type, name, coalesce(sql, '') FROM sqlite_master ORDER BY type, name";
    read_rows(db, sql, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
}

/// Returns the SQL of the tables.
pub(crate) fn tables() -> String {
    [
        MANIFEST, SESSIONS, JUDGES, CALLS, RETRIES, EXPORTED, JUDGMENTS, ITEMS, RESPONSES, RESULTS,
        CALLS_SCAN, LABELS, PLAN, TEMPLATES, KEYS, DERIVED,
    ]
    .concat()
}

const MANIFEST: &str = "
CREATE TABLE manifest (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
";

const SESSIONS: &str = "
CREATE TABLE sessions (id INTEGER PRIMARY KEY, started REAL NOT NULL, program TEXT NOT NULL, reused INTEGER NOT NULL);
";

const JUDGES: &str = "
CREATE TABLE judges (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE);
";

/// SQLite keeps the text of what defines a table, and a run is checked by it: each space counts.
const CALLS: &str = "
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL,
  attempt INTEGER NOT NULL,
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
";

const RETRIES: &str = "
CREATE TABLE retries (key BLOB PRIMARY KEY, attempt INTEGER NOT NULL, under_way INTEGER NOT NULL) WITHOUT ROWID;
";

const EXPORTED: &str = "
CREATE TABLE exported (
  key BLOB PRIMARY KEY,
  judge TEXT NOT NULL,
  request TEXT NOT NULL
) WITHOUT ROWID;
";

/// What a scan of all judgments reads stands first: SQLite finds it without reading the rest.
const JUDGMENTS: &str = "
CREATE TABLE judgments (
  trial INTEGER PRIMARY KEY,
  item TEXT NOT NULL,
  first TEXT NOT NULL,
  second TEXT,
  replicate INTEGER NOT NULL,
  p_first REAL,
  p_tie REAL,
  p_second REAL,
  score REAL,
  flipped INTEGER NOT NULL,
  split INTEGER NOT NULL,
  failure TEXT,
  calls TEXT NOT NULL,
  systems TEXT,
  verdict TEXT,
  detail TEXT,
  looks TEXT,
  CHECK ((verdict IS NULL) <> (failure IS NULL))
);
";

const ITEMS: &str = "
CREATE TABLE items (
  id INTEGER PRIMARY KEY,
  item TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL,
  turns TEXT,
  category TEXT,
  reference TEXT,
  more TEXT
);
";

const RESPONSES: &str = "
CREATE TABLE responses (
  id INTEGER PRIMARY KEY,
  item TEXT NOT NULL,
  system TEXT NOT NULL,
  text TEXT NOT NULL,
  turns TEXT,
  trajectory TEXT,
  more TEXT,
  UNIQUE (item, system)
);
";

const RESULTS: &str = "
CREATE TABLE results (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  command TEXT NOT NULL UNIQUE,
  made REAL NOT NULL,
  report TEXT NOT NULL
);
";

const KEYS: &str = "
CREATE TABLE keys (prefix INTEGER NOT NULL, call INTEGER NOT NULL, PRIMARY KEY (prefix, call)) WITHOUT ROWID;
CREATE TABLE filed (id INTEGER PRIMARY KEY CHECK (id = 0), call INTEGER NOT NULL);
";

const TEMPLATES: &str = "
CREATE TABLE templates (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
";

/// What a scan of all calls reads, without the texts between.
const CALLS_SCAN: &str = "
CREATE INDEX calls_scan ON calls (id, judge, attempt, prompt_tokens, completion_tokens, cached_tokens, batch);
";

const LABELS: &str = "
CREATE TABLE figures (command TEXT PRIMARY KEY, figures TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE labels (
  id INTEGER PRIMARY KEY,
  item TEXT NOT NULL,
  a TEXT NOT NULL,
  b TEXT NOT NULL,
  preferred TEXT NOT NULL,
  annotator TEXT
);
";

const PLAN: &str = "
CREATE TABLE plan (id INTEGER PRIMARY KEY CHECK (id = 0), trials INTEGER);
";

const DERIVED: &str = "
CREATE TABLE derived (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
";
