//! What a fault does with the reply that would have been.

use crate::Fault;
use crate::http::{Response, Route};
use crate::reply::{Ending, error, verdict, without_verdict};
use crate::script::{RetryAfter, Script};
use crate::verdict::{Asked, Verdict};
use serde_json::{Value, json};

/// What is sent.
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

/// What a fault has to go by.
pub(crate) struct Scene<'a> {
    pub(crate) route: Route,
    pub(crate) asked: &'a Asked,
    pub(crate) script: &'a Script,
    pub(crate) key: Option<&'a str>,
    pub(crate) good: &'a Response,
}

/// What this fault sends.
pub(crate) fn act(fault: Fault, scene: &Scene) -> Act {
    match fault {
        Fault::ResetMidBody => Act::ThenReset(half(scene.good)),
        Fault::ResetBeforeReply => Act::ThenReset(Vec::new()),
        Fault::CloseBeforeReply => Act::ThenClose(Vec::new()),
        Fault::CloseMidBody => Act::ThenClose(half(scene.good)),
        Fault::NotHttp => Act::ThenClose(b"\x15\x03\x01 this is not HTTP\r\n\r\n".to_vec()),
        Fault::Stall => Act::Stall,
        Fault::SlowLoris => Act::Drip,
        Fault::HugeBody => Act::Flood,
        _ => Act::Whole(whole(fault, scene)),
    }
}

/// The head and half of the body that it announces.
fn half(good: &Response) -> Vec<u8> {
    let (first, _) = good.body.split_at(good.body.len() / 2);
    [good.head(good.body.len()), first.to_vec()].concat()
}

fn whole(fault: Fault, scene: &Scene) -> Response {
    status(fault, scene)
        .or_else(|| bytes(fault, scene.good))
        .unwrap_or_else(|| Response::json(200, &shape(fault, scene)))
}

/// Faults that their status tells.
fn status(fault: Fault, scene: &Scene) -> Option<Response> {
    let said = |status, code: &str, message: &str| {
        Response::json(status, &error(scene.route, status, code, message))
    };
    let too_many = || said(429, "rate_limit_exceeded", "Rate limit reached, slow down.");
    let in_a_second = RetryAfter::Seconds(1);
    Some(match fault {
        Fault::TooManyWithRetryAfter => {
            too_many().retry_after(scene.script.retry_after.as_ref().or(Some(&in_a_second)))
        }
        Fault::TooMany => too_many(),
        Fault::Quota => said(
            429,
            "insufficient_quota",
            "You exceeded your current quota.",
        ),
        Fault::Internal500 => said(500, "server_error", "The server had an error."),
        Fault::BadGateway502 => Response::html(502),
        Fault::Unavailable503 => said(503, "overloaded", "The engine is overloaded."),
        Fault::GatewayTimeout504 => Response::html(504),
        Fault::Overloaded529 => said(529, "overloaded_error", "Overloaded"),
        Fault::BadRequest400 => said(400, "invalid_value", "Unsupported value: 'top_logprobs'."),
        Fault::ContextTooLong400 => said(
            400,
            "context_length_exceeded",
            "This model's maximum context length is 8 tokens, and the messages have 9.",
        ),
        Fault::ContentFilter400 => said(
            400,
            "content_filter",
            "The response was filtered by the content management policy.",
        ),
        Fault::Unauthorized401 => unauthorized(scene.route, scene.key),
        Fault::Forbidden403 => said(403, "forbidden", "Your project may not use this model."),
        Fault::NotFound404 => said(404, "model_not_found", "The model does not exist."),
        Fault::Redirect307 => Response {
            lines: "location: /v1/elsewhere\r\n".into(),
            ..Response::html(307)
        },
        _ => return None,
    })
}

/// 401 with the key that was sent, as careless servers do.
pub(crate) fn unauthorized(route: Route, key: Option<&str>) -> Response {
    let message = format!("Incorrect API key provided: {}.", key.unwrap_or("none"));
    Response::json(401, &error(route, 401, "invalid_api_key", &message))
}

/// Faults of the body's bytes.
fn bytes(fault: Fault, good: &Response) -> Option<Response> {
    let with = |body: Vec<u8>| Response {
        body,
        ..good.clone()
    };
    let every = |from: u8, to: u8| {
        good.body
            .iter()
            .map(|byte| if *byte == from { to } else { *byte })
            .collect()
    };
    Some(match fault {
        Fault::MalformedJson => with(every(b':', b'=')),
        Fault::CutJson => with(good.body.split_at(good.body.len() / 2).0.to_vec()),
        Fault::NotUtf8 => with(every(b'l', 0xff)),
        Fault::EmptyBody => with(Vec::new()),
        Fault::Html => Response::html(200),
        _ => return None,
    })
}

/// Faults of the JSON's shape or of what it says.
fn shape(fault: Fault, scene: &Scene) -> Value {
    let Scene {
        route,
        asked,
        script,
        ..
    } = *scene;
    let without = |content, ending| without_verdict(route, asked, content, ending);
    match fault {
        Fault::WrongTypes => without(json!(42), Ending::Stop),
        Fault::NotAnObject => json!(["no", 1, "object"]),
        Fault::EmptyChoices => no_choices(without(Value::Null, Ending::Stop)),
        Fault::EmptyText => without(json!(""), Ending::Stop),
        Fault::LengthCut => verdict(
            route,
            asked,
            &Verdict::unfinished(asked, script),
            script.logprobs,
        ),
        Fault::Refusal => without(Value::Null, Ending::Refusal),
        Fault::ContentFilter => without(Value::Null, Ending::Filter),
        _ => error(
            route,
            500,
            "server_error",
            "The provider returned an error.",
        ),
    }
}

fn no_choices(mut body: Value) -> Value {
    if let Some(choices) = body.get_mut("choices") {
        *choices = json!([]);
    }
    body
}
