//! A run directory that this process owns.

mod calls;
mod exported;
mod judgments;
mod retry;
mod reuse;
mod settled;
mod shared;

pub use calls::Call;
pub use exported::ExportedRequest;
pub use reuse::WantedCall;
pub(crate) use settled::noted_by_this_program;

use crate::checkpoints::Checkpoints;
use crate::connect::{FileIdentity, connect, file_identity, lock};
use crate::keys::Unfiled;
use crate::manifest::write_label;
use crate::prompts::Prompts;
use crate::results::drop_summary;
use crate::sessions::begin_session;
use crate::{Manifest, Reader, StoreError};
use evenhand_core::RequestKey;
use retry::Retries;
use reuse::ReusedRun;
use rusqlite::Connection;
use settled::Settled;
use shared::Sharing;
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Replies are committed together when this long has passed since the last commit: a slow judge's
/// at once, a fast one's in groups.
const COMMIT_EVERY: Duration = Duration::from_millis(50);

/// So many bytes of calls and judgments are moved from the log to the database together: pages that
/// change often are moved once.
const MOVED_TOGETHER: usize = 16 << 20;

/// A run directory, open for this process alone.
///
/// What is put is kept when it is committed: at the latest 50 ms later with the next call that is
/// put, by [`Store::commit`], or when the store is dropped.
#[derive(Debug)]
pub struct Store {
    pub(crate) db: Connection,
    dir: PathBuf,
    session: i64,
    /// Other runs, in the order in which they are looked into.
    reused: Vec<ReusedRun>,
    /// The store that a team shares, which is looked into after them.
    sharing: Option<Sharing>,
    retries: Retries,
    settled: Settled,
    /// Ids of judges, by identity.
    judges: HashMap<Arc<str>, i64>,
    pub(crate) prompts: Prompts,
    pub(crate) unfiled: Unfiled,
    /// The call that was kept last, and its row.
    last: Option<(RequestKey, i64)>,
    in_transaction: bool,
    last_commit: Instant,
    /// Bytes that were put since the log was moved, and who moves it, once that is due.
    unmoved: usize,
    checkpoints: Option<Checkpoints>,
    keeps_judgments: bool,
    /// Which file the database is, wherever its name leads later.
    file: Option<FileIdentity>,
    _lock: File,
}

impl Store {
    /// Makes the directory, or goes on with a run of the same settings.
    ///
    /// # Errors
    /// [`StoreError::InUse`] while another process has the directory,
    /// [`StoreError::OtherConfiguration`] for a run of other settings, and a directory that cannot
    /// be written or holds something else.
    pub fn open(dir: &Path, manifest: &Manifest) -> Result<Store, StoreError> {
        let lock = lock(dir)?;
        let (db, file) = connect(dir, manifest)?;
        let session = begin_session(&db, None)?;
        drop_summary(&db)?;
        let unfiled = Unfiled::read(&db)?;
        Ok(Store {
            db,
            dir: dir.to_path_buf(),
            session,
            reused: Vec::new(),
            sharing: None,
            retries: Retries::default(),
            settled: Settled::default(),
            judges: HashMap::new(),
            prompts: Prompts::default(),
            unfiled,
            last: None,
            in_transaction: false,
            last_commit: Instant::now(),
            unmoved: 0,
            checkpoints: None,
            keeps_judgments: true,
            file,
            _lock: lock,
        })
    }

    /// Like [`Store::open`], for the calls of several jobs together: a call that two of them make
    /// is made once. Judgments, which would stand in each other's places, are not kept: they follow
    /// from the calls.
    ///
    /// # Errors
    /// As of [`Store::open`].
    pub fn open_shared(dir: &Path, manifest: &Manifest) -> Result<Store, StoreError> {
        let mut store = Store::open(dir, manifest)?;
        store.keeps_judgments = false;
        Ok(store)
    }

    /// Keeps what the user calls the run, in place of an earlier name.
    ///
    /// # Errors
    /// A directory that cannot be written.
    pub fn set_label(&mut self, label: &str) -> Result<(), StoreError> {
        Ok(write_label(&self.db, label)?)
    }

    /// Reopens a run without checking its settings.
    ///
    /// # Errors
    /// As of [`Store::open`], and a directory without a run.
    pub fn open_existing(dir: &Path) -> Result<Store, StoreError> {
        let manifest = Reader::open(dir)?.manifest()?;
        Store::open(dir, &manifest)
    }

    /// Keeps requests whole from now on, rather than by the parts that repeat: a run is then many
    /// times larger, and other programs find each prompt as it was sent.
    pub fn keep_whole_prompts(&mut self) {
        self.prompts.whole = true;
    }

    /// Returns the directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the id of this process's session in the run.
    pub fn session(&self) -> i64 {
        self.session
    }

    /// Commits what is not committed yet.
    ///
    /// # Errors
    /// [`StoreError::Gone`] where the directory is no longer there, also where nothing was to be
    /// committed.
    pub fn commit(&mut self) -> Result<(), StoreError> {
        if self.in_transaction && self.unfiled.are_many() {
            self.unfiled.file(&self.db)?;
        }
        if std::mem::take(&mut self.in_transaction) {
            self.db.prepare_cached("COMMIT")?.execute([])?;
        }
        self.last_commit = Instant::now();
        // What is written to a database that was removed is lost.
        if file_identity(&self.dir) != self.file {
            return Err(StoreError::Gone {
                path: self.dir.clone(),
            });
        }
        if self.unmoved >= MOVED_TOGETHER {
            self.unmoved = 0;
            if self.checkpoints.is_none() {
                self.checkpoints = Checkpoints::start(&self.dir, self.file);
            }
            if let Some(checkpoints) = &self.checkpoints {
                checkpoints.wake();
            }
        }
        Ok(())
    }

    /// Whether judgments and texts are kept: not where several jobs share the store.
    pub fn keeps_judgments(&self) -> bool {
        self.keeps_judgments
    }

    pub(crate) fn begin(&mut self) -> Result<(), StoreError> {
        if !self.in_transaction {
            self.db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            self.in_transaction = true;
        }
        Ok(())
    }

    fn commit_if_due(&mut self) -> Result<(), StoreError> {
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
        let mut end = || {
            self.end_retries()?;
            if !self.unfiled.is_empty() {
                self.begin()?;
                self.unfiled.file(&self.db)?;
            }
            self.commit()
        };
        let _ = end();
        // The last connection that is closed moves the rest of the log.
        self.checkpoints = None;
    }
}

pub(crate) fn to_json(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|e| StoreError::Corrupt(e.to_string()))
}

#[cfg(test)]
#[path = "tests/store.rs"]
mod tests;
