//! Calls that other runs made already.

use super::{Call, Store};
use crate::sessions::{SessionKind, begin_session};
use crate::{Reader, StoreError};
use evenhand_core::RequestKey;
use std::path::PathBuf;

impl Store {
    /// Sets the runs that [`Store::reuse_call`] looks into, in this order. This run itself is left
    /// out.
    pub fn set_reused_runs(&mut self, runs: Vec<Reader>) {
        self.reused.set(runs, &self.dir);
    }

    /// Lists the runs from which this process has copied calls, and how many from each.
    pub fn reused_from(&self) -> Vec<(PathBuf, u64)> {
        self.reused.copied()
    }

    /// Copies a call that another run has made, as if it had been made here; false where none has,
    /// or it is here already.
    ///
    /// The call is found by its content, so that it answers this very request to this very judge;
    /// this run holds it from then on, whatever becomes of the other.
    ///
    /// # Errors
    /// A database that cannot be read or written.
    pub fn reuse_call(&mut self, key: &RequestKey) -> Result<bool, StoreError> {
        if self.reused.is_empty() || self.retries.lacks(key) || self.result(key)?.is_some() {
            return Ok(false);
        }
        let Some((place, call)) = self.reused.find(key)? else {
            return Ok(false);
        };
        let db = &self.db;
        let session = self
            .reused
            .session_of(place, |run| begin_session(db, SessionKind::CopiedFrom(run)))?;
        let call = Call {
            key,
            judge: &call.judge,
            request: &call.request,
            result: &call.result,
            raw: call.raw.as_deref(),
            batch: call.batch,
        };
        self.put_in(session, &call)?;
        self.reused.count_copied(place);
        Ok(true)
    }
}

#[cfg(test)]
#[path = "../tests/reuse.rs"]
mod tests;
