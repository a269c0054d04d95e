//! What the tests of served judges share: a judge in a configuration file, runs that are watched,
//! and stores that are compared.

use crate::common::{Desk, Ran, database};
use evenhand_testing::server::{RetryAfter, Script, Server};
use rusqlite::Connection;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

pub(crate) const SYSTEMS: [&str; 5] = ["ant", "bee", "cat", "dog", "eel"];
/// Calls for an item: all pairs of systems in both orders, a call each.
pub(crate) const CALLS_OF_ITEM: usize = 20;
/// The judge of `judge.toml`, and the data.
pub(crate) const MINE: &str = "--config judge.toml --judge mine --data data";

/// Writes `judge.toml`: a judge `mine` at these servers, with more settings as TOML.
pub(crate) fn configure(desk: &Desk, urls: &[&str], settings: &str) {
    configure_as(desk, "openai:m", urls, settings);
}

pub(crate) fn configure_as(desk: &Desk, spec: &str, urls: &[&str], settings: &str) {
    desk.write(
        "judge.toml",
        format!("[judges.mine]\nspec = '{spec}'\nendpoints = {urls:?}\n{settings}\n"),
    );
}

pub(crate) fn start(script: Script) -> Server {
    Server::start(script).unwrap()
}

/// Replies at once, and says to come back soon where it says when.
pub(crate) fn quick() -> Script {
    Script {
        retry_after: Some(RetryAfter::Millis(5)),
        ..Script::default()
    }
}

/// How a process ended, and the most memory that it held, in MiB; None where there is no `/proc`.
pub(crate) fn watched(mut child: Child) -> (Ran, Option<u64>) {
    let (status, mut most) = (format!("/proc/{}/status", child.id()), None);
    while child.try_wait().unwrap().is_none() {
        most = high_water(&status).or(most);
        std::thread::sleep(Duration::from_millis(10));
    }
    (Ran::of(child.wait_with_output().unwrap()), most)
}

fn high_water(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1024)
}

/// Waits until the server was asked so often: until a process has come so far.
pub(crate) fn wait_for_requests(server: &Server, requests: u64) {
    let started = Instant::now();
    while server.stats().requests < requests {
        assert!(
            started.elapsed() < Duration::from_secs(120),
            "the server never had {requests} requests"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What is printed as JSON, without the seconds, and without what was noted on how the judge
/// served: all that two runs with the same replies must share.
pub(crate) fn result(ran: &Ran) -> String {
    let mut report = ran.json();
    report["usage"]["seconds"] = Value::Null;
    report["warnings"]
        .as_array_mut()
        .unwrap()
        .retain(|warning| !is_note(warning));
    report["warning_kinds"]
        .as_array_mut()
        .unwrap()
        .retain(|kind| kind != "service");
    serde_json::to_string_pretty(&report).unwrap()
}

/// The warnings that say how the judge served.
pub(crate) fn notes(report: &Value) -> Vec<&str> {
    let warnings = report["warnings"].as_array().unwrap().iter();
    warnings
        .filter(|warning| is_note(warning))
        .map(|warning| warning.as_str().unwrap())
        .collect()
}

fn is_note(warning: &Value) -> bool {
    warning.as_str().unwrap().starts_with("openai:m: ")
}

pub(crate) fn column(db: &Connection, sql: &str) -> Vec<String> {
    let mut select = db.prepare(sql).unwrap();
    select
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

pub(crate) fn rows(desk: &Desk, run: &str, sql: &str) -> Vec<String> {
    column(&database(&desk.path(run)).unwrap(), sql)
}

/// The failures of a run by kind.
pub(crate) fn failures(desk: &Desk, run: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let kinds = rows(
        desk,
        run,
        "SELECT failure FROM judgments WHERE failure IS NOT NULL",
    );
    kinds
        .into_iter()
        .for_each(|kind| *counts.entry(kind).or_default() += 1);
    counts
}

/// All that a run directory holds, but for row ids and sessions.
#[derive(PartialEq)]
pub(crate) struct Kept {
    /// By key: request, reply, error, tokens, and what the server sent.
    pub(crate) calls: BTreeMap<String, String>,
    /// In the order of the plan: the judgment, and the keys of its calls.
    pub(crate) judgments: Vec<String>,
}

impl Kept {
    pub(crate) fn read(dir: &Path) -> Kept {
        let db = database(dir).unwrap();
        assert_eq!(column(&db, "PRAGMA integrity_check"), ["ok"]);
        let keys = column(&db, "SELECT lower(hex(key)) FROM calls ORDER BY id");
        assert_eq!(
            keys.iter().collect::<BTreeSet<_>>().len(),
            keys.len(),
            "no call is kept twice"
        );
        let all = "SELECT json_array(request, reply, error, prompt_tokens, completion_tokens, raw) \
                   FROM calls ORDER BY id";
        let judged = "SELECT json_array(trial, item, first, second, replicate, verdict, failure, \
                      detail,
            (SELECT json_group_array(hex(c.key)) FROM json_each(judgments.calls) AS id JOIN calls AS c ON c.id = id.value)) FROM judgments ORDER BY trial";
        Kept {
            calls: keys.into_iter().zip(column(&db, all)).collect(),
            judgments: column(&db, judged),
        }
    }
}

/// What is asked, whoever writes it down: the text of the last message.
pub(crate) fn question(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap();
    body["messages"].as_array().unwrap().last().unwrap()["content"]
        .as_str()
        .unwrap()
        .into()
}
