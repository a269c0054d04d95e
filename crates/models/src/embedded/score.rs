//! How probable a text is as the model's turn.

use super::halt::{Halt, invalid, no_numbers};
use super::llama::Token;
use super::softmax::log_sum_exp;
use super::stack::Stack;
use super::vocabulary::{Tokens, Vocabulary};
use evenhand_core::{Likelihood, Reply, Usage};
use std::ops::Range;

/// The tokens of a text that is to be scored.
pub(super) fn continuation(
    vocabulary: &Vocabulary,
    before: &Tokens,
    text: &str,
) -> Result<Vec<Token>, Halt> {
    let tokens = vocabulary.continuation(before, text);
    if tokens.is_empty() {
        Err(invalid("an empty text has no likelihood"))
    } else {
        Ok(tokens)
    }
}

/// Where each of a text's tokens ends, in bytes of the text.
///
/// Some vocabularies put a space before a text; it belongs to the first token. Where spans are to
/// be told apart and the tokens do not spell the text, as where unknown characters are dropped,
/// there is no telling.
pub(super) fn ends(
    vocabulary: &Vocabulary,
    tokens: &[Token],
    text: &str,
    apart: &[Range<usize>],
) -> Result<Vec<usize>, Halt> {
    let (mut spelt, mut ends) = (Vec::new(), Vec::new());
    for token in tokens {
        vocabulary.append_piece(*token, &mut spelt);
        ends.push(spelt.len());
    }
    if !apart.is_empty() && !spelt.ends_with(text.as_bytes()) {
        return Err(invalid(
            "this model's tokens do not spell the response: words cannot be told apart \
             (`likelihood:novel`)",
        ));
    }
    let more = spelt.len().saturating_sub(text.len());
    Ok(ends
        .into_iter()
        .map(|end| end.saturating_sub(more))
        .collect())
}

/// The log-probability of the last tokens, of which it is known where each `ends` in the text, each
/// given all before it. The token that would end the turn is not among them.
pub(super) fn score(
    stack: &mut Stack,
    tokens: &[Token],
    ends: &[usize],
    apart: &[Range<usize>],
    stopped: &dyn Fn() -> bool,
) -> Result<Reply, Halt> {
    let (mut likelihood, mut start) = (Likelihood::default(), 0);
    let prompt = tokens.len() - ends.len();
    let (_, given) = tokens.split_last().ok_or_else(no_numbers)?;
    stack.read(given, prompt - 1, stopped, &mut |position, logits| {
        let end = ends[position + 1 - prompt];
        likelihood.add(
            log_probability(logits, tokens[position + 1]),
            1,
            start..end,
            apart,
        );
        start = end;
    })?;
    if !likelihood.logprob.is_finite() {
        return Err(no_numbers());
    }
    let usage = Usage {
        prompt_tokens: tokens.len() as u64,
        ..Usage::default()
    };
    Ok(Reply {
        likelihood: Some(likelihood),
        usage,
        ..Reply::default()
    })
}

pub(super) fn log_probability(logits: &[f32], token: Token) -> f64 {
    let logit = usize::try_from(token)
        .ok()
        .and_then(|index| logits.get(index));
    logit.map_or(f64::NAN, |logit| f64::from(*logit) - log_sum_exp(logits))
}
