//! The tokens that the model has read, as a stack: prompts that begin alike share their beginning.
//!
//! A token's logits depend, in their last bits, on the batch it was read in. So the batches of a
//! prompt are a function of the prompt alone: chunks of `chunk` tokens from its first token on.
//! Only whole chunks are kept for the next prompt, and only up to the chunk of the first logits
//! that it asks for. So every prompt gets the same bits whatever was asked before.

use super::beside::SEQUENCES;
use super::halt::Halt;
use super::llama::{Context, Placed, Token};
use super::threads::Threads;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The sequences beside the stack, which is the first of a context.
const COPIES: Range<i32> = 1..SEQUENCES as i32;

/// Tokens so far, for whoever watches.
#[derive(Debug, Default)]
pub(super) struct Counted {
    /// Of prompts, those of shared prefixes once.
    pub(super) read: AtomicU64,
    /// Of replies.
    pub(super) written: AtomicU64,
}

/// How much of a prompt is read without doing anything with the result.
#[derive(Clone, Copy)]
pub(super) struct BareRead {
    /// How much is kept of the prompt before.
    pub(super) kept: usize,
    pub(super) length: usize,
    /// The first position whose logits are asked for.
    pub(super) first: usize,
}

/// The tokens that the model has read.
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
    /// Whether what was read for one prompt is kept for others.
    pub(super) share: bool,
    /// Whether what was read last can be taken off again without reading the rest anew.
    pub(super) can_forget: bool,
    /// How many tokens were read in all, those of shared prefixes once.
    pub(super) evaluated: u64,
    pub(super) counted: Arc<Counted>,
}

impl Stack {
    pub(super) fn new(context: Context, threads: Threads, chunk: usize, share: bool) -> Stack {
        Stack {
            can_forget: context.weights.can_forget(),
            context,
            threads,
            tokens: Vec::new(),
            ends: Vec::new(),
            whole: 0,
            chunk,
            share,
            evaluated: 0,
            counted: Arc::default(),
        }
    }

    /// Returns how many tokens the model can hold.
    pub(super) fn room(&self) -> usize {
        self.context.length() as usize
    }

    /// Returns how many tokens are on the stack.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Reads a prompt from an empty stack, or from the prefix that it shares with what was read
    /// before.
    ///
    /// `each` is given the logits after each position from `first` on.
    pub(super) fn read_prompt(
        &mut self,
        prompt: &[Token],
        first: usize,
        is_stopped: &dyn Fn() -> bool,
        each: &mut dyn FnMut(usize, &[f32]),
    ) -> Result<(), Halt> {
        let kept = shared_chunks(&self.tokens[..self.whole], &prompt[..first], self.chunk);
        let is_kept = self.share && (self.can_forget || kept == self.len());
        self.cut_to(if is_kept { kept } else { 0 })?;
        let shared = self.len();
        for (number, tokens) in prompt[shared..].chunks(self.chunk).enumerate() {
            let start = shared + number * self.chunk;
            if is_stopped() {
                return Err(Halt::Stopped);
            }
            let first_output = first.saturating_sub(start);
            self.append_batch(tokens, first_output)?;
            // For the progress that others see meanwhile.
            let count = tokens.len() as u64;
            self.counted.read.fetch_add(count, Ordering::Relaxed);
            for index in first_output..tokens.len() {
                each(start + index, self.context.logits(index)?);
            }
        }
        Ok(())
    }

    /// Sees to it that just these tokens are on the stack, read as a prompt of their own is.
    pub(super) fn stand_at(
        &mut self,
        prompt: &[Token],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), Halt> {
        let (chunk, length) = (self.chunk, prompt.len());
        let ends = (1..=length.div_ceil(chunk)).map(|number| length.min(number * chunk));
        if self.share && self.tokens == prompt && self.ends.iter().copied().eq(ends) {
            return Ok(());
        }
        self.read_prompt(prompt, length, is_stopped, &mut |_, _| ())
    }

