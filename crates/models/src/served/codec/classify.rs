//! Which fault a server's error is.

use super::error_text::ErrorBody;
use super::json::{Json, one_line};
use crate::served::fault::{Fault, FaultKind};
use std::ops::RangeInclusive;

/// Returns the fault of an answer whose status is not one of success.
pub(super) fn classify_status(status: u16, body: &[u8]) -> Fault {
    let said = ErrorBody::read(body);
    make_fault(classify(status, &said), &format!("HTTP {status}"), &said)
}

/// Finds the fault within a reply of success: an `error`, of the whole or of its first choice.
pub(super) fn find_error_in_reply(value: &Json) -> Option<Fault> {
    let whole = [Some(value), value.pointer("/choices/0")]
        .into_iter()
        .flatten()
        .find(|part| has_error(part))?;
    let said = ErrorBody::from_json(whole);
    // An error that comes without a status has that which its kind usually has.
    let usual = || said.codes.iter().find_map(|code| usual_status_of(code));
    let status = said.status.or_else(usual).unwrap_or(500);
    Some(make_fault(
        classify(status, &said),
        "error in the reply",
        &said,
    ))
}

fn has_error(value: &Json) -> bool {
    match value.get("error") {
        Some(Json::Object(_)) => true,
        Some(Json::Text(text)) => !text.trim().is_empty(),
        _ => value.get("object").and_then(Json::as_str) == Some("error"),
    }
}

fn make_fault(kind: FaultKind, what: &str, said: &ErrorBody) -> Fault {
    let message = match one_line(&said.message) {
        message if message.is_empty() => format!("{what} with no message"),
        message => one_line(&format!("{what}: {message}")),
    };
    Fault {
        kind,
        message,
        retry_after: said.wait,
    }
}

/// Returns the kind of an error, by its words first and by its status then.
fn classify(status: u16, said: &ErrorBody) -> FaultKind {
    let message = said.start();
    let named = BY_WORDS.iter().find(|signs| {
        let is_code = |code: &String| signs.codes.contains(&code.as_str());
        let is_said = |word: &&str| message.contains(word);
        signs.statuses.contains(&status)
            && (said.codes.iter().any(is_code) || signs.words.iter().any(is_said))
    });
    if let Some(signs) = named {
        return signs.kind;
    }
    if (400..=422).contains(&status) && asks_for_too_many_tokens(said) {
        return FaultKind::TooLong;
    }
    match status {
        401..=403 => FaultKind::Denied,
        // A redirection is not followed, and another method is not known: nothing answers there.
        300..=399 | 404 | 405 => FaultKind::NotFound,
        408 | 409 | 425 => FaultKind::Server,
        413 => FaultKind::TooLong,
        429 | 503 | 529 => FaultKind::Overloaded,
        // What a server does not implement it does not implement for the next request either.
        501 => FaultKind::NotFound,
        500..=599 => FaultKind::Server,
        _ => FaultKind::Rejected,
    }
}

/// Whether an error says that the reply may not be as long as was asked for: it names the limit of
/// tokens, in any server's spelling, and says that it is too high.
fn asks_for_too_many_tokens(said: &ErrorBody) -> bool {
    let message = said.start().replace(['_', ' '], "");
    let limits = [
        "maxtokens",
        "maxcompletiontokens",
        "maxnewtokens",
        "maxoutputtokens",
        "outputtokens",
        "completiontokens",
    ];
    let too_high = [
        "toolarge",
        "greaterthanmax",
        "cannotbegreater",
        "exceed",
        "atmost",
        "<=",
        "lessthanorequal",
        "maximumallowed",
        "supportedrange",
    ];
    limits.iter().any(|limit| message.contains(limit))
        && too_high.iter().any(|words| message.contains(words))
}

fn usual_status_of(code: &str) -> Option<u16> {
    match code {
        "overloaded_error" | "service_unavailable" => Some(503),
        "rate_limit_error"
        | "rate_limit_exceeded"
        | "insufficient_quota"
        | "resource_exhausted" => Some(429),
        "authentication_error" | "invalid_api_key" | "permission_error" | "billing_error" => {
            Some(401)
        }
        "not_found_error" | "model_not_found" => Some(404),
        "invalid_request_error"
        | "badrequesterror"
        | "context_length_exceeded"
        | "exceed_context_size_error"
        | "content_filter" => Some(400),
        _ => None,
    }
}

