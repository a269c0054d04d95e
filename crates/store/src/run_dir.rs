//! A run directory that this process owns.

use crate::reader::{bounds, counts, impossible, spent, totals, without_probabilities};
use crate::retry::Retries;
use crate::reuse::Others;
use crate::{Bounds, Manifest, StoreError, Totals, Unread, foreign, schema};
use evenhand_core::{
    CallError, CallErrorKind, CallResult, Judgment, Reply, RequestKey, Response, Usage,
};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::{BTreeMap, HashMap};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Replies are committed together when this long has passed since the last commit: a slow judge's
/// at once, a fast one's in groups.
const COMMIT_EVERY: Duration = Duration::from_millis(50);

/// A call that is over, with everything that is kept of it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Its content address.
    pub key: &'a RequestKey,
    /// Who was asked, by identity.
    pub judge: &'a Arc<str>,
    /// The request's canonical text.
    pub request: &'a str,
    /// What became of it.
    pub result: &'a CallResult,
    /// What a server sent, byte for byte.
    pub raw: Option<&'a str>,
    /// Whether it came by a batch file, which costs less.
    pub batch: bool,
}

/// Pages of the log that are moved to the database together (32 MB): those that change often are
/// moved once.
const CHECKPOINT_PAGES: u32 = 8_000;

/// A run directory, open for this process alone.
#[derive(Debug)]
pub struct Store {
    pub(crate) db: Connection,
    dir: PathBuf,
    pub(crate) session: i64,
    pub(crate) others: Others,
    pub(crate) retries: Retries,
    judges: HashMap<Arc<str>, i64>,
    /// The call that was kept last, and its row.
    last: Option<(RequestKey, i64)>,
    in_transaction: bool,
    last_commit: Instant,
    keeps_judgments: bool,
    /// Which file the database is, wherever its name leads later.
    file: Option<(u64, u64)>,
    _lock: File,
}

impl Store {
    /// Makes the directory, or goes on with a run of the same settings.
    pub fn open(dir: &Path, manifest: &Manifest) -> Result<Store, StoreError> {
        let lock = lock(dir)?;
        let db = connect(dir)?;
        prepare(&db, dir, manifest)?;
        let session = new_session(&db, "")?;
        Ok(Store {
            db,
            dir: dir.to_path_buf(),
            session,
            others: Others::default(),
            retries: Retries::default(),
            judges: HashMap::new(),
            last: None,
            in_transaction: false,
            last_commit: Instant::now(),
            keeps_judgments: true,
            file: identity(dir),
            _lock: lock,
        })
    }

    /// The same for the calls of several jobs together: a call that two of them make is made once.
    /// Judgments, which would stand in each other's places, are not kept: they follow from the
    /// calls.
    pub fn open_shared(dir: &Path, manifest: &Manifest) -> Result<Store, StoreError> {
        let mut store = Store::open(dir, manifest)?;
        store.keeps_judgments = false;
        Ok(store)
    }

