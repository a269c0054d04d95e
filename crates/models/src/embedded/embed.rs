//! Vectors for texts: the mean of a text's token states.
//!
//! The state of a token is what the last layer makes of it after its norm, before it becomes
//! logits. Each text is read by itself, so its vector does not depend on the others of its request;
//! the same holds for threads, since nothing is shared between texts.

use super::halt::{Halt, invalid, no_numbers};
use super::llama::{Context, Token, Weights};
use super::threads::Threads;
use super::vocabulary::Vocabulary;
use evenhand_core::{Embeddings, Reply, Usage};
use std::sync::Arc;

/// How many tokens are read in one go, that which texts begin with included where the model wants
/// one, which is not part of the mean. Of a longer text, each stretch that fits is read by itself,
/// and the mean is over all of them.
const WINDOW: u32 = 512;

/// A context of its own, made when the first embedding is asked for: few judges are asked for any.
pub(super) struct Embedder {
    weights: Arc<Weights>,
    context: Option<Context>,
    window: u32,
    chunk: u32,
    threads: Threads,
    evaluated: u64,
}

/// The tokens of each text, with none that is more than text among them.
pub(super) fn tokens(vocabulary: &Vocabulary, pieces: &[String]) -> Result<Vec<Vec<Token>>, Halt> {
    let tokens: Vec<Vec<Token>> = pieces.iter().map(|piece| vocabulary.plain(piece)).collect();
    if tokens.is_empty() || tokens.iter().any(Vec::is_empty) {
        return Err(invalid("an empty text has no embedding"));
    }
    Ok(tokens)
}

impl Embedder {
    /// For these weights, in a context of at most `length` tokens.
    pub(super) fn new(
        weights: Arc<Weights>,
        length: u32,
        chunk: u32,
        threads: Threads,
    ) -> Embedder {
        let window = length.min(WINDOW);
        Embedder {
            weights,
            context: None,
            window,
            chunk: chunk.min(window),
            threads,
            evaluated: 0,
        }
    }

    /// How many tokens were read.
    pub(super) fn evaluated(&self) -> u64 {
        self.evaluated
    }

    /// The mean state of each of the texts, which have so many of these tokens one after the other.
    pub(super) fn embed(
        &mut self,
        tokens: &[Token],
        pieces: &[usize],
        stopped: &dyn Fn() -> bool,
    ) -> Result<Reply, Halt> {
        let mut vectors = Vec::with_capacity(pieces.len());
        let mut rest = tokens;
        for &length in pieces {
            let (piece, behind) = rest.split_at_checked(length).ok_or_else(no_numbers)?;
            vectors.push(self.mean(piece, stopped)?);
            rest = behind;
        }
        let embeddings = Embeddings::new(&vectors).map_err(|_| no_numbers())?;
        let usage = Usage {
            prompt_tokens: tokens.len() as u64,
            ..Usage::default()
        };
        Ok(Reply {
            embeddings: Some(embeddings),
            usage,
            ..Reply::default()
        })
    }

    fn mean(&mut self, piece: &[Token], stopped: &dyn Fn() -> bool) -> Result<Vec<f32>, Halt> {
        let mut sum: Vec<f64> = Vec::new();
        let first: Vec<Token> = self.weights.first_token().into_iter().collect();
        for stretch in piece.chunks(self.window as usize - first.len()) {
            self.read(
                &[&first, stretch].concat(),
                stopped,
                &mut |position, state| {
                    if position >= first.len() {
                        sum.resize(state.len(), 0.0);
                        sum.iter_mut()
                            .zip(state)
                            .for_each(|(sum, value)| *sum += f64::from(*value));
                    }
                },
            )?;
        }
        Ok(sum
            .into_iter()
            .map(|sum| (sum / piece.len() as f64) as f32)
            .collect())
    }

    /// Reads tokens with nothing before them, and gives `each` the state of each of them.
    fn read(
        &mut self,
        tokens: &[Token],
        stopped: &dyn Fn() -> bool,
        each: &mut dyn FnMut(usize, &[f32]),
    ) -> Result<(), Halt> {
        let threads = self.threads.now();
        let context = match &mut self.context {
            Some(context) => context,
            none => none.insert(Context::of_states(
                self.weights.clone(),
                self.window,
                self.chunk,
                self.threads.most(),
            )?),
        };
        context.forget();
        context.use_threads(threads);
        for (number, chunk) in tokens.chunks(self.chunk as usize).enumerate() {
            if stopped() {
                return Err(Halt::Stopped);
            }
            let start = number * self.chunk as usize;
            context.decode(chunk, start, 0)?;
            self.evaluated += chunk.len() as u64;
            (0..chunk.len()).try_for_each(|index| {
                context.state(index).map(|state| each(start + index, state))
            })?;
        }
        Ok(())
    }
}
