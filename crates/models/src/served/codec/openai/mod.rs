//! OpenAI's chat completions, as OpenAI and the servers that follow it speak them.

mod embeddings;
mod reply;
mod request;
mod score;
mod spelling;

pub(super) use embeddings::{decode_embeddings, encode_embeddings};
pub(super) use reply::{decode_chat, read_usage};
pub(super) use request::{encode_chat, encode_messages};
pub use score::check_scores;
pub(super) use score::{decode_score, encode_score};

use super::Dialect;
use evenhand_core::{AnswerOptions, Request, Task};

/// Returns the answers whose probabilities are asked for of this server.
fn answers_to_measure<'a>(dialect: &Dialect, request: &'a Request) -> Option<&'a AnswerOptions> {
    let Task::Generate { answers, .. } = &request.task else {
        return None;
    };
    let answers = answers.as_ref();
    answers.filter(|answers| dialect.logprobs && !answers.options.is_empty())
}
