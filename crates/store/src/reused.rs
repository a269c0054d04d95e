//! Other runs whose replies a run may copy.

use crate::lookup::StoredCall;
use crate::{Reader, StoreError};
use evenhand_core::RequestKey;
use std::path::{Path, PathBuf};

/// Other runs, in the order in which they are looked into, and what was copied from them.
#[derive(Debug, Default)]
pub(crate) struct ReusedRuns {
    runs: Vec<ReusedRun>,
}

#[derive(Debug)]
struct ReusedRun {
    run: Reader,
    /// How many calls were copied from it.
    copied: u64,
    /// The session of what this process copies from it, once there is any.
    session: Option<i64>,
}

impl ReusedRuns {
    /// Makes these runs the ones that are looked into; the one in `own` is left out.
    pub(crate) fn set(&mut self, runs: Vec<Reader>, own: &Path) {
        let own = own.canonicalize().ok();
        self.runs = runs
            .into_iter()
            .filter(|run| own.is_none() || run.dir().canonicalize().ok() != own)
            .map(|run| ReusedRun {
                run,
                copied: 0,
                session: None,
            })
            .collect();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Finds a call in the first run that holds it, with the place of that run.
    pub(crate) fn find(&self, key: &RequestKey) -> Result<Option<(usize, StoredCall)>, StoreError> {
        for (place, ReusedRun { run, .. }) in self.runs.iter().enumerate() {
            // A call that was changed there, or cannot be read, is as good as none.
            let found = match run.find_call(key) {
                Err(StoreError::Changed { .. }) => None,
                found => found?.filter(StoredCall::is_readable),
            };
            if let Some(call) = found {
                return Ok(Some((place, call)));
            }
        }
        Ok(None)
    }

    /// Returns the session of what is copied from the run at this place, which `begin` begins.
    pub(crate) fn session_of<E>(
        &mut self,
        place: usize,
        begin: impl FnOnce(&Path) -> Result<i64, E>,
    ) -> Result<i64, E> {
        let run = &mut self.runs[place];
        let session = match run.session {
            Some(session) => session,
            None => begin(run.run.dir())?,
        };
        run.session = Some(session);
        Ok(session)
    }

    /// Counts a call that was copied from the run at this place.
    pub(crate) fn count_copied(&mut self, place: usize) {
        if let Some(run) = self.runs.get_mut(place) {
            run.copied += 1;
        }
    }

    /// Lists the runs from which calls were copied, and how many from each.
    pub(crate) fn copied(&self) -> Vec<(PathBuf, u64)> {
        self.runs
            .iter()
            .filter(|run| run.copied > 0)
            .map(|run| (run.run.dir().to_path_buf(), run.copied))
            .collect()
    }
}
