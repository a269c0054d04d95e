//! The tables of a run, format 10, and of formats 3 to 9, which are read and brought up to date.
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
//!
//! Up to format 9 nothing derived was kept.
//! Up to format 8 every request was kept whole, with its tokens in the reply, too, and
//! `UNIQUE (key, attempt)` found calls.
//! Up to format 7 a run did not know its plan.
//! Up to format 6 it kept no figures and no labels, and had no such index.
//! Up to format 5 a run kept no texts and no reports, and judgments had no plain columns. Format 4
//! told a session of copied calls from the others by the end of `sessions.program`. Format 3 had
//! one attempt at a call.

use crate::error::choose_another;
use crate::query::read_rows;
use evenhand_core::{Look, are_flipped, are_split};
use rusqlite::Connection;

/// `PRAGMA user_version` of the format.
pub(crate) const VERSION: i64 = 10;

/// The oldest format that is read.
const OLDEST: i64 = 3;

/// `PRAGMA application_id`: "EVEN".
const APPLICATION: i64 = 0x4556_454e;

/// How `sessions.program` ended up to format 4 where the calls were copied from other runs.
const REUSED_PROGRAM: &str = "% --reuse";

/// A table, trigger or view of a database: its kind, name and SQL.
type Part = (String, String, String);

/// Reads the format of a database; 0 for a new one.
pub(crate) fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Makes the tables of a run.
pub(crate) fn create(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(&tables(VERSION))?;
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
    if !(OLDEST..=VERSION).contains(&version) {
        return Err(format!(
            "this run was made by another version of evenhand (format {version}; this one reads \
             formats {OLDEST} to {VERSION}); use that version, or {}",
            choose_another()
        ));
    }
    match odd_part(db, version) {
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
fn odd_part(db: &Connection, version: i64) -> rusqlite::Result<Option<Part>> {
    let model = Connection::open_in_memory()?;
    model.execute_batch(&tables(version))?;
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

/// Brings the tables of an older format up to date, all or nothing.
pub(crate) fn migrate(db: &Connection, version: i64) -> rusqlite::Result<()> {
    if version == VERSION {
        return Ok(());
    }
    // A table that others refer to can be made anew only while nobody checks that.
    let checked = db.pragma_query_value(None, "foreign_keys", |row| row.get::<_, bool>(0))?;
    db.pragma_update(None, "foreign_keys", false)?;
    let migrated = migrate_tables(db, version);
    db.pragma_update(None, "foreign_keys", checked)?;
    migrated
}

fn migrate_tables(db: &Connection, version: i64) -> rusqlite::Result<()> {
    let transaction = db.unchecked_transaction()?;
    if version < 4 {
        transaction.execute_batch(RETRIES)?;
    }
    if version < 5 {
        add_reused(&transaction)?;
    }
    if version < 6 {
        add_texts(&transaction)?;
    }
    if version < 7 {
        transaction.execute_batch(LABELS)?;
    }
    if version < 8 {
        transaction.execute_batch(PLAN)?;
    }
    if version < 9 {
        transaction.execute_batch(TEMPLATES)?;
        rebuild_calls(&transaction, version)?;
    }
    // A response has an id that lasts, also where the file is vacuumed.
    if (6..9).contains(&version) {
        transaction.execute_batch("ALTER TABLE responses RENAME TO responses_before;")?;
        transaction.execute_batch(RESPONSES)?;
        transaction.execute_batch(
            "INSERT INTO responses (item, system, text, turns, trajectory, more)
             SELECT item, system, text, turns, trajectory, more FROM responses_before ORDER BY rowid;
             DROP TABLE responses_before;",
        )?;
    }
    transaction.execute_batch(DERIVED)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// Format 9: the keys of calls are filed apart. Format 4: calls have attempts.
fn rebuild_calls(db: &Connection, version: i64) -> rusqlite::Result<()> {
    let columns = "judge, request, reply, error, prompt_tokens, completion_tokens, cached_tokens, \
                   reasoning_tokens, raw, batch, session";
    let attempt = if version < 4 { "0" } else { "attempt" };
    db.execute_batch(
        "DROP TRIGGER calls_are_never_changed; DROP TRIGGER calls_are_never_removed;
         DROP INDEX IF EXISTS calls_scan; ALTER TABLE calls RENAME TO calls_before;",
    )?;
    db.execute_batch(&calls(VERSION))?;
    db.execute_batch(&format!(
        "INSERT INTO calls (id, key, attempt, {columns})
         SELECT id, key, {attempt}, {columns} FROM calls_before ORDER BY id;
         DROP TABLE calls_before;"
    ))?;
    db.execute_batch(CALLS_SCAN)?;
    db.execute_batch(KEYS)
}

/// Format 5: sessions say themselves whether their calls were copied.
fn add_reused(db: &Connection) -> rusqlite::Result<()> {
    // Renaming the old table would change the reference of `calls` to it.
    db.execute_batch(&format!(
        "CREATE TEMP TABLE kept AS
         SELECT id, started, program, program LIKE '{REUSED_PROGRAM}' AS reused FROM main.sessions;
         DROP TABLE main.sessions;
         {SESSIONS}
         INSERT INTO main.sessions (id, started, program, reused)
         SELECT id, started, program, reused FROM temp.kept ORDER BY id;
         DROP TABLE temp.kept;"
    ))
}

/// Format 6: texts, reports, and judgments with plain columns.
fn add_texts(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(&texts(VERSION))?;
    db.execute_batch("ALTER TABLE judgments RENAME TO judgments_before;")?;
    db.execute_batch(JUDGMENTS)?;
    db.execute_batch(&format!(
        "INSERT INTO judgments ({OLD_COLUMNS}, p_first, p_tie, p_second, score, flipped, split)
         SELECT {OLD_COLUMNS}, {PLAIN_COLUMNS}, 0, 0 FROM judgments_before ORDER BY trial;
         DROP TABLE judgments_before;"
    ))?;
    // How the looks of a judgment compare.
    let mut select =
        db.prepare("SELECT trial, looks FROM judgments WHERE looks IS NOT NULL ORDER BY trial")?;
    let mut update =
        db.prepare("UPDATE judgments SET flipped = ?2, split = ?3 WHERE trial = ?1")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let looks = parse_looks(row.get_ref(1)?.as_bytes().unwrap_or_default());
        let trial: i64 = row.get(0)?;
        update.execute((trial, are_flipped(&looks, &[]), are_split(&looks)))?;
    }
    Ok(())
}

/// Parses the looks of a judgment; those that cannot be read compare as none.
pub(crate) fn parse_looks(json: &[u8]) -> Vec<Look> {
    serde_json::from_slice(json).unwrap_or_default()
}

/// Shows the tables of an older format as those of this one, to a connection that only reads.
pub(crate) fn show_as_now(db: &Connection, version: i64) -> rusqlite::Result<()> {
    if version == VERSION {
        return Ok(());
    }
    db.pragma_update(None, "query_only", false)?;
    if version < 4 {
        db.execute_batch("CREATE TEMP VIEW calls AS SELECT *, 0 AS attempt FROM main.calls;")?;
    }
    if version < 5 {
        db.execute_batch(&format!(
            "CREATE TEMP VIEW sessions AS
             SELECT *, program LIKE '{REUSED_PROGRAM}' AS reused FROM main.sessions;"
        ))?;
    }
    if version < 6 {
        // Looks are compared by who reads them, where these columns are NULL.
        db.execute_batch(&format!(
            "CREATE TEMP VIEW judgments AS
             SELECT *, {PLAIN_COLUMNS}, NULL AS flipped, NULL AS split FROM main.judgments;"
        ))?;
        db.execute_batch(&as_temporary(&texts(VERSION)))?;
    }
    if version < 7 {
        db.execute_batch(&as_temporary(LABELS))?;
    }
    if version < 8 {
        db.execute_batch(&as_temporary(PLAN))?;
    }
    if version < 9 {
        db.execute_batch(&as_temporary(TEMPLATES))?;
        db.execute_batch(&as_temporary(KEYS))?;
    }
    db.execute_batch(&as_temporary(DERIVED))?;
    db.pragma_update(None, "query_only", true)
}

/// Makes tables that this connection alone sees.
fn as_temporary(tables: &str) -> String {
    tables.replace("CREATE TABLE", "CREATE TEMP TABLE")
}

/// Returns the SQL of a format's tables.
pub(crate) fn tables(version: i64) -> String {
    let sessions = if version < 5 {
        SESSIONS_BEFORE_5
    } else {
        SESSIONS
    };
    let mut sql = [MANIFEST, sessions, JUDGES].concat();
    sql += &calls(version);
    if version > 3 {
        sql += RETRIES;
    }
    sql += EXPORTED;
    if version < 6 {
        sql += JUDGMENTS_BEFORE_6;
    } else {
        sql += JUDGMENTS;
        sql += &texts(version);
    }
    if version > 6 {
        sql += CALLS_SCAN;
        sql += LABELS;
    }
    if version > 7 {
        sql += PLAN;
    }
    if version > 8 {
        sql += TEMPLATES;
        sql += KEYS;
    }
    if version > 9 {
        sql += DERIVED;
    }
    sql
}

const MANIFEST: &str = "
CREATE TABLE manifest (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
";

const SESSIONS_BEFORE_5: &str = "
CREATE TABLE sessions (id INTEGER PRIMARY KEY, started REAL NOT NULL, program TEXT NOT NULL);
";

const SESSIONS: &str = "
CREATE TABLE sessions (id INTEGER PRIMARY KEY, started REAL NOT NULL, program TEXT NOT NULL, reused INTEGER NOT NULL);
";

const JUDGES: &str = "
CREATE TABLE judges (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE);
";

/// SQLite keeps the text of what defines a table, and a run is checked by it: each space counts.
fn calls(version: i64) -> String {
    let (key, unique) = match version {
        ..4 => ("key BLOB NOT NULL UNIQUE,", ""),
        4..9 => (
            "key BLOB NOT NULL,\n  attempt INTEGER NOT NULL,",
            "\n  UNIQUE (key, attempt),",
        ),
        _ => ("key BLOB NOT NULL,\n  attempt INTEGER NOT NULL,", ""),
    };
    format!(
        "
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  {key}
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
  session INTEGER NOT NULL REFERENCES sessions(id),{unique}
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

const EXPORTED: &str = "
CREATE TABLE exported (
  key BLOB PRIMARY KEY,
  judge TEXT NOT NULL,
  request TEXT NOT NULL
) WITHOUT ROWID;
";

const JUDGMENTS_BEFORE_6: &str = "
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

fn texts(version: i64) -> String {
    let responses = if version < 9 {
        RESPONSES_BEFORE_9
    } else {
        RESPONSES
    };
    [ITEMS, responses, RESULTS].concat()
}

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

const RESPONSES_BEFORE_9: &str = "
CREATE TABLE responses (
  item TEXT NOT NULL,
  system TEXT NOT NULL,
  text TEXT NOT NULL,
  turns TEXT,
  trajectory TEXT,
  more TEXT,
  PRIMARY KEY (item, system)
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

/// The columns that judgments had before format 6.
const OLD_COLUMNS: &str =
    "trial, item, first, second, systems, replicate, verdict, failure, detail, calls, looks";

/// The plain columns of a judgment, from its verdict.
const PLAIN_COLUMNS: &str = "
  CASE WHEN json_valid(verdict) THEN verdict ->> '$.first' END AS p_first,
  CASE WHEN json_valid(verdict) THEN verdict ->> '$.tie' END AS p_tie,
  CASE WHEN json_valid(verdict) THEN verdict ->> '$.second' END AS p_second,
  CASE WHEN json_valid(verdict) THEN verdict ->> '$.score' END AS score";

#[cfg(test)]
#[path = "tests/formats.rs"]
mod tests;
