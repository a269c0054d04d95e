//! Batch files: the same replies give the same judgments, whether they come live, in batches or
//! from a recorded run.

mod errors;
mod run;
mod waves;

use crate::common::{Desk, Ran, answer, assert_holds};
use evenhand_testing::server::{BatchOptions, Script, Server, run_batch};
use serde_json::{Value, json};

const KEYS: [&str; 4] = [
    "GEMINI_API_KEY",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "EVENHAND_API_KEY",
];

/// Runs it without any key.
fn keyless(desk: &Desk, arguments: &str) -> Ran {
    let mut command = desk.command(arguments);
    KEYS.iter().for_each(|key| {
        command.env_remove(key);
    });
    Ran::of(command.output().unwrap())
}

fn done(desk: &Desk, arguments: &str) -> Ran {
    let ran = keyless(desk, arguments);
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    ran
}

fn count(report: &Value, field: &str) -> u64 {
    report[field]
        .as_u64()
        .unwrap_or_else(|| panic!("{field}: {report}"))
}

/// Every line that is not empty is counted once.
fn assert_adds_up(imported: &Value) {
    let parts = [
        "replies",
        "final_errors",
        "passing_errors",
        "duplicates",
        "unknown",
        "unreadable",
    ];
    assert_eq!(
        parts.iter().map(|part| count(imported, part)).sum::<u64>(),
        count(imported, "lines"),
        "{imported}"
    );
}

fn answers(answers: &[&str]) -> Script {
    Script {
        answers: answers.iter().map(|answer| answer.to_string()).collect(),
        ..Script::default()
    }
}

