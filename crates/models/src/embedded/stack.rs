//! What the model has read, as a stack: prompts that begin alike share what they begin with.
//!
//! A token's logits depend, in their last bits, on the batch it was read in. So the batches of a
//! prompt are a function of the prompt alone: chunks of `chunk` tokens from its first token on.
//! Only whole chunks are kept for the next prompt, and only up to the chunk of the first logits
//! that it asks for. So every prompt gets the same bits whatever was asked before.

use super::bare::Size;
use super::halt::Halt;
use super::llama::{Context, Token};
use super::threads::Threads;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tokens so far, for whoever watches.
#[derive(Debug, Default)]
pub(super) struct Counted {
    /// Of prompts, those of shared prefixes once.
    pub(super) read: AtomicU64,
    /// Of replies.
    pub(super) written: AtomicU64,
}

/// What the model has read.
pub(super) struct Stack {
    context: Context,
    threads: Threads,
    /// The token of each position.
    tokens: Vec<Token>,
    /// Where each batch that was read ends.
    ends: Vec<usize>,
    /// How many tokens, from the first on, were read in whole chunks.
    whole: usize,
    chunk: usize,
    share: bool,
    can_forget: bool,
    evaluated: u64,
    pub(super) counted: Arc<Counted>,
}

impl Stack {
    pub(super) fn new(context: Context, threads: Threads, chunk: usize, share: bool) -> Stack {
        let can_forget = context.weights().can_forget();
        let counted = Arc::default();
        let (tokens, ends) = (Vec::new(), Vec::new());
        Stack {
            context,
            threads,
            tokens,
            ends,
            whole: 0,
            chunk,
            share,
            can_forget,
            evaluated: 0,
            counted,
        }
    }

    /// How many tokens the model can hold.
    pub(super) fn room(&self) -> usize {
        self.context.length() as usize
    }

    /// How many tokens were read in all, those of shared prefixes once.
    pub(super) fn evaluated(&self) -> u64 {
        self.evaluated
    }

    /// How many tokens are on the stack.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Reads a prompt from an empty stack, or from the prefix that it shares with what was read
    /// before.
    ///
    /// `each` is given the logits after each position from `first` on.
    pub(super) fn read(
        &mut self,
        prompt: &[Token],
        first: usize,
        stopped: &dyn Fn() -> bool,
        each: &mut dyn FnMut(usize, &[f32]),
    ) -> Result<(), Halt> {
        self.cut(self.kept(prompt, first))?;
        for (start, tokens) in chunks_from(prompt, self.len(), self.chunk) {
            if stopped() {
                return Err(Halt::Stopped);
            }
            self.append(tokens, first.saturating_sub(start))?;
            self.counted
                .read
                .fetch_add(tokens.len() as u64, Ordering::Relaxed);
            for index in first.saturating_sub(start)..tokens.len() {
                each(start + index, self.context.logits(index)?);
            }
        }
        Ok(())
    }

    /// Reads one more token and returns the logits after it.
    pub(super) fn push(&mut self, token: Token) -> Result<&[f32], Halt> {
        self.append(&[token], 0)?;
        Ok(self.context.logits(0)?)
    }

    /// Forgets what was read last, down to this length, which must be the end of a batch.
    pub(super) fn cut(&mut self, length: usize) -> Result<(), Halt> {
        if length == self.len() {
            return Ok(());
        }
        if self.can_forget && self.context.forget_from(length) {
            self.tokens.truncate(length);
            self.ends.retain(|end| *end <= length);
            self.whole = self.whole.min(length);
            return Ok(());
        }
        self.read_again(length)
    }

    /// Reads prompts of these sizes: llama.cpp's work and nothing more.
    pub(super) fn read_bare(&mut self, prompts: &[Size]) -> Result<(), String> {
        self.clear();
        let tokens = vec![0; self.chunk];
        for &Size {
            kept,
            length,
            first,
        } in prompts
        {
            self.context.forget_from(kept);
            for start in (kept..length).step_by(self.chunk) {
                let end = length.min(start + self.chunk);
                self.context.use_threads(self.threads.now());
                self.context
                    .decode(&tokens[..end - start], start, first.saturating_sub(start))?;
            }
            self.context.logits((length - 1) % self.chunk)?;
        }
        self.clear();
        Ok(())
    }

    /// How much of a prompt need not be read again.
    fn kept(&self, prompt: &[Token], first: usize) -> usize {
        let kept = shared_chunks(&self.tokens[..self.whole], &prompt[..first], self.chunk);
        if self.share && (self.can_forget || kept == self.len()) {
            kept
        } else {
            0
        }
    }

    /// How much of a prompt need not be read when another was read before it, if its first logits
    /// are asked for here.
    pub(super) fn kept_after(&self, before: &[Token], prompt: &[Token], first: usize) -> usize {
        if self.share {
            shared_chunks(before, &prompt[..first], self.chunk)
        } else {
            0
        }
    }

    fn append(&mut self, tokens: &[Token], first_output: usize) -> Result<(), Halt> {
        let start = self.len();
        self.context.use_threads(self.threads.now());
        if let Err(cause) = self.context.decode(tokens, start, first_output) {
            self.clear();
            return Err(cause.into());
        }
        self.evaluated += tokens.len() as u64;
        self.tokens.extend_from_slice(tokens);
        self.ends.push(self.len());
        if self.whole == start && tokens.len() == self.chunk {
            self.whole = self.len();
        }
        Ok(())
    }

    /// For a model that cannot forget a part: forgets everything and reads the same batches again.
    fn read_again(&mut self, length: usize) -> Result<(), Halt> {
        let (tokens, ends) = (
            std::mem::take(&mut self.tokens),
            std::mem::take(&mut self.ends),
        );
        self.clear();
        for end in ends.into_iter().filter(|end| *end <= length) {
            self.append(&tokens[self.len()..end], usize::MAX)?;
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn use_exactly(&mut self, threads: usize) {
        self.threads = Threads::new(threads, false);
    }

    #[cfg(test)]
    pub(super) fn pretend_it_cannot_forget(&mut self) {
        self.can_forget = false;
    }

    fn clear(&mut self) {
        self.context.forget();
        self.tokens.clear();
        self.ends.clear();
        self.whole = 0;
    }
}

/// The length of what two prompts have in common, in whole chunks.
fn shared_chunks(one: &[Token], other: &[Token], chunk: usize) -> usize {
    one.iter()
        .zip(other)
        .take_while(|(one, other)| one == other)
        .count()
        / chunk
        * chunk
}

/// The chunks of a prompt from this position on, which is the start of one.
fn chunks_from(
    prompt: &[Token],
    start: usize,
    chunk: usize,
) -> impl Iterator<Item = (usize, &[Token])> {
    prompt[start..]
        .chunks(chunk)
        .enumerate()
        .map(move |(number, tokens)| (start + number * chunk, tokens))
}
