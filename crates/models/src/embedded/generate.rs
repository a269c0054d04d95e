//! A reply, written token by token.

use super::answers::Answers;
use super::halt::{Halt, no_numbers};
use super::llama::Token;
use super::sample::Sampler;
use super::stack::Stack;
use super::vocabulary::Vocabulary;
use evenhand_core::{Decoding, Finish, Reply, Request, Usage};
use std::sync::atomic::Ordering;

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

/// Writes a reply to a request's prompt.
pub(super) fn generate(
    stack: &mut Stack,
    vocabulary: &Vocabulary,
    prompt: &[Token],
    request: &Request,
    decoding: &Decoding,
    due: Option<DueAnswers>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Reply, Halt> {
    // The logits after the prompt.
    let mut logits = Vec::new();
    let mut keep = |_: usize, last: &[f32]| logits = last.to_vec();
    stack.read_prompt(prompt, prompt.len() - 1, is_stopped, &mut keep)?;
    let mut writer = Writer {
        stack,
        vocabulary,
        logits,
        written: WrittenText::default(),
        tokens: 0,
        most: decoding.max_tokens,
        due,
        answers: None,
    };
    let mut sampler = Sampler::new(decoding, request.sample, &request.key());
    let finish = writer.write(&mut sampler, is_stopped)?;
    Ok(Reply {
        text: writer.written.to_text(),
        finish,
        answers: writer.answers,
        usage: Usage {
            prompt_tokens: prompt.len() as u64,
            completion_tokens: writer.tokens.into(),
            ..Usage::default()
        },
        ..Reply::default()
    })
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
            if self.vocabulary.weights.ends_turn(token) {
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
        self.vocabulary
            .weights
            .append_piece(token, &mut self.written.bytes);
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
}

/// Bytes that become text; a token may end within a character.
#[derive(Debug, Default)]
struct WrittenText {
    /// The bytes written so far.
    bytes: Vec<u8>,
}

impl WrittenText {
    /// Whether the text ends with this, white space aside.
    fn ends_with(&self, end: &str) -> bool {
        self.to_text().trim_end().ends_with(end.trim_end())
    }

    /// Returns the text: a character that is not complete at its end is left out, and bytes that
    /// are none within it are replaced.
    fn to_text(&self) -> String {
        let complete = self.bytes.len() - incomplete_end(&self.bytes);
        String::from_utf8_lossy(&self.bytes[..complete]).into_owned()
    }
}

/// Returns how many bytes at the end begin a character and do not finish it.
fn incomplete_end(bytes: &[u8]) -> usize {
    let last = &bytes[bytes.len().saturating_sub(3)..];
    let begins = (0..last.len()).find(|from| {
        matches!(std::str::from_utf8(&last[*from..]), Err(error) if error.valid_up_to() == 0 && error.error_len().is_none())
    });
    begins.map_or(0, |from| last.len() - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(bytes: &[u8]) -> WrittenText {
        WrittenText {
            bytes: bytes.to_vec(),
        }
    }

    #[test]
    fn an_incomplete_character_at_the_end_is_left_out() {
        for whole in ["a", "é", "€", "😀", "a😀b"] {
            assert_eq!(written(whole.as_bytes()).to_text(), whole);
        }
        for cut in 1..4 {
            assert_eq!(written(&"a😀".as_bytes()[..1 + cut]).to_text(), "a");
        }
        assert_eq!(written(b"a\xffb\xe2\x82").to_text(), "a\u{fffd}b");
        assert_eq!(written(b"").to_text(), "");
    }

    #[test]
    fn an_end_is_found_with_white_space_aside() {
        assert!(written(b"so: Verdict: \n").ends_with("Verdict: "));
        assert!(!written(b"so: verdict:").ends_with("Verdict:"));
        assert!(written(b"").ends_with(""));
    }
}
