//! The little of HTTP/1.1 that a judge's server needs: requests with `Content-Length`, replies with
//! a whole body.

use crate::script::RetryAfter;
use std::ops::Range;

/// The longest head that is read, in bytes.
const LONGEST_HEAD: usize = 64 * 1024;

/// The longest body that is read, in bytes.
const LONGEST_BODY: usize = 64 * 1024 * 1024;

/// The address that a request goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// `POST /v1/chat/completions`.
    Chat,
    /// `POST /v1/messages`.
    Messages,
    /// `POST /v1/embeddings`.
    Embeddings,
    Completions,
    /// `GET /v1/models`.
    Models,
    /// Anything else.
    Unknown,
}

/// The head of a request, and where its body is in the bytes that were read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) route: Route,
    /// The key that the client sent, if any.
    pub(crate) key: Option<String>,
    pub(crate) body: Range<usize>,
    /// True where the client closes the connection after the reply.
    pub(crate) last: bool,
}

/// The state of a request, by the bytes that were read so far.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// More must be read, to this many bytes in all at least.
    Partial(usize),
    /// A whole head; the body may still be on its way.
    Head(Head),
    /// No request that is understood: the status and the reason.
    Refused(u16, &'static str),
}

/// Reads the head at the start of `bytes`.
pub(crate) fn parse_head(bytes: &[u8]) -> Parsed {
    match find_head_length(bytes) {
        Some(length) => parse_text(bytes.get(..length).unwrap_or_default()),
        None if bytes.len() >= LONGEST_HEAD => Parsed::Refused(431, "the head is too long"),
        None => Parsed::Partial(bytes.len() + 1),
    }
}

fn parse_text(head: &[u8]) -> Parsed {
    match std::str::from_utf8(head) {
        Ok(text) => parse_lines(text),
        Err(_) => Parsed::Refused(400, "the head is not UTF-8"),
    }
}

/// Finds the length of the head with the empty line that ends it.
fn find_head_length(bytes: &[u8]) -> Option<usize> {
    let mut ends = (1..=bytes.len()).filter(|end| bytes.get(end - 1) == Some(&b'\n'));
    ends.find(|end| bytes.get(..*end).is_some_and(is_whole_head))
}

fn is_whole_head(bytes: &[u8]) -> bool {
    bytes.ends_with(b"\r\n\r\n")
}

fn parse_lines(text: &str) -> Parsed {
    let mut lines = text.split("\r\n");
    let Some(mut head) = parse_request_line(lines.next().unwrap_or_default(), text.len()) else {
        return Parsed::Refused(400, "this is not HTTP/1.1");
    };
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        if let Err((status, reason)) = head.add_header(name, value.trim()) {
            return Parsed::Refused(status, reason);
        }
    }
    Parsed::Head(head)
}

/// Reads the first line of a head of this length.
fn parse_request_line(line: &str, length: usize) -> Option<Head> {
    let mut words = line.split(' ');
    let (method, path) = (words.next(), words.next());
    let version = words.next().filter(|word| word.starts_with("HTTP/1."))?;
    Some(Head {
        route: find_route(method, path),
        key: None,
        body: length..length,
        last: version == "HTTP/1.0",
    })
}

fn find_route(method: Option<&str>, path: Option<&str>) -> Route {
    let path = path.and_then(|path| path.split('?').next());
    match (method, path) {
        (Some("POST"), Some("/v1/chat/completions")) => Route::Chat,
        (Some("POST"), Some("/v1/messages")) => Route::Messages,
        (Some("POST"), Some("/v1/completions")) => Route::Completions,
        (Some("POST"), Some("/v1/embeddings")) => Route::Embeddings,
        (Some("GET"), Some("/v1/models")) => Route::Models,
        _ => Route::Unknown,
    }
}