/// The paths of an export's files.
fn files(exported: &Value) -> Vec<String> {
    exported["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file.as_str().unwrap().to_string())
        .collect()
}

/// Exports, answers and imports until nothing is missing; how many waves had requests.
fn waves(desk: &Desk, flags: &str, options: impl Fn(usize, &str) -> BatchOptions) -> usize {
    for wave in 0..40 {
        let exported = done(
            desk,
            &format!(
                "batch export {flags} --run batch --out wave{wave} --format json --max-lines 7"
            ),
        )
        .json();
        let files = files(&exported);
        if count(&exported, "requests") == 0 {
            assert!(
                files.is_empty() && count(&exported, "waiting") == 0,
                "{exported}"
            );
            return wave;
        }
        let results = files.iter().map(|file| {
            let lines = run_batch(&desk.read(file), &options(wave, file));
            desk.write(&format!("{file}.result"), lines.join("\n"));
            format!("{file}.result")
        });
        let results: Vec<String> = results.collect();
        assert_adds_up(
            &done(
                desk,
                &format!(
                    "batch import {} --run batch --format json",
                    results.join(" ")
                ),
            )
            .json(),
        );
    }
    panic!("40 waves were not enough");
}

/// The judgments of a finished run and of its replay, both of which ask nobody.
fn from_the_store(desk: &Desk, flags: &str) -> [String; 2] {
    let stored = done(desk, &format!("judge {flags} --run batch --format json"));
    stored.says(": 0 calls made now");
    let protocol = flags.split_once(" --judge").unwrap().0;
    let panel = if flags.contains("--panel") {
        " --panel mean"
    } else {
        ""
    };
    let replayed = done(
        desk,
        &format!("judge {protocol}{panel} --judge recorded:batch --run replay --format json"),
    );
    [stored.stdout, replayed.stdout]
}

/// Answers of several sentences, so that portia has something to split.
fn talkative() -> Desk {
    let desk = Desk::new(3, &[]);
    let text = |item: usize, system: &str| {
        format!(
            "Thing {item} is one that {system} names. It has a colour. It also has a size, says \
             {system}. That is all."
        )
    };
    let all = (0..3).flat_map(|item| {
        ["ant", "bee", "cat"].map(|system| answer(item, system, &text(item, system)))
    });
    desk.write("data/responses.jsonl", all.collect::<String>());
    desk
}

/// Live, batch and replay give the same bytes; the judges answer by these scripts.
fn law(protocol: &str, scripts: &[Script], rounds: usize) {
    let desk = talkative();
    let servers: Vec<Server> = scripts
        .iter()
        .map(|script| Server::start(script.clone()).unwrap())
        .collect();
    let judges = servers
        .iter()
        .zip("abc".chars())
        .map(|(server, name)| format!(" --judge openai:{name}@{}", server.url()));
    let panel = if scripts.len() > 1 {
        " --panel mean"
    } else {
        ""
    };
    let flags = format!(
        "--data data --protocol {protocol}{}{panel}",
        judges.collect::<String>()
    );
    let live = done(&desk, &format!("judge {flags} --run live --format json")).stdout;
    servers
        .into_iter()
        .for_each(|server| assert!(server.stop().replied > 0));
    assert!(
        live.lines().count() >= 9 && live.contains("\"failure\":null"),
        "{live}"
    );
    let script = |file: &str| scripts[usize::from(file.contains("judge2-"))].clone();
    let asked = waves(&desk, &flags, |wave, file| BatchOptions {
        script: script(file),
        seed: wave as u64 + 1,
        ..BatchOptions::default()
    });
    assert_eq!(asked, rounds, "{protocol}");
    let [stored, replayed] = from_the_store(&desk, &flags);
    assert!(
        stored == live,
        "{protocol}: the batch's judgments differ:\n{stored}\nlive:\n{live}"
    );
    assert!(
        replayed == live,
        "{protocol}: the replay differs:\n{replayed}\nlive:\n{live}"
    );
}

/// A desk with the first export of 18 requests.
fn exported(flags: &str) -> (Desk, Value) {
    let desk = Desk::new(3, &["ant", "bee", "cat"]);
    let exported = done(
        &desk,
        &format!("batch export {PLAN} --run batch --out out --format json{flags}"),
    )
    .json();
    (desk, exported)
}

/// Where nobody listens.
const PLAN: &str =
    "--data data --protocol pairwise/direct/swap --judge openai:m@http://127.0.0.1:9/v1";

fn import(desk: &Desk, files: &str) -> Value {
    let imported = done(
        desk,
        &format!("batch import {files} --run batch --format json"),
    )
    .json();
    assert_adds_up(&imported);
    imported
}

/// The counts: replies, final, passing, duplicates, unknown, unreadable, left.
fn counts(imported: &Value) -> [u64; 7] {
    [
        "replies",
        "final_errors",
        "passing_errors",
        "duplicates",
        "unknown",
        "unreadable",
        "left",
    ]
    .map(|name| count(imported, name))
}

#[test]
fn files_are_split_by_lines_and_bytes_and_never_overwritten() {
    let (desk, first) = exported(" --max-lines 7");
    let lines: Vec<usize> = files(&first)
        .iter()
        .map(|file| desk.lines(file).len())
        .collect();
    assert_eq!(count(&first, "requests"), 18);
    assert_eq!(count(&first, "exported_before"), 0);
    assert_eq!(lines, vec![7, 7, 4]);
    let before = desk.read("out/batch-001.jsonl");
    let longest = before.lines().map(str::len).max().unwrap() + 1;
    let again = done(
        &desk,
        &format!(
            "batch export {PLAN} --run batch --out out --format json --max-bytes {}",
            4 * longest
        ),
    )
    .json();
    assert_eq!(count(&again, "requests"), 18);
    assert_eq!(count(&again, "exported_before"), 18);
    let sizes: Vec<usize> = files(&again)
        .iter()
        .map(|file| desk.read(file).len())
        .collect();
    assert!(
        sizes.len() >= 5 && sizes.iter().all(|size| *size <= 4 * longest),
        "{sizes:?}"
    );
    assert_eq!(files(&again)[0], "out/batch-004.jsonl");
    assert_eq!(desk.read("out/batch-001.jsonl"), before);
    let told = done(&desk, &format!("batch export {PLAN} --run batch --out out")).stdout;
    assert_holds(
        &told,
        "18 requests, of which 18 were exported before and have no result yet; 18 of \
                       18 trials wait",
    );
    let refused = keyless(
        &desk,
        &format!("batch export {PLAN} --run batch --out out --max-bytes 10"),
    );
    refused.ends(2, "--max-bytes 10: one request alone takes");
    assert_eq!(
        keyless(
            &desk,
            &format!("batch export {PLAN} --out out --max-lines 0")
        )
        .code,
        Some(2)
    );
}

#[test]
fn whatever_a_batch_runner_does_the_judgments_come_out_the_same() {
    let desk = Desk::new(3, &["ant", "bee", "cat"]);
    let trouble = |wave: usize, _: &str| BatchOptions {
        seed: wave as u64 + 1,
        missing: 0.2,
        failed: 0.4,
        duplicates: 0.3,
        unknown: 2,
        junk: 2,
        ..BatchOptions::default()
    };
    assert!(waves(&desk, PLAN, trouble) > 1);
    let stored = from_the_store(&desk, PLAN);
    let calm = Desk::new(3, &["ant", "bee", "cat"]);
    assert_eq!(waves(&calm, PLAN, |_, _| BatchOptions::default()), 1);
    assert!(stored == from_the_store(&calm, PLAN));
}

/// A result with this status and body for a line of an exported file.
fn result(line: &str, status: u16, body: &Value) -> String {
    let request: Value = serde_json::from_str(line).unwrap();
    json!({"custom_id": request["custom_id"], "response": {"status_code": status, "body": body}, "error": null}).to_string()
}

fn good() -> Value {
    json!({"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 5, "completion_tokens": 1}})
}

fn failed(code: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": "invalid_request_error", "code": code}})
}

/// A live run may ask what was exported; its results are then duplicates, and nothing is kept
/// twice.
#[test]
fn results_of_what_was_asked_live_meanwhile_are_duplicates() {
    let desk = Desk::new(3, &["ant", "bee", "cat"]);
    let server = Server::start(Script::default()).unwrap();
    let flags = format!(
        "--data data --protocol pairwise/direct/swap --judge openai:m@{} --run batch",
        server.url()
    );
    done(&desk, &format!("batch export {flags} --out out"));
    desk.write(
        "results",
        run_batch(&desk.read("out/batch-001.jsonl"), &BatchOptions::default()).join("\n"),
    );
    done(&desk, &format!("judge {flags}"));
    assert_eq!(counts(&import(&desk, "results")), [0, 0, 0, 18, 0, 0, 0]);
}

#[test]
fn a_judge_that_is_not_served_has_no_batch_files() {
    let desk = Desk::new(1, &["ant", "bee"]);
    let ran = keyless(
        &desk,
        "batch export --data data --judge simulated --run batch --out out",
    );
    ran.ends(
        2,
        "is not a served judge; batch files are for openai: and anthropic: judges",
    );
    assert!(!desk.path("out").exists());
}

/// A judge of a configuration goes by its name there, and its replies are read all the same.
#[test]
fn a_judge_by_its_name_in_the_configuration_is_exported_and_imported() {
    let desk = Desk::new(3, &["ant", "bee", "cat"]);
    desk.write(
        "c.toml",
        "[judges.pool]\nspec = 'openai:m'\nendpoints = ['http://127.0.0.1:9/v1', \
                          'http://127.0.0.1:10/v1']\n",
    );
    let flags = "--config c.toml --data data --protocol pairwise/direct/swap --judge pool";
    assert_eq!(waves(&desk, flags, |_, _| BatchOptions::default()), 1);
    let stored = done(&desk, &format!("judge {flags} --run batch --format json"));
    stored.says(": 0 calls made now");
}

/// What Anthropic's message batches make of a line: a reply, or an error of one of its kinds.
fn of_anthropic(at: usize, line: &str) -> String {
    let request: Value = serde_json::from_str(line).unwrap();
    assert_eq!(
        request.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["custom_id", "params"]
    );
    assert_eq!(request["params"]["model"], "claude-x");
    let errored = |kind: &str| json!({"type": "errored", "error": {"type": "error", "error": {"type": kind, "message": "no"}}});
    let result = match at {
        0 => errored("overloaded_error"),
        1 => json!({"type": "expired"}),
        2 => json!({"type": "canceled"}),
        3 => errored("invalid_request_error"),
        _ => {
            json!({"type": "succeeded", "message": {"type": "message", "content": [{"type": "text", "text": "B"}], "stop_reason": "end_turn", "usage": {"input_tokens": 7, "output_tokens": 1}}})
        }
    };
    json!({"custom_id": request["custom_id"], "result": result}).to_string() + "\n"
}

#[test]
fn message_batches_of_anthropic_need_no_key_either() {
    let desk = Desk::new(3, &["ant", "bee", "cat"]);
    let flags =
        "--data data --protocol pairwise/direct/swap --judge anthropic:claude-x --run batch";
    let exported = done(
        &desk,
        &format!("batch export {flags} --out out --format json"),
    )
    .json();
    let results = desk
        .lines(&files(&exported)[0])
        .iter()
        .enumerate()
        .map(|(at, line)| of_anthropic(at, line))
        .collect::<String>();
    desk.write("results", results);
    assert_eq!(counts(&import(&desk, "results")), [14, 0, 4, 0, 0, 0, 4]);
    let again = done(
        &desk,
        &format!("batch export {flags} --out out --format json"),
    )
    .json();
    let rest = desk
        .lines(&files(&again)[0])
        .iter()
        .map(|line| of_anthropic(9, line))
        .collect::<String>();
    desk.write("rest", rest);
    assert_eq!(counts(&import(&desk, "rest")), [4, 0, 0, 0, 0, 0, 0]);
    let report = done(&desk, &format!("rank {flags} --ci none --format json")).json();
    assert_eq!(
        (
            &report["coverage"]["verdicts"],
            &report["usage"]["prompt_tokens"]
        ),
        (&json!(18), &json!(126)),
        "{report}"
    );
}

/// An import that is killed at any moment goes on, and nothing of it is lost or kept twice.
#[test]
fn an_import_that_is_killed_goes_on() {
    let desk = Desk::new(60, &["ant", "bee", "cat", "dog"]);
    let exported = done(
        &desk,
        &format!("batch export {PLAN} --run batch --out out --format json"),
    )
    .json();
    assert_eq!(count(&exported, "requests"), 720);
    desk.write(
        "results",
        run_batch(&desk.read("out/batch-001.jsonl"), &BatchOptions::default()).join("\n"),
    );
    let mut killed = 0;
    for milliseconds in 1..=25 {
        let mut child = desk.start("batch import results --run batch --format json");
        std::thread::sleep(std::time::Duration::from_millis(2 * milliseconds));
        killed += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(killed > 0, "every import ended before it could be killed");
    let last = import(&desk, "results");
    assert_eq!(count(&last, "replies") + count(&last, "duplicates"), 720);
    assert_eq!(count(&last, "left"), 0);
    assert!(from_the_store(&desk, PLAN)[0].lines().count() == 720);
}
