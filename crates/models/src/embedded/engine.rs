//! A request evaluated: tokenised, checked, read, answered.

use super::answers::Answers;
use super::beside::{Beside, Forest};
use super::embed::{Embedder, Pooling, tokenize_pieces};
use super::generate::{DueAnswers, generate};
use super::halt::{Halt, invalid, no_numbers, too_long};
use super::llama::Token;
use super::prompt::Prompter;
use super::score::{find_ends, score, tokenize_continuation};
use super::stack::Stack;
use super::states::{ScoredText, StateReader};
use crate::identity::failed;
use evenhand_core::{CallError, CallErrorKind, CallResult, Reply, Request, Task};
use std::sync::Arc;

/// A model that answers.
pub(super) struct Engine {
    pub(super) stack: Stack,
    pub(super) prompter: Arc<Prompter>,
    pub(super) embedder: Embedder,
    pub(super) states: StateReader,
    /// What was read of texts that are compared side by side, by all workers.
    pub(super) forest: Arc<Forest>,
    /// Whether the model writes text; one that only embeds does not.
    pub(super) writes: bool,
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
    /// For texts that are read side by side.
    beside: Option<Beside>,
}

impl Job {
    /// Returns a job whose tokens are all prompt.
    fn of_prompt(tokens: Vec<Token>) -> Job {
        Job {
            prompt: tokens.len(),
            tokens,
            answers: None,
            pieces: Vec::new(),
            beside: None,
        }
    }

    /// Returns the tokens that are read, and the position of the first whose logits are needed. The
    /// last token of a continuation is scored and not read.
    pub(super) fn read_tokens(&self) -> (&[Token], usize) {
        let read = self.tokens.len() - usize::from(self.prompt < self.tokens.len());
        (&self.tokens[..read], self.prompt - 1)
    }
}

impl Engine {
    /// Tokenises a request, and checks that it fits the context.
    pub(super) fn prepare(&self, request: &Request) -> Result<Job, CallError> {
        self.make_job(request)
            .and_then(|job| self.check_fits(job, request))
            .map_err(call_error)
    }

    /// Returns how many tokens a request gives, whether they fit or not.
    pub(super) fn count_tokens(&self, request: &Request) -> Result<usize, CallError> {
        self.make_job(request)
            .map(|job| job.tokens.len())
            .map_err(call_error)
    }