/// The signs of a kind of error.
struct Signs {
    kind: FaultKind,
    /// The statuses it comes with.
    statuses: RangeInclusive<u16>,
    /// Whole codes.
    codes: &'static [&'static str],
    /// Parts of a message.
    words: &'static [&'static str],
}

/// The kinds that an error's words tell; the first counts.
const BY_WORDS: [Signs; 6] = [
    // OpenAI, Azure (with its inner code), OpenRouter's moderation.
    Signs {
        kind: FaultKind::Filtered,
        statuses: 400..=499,
        codes: &[
            "content_filter",
            "content_policy_violation",
            "responsibleaipolicyviolation",
        ],
        words: &[
            "content management policy",
            "content_filter",
            "content filter",
            "input was flagged",
            "requires moderation",
        ],
    },
    // OpenAI and vLLM, Anthropic, llama.cpp's server, SGLang, Gemini, xAI.
    Signs {
        kind: FaultKind::TooLong,
        statuses: 400..=500,
        codes: &[
            "context_length_exceeded",
            "exceed_context_size_error",
            "request_too_large",
            "string_above_max_length",
        ],
        words: &[
            "maximum context length",
            "prompt is too long",
            "prompt too long",
            "exceed context limit",
            "exceeds the available context size",
            "longer than the model's context length",
            "exceeds the maximum number of tokens",
            "maximum prompt length",
        ],
    },
    // An account without money never passes; some servers say 400 of a wrong key.
    Signs {
        kind: FaultKind::Denied,
        statuses: 400..=429,
        codes: &[
            "insufficient_quota",
            "billing_hard_limit_reached",
            "billing_not_active",
            "billing_error",
            "invalid_api_key",
        ],
        words: &[
            "insufficient_quota",
            "credit balance is too low",
            "insufficient balance",
            "incorrect api key",
            "api key not valid",
        ],
    },
    // Gemini speaks of billing whenever a minute's share is used up, and says when there is a new
    // one.
    Signs {
        kind: FaultKind::Overloaded,
        statuses: 429..=429,
        codes: &["resource_exhausted"],
        words: &[],
    },
    Signs {
        kind: FaultKind::Denied,
        statuses: 429..=429,
        codes: &[],
        words: &["billing"],
    },
    Signs {
        kind: FaultKind::NotFound,
        statuses: 400..=422,
        codes: &["model_not_found", "invalid_model"],
        words: &[],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use FaultKind::*;

    fn kind_of(status: u16, body: &str) -> FaultKind {
        classify_status(status, body.as_bytes()).kind
    }

    #[test]
    fn a_status_alone_says_what_kind_of_fault_it_is() {
        for (status, kind) in [
            (301, NotFound),
            (400, Rejected),
            (401, Denied),
            (402, Denied),
            (403, Denied),
            (404, NotFound),
            (408, Server),
            (409, Server),
            (413, TooLong),
            (422, Rejected),
            (425, Server),
            (429, Overloaded),
            (500, Server),
            (502, Server),
            (503, Overloaded),
            (504, Server),
            (529, Overloaded),
        ] {
            assert_eq!(kind_of(status, ""), kind, "{status}");
        }
        assert_eq!(
            classify_status(502, b"").message,
            "HTTP 502 with no message"
        );
    }

    #[test]
    fn a_prompt_that_does_not_fit_is_too_long_on_every_server() {
        for (status, body) in [
            (
                400,
                r#"{"error":{"message":"Please shorten it.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
            ),
            (
                400,
                r#"{"object":"error","message":"This model's maximum context length is 4096 tokens, you asked for 5000.","code":400}"#,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"the request is larger than the slot","type":"exceed_context_size_error"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"The input (9000 tokens) is longer than the model's context length (8192 tokens)."}}"#,
            ),
            (
                413,
                r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"max_tokens=4096 cannot be greater than max_model_len=max_total_tokens=2048. Please request fewer output tokens. (parameter=max_tokens, value=4096)","type":"BadRequestError","param":"max_tokens","code":400}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"max_tokens is too large: 9000. This model supports at most 4096 completion tokens, whereas you provided 9000.","type":"invalid_request_error","param":"max_tokens","code":null}}"#,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for this model"}}"#,
            ),
            (
                422,
                r#"{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 900 `inputs` tokens and 4096 `max_new_tokens`","error_type":"validation"}"#,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 8193 (exclusive).","status":"INVALID_ARGUMENT"}}"#,
            ),
        ] {
            assert_eq!(kind_of(status, body), TooLong, "{body}");
        }
    }

    #[test]
    fn a_limit_of_tokens_that_is_wrong_otherwise_is_a_bad_request() {
        for message in [
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            "max_tokens must be at least 1, got 0.",
            "max_tokens: Field required",
            "logprobs exceed what this model supports",
        ] {
            let body = serde_json::json!({"error": {"message": message, "code": 400}});
            assert_eq!(kind_of(400, &body.to_string()), Rejected, "{message}");
        }
    }

    #[test]
    fn a_content_filter_is_no_bad_request() {
        let azure = r#"{"error":{"message":"The response was filtered","type":null,"code":"content_filter","status":400,
            "innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#;
        assert_eq!(kind_of(400, azure), Filtered);
        assert_eq!(
            kind_of(
                400,
                r#"{"error":{"message":"It triggered Azure OpenAI's content management policy."}}"#
            ),
            Filtered
        );
        assert_eq!(
            kind_of(
                403,
                r#"{"error":{"code":403,"message":"The model requires moderation; your input was flagged"}}"#
            ),
            Filtered
        );
    }

    #[test]
    fn an_account_without_money_is_denied_and_not_asked_again() {
        let quota = r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#;
        assert_eq!(kind_of(429, quota), Denied);
        assert_eq!(
            kind_of(
                429,
                r#"{"error":{"message":"Check your plan and billing details."}}"#
            ),
            Denied
        );
        assert_eq!(
            kind_of(402, r#"{"error":{"message":"Insufficient Balance"}}"#),
            Denied
        );
        assert_eq!(
            kind_of(
                429,
                r#"{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}"#
            ),
            Overloaded
        );
    }

    #[test]
    fn geminis_rate_limit_passes_though_it_speaks_of_billing() {
        let gemini = r#"{"error":{"code":429,"message":"Quota exceeded, check your plan and billing details.",
            "status":"RESOURCE_EXHAUSTED","details":[{"@type":"x"},{"@type":"y/RetryInfo","retryDelay":"31s"}]}}"#;
        let fault = classify_status(429, gemini.as_bytes());
        assert_eq!(fault.kind, Overloaded);
        assert_eq!(fault.retry_after, Some(std::time::Duration::from_secs(31)));
    }

    #[test]
    fn a_wrong_key_or_model_is_named_whatever_the_status() {
        assert_eq!(
            kind_of(
                400,
                r#"{"error":{"code":400,"message":"API key not valid. Pass a valid one.","status":"INVALID_ARGUMENT"}}"#
            ),
            Denied
        );
        assert_eq!(
            kind_of(
                400,
                r#"{"object":"error","message":"Invalid model: x","type":"invalid_model","code":"1500"}"#
            ),
            NotFound
        );
    }

    #[test]
    fn an_error_in_a_reply_of_success_is_its_fault() {
        let kind = |body: &str| {
            find_error_in_reply(&serde_json::from_str(body).unwrap()).map(|fault| fault.kind)
        };
        assert_eq!(
            kind(r#"{"error":{"code":429,"message":"slow down"}}"#),
            Some(Overloaded)
        );
        assert_eq!(
            kind(r#"{"error":{"code":502,"message":"no provider"},"choices":[]}"#),
            Some(Server)
        );
        assert_eq!(kind(r#"{"error":"something broke"}"#), Some(Server));
        assert_eq!(
            kind(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
            Some(Overloaded)
        );
        assert_eq!(
            kind(r#"{"object":"error","message":"maximum context length is 10","code":400}"#),
            Some(TooLong)
        );
        assert_eq!(
            kind(
                r#"{"choices":[{"error":{"code":503,"message":"gone"},"finish_reason":"error"}]}"#
            ),
            Some(Overloaded)
        );
        assert_eq!(
            kind(r#"{"error":null,"choices":[{"message":{"content":"A"}}]}"#),
            None
        );
    }

    #[test]
    fn a_message_that_quotes_the_prompt_far_on_is_not_read_for_signs() {
        let body = format!(
            r#"{{"detail":"bad field {}maximum context length"}}"#,
            "x".repeat(600)
        );
        assert_eq!(kind_of(422, &body), Rejected);
    }
}