    /// Reads tokens behind what is on the stack.
    pub(super) fn push_all(
        &mut self,
        tokens: &[Token],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), Halt> {
        for tokens in tokens.chunks(self.chunk) {
            if is_stopped() {
                return Err(Halt::Stopped);
            }
            self.append_batch(tokens, usize::MAX)?;
            let count = tokens.len() as u64;
            self.counted.read.fetch_add(count, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Returns a copy of what was read from this position on.
    pub(super) fn copy_from(&mut self, start: usize) -> Result<Vec<u8>, Halt> {
        if start == self.len() {
            return Ok(Vec::new());
        }
        self.context.share(0, COPIES.start, start);
        let cells = self.context.save_sequence(COPIES.start);
        self.context.forget_sequence(COPIES.start);
        Ok(cells?)
    }

    /// Puts a copy of what was read into a sequence beside the stack.
    pub(super) fn put(&mut self, sequence: i32, cells: &[u8]) -> Result<(), Halt> {
        if !cells.is_empty() {
            self.context.load_sequence(sequence, cells)?;
        }
        Ok(())
    }

    /// Lets a sequence see what is on the stack and what was put into others.
    pub(super) fn join(&mut self, sequence: i32, others: &[i32]) {
        for from in [0].iter().chain(others) {
            self.context.share(*from, sequence, 0);
        }
    }

    /// Reads tokens in sequences beside the stack, and returns the logits that are wanted.
    pub(super) fn read_placed(
        &mut self,
        placed: &[Placed],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<Vec<f32>>, Halt> {
        let mut logits = Vec::new();
        for batch in placed.chunks(self.chunk) {
            if is_stopped() {
                return Err(Halt::Stopped);
            }
            self.context.use_threads(self.threads.current());
            if let Err(cause) = self.context.decode_placed(batch.iter().copied()) {
                self.clear();
                return Err(cause.into());
            }
            let count = batch.len() as u64;
            self.evaluated += count;
            self.counted.read.fetch_add(count, Ordering::Relaxed);
            for (index, _) in batch.iter().enumerate().filter(|(_, one)| one.wants_output) {
                logits.push(self.context.logits(index)?.to_vec());
            }
        }
        Ok(logits)
    }

    /// Forgets all that stands beside the stack.
    pub(super) fn forget_copies(&mut self) {
        for sequence in COPIES {
            self.context.forget_sequence(sequence);
        }
    }

    /// Reads one more token and returns the logits after it.
    pub(super) fn push_token(&mut self, token: Token) -> Result<&[f32], Halt> {
        self.append_batch(&[token], 0)?;
        Ok(self.context.logits(0)?)
    }

    /// Forgets what was read last, down to this length, which must be the end of a batch.
    pub(super) fn cut_to(&mut self, length: usize) -> Result<(), Halt> {
        if length == self.len() {
            return Ok(());
        }
        if self.can_forget && self.context.forget_from(length) {
            self.tokens.truncate(length);
            self.ends.retain(|end| *end <= length);
            self.whole = self.whole.min(length);
            return Ok(());
        }
        // A model that cannot forget a part forgets everything, and reads the same batches again.
        let tokens = std::mem::take(&mut self.tokens);
        let ends = std::mem::take(&mut self.ends);
        self.clear();
        for end in ends.into_iter().filter(|end| *end <= length) {
            self.append_batch(&tokens[self.len()..end], usize::MAX)?;
        }
        Ok(())
    }

    /// Reads prompts of these lengths: llama.cpp's work and nothing more.
    pub(super) fn read_bare(&mut self, prompts: &[BareRead]) -> Result<(), String> {
        self.clear();
        let tokens = vec![0; self.chunk];
        for prompt in prompts {
            self.context.forget_from(prompt.kept);
            for start in (prompt.kept..prompt.length).step_by(self.chunk) {
                let end = prompt.length.min(start + self.chunk);
                self.context.use_threads(self.threads.current());
                let first_output = prompt.first.saturating_sub(start);
                self.context
                    .decode(&tokens[..end - start], start, first_output)?;
            }
            self.context.logits((prompt.length - 1) % self.chunk)?;
        }
        self.clear();
        Ok(())
    }

    /// Returns how much of a prompt need not be read when another was read before it, if its first
    /// logits are asked for here.
    pub(super) fn kept_after(&self, before: &[Token], prompt: &[Token], first: usize) -> usize {
        if self.share {
            shared_chunks(before, &prompt[..first], self.chunk)
        } else {
            0
        }
    }

    fn append_batch(&mut self, tokens: &[Token], first_output: usize) -> Result<(), Halt> {
        let start = self.len();
        self.context.use_threads(self.threads.current());
        if let Err(cause) = self.context.decode(tokens, start, first_output) {
            // Nothing is known of what the context holds now.
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

/// Returns the length of what two prompts have in common, in whole chunks.
fn shared_chunks(one: &[Token], other: &[Token], chunk: usize) -> usize {
    let pairs = one.iter().zip(other);
    let shared = pairs.take_while(|(one, other)| one == other).count();
    shared / chunk * chunk
}
