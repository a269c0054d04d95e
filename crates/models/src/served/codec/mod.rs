//! Encodes requests for served models and decodes their answers: JSON texts in and out, and nothing
//! else.
//!
//! [`encode`] makes the body of a request, [`decode`] reads what came back: a reply, or a fault
//! that says what to do next. Neither reads a clock, a key or the network.
//!
//! ```
//! use evenhand_core::{About, AnswerOptions, Decoding, Message, Request, Task};
//! use evenhand_models::served::codec::{Dialect, decode, encode};
//!
//! let answers = AnswerOptions { options: vec!["A".into(), "B".into()], after: String::new() };
//! let decoding = Decoding::greedy(8);
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
//! let reply = decode(&dialect, &request, 200, None, body).unwrap();
//! let answers = reply.answers.unwrap();
//! assert_eq!(reply.text, "A");
//! // 0.7788 and 0.2 are named; 0.0212 is left, and either may have it.
//! assert!((answers[0] - 0.7894).abs() < 1e-3 && (answers[1] - 0.2106).abs() < 1e-3);
//! assert!((reply.answers_within - 0.0106).abs() < 1e-3);
//! ```

mod answers;
mod anthropic;
mod classify;
mod decisions;
mod dialect;
mod error_text;
mod json;
mod openai;
mod reasoning;
mod retry_after;
mod reward;
#[cfg(test)]
mod tests;

pub use dialect::{Dialect, RewardWay, Scoring, Seed, SystemRole, Thinking, TokenLimit};
pub use openai::check_scores;
pub use retry_after::read_wait;

use crate::Api;
use crate::identity::invalid;
use crate::served::fault::{Fault, FaultKind};
use evenhand_core::{Answerer, CallError, Reply, Request, Task};
use serde_json::Value;
use std::time::Duration;

/// How many bytes of a reply are read: a client stops there, and [`decode`] calls such a reply
/// malformed.
pub const LARGEST_BODY: usize = 16 << 20;

/// Makes the body of a request, as JSON, for [`Dialect::path`], for embeddings
/// [`Dialect::embeddings_path`], or for a text that is to be scored [`Dialect::score_path`].
///
/// # Errors
///
/// [`CallErrorKind::Invalid`] if a likelihood was asked for ([`Task::Score`]), or embeddings were,
/// and the provider has none; if the conversation cannot be said in the dialect; or if
/// [`Dialect::extra`] replaces what is not its own.
pub fn encode(dialect: &Dialect, request: &Request) -> Result<String, CallError> {
    let mut body = match &request.task {
        Task::Decide { .. } => return encode_together(dialect, &[request]),
        _ if dialect.api.decides() => decisions::encode(dialect, &[request])?,
        Task::Reward => reward::encode(dialect, request)?,
        _ if dialect.api == Api::Reward => return Err(invalid(reward::WRITES_NOTHING)),
        Task::SideBySide { .. } => return Err(invalid(NOT_SIDE_BY_SIDE)),
        Task::Embed { pieces } => return openai::encode_embeddings(dialect, pieces),
        Task::Score { depths, .. } if !depths.is_empty() => return Err(invalid(NO_STATES)),
        Task::Score { continuation, .. } => openai::encode_score(dialect, request, continuation)?,
        Task::Generate { decoding, .. } => match dialect.api {
            Api::Anthropic => anthropic::encode_chat(dialect, request, decoding)?,
            _ => openai::encode_chat(dialect, request, decoding),
        },
    };
    if let Task::Generate { .. } | Task::Reward = request.task {
        dialect.add_extra(&mut body)?;
    }
    let text: usize = request
        .messages
        .iter()
        .map(|message| message.content.len())
        .sum();
    let mut out = Vec::with_capacity(text + text / 16 + 512);
    // A value in memory can be written, as UTF-8.
    let _ = serde_json::to_writer(&mut out, &body);
    Ok(String::from_utf8(out).unwrap_or_default())
}

const NO_STATES: &str = "a server does not show what the layers of its model put out: a head needs \
                         a GGUF model on this machine";
const NOT_SIDE_BY_SIDE: &str = "a server reads one prompt after the other, so that responses \
                                cannot be read side by side; use swap:average";