    /// What these calls took together, each once with all its attempts; a call that is not there
    /// counts nothing.
    pub fn usage_of<'k>(
        &self,
        keys: impl Iterator<Item = &'k RequestKey>,
    ) -> Result<Usage, StoreError> {
        let sums = counts()
            .map(|count| format!("coalesce(sum({count}), 0)"))
            .join(", ");
        let mut select = self
            .db
            .prepare_cached(&format!("SELECT {sums} FROM calls WHERE key = ?1"))?;
        let mut sum = Usage::default();
        for key in keys {
            let tokens = select.query_row([&key.0[..]], |row| {
                Ok([row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?, row.get(3)?])
            });
            let [
                prompt_tokens,
                completion_tokens,
                cached_tokens,
                reasoning_tokens,
            ] = tokens
                .optional()?
                .unwrap_or_default()
                .map(|count| count.max(0) as u64);
            sum += Usage {
                prompt_tokens,
                completion_tokens,
                cached_tokens,
                reasoning_tokens,
            };
        }
        Ok(sum)
    }

    /// The same judge by judge, in the order in which they were first asked in this directory.
    pub fn totals_of<'k>(
        &self,
        keys: impl Iterator<Item = &'k RequestKey>,
    ) -> Result<Vec<Totals>, StoreError> {
        let mut select = self.db.prepare_cached(
            "SELECT judges.id, identity, batch = 1 FROM calls JOIN judges ON judges.id = \
             calls.judge WHERE key = ?1
             ORDER BY attempt DESC LIMIT 1",
        )?;
        let mut totals: BTreeMap<i64, Totals> = BTreeMap::new();
        for key in keys {
            let row = select
                .query_row([&key.0[..]], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                })
                .optional()?;
            let Some((id, judge, batch)): Option<(i64, String, bool)> = row else {
                continue;
            };
            let usage = self.usage_of(std::iter::once(key))?;
            let of = totals.entry(id).or_insert_with(|| Totals {
                judge,
                ..Totals::default()
            });
            of.calls += 1;
            of.usage += usage;
            of.by_batch += if batch { usage } else { Usage::default() };
        }
        Ok(totals.into_values().collect())
    }

    /// Goes on with a run whatever its settings.
    pub fn open_existing(dir: &Path) -> Result<Store, StoreError> {
        let manifest = crate::Reader::open(dir)?.manifest()?;
        Store::open(dir, &manifest)
    }

    /// Where the run is kept.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What became of this call, if it was asked before: of its last attempt, or nothing while
    /// another is wanted. A row that cannot be read is an error of this one call
    /// ([`CallErrorKind::Model`], which is stored in no other way), so that the rest of the run can
    /// be used.
    pub fn result(&self, key: &RequestKey) -> Result<Option<CallResult>, StoreError> {
        if self.retries.lacks(key) {
            return Ok(None);
        }
        let mut select = self.db.prepare_cached(
            "SELECT reply, error FROM calls WHERE key = ?1 ORDER BY attempt DESC LIMIT 1",
        )?;
        let row = select
            .query_row([&key.0[..]], |row| Ok((text(row, 0)?, text(row, 1)?)))
            .optional()?;
        Ok(row.map(|(reply, error)| read_result(key, reply, error)))
    }

    /// Keeps what became of a call. A call that is there already and not wanted again is an error:
    /// nothing is paid for twice.
    pub fn put(&mut self, call: &Call) -> Result<(), StoreError> {
        self.begin()?;
        let judge = self.judge_id(call.judge)?;
        let usage = call
            .result
            .as_ref()
            .map(|reply| reply.usage)
            .unwrap_or_default()
            .capped();
        let (reply, error) = match call.result {
            Ok(reply) => (Some(to_json(reply)?), None),
            Err(error) => (None, Some(to_json(error)?)),
        };
        let mut insert = self.db.prepare_cached(
            "INSERT INTO calls (key, attempt, judge, request, reply, error, prompt_tokens, \
             completion_tokens, cached_tokens, reasoning_tokens, raw, batch, session)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?;
        insert.execute(params![
            &call.key.0[..],
            self.retries.attempt(call.key),
            judge,
            call.request,
            reply,
            error,
            usage.prompt_tokens as i64,
            usage.completion_tokens as i64,
            usage.cached_tokens as i64,
            usage.reasoning_tokens as i64,
            call.raw,
            call.batch,
            self.session
        ])?;
        drop(insert);
        self.retries.answered(call.key);
        self.last = Some((*call.key, self.db.last_insert_rowid()));
        self.commit_if_due()
    }

    /// Keeps a judgment, in place of an earlier one of the same trial. `responses` are those of the
    /// trial, in slot order.
    pub fn put_judgment(
        &mut self,
        judgment: &Judgment,
        item: &str,
        responses: &[Response],
    ) -> Result<(), StoreError> {
        if !self.keeps_judgments {
            return Ok(());
        }
        self.begin()?;
        let calls = self.call_ids(&judgment.calls)?;
        let system = |slot: usize| responses.get(slot).map(|r| r.system.as_ref());
        let all: Vec<&str> = responses
            .iter()
            .map(|response| response.system.as_ref())
            .collect();
        let systems = (all.len() > 2).then(|| to_json(&all)).transpose()?;
        let looks = (!judgment.looks.is_empty())
            .then(|| to_json(&judgment.looks))
            .transpose()?;
        let (verdict, failure, detail) = match &judgment.outcome {
            Ok(verdict) => (Some(to_json(verdict)?), None, None),
            Err(failure) => (
                None,
                Some(failure.kind.name()),
                Some(failure.detail.as_str()),
            ),
        };
        let mut insert = self.db.prepare_cached(
            "INSERT OR REPLACE INTO judgments (trial, item, first, second, systems, replicate, \
             verdict, failure, detail, calls, looks)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?;
        let trial = &judgment.trial;
        insert.execute(params![
            trial.index as i64,
            item,
            system(0),
            system(1),
            systems,
            trial.replicate,
            verdict,
            failure,
            detail,
            calls,
            looks
        ])?;
        drop(insert);
        self.commit_if_due()
    }

    /// Commits what is not committed yet.
    ///
    /// # Errors
    /// [`StoreError::Gone`] where the directory is no longer there, also where nothing was to be
    /// committed.
    pub fn commit(&mut self) -> Result<(), StoreError> {
        if std::mem::take(&mut self.in_transaction) {
            self.db.prepare_cached("COMMIT")?.execute([])?;
        }
        self.last_commit = Instant::now();
        self.check_place()
    }

    /// That the directory still holds the database: what is written to one that was removed is
    /// lost.
    fn check_place(&self) -> Result<(), StoreError> {
        match identity(&self.dir) == self.file {
            true => Ok(()),
            false => Err(StoreError::Gone {
                path: self.dir.clone(),
            }),
        }
    }

    /// Calls and tokens so far, judge by judge in the order of their first calls.
    pub fn totals(&self) -> Result<Vec<Totals>, StoreError> {
        totals(&self.db)
    }

    /// The same without what was taken over from other runs: what was spent on this one.
    pub fn spent(&self) -> Result<Vec<Totals>, StoreError> {
        spent(&self.db)
    }

    /// The judges that did not give the probabilities that they were asked for.
    pub fn without_probabilities(&self) -> Result<Vec<Unread>, StoreError> {
        without_probabilities(&self.db)
    }

    /// How far the probabilities of its calls are known, where a server named only the likeliest
    /// tokens; None where all are exact.
    pub fn bounds(&self) -> Result<Option<Bounds>, StoreError> {
        bounds(&self.db)
    }

    /// Calls whose server gave log-probabilities that cannot be.
    pub fn impossible(&self) -> Result<u64, StoreError> {
        impossible(&self.db)
    }

    fn judge_id(&mut self, judge: &Arc<str>) -> Result<i64, StoreError> {
        if let Some(id) = self.judges.get(judge) {
            return Ok(*id);
        }
        self.db.execute(
            "INSERT OR IGNORE INTO judges (identity) VALUES (?1)",
            [&**judge],
        )?;
        let id = self.db.query_row(
            "SELECT id FROM judges WHERE identity = ?1",
            [&**judge],
            |row| row.get(0),
        )?;
        self.judges.insert(judge.clone(), id);
        Ok(id)
    }

    fn call_ids(&self, keys: &[RequestKey]) -> Result<String, StoreError> {
        let mut select = self
            .db
            .prepare_cached("SELECT id FROM calls WHERE key = ?1 ORDER BY attempt DESC LIMIT 1")?;
        let mut ids = Vec::with_capacity(keys.len());
        for key in keys {
            if let Some((_, id)) = self.last.filter(|(last, _)| last == key) {
                ids.push(id);
                continue;
            }
            ids.extend(
                select
                    .query_row([&key.0[..]], |row| row.get::<_, i64>(0))
                    .optional()?,
            );
        }
        to_json(&ids)
    }

    pub(crate) fn begin(&mut self) -> Result<(), StoreError> {
        if !self.in_transaction {
            self.db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            self.in_transaction = true;
        }
        Ok(())
    }

    pub(crate) fn commit_if_due(&mut self) -> Result<(), StoreError> {
        if self.last_commit.elapsed() >= COMMIT_EVERY {
            self.commit()
        } else {
            Ok(())
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // A failed commit here loses only calls that were never reported as committed.
        let _ = self.end_retries().and_then(|()| self.commit());
    }
}

fn to_json(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|e| StoreError::Corrupt(e.to_string()))
}

/// What became of a call, from the columns of its row.
pub(crate) fn read_result(
    key: &RequestKey,
    reply: Option<String>,
    error: Option<String>,
) -> CallResult {
    let read = match (reply, error) {
        (Some(reply), _) => serde_json::from_str::<Reply>(&reply).map(Ok),
        (None, error) => serde_json::from_str::<CallError>(&error.unwrap_or_default()).map(Err),
    };
    let unreadable = |why: serde_json::Error| {
        let message = format!(
            "call {key} of the run's database cannot be read ({why}): its row was changed or \
             damaged"
        );
        Err(CallError {
            kind: CallErrorKind::Model,
            message,
        })
    };
    read.unwrap_or_else(unreadable)
}

/// A column of texts, whatever stands in it: bytes that are no text are replaced, and a number is
/// an empty text.
pub(crate) fn text(row: &Row, column: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => None,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
        ValueRef::Integer(_) | ValueRef::Real(_) => Some(String::new()),
    })
}

