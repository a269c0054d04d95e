//! A run as it stands, read without owning it.

use crate::reuse::Kept;
use crate::run_dir::{read_result, text};
use crate::{Manifest, StoreError, foreign, schema};
use evenhand_core::{CallResult, RequestKey, Usage};
use rusqlite::{Connection, OptionalExtension};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A run directory, open for reading only; its owner may go on writing.
#[derive(Debug)]
pub struct Reader {
    pub(crate) db: Connection,
    dir: PathBuf,
    /// What is read in place of a run that cannot be.
    _copy: Option<TempDir>,
}

/// What a run holds of one judge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The judge's identity.
    pub judge: String,
    /// Calls with a reply or a final error.
    pub calls: u64,
    /// Their tokens.
    pub usage: Usage,
    /// Of these, the tokens of calls by batch files.
    pub by_batch: Usage,
}

/// Calls of a judge that asked for the probabilities of answers and got none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The judge's identity.
    pub judge: String,
    /// Calls that asked.
    pub asked: u64,
    /// Of these, calls that got none.
    pub without: u64,
}

/// How far probabilities are known that a server gave only within bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Calls with such probabilities.
    pub calls: u64,
    /// Half of the width of the bounds: the mean over these calls.
    pub mean: f64,
    /// The largest.
    pub most: f64,
}

impl Reader {
    /// Opens a run that exists.
    pub fn open(dir: &Path) -> Result<Reader, StoreError> {
        let (db, copy) = foreign::open(dir)?;
        let not_a_run = |why: String| StoreError::NotARun {
            path: dir.to_path_buf(),
            why,
        };
        let version: i64 = db
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .map_err(|e| not_a_run(format!("run.sqlite is no run of evenhand ({e})")))?;
        schema::check(&db, version).map_err(not_a_run)?;
        if version == schema::BEFORE {
            schema::show_as_now(&db)?;
        }
        Ok(Reader {
            db,
            dir: dir.to_path_buf(),
            _copy: copy,
        })
    }

    /// The settings of the run.
    pub fn manifest(&self) -> Result<Manifest, StoreError> {
        manifest(&self.db)
    }

    /// What became of this call.
    ///
    /// A reply that cannot be read is an error of the call
    /// ([`Store::result`](crate::Store::result)).
    ///
    /// # Errors
    /// A row that was changed since it was kept.
    pub fn result(&self, key: &RequestKey) -> Result<Option<CallResult>, StoreError> {
        Ok(self.kept(key)?.map(|kept| kept.result))
    }

    /// A call with all that is kept of it: under the key of its own text, and by the judge that the
    /// text names.
    pub(crate) fn kept(&self, key: &RequestKey) -> Result<Option<Kept>, StoreError> {
        let mut select = self.db.prepare_cached(
            "SELECT identity, request, reply, error, raw, batch = 1 FROM calls JOIN judges ON \
             judges.id = calls.judge WHERE key = ?1
             ORDER BY attempt DESC LIMIT 1",
        )?;
        let row = select.query_row([&key.0[..]], |row| {
            let texts = [
                text(row, 0)?.unwrap_or_default(),
                text(row, 1)?.unwrap_or_default(),
            ];
            Ok((
                texts,
                text(row, 2)?,
                text(row, 3)?,
                text(row, 4)?,
                row.get(5)?,
            ))
        });
        let Some(([judge, request], reply, error, raw, batch)) = row.optional()? else {
            return Ok(None);
        };
        match is_own(key, &judge, &request) {
            true => Ok(Some(Kept {
                judge: judge.into(),
                request,
                result: read_result(key, reply, error),
                raw,
                batch,
            })),
            false => Err(StoreError::Changed {
                path: self.dir.clone(),
                call: key.to_string(),
            }),
        }
    }

    /// Calls and tokens so far, judge by judge in the order of their first calls.
    pub fn totals(&self) -> Result<Vec<Totals>, StoreError> {
        totals(&self.db)
    }

    /// Calls and tokens without what was taken over from other runs.
    pub fn spent(&self) -> Result<Vec<Totals>, StoreError> {
        spent(&self.db)
    }

    /// Where the run is kept.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Identities of those who were asked, in the order of their first calls.
    pub fn judges(&self) -> Result<Vec<String>, StoreError> {
        let mut select = self.db.prepare("SELECT identity FROM judges ORDER BY id")?;
        let judges = select
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        Ok(judges)
    }

    /// When a process last opened it to judge, in seconds since 1970.
    pub fn last_used(&self) -> Result<f64, StoreError> {
        Ok(self.db.query_row(
            "SELECT coalesce(max(started), 0) FROM sessions",
            [],
            |row| row.get(0),
        )?)
    }

    /// The time of [`Reader::last_used`] in UTC, as `2026-11-23 15:04:05`; empty where it lies
    /// outside of the years that SQLite can write.
    pub fn last_used_utc(&self) -> Result<String, StoreError> {
        let sql = "SELECT coalesce(datetime(max(started), 'unixepoch'), '') FROM sessions";
        Ok(self.db.query_row(sql, [], |row| row.get(0))?)
    }

