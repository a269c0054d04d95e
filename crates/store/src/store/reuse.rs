//! Calls that other runs made already.

use super::{Call, Store};
use crate::lookup::StoredCall;
use crate::sessions::begin_session;
use crate::{Reader, StoreError};
use evenhand_core::{About, RequestKey};
use std::path::PathBuf;
use std::sync::Arc;

/// A call that is lacking, as far as it is known before it is made.
#[derive(Clone, Copy, Debug)]
pub struct WantedCall<'a> {
    /// Its content address.
    pub key: &'a RequestKey,
    /// Who is to be asked, by identity.
    pub judge: &'a Arc<str>,
    /// The request's canonical text.
    pub request: &'a str,
    /// The item and the systems' responses that it shows.
    pub about: &'a About,
}

/// Another run whose replies may be copied.
#[derive(Debug)]
pub(super) struct ReusedRun {
    run: Reader,
    /// How many calls were copied from it.
    copied: u64,
    /// The session of what this process copies from it, once there is any.
    session: Option<i64>,
}

impl Store {
    /// Sets the runs that [`Store::reuse_call`] looks into, in this order. This run itself is left
    /// out.
    pub fn set_reused_runs(&mut self, mut runs: Vec<Reader>) {
        if let Ok(own) = self.dir.canonicalize() {
            runs.retain(|run| !run.dir().canonicalize().is_ok_and(|dir| dir == own));
        }
        let reused = runs.into_iter().map(|run| ReusedRun {
            run,
            copied: 0,
            session: None,
        });
        self.reused = reused.collect();
    }

    /// Lists the runs from which this process has copied calls, and how many from each.
    pub fn reused_from(&self) -> Vec<(PathBuf, u64)> {
        let copied = self.reused.iter().filter(|from| from.copied > 0);
        copied
            .map(|from| (from.run.dir().to_path_buf(), from.copied))
            .chain(self.taken_from_shared())
            .collect()
    }

    /// Copies the calls that other runs, or the shared store, hold, as if they had been made here.
    /// Returns how many there were.
    ///
    /// # Errors
    /// A database that cannot be read or written. What happens to the shared store is no error.
    pub fn reuse_calls(&mut self, wanted: &[WantedCall]) -> Result<u64, StoreError> {
        let (mut copied, mut lacking) = (0, Vec::new());
        for call in wanted {
            match self.reuse_call(call.key)? {
                true => copied += 1,
                false => lacking.push(*call),
            }
        }
        Ok(copied + self.take_shared(&lacking, false)?.len() as u64)
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
        for place in 0..self.reused.len() {
            let from = &mut self.reused[place];
            // A call that was changed there, or cannot be read, is as good as none.
            let found = match from.run.find_call(key) {
                Err(StoreError::Changed { .. }) => None,
                found => found?.filter(StoredCall::is_readable),
            };
            let Some(call) = found else {
                continue;
            };
            let session = match from.session {
                Some(session) => session,
                None => begin_session(&self.db, Some(&from.run.dir().to_string_lossy()))?,
            };
            from.session = Some(session);
            let call = Call {
                key,
                judge: &call.judge,
                request: &call.request,
                about: &call.about,
                result: &call.result,
                raw: call.raw.as_deref(),
                batch: call.batch,
            };
            self.put_in(session, &call)?;
            self.share(&call);
            self.reused[place].copied += 1;
            return Ok(true);
        }
        Ok(false)
    }
}

#[cfg(test)]
#[path = "../tests/reuse.rs"]
mod tests;
