//! Embeddings outside a run: nothing is kept.

use crate::{EngineError, JudgeOptions, JudgeSpec};
use evenhand_core::{About, CallResult, Request, RequestKey, Task};
use evenhand_models::{Answer, Model, Work};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// A model that embeds texts.
pub struct Embedder {
    model: Box<dyn Model>,
}

impl Embedder {
    /// Opens the model. A recorded run is none: it answers what its judges were asked.
    pub fn open(spec: &JudgeSpec, options: JudgeOptions) -> Result<Embedder, EngineError> {
        Ok(Embedder {
            model: spec.open(&[], options)?,
        })
    }

    /// For each list of pieces a reply with a vector for each, or why there is none. Equal lists
    /// are one call.
    pub fn embed(&mut self, texts: Vec<Vec<String>>) -> Result<Vec<CallResult>, EngineError> {
        let judge: Arc<str> = self.model.identity().into();
        let request = |pieces| {
            let (task, about) = (Task::Embed { pieces }, About::default());
            let request = Request {
                judge: judge.clone(),
                messages: Vec::new(),
                task,
                sample: 0,
                about,
            };
            (request.key(), Arc::new(request))
        };
        let all: Vec<(RequestKey, Arc<Request>)> = texts.into_iter().map(request).collect();
        let mut calls = Calls::default();
        all.iter()
            .for_each(|(key, request)| calls.ask(*key, request));
        self.model.serve(&mut calls)?;
        let result = |(key, _): &(RequestKey, _)| {
            calls
                .results
                .get(key)
                .cloned()
                .ok_or(EngineError::Stuck { trials: 1 })
        };
        all.iter().map(result).collect()
    }
}

/// Calls and what became of them.
#[derive(Default)]
struct Calls {
    ready: VecDeque<(RequestKey, Arc<Request>)>,
    asked: std::collections::HashSet<RequestKey>,
    results: HashMap<RequestKey, CallResult>,
}

impl Calls {
    fn ask(&mut self, key: RequestKey, request: &Arc<Request>) {
        if self.asked.insert(key) {
            self.ready.push_back((key, request.clone()));
        }
    }
}

impl Work for Calls {
    fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
        self.ready.pop_front()
    }

    fn deliver(&mut self, key: RequestKey, answer: Answer) {
        self.results.insert(key, answer.result);
    }

    fn is_stopped(&self) -> bool {
        false
    }
}
