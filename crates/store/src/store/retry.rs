//! Asking calls again whose replies were no use.

use super::Store;
use crate::StoreError;
use crate::query::{find_row, read_rows};
use crate::retries::Retry;
use evenhand_core::RequestKey;

impl Store {
    /// Begins a round of retries: from now on, calls may be wanted again. A round that was broken
    /// off goes on.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn start_retries(&mut self) -> Result<(), StoreError> {
        if !self.retries.is_started() {
            // The calls that a round wanted which was broken off.
            let sql = "SELECT key, attempt, attempt > (SELECT max(attempt) FROM calls \
                 WHERE calls.key = retries.key)
                 FROM retries WHERE under_way = 1";
            let round = read_rows(&self.db, sql, |row| {
                let attempt = row.get(1)?;
                let lacking = row.get(2)?;
                Ok((RequestKey(row.get(0)?), Retry { attempt, lacking }))
            })?;
            self.retries.start(round);
        }
        Ok(())
    }

    /// Wants another reply to this call in place of the one that is there; false where this round
    /// has wanted it before, or there is none. What was there is kept, and counts as paid for.
    ///
    /// # Errors
    /// A database that cannot be written.
    pub fn want_again(&mut self, key: &RequestKey) -> Result<bool, StoreError> {
        if !self.retries.is_started() || self.retries.contains(key) {
            return Ok(false);
        }
        self.begin()?;
        let sql = "INSERT OR REPLACE INTO retries SELECT key, max(attempt) + 1, 1 FROM calls \
             WHERE key = ?1 GROUP BY key RETURNING attempt";
        let Some(attempt) = find_row(&self.db, sql, [&key.0[..]], |row| row.get(0))? else {
            return Ok(false);
        };
        self.retries.want(*key, attempt);
        self.commit_if_due()?;
        Ok(true)
    }

    /// Breaks the round of retries off: the next one goes on with it.
    pub fn break_off_retries(&mut self) {
        self.retries.break_off();
    }

    /// Ends the round in good order, unless it was broken off.
    pub(super) fn end_retries(&mut self) -> Result<(), StoreError> {
        if self.retries.ends_here() {
            self.begin()?;
            let sql = "UPDATE retries SET under_way = 0 WHERE under_way = 1";
            self.db.execute(sql, [])?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "../tests/retry.rs"]
mod tests;
