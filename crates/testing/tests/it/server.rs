//! Verdicts, connections, limits and counts.

use crate::common::{End, ask, ask_once, chat, connect, read, request, soon, start};
use evenhand_testing::server::{BatchOptions, Mode, Script, run_batch};
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;
use std::sync::Barrier;
use std::time::Duration;

#[test]
fn both_endpoints_give_the_same_verdict() {
    let server = start(Script::default());
    for n in 0..20 {
        let prompt = format!("{n}: close with Verdict: A or Verdict: B.");
        let body = json!({"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": prompt}]});
        let other = ask_once(
            &server,
            &request("/v1/messages", "x-api-key: k\r\n", &body.to_string()),
        )
        .json();
        let text = ask_once(&server, &chat(&prompt)).text();
        assert_eq!(other["content"][0]["text"], text);
        assert_eq!(other["stop_reason"], "end_turn");
        assert!(
            text.ends_with("\nVerdict: A") || text.ends_with("\nVerdict: B"),
            "{text}"
        );
    }
}

#[test]
fn one_connection_serves_many_requests_also_when_they_come_in_pieces_or_together() {
    let server = start(Script::default());
    let mut stream = connect(&server);
    let alone: Vec<String> = (0..3)
        .map(|n| ask_once(&server, &chat(&n.to_string())).text())
        .collect();
    let together: String = (0..3).map(|n| chat(&n.to_string())).collect();
    stream.write_all(together.as_bytes()).unwrap();
    assert_eq!(
        (0..3).map(|_| read(&mut stream).text()).collect::<Vec<_>>(),
        alone
    );
    for part in together.as_bytes().chunks(97) {
        stream.write_all(part).unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(
        (0..3).map(|_| read(&mut stream).text()).collect::<Vec<_>>(),
        alone
    );
    assert_eq!(server.stop().connections, 4);
}

#[test]
fn without_the_key_nobody_is_served_and_the_key_that_was_sent_comes_back() {
    let server = start(Script {
        require_key: Some("right".into()),
        ..Script::default()
    });
    let with = |header: &str| {
        ask_once(
            &server,
            &request("/v1/chat/completions", header, r#"{"messages": []}"#),
        )
    };
    let wrong = with("Authorization: Bearer wr0ng\r\n");
    assert_eq!(wrong.status, 401);
    assert!(
        wrong.json()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("wr0ng")
    );
    assert_eq!(with("").status, 401);
    assert_eq!(
        [
            with("Authorization: Bearer right\r\n"),
            with("x-api-key: right\r\n")
        ]
        .map(|got| got.status),
        [200, 200]
    );
    assert_eq!(server.stop().unauthorized, 2);
}

/// Statuses of so many requests at the same time, each for a body of its own.
fn at_once(server: &evenhand_testing::server::Server, many: usize) -> Vec<u16> {
    let barrier = Barrier::new(many);
    std::thread::scope(|scope| {
        let asks = (0..many).map(|n| {
            let barrier = &barrier;
            scope.spawn(move || {
                let mut stream = connect(server);
                barrier.wait();
                ask(&mut stream, &chat(&n.to_string())).status
            })
        });
        asks.collect::<Vec<_>>()
            .into_iter()
            .map(|ask| ask.join().unwrap())
            .collect()
    })
}

#[test]
fn requests_beyond_the_capacity_are_turned_away() {
    for threads in [1, 2] {
        let server = start(Script {
            capacity: Some(3),
            latency: Duration::from_millis(600),
            threads,
            ..Script::default()
        });
        let statuses = at_once(&server, 10);
        assert_eq!(
            statuses.iter().filter(|status| **status == 200).count(),
            3,
            "{statuses:?}"
        );
        assert_eq!(
            statuses.iter().filter(|status| **status == 429).count(),
            7,
            "{statuses:?}"
        );
        let stats = server.stop();
        assert_eq!(
            (
                stats.most_at_once,
                stats.rejected,
                stats.replied,
                stats.distinct_bodies
            ),
            (3, 7, 3, 3)
        );
        assert_eq!(
            stats
                .bins
                .iter()
                .map(|bin| (bin.accepted, bin.rejected))
                .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1)),
            (3, 7)
        );
    }
}

