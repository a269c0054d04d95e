//! Connections to servers of this machine over plain HTTP: no encryption, no proxy and nothing that
//! follows redirections stands between a call and its socket. A server beside the client answers
//! thousands of calls a second, and each layer costs every one of them.

use super::fault::{Fault, FaultKind};
use super::http::{CONNECT, IDLE, join_causes};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderMap, HeaderValue};
use reqwest::{Method, Url};
use std::collections::HashMap;
use std::error::Error;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use url::Position;

/// Makes connections, keeps them between calls, and sends requests by them.
#[derive(Debug)]
pub(crate) struct PlainHttp {
    /// The headers of every call.
    headers: HeaderMap,
    /// How long a connection may take to be made.
    patience: Duration,
    /// The connections that no call has at the moment, by host and port.
    idle: Mutex<HashMap<String, Vec<Idle>>>,
}

type Sender = SendRequest<Full<Bytes>>;

/// A connection that no call has.
#[derive(Debug)]
struct Idle {
    sender: Sender,
    since: Instant,
}

impl PlainHttp {
    pub(crate) fn new(mut headers: HeaderMap, timeout: Duration) -> PlainHttp {
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        PlainHttp {
            headers,
            patience: timeout.min(CONNECT),
            idle: Mutex::default(),
        }
    }

    /// Sends a request with these headers beside those of every one, its content and what that is,
    /// and hands on the body of the reply as it comes.
    pub(crate) async fn exchange(
        &self,
        headers: HeaderMap,
        method: Method,
        url: &Url,
        content: Option<(&str, Bytes)>,
        take: &mut impl FnMut(&[u8]) -> Result<(), Fault>,
    ) -> Result<(u16, HeaderMap), Fault> {
        let host = &url[Position::BeforeHost..Position::AfterPort];
        let request = self
            .make_request(headers, method, url, host, content)
            .map_err(|why| {
                let message = format!("the request cannot be made: {why}");
                Fault::new(FaultKind::Connection, message)
            })?;
        let (response, sender) = self.send(url, host, request).await?;
        let (head, mut body) = response.into_parts();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|e| lost("error decoding response body", &e))?;
            if let Some(chunk) = frame.data_ref() {
                take(chunk)?;
            }
        }
        // Otherwise the connection ends with this call.
        if sender.is_ready() {
            let since = Instant::now();
            let mut idle = self.lock_idle();
            let of_host = match idle.get_mut(host) {
                Some(of_host) => of_host,
                None => idle.entry(host.to_owned()).or_default(),
            };
            of_host.push(Idle { sender, since });
        }
        Ok((head.status.as_u16(), head.headers))
    }

    fn make_request(
        &self,
        more: HeaderMap,
        method: Method,
        url: &Url,
        host: &str,
        content: Option<(&str, Bytes)>,
    ) -> Result<Request<Full<Bytes>>, Box<dyn Error>> {
        let mut headers = self.headers.clone();
        headers.extend(more);
        headers.insert(HOST, HeaderValue::from_str(host)?);
        let mut body = Bytes::new();
        if let Some((kind, content)) = content {
            headers.insert(CONTENT_TYPE, HeaderValue::from_str(kind)?);
            body = content;
        }
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = url[Position::BeforePath..Position::AfterQuery].parse()?;
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// Sends a request by a connection that is kept, or else by a new one.
    async fn send(
        &self,
        url: &Url,
        host: &str,
        mut request: Request<Full<Bytes>>,
    ) -> Result<(Response<Incoming>, Sender), Fault> {
        while let Some(mut sender) = self.take_idle(host) {
            match sender.try_send_request(request).await {
                Ok(response) => return Ok((response, sender)),
                // The server closed it before anything was sent.
                Err(mut error) => match error.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(lost(SENDING, &error.into_error())),
                },
            }
        }
        let mut sender = self.connect(url).await?;
        let sent = sender.send_request(request).await;
        Ok((sent.map_err(|e| lost(SENDING, &e))?, sender))
    }

    /// Takes the connection that was used last: those that are too many come of age.
    fn take_idle(&self, host: &str) -> Option<Sender> {
        let mut idle = self.lock_idle();
        let of_host = idle.get_mut(host)?;
        while let Some(Idle { sender, since }) = of_host.pop() {
            if since.elapsed() >= IDLE {
                of_host.clear();
                return None;
            }
            if sender.is_ready() {
                return Some(sender);
            }
        }
        None
    }

    async fn connect(&self, url: &Url) -> Result<Sender, Fault> {
        let unreachable = |why: &dyn std::fmt::Display| {
            let message = format!("{SENDING}: client error (Connect): {why}");
            Fault::new(FaultKind::Unreachable, message)
        };
        // An address of IPv6 stands between brackets in a URL.
        let host = url.host_str().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let port = url.port_or_known_default().unwrap_or(80);
        let connecting = tokio::time::timeout(self.patience, TcpStream::connect((host, port)));
        let stream = match connecting.await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(unreachable(&format!("tcp connect error: {error}"))),
            Err(_) => return Err(unreachable(&"tcp connect error: operation timed out")),
        };
        // Without it a call is sent a little later, and no worse.
        let _ = stream.set_nodelay(true);
        let made = handshake(TokioIo::new(stream)).await;
        let (sender, connection) = made.map_err(|e| lost(SENDING, &e))?;
        // What becomes of it, the call that uses it is told.
        tokio::spawn(connection);
        Ok(sender)
    }

    fn lock_idle(&self) -> MutexGuard<'_, HashMap<String, Vec<Idle>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const SENDING: &str = "error sending request";

