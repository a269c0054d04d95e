//! The replies of an earlier run, and nothing else: exact replay with no model.

use crate::ask::hold::{self, judges_of_manifest};
use crate::plan::marks;
use evenhand_core::{CallError, CallErrorKind, CallResult, Request, RequestKey};
use evenhand_models::{Model, ModelError, Work};
use evenhand_protocols::{CutShort, Judges, SecondStage};
use evenhand_store::{Reader, StoreError};
use std::collections::BTreeMap;
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
        let identity = settings.get("judge").ok_or_else(no_judge)?.clone();
        let judges = judges_of(&identity, &settings);
        Ok((Recorded { run, identity }, judges))
    }

    fn recorded_result(&self, key: &RequestKey) -> Result<CallResult, ModelError> {
        match self.run.result(key) {
            Ok(found) => Ok(found.unwrap_or_else(|| Err(drift_error()))),
            Err(error) => Err(ModelError::Serve(error.to_string())),
        }
    }
}

/// Who answered in a run of these settings.
fn judges_of(identity: &str, settings: &BTreeMap<String, String>) -> Judges {
    let cut_short = CutShort::of_setting(settings.get("truncated").map(String::as_str));
    Judges {
        panel: identity.split('\n').map(Arc::from).collect(),
        second_stage: second_stage_of(settings),
        embedder: settings.get("embedder").map(|name| name.as_str().into()),
        // A run's settings do not say who served it, but only replies of servers are asked for
        // again with more room.
        served: cut_short != CutShort::Final,
        cut_short,
        reads_marks: readers_of_marks(settings),
        raw_marks: false,
        holding: judges_of_manifest(settings.get(hold::MANIFEST_KEY)),
        temperature: temperature_of(settings),
    }
}

/// A run of before marks were broken up has no such setting, and is replayed as it was asked.
fn readers_of_marks(settings: &BTreeMap<String, String>) -> Vec<Arc<str>> {
    let setting = settings.get(marks::MANIFEST_KEY);
    setting.map_or_else(Vec::new, |value| marks::judges_of_manifest(value))
}

fn no_judge() -> StoreError {
    StoreError::Corrupt("the run's manifest names no judge".into())
}

/// Returns the temperature that a run's judges wrote at; runs at 0 have no such setting.
fn temperature_of(settings: &BTreeMap<String, String>) -> f64 {
    let given = settings.get("temperature");
    given.and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

fn second_stage_of(settings: &BTreeMap<String, String>) -> Option<SecondStage> {
    let reader = settings.get("second-stage")?.as_str();
    Some(match reader {
        "same" => SecondStage::Same,
        model => SecondStage::By(model.into()),
    })
}

fn drift_error() -> CallError {
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
            let result = self.recorded_result(&key)?;
            work.deliver(key, result.into());
        }
        Ok(())
    }
}
