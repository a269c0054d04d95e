//! How probable a text is as the model's turn.

use super::halt::{Halt, invalid, no_numbers};
use super::llama::Token;
use super::softmax::log_sum_exp;
use super::stack::Stack;
use super::vocabulary::{Tokens, Vocabulary};
use evenhand_core::{Likelihood, Reply, Usage};
use std::ops::Range;

/// Returns the tokens of a text that is to be scored.
pub(super) fn tokenize_continuation(
    vocabulary: &Vocabulary,
    before: &Tokens,
    text: &str,
) -> Result<Vec<Token>, Halt> {
    let tokens = vocabulary.tokenize_after(before, text);
    if tokens.is_empty() {
        Err(invalid("an empty text has no likelihood"))
    } else {
        Ok(tokens)
    }
}

/// Finds where each of a text's tokens ends, in bytes of the text.
///
/// Some vocabularies put a space before a text; it belongs to the first token. Where spans are to
/// be kept apart and the tokens do not spell the text, as where unknown characters are dropped, no
/// span can be found, and the text is refused.
pub(super) fn find_ends(
    vocabulary: &Vocabulary,
    tokens: &[Token],
    text: &str,
    apart: &[Range<usize>],
) -> Result<Vec<usize>, Halt> {
    let mut spelt = Vec::new();
    let mut ends = Vec::with_capacity(tokens.len());
    for token in tokens {
        vocabulary.weights.append_piece(*token, &mut spelt);
        ends.push(spelt.len());
    }
    if !apart.is_empty() && !spelt.ends_with(text.as_bytes()) {
        return Err(invalid(
            "this model's tokens do not spell the response: words cannot be told apart \
             (`likelihood:novel`)",
        ));
    }
    let more = spelt.len().saturating_sub(text.len());
    for end in &mut ends {
        *end = end.saturating_sub(more);
    }
    Ok(ends)
}

/// Returns the log-probability of the continuation, which the tokens end with, each token given all
/// before it: the spans that are `apart` are summed up apart from the rest, and `ends` says where
/// its tokens end. The token that would end the turn is not among them.
pub(super) fn score(
    stack: &mut Stack,
    tokens: &[Token],
    ends: &[usize],
    apart: &[Range<usize>],
    is_stopped: &dyn Fn() -> bool,
) -> Result<Reply, Halt> {
    let (mut likelihood, mut start) = (Likelihood::default(), 0);
    let prompt = tokens.len() - ends.len();
    let (_, given) = tokens.split_last().ok_or_else(no_numbers)?;
    let mut add = |position: usize, logits: &[f32]| {
        let end = ends[position + 1 - prompt];
        let logprob = log_probability(logits, tokens[position + 1]);
        likelihood.add(logprob, 1, start..end, apart);
        start = end;
    };
    stack.read_prompt(given, prompt - 1, is_stopped, &mut add)?;
    if !likelihood.logprob.is_finite() {
        return Err(no_numbers());
    }
    Ok(Reply {
        likelihood: Some(likelihood),
        usage: Usage::of_prompt(tokens.len() as u64),
        ..Reply::default()
    })
}

pub(super) fn log_probability(logits: &[f32], token: Token) -> f64 {
    let logit = usize::try_from(token)
        .ok()
        .and_then(|index| logits.get(index));
    logit.map_or(f64::NAN, |logit| f64::from(*logit) - log_sum_exp(logits))
}