/// The device and number of the database's file; None where there is none.
#[cfg(unix)]
fn identity(dir: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(dir.join("run.sqlite"))
        .ok()
        .map(|file| (file.dev(), file.ino()))
}

/// Whether there is a database: elsewhere than on Unix a file has no number to know it by.
#[cfg(not(unix))]
fn identity(dir: &Path) -> Option<(u64, u64)> {
    dir.join("run.sqlite").is_file().then_some((0, 0))
}

fn lock(dir: &Path) -> Result<File, StoreError> {
    let unwritable = |e: std::io::Error| StoreError::Unwritable {
        path: dir.to_path_buf(),
        why: e.to_string(),
    };
    std::fs::create_dir_all(dir).map_err(unwritable)?;
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(dir.join("lock"))
        .map_err(unwritable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(StoreError::InUse {
            path: dir.to_path_buf(),
        }),
        Err(std::fs::TryLockError::Error(e)) => Err(unwritable(e)),
    }
}

fn connect(dir: &Path) -> Result<Connection, StoreError> {
    let unwritable = |e: rusqlite::Error| StoreError::Unwritable {
        path: dir.to_path_buf(),
        why: e.to_string(),
    };
    let db = Connection::open(dir.join("run.sqlite")).map_err(unwritable)?;
    foreign::disarm(&db)?;
    db.busy_timeout(Duration::from_secs(5))?;
    db.set_prepared_statement_cache_capacity(32);
    Ok(db)
}

