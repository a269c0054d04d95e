//! The present wave of missing requests, as batch files.

use super::files::{BatchFiles, BatchFormat, FileLimits};
use crate::ask::pass::pass_over_store;
use crate::cost::approximate_request_tokens;
use crate::{EngineError, Job};
use evenhand_core::{Refusal, Task, Usage};
use evenhand_models::{Api, Model, Target};
use evenhand_protocols::{DecidingJudge, Missing, Pass};
use evenhand_store::{Call, Store};
use schemars::JsonSchema;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The result of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, JsonSchema)]
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
    /// The bytes of the requests' bodies.
    pub body_bytes: u64,
    /// Of these, how many each body has in common with the one before it in its file, from the
    /// beginning: what an engine that keeps the work of a prompt's beginning need not do again.
    pub shared_bytes: u64,
}

/// Writes every request that some trial lacks now, each once, in files of one judge each, under
/// the folder `out`, or below that address of object storage.
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
    format: BatchFormat,
) -> Result<Exported, EngineError> {
    let wave = write_wave(job, model, store, out, &|_| limits, format)?;
    Ok(wave.done)
}

/// A wave of requests in files.
pub(super) struct Wave {
    pub(super) done: Exported,
    pub(super) parts: Vec<WavePart>,
}

/// The requests of one judge in a wave, of one kind.
pub(super) struct WavePart {
    pub(super) judge: Arc<str>,
    pub(super) target: Target,
    pub(super) files: Vec<PathBuf>,
    /// Tokens at most, the prompts' estimated.
    pub(super) tokens: Usage,
}

/// Writes the present wave, in files within the limits of each API.
pub(super) fn write_wave(
    job: &Job,
    model: &dyn Model,
    store: &mut Store,
    out: &Path,
    limits: &dyn Fn(Api) -> FileLimits,
    format: BatchFormat,
) -> Result<Wave, EngineError> {
    if let Some(DecidingJudge { judge, .. }) = job.judges.deciding.first() {
        let why = format!(
            "batch: {judge} answers questions about a state, and no provider takes batches of \
             those; ask it live"
        );
        return Err(Refusal::of_input(why).into());
    }
    store.put_plan(Some(job.plan.len()))?;
    let mut export = Export {
        job,
        model,
        out,
        limits,
        format,
        files: BTreeMap::new(),
        done: Exported::default(),
    };
    let mut seen = HashSet::new();
    for trial in job.plan.trials() {
        export.done.trials += 1;
        let responses = job.responses(&trial)?;
        let (pass, _) = pass_over_store(job, &trial, &responses, store, None, |_| None)?;
        let Pass::Pending(missing) = pass else {
            continue;
        };
        export.done.waiting += 1;
        for call in &missing {
            if seen.insert(call.key) {
                export.export_call(call, store)?;
            }
        }
    }
    store.commit()?;
    let Export {
        files, mut done, ..
    } = export;
    let mut parts = Vec::new();
    for ((judge, target), (mut files, tokens)) in files {
        files.close()?;
        done.body_bytes += files.body_bytes[0];
        done.shared_bytes += files.body_bytes[1];
        done.files.extend(files.written.iter().cloned());
        parts.push(WavePart {
            judge,
            target,
            files: files.written,
            tokens,
        });
    }
    Ok(Wave { done, parts })
}

struct Export<'a> {
    job: &'a Job,
    model: &'a dyn Model,
    out: &'a Path,
    limits: &'a dyn Fn(Api) -> FileLimits,
    format: BatchFormat,
    /// By judge, with the most tokens of its requests; those for embeddings apart: OpenAI's batch
    /// API takes one address for a file.
    files: BTreeMap<(Arc<str>, Target), (BatchFiles, Usage)>,
    done: Exported,
}

impl Export<'_> {
    /// Writes a call to a file, or keeps why it cannot be sent.
    fn export_call(&mut self, call: &Missing, store: &mut Store) -> Result<(), EngineError> {
        let judge = &call.request.judge;
        let encoded = self.model.encode_request(&call.request).ok_or_else(|| {
            Refusal::of_input(format!(
                "batch export: {judge} is not a served judge; batch files are for openai: and \
                 anthropic: judges"
            ))
        })?;
        let encoded = match encoded {
            Ok(encoded) => encoded,
            Err(error) => {
                self.done.impossible += 1;
                return Ok(store.put(&Call {
                    key: &call.key,
                    judge,
                    request: &call.body,
                    about: &call.request.about,
                    result: &Err(error),
                    raw: None,
                    batch: false,
                })?);
            }
        };
        let about = &call.request.about;
        let is_new = store.export_request(&call.key, judge, &call.body, about)?;
        self.done.exported_before += u64::from(!is_new);
        self.done.requests += 1;
        let target = encoded.target;
        let files = self.files.entry((judge.clone(), target));
        let (files, tokens) = files.or_insert_with(|| {
            let name = file_name(&self.job.judges.panel, judge, target);
            let limits = (self.limits)(encoded.api);
            let files = BatchFiles::new(self.out, &name, limits, self.format);
            (files, Usage::default())
        });
        tokens.prompt_tokens += approximate_request_tokens(&call.request);
        if let Task::Generate { decoding, .. } = &call.request.task {
            tokens.completion_tokens += u64::from(decoding.max_tokens);
        }
        files.add(&call.key, encoded)
    }
}

/// Names the files after the judge's place in the panel, and who is none of it after what it does;
/// then after what is asked for.
fn file_name(panel: &[Arc<str>], judge: &Arc<str>, target: Target) -> String {
    let place = panel.iter().position(|member| member == judge);
    let part = match (panel.len(), place) {
        (1, Some(_)) => "batch".into(),
        (_, Some(place)) => format!("judge{}", place + 1),
        (_, None) if target == Target::Embeddings => "embedder".into(),
        (_, None) => "second-stage".into(),
    };
    match target {
        Target::Chat => part,
        Target::Completions => format!("{part}-completions"),
        Target::Embeddings => format!("{part}-embeddings"),
    }
}
