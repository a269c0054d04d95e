//! A run as it stands, read without owning it.

use crate::{Manifest, StoreError, schema};
use evenhand_core::{CallResult, RequestKey};
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use std::path::Path;

/// A run directory, open for reading only; its owner may go on writing.
#[derive(Debug)]
pub struct Reader {
    db: Connection,
}

/// What a run holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Calls with a reply or a final error.
    pub calls: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Tokens they wrote.
    pub completion_tokens: u64,
}

impl Reader {
    /// Opens a run that exists.
    pub fn open(dir: &Path) -> Result<Reader, StoreError> {
        let not_a_run = |why: String| StoreError::NotARun { path: dir.to_path_buf(), why };
        let file = dir.join("run.sqlite");
        let db = Connection::open_with_flags(&file, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .map_err(|e| not_a_run(format!("there is no run here ({e})")))?;
        let version: i64 = db
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .map_err(|e| not_a_run(format!("run.sqlite is no run of evenhand ({e})")))?;
        schema::check(&db, version).map_err(not_a_run)?;
        Ok(Reader { db })
    }

    /// The settings of the run.
    pub fn manifest(&self) -> Result<Manifest, StoreError> {
        manifest(&self.db)
    }

    /// What became of this call.
    pub fn result(&self, key: &RequestKey) -> Result<Option<CallResult>, StoreError> {
        let mut select = self.db.prepare_cached("SELECT reply, error FROM calls WHERE key = ?1")?;
        let row = select.query_row([&key.0[..]], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        row.map(|(reply, error)| crate::run_dir::read_result(reply, error)).transpose()
    }

    /// Calls and tokens so far.
    pub fn totals(&self) -> Result<Totals, StoreError> {
        totals(&self.db)
    }
}

pub(crate) fn totals(db: &Connection) -> Result<Totals, StoreError> {
    let sql = "SELECT count(*), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0) FROM calls";
    let count = |row: &rusqlite::Row, at: usize| row.get::<_, i64>(at).map(|n| n.max(0) as u64);
    let totals = db.query_row(sql, [], |row| {
        Ok(Totals { calls: count(row, 0)?, prompt_tokens: count(row, 1)?, completion_tokens: count(row, 2)? })
    })?;
    Ok(totals)
}

pub(crate) fn manifest(db: &Connection) -> Result<Manifest, StoreError> {
    let mut select = db.prepare("SELECT key, value FROM manifest")?;
    let settings = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    Ok(Manifest { settings })
}