fn prepare(db: &Connection, dir: &Path, manifest: &Manifest) -> Result<(), StoreError> {
    let not_a_run = |why: &str| StoreError::NotARun {
        path: dir.to_path_buf(),
        why: why.into(),
    };
    let version = db
        .query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))
        .map_err(|e| {
            not_a_run(&format!(
                "run.sqlite is no run of evenhand ({e}); choose another --run DIR"
            ))
        })?;
    if version == 0 {
        return create(db, dir, manifest);
    }
    schema::check(db, version).map_err(|why| not_a_run(&why))?;
    check(db, dir, manifest)?;
    if version == schema::BEFORE {
        schema::migrate(db).map_err(|e| StoreError::Unwritable {
            path: dir.to_path_buf(),
            why: e.to_string(),
        })?;
    }
    Ok(())
}

fn create(db: &Connection, dir: &Path, manifest: &Manifest) -> Result<(), StoreError> {
    let unwritable = |e: rusqlite::Error| StoreError::Unwritable {
        path: dir.to_path_buf(),
        why: e.to_string(),
    };
    let foreign: i64 = db.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if foreign > 0 {
        let why = "run.sqlite holds other tables than a run's; choose another --run DIR".into();
        return Err(StoreError::NotARun {
            path: dir.to_path_buf(),
            why,
        });
    }
    db.pragma_update(None, "journal_mode", "WAL")
        .map_err(unwritable)?;
    let transaction = db.unchecked_transaction().map_err(unwritable)?;
    transaction.execute_batch(&schema::tables(schema::VERSION))?;
    for (key, value) in &manifest.settings {
        transaction.execute("INSERT INTO manifest VALUES (?1, ?2)", [key, value])?;
    }
    transaction.pragma_update(None, "application_id", schema::APPLICATION)?;
    transaction.pragma_update(None, "user_version", schema::VERSION)?;
    transaction.commit().map_err(unwritable)?;
    tune(db)
}

fn check(db: &Connection, dir: &Path, manifest: &Manifest) -> Result<(), StoreError> {
    let keys = crate::reader::manifest(db)?.differences(manifest);
    if !keys.is_empty() {
        return Err(StoreError::OtherConfiguration {
            path: dir.to_path_buf(),
            keys,
        });
    }
    tune(db)
}

/// A killed process loses nothing that was committed; a power cut may lose the last moments, never
/// the order.
fn tune(db: &Connection) -> Result<(), StoreError> {
    db.pragma_update(None, "synchronous", "NORMAL")?;
    db.pragma_update(None, "cache_size", -32_000)?;
    db.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    Ok(())
}

/// `mark` tells what kind of session it is.
pub(crate) fn new_session(db: &Connection, mark: &str) -> Result<i64, StoreError> {
    let started = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |d| d.as_secs_f64());
    let program = format!("evenhand {}{mark}", env!("CARGO_PKG_VERSION"));
    db.execute(
        "INSERT INTO sessions (started, program) VALUES (?1, ?2)",
        params![started, program],
    )?;
    Ok(db.last_insert_rowid())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
