//! The replies of an earlier run, and nothing else: exact replay with no model.

use evenhand_core::{CallError, CallErrorKind, CallResult, Request, RequestKey};
use evenhand_models::{Model, ModelError, Work};
use evenhand_store::{Reader, StoreError};
use std::path::Path;

/// A judge that answers from a run directory.
#[derive(Debug)]
pub(crate) struct Recorded {
    run: Reader,
    identity: String,
}

impl Recorded {
    pub(crate) fn open(dir: &Path) -> Result<Recorded, StoreError> {
        let run = Reader::open(dir)?;
        let judge = run.manifest()?.settings.get("judge").cloned();
        let identity = judge.ok_or_else(|| StoreError::Corrupt("the run's manifest names no judge".into()))?;
        Ok(Recorded { run, identity })
    }

    fn answer(&self, key: &RequestKey) -> Result<CallResult, ModelError> {
        let found = self.run.result(key).map_err(|e| ModelError::Serve(e.to_string()))?;
        Ok(found.unwrap_or_else(|| Err(drifted())))
    }
}

fn drifted() -> CallError {
    let message = "the recorded run holds no reply to this request: its prompt, data or settings differ from those recorded";
    CallError { kind: CallErrorKind::Drifted, message: message.into() }
}

impl Model for Recorded {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn prompt_tokens(&self, _: &Request) -> Option<u64> {
        None
    }

    fn asks(&self) -> bool {
        false
    }

    fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        while let Some((key, _)) = work.next() {
            let result = self.answer(&key)?;
            work.deliver(key, result);
        }
        Ok(())
    }
}