    /// Evaluates a request.
    pub(super) fn evaluate(
        &mut self,
        request: &Request,
        job: &Job,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Reply, Halt> {
        match &request.task {
            Task::Generate { decoding, answers } => {
                let due = answers.as_ref().zip(job.answers.as_ref());
                let due = due.map(|(options, answers)| DueAnswers {
                    after: &options.after,
                    answers,
                });
                let (stack, vocabulary) = (&mut self.stack, &self.prompter.vocabulary);
                let prompt = &job.tokens;
                generate(
                    stack, vocabulary, prompt, request, decoding, due, is_stopped,
                )
            }
            Task::Score {
                continuation,
                apart,
                depths,
            } => {
                let tokens = &job.tokens[job.prompt..];
                let vocabulary = &self.prompter.vocabulary;
                let ends = find_ends(vocabulary, tokens, continuation, apart)?;
                if !depths.is_empty() {
                    let text = ScoredText {
                        tokens: &job.tokens,
                        ends: &ends,
                        apart,
                        depths,
                    };
                    return self.states.read(&text, is_stopped);
                }
                score(&mut self.stack, &job.tokens, &ends, apart, is_stopped)
            }
            Task::Embed { .. } => self.embedder.embed(&job.tokens, &job.pieces, is_stopped),
            Task::SideBySide { answers, .. } => {
                let beside = job.beside.as_ref().ok_or_else(no_numbers)?;
                beside.answer(&mut self.stack, &self.forest, answers, is_stopped)
            }
            Task::Decide { .. } => Err(invalid(NO_DECISIONS)),
            Task::Reward => self.embedder.score(&job.tokens, is_stopped),
        }
    }

    fn make_job(&self, request: &Request) -> Result<Job, Halt> {
        let vocabulary = &self.prompter.vocabulary;
        match &request.task {
            Task::Generate { .. } | Task::Score { .. } | Task::SideBySide { .. }
                if !self.writes =>
            {
                if self.embedder.pooling == Pooling::Score {
                    return Err(invalid(
                        "this model scores answers and writes none: use the protocol reward",
                    ));
                }
                Err(invalid(
                    "this is a sentence-embedding model: it embeds texts and writes none, so it \
                 cannot judge. Choose a language model as the judge",
                ))
            }
            Task::Generate { answers, .. } => {
                let tokens = self.prompter.tokenize(&request.messages)?.all;
                let answers = answers.as_ref();
                let tree = answers.map(|answers| Answers::new(&answers.options, vocabulary));
                Ok(Job {
                    answers: tree.transpose()?,
                    ..Job::of_prompt(tokens)
                })
            }
            Task::Score { continuation, .. } => {
                let before = self
                    .prompter
                    .tokenize_before_continuation(&request.messages)?;
                let continuation = tokenize_continuation(vocabulary, &before, continuation)?;
                Ok(Job {
                    prompt: before.all.len(),
                    ..Job::of_prompt([before.all, continuation].concat())
                })
            }
            Task::SideBySide { .. } if !self.stack.can_forget => Err(invalid(
                "this model keeps one state of all that it has read, so that it cannot read \
                 responses side by side; use swap:average",
            )),
            Task::SideBySide {
                texts,
                names,
                question,
                answers,
            } => {
                let prompter = &self.prompter;
                let beside = Beside::new(prompter, request, texts, names, question, answers)?;
                let job = Job::of_prompt(beside.all_tokens());
                Ok(Job {
                    beside: Some(beside),
                    ..job
                })
            }
            Task::Decide { .. } => Err(invalid(NO_DECISIONS)),
            Task::Reward if self.embedder.pooling != Pooling::Score => Err(invalid(NO_REWARDS)),
            Task::Reward => self.prompter.tokenize_answered(request).map(Job::of_prompt),
            Task::Embed { pieces } => {
                let pieces = tokenize_pieces(vocabulary, self.embedder.pooling, pieces)?;
                Ok(Job {
                    pieces: pieces.iter().map(Vec::len).collect(),
                    ..Job::of_prompt(pieces.concat())
                })
            }
        }
    }

    /// Returns the job, if it fits the context with what is to be written.
    fn check_fits(&self, job: Job, request: &Request) -> Result<Job, Halt> {
        let more = match &request.task {
            Task::Generate { decoding, .. } => {
                let depth = job.answers.as_ref().map_or(0, Answers::depth);
                decoding.max_tokens as usize + depth
            }
            Task::Score { depths, .. }
                if !depths.is_empty() && job.tokens.len() > self.states.window() =>
            {
                return Err(too_long(job.tokens.len(), 0, self.states.window()));
            }
            Task::Score { .. } | Task::SideBySide { .. } | Task::Decide { .. } => 0,
            Task::Reward => {
                return match self.embedder.window() {
                    room if job.tokens.len() > room => Err(Halt::Failed(CallError {
                        kind: CallErrorKind::TooLong,
                        message: format!(
                            "question and answer have {} tokens together, and a model that scores \
                             answers reads at most {room} here",
                            job.tokens.len()
                        ),
                    })),
                    _ => Ok(job),
                };
            }
            // A piece that is longer than the context is read in parts.
            Task::Embed { .. } => return Ok(job),
        };
        if job.tokens.len().saturating_add(more) > self.stack.room() {
            return Err(too_long(job.tokens.len(), more, self.stack.room()));
        }
        Ok(job)
    }
}

const NO_REWARDS: &str = "this model gives no reward: choose one that scores answers (a GGUF file \
                          with a head for it), or a server of one (reward:MODEL@BASE_URL)";
const NO_DECISIONS: &str = "a model of this machine is asked by chat, and this is a question about \
                            a state; a server may answer it (systemone:MODEL@ADDRESS)";

/// Returns the error of a request that was not stopped.
pub(super) fn call_error(halt: Halt) -> CallError {
    match halt {
        Halt::Failed(error) => error,
        Halt::Stopped => failed("the call was stopped"),
    }
}

/// Tokenises a request and evaluates it.
pub(super) fn answer_request(engine: &mut Engine, request: &Request) -> CallResult {
    let job = engine.prepare(request)?;
    engine
        .evaluate(request, &job, &|| false)
        .map_err(call_error)
}
