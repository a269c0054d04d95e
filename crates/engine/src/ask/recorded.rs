//! The replies of an earlier run, and nothing else: exact replay with no model.

use crate::ask::{decide, hold};
use crate::plan::marks;
use evenhand_core::{CallError, CallErrorKind, Request};
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
    /// Opens the run; returns it with those who answered in it.
    pub(crate) fn open(dir: &Path) -> Result<(Recorded, Judges), StoreError> {
        let run = Reader::open(dir)?;
        let settings = run.manifest()?.settings;
        let identity = settings.get("judge").cloned().ok_or_else(|| {
            StoreError::Corrupt("the run's manifest does not name a judge".into())
        })?;
        let second_stage = settings.get("second-stage").map(|reader| match &**reader {
            "same" => SecondStage::Same,
            model => SecondStage::By(model.into()),
        });
        let cut_short = CutShort::of_setting(settings.get("truncated").map(String::as_str));
        // A run of before marks were broken up has no such setting, and is replayed as it was
        // asked.
        let marks = settings.get(marks::MANIFEST_KEY);
        // Runs at 0 have no such setting.
        let temperature = settings.get("temperature");
        let judges = Judges {
            panel: identity.split('\n').map(Arc::from).collect(),
            second_stage,
            embedder: settings.get("embedder").map(|name| name.as_str().into()),
            // A run's settings do not say who served it, but only replies of servers are asked for
            // again with more room.
            served: cut_short != CutShort::Final,
            cut_short,
            reads_marks: marks.map_or_else(Vec::new, |value| marks::judges_of_manifest(value)),
            raw_marks: false,
            holding: hold::judges_of_manifest(settings.get(hold::MANIFEST_KEY)),
            deciding: hold::judges_of_manifest(settings.get(decide::MANIFEST_KEY)),
            temperature: temperature
                .and_then(|text| text.parse().ok())
                .unwrap_or(0.0),
            asks_all: false,
        };
        Ok((Recorded { run, identity }, judges))
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
            let found = self.run.result(&key);
            let found = found.map_err(|error| ModelError::Serve(error.to_string()))?;
            let result = found.unwrap_or_else(|| {
                let message = "the recorded run holds no reply to this request: its prompt, data \
                               or settings differ from those recorded";
                Err(CallError {
                    kind: CallErrorKind::Drifted,
                    message: message.into(),
                })
            });
            work.deliver(key, result.into());
        }
        Ok(())
    }
}
