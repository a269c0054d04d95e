//! One connection: requests one after the other, each read whole, answered, and forgotten.

use crate::Fault;
use crate::draw::digest;
use crate::fault_reply::{Act, unauthorized};
use crate::http::{Head, Parsed, Response, Route, parse_head};
use crate::ledger::{Admission, draw_latency};
use crate::live_script::Live;
use crate::reply::{error_body, list_models};
use crate::shared::Shared;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Bytes that are read at a time, at least.
const AT_A_TIME: usize = 8 * 1024;

/// The length that the endless bodies announce.
const HUGE: usize = 64 * 1024 * 1024;

/// Between two bytes of a reply that drips.
const DRIP: Duration = Duration::from_millis(50);

/// Between half a reply and the reset, so that the half is read.
const BEFORE_RESET: Duration = Duration::from_millis(5);

/// Whether the connection goes on.
type Next = ControlFlow<()>;

/// A request's head, or the status and the reason of its refusal.
type ReadHead = Result<Head, (u16, &'static str)>;

/// One client, and what all share.
struct Connection {
    stream: TcpStream,
    shared: Arc<Shared>,
    /// The bytes that were read and not answered yet.
    buffer: Vec<u8>,
}

/// A request that was let in.
struct Call {
    live: Arc<Live>,
    route: Route,
    key: Option<String>,
    body: Range<usize>,
    digest: u64,
}

/// Serves a connection until either side closes it.
pub(crate) async fn serve_connection(stream: TcpStream, shared: Arc<Shared>) {
    let mut connection = Connection {
        stream,
        shared,
        buffer: Vec::with_capacity(AT_A_TIME),
    };
    while let Ok(head) = connection.read_head().await {
        if connection.answer_next(head).await.is_break() {
            return;
        }
    }
}

impl Connection {
    /// Reads until a request is whole, or cannot become one.
    async fn read_head(&mut self) -> io::Result<ReadHead> {
        loop {
            match parse_head(&self.buffer) {
                Parsed::Partial(length) => self.read_at_least(length).await?,
                Parsed::Refused(status, reason) => return Ok(Err((status, reason))),
                Parsed::Head(head) => {
                    self.read_at_least(head.body.end).await?;
                    return Ok(Ok(head));
                }
            }
        }
    }

    /// Reads until there are so many bytes at least.
    async fn read_at_least(&mut self, length: usize) -> io::Result<()> {
        let buffer = &mut self.buffer;
        while buffer.len() < length {
            buffer.reserve((length - buffer.len()).max(AT_A_TIME));
            if self.stream.read_buf(buffer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }

    /// Answers one request and forgets it.
    async fn answer_next(&mut self, head: ReadHead) -> Next {
        match head {
            Ok(head) => self.answer_and_forget(head).await,
            Err((status, reason)) => {
                let _ = self.refuse(Route::Unknown, status, reason).await;
                Next::Break(())
            }
        }
    }

    async fn answer_and_forget(&mut self, head: Head) -> Next {
        let (is_last, end) = (head.last, head.body.end);
        let next = self.answer(head).await;
        self.buffer.drain(..end);
        if is_last { Next::Break(()) } else { next }
    }

    async fn answer(&mut self, head: Head) -> Next {
        match head.route {
            Route::Models => self.send(&Response::json(200, &list_models())).await,
            Route::Unknown => {
                let reason = "there is no such address here";
                self.refuse(head.route, 404, reason).await
            }
            Route::Chat | Route::Messages | Route::Embeddings | Route::Completions => {
                self.answer_call(head).await
            }
        }
    }

    async fn answer_call(&mut self, head: Head) -> Next {
        let call = self.make_call(head);
        let script = &call.live.script;
        match self.shared.admit(script, call.key.as_deref(), call.digest) {
            Admission::Dead => {
                self.shared.close_all();
                Next::Break(())
            }
            Admission::Unauthorized => {
                let response = unauthorized(call.route, call.key.as_deref());
                self.send(&response).await
            }
            Admission::Rejected => self.send(&rejected(&call.live, call.route)).await,
            Admission::Attempt(attempt, fault) => {
                wait(draw_latency(script, call.digest, attempt)).await;
                self.end_attempt(&call, fault).await
            }
        }
    }

    async fn end_attempt(&mut self, call: &Call, fault: Option<Fault>) -> Next {
        match fault {
            Some(fault) => self.act_out(fault, call).await,
            None => self.reply(call).await,
        }
    }

    fn make_call(&self, head: Head) -> Call {
        let live = self.shared.live_script();
        let body = self.buffer.get(head.body.clone()).unwrap_or_default();
        let read = self.buffer.get(..head.body.start).unwrap_or_default();
        self.shared.keep_request(live.script.keep, read, body);
        Call {
            digest: digest(body),
            live,
            route: head.route,
            key: head.key,
            body: head.body,
        }
    }

    fn body_of(&self, call: &Call) -> &[u8] {
        self.buffer.get(call.body.clone()).unwrap_or_default()
    }

    async fn reply(&mut self, call: &Call) -> Next {
        if let Some(bytes) = call.live.fast_reply(call.route) {
            return self.deliver(bytes, call.digest).await;
        }
        match call.live.good_reply(call.route, self.body_of(call)) {
            Ok(response) => self.deliver(&response.bytes(), call.digest).await,
            Err(reason) => {
                self.shared.lock_books().make_room();
                self.refuse(call.route, 400, &reason).await
            }
        }
    }

    /// Makes room first, so that a client that has read the reply finds it.
    async fn deliver(&mut self, bytes: &[u8], digest: u64) -> Next {
        self.shared.record_reply(digest);
        let next = go_on_if(self.stream.write_all(bytes).await);
        if next.is_break() {
            self.shared.lock_books().retract_reply(digest);
        }
        next
    }

    async fn refuse(&mut self, route: Route, status: u16, reason: &str) -> Next {
        self.shared.lock_books().stats.refused += 1;
        let body = error_body(route, status, "invalid_request", reason);
        self.send(&Response::json(status, &body)).await
    }

    async fn send(&mut self, response: &Response) -> Next {
        go_on_if(self.stream.write_all(&response.bytes()).await)
    }

    /// Makes room before what ends by itself, and after what ends when the client hangs up.
    async fn act_out(&mut self, fault: Fault, call: &Call) -> Next {
        let (route, key, body) = (call.route, call.key.as_deref(), self.body_of(call));
        let act = call.live.act_out_fault(fault, route, key, body);
        if matches!(act, Act::Stall | Act::Drip | Act::Flood) {
            go_on_forever(&mut self.stream, &act).await;
            self.shared.lock_books().make_room();
            return Next::Break(());
        }
        self.shared.lock_books().make_room();
        self.act_once(act).await
    }

    /// Sends what ends by itself.
    async fn act_once(&mut self, act: Act) -> Next {
        match act {
            Act::Whole(response) => self.send(&response).await,
            Act::ThenReset(bytes) => reset_after(&mut self.stream, &bytes).await,
            Act::ThenClose(bytes) => close_after(&mut self.stream, &bytes).await,
            Act::Stall | Act::Drip | Act::Flood => Next::Break(()),
        }
    }
}

/// Tokio's own timer: a wheel of our own with a grain of 1 ms was measured at 0.7 µs less for a
/// request, within the noise.
async fn wait(time: Duration) {
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}

fn rejected(live: &Live, route: Route) -> Response {
    let body = error_body(
        route,
        429,
        "rate_limit_exceeded",
        "Too many requests at the same time.",
    );
    Response::json(429, &body).retry_after(live.script.retry_after.as_ref())
}

fn go_on_if(done: io::Result<()>) -> Next {
    if done.is_ok() {
        Next::Continue(())
    } else {
        Next::Break(())
    }
}

async fn close_after(stream: &mut TcpStream, bytes: &[u8]) -> Next {
    let _ = stream.write_all(bytes).await;
    Next::Break(())
}

async fn reset_after(stream: &mut TcpStream, bytes: &[u8]) -> Next {
    if !bytes.is_empty() && stream.write_all(bytes).await.is_ok() {
        tokio::time::sleep(BEFORE_RESET).await;
    }
    let _ = stream.set_zero_linger();
    Next::Break(())
}

/// Goes on until the client hangs up.
async fn go_on_forever(stream: &mut TcpStream, act: &Act) {
    let _ = match act {
        Act::Drip => drip_bytes(stream).await,
        Act::Flood => flood_bytes(stream).await,
        _ => read_until_hung_up(stream).await,
    };
}

async fn read_until_hung_up(stream: &mut TcpStream) -> io::Result<()> {
    let mut unread = [0; 512];
    while stream.read(&mut unread).await? > 0 {}
    Ok(())
}

fn make_opening() -> Response {
    Response {
        body: br#"{"id":"endless","choices":[{"message":{"content":""#.to_vec(),
        ..Response::json(200, &serde_json::Value::Null)
    }
}

async fn drip_bytes(stream: &mut TcpStream) -> io::Result<()> {
    let opening = make_opening();
    stream.write_all(&opening.head(HUGE)).await?;
    for byte in opening.body.iter().chain(std::iter::repeat(&b'x')) {
        stream.write_all(std::slice::from_ref(byte)).await?;
        tokio::time::sleep(DRIP).await;
    }
    Ok(())
}

async fn flood_bytes(stream: &mut TcpStream) -> io::Result<()> {
    let opening = make_opening();
    let start = [opening.head(HUGE), opening.body.clone()].concat();
    stream.write_all(&start).await?;
    let mut left = HUGE - opening.body.len();
    let block = vec![b'x'; 64 * 1024];
    while left > 0 {
        let part = block.get(..left.min(block.len())).unwrap_or_default();
        stream.write_all(part).await?;
        left -= part.len();
    }
    read_until_hung_up(stream).await
}
