//! OpenAI's chat completions, as OpenAI and the servers that follow it speak them.

mod embeddings;
mod reply;
mod request;
mod score;
mod spelling;

pub(super) use embeddings::{body as embeddings_body, reply as embeddings};
pub(super) use reply::reply;
pub(super) use request::body;
pub(super) use score::{body as score_body, check as check_scores, reply as score};

use super::{Dialect, answer_options};
use evenhand_core::{AnswerOptions, Request};

/// The answers whose probabilities are asked for of this server.
fn with_probabilities<'a>(dialect: &Dialect, request: &'a Request) -> Option<&'a AnswerOptions> {
    answer_options(request).filter(|answers| dialect.logprobs && !answers.options.is_empty())
}

/// The answers to which the reply is held as JSON: where one is due at once and there are no
/// probabilities of it.
fn as_json<'a>(dialect: &Dialect, request: &'a Request) -> Option<&'a AnswerOptions> {
    let due_at_once =
        |answers: &&AnswerOptions| answers.after.trim().is_empty() && !answers.options.is_empty();
    answer_options(request)
        .filter(due_at_once)
        .filter(|_| dialect.json_schema && !dialect.logprobs)
}
