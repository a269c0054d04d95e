//! The seam between those who ask and those who answer.

use crate::served::BatchApi;
use crate::{EncodedRequest, Work};
use evenhand_core::{CallError, Request};

/// Anything that answers requests.
///
/// Only three methods must be written: who the model is, how long a prompt is to it, and how it
/// serves a queue. `examples/own_model.rs` is a whole implementation.
pub trait Model {
    /// Returns what makes this model's replies its own: it is part of every request and of the
    /// manifest of a run.
    fn identity(&self) -> &str;

    /// Returns how many tokens the prompt has for this model, or None if it has no tokenizer at
    /// hand.
    fn count_prompt_tokens(&self, request: &Request) -> Option<u64>;

    /// Returns how many tokens this model may write beyond the limit of the request, to think
    /// before it answers.
    fn tokens_to_think(&self, _: &Request) -> u64 {
        0
    }

    /// Returns the prompt as this model reads it, chat template and all, or None if only its server
    /// knows.
    fn render_prompt(&self, _: &Request) -> Option<String> {
        None
    }

    /// Returns what this model's server would be sent, or None if the model has no server or the
    /// request names another model.
    ///
    /// # Errors
    ///
    /// [`CallErrorKind::Invalid`](evenhand_core::CallErrorKind::Invalid) if the server's API cannot
    /// express the request.
    fn encode_request(&self, _: &Request) -> Option<Result<EncodedRequest, CallError>> {
        None
    }

    /// Opens the batch API of the judge with this identity, or None if it has no server.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] if its server takes no batches or its key cannot be read.
    fn open_batches(&self, _judge: &str) -> Option<Result<BatchApi, ModelError>> {
        None
    }

    /// Whether requests reach a model. False for one that only replays what was recorded: nothing
    /// is spent on its replies.
    fn is_live(&self) -> bool {
        true
    }

    /// Checks that what every call takes, such as an API key, is at hand. Asks nothing.
    ///
    /// # Errors
    ///
    /// [`ModelError::Open`] with what is lacking, as [`Model::serve`] would say it of the first
    /// request.
    fn check_ready(&self) -> Result<(), ModelError> {
        Ok(())
    }

    /// Answers requests until none is ready and none is under way, or [`Work::is_stopped`] says so.
    ///
    /// # Errors
    ///
    /// [`ModelError`] if the model as a whole cannot go on. A single call that fails is delivered
    /// as an error instead.
    fn serve(&mut self, work: &mut dyn Work) -> Result<(), ModelError>;
}

/// Why a model cannot be used at all. A single call that fails is a
/// [`CallError`] instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The model cannot be opened; the text says what to do about it.
    #[error("{0}")]
    Open(String),
    /// The model broke down while it served.
    #[error("{0}")]
    Serve(String),
}
