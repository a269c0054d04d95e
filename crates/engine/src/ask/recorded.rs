//! The replies of an earlier run, and nothing else: exact replay with no model.

use crate::plan::marks;
use evenhand_core::{CallError, CallErrorKind, CallResult, Request, RequestKey};
use evenhand_models::{Model, ModelError, Work};
use evenhand_protocols::{CutShort, Judges, SecondStage};
use evenhand_store::{Reader, StoreError};
use std::path::Path;
use std::sync::Arc;

/// A judge that answers from a run directory.
#[derive(Debug)]
pub(crate) struct Recorded {
    run: Reader,
    identity: String,
}

impl Recorded {
    /// The run, and who answered in it.
    pub(crate) fn open(dir: &Path) -> Result<(Recorded, Judges), StoreError> {
        let run = Reader::open(dir)?;
        let mut settings = run.manifest()?.settings;
        let identity = settings.remove("judge");
        let identity = identity
            .ok_or_else(|| StoreError::Corrupt("the run's manifest names no judge".into()))?;
        let second_stage = settings
            .remove("second-stage")
            .map(|second| match second.as_str() {
                "same" => SecondStage::Same,
                model => SecondStage::By(model.into()),
            });
        let cut_short = CutShort::of_setting(settings.get("truncated").map(String::as_str));
        let judges = Judges {
            panel: identity.split('\n').map(Arc::from).collect(),
            second_stage,
            embedder: settings.remove("embedder").map(Arc::from),
            // A run's settings do not say who served it, but only replies of servers are asked for
            // again with more room.
            served: cut_short != CutShort::Final,
            cut_short,
            // A run of before marks were broken up has no such setting, and is replayed as it was
            // asked.
            reads_marks: settings
                .get(marks::SETTING)
                .map_or_else(Vec::new, |setting| marks::broken_for(setting)),
            raw_marks: false,
        };
        Ok((Recorded { run, identity }, judges))
    }

    fn answer(&self, key: &RequestKey) -> Result<CallResult, ModelError> {
        let found = self
            .run
            .result(key)
            .map_err(|e| ModelError::Serve(e.to_string()))?;
        Ok(found.unwrap_or_else(|| Err(drifted())))
    }
}

fn drifted() -> CallError {
    let message = "the recorded run holds no reply to this request: its prompt, data or settings \
                   differ from those recorded";
    CallError {
        kind: CallErrorKind::Drifted,
        message: message.into(),
    }
}

impl Model for Recorded {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn count_prompt_tokens(&self, _: &Request) -> Option<u64> {
        None
    }

    fn is_live(&self) -> bool {
        false
    }

    fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError> {
        while let Some((key, _)) = work.next_request() {
            let result = self.answer(&key)?;
            work.deliver(key, result.into());
        }
        Ok(())
    }
}
