//! `evenhand view`: the address on stdout, the data behind it, and a good end.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod common;

use common::{Desk, Ran};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};

/// A server that was started, and the address that it printed.
struct Viewing {
    child: Child,
    host: String,
    path: String,
}

impl Viewing {
    fn start(desk: &Desk, arguments: &str) -> Viewing {
        let mut child = desk.start(arguments);
        let mut line = String::new();
        let stdout = child.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("http://");
        let (host, path) = address.and_then(|rest| rest.split_once('/')).unwrap();
        Viewing {
            child,
            host: host.into(),
            path: format!("/{path}"),
        }
    }

    fn get(&self, path: &str) -> (u16, String) {
        let (host, base) = (&self.host, &self.path);
        let mut stream = TcpStream::connect(host).unwrap();
        let request =
            format!("GET {base}{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head[9..12].parse().unwrap(), body.into())
    }

    fn json(&self, path: &str) -> Value {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Sends SIGINT, as Ctrl-C does.
    fn interrupt(self) -> Ran {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert!(sent.success());
        Ran::of(self.child.wait_with_output().unwrap())
    }
}

const RANK: &str = "rank --data data --judge simulated:accuracy=0.8,seed=3 --rounds 10";

#[test]
fn a_run_is_served_until_it_is_interrupted() {
    let desk = Desk::new(6, &["good", "fair", "poor"]);
    desk.done(&format!("{RANK} --run one"));
    let viewing = Viewing::start(&desk, "view one");
    assert!(viewing.host.starts_with("127.0.0.1:"), "{}", viewing.host);
    let overview = viewing.json("api/overview");
    assert_eq!(
        (&overview["mode"], &overview["title"]),
        (&"server".into(), &"one".into())
    );
    assert_eq!(overview["counts"]["judgments"], 36);
    assert_eq!(overview["report"]["ranking"].as_array().unwrap().len(), 3);
    assert_eq!(overview["live"], false);
    let row = &viewing.json("api/rows?limit=1&item=q2")["rows"][0];
    assert_eq!(row["excerpt"], "Name thing number 2.");
    let judgment = viewing.json(&format!("api/judgment/{}", row["id"]));
    assert!(judgment["calls"][0]["messages"].as_array().is_some());
    assert!(viewing.get("").1.contains("app.js"));
    let ended = viewing.interrupt();
    assert_eq!(
        (ended.code, &*ended.stdout),
        (Some(0), ""),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("Ctrl-C"), "{}", ended.stderr);
}

#[test]
fn the_folder_of_runs_is_what_is_served_by_itself() {
    let desk = Desk::new(3, &["good", "poor"]);
    desk.done(RANK);
    desk.write(
        "labels.jsonl",
        r#"{"item":"q1","a":"good","b":"poor","preferred":"b"}"#,
    );
    let viewing = Viewing::start(&desk, "view --labels labels.jsonl --quiet");
    let runs = viewing.json("api/runs");
    let name = runs[0]["name"].as_str().unwrap();
    assert_eq!(
        (runs.as_array().unwrap().len(), &runs[0]["judgments"]),
        (1, &6.into())
    );
    let rows = viewing.json(&format!("run/{name}/api/rows?people=any"));
    assert_eq!(
        (&rows["total"], &rows["rows"][0]["people"]),
        (&1.into(), &"b".into())
    );
    let ended = viewing.interrupt();
    assert_eq!((ended.code, &*ended.stderr), (Some(0), ""));
}

#[test]
fn a_network_address_is_warned_of() {
    let desk = Desk::new(2, &["good", "poor"]);
    desk.done(RANK);
    let viewing = Viewing::start(&desk, "view --host 0.0.0.0");
    viewing.json("api/runs");
    let ended = viewing.interrupt();
    assert!(
        ended.stderr.contains("warning: listening on 0.0.0.0:"),
        "{}",
        ended.stderr
    );
}

#[test]
fn what_cannot_be_served_is_bad_usage() {
    let desk = Desk::empty();
    desk.write("scores.jsonl", r#"{"item":"q","system":"x","score":3}"#);
    desk.write("broken/run.sqlite", "no database");
    for (arguments, why) in [
        ("view", "runs: there is no run and no folder of runs here"),
        ("view broken", "broken: run.sqlite is no run of evenhand"),
        (
            "view . --host nobody.invalid",
            "nobody.invalid:0: cannot be listened on",
        ),
        (
            "view . --labels scores.jsonl",
            "--labels: expected labels of pairs",
        ),
        (
            "view . --labels missing.jsonl",
            "missing.jsonl: cannot be read",
        ),
        ("view . --port 70000", "70000"),
    ] {
        let ran = desk.run(arguments);
        assert_eq!(
            (ran.code, &*ran.stdout),
            (Some(2), ""),
            "{arguments}: {}",
            ran.stderr
        );
        assert!(ran.stderr.contains(why), "{arguments}: {}", ran.stderr);
    }
}
