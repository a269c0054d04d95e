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

/// Every fault, its name, and whether an honest retry gets past it and it shows itself at once.
const FAULTS: [(Fault, &str, bool); 36] = [
    (
        Fault::TooManyWithRetryAfter,
        "too-many-with-retry-after",
        true,
    ),
    (Fault::TooMany, "too-many", true),
    (Fault::Quota, "quota", false),
    (Fault::Internal500, "internal-500", true),
    (Fault::BadGateway502, "bad-gateway-502", true),
    (Fault::Unavailable503, "unavailable-503", true),
    (Fault::GatewayTimeout504, "gateway-timeout-504", true),
    (Fault::Overloaded529, "overloaded-529", true),
    (Fault::ResetMidBody, "reset-mid-body", true),
    (Fault::ResetBeforeReply, "reset-before-reply", true),
    (Fault::CloseBeforeReply, "close-before-reply", true),
    (Fault::CloseMidBody, "close-mid-body", true),
    (Fault::Stall, "stall", false),
    (Fault::SlowLoris, "slow-loris", false),
    (Fault::HugeBody, "huge-body", false),
    (Fault::NotHttp, "not-http", true),
    (Fault::MalformedJson, "malformed-json", true),
    (Fault::CutJson, "cut-json", true),
    (Fault::NotUtf8, "not-utf8", true),
    (Fault::WrongTypes, "wrong-types", true),
    (Fault::NotAnObject, "not-an-object", true),
    (Fault::EmptyChoices, "empty-choices", true),
    (Fault::EmptyBody, "empty-body", true),
    (Fault::ErrorIn200, "error-in-200", false),
    (Fault::Html, "html", true),
    (Fault::EmptyText, "empty-text", false),
    (Fault::LengthCut, "length-cut", false),
    (Fault::Refusal, "refusal", false),
    (Fault::ContentFilter, "content-filter", false),
    (Fault::BadRequest400, "bad-request-400", false),
    (Fault::ContextTooLong400, "context-too-long-400", false),
    (Fault::ContentFilter400, "content-filter-400", false),
    (Fault::Unauthorized401, "unauthorized-401", false),
    (Fault::Forbidden403, "forbidden-403", false),
    (Fault::NotFound404, "not-found-404", false),
    (Fault::Redirect307, "redirect-307", false),
];

impl Fault {
    /// Returns every fault.
    pub fn all() -> Vec<Fault> {
        FAULTS.map(|(fault, ..)| fault).to_vec()
    }

    /// Returns the faults that an honest retry gets past, and that show themselves at once: what a
    /// client must live through in any number.
    pub fn passing() -> Vec<Fault> {
        let passing = FAULTS.into_iter().filter(|(.., passes)| *passes);
        passing.map(|(fault, ..)| fault).collect()
    }

    /// Returns the fault's name.
    pub fn name(self) -> &'static str {
        let mut faults = FAULTS.into_iter();
        let own = faults.find(|(fault, ..)| *fault == self);
        own.map_or("", |(_, name, _)| name)
    }

    /// Returns the fault of this name.
    pub fn by_name(name: &str) -> Option<Fault> {
        let mut faults = FAULTS.into_iter();
        let named = faults.find(|(_, known, _)| *known == name);
        named.map(|(fault, ..)| fault)
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
