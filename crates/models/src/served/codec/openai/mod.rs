//! OpenAI's chat completions, as OpenAI and the servers that follow it speak them.

mod embeddings;
mod reply;
mod request;
mod score;
mod spelling;

pub(super) use embeddings::{decode_embeddings, encode_embeddings};
pub(super) use reply::decode_chat;
pub(super) use request::encode_chat;
pub(super) use score::{check_scores, decode_score, encode_score};

use super::{Dialect, answer_options};
use evenhand_core::{AnswerOptions, Request};

/// Returns the answers whose probabilities are asked for of this server.
fn answers_to_measure<'a>(dialect: &Dialect, request: &'a Request) -> Option<&'a AnswerOptions> {
    answer_options(request).filter(|answers| dialect.logprobs && !answers.options.is_empty())
}

/// Returns the answers to which the reply is held as JSON: where one is due at once and there are
/// no probabilities of it.
fn answers_in_schema<'a>(dialect: &Dialect, request: &'a Request) -> Option<&'a AnswerOptions> {
    if !dialect.json_schema || dialect.logprobs {
        return None;
    }
    let answers = answer_options(request)?;
    let is_due_at_once = answers.after.trim().is_empty() && !answers.options.is_empty();
    is_due_at_once.then_some(answers)
}
