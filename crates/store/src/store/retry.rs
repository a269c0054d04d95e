//! Asking calls again whose replies were no use.

use super::Store;
use crate::StoreError;
use crate::query::{find_row, read_rows};
use evenhand_core::RequestKey;
use std::collections::HashMap;

/// Calls that the present round of retries wants again. A round goes on, over as many processes as
/// it takes, until it ends in good order; what it wants is in the table `retries`.
#[derive(Debug, Default)]
pub(super) struct Retries {
    /// The calls of the round; None where nothing is asked again.
    round: Option<HashMap<RequestKey, Retry>>,
    broken_off: bool,
}

/// A call that is asked again.
#[derive(Clone, Copy, Debug)]
struct Retry {
    /// The attempt that answers it.
    attempt: i64,
    /// Whether that attempt is still to be made.
    lacking: bool,
}

impl Retries {
    /// Returns the attempt that is still to be made at this call: another reply is wanted than
    /// those that are there.
    pub(super) fn lacking_attempt(&self, key: &RequestKey) -> Option<i64> {
        let retry = self.round.as_ref()?.get(key)?;
        retry.lacking.then_some(retry.attempt)
    }

    /// Whether another reply to this call is wanted than those that are there.
    pub(super) fn lacks(&self, key: &RequestKey) -> bool {
        self.lacking_attempt(key).is_some()
    }

    /// Notes that the reply to this call has come.
    pub(super) fn mark_answered(&mut self, key: &RequestKey) {
        if let Some(retry) = self.round.as_mut().and_then(|round| round.get_mut(key)) {
            retry.lacking = false;
        }
    }
}

impl Store {
    /// Begins a round of retries: from now on, calls may be wanted again. A round that was broken
    /// off goes on.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn start_retries(&mut self) -> Result<(), StoreError> {
        if self.retries.round.is_none() {
            // The calls that a round wanted which was broken off.
            let sql = "SELECT key, attempt FROM retries WHERE under_way = 1";
            let wanted: Vec<(RequestKey, i64)> = read_rows(&self.db, sql, |row| {
                Ok((RequestKey(row.get(0)?), row.get(1)?))
            })?;
            let mut round = HashMap::new();
            for (key, attempt) in wanted {
                let last = self.last_attempt(&key)?;
                let lacking = last.is_some_and(|last| attempt > last);
                round.insert(key, Retry { attempt, lacking });
            }
            self.retries.round = Some(round);
        }
        Ok(())
    }

    /// Wants another reply to this call in place of the one that is there; false where this round
    /// has wanted it before, or there is none. What was there is kept, and counts as paid for.
    ///
    /// # Errors
    /// A database that cannot be written.
    pub fn want_again(&mut self, key: &RequestKey) -> Result<bool, StoreError> {
        let round = self.retries.round.as_ref();
        if round.is_none_or(|round| round.contains_key(key)) {
            return Ok(false);
        }
        let Some(last) = self.last_attempt(key)? else {
            return Ok(false);
        };
        self.begin()?;
        let (attempt, lacking) = (last + 1, true);
        let sql = "INSERT OR REPLACE INTO retries (key, attempt, under_way) VALUES (?1, ?2, 1)";
        self.db
            .prepare_cached(sql)?
            .execute((&key.0[..], attempt))?;
        if let Some(round) = &mut self.retries.round {
            round.insert(*key, Retry { attempt, lacking });
        }
        self.commit_if_due()?;
        Ok(true)
    }

    /// Returns the number of the last attempt at a call.
    fn last_attempt(&self, key: &RequestKey) -> Result<Option<i64>, StoreError> {
        let Some(id) = self.unfiled.find(&self.db, key)? else {
            return Ok(None);
        };
        let sql = "SELECT attempt FROM calls WHERE id = ?1";
        Ok(find_row(&self.db, sql, [id], |row| row.get(0))?)
    }

    /// Breaks the round of retries off: the next one goes on with it.
    pub fn break_off_retries(&mut self) {
        self.retries.broken_off = true;
    }

    /// Ends the round in good order, unless it was broken off.
    pub(super) fn end_retries(&mut self) -> Result<(), StoreError> {
        if self.retries.round.is_some() && !self.retries.broken_off {
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