fn lost(what: &str, error: &hyper::Error) -> Fault {
    let message = format!("{what}: {}", join_causes(error));
    Fault::new(FaultKind::Connection, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::thread::JoinHandle;

    /// Gives one of these replies to each connection in turn, and closes it. Returns what it was
    /// sent.
    fn serve(replies: &'static [&'static str]) -> (Url, JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = Url::parse(&format!("http://{}/v1", listener.local_addr().unwrap())).unwrap();
        let answer = move |reply: &&str| {
            let (mut socket, _): (TcpStream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"{}") {
                let mut more = [0; 4096];
                let length = socket.read(&mut more).unwrap();
                request.extend_from_slice(&more[..length]);
            }
            socket.write_all(reply.as_bytes()).unwrap();
            String::from_utf8(request).unwrap()
        };
        (
            url,
            std::thread::spawn(move || replies.iter().map(answer).collect()),
        )
    }

    /// Sends a request to each of these one after the other.
    fn post(url: &Url, times: usize) -> Vec<Result<(u16, String), Fault>> {
        let mut headers = HeaderMap::new();
        headers.insert("x-key", HeaderValue::from_static("abc"));
        let http = PlainHttp::new(headers, Duration::from_secs(20));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let one = async || {
            let content = Some(("application/json", Bytes::from_static(b"{}")));
            let mut body = Vec::new();
            let mut take = |chunk: &[u8]| {
                body.extend_from_slice(chunk);
                Ok(())
            };
            let exchanged = http
                .exchange(HeaderMap::new(), Method::POST, url, content, &mut take)
                .await;
            exchanged.map(|(status, _)| (status, String::from_utf8(body).unwrap()))
        };
        runtime.block_on(async {
            let mut received = Vec::new();
            for _ in 0..times {
                received.push(one().await);
                // The connection's own task sees that the server has closed it.
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            received
        })
    }

    #[test]
    fn a_request_has_its_headers_and_a_closed_connection_is_made_anew() {
        let (url, seen) = serve(&["HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"; 2]);
        for received in post(&url, 2) {
            assert_eq!(received.unwrap(), (200, "hi".to_owned()));
        }
        for request in seen.join().unwrap() {
            assert!(request.starts_with("POST /v1 HTTP/1.1\r\n"), "{request}");
            for header in [
                "x-key: abc",
                "accept: */*",
                "content-type: application/json",
                "content-length: 2",
                &format!("host: 127.0.0.1:{}", url.port().unwrap()),
            ] {
                assert!(request.contains(&format!("\r\n{header}\r\n")), "{request}");
            }
        }
    }

    #[test]
    fn a_redirection_is_a_status_like_any_other() {
        let (url, _) = serve(&[
            "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
        ]);
        let received = post(&url, 1).remove(0).unwrap();
        assert_eq!(received, (302, String::new()));
    }

    #[test]
    fn what_breaks_off_is_a_lost_connection() {
        let (url, _) = serve(&["HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", ""]);
        for (received, what) in post(&url, 2)
            .into_iter()
            .zip(["error decoding response body: ", "error sending request: "])
        {
            let fault = received.unwrap_err();
            assert_eq!(fault.kind, FaultKind::Connection, "{}", fault.message);
            assert!(fault.message.starts_with(what), "{}", fault.message);
        }
    }
}
