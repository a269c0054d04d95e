//! One connection: requests one after the other, each read whole, answered, and forgotten.

use crate::draw::digest;
use crate::fault_reply::{Act, unauthorized};
use crate::http::{Head, Parsed, Response, Route, parse};
use crate::ledger::{Admission, latency};
use crate::live_script::Live;
use crate::reply;
use crate::shared::Shared;
use std::io;
use std::ops::ControlFlow;
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
type Read = Result<Head, (u16, &'static str)>;

/// Serves a connection until either side closes it.
pub(crate) async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    let mut buffer = Vec::with_capacity(AT_A_TIME);
    while let Ok(read) = read(&mut stream, &mut buffer).await {
        if step(&mut stream, &shared, &mut buffer, read)
            .await
            .is_break()
        {
            return;
        }
    }
}

/// Answers one request and forgets it.
async fn step(stream: &mut TcpStream, shared: &Shared, buffer: &mut Vec<u8>, read: Read) -> Next {
    let head = match read {
        Ok(head) => head,
        Err((status, reason)) => {
            return last(refuse(stream, shared, Route::Unknown, status, reason).await);
        }
    };
    let next = answer(stream, shared, &head, buffer).await;
    buffer.drain(..head.body.end);
    if head.last { last(next) } else { next }
}

fn last(_: Next) -> Next {
    Next::Break(())
}

/// Reads until a request is whole, or cannot become one.
async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<Read> {
    loop {
        match parse(buffer) {
            Parsed::Partial(length) => fill(stream, buffer, length).await?,
            Parsed::Refused(status, reason) => return Ok(Err((status, reason))),
            Parsed::Head(head) => {
                fill(stream, buffer, head.body.end).await?;
                return Ok(Ok(head));
            }
        }
    }
}

