//! A model that embeds texts, outside a run: nothing is kept.

use crate::ask::fetch::fetch;
use crate::ask::limits::{Budget, Limits};
use crate::{EngineError, JudgeOptions, JudgeSpec};
use evenhand_core::{About, CallResult, Request, Task};
use evenhand_models::Model;
use std::sync::Arc;

/// A model that embeds texts.
pub struct Embedder {
    model: Box<dyn Model>,
}

impl Embedder {
    /// Opens the model.
    ///
    /// # Errors
    /// A model that cannot be opened. Recorded runs cannot embed; they only replay.
    pub fn open(spec: &JudgeSpec, options: JudgeOptions) -> Result<Embedder, EngineError> {
        Ok(Embedder {
            model: spec.open(&[], options)?,
        })
    }

    /// Returns, for each list of pieces, a reply with a vector for each piece, or why there is
    /// none. Equal lists are one call.
    ///
    /// # Errors
    /// A model that breaks down.
    pub fn embed(&mut self, texts: Vec<Vec<String>>) -> Result<Vec<CallResult>, EngineError> {
        let budget = Budget::new(Limits::default(), &[]);
        let judge: Arc<str> = self.model.identity().into();
        let requests = texts.into_iter().map(|pieces| Request {
            judge: judge.clone(),
            messages: Vec::new(),
            task: Task::Embed { pieces },
            sample: 0,
            about: About::default(),
        });
        let requests = requests.collect();
        let fetched = fetch(self.model.as_mut(), requests, budget, None)?;
        Ok(fetched.into_iter().map(|fetched| fetched.result).collect())
    }
}
