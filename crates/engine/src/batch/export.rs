//! The present wave of missing requests, as batch files.

use super::files::{BatchFiles, FileLimits};
use crate::ask::pass::pass_over_store;
use crate::{EngineError, Job};
use evenhand_core::{CallError, Refusal, RequestKey, Trial};
use evenhand_models::{EncodedRequest, Model, Target};
use evenhand_protocols::{Missing, Pass};
use evenhand_store::{Call, Store};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The result of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Exported {
    /// The files, in the order in which they were begun.
    pub files: Vec<PathBuf>,
    /// Requests in them.
    pub requests: u64,
    /// Of these, requests that were exported before and have no result yet.
    pub exported_before: u64,
    /// Requests that cannot be sent at all; their failure is kept.
    pub impossible: u64,
    /// Trials of the plan.
    pub trials: u64,
    /// Trials that lack a reply.
    pub waiting: u64,
}

/// Writes every request that some trial lacks now, each once, in files of one judge each, under
/// the folder `out`.
///
/// # Errors
/// A judge that takes no batch files, a file that cannot be written, and what reading the data and
/// the store may meet.
pub fn export(
    job: &Job,
    model: &dyn Model,
    store: &mut Store,
    out: &Path,
    limits: FileLimits,
) -> Result<Exported, EngineError> {
    store.put_plan(Some(job.plan.len()))?;
    let mut export = Export::new(job, model, out, limits);
    for trial in job.plan.trials() {
        export.export_trial(&trial, store)?;
    }
    store.commit()?;
    export.finish()
}

struct Export<'a> {
    job: &'a Job,
    model: &'a dyn Model,
    out: &'a Path,
    limits: FileLimits,
    /// By judge, those for embeddings apart: OpenAI's batch API takes one address for a file.
    files: BTreeMap<(Arc<str>, Target), BatchFiles>,
    seen: HashSet<RequestKey>,
    done: Exported,
}

impl<'a> Export<'a> {
    fn new(job: &'a Job, model: &'a dyn Model, out: &'a Path, limits: FileLimits) -> Export<'a> {
        Export {
            job,
            model,
            out,
            limits,
            files: BTreeMap::new(),
            seen: HashSet::new(),
            done: Exported::default(),
        }
    }
    fn export_trial(&mut self, trial: &Trial, store: &mut Store) -> Result<(), EngineError> {
        self.done.trials += 1;
        let responses = self.job.responses(trial)?;
        match pass_over_store(self.job, trial, &responses, store, |_| None)? {
            (Pass::Done(_), _) => Ok(()),
            (Pass::Pending(missing), _) => self.export_missing(&missing, store),
        }
    }

    fn export_missing(
        &mut self,
        missing: &[Missing],
        store: &mut Store,
    ) -> Result<(), EngineError> {
        self.done.waiting += 1;
        for call in missing {
            if self.seen.insert(call.key) {
                self.export_call(call, store)?;
            }
        }
        Ok(())
    }

    /// Writes a call to a file, or keeps why it cannot be sent.
    fn export_call(&mut self, call: &Missing, store: &mut Store) -> Result<(), EngineError> {
        let encoded = self.model.encode_request(&call.request);
        match encoded.ok_or_else(|| not_served(&call.request.judge))? {
            Ok(encoded) => self.write_call(call, &encoded, store),
            Err(error) => self.keep_error(call, error, store),
        }
    }

    fn write_call(
        &mut self,
        call: &Missing,
        encoded: &EncodedRequest,
        store: &mut Store,
    ) -> Result<(), EngineError> {
        let judge = &call.request.judge;
        let is_new = store.export_request(&call.key, judge, &call.body)?;
        self.done.exported_before += u64::from(!is_new);
        self.done.requests += 1;
        let files = self.files_of(judge, encoded.target);
        files.write_line(&encoded.batch_line(&call.key))
    }

    fn keep_error(
        &mut self,
        call: &Missing,
        error: CallError,
        store: &mut Store,
    ) -> Result<(), EngineError> {
        self.done.impossible += 1;
        Ok(store.put(&Call {
            key: &call.key,
            judge: &call.request.judge,
            request: &call.body,
            result: &Err(error),
            raw: None,
            batch: false,
        })?)
    }

    fn files_of(&mut self, judge: &Arc<str>, target: Target) -> &mut BatchFiles {
        let name = file_name(&self.job.judges.panel, judge, target);
        let files = self.files.entry((judge.clone(), target));
        files.or_insert_with(|| BatchFiles::new(self.out, &name, self.limits))
    }

    fn finish(mut self) -> Result<Exported, EngineError> {
        for files in self.files.values_mut() {
            files.close()?;
            self.done.files.append(&mut files.written);
        }
        Ok(self.done)
    }
}

/// Names the files after the judge's part and what is asked for.
fn file_name(panel: &[Arc<str>], judge: &Arc<str>, target: Target) -> String {
    let name = part_name(panel, judge, target);
    match target {
        Target::Chat => name,
        Target::Completions => format!("{name}-completions"),
        Target::Embeddings => format!("{name}-embeddings"),
    }
}

/// Names a judge by its place in the panel, and who is none of it by what it does.
fn part_name(panel: &[Arc<str>], judge: &Arc<str>, target: Target) -> String {
    let place = panel.iter().position(|member| member == judge);
    match (panel.len(), place) {
        (1, Some(_)) => "batch".into(),
        (_, Some(place)) => format!("judge{}", place + 1),
        (_, None) if target == Target::Embeddings => "embedder".into(),
        (_, None) => "second-stage".into(),
    }
}

fn not_served(judge: &str) -> Refusal {
    Refusal::of_input(format!(
        "batch export: {judge} is not a served judge; batch files are for openai: and anthropic: \
         judges"
    ))
}
