//! Calls that a team shares: taken from its store before they are made, and given to it after.

use super::{Call, Store, WantedCall};
use crate::query::read_rows;
use crate::sessions::begin_session;
use crate::{StoreError, lookup};
use evenhand_core::RequestKey;
use evenhand_shared_store::{SharedCounts, SharedReply, SharedStore};
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What was not there is looked for again after this long, unless it is asked for at once.
const FRESH: Duration = Duration::from_millis(500);
/// So many calls are remembered that were not there.
const MOST_LOOKED: usize = 1 << 16;
/// Calls of a run that are looked for at once.
const TOGETHER: usize = 1000;

/// The store that a team shares, and what this process took from it.
#[derive(Debug)]
pub(super) struct Sharing {
    store: SharedStore,
    taken: u64,
    /// The session of what is taken from it, once there is any.
    session: Option<i64>,
    /// Calls that were not there, and when they were looked for.
    looked: HashMap<RequestKey, Instant>,
}

impl Store {
    /// Shares replies with other runs from now on: what they hold is found by
    /// [`Store::reuse_calls`], and what is put here is given to them. What this run holds already
    /// and the shared store lacks is given to it now, so that nothing is missing there that a
    /// process was killed over.
    ///
    /// # Errors
    /// A database that cannot be read. What happens to the shared store is no error.
    pub fn set_shared_store(&mut self, store: SharedStore) -> Result<(), StoreError> {
        let sql = "SELECT DISTINCT key FROM calls WHERE reply IS NOT NULL";
        let keys: Vec<RequestKey> = read_rows(&self.db, sql, |row| Ok(RequestKey(row.get(0)?)))?;
        for keys in keys.chunks(TOGETHER) {
            for key in store.lacking(keys) {
                let Some(id) = self.unfiled.find(&self.db, &key)? else {
                    continue;
                };
                let call = lookup::read_call(&self.db, &key, id)?;
                let call = call.filter(|call| call.is_unchanged(&key));
                if let Some(call) = call
                    && let Ok(reply) = call.result
                {
                    let (raw, batch) = (call.raw, call.batch);
                    store.give(key, SharedReply { reply, raw, batch });
                }
            }
            store.flush();
        }
        self.sharing = Some(Sharing {
            store,
            taken: 0,
            session: None,
            looked: HashMap::new(),
        });
        Ok(())
    }

    /// Whether replies are shared with other runs.
    pub fn is_shared(&self) -> bool {
        self.sharing.is_some()
    }

    /// Copies those of these calls that the shared store holds by now, as if they had been made
    /// here. Returns which.
    ///
    /// # Errors
    /// A database that cannot be read or written.
    pub fn reuse_shared_again(
        &mut self,
        wanted: &[WantedCall],
    ) -> Result<Vec<RequestKey>, StoreError> {
        self.take_shared(wanted, true)
    }

    /// Waits until what was given to the shared store is there. Returns its name, and what became
    /// of replies in this process; None where nothing is shared.
    pub fn flush_shared(&mut self) -> Option<(String, SharedCounts)> {
        let Sharing { store, .. } = self.sharing.as_ref()?;
        store.flush();
        Some((store.name().to_string(), store.counts()))
    }

    /// Returns what is to be said of the shared store and was not said yet.
    pub fn take_shared_notes(&mut self) -> Vec<String> {
        let sharing = self.sharing.as_ref();
        sharing
            .map(|sharing| sharing.store.take_notes())
            .unwrap_or_default()
    }

    /// Gives the reply to a call to those with whom it is shared. A failure is the run's own.
    pub(super) fn share(&self, call: &Call) {
        if let Some(sharing) = &self.sharing
            && let Ok(reply) = call.result
        {
            let shared = SharedReply {
                reply: reply.clone(),
                raw: call.raw.map(str::to_string),
                batch: call.batch,
            };
            sharing.store.give(*call.key, shared);
        }
    }

    /// The shared store's name, and how many calls were copied from it, where there were any.
    pub(super) fn taken_from_shared(&self) -> Option<(PathBuf, u64)> {
        let sharing = self.sharing.as_ref().filter(|sharing| sharing.taken > 0)?;
        Some((sharing.store.name().into(), sharing.taken))
    }

    /// Copies those of these calls that the shared store holds and that are not here. Those that
    /// were looked for just now are passed over, unless they are looked for `again`.
    pub(super) fn take_shared(
        &mut self,
        wanted: &[WantedCall],
        again: bool,
    ) -> Result<Vec<RequestKey>, StoreError> {
        let Some(mut sharing) = self.sharing.take() else {
            return Ok(Vec::new());
        };
        let taken = self.take_from(&mut sharing, wanted, again);
        self.sharing = Some(sharing);
        taken
    }

    fn take_from(
        &mut self,
        sharing: &mut Sharing,
        wanted: &[WantedCall],
        again: bool,
    ) -> Result<Vec<RequestKey>, StoreError> {
        let now = Instant::now();
        let mut asked: HashMap<RequestKey, &WantedCall> = HashMap::new();
        for call in wanted {
            let looked = sharing.looked.get(call.key);
            let is_fresh = looked.is_some_and(|at| now.duration_since(*at) < FRESH);
            if (again || !is_fresh)
                && !self.retries.lacks(call.key)
                && self.unfiled.find(&self.db, call.key)?.is_none()
            {
                asked.insert(*call.key, call);
            }
        }
        let keys: Vec<RequestKey> = asked.keys().copied().collect();
        let found = sharing.store.find(&keys);
        if sharing.looked.len() + keys.len() > MOST_LOOKED {
            sharing.looked.clear();
        }
        sharing
            .looked
            .extend(keys.into_iter().map(|key| (key, now)));
        let mut taken = Vec::with_capacity(found.len());
        for (key, shared) in found {
            // Taken out, so that of several entries of one key the first is taken.
            let Some(call) = asked.remove(&key) else {
                continue;
            };
            let session = match sharing.session {
                Some(session) => session,
                None => begin_session(&self.db, Some(sharing.store.name()))?,
            };
            sharing.session = Some(session);
            let call = Call {
                key: call.key,
                judge: call.judge,
                request: call.request,
                about: call.about,
                result: &Ok(shared.reply),
                raw: shared.raw.as_deref(),
                batch: shared.batch,
            };
            self.put_in(session, &call)?;
            sharing.taken += 1;
            taken.push(key);
        }
        Ok(taken)
    }
}

#[cfg(test)]
#[path = "../tests/shared.rs"]
mod tests;
