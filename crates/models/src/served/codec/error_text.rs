//! The error that a server's body describes.

use super::json::{Json, text};
use super::retry_after::parse_span;
use std::time::Duration;

/// How much of a body is looked at for a message.
const LOOKED_AT: usize = 256 << 10;

/// An error's body, in whichever of the usual shapes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ErrorBody {
    /// The server's words; empty where there are none.
    pub(super) message: String,
    /// The kinds and codes that it names, in lower case.
    pub(super) codes: Vec<String>,
    /// An HTTP status within the body.
    pub(super) status: Option<u16>,
    /// How long it asks to wait (Gemini, within the details of an error).
    pub(super) wait: Option<Duration>,
}

/// How much of a message is looked at for signs, in bytes.
const SIGNS_WITHIN: usize = 600;

/// Where servers put the words of an error, the most usual first.
const MESSAGES: [&str; 6] = [
    "/error/message",
    "/error",
    "/message",
    "/detail",
    "/error_description",
    "/title",
];
/// Where they put its kind.
const CODES: [&str; 9] = [
    "/error/code",
    "/error/type",
    "/error/status",
    "/error/innererror/code",
    "/error/inner_error/code",
    "/error/metadata/error_type",
    "/code",
    "/type",
    "/object",
];

impl ErrorBody {
    /// Reads a body: JSON of the usual shapes, HTML, or plain text.
    pub(super) fn read(body: &[u8]) -> ErrorBody {
        let body = body.get(..LOOKED_AT).unwrap_or(body);
        match serde_json::from_slice::<Json>(body) {
            // Google's servers put the error into a list.
            Ok(Json::List(values)) => {
                let first = values.first();
                first.map(ErrorBody::from_json).unwrap_or_default()
            }
            Ok(value) => ErrorBody::from_json(&value),
            Err(_) => ErrorBody {
                message: strip_html(&String::from_utf8_lossy(body)),
                ..ErrorBody::default()
            },
        }
    }

    /// Returns the beginning of the message in lower case, which signs are looked for in: further
    /// on it may quote the prompt.
    pub(super) fn start(&self) -> String {
        let start = self.message.get(..SIGNS_WITHIN).unwrap_or(&self.message);
        start.to_lowercase()
    }

    /// Reads a JSON value.
    pub(super) fn from_json(value: &Json) -> ErrorBody {
        let mut message = find_message(value);
        // A router says "Provider returned error", and the provider's words beside it.
        if let Some(raw) = text(value, "/error/metadata/raw") {
            message = format!("{message}: {raw}");
        }
        let codes: Vec<&Json> = CODES
            .iter()
            .filter_map(|pointer| value.pointer(pointer))
            .collect();
        let texts = codes.iter().filter_map(|code| code.as_str());
        let details = value.pointer("/error/details").and_then(Json::as_array);
        ErrorBody {
            message,
            status: codes.iter().find_map(|code| read_status(code)),
            codes: texts.map(str::to_ascii_lowercase).collect(),
            wait: details
                .into_iter()
                .flatten()
                .find_map(|detail| parse_span(text(detail, "/retryDelay")?)),
        }
    }
}

fn find_message(value: &Json) -> String {
    if let Some(message) = MESSAGES.iter().find_map(|pointer| text(value, pointer)) {
        return message.to_owned();
    }
    // FastAPI lists what is wrong with a body.
    let details = value
        .pointer("/detail")
        .or_else(|| value.pointer("/message/detail"))
        .and_then(Json::as_array);
    let details = details.into_iter().flatten();
    let said: Vec<&str> = details.filter_map(|detail| text(detail, "/msg")).collect();
    if !said.is_empty() {
        return said.join("; ");
    }
    value.as_str().unwrap_or_default().to_owned()
}

fn read_status(code: &Json) -> Option<u16> {
    let number = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
    u16::try_from(number)
        .ok()
        .filter(|status| (400..600).contains(status))
}

/// Returns a text without the tags of HTML; what scripts and styles hold is no text.
fn strip_html(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    if !["<html", "<!doctype", "<body"]
        .iter()
        .any(|mark| lower.contains(mark))
    {
        return text.to_owned();
    }
    let mut plain = String::new();
    let mut is_hidden = false;
    for (number, piece) in text.split('<').enumerate() {
        // What stands before the first bracket is no tag.
        let (tag, rest) = match number {
            0 => ("", piece),
            _ => piece.split_once('>').unwrap_or((piece, "")),
        };
        is_hidden = match &*tag.get(..5).unwrap_or(tag).to_ascii_lowercase() {
            "style" | "scrip" => true,
            "/styl" | "/scri" => false,
            _ => is_hidden,
        };
        if !is_hidden {
            plain.push(' ');
            plain.push_str(rest);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::served::codec::json::{LONGEST, one_line};
    use proptest::prelude::*;

    fn said(body: &str) -> String {
        one_line(&ErrorBody::read(body.as_bytes()).message)
    }

    #[test]
    fn every_usual_shape_of_an_error_is_read() {
        for body in [
            r#"{"error":{"message":"too\nbad","type":"t","code":"c"}}"#,
            r#"{"error":"too bad"}"#,
            r#"{"message":"too  bad"}"#,
            r#"{"detail":"too bad"}"#,
            r#"{"detail":[{"loc":["body"],"msg":"too bad"}]}"#,
            r#"{"object":"error","message":"too bad","code":400}"#,
            r#"[{"error":{"message":"too bad"}}]"#,
            r#""too bad""#,
            "too bad\n",
            "<!DOCTYPE html><html><head><style>p { color: red }</style></head><body><p>too \
             <b>bad</b></p></body></html>",
        ] {
            assert_eq!(said(body), "too bad", "{body}");
        }
        assert_eq!(
            said(
                r#"{"error":{"message":"Provider returned error","metadata":{"raw":"out of luck"}}}"#
            ),
            "Provider returned error: out of luck"
        );
        assert_eq!(said(""), "");
        assert_eq!(said("{}"), "");
    }

    #[test]
    fn codes_and_a_status_in_the_body_are_found() {
        let read = |body: &str| ErrorBody::read(body.as_bytes());
        assert_eq!(
            read(r#"{"error":{"code":"Too_Long","type":"x"}}"#).codes,
            ["too_long", "x"]
        );
        assert_eq!(read(r#"{"error":{"code":429}}"#).status, Some(429));
        assert_eq!(read(r#"{"error":{"code":"502"}}"#).status, Some(502));
        assert_eq!(read(r#"{"error":{"code":1301}}"#).status, None);
    }

    #[test]
    fn a_key_in_a_message_is_not_shown() {
        let line = one_line(
            "Incorrect API key provided: sk-abc0123456789. Or 'abcd********wxyz'. See \
             (sk-proj-0123456).",
        );
        assert_eq!(line, "Incorrect API key provided: [key] Or [key] See [key]");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_message_is_one_line_of_at_most_300_characters(text in "(\\PC|\n|\u{1b}|\u{2028}){0,500}", body in prop::collection::vec(any::<u8>(), 0..200)) {
            for line in [one_line(&text), one_line(&ErrorBody::read(&body).message), one_line(&ErrorBody::read(text.as_bytes()).message)] {
                prop_assert!(line.chars().count() <= LONGEST);
                prop_assert_eq!(line.find(['\n', '\r', '\u{1b}', '\u{2028}']), None);
            }
        }
    }
}
