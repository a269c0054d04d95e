//! Vectors for texts: the mean of a text's token states, or the vector that a sentence-embedding
//! model pools by itself. And the number that a model made for that gives an answer.
//!
//! The state of a token is what the last layer makes of it after its norm, before it becomes
//! logits. Each text is read by itself, so its vector does not depend on the others of its request;
//! the same holds for threads, since nothing is shared between texts.

use super::halt::{Halt, invalid, no_numbers};
use super::llama::{Token, Weights};
use super::llama_options::Output;
use super::lone_context::LoneContext;
use super::threads::Threads;
use super::vocabulary::Vocabulary;
use evenhand_core::{Embeddings, Reply, Usage, check_reward};
use std::sync::Arc;

/// How many tokens are read in one go, that which texts begin with included where the model wants
/// one, which is not part of the mean. Of a longer text, each stretch that fits is read by itself,
/// and the mean is over all of them.
const WINDOW: u32 = 512;

/// How many tokens a question and its answer may have together, where a number is asked for: they
/// are read in one go, and memory grows with the square of that.
const SCORED: u32 = 2048;

/// How the states of a text's tokens become one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// Their mean, for models that were made to write.
    MeanOfStates,
    /// The model's own, as its file says, for models that were made to embed.
    OfModel,
    /// They become a number, in models that were made to score an answer.
    Score,
}

/// Reads texts for their vectors, in a context of its own.
pub(super) struct Embedder {
    weights: Arc<Weights>,
    /// How states become a vector.
    pub(super) pooling: Pooling,
    context: LoneContext,
    /// How many tokens were read.
    pub(super) evaluated: u64,
}

/// Returns the tokens of each text, with none that is more than text among them.
pub(super) fn tokenize_pieces(
    vocabulary: &Vocabulary,
    pooling: Pooling,
    pieces: &[String],
) -> Result<Vec<Vec<Token>>, Halt> {
    let tokenize = match pooling {
        Pooling::MeanOfStates => Vocabulary::tokenize_plain,
        Pooling::OfModel => Vocabulary::tokenize_with_unknown,
        Pooling::Score => {
            return Err(invalid(
                "this model scores answers and embeds no texts: choose a sentence-embedding model",
            ));
        }
    };
    let tokens: Vec<Vec<Token>> = pieces
        .iter()
        .map(|piece| tokenize(vocabulary, piece))
        .collect();
    if tokens.is_empty() || tokens.iter().any(Vec::is_empty) {
        return Err(invalid("an empty text has no embedding"));
    }
    Ok(tokens)
}

impl Embedder {
    /// Makes an embedder for these weights, in a context of at most `length` tokens.
    pub(super) fn new(
        weights: Arc<Weights>,
        pooling: Pooling,
        length: u32,
        chunk: u32,
        threads: Threads,
    ) -> Embedder {
        let window = match pooling {
            Pooling::Score => length.min(SCORED),
            _ => length.min(WINDOW),
        };
        let (chunk, output) = match pooling {
            Pooling::MeanOfStates => (chunk.min(window), Output::States),
            // Where every token sees all others, a text cannot be read in parts.
            Pooling::OfModel | Pooling::Score => (window, Output::Pooled),
        };
        Embedder {
            context: LoneContext::new(weights.clone(), [window, chunk], output, threads),
            weights,
            pooling,
            evaluated: 0,
        }
    }

    /// Returns how many tokens are read in one go.
    pub(super) fn window(&self) -> usize {
        self.context.window as usize
    }

    /// Returns the vector of each of the texts, which have so many of these tokens one after the
    /// other.
    pub(super) fn embed(
        &mut self,
        tokens: &[Token],
        pieces: &[usize],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Reply, Halt> {
        let mut vectors = Vec::with_capacity(pieces.len());
        let mut rest = tokens;
        for &length in pieces {
            let (piece, behind) = rest.split_at_checked(length).ok_or_else(no_numbers)?;
            vectors.push(match self.pooling {
                Pooling::MeanOfStates => self.mean_state(piece, is_stopped)?,
                Pooling::OfModel => self.pool(piece, is_stopped)?,
                Pooling::Score => return Err(no_numbers()),
            });
            rest = behind;
        }
        let embeddings = Embeddings::new(&vectors).map_err(|_| no_numbers())?;
        Ok(Reply {
            embeddings: Some(embeddings),
            usage: Usage::of_prompt(tokens.len() as u64),
            ..Reply::default()
        })
    }

    /// Returns the number that the model gives a question and its answer, whose tokens these are.
    pub(super) fn score(
        &mut self,
        tokens: &[Token],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Reply, Halt> {
        if is_stopped() {
            return Err(Halt::Stopped);
        }
        let context = self.context.open_empty()?;
        self.evaluated += tokens.len() as u64;
        context.decode(tokens, 0, 0)?;
        let score = f64::from(context.score()?);
        Ok(Reply {
            reward: Some(check_reward(score).map_err(|_| no_numbers())?),
            usage: Usage::of_prompt(tokens.len() as u64),
            ..Reply::default()
        })
    }

    /// Returns the model's own vector of a text; of a text longer than the window, the mean of the
    /// vectors of its stretches, by their lengths.
    fn pool(&mut self, piece: &[Token], is_stopped: &dyn Fn() -> bool) -> Result<Vec<f32>, Halt> {
        let first = self.weights.first_token();
        let last = self.weights.last_token();
        let around = usize::from(first.is_some()) + usize::from(last.is_some());
        let mut sum: Vec<f64> = Vec::new();
        for stretch in piece.chunks(self.window() - around) {
            if is_stopped() {
                return Err(Halt::Stopped);
            }
            let mut tokens: Vec<Token> = first.into_iter().collect();
            tokens.extend_from_slice(stretch);
            tokens.extend(last);
            let context = self.context.open_empty()?;
            self.evaluated += tokens.len() as u64;
            context.decode(&tokens, 0, 0)?;
            let weight = stretch.len() as f64 / piece.len() as f64;
            add_weighted(&mut sum, context.pooled()?, weight);
        }
        Ok(sum.into_iter().map(|sum| sum as f32).collect())
    }

    /// Returns the mean of the states of a text's tokens.
    fn mean_state(
        &mut self,
        piece: &[Token],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<f32>, Halt> {
        let mut sum: Vec<f64> = Vec::new();
        let first: Vec<Token> = self.weights.first_token().into_iter().collect();
        let length = self.context.chunk as usize;
        for stretch in piece.chunks(self.window() - first.len()) {
            let context = self.context.open_empty()?;
            let tokens = [&first, stretch].concat();
            for (number, chunk) in tokens.chunks(length).enumerate() {
                if is_stopped() {
                    return Err(Halt::Stopped);
                }
                let start = number * length;
                context.decode(chunk, start, 0)?;
                // What texts begin with is no part of the mean.
                for index in first.len().saturating_sub(start)..chunk.len() {
                    add_weighted(&mut sum, context.state(index)?, 1.0);
                }
                self.evaluated += chunk.len() as u64;
            }
        }
        let count = piece.len() as f64;
        Ok(sum.into_iter().map(|sum| (sum / count) as f32).collect())
    }
}

fn add_weighted(sum: &mut Vec<f64>, vector: &[f32], weight: f64) {
    sum.resize(vector.len(), 0.0);
    for (sum, value) in sum.iter_mut().zip(vector) {
        *sum += f64::from(*value) * weight;
    }
}
