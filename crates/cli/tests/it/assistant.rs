//! `evenhand skill` and `evenhand mcp`: what assistants use.

use crate::common::Desk;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A desk with all that the skill's commands name.
fn desk() -> Desk {
    let desk = Desk::new(40, &["good", "fair", "poor"]);
    let battles = (0..60).map(|game| {
        let winner = if game % 5 == 0 { "model_b" } else { "model_a" };
        format!("{game},large,small,{winner}\n")
    });
    let head = "item,model_a,model_b,winner\n";
    desk.write(
        "battles.csv",
        format!("{head}{}", battles.collect::<String>()),
    );
    let labels = (0..40).map(|item| {
        let preferred = if item % 4 == 0 { "b" } else { "a" };
        format!(
            "{{\"item\":\"q{item}\",\"a\":\"good\",\"b\":\"poor\",\"preferred\":\"{preferred}\"}}\n"
        )
    });
    desk.write("data/labels.jsonl", labels.collect::<String>());
    desk
}

/// Does what an assistant does that knows the skill alone: its commands end as they should, with
/// the fields that it names.
#[cfg(unix)]
#[test]
fn ten_tasks_are_done_by_the_skill_alone() {
    let skill = desk().done("skill").stdout;
    // Some four letters are a token: at most 2,000 of them.
    assert!(skill.len() < 8_000, "{} bytes", skill.len());
    let desk = desk();
    let blocks = skill.split("```sh\n").skip(1);
    let mut answers: Vec<(String, i32, Value)> = Vec::new();
    for block in blocks {
        let commands = block.split("```").next().unwrap();
        for command in commands.lines() {
            let bin = Path::new(env!("CARGO_BIN_EXE_evenhand")).parent().unwrap();
            let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
            let ran = Command::new("sh")
                .args(["-c", command])
                .current_dir(desk.path("."))
                .env("PATH", path)
                .output()
                .unwrap();
            let said = String::from_utf8(ran.stderr).unwrap();
            let code = ran.status.code().unwrap();
            assert!(code == 0 || code == 3, "{command}: {code}: {said}");
            let text = String::from_utf8(ran.stdout).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            let value = serde_json::from_str(&text)
                .or_else(|_| serde_json::from_str(&format!("[{}]", lines.join(","))));
            answers.push((command.into(), code, value.unwrap()));
        }
    }
    assert_eq!(answers.len(), 11, "ten tasks, one of two commands");
    let answer = |words: &str| {
        let found = answers.iter().find(|(command, ..)| command.contains(words));
        let (_, code, value) = found.unwrap();
        (*code, value)
    };
    let (_, rank) = answer("evenhand rank");
    let first = &rank["ranking"][0];
    assert_eq!(first["system"], "good");
    assert!(
        first["score"].is_number() && first["rank"].is_number(),
        "{first}"
    );
    assert!(
        first["ci"].is_array() && first["rank_ci"].is_array(),
        "{first}"
    );
    assert!(rank["consistency"]["value"].is_number() && rank["coverage"].is_object());
    assert!(rank["warnings"].is_array());
    assert!(answer("--pair good,poor --format").1["systems"].is_array());
    assert_eq!(answer("--fail-if").0, 3, "poor is worse than good");
    assert_eq!(answer("leaderboard").1["ranking"][0]["system"], "large");
    assert!(answer("--where flipped").1.is_array());
}

/// An assistant's side of a server.
struct Assistant {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    calls: u64,
}

impl Assistant {
    fn start(desk: &Desk, arguments: &str) -> Assistant {
        let mut command = desk.command(arguments);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let mut assistant = Assistant {
            child,
            input,
            output: BufReader::new(output),
            calls: 0,
        };
        let me = json!({ "name": "test", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": me });
        let found = assistant.ask("initialize", hello);
        assert_eq!(found["result"]["serverInfo"]["name"], "evenhand");
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assistant.send(&ready);
        assistant
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    fn tools(&mut self) -> Vec<Value> {
        let answer = self.ask("tools/list", json!({}));
        answer["result"]["tools"].as_array().unwrap().clone()
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let call = json!({ "name": tool, "arguments": arguments });
        let mut answer = self.ask("tools/call", call);
        answer["result"].take()
    }

    /// Ends as a client does, by closing stdin.
    fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect()
}

/// All files of a desk, with their bytes.
fn files(desk: &Desk) -> BTreeSet<(std::path::PathBuf, Vec<u8>)> {
    let (mut found, mut folders) = (BTreeSet::new(), vec![desk.path(".")]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    // SQLite's own files beside a database that is read come and go.
                    let name = path.to_string_lossy();
                    if !name.ends_with("-shm") && !name.ends_with("-wal") {
                        found.insert((path.clone(), std::fs::read(&path).unwrap()));
                    }
                }
            }
        }
    }
    found
}

