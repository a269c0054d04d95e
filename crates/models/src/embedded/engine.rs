//! A request evaluated: tokenised, checked, read, answered.

use super::answers::Answers;
use super::embed::{self, Embedder};
use super::generate;
use super::halt::{Halt, too_long};
use super::llama::Token;
use super::prompt::Prompter;
use super::score;
use super::stack::Stack;
use evenhand_core::{CallError, CallErrorKind, CallResult, Reply, Request, Task};
use std::sync::Arc;

/// A model that answers.
pub(super) struct Engine {
    pub(super) stack: Stack,
    pub(super) prompter: Arc<Prompter>,
    pub(super) embedder: Embedder,
}

/// A request, tokenised and known to fit.
pub(super) struct Job {
    /// All tokens that are given: the prompt, and for a score the continuation; for embeddings
    /// those of all pieces.
    pub(super) tokens: Vec<Token>,
    /// How many of them are the prompt.
    pub(super) prompt: usize,
    answers: Option<Answers>,
    /// For embeddings, how many tokens each piece has.
    pieces: Vec<usize>,
}

impl Job {
    /// The tokens that are read, and the position of the first whose logits are needed. The last
    /// token of a continuation is scored and not read.
    pub(super) fn read(&self) -> (&[Token], usize) {
        let read = self.tokens.len() - usize::from(self.prompt < self.tokens.len());
        (&self.tokens[..read], self.prompt - 1)
    }
}

impl Engine {
    /// Tokenises a request, and checks that it fits the context.
    pub(super) fn prepare(&self, request: &Request) -> Result<Job, CallError> {
        self.job(request)
            .and_then(|job| self.fitting(job, request))
            .map_err(call_error)
    }

    /// The text of a conversation as the model reads it.
    pub(super) fn prompt(&self, messages: &[evenhand_core::Message]) -> Option<String> {
        self.prompter.text(messages)
    }

    /// How many tokens a request gives, whether they fit or not.
    pub(super) fn tokens(&self, request: &Request) -> Result<usize, CallError> {
        self.job(request)
            .map(|job| job.tokens.len())
            .map_err(call_error)
    }

    /// Evaluates a request.
    pub(super) fn evaluate(
        &mut self,
        request: &Request,
        job: &Job,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Reply, Halt> {
        match &request.task {
            Task::Generate { decoding, answers } => {
                let due = answers
                    .as_ref()
                    .zip(job.answers.as_ref())
                    .map(|(options, tree)| (options.after.as_str(), tree));
                generate::generate(self, &job.tokens, decoding, due, request, stopped)
            }
            Task::Score {
                continuation,
                apart,
            } => {
                let (vocabulary, prompt) = (&self.prompter.vocabulary, job.prompt);
                let ends = score::ends(vocabulary, &job.tokens[prompt..], continuation, apart)?;
                score::score(&mut self.stack, &job.tokens, &ends, apart, stopped)
            }
            Task::Embed { .. } => self.embedder.embed(&job.tokens, &job.pieces, stopped),
        }
    }

    fn job(&self, request: &Request) -> Result<Job, Halt> {
        match &request.task {
            Task::Generate { answers, .. } => {
                let tokens = self.prompter.conversation(&request.messages)?.all;
                let tree = answers
                    .as_ref()
                    .map(|answers| Answers::new(&answers.options, &self.prompter.vocabulary));
                Ok(Job {
                    prompt: tokens.len(),
                    tokens,
                    answers: tree.transpose()?,
                    pieces: Vec::new(),
                })
            }
            Task::Score { continuation, .. } => {
                let before = self.prompter.before_continuation(&request.messages)?;
                let continuation =
                    score::continuation(&self.prompter.vocabulary, &before, continuation)?;
                let prompt = before.all.len();
                Ok(Job {
                    prompt,
                    tokens: [before.all, continuation].concat(),
                    answers: None,
                    pieces: Vec::new(),
                })
            }
            Task::Embed { pieces } => {
                let pieces = embed::tokens(&self.prompter.vocabulary, pieces)?;
                let tokens = pieces.concat();
                Ok(Job {
                    prompt: tokens.len(),
                    tokens,
                    answers: None,
                    pieces: pieces.iter().map(Vec::len).collect(),
                })
            }
        }
    }

    /// The job, if it fits the context with what is to be written.
    fn fitting(&self, job: Job, request: &Request) -> Result<Job, Halt> {
        let more = match &request.task {
            Task::Generate { decoding, .. } => {
                decoding.max_tokens as usize + job.answers.as_ref().map_or(0, Answers::depth)
            }
            Task::Score { .. } => 0,
            // A piece that is longer than the context is read in parts.
            Task::Embed { .. } => return Ok(job),
        };
        if job.tokens.len().saturating_add(more) > self.stack.room() {
            return Err(too_long(job.tokens.len(), more, self.stack.room()));
        }
        Ok(job)
    }
}

/// The error of a request that was not stopped.
pub(super) fn call_error(halt: Halt) -> CallError {
    match halt {
        Halt::Failed(error) => error,
        Halt::Stopped => CallError {
            kind: CallErrorKind::Model,
            message: "the call was stopped".to_owned(),
        },
    }
}

/// A request tokenised and evaluated.
pub(super) fn answer(engine: &mut Engine, request: &Request) -> CallResult {
    let job = engine.prepare(request)?;
    engine
        .evaluate(request, &job, &|| false)
        .map_err(call_error)
}
