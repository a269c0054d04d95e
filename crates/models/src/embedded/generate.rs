//! A reply, written token by token.

use super::answers::Answers;
use super::engine::Engine;
use super::halt::{Halt, no_numbers};
use super::llama::Token;
use super::sample::Sampler;
use super::text::Written;
use evenhand_core::{Decoding, Finish, Reply, Request, Usage};
use std::sync::atomic::Ordering;

/// A reply under way.
struct Writer<'a> {
    engine: &'a mut Engine,
    /// The logits of the next token.
    logits: Vec<f32>,
    written: Written,
    tokens: u32,
    /// How many it may have: the answers, once read, end it.
    most: u32,
    /// The answers that are still to become due, and after which text.
    due: Option<(&'a str, &'a Answers)>,
    answers: Option<Vec<f64>>,
}

/// How often a reply under way asks whether the run is to end.
const TOKENS_BETWEEN_LOOKS: u32 = 8;

/// Writes a reply to a prompt.
pub(super) fn generate(
    engine: &mut Engine,
    prompt: &[Token],
    decoding: &Decoding,
    due: Option<(&str, &Answers)>,
    request: &Request,
    stopped: &dyn Fn() -> bool,
) -> Result<Reply, Halt> {
    let mut logits = Vec::new();
    engine
        .stack
        .read(prompt, prompt.len() - 1, stopped, &mut |_, last| {
            logits = last.to_vec()
        })?;
    let mut writer = Writer {
        engine,
        logits,
        written: Written::default(),
        tokens: 0,
        most: decoding.max_tokens,
        due,
        answers: None,
    };
    let mut sampler = Sampler::new(decoding, request.sample, &request.key());
    let finish = writer.write(&mut sampler, stopped)?;
    let usage = Usage {
        prompt_tokens: prompt.len() as u64,
        completion_tokens: writer.tokens.into(),
        ..Usage::default()
    };
    Ok(Reply {
        text: writer.written.text(),
        finish,
        answers: writer.answers,
        usage,
        ..Reply::default()
    })
}

impl Writer<'_> {
    fn write(&mut self, sampler: &mut Sampler, stopped: &dyn Fn() -> bool) -> Result<Finish, Halt> {
        self.answer_if_due()?;
        while self.tokens < self.most {
            let token = sampler.choose(&self.logits).ok_or_else(no_numbers)?;
            if self.engine.prompter.vocabulary.ends_turn(token) {
                return Ok(Finish::Stop);
            }
            if self.tokens.is_multiple_of(TOKENS_BETWEEN_LOOKS) && stopped() {
                return Err(Halt::Stopped);
            }
            self.take(token)?;
        }
        Ok(if self.answers.is_some() {
            Finish::Stop
        } else {
            Finish::Length
        })
    }

    /// Writes a token, and reads it where something comes after it.
    fn take(&mut self, token: Token) -> Result<(), Halt> {
        self.engine
            .prompter
            .vocabulary
            .append_piece(token, &mut self.written.bytes);
        self.tokens += 1;
        self.engine
            .stack
            .counted
            .written
            .fetch_add(1, Ordering::Relaxed);
        if self.tokens < self.most || self.is_due() {
            self.logits.copy_from_slice(self.engine.stack.push(token)?);
        }
        self.answer_if_due()
    }

    fn is_due(&self) -> bool {
        self.due
            .is_some_and(|(after, _)| self.written.ends_with(after))
    }

    /// Takes down the answers' probabilities when they are due: what the reply was for, so that it
    /// ends there.
    fn answer_if_due(&mut self) -> Result<(), Halt> {
        if let Some((_, answers)) = self.due.take_if(|(after, _)| self.written.ends_with(after)) {
            self.answers = Some(answers.probabilities(&self.logits, &mut self.engine.stack)?);
            // One more token shows in the text what was answered.
            self.most = self.most.min(self.tokens + 1);
        }
        Ok(())
    }
}
