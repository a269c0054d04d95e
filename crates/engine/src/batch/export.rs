//! The present wave of missing requests, as batch files.

use super::files::{Files, Limits};
use crate::ask::pass::pass_over_store;
use crate::{EngineError, Job};
use evenhand_core::RequestKey;
use evenhand_models::Model;
use evenhand_models::Target;
use evenhand_protocols::{Missing, Pass};
use evenhand_store::{Call, Store};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was exported.
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

/// Writes every request that some trial lacks now, each once, in files of one judge each.
pub fn export(
    job: &Job,
    model: &dyn Model,
    store: &mut Store,
    out: &Path,
    limits: Limits,
) -> Result<Exported, EngineError> {
    let mut export = Export {
        job,
        model,
        out,
        limits,
        files: BTreeMap::new(),
        seen: HashSet::new(),
        done: Exported::default(),
    };
    for trial in job.plan.trials() {
        export.done.trials += 1;
        let responses = job.responses(&trial)?;
        let (pass, _) = pass_over_store(job, &trial, &responses, store, |_| None)?;
        if let Pass::Pending(missing) = pass {
            export.done.waiting += 1;
            missing
                .into_iter()
                .try_for_each(|missing| export.request(missing, store))?;
        }
    }
    store.commit()?;
    export.end()
}

struct Export<'a> {
    job: &'a Job,
    model: &'a dyn Model,
    out: &'a Path,
    limits: Limits,
    /// By judge, those for embeddings apart: OpenAI's batch API takes one address for a file.
    files: BTreeMap<(Arc<str>, Target), Files>,
    seen: HashSet<RequestKey>,
    done: Exported,
}

impl Export<'_> {
    fn request(
        &mut self,
        Missing { key, body, request }: Missing,
        store: &mut Store,
    ) -> Result<(), EngineError> {
        if !self.seen.insert(key) {
            return Ok(());
        }
        let judge = &request.judge;
        let Some(encoded) = self.model.encode_request(&request) else {
            let why = format!(
                "batch export: {judge} is no served judge; batch files are for openai: and \
                 anthropic: judges"
            );
            return Err(EngineError::Setting(why));
        };
        match encoded {
            Ok(encoded) => {
                self.done.exported_before += u64::from(!store.export(&key, judge, &body)?);
                self.done.requests += 1;
                self.files(judge, encoded.target)
                    .line(&encoded.batch_line(&key))
            }
            Err(error) => {
                self.done.impossible += 1;
                Ok(store.put(&Call {
                    key: &key,
                    judge,
                    request: &body,
                    result: &Err(error),
                    raw: None,
                    batch: false,
                })?)
            }
        }
    }

    fn files(&mut self, judge: &Arc<str>, target: Target) -> &mut Files {
        let place = self
            .job
            .judges
            .panel
            .iter()
            .position(|member| member == judge);
        let name = match (self.job.judges.panel.len(), place) {
            (1, Some(_)) => "batch".to_string(),
            (_, Some(place)) => format!("judge{}", place + 1),
            (_, None) if target == Target::Embeddings => "embedder".into(),
            (_, None) => "second-stage".into(),
        };
        let name = match target {
            Target::Chat => name,
            Target::Completions => format!("{name}-completions"),
            Target::Embeddings => format!("{name}-embeddings"),
        };
        self.files
            .entry((judge.clone(), target))
            .or_insert_with(|| Files::new(self.out, &name, self.limits))
    }

    fn end(mut self) -> Result<Exported, EngineError> {
        for files in self.files.values_mut() {
            files.close()?;
            self.done.files.append(&mut files.written);
        }
        Ok(self.done)
    }
}
