//! The binary: its URL first, its counts when stdin ends.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenhand-loopback"));
    command.args(arguments).env("LOOPBACK_TEST_KEY", "k");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn status(url: &str, key: &str) -> u16 {
    let mut stream = TcpStream::connect(
        url.strip_prefix("http://")
            .unwrap()
            .strip_suffix("/v1")
            .unwrap(),
    )
    .unwrap();
    let head = format!(
        "connection: close\r\nauthorization: Bearer {key}\r\ncontent-length: 2\r\n\r\n{{}}"
    );
    stream
        .write_all(format!("POST /v1/chat/completions HTTP/1.1\r\n{head}").as_bytes())
        .unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    reply.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn it_serves_until_stdin_ends_and_then_says_what_it_did() {
    let mut child = start(&[
        "--fast",
        "--latency-ms",
        "1",
        "--require-key-env",
        "LOOPBACK_TEST_KEY",
        "--threads",
        "2",
    ]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let url = lines.next().unwrap().unwrap();
    assert_eq!(
        [status(&url, "k"), status(&url, "x"), status(&url, "k")],
        [200, 401, 200]
    );
    drop(child.stdin.take());
    let stats: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(
        (
            &stats["requests"],
            &stats["replied"],
            &stats["unauthorized"]
        ),
        (&3.into(), &2.into(), &1.into())
    );
    assert!(child.wait().unwrap().success());
    assert!(lines.next().is_none());
}
