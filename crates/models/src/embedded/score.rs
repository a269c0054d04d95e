//! How probable a text is as the model's turn.

use super::halt::{Halt, invalid, no_numbers};
use super::llama::Token;
use super::softmax::log_sum_exp;
use super::stack::Stack;
use super::vocabulary::{Tokens, Vocabulary};
use evenhand_core::{Likelihood, Reply, Usage};

/// The tokens of a text that is to be scored.
pub(super) fn continuation(vocabulary: &Vocabulary, before: &Tokens, text: &str) -> Result<Vec<Token>, Halt> {
    let tokens = vocabulary.continuation(before, text);
    if tokens.is_empty() { Err(invalid("an empty text has no likelihood")) } else { Ok(tokens) }
}

/// The log-probability of the tokens from the `prompt`th on, each given all before it. The token that would end the turn is not
/// among them.
pub(super) fn score(stack: &mut Stack, tokens: &[Token], prompt: usize, stopped: &dyn Fn() -> bool) -> Result<Reply, Halt> {
    let mut logprob = 0.0;
    let (_, given) = tokens.split_last().ok_or_else(no_numbers)?;
    stack.read(given, prompt - 1, stopped, &mut |position, logits| {
        logprob += log_probability(logits, tokens[position + 1]);
    })?;
    if !logprob.is_finite() {
        return Err(no_numbers());
    }
    let scored = tokens.len() - prompt;
    let likelihood = Likelihood { logprob, tokens: u32::try_from(scored).unwrap_or(u32::MAX) };
    let usage = Usage { prompt_tokens: tokens.len() as u64, ..Usage::default() };
    Ok(Reply { likelihood: Some(likelihood), usage, ..Reply::default() })
}

pub(super) fn log_probability(logits: &[f32], token: Token) -> f64 {
    let logit = usize::try_from(token).ok().and_then(|index| logits.get(index));
    logit.map_or(f64::NAN, |logit| f64::from(*logit) - log_sum_exp(logits))
}
