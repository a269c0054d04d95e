//! What each fault looks like on the wire.

use crate::common::{End, Got, ask, ask_once, chat, connect, soon, start};
use evenhand_testing::server::{Fault, RetryAfter, Script, Server};
use serde_json::{Value, json};
use std::time::Duration;

fn only(fault: Fault) -> Script {
    Script {
        faults: 1.0,
        fault_kinds: vec![fault],
        ..Script::default()
    }
}

fn got(fault: Fault) -> Got {
    ask_once(&start(only(fault)), &chat("Which?"))
}

#[test]
fn faults_with_a_status_have_it_and_keep_the_connection() {
    use Fault::*;
    let expected = [
        (TooManyWithRetryAfter, 429),
        (TooMany, 429),
        (Quota, 429),
        (Internal500, 500),
        (BadGateway502, 502),
        (Unavailable503, 503),
        (GatewayTimeout504, 504),
        (Overloaded529, 529),
        (BadRequest400, 400),
        (ContextTooLong400, 400),
        (ContentFilter400, 400),
        (Unauthorized401, 401),
        (Forbidden403, 403),
        (NotFound404, 404),
        (Redirect307, 307),
    ];
    for (fault, status) in expected {
        let server = start(only(fault));
        let mut stream = connect(&server);
        for _ in 0..2 {
            let got = ask(&mut stream, &chat("Which?"));
            assert_eq!((got.status, got.end), (status, End::Whole), "{fault:?}");
            assert_eq!(
                got.header("content-type") == Some("application/json"),
                serde_json::from_slice::<Value>(&got.body).is_ok()
            );
        }
        assert_eq!(server.stop().faults, [(fault, 2)].into());
    }
}

#[test]
fn a_429_says_when_to_ask_again_if_it_is_told_to() {
    assert_eq!(
        got(Fault::TooManyWithRetryAfter).header("retry-after"),
        Some("1")
    );
    assert_eq!(got(Fault::TooMany).header("retry-after"), None);
    let after = |after| Script {
        retry_after: Some(after),
        ..only(Fault::TooManyWithRetryAfter)
    };
    let asked = |script| ask_once(&start(script), &chat("Which?"));
    assert_eq!(
        asked(after(RetryAfter::Millis(30))).header("retry-after-ms"),
        Some("30")
    );
    assert_eq!(
        asked(after(RetryAfter::Text("soon".into()))).header("retry-after"),
        Some("soon")
    );
}

#[test]
fn connections_break_where_they_should() {
    let before = got(Fault::ResetBeforeReply);
    assert_eq!((before.head.as_str(), before.end), ("", End::Reset));
    let closed = got(Fault::CloseBeforeReply);
    assert_eq!(
        (closed.head.as_str(), closed.body.len(), closed.end),
        ("", 0, End::Closed)
    );
    for (fault, end) in [
        (Fault::ResetMidBody, End::Reset),
        (Fault::CloseMidBody, End::Closed),
    ] {
        let half = got(fault);
        assert_eq!(
            (half.status, half.end, half.body.len()),
            (200, end, half.announced() / 2),
            "{fault:?}"
        );
    }
    let noise = got(Fault::NotHttp);
    assert_eq!((noise.status, noise.end), (0, End::Closed));
}

#[test]
fn endless_faults_go_on_until_the_client_hangs_up_and_then_make_room() {
    for (fault, least, most) in [
        (Fault::Stall, 0, 0),
        (Fault::SlowLoris, 1, 100),
        (Fault::HugeBody, 999_000, 2_000_000),
    ] {
        let server = start(Script {
            capacity: Some(1),
            fault_attempts: Some(1),
            ..only(fault)
        });
        let mut stream = connect(&server);
        if fault == Fault::Stall {
            stream
                .set_read_timeout(Some(Duration::from_millis(130)))
                .unwrap();
        }
        let got = match fault {
            Fault::SlowLoris => drip(&mut stream),
            _ => ask(&mut stream, &chat("Which?")).body.len(),
        };
        assert!((least..=most).contains(&got), "{fault:?}: {got}");
        assert_eq!(ask_once(&server, &chat("Which?")).status, 429, "{fault:?}");
        drop(stream);
        assert!(
            soon(|| ask_once(&server, &chat("Which?")).status == 200),
            "{fault:?}"
        );
    }
}

/// Bytes of the body that came before the fifth.
fn drip(stream: &mut std::net::TcpStream) -> usize {
    use std::io::{Read, Write};
    stream.write_all(chat("Which?").as_bytes()).unwrap();
    let mut block = [0; 4096];
    let head = stream.read(&mut block).unwrap();
    assert!(String::from_utf8_lossy(&block[..head]).contains("content-length: 67108864\r\n"));
    (0..4).map(|_| stream.read(&mut block).unwrap()).sum()
}

#[test]
fn bodies_are_broken_as_they_should_be() {
    let parsed = |fault| serde_json::from_slice::<Value>(&got(fault).body);
    for fault in [
        Fault::MalformedJson,
        Fault::CutJson,
        Fault::NotUtf8,
        Fault::EmptyBody,
        Fault::Html,
    ] {
        let got = got(fault);
        assert_eq!((got.status, got.end), (200, End::Whole), "{fault:?}");
        assert!(parsed(fault).is_err(), "{fault:?}");
    }
    assert!(parsed(Fault::CutJson).unwrap_err().is_eof());
    assert!(String::from_utf8(got(Fault::NotUtf8).body).is_err());
    assert!(parsed(Fault::NotAnObject).unwrap().is_array());
    assert_eq!(
        parsed(Fault::ErrorIn200).unwrap()["error"]["code"],
        "server_error"
    );
    assert_eq!(parsed(Fault::EmptyChoices).unwrap()["choices"], json!([]));
    assert_eq!(
        parsed(Fault::WrongTypes).unwrap()["choices"][0]["message"]["content"],
        42
    );
    assert_eq!(
        parsed(Fault::EmptyText).unwrap()["choices"][0]["message"]["content"],
        ""
    );
}

/// Which of 60 bodies, asked in this order, end in which status at first and when asked again.
fn statuses(server: &Server, order: impl Iterator<Item = usize>) -> Vec<(usize, u16, u16)> {
    let ask = |n: usize| ask_once(server, &chat(&n.to_string())).status;
    let mut statuses: Vec<_> = order.map(|n| (n, ask(n), ask(n))).collect();
    statuses.sort();
    statuses
}

#[test]
fn faults_depend_on_the_seed_the_body_and_the_attempt_and_not_on_the_order() {
    let script = |seed| Script {
        faults: 0.5,
        fault_kinds: vec![Fault::TooMany, Fault::Internal500],
        seed,
        ..Script::default()
    };
    let first = statuses(&start(script(1)), 0..60);
    assert_eq!(first, statuses(&start(script(1)), (0..60).rev()));
    assert_ne!(first, statuses(&start(script(2)), 0..60));
    assert!(first.iter().any(|(_, once, again)| once != again));
    let faulted = first
        .iter()
        .flat_map(|(_, once, again)| [*once, *again])
        .filter(|status| *status != 200)
        .count();
    assert!((40..80).contains(&faulted), "{faulted} of 120");
}