#[test]
fn after_its_number_of_requests_the_server_is_gone_and_another_can_take_its_place() {
    let server = start(Script {
        die_after: Some(3),
        ..Script::default()
    });
    let mut idle = connect(&server);
    let mut stream = connect(&server);
    let statuses: Vec<u16> = (0..4)
        .map(|n| ask(&mut stream, &chat(&n.to_string())).status)
        .collect();
    assert_eq!(statuses, [200, 200, 200, 0]);
    assert_eq!(read(&mut idle).end, End::Closed);
    assert!(soon(
        || TcpStream::connect(("127.0.0.1", server.port())).is_err()
    ));
    assert_eq!((server.stats().requests, server.stats().replied), (3, 3));
    let port = server.port();
    drop((server, stream, idle));
    let next = start(Script {
        port,
        ..Script::default()
    });
    assert_eq!(ask_once(&next, &chat("0")).status, 200);
}

#[test]
fn what_is_unanswered_when_the_server_dies_stays_unanswered() {
    let server = start(Script {
        die_after: Some(1),
        latency: Duration::from_secs(60),
        ..Script::default()
    });
    let mut waiting = connect(&server);
    waiting.write_all(chat("a").as_bytes()).unwrap();
    while server.stats().requests == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(ask_once(&server, &chat("b")).status, 0);
    assert_eq!(read(&mut waiting).end, End::Closed);
    assert_eq!(server.stop().replied, 0);
}

#[test]
fn what_was_paid_for_twice_is_counted() {
    let server = start(Script {
        keep: 2,
        ..Script::default()
    });
    for user in ["a", "b", "a", "a", "c", "b"] {
        assert_eq!(ask_once(&server, &chat(user)).status, 200);
    }
    let kept = server.requests();
    assert_eq!(
        kept.iter()
            .map(|seen| format!("{}{}", seen.head, seen.body))
            .collect::<Vec<_>>(),
        [chat("a"), chat("b")]
    );
    let stats = server.stop();
    assert_eq!(
        (
            stats.replied,
            stats.distinct_bodies,
            stats.bodies_replied_more_than_once
        ),
        (6, 3, 2)
    );
}

#[test]
fn a_fast_server_gives_one_reply_to_all() {
    let server = start(Script {
        mode: Mode::Fast,
        ..Script::default()
    });
    let reply = ask_once(&server, &chat("a"));
    assert_eq!(
        reply,
        ask_once(&server, &request("/v1/chat/completions", "", "no JSON"))
    );
    assert!(["A", "B"].contains(&reply.text().as_str()));
    assert!(
        reply.json()["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
            .as_array()
            .unwrap()
            .len()
            >= 5
    );
}

#[test]
fn a_batch_has_the_verdicts_of_the_live_server() {
    let server = start(Script::default());
    let requests: Vec<(String, Value)> = (0..20)
        .map(|n| {
            (
                format!("r{n}"),
                json!([{"role": "user", "content": n.to_string()}]),
            )
        })
        .collect();
    let line = |(id, messages): &(String, Value)| {
        let body =
            json!({"model": "judge", "messages": messages, "logprobs": true, "top_logprobs": 5});
        json!({"custom_id": id, "method": "POST", "url": "/v1/chat/completions", "body": body})
            .to_string()
            + "\n"
    };
    let output = run_batch(
        &requests.iter().map(line).collect::<String>(),
        &BatchOptions::default(),
    );
    for (n, (id, _)) in requests.iter().enumerate() {
        let found = output
            .iter()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .find(|line| line["custom_id"] == *id)
            .unwrap();
        assert_eq!(
            found["response"]["body"],
            ask_once(&server, &chat(&n.to_string())).json()
        );
        assert_eq!(
            (&found["response"]["status_code"], &found["error"]),
            (&json!(200), &Value::Null)
        );
    }
}