#[test]
fn an_assistant_reads_and_writes_nothing_unless_it_may() {
    let desk = desk();
    desk.done("rank --data data --judge simulated:accuracy=0.8,seed=1 --run runs/one");
    let before = files(&desk);
    let mut assistant = Assistant::start(&desk, "mcp");
    let tools = assistant.tools();
    let known = ["check", "compare", "estimate", "judgments", "leaderboard"];
    assert!(known.iter().all(|name| names(&tools).contains(name)));
    for judging in ["rank", "judge", "audit", "migrate", "meta_judge"] {
        assert!(!names(&tools).contains(&judging), "{judging}");
    }
    for tool in &tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert!(jsonschema::meta::is_valid(&tool["inputSchema"]), "{tool}");
        let settings = tool["inputSchema"]["properties"].as_object().unwrap();
        for writes in [
            "report", "update", "out", "junit", "summary", "history", "config",
        ] {
            assert!(
                !settings.contains_key(writes),
                "{} takes {writes}",
                tool["name"]
            );
        }
    }

    let board = assistant.call(
        "leaderboard",
        json!({ "files": ["battles.csv"], "rounds": 50 }),
    );
    assert_eq!(board["isError"], false, "{board}");
    let result = &board["structuredContent"]["result"];
    assert_eq!(result["ranking"][0]["system"], "large");
    assert!(
        board["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("rank interval")
    );
    let gate =
        json!({ "baseline": "runs/one", "pair": "good,poor", "fail-if": ["worse(poor,good)"] });
    let gate = assistant.call("compare", gate);
    assert_eq!(gate["isError"], false, "{gate}");
    assert_eq!(gate["structuredContent"]["ending"], "a condition is met");
    let shown = assistant.call("show", json!({ "trial": 0, "run": "runs/one" }));
    assert_eq!(shown["isError"], false, "{shown}");
    let rows = json!({ "run": "runs/one", "where": ["flipped"], "limit": 2 });
    let rows = assistant.call("judgments", rows);
    assert_eq!(
        rows["structuredContent"]["result"].as_array().map(Vec::len),
        Some(4)
    );

    // What it does wrong is told, and it goes on.
    writeln!(assistant.input.as_mut().unwrap(), "garbage").unwrap();
    let mut line = String::new();
    assistant.output.read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (&told["id"], &told["error"]["code"]),
        (&Value::Null, &json!(-32700))
    );
    for tool in assistant.tools() {
        assert!(
            tool["inputSchema"]["properties"]["date"].is_null(),
            "{tool}"
        );
    }
    let wrong = assistant.call("leaderboard", json!({ "report": "x.html" }));
    assert_eq!(wrong["isError"], true);
    let told = wrong["content"][0]["text"].as_str().unwrap();
    assert!(told.contains("no argument `report`"), "{told}");
    let missing = assistant.call("show", json!({ "run": "--help" }));
    assert_eq!(missing["isError"], true, "{missing}");
    let program = json!({ "data": ["data"], "judge": ["exec:touch started"] });
    let program = assistant.call("estimate", program);
    assert_eq!(program["isError"], true, "{program}");
    let words = json!({ "run": "runs/one", "where": ["text=exec: a plan"] });
    let words = assistant.call("judgments", words);
    assert_eq!(words["isError"], false, "{words}");
    let unknown = assistant.ask("tools/call", json!({ "name": "rank", "arguments": {} }));
    assert!(
        unknown["error"]["message"]
            .as_str()
            .unwrap()
            .ends_with("; it asks models, which `evenhand mcp --allow-judging` allows"),
        "{unknown}"
    );
    assert_eq!(assistant.end(), Some(0));
    assert_eq!(files(&desk), before, "something was written");

    let mut assistant = Assistant::start(&desk, "mcp --allow-judging");
    let judged = json!({
        "data": ["data"], "judge": ["simulated:accuracy=0.8,seed=2"], "items": 5, "run": "runs/two",
    });
    let judged = assistant.call("rank", judged);
    assert_eq!(judged["structuredContent"]["run"], "runs/two", "{judged}");
    for wrong in [
        json!({ "data": ["data"], "judge": ["exec:touch started"] }),
        json!({ "data": ["data"], "judge": ["simulated"], "report": "data/items.jsonl" }),
    ] {
        assert_eq!(assistant.call("rank", wrong)["isError"], true);
    }
    assert_eq!(assistant.end(), Some(0));
    assert!(desk.path("runs/two/run.sqlite").exists());
}
