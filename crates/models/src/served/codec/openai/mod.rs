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
use evenhand_core::{AnswerOptions, ReplySchema, Request, Task};

/// Returns the answers whose probabilities are asked for of this server.
fn answers_to_measure<'a>(dialect: &Dialect, request: &'a Request) -> Option<&'a AnswerOptions> {
    answer_options(request).filter(|answers| dialect.logprobs && !answers.options.is_empty())
}

/// Returns the schema that the request wants the reply held to.
fn schema_of(request: &Request) -> Option<&ReplySchema> {
    match &request.task {
        Task::Generate { decoding, .. } => decoding.schema.as_deref(),
        _ => None,
    }
}
