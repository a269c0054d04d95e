//! Calls that are asked again: their replies were no use.

use crate::{Store, StoreError};
use evenhand_core::RequestKey;
use rusqlite::{OptionalExtension, params};
use std::collections::HashMap;

/// Calls that the present round of retries wants again. A round goes on, over as many processes as
/// it takes, until it ends in good order; what it wants is in the table `retries`.
#[derive(Debug, Default)]
pub(crate) struct Retries {
    /// The attempt that answers each call, and whether it is lacking; None where nothing is asked
    /// again.
    round: Option<HashMap<RequestKey, Wanted>>,
    goes_on: bool,
}

#[derive(Clone, Copy, Debug)]
struct Wanted {
    attempt: i64,
    lacking: bool,
}

impl Retries {
    /// Whether another reply to this call is wanted than those that are there.
    pub(crate) fn lacks(&self, key: &RequestKey) -> bool {
        self.wanted(key).is_some_and(|wanted| wanted.lacking)
    }

    /// The attempt that a reply to this call is.
    pub(crate) fn attempt(&self, key: &RequestKey) -> i64 {
        self.wanted(key)
            .filter(|wanted| wanted.lacking)
            .map_or(0, |wanted| wanted.attempt)
    }

    pub(crate) fn answered(&mut self, key: &RequestKey) {
        self.round
            .iter_mut()
            .filter_map(|round| round.get_mut(key))
            .for_each(|wanted| wanted.lacking = false);
    }

    fn wanted(&self, key: &RequestKey) -> Option<Wanted> {
        self.round.as_ref()?.get(key).copied()
    }
}

impl Store {
    /// From now on, calls may be wanted again. A round that was broken off goes on.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn start_retries(&mut self) -> Result<(), StoreError> {
        if self.retries.round.is_some() {
            return Ok(());
        }
        let sql = "SELECT key, attempt, attempt > (SELECT max(attempt) FROM calls WHERE calls.key \
                   = retries.key)
                   FROM retries WHERE under_way = 1";
        let mut select = self.db.prepare(sql)?;
        let row = |row: &rusqlite::Row| {
            Ok((
                row.get::<_, [u8; 32]>(0)?,
                Wanted {
                    attempt: row.get(1)?,
                    lacking: row.get(2)?,
                },
            ))
        };
        let round = select
            .query_map([], row)?
            .map(|row| row.map(|(key, wanted)| (RequestKey(key), wanted)));
        let round = round.collect::<Result<_, _>>()?;
        drop(select);
        self.retries.round = Some(round);
        Ok(())
    }

    /// Wants another reply to this call in place of the one that is there; false where this round
    /// has wanted it before, or there is none. What was there is kept, and counts as paid for.
    ///
    /// # Errors
    /// A database that cannot be written.
    pub fn want_again(&mut self, key: &RequestKey) -> Result<bool, StoreError> {
        if self
            .retries
            .round
            .as_ref()
            .is_none_or(|round| round.contains_key(key))
        {
            return Ok(false);
        }
        self.begin()?;
        let mut insert = self.db.prepare_cached(
            "INSERT OR REPLACE INTO retries SELECT key, max(attempt) + 1, 1 FROM calls WHERE key = \
             ?1 GROUP BY key RETURNING attempt",
        )?;
        let attempt = insert
            .query_row(params![&key.0[..]], |row| row.get(0))
            .optional()?;
        drop(insert);
        let (Some(attempt), Some(round)) = (attempt, &mut self.retries.round) else {
            return Ok(false);
        };
        round.insert(
            *key,
            Wanted {
                attempt,
                lacking: true,
            },
        );
        self.commit_if_due()?;
        Ok(true)
    }

    /// The round of retries is broken off: the next one goes on with it.
    pub fn break_off_retries(&mut self) {
        self.retries.goes_on = true;
    }

    pub(crate) fn end_retries(&mut self) -> Result<(), StoreError> {
        if self.retries.round.is_some() && !self.retries.goes_on {
            self.begin()?;
            self.db
                .execute("UPDATE retries SET under_way = 0 WHERE under_way = 1", [])?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;
