//! A client on raw sockets that shows what came over the wire.

use evenhand_testing::server::{Script, Server};
use serde_json::Value;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// How what was read ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The body is whole.
    Whole,
    /// The server closed the connection.
    Closed,
    /// The server reset the connection.
    Reset,
    /// Nothing came for a while.
    Silent,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    pub(crate) end: End,
}

impl Got {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        self.json()["choices"][0]["message"]["content"]
            .as_str()
            .unwrap()
            .into()
    }

    pub(crate) fn announced(&self) -> usize {
        header(&self.head, "content-length")
            .unwrap()
            .parse()
            .unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

pub(crate) fn start(script: Script) -> Server {
    Server::start(script).unwrap()
}

pub(crate) fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    stream
}

pub(crate) fn request(path: &str, headers: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
}

pub(crate) fn chat(user: &str) -> String {
    let messages = serde_json::json!([{"role": "user", "content": user}]);
    let body = serde_json::json!({"model": "judge", "messages": messages, "logprobs": true, "top_logprobs": 5});
    request("/v1/chat/completions", "", &body.to_string())
}

/// Asks on a connection and reads the reply, up to 1 MB of it.
pub(crate) fn ask(stream: &mut TcpStream, request: &str) -> Got {
    stream.write_all(request.as_bytes()).unwrap();
    read(stream)
}

/// Asks on a connection of its own.
pub(crate) fn ask_once(server: &Server, request: &str) -> Got {
    ask(&mut connect(server), request)
}

pub(crate) fn read(stream: &mut TcpStream) -> Got {
    let (mut bytes, mut block) = (Vec::new(), [0; 4096]);
    loop {
        let (head, body) = split(&bytes);
        let announced =
            header(&head, "content-length").map_or(usize::MAX, |length| length.parse().unwrap());
        let end = if body.len() >= announced {
            End::Whole
        } else {
            // One byte at a time up to the end of the body, so that a pipelined reply stays where
            // it is.
            let wanted = if head.is_empty() {
                1
            } else {
                (announced - body.len()).min(block.len())
            };
            match stream.read(&mut block[..wanted]) {
                Ok(0) => End::Closed,
                Ok(length) if bytes.len() < 1_000_000 => {
                    bytes.extend(&block[..length]);
                    continue;
                }
                Ok(_) => End::Silent,
                Err(e) if e.kind() == ErrorKind::ConnectionReset => End::Reset,
                Err(e) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&e.kind()) => {
                    End::Silent
                }
                Err(e) => panic!("{e}"),
            }
        };
        let status = head
            .split(' ')
            .nth(1)
            .map_or(0, |status| status.parse().unwrap_or(0));
        return Got {
            status,
            head,
            body,
            end,
        };
    }
}

/// True if it becomes so within five seconds.
pub(crate) fn soon(mut is: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(5) {
        if is() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

/// The head, empty until it is whole, and what follows.
fn split(bytes: &[u8]) -> (String, Vec<u8>) {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    let (head, body) = end.map_or((&bytes[..0], bytes), |end| bytes.split_at(end + 4));
    (String::from_utf8_lossy(head).into_owned(), body.to_vec())
}
