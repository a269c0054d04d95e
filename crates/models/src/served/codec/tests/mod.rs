//! Requests as they are sent, and replies as servers send them.

mod decoding;
mod embeddings;
mod encoding;
mod scoring;
mod spelling;
mod strange;
mod transcripts;

use evenhand_core::{AnswerOptions, Decoding, Message, ReplySchema, Request, Task};
use std::sync::Arc;

/// A request of a judge: a system's turn and one of the person, an answer due after this text (or
/// none wanted).
pub(super) fn request(options: &[&str], after: &str) -> Request {
    let answers = AnswerOptions {
        options: options.iter().map(|option| option.to_string()).collect(),
        after: after.into(),
    };
    let decoding = Decoding::greedy(8);
    Request::new(
        "test".into(),
        vec![
            Message::system("You judge."),
            Message::user("Which is better?"),
        ],
        Task::Generate {
            decoding,
            answers: (!options.is_empty()).then_some(answers),
        },
    )
}

/// A request whose reply is held to a schema: reasoning, then one of these answers.
pub(super) fn held(options: &[&str]) -> Request {
    let mut request = request(options, "Verdict:");
    if let Task::Generate { decoding, .. } = &mut request.task {
        decoding.schema = Some(Arc::new(ReplySchema(serde_json::json!({
            "type": "object",
            "required": ["reasoning", "verdict"],
            "properties": {
                "reasoning": {"type": "string"},
                "verdict": {"type": "string", "enum": options},
            },
            "additionalProperties": false,
        }))));
    }
    request
}
