//! The replies of faults, made of the reply that would have been.

use super::Fault;
use super::http::{Response, Route};
use super::reply::{Ending, body_without_verdict, error_body, verdict_body};
use super::script::{RetryAfter, Script};
use super::verdict::{Asked, Verdict};
use serde_json::{Value, json};

/// The bytes that are sent, and the end of the connection.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Act {
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
pub(super) struct Scene<'a> {
    pub(super) route: Route,
    pub(super) asked: &'a Asked,
    pub(super) script: &'a Script,
    pub(super) key: Option<&'a str>,
    pub(super) good: &'a Response,
}

/// Returns what this fault sends.
pub(super) fn act_out(fault: Fault, scene: &Scene) -> Act {
    let good = scene.good;
    // The head and half of the body that it announces.
    let half = || [good.head(good.body.len()), first_half(&good.body)].concat();
    match fault {
        Fault::ResetMidBody => Act::ThenReset(half()),
        Fault::ResetBeforeReply => Act::ThenReset(Vec::new()),
        Fault::CloseBeforeReply => Act::ThenClose(Vec::new()),
        Fault::CloseMidBody => Act::ThenClose(half()),
        Fault::NotHttp => Act::ThenClose(b"\x15\x03\x01 this is not HTTP\r\n\r\n".to_vec()),
        Fault::Stall => Act::Stall,
        Fault::SlowLoris => Act::Drip,
        Fault::HugeBody => Act::Flood,
        _ => Act::Whole(whole_reply(fault, scene)),
    }
}

fn first_half(bytes: &[u8]) -> Vec<u8> {
    let (first, _) = bytes.split_at(bytes.len() / 2);
    first.to_vec()
}

fn whole_reply(fault: Fault, scene: &Scene) -> Response {
    let (route, asked, good) = (scene.route, scene.asked, scene.good);
    let refuse = |status, code: &str, message: &str| {
        Response::json(status, &error_body(route, status, code, message))
    };
    let spoil = |body| Response {
        body,
        ..good.clone()
    };
    let say =
        |content, ending| Response::json(200, &body_without_verdict(route, asked, content, ending));
    let too_many = || refuse(429, "rate_limit_exceeded", "Rate limit reached, slow down.");
    match fault {
        // What the status tells.
        Fault::TooMany => too_many(),
        Fault::TooManyWithRetryAfter => {
            let usual = RetryAfter::Seconds(1);
            let after = scene.script.retry_after.as_ref().unwrap_or(&usual);
            too_many().retry_after(Some(after))
        }
        Fault::Quota => refuse(
            429,
            "insufficient_quota",
            "You exceeded your current quota.",
        ),
        Fault::Internal500 => refuse(500, "server_error", "The server had an error."),
        Fault::Unavailable503 => refuse(503, "overloaded", "The engine is overloaded."),
        Fault::Overloaded529 => refuse(529, "overloaded_error", "Overloaded"),
        Fault::BadRequest400 => refuse(400, "invalid_value", "Unsupported value: 'top_logprobs'."),
        Fault::ContextTooLong400 => {
            let reason =
                "This model's maximum context length is 8 tokens, and the messages have 9.";
            refuse(400, "context_length_exceeded", reason)
        }
        Fault::ContentFilter400 => {
            let reason = "The response was filtered by the content management policy.";
            refuse(400, "content_filter", reason)
        }
        Fault::Forbidden403 => refuse(403, "forbidden", "Your project may not use this model."),
        Fault::NotFound404 => refuse(404, "model_not_found", "The model does not exist."),
        Fault::BadGateway502 => Response::html(502),
        Fault::GatewayTimeout504 => Response::html(504),
        Fault::Unauthorized401 => unauthorized(route, scene.key),
        Fault::Redirect307 => Response {
            lines: "location: /v1/elsewhere\r\n".into(),
            ..Response::html(307)
        },
        // The body's bytes.
        Fault::MalformedJson => spoil(replace_byte(&good.body, b':', b'=')),
        Fault::CutJson => spoil(first_half(&good.body)),
        Fault::NotUtf8 => spoil(replace_byte(&good.body, b'l', 0xff)),
        Fault::EmptyBody => spoil(Vec::new()),
        Fault::Html => Response::html(200),
        // The JSON's shape, or what it says.
        Fault::WrongTypes => say(json!(42), Ending::Stop),
        Fault::NotAnObject => Response::json(200, &json!(["no", 1, "object"])),
        Fault::EmptyChoices => {
            let mut body = body_without_verdict(route, asked, Value::Null, Ending::Stop);
            if let Some(choices) = body.get_mut("choices") {
                *choices = json!([]);
            }
            Response::json(200, &body)
        }
        Fault::EmptyText => say(json!(""), Ending::Stop),
        Fault::LengthCut => {
            // The tokens ran out within the verdict.
            let cut = Verdict::unfinished(asked, scene.script);
            let body = verdict_body(route, asked, &cut, scene.script.logprobs);
            Response::json(200, &body)
        }
        Fault::Refusal => say(Value::Null, Ending::Refusal),
        Fault::ContentFilter => say(Value::Null, Ending::Filter),
        // An error with a status of success; the others are none that ends in a whole reply.
        _ => {
            let message = "The provider returned an error.";
            Response::json(200, &error_body(route, 500, "server_error", message))
        }
    }
}

/// Returns 401 with the key that was sent, as careless servers do.
pub(super) fn unauthorized(route: Route, key: Option<&str>) -> Response {
    let message = format!("Incorrect API key provided: {}.", key.unwrap_or("none"));
    Response::json(401, &error_body(route, 401, "invalid_api_key", &message))
}

fn replace_byte(bytes: &[u8], from: u8, to: u8) -> Vec<u8> {
    bytes
        .iter()
        .map(|byte| if *byte == from { to } else { *byte })
        .collect()
}
