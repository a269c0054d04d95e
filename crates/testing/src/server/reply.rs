//! Replies in OpenAI's and in Anthropic's shape.

use super::http::Route;
use super::verdict::{Asked, Token, Verdict};
use serde_json::{Value, json};

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Stop,
    Length,
    Refusal,
    Filter,
}

/// Returns the body of a reply with this verdict.
pub(super) fn verdict_body(
    route: Route,
    asked: &Asked,
    verdict: &Verdict,
    logprobs: bool,
) -> Value {
    let ending = if verdict.cut {
        Ending::Length
    } else {
        Ending::Stop
    };
    let top = asked.top.filter(|_| logprobs);
    make_body(
        route,
        asked,
        json!(verdict.text()),
        &verdict.tokens,
        ending,
        top,
    )
}

/// Returns the body of a reply with this content instead of a verdict.
pub(super) fn body_without_verdict(
    route: Route,
    asked: &Asked,
    content: Value,
    ending: Ending,
) -> Value {
    make_body(route, asked, content, &[], ending, None)
}

/// Makes a body that shows so many likely tokens at each place, if any.
fn make_body(
    route: Route,
    asked: &Asked,
    content: Value,
    tokens: &[Token],
    ending: Ending,
    top: Option<usize>,
) -> Value {
    let (prompt, completion) = (asked.count_words(), tokens.len());
    if route == Route::Messages {
        let content = match content {
            Value::Null => json!([]),
            text => json!([{"type": "text", "text": text}]),
        };
        let stop_reason = match ending {
            Ending::Stop => "end_turn",
            Ending::Length => "max_tokens",
            Ending::Refusal | Ending::Filter => "refusal",
        };
        return json!({
            "id": format!("msg_{:016x}", asked.digest()),
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "content": content,
            "stop_reason": stop_reason,
            "stop_sequence": null,
            "usage": {"input_tokens": prompt, "output_tokens": completion, "cache_read_input_tokens": 0},
        });
    }
    let refusal = (ending == Ending::Refusal).then_some("I will not judge this.");
    let logprobs = top.map(|top| {
        let content = tokens.iter().map(|token| describe_token(token, top));
        json!({"content": content.collect::<Vec<_>>(), "refusal": null})
    });
    let finish_reason = match ending {
        Ending::Stop | Ending::Refusal => "stop",
        Ending::Length => "length",
        Ending::Filter => "content_filter",
    };
    json!({
        "id": format!("chatcmpl-{:016x}", asked.digest()),
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": asked.model,
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": content, "refusal": refusal},
            "logprobs": logprobs,
            "finish_reason": finish_reason,
        }],
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

fn describe_token(token: &Token, top: usize) -> Value {
    let describe = |text: &str, logprob: f64| json!({"token": text, "logprob": logprob, "bytes": text.as_bytes()});
    let likely = token.likely.iter().take(top);
    let likely = likely.map(|(text, logprob)| describe(text, *logprob));
    let mut described = describe(&token.text, token.logprob);
    described["top_logprobs"] = likely.collect();
    described
}

/// Returns the list of models.
pub(super) fn list_models() -> Value {
    let model = |id: &str| json!({"id": id, "object": "model", "created": 1_700_000_000, "owned_by": "loopback"});
    json!({"object": "list", "data": [model("bench"), model("judge")]})
}

/// Returns an error object; `code` is OpenAI's, and Anthropic's type where it has none of its own
/// for the status.
pub(super) fn error_body(route: Route, status: u16, code: &str, message: &str) -> Value {
    let kind = match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => code,
    };
    match route {
        Route::Messages => json!({"type": "error", "error": {"type": kind, "message": message}}),
        _ => json!({"error": {"message": message, "type": kind, "param": null, "code": code}}),
    }
}
