//! What is sent to a served model and how its answer is read: JSON texts in and out, and nothing
//! else.
//!
//! [`encode`] makes the body of a request, [`decode`] reads what came back: a reply, or a fault
//! that says what to do next. Neither reads a clock, a key or the network.
//!
//! ```
//! use evenhand_core::{About, AnswerOptions, Decoding, Message, Request, Task};
//! use evenhand_models::served::codec::{Dialect, WaitHint, decode, encode};
//!
//! let answers = AnswerOptions { options: vec!["A".into(), "B".into()], after: String::new() };
//! let decoding = Decoding { max_tokens: 8, temperature: 0.0, seed: 0 };
//! let request = Request {
//!     judge: "judge".into(),
//!     messages: vec![Message::user("Which is better, A or B?")],
//!     task: Task::Generate { decoding, answers: Some(answers) },
//!     sample: 0,
//!     about: About::default(),
//! };
//! let dialect = Dialect::openai("gpt-4o-mini");
//! assert!(encode(&dialect, &request).unwrap().contains("\"top_logprobs\":20"));
//!
//! let body = br#"{"choices": [{"message": {"content": "A"}, "logprobs": {"content": [
//!     {"token": "A", "logprob": -0.25, "top_logprobs": [
//!         {"token": "A", "logprob": -0.25}, {"token": "B", "logprob": -1.6094}]}]}}]}"#;
//! let reply = decode(&dialect, &request, 200, &WaitHint::default(), body).unwrap();
//! let answers = reply.answers.unwrap();
//! assert_eq!(reply.text, "A");
//! // 0.7788 and 0.2 are named; 0.0212 is left, and either may have it.
//! assert!((answers[0] - 0.7894).abs() < 1e-3 && (answers[1] - 0.2106).abs() < 1e-3);
//! assert!((reply.answers_within - 0.0106).abs() < 1e-3);
//! ```

mod answers;
mod anthropic;
mod classify;
mod dialect;
mod error_text;
mod json;
mod one_line;
mod openai;
mod reasoning;
mod retry_after;
#[cfg(test)]
mod tests;

pub use dialect::{Dialect, Scoring, Seed, SystemRole, Thinking, TokenLimit};
pub use retry_after::WaitHint;

use crate::Api;
use crate::served::fault::Fault;
use evenhand_core::{AnswerOptions, CallError, CallErrorKind, Decoding, Reply, Request, Task};

/// How many bytes of a reply are read: a client stops there, and [`decode`] calls such a reply
/// malformed.
pub const LARGEST_BODY: usize = 16 << 20;

/// The body of a request, as JSON, for [`Dialect::path`], for embeddings
/// [`Dialect::embeddings_path`], or for a text that is to be scored [`Dialect::score_path`].
///
/// Errors are [`CallErrorKind::Invalid`]: a likelihood was asked for ([`Task::Score`]), or
/// embeddings were, and the provider has none; the conversation cannot be said in the dialect; or
/// [`Dialect::extra`] replaces what is not its own.
pub fn encode(dialect: &Dialect, request: &Request) -> Result<String, CallError> {
    if let Task::Embed { pieces } = &request.task {
        return openai::embeddings_body(dialect, pieces);
    }
    let text: usize = request
        .messages
        .iter()
        .map(|message| message.content.len())
        .sum();
    let mut body = match (&request.task, dialect.api) {
        (Task::Score { continuation, .. }, _) => {
            openai::score_body(dialect, request, continuation)?
        }
        (_, Api::OpenAi) => openai::body(dialect, request, generate(request)?.0)?,
        (_, Api::Anthropic) => anthropic::body(dialect, request, generate(request)?.0)?,
    };
    if let Task::Generate { .. } = request.task {
        dialect.add_extra(&mut body)?;
    }
    let mut out = Vec::with_capacity(text + text / 16 + 512);
    // A value in memory can be written, as UTF-8.
    let _ = serde_json::to_writer(&mut out, &body);
    Ok(String::from_utf8(out).unwrap_or_default())
}

/// What a server's answer to [`encode`]'s body comes to.
///
/// A status from 200 to 299 is a reply, unless its body says otherwise; every other is a fault. No
/// bytes make it fail in another way. `told` is kept in faults that pass.
///
/// The probabilities of answers are the middles of bounds, since a server names only the likeliest
/// tokens: the module `answers` says which. They are None where the server names none, and the text
/// is left to be read.
pub fn decode(
    dialect: &Dialect,
    request: &Request,
    status: u16,
    told: &WaitHint,
    body: &[u8],
) -> Result<Reply, Fault> {
    let read = match status {
        200..=299 => reply(dialect, request, body),
        _ => Err(classify::of_status(status, body)),
    };
    read.map_err(|fault| told.add_to(fault))
}

/// Refuses a dialect in which no likelihood can be asked for ([`Task::Score`]):
/// [`CallErrorKind::Invalid`].
pub fn check_scores(dialect: &Dialect) -> Result<(), CallError> {
    openai::check_scores(dialect)
}

fn reply(dialect: &Dialect, request: &Request, body: &[u8]) -> Result<Reply, Fault> {
    let value = json::whole(body)?;
    if let Some(fault) = classify::in_reply(&value) {
        return Err(fault);
    }
    if let Task::Embed { pieces } = &request.task {
        return openai::embeddings(pieces.len(), &value);
    }
    if let Task::Score {
        continuation,
        apart,
    } = &request.task
    {
        return openai::score(dialect, continuation, apart, &value);
    }
    match dialect.api {
        Api::OpenAi => openai::reply(dialect, request, &value),
        Api::Anthropic => anthropic::reply(&value),
    }
}

fn generate(request: &Request) -> Result<(&Decoding, Option<&AnswerOptions>), CallError> {
    match &request.task {
        Task::Generate { decoding, answers } => Ok((decoding, answers.as_ref())),
        Task::Score { .. } | Task::Embed { .. } => Err(invalid(
            "nothing is written where a text is scored or embedded",
        )),
    }
}

/// The answers whose probabilities the request asks for.
fn answer_options(request: &Request) -> Option<&AnswerOptions> {
    generate(request).ok().and_then(|(_, answers)| answers)
}

fn invalid(message: impl Into<String>) -> CallError {
    CallError {
        kind: CallErrorKind::Invalid,
        message: message.into(),
    }
}
