//! Who is let in, and what others are told.

use crate::common::{Answer, Server, make_run};
use evenhand_testing::is_slow;

fn served() -> (tempfile::TempDir, Server) {
    let dir = tempfile::tempdir().unwrap();
    make_run(&dir.path().join("one"));
    let server = Server::of(&dir.path().join("one"));
    (dir, server)
}

fn tells_nothing(answer: &Answer) {
    assert_eq!((answer.status, &*answer.body), (404, ""), "{answer:?}");
}

#[test]
fn without_the_token_there_is_nothing() {
    let (_dir, server) = served();
    let host = server.host();
    let wrong = "A".repeat(32);
    let cut = &server.base[..server.base.len() - 2];
    for path in [
        "/",
        "/api/overview",
        "/app.js",
        &format!("/{wrong}/api/overview"),
        &format!("{cut}/"),
        &format!("//x{}", server.base),
        &format!("/{wrong}"),
        "/%2e%2e/",
        "*",
    ] {
        tells_nothing(&server.send("GET", path, &host, "", ""));
    }
    let upper = server.base.to_uppercase();
    tells_nothing(&server.send("GET", &format!("{upper}x"), &host, "", ""));
    assert_eq!(server.get("").status, 200);
    let bare = server.base.trim_end_matches('/');
    let answer = server.send("GET", bare, &host, "", "");
    assert_eq!(
        (answer.status, answer.header("location")),
        (308, Some(&*server.base))
    );
}

#[test]
fn a_host_of_others_is_refused() {
    let (_dir, server) = served();
    let (base, port) = (&server.base, server.address.port());
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1",
        "127.0.0.1:1",
        "",
        &format!("localhost.evil.example:{port}"),
    ] {
        let answer = server.send("GET", base, host, "", "");
        assert_eq!((answer.status, &*answer.body), (403, ""), "{host}");
    }
    let evil = format!("http://evil.example:{port}{base}");
    assert_eq!(
        server.send("GET", &evil, &server.host(), "", "").status,
        403
    );
    let twice = format!("host: evil.example:{port}\r\n");
    assert_eq!(
        server.send("GET", base, &server.host(), &twice, "").status,
        403
    );
    let none = format!("GET {base} HTTP/1.0\r\n\r\n");
    assert_eq!(server.send_raw(&none).status, 403);
    for host in [
        format!("localhost:{port}"),
        format!("LocalHost:{port}"),
        format!("[::1]:{port}"),
    ] {
        assert_eq!(
            server.send("GET", base, &host, "", "").status,
            200,
            "{host}"
        );
    }
}

#[test]
fn only_our_own_pages_may_change_something() {
    let (_dir, server) = served();
    let path = format!("{}api/overview", server.base);
    let post = |headers: &str| {
        server
            .send("POST", &path, &server.host(), headers, "{}")
            .status
    };
    for headers in [
        "",
        "origin: http://evil.example\r\n",
        "origin: null\r\n",
        "origin: null\r\nsec-fetch-site: cross-site\r\n",
        "sec-fetch-site: same-site\r\n",
        &format!("{}origin: http://evil.example\r\n", server.origin()),
    ] {
        assert_eq!(post(headers), 403, "{headers}");
    }
    for headers in [
        &server.origin(),
        "sec-fetch-site: same-origin\r\n",
        "origin: null\r\nsec-fetch-site: same-origin\r\n",
    ] {
        assert_eq!(post(headers), 405, "{headers}");
    }
    let foreign = "origin: http://evil.example\r\n";
    assert_eq!(
        server
            .send("GET", &path, &server.host(), foreign, "")
            .status,
        403
    );
    assert_eq!(
        server
            .send("GET", &path, &server.host(), &server.origin(), "")
            .status,
        200
    );
}

#[test]
fn every_answer_has_the_headers_that_keep_others_out() {
    let (_dir, server) = served();
    let answers = [
        server.get(""),
        server.get("app.js"),
        server.get("api/overview"),
        server.get("nowhere"),
        server.get("api/rows?odd"),
        server.send("GET", "/", &server.host(), "", ""),
        server.send("GET", "/", "evil.example", "", ""),
    ];
    for answer in answers {
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self';"),
            "{policy}"
        );
        assert!(policy.ends_with("frame-ancestors 'none'"), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{name}");
        }
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

#[test]
fn what_is_no_request_harms_nothing() {
    let (_dir, server) = served();
    let long = "x".repeat(600_000);
    let base = &server.base;
    let host = server.host();
    for request in [
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "\u{1}\u{2}\r\n\r\n",
        &format!("GET {base}?{long} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"),
        &format!(
            "GET {base}api/rows?text=%ff%00%zz HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
        ),
        &format!(
            "GET {base}api/judgment/%ff HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
        ),
        &format!("DELETE {base} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"),
    ] {
        let status = server.send_raw(request).status;
        assert!(
            status < 500,
            "{status}: {}",
            &request[..request.len().min(80)]
        );
    }
    assert_eq!(server.get("api/version").status, 200);
}

/// The connections that the server serves at a time.
const PLACES: usize = 512;

/// Clients that begin a request and do not end it are let go, in the head or in the body, and
/// others are served meanwhile.
#[test]
fn slow_clients_are_let_go() {
    use std::io::{Read, Write};
    let (_dir, server) = served();
    let (host, base) = (server.host(), &server.base);
    let origin = server.origin();
    let beginnings = [
        "GET / HT".to_string(),
        format!("GET {base} HTTP/1.1\r\nhost: {host}\r\n"),
        format!(
            "POST {base}api/review/label HTTP/1.1\r\nhost: {host}\r\n{origin}content-length: \
             9\r\n\r\n[1"
        ),
    ];
    let slow = (0..PLACES + 88).map(|number| {
        let mut stream = std::net::TcpStream::connect(server.address).unwrap();
        // The last ones may wait for a place.
        let beginning = &beginnings[number % beginnings.len()];
        stream.write_all(beginning.as_bytes()).unwrap();
        stream
    });
    let slow: Vec<_> = slow.collect();
    assert_eq!(
        server.get("").status,
        200,
        "whoever asks has a place in the end"
    );
    // Those that waited for a place are let go as long after they got it: looked at where
    // EVENHAND_SLOW=1 is set.
    let looked_at = if is_slow() { slow.len() } else { PLACES };
    for mut stream in slow.into_iter().take(looked_at) {
        let timeout = std::time::Duration::from_secs(120);
        stream.set_read_timeout(Some(timeout)).unwrap();
        let mut answer = Vec::new();
        // An answer, or none: it ends.
        if let Err(error) = stream.read_to_end(&mut answer) {
            let kinds = [std::io::ErrorKind::ConnectionReset];
            assert!(kinds.contains(&error.kind()), "{error:?}");
        }
    }
}
