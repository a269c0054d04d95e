//! The replies of faults, made of the reply that would have been.

use crate::Fault;
use crate::http::{Response, Route};
use crate::reply::{Ending, body_without_verdict, error_body, verdict_body};
use crate::script::{RetryAfter, Script};
use crate::verdict::{Asked, Verdict};
use serde_json::{Value, json};

/// The bytes that are sent, and the end of the connection.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    /// A whole reply.
    Whole(Response),
    /// These bytes, then an orderly close.
    ThenClose(Vec<u8>),
    /// These bytes, then a reset.
    ThenReset(Vec<u8>),
    /// Nothing, until the client hangs up.
    Stall,
    /// A head, and a byte now and then.
    Drip,
    /// More than anyone wants.
    Flood,
}

/// The request that meets a fault, and the reply that would have been.
pub(crate) struct Scene<'a> {
    pub(crate) route: Route,
    pub(crate) asked: &'a Asked,
    pub(crate) script: &'a Script,
    pub(crate) key: Option<&'a str>,
    pub(crate) good: &'a Response,
}

/// Returns what this fault sends.
pub(crate) fn act_out(fault: Fault, scene: &Scene) -> Act {
    match fault {
        Fault::ResetMidBody => Act::ThenReset(half_of(scene.good)),
        Fault::ResetBeforeReply => Act::ThenReset(Vec::new()),
        Fault::CloseBeforeReply => Act::ThenClose(Vec::new()),
        Fault::CloseMidBody => Act::ThenClose(half_of(scene.good)),
        Fault::NotHttp => Act::ThenClose(b"\x15\x03\x01 this is not HTTP\r\n\r\n".to_vec()),
        Fault::Stall => Act::Stall,
        Fault::SlowLoris => Act::Drip,
        Fault::HugeBody => Act::Flood,
        _ => Act::Whole(whole_reply(fault, scene)),
    }
}

/// Returns the head and half of the body that it announces.
fn half_of(good: &Response) -> Vec<u8> {
    [good.head(good.body.len()), first_half(&good.body)].concat()
}

fn first_half(bytes: &[u8]) -> Vec<u8> {
    let (first, _) = bytes.split_at(bytes.len() / 2);
    first.to_vec()
}

fn whole_reply(fault: Fault, scene: &Scene) -> Response {
    error_status(fault, scene)
        .or_else(|| spoil_bytes(fault, scene.good))
        .unwrap_or_else(|| Response::json(200, &odd_body(fault, scene)))
}

/// An error with a status of its own.
struct Refusal {
    status: u16,
    code: &'static str,
    message: &'static str,
}

impl Refusal {
    fn response(&self, route: Route) -> Response {
        let body = error_body(route, self.status, self.code, self.message);
        Response::json(self.status, &body)
    }
}

const TOO_MANY: Refusal = Refusal {
    status: 429,
    code: "rate_limit_exceeded",
    message: "Rate limit reached, slow down.",
};

/// Returns the reply of a fault that its status tells.
fn error_status(fault: Fault, scene: &Scene) -> Option<Response> {
    if let Some(refusal) = refusal_of(fault) {
        return Some(refusal.response(scene.route));
    }
    Some(match fault {
        Fault::TooManyWithRetryAfter => {
            let usual = RetryAfter::Seconds(1);
            let after = scene.script.retry_after.as_ref().unwrap_or(&usual);
            TOO_MANY.response(scene.route).retry_after(Some(after))
        }
        Fault::BadGateway502 => Response::html(502),
        Fault::GatewayTimeout504 => Response::html(504),
        Fault::Unauthorized401 => unauthorized(scene.route, scene.key),
        Fault::Redirect307 => Response {
            lines: "location: /v1/elsewhere\r\n".into(),
            ..Response::html(307)
        },
        _ => return None,
    })
}

fn refusal_of(fault: Fault) -> Option<Refusal> {
    let (status, code, message) = match fault {
        Fault::TooMany => return Some(TOO_MANY),
        Fault::Quota => (
            429,
            "insufficient_quota",
            "You exceeded your current quota.",
        ),
        Fault::Internal500 => (500, "server_error", "The server had an error."),
        Fault::Unavailable503 => (503, "overloaded", "The engine is overloaded."),
        Fault::Overloaded529 => (529, "overloaded_error", "Overloaded"),
        Fault::BadRequest400 => (400, "invalid_value", "Unsupported value: 'top_logprobs'."),
        Fault::ContextTooLong400 => (
            400,
            "context_length_exceeded",
            "This model's maximum context length is 8 tokens, and the messages have 9.",
        ),
        Fault::ContentFilter400 => (
            400,
            "content_filter",
            "The response was filtered by the content management policy.",
        ),
        Fault::Forbidden403 => (403, "forbidden", "Your project may not use this model."),
        Fault::NotFound404 => (404, "model_not_found", "The model does not exist."),
        _ => return None,
    };
    Some(Refusal {
        status,
        code,
        message,
    })
}

/// Returns 401 with the key that was sent, as careless servers do.
pub(crate) fn unauthorized(route: Route, key: Option<&str>) -> Response {
    let message = format!("Incorrect API key provided: {}.", key.unwrap_or("none"));
    Response::json(401, &error_body(route, 401, "invalid_api_key", &message))
}

/// Returns the reply of a fault of the body's bytes.
fn spoil_bytes(fault: Fault, good: &Response) -> Option<Response> {
    let body = match fault {
        Fault::MalformedJson => replace_byte(&good.body, b':', b'='),
        Fault::CutJson => first_half(&good.body),
        Fault::NotUtf8 => replace_byte(&good.body, b'l', 0xff),
        Fault::EmptyBody => Vec::new(),
        Fault::Html => return Some(Response::html(200)),
        _ => return None,
    };
    Some(Response {
        body,
        ..good.clone()
    })
}

fn replace_byte(bytes: &[u8], from: u8, to: u8) -> Vec<u8> {
    bytes
        .iter()
        .map(|byte| if *byte == from { to } else { *byte })
        .collect()
}

/// Returns the body of a fault of the JSON's shape or of what it says.
fn odd_body(fault: Fault, scene: &Scene) -> Value {
    let (route, asked) = (scene.route, scene.asked);
    let without = |content, ending| body_without_verdict(route, asked, content, ending);
    match fault {
        Fault::WrongTypes => without(json!(42), Ending::Stop),
        Fault::NotAnObject => json!(["no", 1, "object"]),
        Fault::EmptyChoices => empty_choices(without(Value::Null, Ending::Stop)),
        Fault::EmptyText => without(json!(""), Ending::Stop),
        Fault::LengthCut => cut_body(scene),
        Fault::Refusal => without(Value::Null, Ending::Refusal),
        Fault::ContentFilter => without(Value::Null, Ending::Filter),
        _ => error_in_body(route),
    }
}

/// Returns a reply whose tokens ran out within the verdict.
fn cut_body(scene: &Scene) -> Value {
    let cut = Verdict::unfinished(scene.asked, scene.script);
    verdict_body(scene.route, scene.asked, &cut, scene.script.logprobs)
}

/// Returns an error that is sent with a status of success.
fn error_in_body(route: Route) -> Value {
    let message = "The provider returned an error.";
    error_body(route, 500, "server_error", message)
}

fn empty_choices(mut body: Value) -> Value {
    if let Some(choices) = body.get_mut("choices") {
        *choices = json!([]);
    }
    body
}
