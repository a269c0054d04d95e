//! A run as it stands, read without owning it.

use crate::connect::is_locked;
use crate::error::not_a_run;
use crate::keys::Unfiled;
use crate::lookup::{self, StoredCall};
use crate::query::read_rows;
use crate::totals::{self, Answered, Totals, read_count};
use crate::{Manifest, StoreError, foreign, schema};
use evenhand_core::{CallResult, RequestKey};
use rusqlite::Connection;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};
use tempfile::TempDir;

/// A run directory, open for reading only; its owner may go on writing.
#[derive(Debug)]
pub struct Reader {
    pub(crate) db: Connection,
    dir: PathBuf,
    /// The calls that are not filed, once a call was looked for.
    unfiled: RefCell<Option<Unfiled>>,
    /// The copy that is read, where the run itself cannot be.
    _copy: Option<TempDir>,
}

/// How often a run is looked at that its process has only begun.
const BEGINNING_TRIES: u32 = 100;

/// The pause between two looks.
const BEGINNING_PAUSE: Duration = Duration::from_millis(20);

/// Judgments that a run keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgmentCounts {
    /// All of them.
    pub judgments: u64,
    /// Those with a verdict.
    pub verdicts: u64,
}

impl Reader {
    /// Opens a run that exists.
    ///
    /// # Errors
    /// [`StoreError::NotARun`] where there is no run that can be read, or one of a later format.
    pub fn open(dir: &Path) -> Result<Reader, StoreError> {
        let mut tries = BEGINNING_TRIES;
        let (db, copy, version) = loop {
            let (db, copy) = foreign::open(dir)?;
            let version = schema::version(&db).map_err(|e| {
                let why = format!("run.sqlite is not a run of evenhand ({e})");
                not_a_run(dir, why)
            })?;
            // A process that has just begun the run has made the file, and its tables come in a
            // moment.
            let is_beginning = version == 0 && schema::is_empty(&db)? && is_locked(dir);
            if !is_beginning || tries == 0 {
                break (db, copy, version);
            }
            tries -= 1;
            std::thread::sleep(BEGINNING_PAUSE);
        };
        schema::check(&db, version).map_err(|why| not_a_run(dir, why))?;
        schema::show_as_now(&db, version)?;
        Ok(Reader {
            db,
            dir: dir.to_path_buf(),
            unfiled: RefCell::default(),
            _copy: copy,
        })
    }

    /// Opens the run once more, to be read by another thread.
    pub(crate) fn open_again(&self) -> Result<Reader, StoreError> {
        Reader::open(self._copy.as_ref().map_or(&*self.dir, TempDir::path))
    }

    /// Returns the directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Reads several things as they stand at one moment, whatever the run's owner writes meanwhile.
    ///
    /// # Errors
    /// A database that cannot be read, and what `read` fails with.
    pub fn at_once<T>(
        &self,
        read: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let _snapshot = self.db.unchecked_transaction()?;
        read()
    }

