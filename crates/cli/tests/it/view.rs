//! `evenhand view`: the address on stdout, the data behind it, and a good end.
#![cfg(unix)]

use crate::common::{Desk, Ran};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};
use std::time::Duration;

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
        // With a review, words stand before the address of everything.
        let (_, address) = line.trim_end().split_once("http://").unwrap();
        let (host, path) = address.split_once('/').unwrap();
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

    /// Sends what a page of ours sends.
    fn post(&self, path: &str, body: &Value) -> Option<Value> {
        let (host, base, body) = (&self.host, &self.path, body.to_string());
        let mut stream = TcpStream::connect(host).ok()?;
        let request = format!(
            "POST {base}{path} HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\n\
             connection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
        serde_json::from_str(body).ok()
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
    ended.prints_nothing(0);
    ended.says("Ctrl-C");
}

/// A run whose judgments take a minute to read begins with its sums: here those whose judgments
/// cannot be read at all.
#[test]
fn the_pages_begin_before_the_judgments_are_read() {
    let desk = Desk::new(6, &["good", "fair", "poor"]);
    desk.done(&format!("{RANK} --run one"));
    let viewing = Viewing::start(&desk, "view one");
    viewing.json("api/rows?limit=1");
    let whole = viewing.json("api/overview");
    let version = viewing.json("api/version");
    assert_eq!(whole["counts"]["judgments"], 36);
    viewing.interrupt();

    let db = Connection::open(desk.path("one").join("run.sqlite")).unwrap();
    db.execute(
        "UPDATE judgments SET replicate = 'none' WHERE trial = 3",
        [],
    )
    .unwrap();
    let viewing = Viewing::start(&desk, "view one");
    assert_eq!(viewing.get("api/rows?limit=1").0, 500);
    assert_eq!(viewing.json("api/overview"), whole);
    assert_eq!(viewing.json("api/version"), version);
    viewing.interrupt();

    // Without sums all judgments are read.
    db.execute("DELETE FROM derived", []).unwrap();
    let viewing = Viewing::start(&desk, "view one");
    assert_eq!(viewing.get("api/overview").0, 500);
    viewing.interrupt();
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
    let viewing = Viewing::start(&desk, "view --review");
    viewing.json("api/runs");
    viewing.interrupt().says(
        "this address shows everything; for an address that shows the review alone, name one run: \
         `evenhand view RUN --review`",
    );
}

#[test]
fn a_network_address_is_warned_of() {
    let desk = Desk::new(2, &["good", "poor"]);
    desk.done(RANK);
    let viewing = Viewing::start(&desk, "view --host 0.0.0.0");
    viewing.json("api/runs");
    let ended = viewing.interrupt();
    ended.says("warning: listening on 0.0.0.0:");
}

#[test]
fn what_cannot_be_served_is_bad_usage() {
    let desk = Desk::empty();
    desk.write("scores.jsonl", r#"{"item":"q","system":"x","score":3}"#);
    desk.write("broken/run.sqlite", "no database");
    for (arguments, why) in [
        ("view", "runs: there is no run and no folder of runs here"),
        ("view broken", "broken: run.sqlite is not a run of evenhand"),
        (
            "view . --host nobody.invalid",
            "nobody.invalid:0: cannot listen there",
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
        ("view . --labels-out people.jsonl", "--review"),
        ("view . --items 30", "--review"),
        ("view . --review --items 0", "--items"),
        ("view . --review --sample best", "--sample"),
        (
            "view . --review --where colour=red",
            "--where colour: there is no such filter",
        ),
        (
            "view . --review --labels-out people.jsonl",
            "one file cannot hold",
        ),
    ] {
        let ran = desk.run(arguments);
        ran.prints_nothing(2);
        ran.says(why);
    }
}

/// Labels pair after pair until the server is gone; returns the keys that were said to be saved.
fn label_until_killed(viewing: &Viewing, round: u64) -> Vec<String> {
    let mut saved = Vec::new();
    for number in 0.. {
        let Some(next) = try_json(viewing, "api/review/next?annotator=ann") else {
            break;
        };
        let task = &next["task"];
        // On a quick machine every pair has its label before the server is killed.
        if task.is_null() {
            break;
        }
        let key = format!("key-{round:02}-{number:04}");
        let label = json!({
            "annotator": "ann", "id": task["id"], "draw": task["draw"], "choice": "left",
            "key": key,
        });
        match viewing.post("api/review/label", &label) {
            Some(answer) => saved.push(answer["key"].as_str().unwrap().into()),
            None => break,
        }
    }
    saved
}

fn try_json(viewing: &Viewing, path: &str) -> Option<Value> {
    let (host, base) = (&viewing.host, &viewing.path);
    let mut stream = TcpStream::connect(host).ok()?;
    let request = format!("GET {base}{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()
}

#[test]
fn a_label_that_was_acknowledged_outlives_a_kill() {
    let desk = Desk::new(60, &["good", "fair", "poor", "worse"]);
    desk.done(&format!("{RANK} --run one"));
    let mut saved = Vec::new();
    for round in 0..5 {
        let viewing = Viewing::start(&desk, "view one --review");
        let id = viewing.child.id().to_string();
        let killer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(60 + 17 * round));
            Command::new("kill").args(["-KILL", &id]).status().unwrap()
        });
        saved.extend(label_until_killed(&viewing, round));
        assert!(killer.join().unwrap().success());
        viewing.child.wait_with_output().unwrap();
    }
    let last = Viewing::start(&desk, "view one --review");
    last.json("api/review/next?annotator=ann");
    last.interrupt();
    let lines = desk.lines("one/labels.jsonl");
    let kept = lines.iter().map(|line| {
        let label: Value = serde_json::from_str(line).unwrap();
        label["key"].as_str().unwrap().to_owned()
    });
    let kept: BTreeSet<String> = kept.collect();
    assert_eq!(kept.len(), lines.len(), "no label stands twice");
    assert!(!saved.is_empty() && saved.iter().all(|key| kept.contains(key)));
}

#[test]
fn labels_of_people_go_into_a_corrected_ranking() {
    let desk = Desk::new(12, &["good", "fair", "poor"]);
    desk.done(&format!("{RANK} --run one"));
    let judged = desk
        .done("judge --data data --judge simulated:accuracy=0.8,seed=3 --run one --format json");
    desk.write("judgments.jsonl", judged.stdout);
    let viewing = Viewing::start(&desk, "view one --review --labels-out people.jsonl");
    for (number, choice) in (0..20).zip(["left", "right", "tie", "both-bad"].iter().cycle()) {
        for annotator in ["ann", "bea"] {
            let next = viewing.json(&format!("api/review/next?annotator={annotator}"));
            let task = &next["task"];
            // They agree but for every fifth pair.
            let apart = annotator == "bea" && number % 5 == 0;
            let choice = if apart { &"right" } else { choice };
            let label = json!({
                "annotator": annotator, "id": task["id"], "draw": task["draw"], "choice": choice,
                "key": format!("key-{annotator}-{number:04}"), "comment": "so it is",
            });
            assert_eq!(
                viewing.post("api/review/label", &label).unwrap()["saved"],
                true
            );
        }
    }
    let page = viewing.json("api/review/summary");
    let ended = viewing.interrupt();
    ended.says("labels are kept in people.jsonl");
    let ranked = desk.json("leaderboard judgments.jsonl --labels people.jsonl");
    assert_eq!(
        (
            ranked["ranking"].as_array().unwrap().len(),
            &ranked["labels"]["matched"]
        ),
        (3, &20.into())
    );
    let people = desk.json("meta people --labels people.jsonl");
    assert_eq!(people["labels"], 40);
    // The page and the commands say the same of the same labels.
    let judge = desk.json("meta judge --recorded judgments.jsonl --labels people.jsonl");
    for (said, found) in [
        (&page["agreement"]["alpha"], &people["alpha_nominal"]),
        (
            &page["agreement"]["kappas"][0]["kappa"],
            &people["by_annotator"][0]["kappa"],
        ),
        (
            &page["agreement"]["kappas"][0]["agree"],
            &people["agreement"],
        ),
        (&page["judge"]["agree"], &judge["accuracy_averaged"]),
        (&page["judge"]["kappa"], &judge["kappa_averaged"]),
    ] {
        let [said, found] = [said, found].map(|figure| figure.as_f64().unwrap());
        assert!((said - found).abs() < 1e-12, "{page} {people} {judge}");
    }
    assert_eq!(page["judge"]["n"], judge["n"]);
    // Of labels that differ, one win and one tie say, the mean counts for both.
    assert!(page["disagreements"].as_u64().unwrap() > 0, "{page}");
    let scores = |report: &Value| -> Vec<(String, f64)> {
        let rows = report["ranking"].as_array().unwrap().iter();
        rows.map(|row| (row["system"].to_string(), row["score"].as_f64().unwrap()))
            .collect()
    };
    for (said, found) in scores(&page["ranking"]).iter().zip(scores(&ranked)) {
        assert_eq!(said.0, found.0);
        assert!((said.1 - found.1).abs() < 1e-6, "{said:?} {found:?}");
    }
}

/// The three addresses of a review stand each in a line of its own, the owner's first.
#[test]
fn a_review_of_one_run_has_an_address_for_each_who_takes_part() {
    let desk = Desk::new(2, &["good", "poor"]);
    desk.done(&format!("{RANK} --run one"));
    let mut child = desk.start("view one --review");
    let stdout = BufReader::new(child.stdout.as_mut().unwrap());
    let lines: Vec<String> = stdout.lines().take(3).map(Result::unwrap).collect();
    let said: Vec<_> = lines
        .iter()
        .map(|line| line.split_once(": http://").unwrap())
        .collect();
    assert_eq!(
        [said[0].0, said[1].0, said[2].0],
        [
            "everything, for you",
            "the review alone, for those who judge",
            "the pairs on which they disagree, for who decides",
        ]
    );
    let (host, path) = said[2].1.split_once('/').unwrap();
    let viewing = Viewing {
        child,
        host: host.into(),
        path: format!("/{path}"),
    };
    assert_eq!(viewing.get("api/overview").0, 403);
    let next = viewing.json("api/review/next?annotator=cho");
    assert_eq!(
        (&next["queue"], &next["task"]),
        (&json!("adjudicate"), &Value::Null)
    );
    viewing
        .interrupt()
        .says("give the second to those who judge, and the third to who decides");
}
