//! Judges whose servers hold replies to a JSON schema, and those whose servers do not.

use crate::common::served::*;
use crate::common::{Desk, database};
use evenhand_testing::server::{Script, Server};
use serde_json::Value;
use std::collections::BTreeSet;

fn server(schemas: bool, logprobs: bool) -> Server {
    start(Script {
        schemas,
        logprobs,
        keep: 1000,
        ..quick()
    })
}

/// The keys of the calls that a run holds.
fn keys(desk: &Desk, run: &str) -> BTreeSet<Vec<u8>> {
    let database = database(&desk.path(run)).unwrap();
    let mut rows = database.prepare("SELECT key FROM calls").unwrap();
    let keys = rows.query_map([], |row| row.get(0)).unwrap();
    keys.collect::<Result<_, _>>().unwrap()
}

/// How many requests the server had, and how many of them name a schema.
fn asked(server: &Server) -> (u64, usize) {
    let requests = server.requests();
    let held = requests
        .iter()
        .filter(|request| request.body.contains("\"response_format\""));
    (server.stats().requests, held.count())
}

const FORMS: [&str; 4] = [
    "pairwise/cot/swap",
    "pairwise-score/cot/swap",
    "listwise/direct/single",
    "pointwise:1-5/cot/single",
];

/// Finite scores whatever was won, where scores are of comparisons.
fn prior(form: &str) -> &'static str {
    if form.starts_with("pointwise") {
        ""
    } else {
        "--prior 0.1"
    }
}

#[test]
fn replies_are_held_after_a_probe_of_one_call_and_the_run_goes_on_so() {
    for (logprobs, source) in [(false, "schema"), (true, "probabilities")] {
        for form in FORMS {
            let desk = Desk::new(3, &["ant", "bee", "cat"]);
            let server = server(true, logprobs);
            let settings = if logprobs {
                ""
            } else {
                "[judges.mine.dialect]\nlogprobs = false"
            };
            configure(&desk, &[&server.url()], settings);
            let prior = prior(form);
            let rank = format!("rank {MINE} --protocol {form} {prior} --format json");
            let first = desk.done(&format!("{rank} --run run"));
            let report = first.json();
            let calls = keys(&desk, "run").len() as u64;
            assert_eq!(asked(&server), (calls + 1, calls as usize + 1), "{form}");
            let has_answers = !form.starts_with("pairwise-score") && !form.starts_with("listwise");
            let source = if has_answers { source } else { "schema" };
            let trials = &report["coverage"]["trials"];
            assert_eq!(&report["sources"][source], trials, "{form}: {report}");
            if source == "schema" {
                let reading = &report["readings"][0];
                assert_eq!(reading["source"], "schema");
                let shown: Value =
                    serde_json::from_str(reading["reply"].as_str().unwrap()).unwrap();
                assert!(shown.get("verdict").is_some(), "{form}: {shown}");
            }
            let again = desk.done(&format!("{rank} --run run"));
            assert_eq!(first.timeless(), again.timeless(), "{form}");
            let recorded = desk.done(&format!(
                "rank --data data --judge recorded:run --protocol {form} {prior} --run replay \
                 --format json"
            ));
            assert_eq!(recorded.json()["ranking"], report["ranking"], "{form}");
            assert_eq!(
                asked(&server).0,
                calls + 1,
                "{form}: nothing is asked again"
            );
        }
    }
}

#[test]
fn a_server_that_passes_the_schema_over_is_asked_as_before_with_one_note() {
    for form in FORMS {
        let desk = Desk::new(2, &["ant", "bee", "cat"]);
        let server = server(false, true);
        configure(&desk, &[&server.url()], "");
        let prior = prior(form);
        let rank = format!("rank {MINE} --protocol {form} {prior} --keep-going --format json");
        let tried = desk.run(&format!("{rank} --run tried"));
        let notes = tried
            .stderr
            .matches("does not hold replies to a JSON schema")
            .count();
        assert_eq!(notes, 1, "{form}: {}", tried.stderr);
        let calls = keys(&desk, "tried").len() as u64;
        assert_eq!(asked(&server), (calls + 1, 1), "{form}: only the probe");
        let free = desk.run(&format!("{rank} --free-replies --no-reuse --run free"));
        assert!(
            !free.stderr.contains("JSON schema"),
            "{form}: {}",
            free.stderr
        );
        assert_eq!(asked(&server).0, 2 * calls + 1, "{form}: no probe");
        assert_eq!(keys(&desk, "tried"), keys(&desk, "free"), "{form}");
        // A run of before, found under the name of its settings, goes on without a probe.
        desk.run(&format!("{rank} --free-replies --no-reuse"));
        let before = asked(&server).0;
        desk.run(&rank);
        assert_eq!(asked(&server).0, before, "{form}");
    }
}

#[test]
fn a_bare_answer_whose_probabilities_come_is_asked_for_as_it_is() {
    let desk = Desk::new(3, &["ant", "bee"]);
    let server = server(true, true);
    configure(&desk, &[&server.url()], "");
    desk.done(&format!(
        "rank {MINE} --protocol pairwise/direct/swap --run run"
    ));
    assert_eq!(asked(&server), (6, 0));
}

#[test]
fn the_judges_settings_say_it_without_a_probe() {
    for (setting, held) in [("true", true), ("false", false)] {
        let desk = Desk::new(3, &["ant", "bee"]);
        let server = server(true, false);
        let settings = format!("[judges.mine.dialect]\nlogprobs = false\njson-schema = {setting}");
        configure(&desk, &[&server.url()], &settings);
        let rank = format!("rank {MINE} --protocol pairwise/direct/swap --run run");
        let report = desk.done(&format!("{rank} --format json")).json();
        assert_eq!(asked(&server), (6, if held { 6 } else { 0 }));
        let source = if held { "schema" } else { "text" };
        assert_eq!(report["sources"][source], 6, "{report}");
    }
}

/// Batch files are made without a server to ask: a judge of the settings is held, another is not.
#[test]
fn batch_files_are_held_where_the_settings_say_so() {
    let desk = Desk::new(2, &["ant", "bee"]);
    for (setting, held) in [("json-schema = true", 4), ("", 0)] {
        let run = format!("run{held}");
        configure(
            &desk,
            &["http://127.0.0.1:9/v1"],
            &format!("[judges.mine.dialect]\n{setting}"),
        );
        desk.done(&format!(
            "batch export {MINE} --protocol pairwise/cot/swap --run {run} --out {run}-out"
        ));
        let lines = std::fs::read_to_string(desk.path(&format!("{run}-out/batch-001.jsonl")));
        assert_eq!(lines.unwrap().matches("response_format").count(), held);
    }
}