    /// Judgments that are kept, and how many of them have a verdict.
    pub fn coverage(&self) -> Result<(u64, u64), StoreError> {
        let sql = "SELECT count(*), count(verdict) FROM judgments";
        let counts: (i64, i64) = self
            .db
            .query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok((counts.0.max(0) as u64, counts.1.max(0) as u64))
    }
}

/// Whether a request is the one whose key it stands under, and was put to this judge.
fn is_own(key: &RequestKey, judge: &str, request: &str) -> bool {
    let named = serde_json::to_string(judge).unwrap_or_default();
    let asked = request
        .strip_prefix("{\"judge\":")
        .is_some_and(|rest| !named.is_empty() && rest.starts_with(&named));
    asked && RequestKey::of(request) == *key
}

pub(crate) fn totals(db: &Connection) -> Result<Vec<Totals>, StoreError> {
    totals_where(db, "")
}

/// The same of the calls that were made for this run.
pub(crate) fn spent(db: &Connection) -> Result<Vec<Totals>, StoreError> {
    totals_where(
        db,
        &format!(
            "WHERE session NOT IN (SELECT id FROM sessions WHERE program LIKE '%{}')",
            crate::reuse::MARK
        ),
    )
}

/// Columns of tokens, in the order of [`Usage`].
const COUNTS: [&str; 4] = [
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "reasoning_tokens",
];

/// SQL of the counts of a call, each between 0 and [`Usage::MOST`] whatever stands in the row, so
/// that no sum overflows.
pub(crate) fn counts() -> [String; 4] {
    COUNTS.map(|column| format!("min(max(CAST({column} AS INTEGER), 0), {})", Usage::MOST))
}

fn totals_where(db: &Connection, condition: &str) -> Result<Vec<Totals>, StoreError> {
    let sums = counts().map(|count| format!("sum({count})")).join(", ");
    let by_batch = counts()
        .map(|count| format!("sum((batch = 1) * {count})"))
        .join(", ");
    let mut select = db.prepare(&format!(
        "SELECT identity, count(*), {sums}, {by_batch}
         FROM calls JOIN judges ON judges.id = calls.judge {condition} GROUP BY judges.id ORDER BY judges.id",
    ))?;
    let count = |row: &rusqlite::Row, at: usize| row.get::<_, i64>(at).map(|n| n.max(0) as u64);
    let rows = select.query_map([], |row| {
        let usage = |from: usize| -> rusqlite::Result<Usage> {
            Ok(Usage {
                prompt_tokens: count(row, from)?,
                completion_tokens: count(row, from + 1)?,
                cached_tokens: count(row, from + 2)?,
                reasoning_tokens: count(row, from + 3)?,
            })
        };
        Ok(Totals {
            judge: row.get(0)?,
            calls: count(row, 1)?,
            usage: usage(2)?,
            by_batch: usage(6)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(crate) fn without_probabilities(db: &Connection) -> Result<Vec<Unread>, StoreError> {
    let mut select = db.prepare(
        "SELECT identity, count(*), sum(reply ->> '$.answers' IS NULL) FROM calls JOIN judges ON \
         judges.id = calls.judge
         WHERE CASE WHEN json_valid(reply) AND json_valid(request) THEN request ->> '$.task.answers' IS NOT NULL END
         GROUP BY judges.id ORDER BY judges.id",
    )?;
    let count = |row: &rusqlite::Row, at: usize| row.get::<_, i64>(at).map(|n| n.max(0) as u64);
    let rows = select.query_map([], |row| {
        Ok(Unread {
            judge: row.get(0)?,
            asked: count(row, 1)?,
            without: count(row, 2)?,
        })
    })?;
    let all: Vec<Unread> = rows.collect::<Result<_, _>>()?;
    Ok(all
        .into_iter()
        .filter(|unread| unread.without > 0)
        .collect())
}

pub(crate) fn bounds(db: &Connection) -> Result<Option<Bounds>, StoreError> {
    let sql = "SELECT count(*), coalesce(avg(within), 0), coalesce(max(within), 0) FROM
               (SELECT CASE WHEN json_valid(reply) THEN reply ->> '$.answers_within' END AS within FROM calls
                WHERE instr(reply, '\"answers_within\"') > 0) WHERE within > 0";
    let bounds = db.query_row(sql, [], |row| {
        let calls: i64 = row.get(0)?;
        Ok(Bounds {
            calls: calls.max(0) as u64,
            mean: row.get(1)?,
            most: row.get(2)?,
        })
    })?;
    Ok((bounds.calls > 0).then_some(bounds))
}

/// Calls whose log-probabilities cannot be. The mark is found by its text: within a text its quotes
/// would be escaped.
pub(crate) fn impossible(db: &Connection) -> Result<u64, StoreError> {
    let sql = "SELECT count(*) FROM calls WHERE instr(reply, '\"answers_impossible\":true') > 0";
    Ok(db.query_row(sql, [], |row| row.get::<_, i64>(0))?.max(0) as u64)
}

pub(crate) fn manifest(db: &Connection) -> Result<Manifest, StoreError> {
    let mut select = db.prepare("SELECT key, value FROM manifest")?;
    let settings = select
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    Ok(Manifest { settings })
}
