//! The ways in which an attempt can go wrong.

/// A way in which an attempt ends without a good reply. A fault's name is its variant in kebab
/// case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// 429 that says when to ask again.
    TooManyWithRetryAfter,
    /// 429 that does not.
    TooMany,
    /// 429 that no patience mends: OpenAI's `insufficient_quota`.
    Quota,
    /// 500 with an error object.
    Internal500,
    /// 502 with a proxy's HTML page.
    BadGateway502,
    /// 503 with an error object.
    Unavailable503,
    /// 504 with a proxy's HTML page.
    GatewayTimeout504,
    /// 529, Anthropic's `overloaded_error`.
    Overloaded529,
    /// A reset after half of the body.
    ResetMidBody,
    /// A reset before anything was sent.
    ResetBeforeReply,
    /// An orderly close before anything was sent.
    CloseBeforeReply,
    /// An orderly close after half of the body that was announced.
    CloseMidBody,
    /// Never a byte, until the client hangs up.
    Stall,
    /// A head, and a byte of its body every 50 ms, until the client hangs up.
    SlowLoris,
    /// A body of 64 MiB, sent until the client hangs up.
    HugeBody,
    /// Bytes that are not HTTP, and a close.
    NotHttp,
    /// 200 with a body that is not JSON.
    MalformedJson,
    /// 200 with the first half of a good body, whole as HTTP goes.
    CutJson,
    /// 200 with a good body in which one byte is not UTF-8.
    NotUtf8,
    /// 200 with a number where the reply's text belongs.
    WrongTypes,
    /// 200 with JSON that is an array.
    NotAnObject,
    /// 200 with no choice.
    EmptyChoices,
    /// 200 with nothing as the body.
    EmptyBody,
    /// 200 with an error object instead of a reply, as some routers send.
    ErrorIn200,
    /// 200 with an HTML page.
    Html,
    /// 200 with the text "".
    EmptyText,
    /// 200 that stopped at the limit of tokens, before any verdict.
    LengthCut,
    /// 200 with a refusal.
    Refusal,
    /// 200 that a content filter stopped before any text.
    ContentFilter,
    /// 400 with an error object.
    BadRequest400,
    /// 400: the prompt is longer than the context.
    ContextTooLong400,
    /// 400 of a content filter (Azure's `content_filter`).
    ContentFilter400,
    /// 401 that echoes the key that was sent.
    Unauthorized401,
    /// 403 with an error object.
    Forbidden403,
    /// 404: no such model.
    NotFound404,
    /// 307 to another address on the same server.
    Redirect307,
}

/// Every fault and its name.
const NAMES: [(Fault, &str); 36] = [
    (Fault::TooManyWithRetryAfter, "too-many-with-retry-after"),
    (Fault::TooMany, "too-many"),
    (Fault::Quota, "quota"),
    (Fault::Internal500, "internal-500"),
    (Fault::BadGateway502, "bad-gateway-502"),
    (Fault::Unavailable503, "unavailable-503"),
    (Fault::GatewayTimeout504, "gateway-timeout-504"),
    (Fault::Overloaded529, "overloaded-529"),
    (Fault::ResetMidBody, "reset-mid-body"),
    (Fault::ResetBeforeReply, "reset-before-reply"),
    (Fault::CloseBeforeReply, "close-before-reply"),
    (Fault::CloseMidBody, "close-mid-body"),
    (Fault::Stall, "stall"),
    (Fault::SlowLoris, "slow-loris"),
    (Fault::HugeBody, "huge-body"),
    (Fault::NotHttp, "not-http"),
    (Fault::MalformedJson, "malformed-json"),
    (Fault::CutJson, "cut-json"),
    (Fault::NotUtf8, "not-utf8"),
    (Fault::WrongTypes, "wrong-types"),
    (Fault::NotAnObject, "not-an-object"),
    (Fault::EmptyChoices, "empty-choices"),
    (Fault::EmptyBody, "empty-body"),
    (Fault::ErrorIn200, "error-in-200"),
    (Fault::Html, "html"),
    (Fault::EmptyText, "empty-text"),
    (Fault::LengthCut, "length-cut"),
    (Fault::Refusal, "refusal"),
    (Fault::ContentFilter, "content-filter"),
    (Fault::BadRequest400, "bad-request-400"),
    (Fault::ContextTooLong400, "context-too-long-400"),
    (Fault::ContentFilter400, "content-filter-400"),
    (Fault::Unauthorized401, "unauthorized-401"),
    (Fault::Forbidden403, "forbidden-403"),
    (Fault::NotFound404, "not-found-404"),
    (Fault::Redirect307, "redirect-307"),
];

/// Transient faults that their status tells.
const OF_STATUS: [Fault; 7] = [
    Fault::TooManyWithRetryAfter,
    Fault::TooMany,
    Fault::Internal500,
    Fault::BadGateway502,
    Fault::Unavailable503,
    Fault::GatewayTimeout504,
    Fault::Overloaded529,
];

/// Transient faults of the connection.
const OF_CONNECTION: [Fault; 5] = [
    Fault::ResetMidBody,
    Fault::ResetBeforeReply,
    Fault::CloseBeforeReply,
    Fault::CloseMidBody,
    Fault::NotHttp,
];

/// Transient faults of the body.
const OF_BODY: [Fault; 8] = [
    Fault::MalformedJson,
    Fault::CutJson,
    Fault::NotUtf8,
    Fault::WrongTypes,
    Fault::NotAnObject,
    Fault::EmptyChoices,
    Fault::EmptyBody,
    Fault::Html,
];

impl Fault {
    /// Returns every fault.
    pub fn all() -> Vec<Fault> {
        NAMES.iter().map(|(fault, _)| *fault).collect()
    }

    /// Returns the faults that an honest retry gets past, and that show themselves at once: what a
    /// client must live through in any number.
    pub fn passing() -> Vec<Fault> {
        [&OF_STATUS[..], &OF_CONNECTION, &OF_BODY].concat()
    }

    /// Returns the fault's name.
    pub fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|(fault, _)| *fault == self)
            .map_or("", |(_, name)| name)
    }

    /// Returns the fault of this name.
    pub fn by_name(name: &str) -> Option<Fault> {
        NAMES
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(fault, _)| *fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_has_one_name_in_the_order_of_the_variants() {
        let all = Fault::all();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(
            all.iter()
                .all(|fault| Fault::by_name(fault.name()) == Some(*fault))
        );
        assert_eq!(Fault::Redirect307 as usize + 1, all.len());
        assert_eq!(Fault::by_name("none"), None);
    }
}
