//! Calls that other runs made already.

use crate::run_dir::new_session;
use crate::{Call, Reader, Store, StoreError};
use evenhand_core::{CallErrorKind, CallResult, RequestKey};
use std::path::PathBuf;
use std::sync::Arc;

/// How the sessions end that hold what was taken over: by this they are told from those in which a
/// judge was asked.
pub(crate) const MARK: &str = " --reuse";

/// Other runs whose calls may be taken over, in the order in which they are looked into.
#[derive(Debug, Default)]
pub(crate) struct Others {
    runs: Vec<Reader>,
    /// How many calls were taken over from each of them.
    taken: Vec<u64>,
    /// The session of what is taken over by this process, once there is any.
    session: Option<i64>,
}

/// A call as another run keeps it.
pub(crate) struct Kept {
    pub(crate) judge: Arc<str>,
    pub(crate) request: String,
    pub(crate) result: CallResult,
    pub(crate) raw: Option<String>,
    pub(crate) batch: bool,
}

impl Store {
    /// From now on, [`Store::take_over`] looks into these runs, in this order; this run itself is
    /// left out.
    pub fn reuse(&mut self, mut runs: Vec<Reader>) {
        let own = self.dir().canonicalize().ok();
        runs.retain(|run| own.is_none() || run.dir().canonicalize().ok() != own);
        self.others.taken = vec![0; runs.len()];
        self.others.runs = runs;
    }

    /// The runs from which this process has taken over calls, and how many from each.
    pub fn taken_from(&self) -> Vec<(PathBuf, u64)> {
        let counted = self.others.runs.iter().zip(&self.others.taken);
        counted
            .filter(|(_, taken)| **taken > 0)
            .map(|(run, taken)| (run.dir().to_path_buf(), *taken))
            .collect()
    }

    /// Keeps a call that another run has made as if it had been made here; false where none has, or
    /// it is here already. It is found by its content, so that it answers this very request to this
    /// very judge; this run holds it from then on, whatever becomes of the other.
    pub fn take_over(&mut self, key: &RequestKey) -> Result<bool, StoreError> {
        if self.others.runs.is_empty() || self.retries.lacks(key) || self.result(key)?.is_some() {
            return Ok(false);
        }
        let found = |(at, run): (usize, &Reader)| {
            kept(run, key)
                .map(|kept| kept.map(|kept| (at, kept)))
                .transpose()
        };
        let found = self
            .others
            .runs
            .iter()
            .enumerate()
            .find_map(found)
            .transpose()?;
        let Some((
            at,
            Kept {
                judge,
                request,
                result,
                raw,
                batch,
            },
        )) = found
        else {
            return Ok(false);
        };
        let taken = self.session_of_reuse()?;
        let own = std::mem::replace(&mut self.session, taken);
        let put = self.put(&Call {
            key,
            judge: &judge,
            request: &request,
            result: &result,
            raw: raw.as_deref(),
            batch,
        });
        self.session = own;
        put?;
        self.others
            .taken
            .iter_mut()
            .skip(at)
            .take(1)
            .for_each(|taken| *taken += 1);
        Ok(true)
    }

    fn session_of_reuse(&mut self) -> Result<i64, StoreError> {
        match self.others.session {
            Some(session) => Ok(session),
            None => {
                let session = new_session(&self.db, MARK)?;
                self.others.session = Some(session);
                Ok(session)
            }
        }
    }
}

/// A call as a run keeps it; one that was changed there, or cannot be read, is as good as none.
fn kept(run: &Reader, key: &RequestKey) -> Result<Option<Kept>, StoreError> {
    let readable =
        |kept: &Kept| !matches!(&kept.result, Err(error) if error.kind == CallErrorKind::Model);
    match run.kept(key) {
        Err(StoreError::Changed { .. }) => Ok(None),
        kept => Ok(kept?.filter(readable)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Manifest;
    use evenhand_core::{CallError, CallErrorKind, Reply, Usage};
    use std::path::Path;

    fn request(number: u8) -> String {
        format!("{{\"judge\":\"j\",\"number\":{number}}}")
    }

    fn key(number: u8) -> RequestKey {
        RequestKey::of(&request(number))
    }

    /// A run of one reply, by a batch, and one final error.
    fn another(dir: &Path) -> (CallResult, CallResult) {
        let mut manifest = Manifest::default();
        manifest.set("protocol", "another");
        let mut store = Store::open(dir, &manifest).unwrap();
        let usage = Usage {
            prompt_tokens: 7,
            ..Usage::default()
        };
        let reply = Ok(Reply {
            text: "a".into(),
            usage,
            ..Reply::default()
        });
        let error = Err(CallError {
            kind: CallErrorKind::TooLong,
            message: "too long".into(),
        });
        let judge: Arc<str> = "j".into();
        for (number, result, raw, batch) in
            [(1, &reply, Some("raw"), true), (2, &error, None, false)]
        {
            store
                .put(&Call {
                    key: &key(number),
                    judge: &judge,
                    request: &request(number),
                    result,
                    raw,
                    batch,
                })
                .unwrap();
        }
        (reply, error)
    }

    #[test]
    fn what_another_run_asked_is_taken_over_whole_and_counts_as_not_spent() {
        let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (reply, error) = another(theirs.path());
        let mut store = Store::open(ours.path(), &Manifest::default()).unwrap();
        assert!(!store.take_over(&key(1)).unwrap(), "no run is named yet");
        store.reuse(vec![Reader::open(theirs.path()).unwrap()]);
        assert_eq!(
            [1, 2, 1, 3].map(|number| store.take_over(&key(number)).unwrap()),
            [true, true, false, false]
        );
        drop(theirs);
        assert_eq!(store.result(&key(1)).unwrap(), Some(reply));
        assert_eq!(store.result(&key(2)).unwrap(), Some(error));
        let totals = store.totals().unwrap();
        assert_eq!(
            (
                totals[0].judge.as_str(),
                totals[0].calls,
                totals[0].by_batch.prompt_tokens
            ),
            ("j", 2, 7)
        );
        assert_eq!(store.spent().unwrap(), []);
        let result = Ok(Reply::default());
        store
            .put(&Call {
                key: &key(3),
                judge: &"j".into(),
                request: &request(3),
                result: &result,
                raw: None,
                batch: false,
            })
            .unwrap();
        assert_eq!(
            (
                store.totals().unwrap()[0].calls,
                store.spent().unwrap()[0].calls
            ),
            (3, 1)
        );
    }

    /// A run whose row for this key holds another request, or another judge.
    #[test]
    fn what_was_changed_is_not_taken_over() {
        for (judge, text) in [
            ("j", request(9)),
            ("openai:gpt-4o", request(1)),
            ("j", "{}".into()),
        ] {
            let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let mut store = Store::open(theirs.path(), &Manifest::default()).unwrap();
            let (result, judge) = (Ok(Reply::default()), judge.into());
            store
                .put(&Call {
                    key: &key(1),
                    judge: &judge,
                    request: &text,
                    result: &result,
                    raw: None,
                    batch: false,
                })
                .unwrap();
            drop(store);
            let run = Reader::open(theirs.path()).unwrap();
            assert!(
                run.result(&key(1))
                    .unwrap_err()
                    .to_string()
                    .contains("was changed")
            );
            let mut store = Store::open(ours.path(), &Manifest::default()).unwrap();
            store.reuse(vec![run]);
            assert!(!store.take_over(&key(1)).unwrap());
        }
    }
}
