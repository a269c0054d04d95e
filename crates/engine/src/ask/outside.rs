//! Models that are asked outside a protocol: to rewrite responses, and to embed texts.

use crate::ask::fetch::fetch;
use crate::ask::limits::Budget;
use crate::{EngineError, JudgeOptions, JudgeSpec, Limits};
use evenhand_core::{About, CallResult, Item, Message, Request, Response, Task, Wanted};
use evenhand_models::Model;
use std::sync::Arc;

/// A model that rewrites responses.
///
/// It says what it is to be asked: [`Rewriter::requests`] go to [`Session::fetch`] of its
/// [`Rewriter::model_mut`].
///
/// [`Session::fetch`]: crate::Session::fetch
pub struct Rewriter {
    model: Box<dyn Model>,
    breaks_marks: bool,
}

/// A response that is to be rewritten, and the prompt that says how.
pub struct ToRewrite<'a> {
    /// The item that was answered.
    pub item: &'a Item,
    /// The response.
    pub response: Response,
    /// The prompt.
    pub messages: Vec<Message>,
    /// The most tokens that the rewritten one may have.
    pub max_tokens: u32,
}

impl Rewriter {
    /// Opens the model. `systems` are those of the data set, best first, which a simulated model
    /// tells apart.
    ///
    /// # Errors
    /// A model that cannot be opened. Recorded runs cannot rewrite; they only replay.
    pub fn open(
        spec: &JudgeSpec,
        systems: &[Arc<str>],
        options: JudgeOptions,
    ) -> Result<Rewriter, EngineError> {
        Ok(Rewriter {
            model: spec.open(systems, options)?,
            breaks_marks: spec.reads_marks()? && !options.raw_marks,
        })
    }

    /// Whether marks of chat templates are to be broken up in what the model is shown.
    pub fn breaks_marks(&self) -> bool {
        self.breaks_marks
    }

    /// Returns the model.
    pub fn model(&self) -> &dyn Model {
        self.model.as_ref()
    }

    /// Returns the model, to be asked.
    pub fn model_mut(&mut self) -> &mut dyn Model {
        self.model.as_mut()
    }

    /// Returns the request for each rewrite, in their order.
    pub fn requests(&self, rewrites: Vec<ToRewrite<'_>>) -> Vec<Request> {
        let judge: Arc<str> = self.model.identity().into();
        let requests = rewrites.into_iter().map(|rewrite| Request {
            judge: judge.clone(),
            messages: rewrite.messages,
            // Without sampling, so that the same response is rewritten the same way again.
            task: Task::write(rewrite.max_tokens),
            sample: 0,
            about: About::new(rewrite.item, &[rewrite.response]).wanting(Wanted::Rewritten),
        });
        requests.collect()
    }
}

/// A model that embeds texts. Nothing is kept.
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
        let requests = texts
            .into_iter()
            .map(|pieces| Request::new(judge.clone(), Vec::new(), Task::Embed { pieces }));
        let requests = requests.collect();
        let fetched = fetch(self.model.as_mut(), requests, budget, None)?;
        Ok(fetched.into_iter().map(|fetched| fetched.result).collect())
    }
}
