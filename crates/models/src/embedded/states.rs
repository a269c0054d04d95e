//! A text's likelihood together with what inner layers make of it.

use super::halt::{Halt, invalid, no_numbers};
use super::llama::{Token, Weights};
use super::llama_options::Output;
use super::lone_context::LoneContext;
use super::score::log_probability;
use super::threads::Threads;
use evenhand_core::{Embeddings, Likelihood, Reply, Usage};
use std::ops::Range;
use std::sync::Arc;

/// How many tokens a prompt and the text that is scored may have together, where states are wanted.
const MOST_TOKENS: u32 = 2048;

/// Reads texts for their states, in a context of its own.
pub(super) struct StateReader {
    weights: Arc<Weights>,
    context: LoneContext,
    /// How many tokens were read.
    pub(super) evaluated: u64,
}

/// A text that is scored, as tokens: those of all that is given, of which it is the end.
pub(super) struct ScoredText<'a> {
    pub(super) tokens: &'a [Token],
    /// Where each of the text's own tokens ends, in bytes of the text.
    pub(super) ends: &'a [usize],
    /// The spans that are summed up apart.
    pub(super) apart: &'a [Range<usize>],
    /// How deep the states are wanted, in percent of the layers.
    pub(super) depths: &'a [u8],
}

impl StateReader {
    /// Makes a reader for these weights, in a context of at most `length` tokens.
    pub(super) fn new(weights: Arc<Weights>, length: u32, chunk: u32, threads: Threads) -> Self {
        let window = length.min(MOST_TOKENS);
        let sizes = [window, chunk.min(window)];
        StateReader {
            context: LoneContext::new(weights.clone(), sizes, Output::Tapped, threads),
            weights,
            evaluated: 0,
        }
    }

    /// Returns how many tokens may be read for one text.
    pub(super) fn window(&self) -> usize {
        self.context.window as usize
    }

    /// Returns the text's log-probability, as a score does, and for each depth the mean over its
    /// tokens of the state after that layer.
    ///
    /// The text is read by itself from its first token on, in the same chunks whatever was read
    /// before: so its states depend on nothing else.
    pub(super) fn read(
        &mut self,
        text: &ScoredText,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Reply, Halt> {
        let ScoredText { tokens, ends, .. } = *text;
        let prompt = tokens.len() - ends.len();
        let layers = find_layers(text.depths, self.weights.layers())?;
        let chunk = self.context.chunk as usize;
        let context = self.context.open_empty()?;
        context.listen(&layers);

        let (mut likelihood, mut spelt) = (Likelihood::default(), 0);
        let mut sums: Vec<Vec<f64>> = vec![Vec::new(); layers.len()];
        for (number, batch) in tokens.chunks(chunk).enumerate() {
            if is_stopped() {
                return Err(Halt::Stopped);
            }
            let start = number * chunk;
            // The token before the text says how probable its first one is.
            let first_output = (prompt - 1).saturating_sub(start);
            context.decode(batch, start, first_output)?;
            for index in first_output..batch.len() {
                let Some(next) = tokens.get(start + index + 1) else {
                    break;
                };
                let end = ends[start + index + 1 - prompt];
                let logprob = log_probability(context.logits(index)?, *next);
                likelihood.add(logprob, 1, spelt..end, text.apart);
                spelt = end;
            }
            let own = batch.len() - prompt.saturating_sub(start).min(batch.len());
            for (at, sum) in sums.iter_mut().enumerate().filter(|_| own > 0) {
                for state in context.last_states(at, own).ok_or_else(no_states)? {
                    sum.resize(state.len(), 0.0);
                    sum.iter_mut()
                        .zip(state)
                        .for_each(|(sum, value)| *sum += f64::from(*value));
                }
            }
        }
        self.evaluated += tokens.len() as u64;
        if !likelihood.logprob.is_finite() {
            return Err(no_numbers());
        }
        let count = ends.len() as f64;
        let means = sums.into_iter().map(|sum| {
            let mean = sum.into_iter().map(|sum| (sum / count) as f32);
            mean.collect::<Vec<f32>>()
        });
        let means: Vec<Vec<f32>> = means.collect();
        Ok(Reply {
            likelihood: Some(likelihood),
            embeddings: Some(Embeddings::new(&means).map_err(|_| no_numbers())?),
            usage: Usage::of_prompt(tokens.len() as u64),
            ..Reply::default()
        })
    }
}

/// Returns the layers at these depths, counted from 0: the last that lies wholly within the share,
/// and the first at least.
fn find_layers(depths: &[u8], layers: u32) -> Result<Vec<u32>, Halt> {
    let is_depth = |depth: &u8| (1..=100).contains(depth);
    if depths.is_empty() || !depths.iter().all(is_depth) || layers == 0 {
        return Err(invalid(
            "states are taken at depths from 1 to 100 percent of the layers",
        ));
    }
    let layer = |depth: &u8| (layers * u32::from(*depth) / 100).max(1) - 1;
    Ok(depths.iter().map(layer).collect())
}

fn no_states() -> Halt {
    invalid(
        "this model does not show what its layers put out, so that no head can be fitted to it: \
         choose a model of another architecture",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_layers_from_the_first_to_the_last() {
        assert_eq!(
            find_layers(&[25, 50, 75, 100], 30).ok(),
            Some(vec![6, 14, 21, 29])
        );
        assert_eq!(find_layers(&[1, 100], 1).ok(), Some(vec![0, 0]));
        for depths in [&[][..], &[0], &[101]] {
            assert!(find_layers(depths, 30).is_err(), "{depths:?}");
        }
        assert!(find_layers(&[50], 0).is_err());
    }
}
