//! Load for the loopback server, as cheap as a client can be: raw TCP, one prepared request,
//! replies read by their length.
//!
//!     cargo run --release -p evenhand-testing --example load -- http://127.0.0.1:PORT/v1 [CALLS 100000] [CONNECTIONS 512] [BODY_BYTES 2000]
//!
//! Prints one line of JSON: calls, seconds, calls a second. What they cost the server is in its own
//! counts.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, otherwise| {
        words
            .get(index)
            .and_then(|word| word.parse().ok())
            .unwrap_or(otherwise)
    };
    let address = words.first().map(|url| {
        url.trim_start_matches("http://")
            .trim_end_matches("/v1")
            .to_string()
    });
    let address = address.ok_or_else(|| io::Error::other("expected the server's URL"))?;
    let (calls, connections, length) = (number(1, 100_000), number(2, 512), number(3, 2_000));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let start = Instant::now();
    runtime.block_on(all(&address, calls, connections, request(length)))?;
    report(calls, connections, start.elapsed().as_secs_f64());
    Ok(())
}

#[allow(clippy::print_stdout)]
fn report(calls: usize, connections: usize, seconds: f64) {
    let rate = calls as f64 / seconds;
    let line = serde_json::json!({"calls": calls, "connections": connections, "wall_s": seconds, "calls_per_s": rate});
    println!("{line}");
}

fn request(length: usize) -> Arc<[u8]> {
    let body = format!(
        r#"{{"model":"bench","messages":[{{"role":"user","content":"{}"}}]}}"#,
        "word ".repeat(length / 5)
    );
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: loopback\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    Arc::from([head.into_bytes(), body.into_bytes()].concat())
}

async fn all(
    address: &str,
    calls: usize,
    connections: usize,
    request: Arc<[u8]>,
) -> io::Result<()> {
    let left = Arc::new(AtomicI64::new(calls as i64));
    let mut workers = Vec::new();
    for _ in 0..connections {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        workers.push(tokio::spawn(work(
            stream,
            Arc::clone(&left),
            Arc::clone(&request),
        )));
    }
    for worker in workers {
        worker.await.map_err(io::Error::other)??;
    }
    Ok(())
}

async fn work(mut stream: TcpStream, left: Arc<AtomicI64>, request: Arc<[u8]>) -> io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    while left.fetch_sub(1, Ordering::Relaxed) > 0 {
        stream.write_all(&request).await?;
        reply(&mut stream, &mut buffer).await?;
    }
    Ok(())
}

/// Reads a reply whole.
async fn reply(stream: &mut TcpStream, buffer: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    loop {
        let free = buffer.get_mut(filled..).unwrap_or_default();
        match stream.read(free).await? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => filled += read,
        }
        if buffer
            .get(..filled)
            .and_then(length)
            .is_some_and(|length| filled >= length)
        {
            return Ok(());
        }
    }
}

/// The length of a reply, once its head is there.
fn length(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(bytes.get(..end)?).ok()?;
    let line = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))?;
    Some(end + line.parse::<usize>().ok()?)
}
