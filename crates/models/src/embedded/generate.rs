//! A reply, written token by token.

use super::answers::Answers;
use super::halt::{Halt, no_numbers};
use super::llama::Token;
use super::sample::Sampler;
use super::stack::Stack;
use super::vocabulary::Vocabulary;
use super::written_text::WrittenText;
use evenhand_core::{Decoding, Finish, Reply, Request, Usage};
use std::sync::atomic::Ordering;

/// A prompt to reply to, and how.
pub(super) struct Assignment<'a> {
    pub(super) prompt: &'a [Token],
    pub(super) request: &'a Request,
    pub(super) decoding: &'a Decoding,
    pub(super) due: Option<DueAnswers<'a>>,
}

/// Answers whose probabilities are wanted once the reply ends with a text.
#[derive(Clone, Copy)]
pub(super) struct DueAnswers<'a> {
    pub(super) after: &'a str,
    pub(super) answers: &'a Answers,
}

/// A reply under way.
struct Writer<'a> {
    stack: &'a mut Stack,
    vocabulary: &'a Vocabulary,
    /// The logits of the next token.
    logits: Vec<f32>,
    written: WrittenText,
    tokens: u32,
    /// The most tokens it may have; fewer once the answers are known, which end it.
    most: u32,
    /// The answers that are not due yet.
    due: Option<DueAnswers<'a>>,
    answers: Option<Vec<f64>>,
}

/// How often a reply under way asks whether the run is to end.
const TOKENS_BETWEEN_LOOKS: u32 = 8;

/// Writes a reply to a prompt.
pub(super) fn generate(
    stack: &mut Stack,
    vocabulary: &Vocabulary,
    assignment: &Assignment,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Reply, Halt> {
    let logits = read_prompt(stack, assignment.prompt, is_stopped)?;
    let mut writer = Writer {
        stack,
        vocabulary,
        logits,
        written: WrittenText::default(),
        tokens: 0,
        most: assignment.decoding.max_tokens,
        due: assignment.due,
        answers: None,
    };
    let request = assignment.request;
    let mut sampler = Sampler::new(assignment.decoding, request.sample, &request.key());
    let finish = writer.write(&mut sampler, is_stopped)?;
    Ok(writer.into_reply(assignment.prompt.len(), finish))
}

/// Reads a prompt and returns the logits after it.
fn read_prompt(
    stack: &mut Stack,
    prompt: &[Token],
    is_stopped: &dyn Fn() -> bool,
) -> Result<Vec<f32>, Halt> {
    let mut logits = Vec::new();
    let mut keep = |_: usize, last: &[f32]| logits = last.to_vec();
    stack.read_prompt(prompt, prompt.len() - 1, is_stopped, &mut keep)?;
    Ok(logits)
}

impl Writer<'_> {
    fn write(
        &mut self,
        sampler: &mut Sampler,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Finish, Halt> {
        self.answer_if_due()?;
        while self.tokens < self.most {
            let token = sampler.choose_token(&self.logits).ok_or_else(no_numbers)?;
            if self.vocabulary.ends_turn(token) {
                return Ok(Finish::Stop);
            }
            if self.tokens.is_multiple_of(TOKENS_BETWEEN_LOOKS) && is_stopped() {
                return Err(Halt::Stopped);
            }
            self.append_token(token)?;
        }
        // It was cut, unless its answers are known.
        Ok(match self.answers {
            Some(_) => Finish::Stop,
            None => Finish::Length,
        })
    }

    /// Writes a token, and reads it where something comes after it.
    fn append_token(&mut self, token: Token) -> Result<(), Halt> {
        self.vocabulary.append_piece(token, &mut self.written.bytes);
        self.tokens += 1;
        self.stack.counted.written.fetch_add(1, Ordering::Relaxed);
        if self.tokens < self.most || self.is_due() {
            self.logits.copy_from_slice(self.stack.push_token(token)?);
        }
        self.answer_if_due()
    }

    fn is_due(&self) -> bool {
        self.due
            .is_some_and(|due| self.written.ends_with(due.after))
    }

    /// Takes down the answers' probabilities when they are due. They are what the reply was for, so
    /// it ends there.
    fn answer_if_due(&mut self) -> Result<(), Halt> {
        if !self.is_due() {
            return Ok(());
        }
        if let Some(due) = self.due.take() {
            self.answers = Some(due.answers.measure_all(&self.logits, self.stack)?);
            // One more token shows in the text what was answered.
            self.most = self.most.min(self.tokens + 1);
        }
        Ok(())
    }

    fn into_reply(self, prompt_tokens: usize, finish: Finish) -> Reply {
        Reply {
            text: self.written.to_text(),
            finish,
            answers: self.answers,
            usage: Usage {
                prompt_tokens: prompt_tokens as u64,
                completion_tokens: self.tokens.into(),
                ..Usage::default()
            },
            ..Reply::default()
        }
    }
}