    /// Reads the settings of the run.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn manifest(&self) -> Result<Manifest, StoreError> {
        Ok(Manifest::read(&self.db)?)
    }

    /// Returns what became of a call; None where it was not asked.
    ///
    /// A reply that cannot be read is an error of the call
    /// ([`Store::result`](crate::Store::result)).
    ///
    /// # Errors
    /// [`StoreError::Changed`] for a row that was changed since it was kept, and a database that
    /// cannot be read.
    pub fn result(&self, key: &RequestKey) -> Result<Option<CallResult>, StoreError> {
        Ok(self.find_call(key)?.map(|call| call.result))
    }

    /// Finds a call with all that is kept of it: under the key of its own text, and by the judge
    /// that the text names.
    pub(crate) fn find_call(&self, key: &RequestKey) -> Result<Option<StoredCall>, StoreError> {
        let mut unfiled = self.unfiled.borrow_mut();
        let unfiled = match unfiled.as_mut() {
            Some(unfiled) => unfiled,
            None => unfiled.insert(Unfiled::read(&self.db)?),
        };
        let mut id = unfiled.find(&self.db, key)?;
        // The run's owner may have gone on.
        if id.is_none() && unfiled.read_on(&self.db)? {
            id = unfiled.find(&self.db, key)?;
        }
        let call = match id {
            Some(id) => lookup::read_call(&self.db, key, id)?,
            None => None,
        };
        match call {
            Some(call) if !call.is_unchanged(key) => Err(StoreError::Changed {
                path: self.dir.clone(),
                call: key.to_string(),
            }),
            found => Ok(found),
        }
    }

    /// Sums calls and tokens, judge by judge in the order of their first calls.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn totals(&self) -> Result<Vec<Totals>, StoreError> {
        Ok(totals::sum_all(&self.db)?)
    }

    /// Sums calls and tokens without what was copied from other runs.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn spent(&self) -> Result<Vec<Totals>, StoreError> {
        Ok(totals::sum_spent(&self.db)?)
    }

    /// Lists who answered the calls behind the one of id `after`, 0 for all
    /// ([`Store::answered_by`](crate::Store::answered_by)).
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn answered_by(&self, after: i64) -> Result<Vec<Answered>, StoreError> {
        Ok(totals::list_answered(&self.db, after)?)
    }

    /// Lists the identities of those who were asked, in the order of their first calls.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn judges(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT identity FROM judges ORDER BY id";
        Ok(read_rows(&self.db, sql, |row| row.get(0))?)
    }

    /// Returns when a process last opened the run to judge, in seconds since 1970; 0 for never.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn last_used(&self) -> Result<f64, StoreError> {
        let sql = "SELECT coalesce(max(started), 0) FROM sessions";
        Ok(self.db.query_row(sql, [], |row| row.get(0))?)
    }

    /// Returns when a process first opened the run to judge, in microseconds since 1970: the same
    /// for all copies of a run. None for never.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn begun(&self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT cast(round(1e6 * min(started)) AS INTEGER) FROM sessions";
        Ok(self.db.query_row(sql, [], |row| row.get(0))?)
    }

    /// Returns the time of [`Reader::last_used`] in UTC, as `2026-11-23 15:04:05`; empty where it
    /// lies outside of the years that SQLite can write.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn last_used_utc(&self) -> Result<String, StoreError> {
        let sql = "SELECT coalesce(datetime(max(started), 'unixepoch'), '') FROM sessions";
        Ok(self.db.query_row(sql, [], |row| row.get(0))?)
    }

    /// Returns when the run was last at work, in UTC as [`Reader::last_used_utc`]: when its
    /// database was last written, as no judgment says when it was made, or when a process last
    /// opened it to judge where that is later. Of a copy it is when the copy was made.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn last_written_utc(&self) -> Result<String, StoreError> {
        let written = |name: &str| {
            let about = self.dir.join(name).metadata().ok()?;
            // A reader makes a log, too, and leaves it empty.
            let changed = about.modified().ok().filter(|_| about.len() > 0)?;
            Some(changed.duration_since(UNIX_EPOCH).ok()?.as_secs_f64())
        };
        // What is not moved to the database yet stands in the log.
        let files = ["run.sqlite", "run.sqlite-wal"].map(written);
        let last = files.into_iter().flatten().fold(0.0, f64::max);
        let sql = "SELECT coalesce(datetime(max(coalesce(max(started), 0), ?1), 'unixepoch'), '') \
                   FROM sessions";
        Ok(self.db.query_row(sql, [last], |row| row.get(0))?)
    }

    /// Counts the judgments without reading them.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn count_judgments(&self) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM judgments";
        Ok(self.db.query_row(sql, [], |row| read_count(row, 0))?)
    }

    /// Counts the judgments that are kept, and those with a verdict.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn judgment_counts(&self) -> Result<JudgmentCounts, StoreError> {
        let sql = "SELECT count(*), count(verdict) FROM judgments";
        Ok(self.db.query_row(sql, [], |row| {
            Ok(JudgmentCounts {
                judgments: read_count(row, 0)?,
                verdicts: read_count(row, 1)?,
            })
        })?)
    }
}
