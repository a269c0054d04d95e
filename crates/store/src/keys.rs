//! Calls by their keys.
//!
//! An index in the order of the keys would be changed at another page with each call, since keys
//! are random. So the table `keys` holds the calls up to `filed.call` alone, by the first eight
//! bytes of their keys, and those behind it are in memory. They are filed a million at a time, in
//! order, so that each page of the index is written once, and when the run's process ends. Which of
//! those that share eight bytes is meant, its row says.

use crate::query::find_row;
use evenhand_core::RequestKey;
use rusqlite::Connection;
use std::collections::HashMap;

/// How many calls are filed together.
const MOST_IN_MEMORY: usize = 1 << 20;

/// The calls that are not filed.
#[derive(Debug, Default)]
pub(crate) struct Unfiled {
    /// The last call that is here, or filed.
    last: i64,
    /// Whether any call is filed: in a run of less than a million calls none is, until it ends.
    any_filed: bool,
    /// The newest call of each prefix.
    newest: HashMap<i64, i64>,
    /// Those before it: other attempts at the call, or, hardly ever, another key.
    older: HashMap<i64, Vec<i64>>,
}

impl Unfiled {
    /// Reads the keys of the calls that are not filed.
    pub(crate) fn read(db: &Connection) -> rusqlite::Result<Unfiled> {
        let filed = find_row(db, "SELECT call FROM filed", [], |row| row.get(0))?;
        let mut unfiled = Unfiled {
            last: filed.unwrap_or(0),
            any_filed: filed.is_some(),
            ..Unfiled::default()
        };
        unfiled.read_on(db)?;
        Ok(unfiled)
    }

    /// Reads those that came since; whether there are any.
    pub(crate) fn read_on(&mut self, db: &Connection) -> rusqlite::Result<bool> {
        // From the first on an older run is read by its index of the keys, without the prompts
        // between.
        let sql = match self.last {
            0 => "SELECT id, key FROM calls WHERE ?1 IS NOT NULL",
            _ => "SELECT id, key FROM calls WHERE id > ?1",
        };
        let mut select = db.prepare_cached(sql)?;
        let mut rows = select.query([self.last])?;
        let mut calls: Vec<(i64, Option<[u8; 32]>)> = Vec::new();
        while let Some(row) = rows.next()? {
            // A key of another length is nobody's.
            calls.push((row.get(0)?, row.get(1).ok()));
        }
        calls.sort_unstable_by_key(|(id, _)| *id);
        for (id, key) in &calls {
            self.last = *id;
            if let Some(key) = key {
                self.add(&RequestKey(*key), *id);
            }
        }
        Ok(!calls.is_empty())
    }

    /// Adds the call that was made last.
    pub(crate) fn add(&mut self, key: &RequestKey, id: i64) {
        self.last = id;
        let prefix = prefix_of(key);
        if let Some(before) = self.newest.insert(prefix, id) {
            self.older.entry(prefix).or_default().push(before);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.newest.is_empty()
    }

    /// Whether there are so many that they are filed at once.
    pub(crate) fn are_many(&self) -> bool {
        self.newest.len() >= MOST_IN_MEMORY
    }

    /// Files all of them, in the transaction that is under way.
    pub(crate) fn file(&mut self, db: &Connection) -> rusqlite::Result<()> {
        let older = self.older.drain();
        let older = older.flat_map(|(prefix, ids)| ids.into_iter().map(move |id| (prefix, id)));
        self.any_filed = true;
        let mut all: Vec<(i64, i64)> = self.newest.drain().chain(older).collect();
        all.sort_unstable();
        let mut insert =
            db.prepare_cached("INSERT OR IGNORE INTO keys (prefix, call) VALUES (?1, ?2)")?;
        for (prefix, call) in all {
            insert.execute([prefix, call])?;
        }
        db.execute(
            "INSERT OR REPLACE INTO filed (id, call) VALUES (0, ?1)",
            [self.last],
        )?;
        Ok(())
    }

    /// Returns the attempts at a call, the last one first.
    pub(crate) fn attempts(&self, db: &Connection, key: &RequestKey) -> rusqlite::Result<Vec<i64>> {
        let prefix = prefix_of(key);
        let mut found: Vec<i64> = self.newest.get(&prefix).copied().into_iter().collect();
        found.extend(self.older.get(&prefix).into_iter().flatten().rev());
        if self.any_filed {
            let mut select =
                db.prepare_cached("SELECT call FROM keys WHERE prefix = ?1 ORDER BY call DESC")?;
            let mut rows = select.query([prefix])?;
            while let Some(row) = rows.next()? {
                found.push(row.get(0)?);
            }
        }
        if found.is_empty() {
            return Ok(found);
        }
        let mut is_of_key = db.prepare_cached("SELECT 1 FROM calls WHERE id = ?1 AND key = ?2")?;
        let mut attempts = Vec::with_capacity(found.len());
        for id in found {
            if is_of_key.exists((id, &key.0[..]))? {
                attempts.push(id);
            }
        }
        // A filing that broke off has filed some that are still in memory.
        attempts.sort_unstable_by_key(|id| std::cmp::Reverse(*id));
        attempts.dedup();
        Ok(attempts)
    }

    /// Returns the last attempt at a call.
    pub(crate) fn find(&self, db: &Connection, key: &RequestKey) -> rusqlite::Result<Option<i64>> {
        Ok(self.attempts(db, key)?.first().copied())
    }
}

/// The first eight bytes of a key.
fn prefix_of(key: &RequestKey) -> i64 {
    let [a, b, c, d, e, f, g, h, ..] = key.0;
    i64::from_be_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
#[path = "tests/keys.rs"]
mod tests;