/// Reads until there are so many bytes at least.
async fn fill(stream: &mut TcpStream, buffer: &mut Vec<u8>, length: usize) -> io::Result<()> {
    while buffer.len() < length {
        buffer.reserve((length - buffer.len()).max(AT_A_TIME));
        if stream.read_buf(buffer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
}

async fn answer(stream: &mut TcpStream, shared: &Shared, head: &Head, bytes: &[u8]) -> Next {
    match head.route {
        Route::Models => send(stream, &Response::json(200, &reply::models())).await,
        Route::Unknown => {
            refuse(
                stream,
                shared,
                head.route,
                404,
                "there is no such address here",
            )
            .await
        }
        Route::Chat | Route::Messages | Route::Embeddings | Route::Completions => {
            judge(stream, shared, head, bytes).await
        }
    }
}

async fn judge(stream: &mut TcpStream, shared: &Shared, head: &Head, bytes: &[u8]) -> Next {
    let live = shared.live();
    let body = bytes.get(head.body.clone()).unwrap_or_default();
    shared.keep(
        live.script.keep,
        bytes.get(..head.body.start).unwrap_or_default(),
        body,
    );
    let digest = digest(body);
    match shared.admit(&live.script, head.key.as_deref(), digest) {
        Admission::Dead => {
            shared.die();
            Next::Break(())
        }
        Admission::Unauthorized => {
            send(stream, &unauthorized(head.route, head.key.as_deref())).await
        }
        Admission::Rejected => send(stream, &rejected(&live, head.route)).await,
        Admission::Attempt(attempt, fault) => {
            wait(latency(&live.script, digest, attempt)).await;
            match fault.map(|fault| live.fault(fault, head.route, head.key.as_deref(), body)) {
                Some(act) => perform(stream, shared, act).await,
                None => good(stream, shared, &live, head.route, body, digest).await,
            }
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
    let body = reply::error(
        route,
        429,
        "rate_limit_exceeded",
        "Too many requests at the same time.",
    );
    Response::json(429, &body).retry_after(live.script.retry_after.as_ref())
}

/// Makes room first, so that a client that has read the reply finds it.
async fn good(
    stream: &mut TcpStream,
    shared: &Shared,
    live: &Live,
    route: Route,
    body: &[u8],
    digest: u64,
) -> Next {
    if let Some(bytes) = live.fast(route) {
        return deliver(stream, shared, bytes, digest).await;
    }
    match live.reply(route, body) {
        Ok(response) => deliver(stream, shared, &response.bytes(), digest).await,
        Err(reason) => {
            shared.books().leave();
            refuse(stream, shared, route, 400, &reason).await
        }
    }
}

async fn deliver(stream: &mut TcpStream, shared: &Shared, bytes: &[u8], digest: u64) -> Next {
    shared.replied(digest);
    let written = next(stream.write_all(bytes).await);
    if written.is_break() {
        shared.books().retract(digest);
    }
    written
}

async fn refuse(
    stream: &mut TcpStream,
    shared: &Shared,
    route: Route,
    status: u16,
    reason: &str,
) -> Next {
    shared.books().stats.refused += 1;
    send(
        stream,
        &Response::json(
            status,
            &reply::error(route, status, "invalid_request", reason),
        ),
    )
    .await
}

async fn send(stream: &mut TcpStream, response: &Response) -> Next {
    next(stream.write_all(&response.bytes()).await)
}

fn next(done: io::Result<()>) -> Next {
    if done.is_ok() {
        Next::Continue(())
    } else {
        Next::Break(())
    }
}

/// Makes room before what ends by itself, and after what ends when the client hangs up.
async fn perform(stream: &mut TcpStream, shared: &Shared, act: Act) -> Next {
    if matches!(act, Act::Stall | Act::Drip | Act::Flood) {
        endless(stream, &act).await;
        shared.books().leave();
        return Next::Break(());
    }
    shared.books().leave();
    match act {
        Act::Whole(response) => send(stream, &response).await,
        Act::ThenReset(bytes) => reset(stream, &bytes).await,
        Act::ThenClose(bytes) => close(stream, &bytes).await,
        Act::Stall | Act::Drip | Act::Flood => Next::Break(()),
    }
}

async fn close(stream: &mut TcpStream, bytes: &[u8]) -> Next {
    let _ = stream.write_all(bytes).await;
    Next::Break(())
}

async fn reset(stream: &mut TcpStream, bytes: &[u8]) -> Next {
    if !bytes.is_empty() && stream.write_all(bytes).await.is_ok() {
        tokio::time::sleep(BEFORE_RESET).await;
    }
    let _ = stream.set_zero_linger();
    Next::Break(())
}

/// Goes on until the client hangs up.
async fn endless(stream: &mut TcpStream, act: &Act) {
    let _ = match act {
        Act::Drip => drip(stream).await,
        Act::Flood => flood(stream).await,
        _ => until_hung_up(stream).await,
    };
}

async fn until_hung_up(stream: &mut TcpStream) -> io::Result<()> {
    let mut unread = [0; 512];
    while stream.read(&mut unread).await? > 0 {}
    Ok(())
}

fn opening() -> Response {
    Response {
        body: br#"{"id":"endless","choices":[{"message":{"content":""#.to_vec(),
        ..Response::json(200, &serde_json::Value::Null)
    }
}

async fn drip(stream: &mut TcpStream) -> io::Result<()> {
    let opening = opening();
    stream.write_all(&opening.head(HUGE)).await?;
    for byte in opening.body.iter().chain(std::iter::repeat(&b'x')) {
        stream.write_all(std::slice::from_ref(byte)).await?;
        tokio::time::sleep(DRIP).await;
    }
    Ok(())
}

async fn flood(stream: &mut TcpStream) -> io::Result<()> {
    let (opening, mut left) = (opening(), HUGE);
    stream
        .write_all(&[opening.head(HUGE), opening.body.clone()].concat())
        .await?;
    left -= opening.body.len();
    let block = vec![b'x'; 64 * 1024];
    while left > 0 {
        let part = block.get(..left.min(block.len())).unwrap_or_default();
        stream.write_all(part).await?;
        left -= part.len();
    }
    until_hung_up(stream).await
}