impl Head {
    fn add_header(&mut self, name: &str, value: &str) -> Result<(), (u16, &'static str)> {
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
        if is("content-length") {
            self.body.end = self.body.start + parse_length(value)?;
        } else if is("authorization") {
            self.key = Some(value.strip_prefix("Bearer ").unwrap_or(value).into());
        } else if is("x-api-key") || is("api-key") {
            self.key = Some(value.into());
        } else if is("connection") {
            self.last |= value.eq_ignore_ascii_case("close");
        } else if is("transfer-encoding") {
            return Err((411, "a body needs content-length"));
        }
        Ok(())
    }
}

fn parse_length(value: &str) -> Result<usize, (u16, &'static str)> {
    match value.parse() {
        Ok(length) if length <= LONGEST_BODY => Ok(length),
        Ok(_) => Err((413, "the body is too long")),
        Err(_) => Err((400, "content-length is no number")),
    }
}

/// A whole reply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    /// More lines of the head, each with its end.
    pub(crate) lines: String,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// Makes JSON with this status.
    pub(crate) fn json(status: u16, body: &serde_json::Value) -> Response {
        Response {
            status,
            content_type: "application/json",
            lines: String::new(),
            body: body.to_string().into_bytes(),
        }
    }

    /// Makes an HTML page with this status.
    pub(crate) fn html(status: u16) -> Response {
        let body = format!(
            "<html><head><title>{status}</title></head><body><h1>{status}</h1></body></html>\n"
        );
        Response {
            status,
            content_type: "text/html",
            lines: String::new(),
            body: body.into_bytes(),
        }
    }

    /// Adds a header that says when to ask again.
    pub(crate) fn retry_after(mut self, after: Option<&RetryAfter>) -> Response {
        self.lines.extend(after.map(RetryAfter::header_line));
        self
    }

    /// Returns the head, which announces a body of this length.
    pub(crate) fn head(&self, length: usize) -> Vec<u8> {
        let Response {
            status,
            content_type,
            lines,
            ..
        } = self;
        let reason = reason_of(*status);
        format!(
            "HTTP/1.1 {status} {reason}\r\ncontent-type: {content_type}\r\ncontent-length: \
                 {length}\r\n{lines}\r\n"
        )
        .into_bytes()
    }

    /// Returns the reply as it goes over the wire.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        [self.head(self.body.len()), self.body.clone()].concat()
    }
}

fn reason_of(status: u16) -> &'static str {
    match status {
        200 => "OK",
        307 => "Temporary Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Status",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_when_it_is_whole() {
        let text = "POST /v1/chat/completions?x=1 HTTP/1.1\r\nHost: a\r\nCONTENT-length: \
                    12\r\nAuthorization: Bearer k\r\n\r\n";
        for end in 0..text.len() {
            assert!(
                matches!(parse_head(&text.as_bytes()[..end]), Parsed::Partial(_)),
                "{end}"
            );
        }
        let body = text.len()..text.len() + 12;
        assert_eq!(
            parse_head(text.as_bytes()),
            Parsed::Head(Head {
                route: Route::Chat,
                key: Some("k".into()),
                body,
                last: false
            })
        );
    }

    #[test]
    fn what_is_no_request_is_refused_with_a_status() {
        let refused = |text: &str| match parse_head(text.as_bytes()) {
            Parsed::Refused(status, _) => status,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused("hello\r\n\r\n"), 400);
        assert_eq!(refused("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), 400);
        assert_eq!(
            refused("GET / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"),
            413
        );
        assert_eq!(
            refused("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"),
            411
        );
        assert_eq!(refused(&"x".repeat(LONGEST_HEAD)), 431);
    }

    #[test]
    fn a_reply_has_its_length() {
        let reply =
            Response::json(429, &serde_json::json!([1])).retry_after(Some(&RetryAfter::Seconds(2)));
        let expected = "HTTP/1.1 429 Too Many Requests\r\ncontent-type: \
                        application/json\r\ncontent-length: 3\r\nretry-after: 2\r\n\r\n[1]";
        assert_eq!(String::from_utf8(reply.bytes()).unwrap(), expected);
    }
}
