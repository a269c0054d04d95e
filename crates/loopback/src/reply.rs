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
    fn of_verdict(verdict: &Verdict) -> Ending {
        if verdict.cut {
            Ending::Length
        } else {
            Ending::Stop
        }
    }

    fn openai_name(self) -> &'static str {
        match self {
            Ending::Stop | Ending::Refusal => "stop",
            Ending::Length => "length",
            Ending::Filter => "content_filter",
        }
    }

    fn anthropic_name(self) -> &'static str {
        match self {
            Ending::Stop => "end_turn",
            Ending::Length => "max_tokens",
            Ending::Refusal | Ending::Filter => "refusal",
        }
    }
}

/// A reply in the making.
struct Draft<'a> {
    asked: &'a Asked,
    content: Value,
    tokens: &'a [Token],
    ending: Ending,
    /// How many likely tokens are shown at each place, if any.
    top: Option<usize>,
}

/// Returns the body of a reply with this verdict.
pub(crate) fn verdict_body(
    route: Route,
    asked: &Asked,
    verdict: &Verdict,
    logprobs: bool,
) -> Value {
    let draft = Draft {
        asked,
        content: json!(verdict.text()),
        tokens: &verdict.tokens,
        ending: Ending::of_verdict(verdict),
        top: asked.top.filter(|_| logprobs),
    };
    draft.body(route)
}

/// Returns the body of a reply with this content instead of a verdict.
pub(crate) fn body_without_verdict(
    route: Route,
    asked: &Asked,
    content: Value,
    ending: Ending,
) -> Value {
    let draft = Draft {
        asked,
        content,
        tokens: &[],
        ending,
        top: None,
    };
    draft.body(route)
}

impl Draft<'_> {
    fn body(self, route: Route) -> Value {
        match route {
            Route::Messages => self.anthropic_body(),
            _ => self.openai_body(),
        }
    }

    fn openai_body(self) -> Value {
        json!({
            "id": format!("chatcmpl-{:016x}", self.asked.digest()),
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": self.asked.model,
            "choices": [self.openai_choice()],
            "usage": self.openai_usage(),
            "system_fingerprint": "loopback",
        })
    }

    fn openai_choice(&self) -> Value {
        let refusal = (self.ending == Ending::Refusal).then_some("I will not judge this.");
        json!({
            "index": 0,
            "message": {"role": "assistant", "content": self.content, "refusal": refusal},
            "logprobs": self.openai_logprobs(),
            "finish_reason": self.ending.openai_name(),
        })
    }

    fn openai_logprobs(&self) -> Option<Value> {
        let content = describe_tokens(self.tokens, self.top?);
        Some(json!({"content": content, "refusal": null}))
    }

    fn openai_usage(&self) -> Value {
        let (prompt, completion) = (self.asked.count_words(), self.tokens.len());
        json!({
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        })
    }

    fn anthropic_content(&self) -> Value {
        if self.content.is_null() {
            json!([])
        } else {
            json!([{"type": "text", "text": self.content}])
        }
    }

    fn anthropic_body(self) -> Value {
        let (asked, written) = (self.asked, self.tokens.len());
        json!({
            "id": format!("msg_{:016x}", asked.digest()),
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "content": self.anthropic_content(),
            "stop_reason": self.ending.anthropic_name(),
            "stop_sequence": null,
            "usage": {"input_tokens": asked.count_words(), "output_tokens": written, "cache_read_input_tokens": 0},
        })
    }
}

fn describe_tokens(tokens: &[Token], top: usize) -> Vec<Value> {
    let tokens = tokens.iter();
    tokens.map(|token| describe_token(token, top)).collect()
}

fn describe_token(token: &Token, top: usize) -> Value {
    let mut described = describe_likely(&token.text, token.logprob);
    let likely = token.likely.iter().take(top);
    described["top_logprobs"] = likely
        .map(|(text, logprob)| describe_likely(text, *logprob))
        .collect();
    described
}

fn describe_likely(text: &str, logprob: f64) -> Value {
    json!({"token": text, "logprob": logprob, "bytes": text.as_bytes()})
}

/// Returns the list of models.
pub(crate) fn list_models() -> Value {
    json!({"object": "list", "data": [describe_model("bench"), describe_model("judge")]})
}

fn describe_model(id: &str) -> Value {
    json!({"id": id, "object": "model", "created": 1_700_000_000, "owned_by": "loopback"})
}

/// Returns an error object; `code` is OpenAI's, and Anthropic's type where it has none of its own
/// for the status.
pub(crate) fn error_body(route: Route, status: u16, code: &str, message: &str) -> Value {
    let kind = error_type(status, code);
    match route {
        Route::Messages => json!({"type": "error", "error": {"type": kind, "message": message}}),
        _ => json!({"error": {"message": message, "type": kind, "param": null, "code": code}}),
    }
}

fn error_type(status: u16, code: &str) -> &str {
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
