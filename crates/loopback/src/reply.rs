//! Replies in OpenAI's and in Anthropic's shape.

use crate::http::Route;
use crate::verdict::{Asked, Token, Verdict};
use serde_json::{Value, json};

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Stop,
    Length,
    Refusal,
    Filter,
}

impl Ending {
    fn openai(self) -> &'static str {
        match self {
            Ending::Stop | Ending::Refusal => "stop",
            Ending::Length => "length",
            Ending::Filter => "content_filter",
        }
    }

    fn anthropic(self) -> &'static str {
        match self {
            Ending::Stop => "end_turn",
            Ending::Length => "max_tokens",
            Ending::Refusal | Ending::Filter => "refusal",
        }
    }
}

/// The body of a reply with this verdict.
pub(crate) fn verdict(route: Route, asked: &Asked, verdict: &Verdict, logprobs: bool) -> Value {
    let ending = if verdict.cut {
        Ending::Length
    } else {
        Ending::Stop
    };
    let top = asked.top.filter(|_| logprobs);
    body(
        route,
        asked,
        json!(verdict.text()),
        &verdict.tokens,
        ending,
        top,
    )
}

/// The body of a reply with this content instead of a verdict.
pub(crate) fn without_verdict(
    route: Route,
    asked: &Asked,
    content: Value,
    ending: Ending,
) -> Value {
    body(route, asked, content, &[], ending, None)
}

fn body(
    route: Route,
    asked: &Asked,
    content: Value,
    tokens: &[Token],
    ending: Ending,
    top: Option<usize>,
) -> Value {
    match route {
        Route::Messages => anthropic(asked, content, tokens, ending),
        _ => openai(asked, content, tokens, ending, top),
    }
}

fn openai(
    asked: &Asked,
    content: Value,
    tokens: &[Token],
    ending: Ending,
    top: Option<usize>,
) -> Value {
    let (prompt, completion) = (asked.words(), tokens.len());
    let refusal = (ending == Ending::Refusal).then_some("I will not judge this.");
    let content_tokens = |top| {
        tokens
            .iter()
            .map(|token| described(token, top))
            .collect::<Vec<Value>>()
    };
    let choice = json!({
        "index": 0,
        "message": {"role": "assistant", "content": content, "refusal": refusal},
        "logprobs": top.map(|top| json!({"content": content_tokens(top), "refusal": null})),
        "finish_reason": ending.openai(),
    });
    json!({
        "id": format!("chatcmpl-{:016x}", asked.digest()),
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": asked.model,
        "choices": [choice],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        },
        "system_fingerprint": "loopback",
    })
}

fn described(token: &Token, top: usize) -> Value {
    let one = |text: &str, logprob: f64| json!({"token": text, "logprob": logprob, "bytes": text.as_bytes()});
    let mut described = one(&token.text, token.logprob);
    described["top_logprobs"] = token
        .likely
        .iter()
        .take(top)
        .map(|(text, logprob)| one(text, *logprob))
        .collect();
    described
}

fn anthropic(asked: &Asked, content: Value, tokens: &[Token], ending: Ending) -> Value {
    let content = if content.is_null() {
        json!([])
    } else {
        json!([{"type": "text", "text": content}])
    };
    json!({
        "id": format!("msg_{:016x}", asked.digest()),
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": content,
        "stop_reason": ending.anthropic(),
        "stop_sequence": null,
        "usage": {"input_tokens": asked.words(), "output_tokens": tokens.len(), "cache_read_input_tokens": 0},
    })
}

/// The list of models.
pub(crate) fn models() -> Value {
    let model = |id: &str| json!({"id": id, "object": "model", "created": 1_700_000_000, "owned_by": "loopback"});
    json!({"object": "list", "data": [model("bench"), model("judge")]})
}

/// An error object; `code` is OpenAI's, and Anthropic's type where it has none of its own for the
/// status.
pub(crate) fn error(route: Route, status: u16, code: &str, message: &str) -> Value {
    let kind = kind(status, code);
    match route {
        Route::Messages => json!({"type": "error", "error": {"type": kind, "message": message}}),
        _ => json!({"error": {"message": message, "type": kind, "param": null, "code": code}}),
    }
}

fn kind(status: u16, code: &str) -> &str {
    match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => code,
    }
}