/// Makes the one body that asks several questions about one state ([`Task::Decide`]).
///
/// # Errors
///
/// [`CallErrorKind::Invalid`](evenhand_core::CallErrorKind::Invalid) for requests that are no
/// questions, or about different states, and for a dialect that is no decision API's.
pub fn encode_together(dialect: &Dialect, requests: &[&Request]) -> Result<String, CallError> {
    let mut body = decisions::encode(dialect, requests)?;
    dialect.add_extra(&mut body)?;
    Ok(Value::Object(body).to_string())
}

/// Reads a server's answer to [`encode`]'s body.
///
/// A status from 200 to 299 is a reply, unless its body says otherwise; every other is a fault.
/// `wait`, which the answer's headers ask for, is kept in transient faults.
///
/// The probabilities of answers are the middles of bounds, since a server names only the likeliest
/// tokens: the module `answers` says which. They are None where the server names none, and the text
/// is left to be read.
///
/// # Errors
///
/// The [`Fault`] that the answer is. No bytes make it fail in another way.
pub fn decode(
    dialect: &Dialect,
    request: &Request,
    status: u16,
    wait: Option<Duration>,
    body: &[u8],
) -> Result<Reply, Fault> {
    let replies = decode_together(dialect, &[request], status, wait, body)?;
    let first = replies.into_iter().next();
    first.ok_or_else(|| json::malformed("the reply answers nothing"))
}

/// Reads a server's answer to [`encode_together`]'s body: a reply for each of these requests.
/// Several requests are questions about one state; any other is alone.
///
/// # Errors
///
/// As [`decode`]; a question without an answer leaves the others without one too.
pub fn decode_together(
    dialect: &Dialect,
    requests: &[&Request],
    status: u16,
    wait: Option<Duration>,
    body: &[u8],
) -> Result<Vec<Reply>, Fault> {
    let read = match status {
        200..=299 => decode_replies(dialect, requests, body),
        _ => Err(classify::classify_status(status, body)),
    };
    read.map_err(|fault| {
        let advice = decisions::advise(dialect, status, &fault.message)
            .or_else(|| reward::advise(dialect, status, &fault.message))
            .filter(|_| !(200..300).contains(&status));
        Fault {
            // Where waiting can help.
            retry_after: wait
                .or(fault.retry_after)
                .filter(|_| fault.kind.is_transient()),
            // Who asks the wrong kind of server asks it so with every prompt.
            kind: match fault.kind {
                FaultKind::Rejected if advice.is_some() => FaultKind::NotFound,
                kind => kind,
            },
            message: match advice {
                Some(advice) => format!("{}; {advice}", fault.message),
                None => fault.message,
            },
        }
    })
}

fn decode_replies(
    dialect: &Dialect,
    requests: &[&Request],
    body: &[u8],
) -> Result<Vec<Reply>, Fault> {
    let value = json::parse_body(body)?;
    if let Some(fault) = classify::find_error_in_reply(&value) {
        return Err(fault);
    }
    let mut replies = match requests {
        [request] if !matches!(request.task, Task::Decide { .. }) => {
            vec![match (&request.task, dialect.api) {
                (Task::Embed { pieces }, _) => openai::decode_embeddings(pieces.len(), &value),
                (
                    Task::Score {
                        continuation,
                        apart,
                        ..
                    },
                    _,
                ) => openai::decode_score(dialect, continuation, apart, &value),
                (Task::Reward, _) => reward::decode(dialect, &value),
                (_, Api::Anthropic) => anthropic::decode_chat(&value),
                _ => openai::decode_chat(dialect, request, &value),
            }?]
        }
        questions => decisions::decode(dialect, questions, &value)?,
    };
    let answered_by = read_answerer(&value);
    for reply in &mut replies {
        reply.answered_by.clone_from(&answered_by);
    }
    Ok(replies)
}

/// Reads who answered: all APIs say it in the same fields, if at all.
fn read_answerer(value: &json::Json) -> Option<Answerer> {
    let field = |pointer| {
        let line = json::one_line(json::text(value, pointer)?);
        (!line.is_empty()).then_some(line)
    };
    Some(Answerer {
        model: field("/model")?,
        fingerprint: field("/system_fingerprint"),
    })
}
