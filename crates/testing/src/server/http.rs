//! The little of HTTP/1.1 that a judge's server needs: requests with `Content-Length`, replies with
//! a whole body.

use super::script::RetryAfter;
use std::ops::Range;

/// The longest head that is read, in bytes.
const LONGEST_HEAD: usize = 64 * 1024;

/// The longest body that is read, in bytes.
const LONGEST_BODY: usize = 64 * 1024 * 1024;

/// The address that a request goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// `POST /v1/chat/completions`.
    Chat,
    /// `POST /v1/messages`.
    Messages,
    /// `POST /v1/embeddings`.
    Embeddings,
    Completions,
    /// `POST /v1/systemone`.
    SystemOne,
    /// `POST /v1/decisions`.
    Decisions,
    /// `POST /classify`, as vLLM has it.
    Classify,
    /// `POST /pooling`, as vLLM has it.
    Pooling,
    /// `POST /v1/score`, as vLLM has it.
    Score,
    /// `POST /v1/rerank`.
    Rerank,
    /// `POST /rerank`, as Text Embeddings Inference has it.
    Tei,
    /// `GET /v1/models`.
    Models,
    /// Anything else.
    Unknown,
}

/// The head of a request, and where its body is in the bytes that were read.
pub(super) struct Head {
    pub(super) route: Route,
    /// The key that the client sent, if any.
    pub(super) key: Option<String>,
    pub(super) body: Range<usize>,
    /// True where the client closes the connection after the reply.
    pub(super) last: bool,
}

/// The state of a request, by the bytes that were read so far.
pub(super) enum Parsed {
    /// More of the head must be read.
    Partial,
    /// A whole head; the body may still be on its way.
    Head(Head),
    /// No request that is understood: the status and the reason.
    Refused(u16, &'static str),
}

/// Reads the head at the start of `bytes`.
pub(super) fn parse_head(bytes: &[u8]) -> Parsed {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) if bytes.len() < LONGEST_HEAD => return Parsed::Partial,
        Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
            return Parsed::Refused(431, "the head is too long");
        }
        Err(_) => return Parsed::Refused(400, "this is not HTTP/1.1"),
    };
    let path = request.path.and_then(|path| path.split('?').next());
    let route = match (request.method, path) {
        (Some("POST"), Some("/v1/chat/completions")) => Route::Chat,
        (Some("POST"), Some("/v1/messages")) => Route::Messages,
        (Some("POST"), Some("/v1/completions")) => Route::Completions,
        (Some("POST"), Some("/v1/embeddings")) => Route::Embeddings,
        (Some("POST"), Some("/v1/systemone")) => Route::SystemOne,
        (Some("POST"), Some("/v1/decisions")) => Route::Decisions,
        (Some("POST"), Some("/classify")) => Route::Classify,
        (Some("POST"), Some("/pooling")) => Route::Pooling,
        (Some("POST"), Some("/v1/score")) => Route::Score,
        (Some("POST"), Some("/v1/rerank")) => Route::Rerank,
        (Some("POST"), Some("/rerank")) => Route::Tei,
        (Some("GET"), Some("/v1/models")) => Route::Models,
        _ => Route::Unknown,
    };
    let (mut key, mut end, mut last) = (None, length, request.version == Some(0));
    for header in request.headers {
        let value = String::from_utf8_lossy(header.value);
        match header.name.to_ascii_lowercase().as_str() {
            "content-length" => match value.parse::<usize>() {
                Ok(size) if size <= LONGEST_BODY => end = length + size,
                Ok(_) => return Parsed::Refused(413, "the body is too long"),
                Err(_) => return Parsed::Refused(400, "content-length is no number"),
            },
            "authorization" => key = Some(value.strip_prefix("Bearer ").unwrap_or(&value).into()),
            "x-api-key" | "api-key" => key = Some(value.into()),
            "connection" => last |= value.eq_ignore_ascii_case("close"),
            "transfer-encoding" => return Parsed::Refused(411, "a body needs content-length"),
            _ => {}
        }
    }
    Parsed::Head(Head {
        route,
        key,
        body: length..end,
        last,
    })
}

/// A whole reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) content_type: &'static str,
    /// More lines of the head, each with its end.
    pub(super) lines: String,
    pub(super) body: Vec<u8>,
}

impl Response {
    /// Makes JSON with this status.
    pub(super) fn json(status: u16, body: &serde_json::Value) -> Response {
        Response {
            status,
            content_type: "application/json",
            lines: String::new(),
            body: body.to_string().into_bytes(),
        }
    }

    /// Makes an HTML page with this status.
    pub(super) fn html(status: u16) -> Response {
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
    pub(super) fn retry_after(mut self, after: Option<&RetryAfter>) -> Response {
        self.lines.extend(after.map(RetryAfter::header_line));
        self
    }

    /// Returns the head, which announces a body of this length.
    pub(super) fn head(&self, length: usize) -> Vec<u8> {
        let (status, content_type, lines) = (self.status, self.content_type, &self.lines);
        let reason = match status {
            200 => "OK",
            307 => "Temporary Redirect",
            400 => "Bad Request",
            401 => "Unauthorized",
            404 => "Not Found",
            422 => "Unprocessable Entity",
            501 => "Not Implemented",
            429 => "Too Many Requests",
            500 => "Internal Server Error",
            502 => "Bad Gateway",
            503 => "Service Unavailable",
            _ => "Status",
        };
        format!(
            "HTTP/1.1 {status} {reason}\r\ncontent-type: {content_type}\r\ncontent-length: \
             {length}\r\n{lines}\r\n"
        )
        .into_bytes()
    }

    /// Returns the reply as it goes over the wire.
    pub(super) fn bytes(&self) -> Vec<u8> {
        [self.head(self.body.len()), self.body.clone()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_request_is_refused_with_a_status() {
        let refused = |text: &str| match parse_head(text.as_bytes()) {
            Parsed::Refused(status, _) => Some(status),
            _ => None,
        };
        let with = |header: &str| refused(&format!("POST / HTTP/1.1\r\n{header}\r\n\r\n"));
        assert_eq!(refused("hello\r\n\r\n"), Some(400));
        assert_eq!(with("Content-Length: -1"), Some(400));
        assert_eq!(with("Content-Length: 99999999999"), Some(413));
        assert_eq!(with("Transfer-Encoding: chunked"), Some(411));
        let long = format!("GET /{}", "x".repeat(LONGEST_HEAD));
        assert_eq!(refused(&long), Some(431));
    }
}
