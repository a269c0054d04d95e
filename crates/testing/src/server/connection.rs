//! One connection: requests one after the other, each read whole, answered, and forgotten.

use super::Shared;
use super::draw::digest;
use super::fault_reply::{Act, unauthorized};
use super::http::{Head, Parsed, Response, Route, parse_head};
use super::ledger::{Admission, draw_latency};
use super::reply::{error_body, list_models};
use std::borrow::Cow;
use std::io;
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

/// Serves a connection until either side closes it.
pub(super) async fn serve_connection(mut stream: TcpStream, shared: Arc<Shared>) {
    let mut buffer = Vec::with_capacity(AT_A_TIME);
    loop {
        let head = match parse_head(&buffer) {
            Parsed::Partial => {
                let length = buffer.len() + 1;
                if read_at_least(&mut stream, &mut buffer, length)
                    .await
                    .is_err()
                {
                    return;
                }
                continue;
            }
            Parsed::Refused(status, reason) => {
                refuse(&mut stream, &shared, Route::Unknown, status, reason).await;
                return;
            }
            Parsed::Head(head) => head,
        };
        let end = head.body.end;
        if read_at_least(&mut stream, &mut buffer, end).await.is_err() {
            return;
        }
        let goes_on = answer(&mut stream, &shared, &head, &buffer).await;
        if head.last || !goes_on {
            return;
        }
        buffer.drain(..end);
    }
}

/// Reads until there are so many bytes at least.
async fn read_at_least(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
    length: usize,
) -> io::Result<()> {
    while buffer.len() < length {
        buffer.reserve((length - buffer.len()).max(AT_A_TIME));
        if stream.read_buf(buffer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
}

/// Answers the request at the start of the buffer. Whether the connection goes on, as for all
/// that send.
async fn answer(stream: &mut TcpStream, shared: &Shared, head: &Head, buffer: &[u8]) -> bool {
    let (route, key) = (head.route, head.key.as_deref());
    if route == Route::Models {
        return send(stream, &Response::json(200, &list_models())).await;
    }
    if route == Route::Unknown {
        return refuse(stream, shared, route, 404, "there is no such address here").await;
    }
    let live = shared.live_script();
    let script = &live.script;
    let head_text = buffer.get(..head.body.start).unwrap_or_default();
    let body = buffer.get(head.body.clone()).unwrap_or_default();
    shared.keep_request(script.keep, head_text, body);
    let digest = digest(body);
    let at = shared.start.elapsed();
    let admission = shared.lock_books().admit(script, key, digest, at);
    let (attempt, fault) = match admission {
        Admission::Dead => {
            shared.close_all();
            return false;
        }
        Admission::Unauthorized => return send(stream, &unauthorized(route, key)).await,
        Admission::Rejected => {
            let reason = "Too many requests at the same time.";
            let body = error_body(route, 429, "rate_limit_exceeded", reason);
            let reply = Response::json(429, &body).retry_after(script.retry_after.as_ref());
            return send(stream, &reply).await;
        }
        Admission::Attempt(attempt, fault) => (attempt, fault),
    };
    // Tokio's own timer: a wheel of our own with a grain of 1 ms was measured at 0.7 µs less for a
    // request, within the noise.
    let latency = draw_latency(script, digest, attempt);
    if !latency.is_zero() {
        tokio::time::sleep(latency).await;
    }
    if let Some(fault) = fault {
        let act = live.act_out_fault(fault, route, key, body);
        return act_out(stream, shared, act).await;
    }
    let reply = match live.fast_reply(route) {
        Some(bytes) => Cow::Borrowed(bytes),
        None => match live.good_reply(route, body) {
            Ok(response) => Cow::Owned(response.bytes()),
            Err(reason) => {
                shared.lock_books().make_room();
                return refuse(stream, shared, route, 400, &reason).await;
            }
        },
    };
    // Booked first, so that a client that has read the reply finds it in the books, and room.
    {
        let mut books = shared.lock_books();
        books.make_room();
        books.record_reply(digest, shared.start.elapsed());
    }
    let is_written = stream.write_all(&reply).await.is_ok();
    if !is_written {
        shared.lock_books().retract_reply(digest);
    }
    is_written
}

async fn send(stream: &mut TcpStream, response: &Response) -> bool {
    stream.write_all(&response.bytes()).await.is_ok()
}

async fn refuse(
    stream: &mut TcpStream,
    shared: &Shared,
    route: Route,
    status: u16,
    reason: &str,
) -> bool {
    shared.lock_books().stats.refused += 1;
    let body = error_body(route, status, "invalid_request", reason);
    send(stream, &Response::json(status, &body)).await
}

/// Makes room before what ends by itself, and after what ends when the client hangs up.
async fn act_out(stream: &mut TcpStream, shared: &Shared, act: Act) -> bool {
    if matches!(act, Act::Stall | Act::Drip | Act::Flood) {
        let _ = match act {
            Act::Drip => drip_bytes(stream).await,
            Act::Flood => flood_bytes(stream).await,
            _ => read_until_hung_up(stream).await,
        };
        shared.lock_books().make_room();
        return false;
    }
    shared.lock_books().make_room();
    match act {
        Act::Whole(response) => return send(stream, &response).await,
        Act::ThenClose(bytes) => {
            let _ = stream.write_all(&bytes).await;
        }
        Act::ThenReset(bytes) => {
            if !bytes.is_empty() && stream.write_all(&bytes).await.is_ok() {
                tokio::time::sleep(BEFORE_RESET).await;
            }
            let _ = stream.set_zero_linger();
        }
        Act::Stall | Act::Drip | Act::Flood => {}
    }
    false
}

async fn read_until_hung_up(stream: &mut TcpStream) -> io::Result<()> {
    let mut unread = [0; 512];
    while stream.read(&mut unread).await? > 0 {}
    Ok(())
}

/// The beginning of a body that never ends.
const OPENING: &[u8] = br#"{"id":"endless","choices":[{"message":{"content":""#;

fn opening_head() -> Vec<u8> {
    Response::json(200, &serde_json::Value::Null).head(HUGE)
}

async fn drip_bytes(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(&opening_head()).await?;
    for byte in OPENING.iter().chain(std::iter::repeat(&b'x')) {
        stream.write_all(std::slice::from_ref(byte)).await?;
        tokio::time::sleep(DRIP).await;
    }
    Ok(())
}

async fn flood_bytes(stream: &mut TcpStream) -> io::Result<()> {
    stream
        .write_all(&[&opening_head(), OPENING].concat())
        .await?;
    let mut left = HUGE - OPENING.len();
    let block = vec![b'x'; 64 * 1024];
    while left > 0 {
        let part = block.get(..left.min(block.len())).unwrap_or_default();
        stream.write_all(part).await?;
        left -= part.len();
    }
    read_until_hung_up(stream).await
}
