//! What an attacker brings: runs and files from elsewhere, names and texts that act on a terminal,
//! a job's log or a spreadsheet, replies that nobody asked for.
#![cfg(unix)]

use crate::common::{Desk, Ran, json_line};
use crate::papers::copy_folder;
use evenhand_testing::server::{Fault, Script};
use serde_json::json;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

const RANK: &str = "rank --data data --judge simulated --no-reuse --rounds 20";

/// A desk with a run `run`, and beside it `home`, whose file `precious` nobody may change.
fn desk() -> Desk {
    let desk = Desk::new(12, &["a", "b"]);
    desk.done(&format!("{RANK} --run run"));
    desk.write("home/precious", "precious");
    desk
}

/// Checks that nothing was written at home.
fn assert_home(desk: &Desk, what: &str) {
    let names: Vec<_> = fs::read_dir(desk.path("home"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["precious"], "{what}");
    assert_eq!(desk.read("home/precious"), "precious", "{what}");
}

/// Whatever a run from elsewhere has in the place of a file that a command writes there.
#[test]
fn a_run_from_elsewhere_writes_nowhere_else() {
    let made = desk();
    let item = json_line(json!({
        "id": "q", "instruction": "Name a river.",
        "constraints": [{"id": "keywords:existence", "keywords": ["Nile"]}],
    }));
    let response = json_line(json!({"item": "q", "system": "a", "output": "Nile"}));
    for (name, command) in [
        (
            "lock",
            "rank --data data --judge simulated --no-reuse --rounds 20 --run run",
        ),
        (
            "run.sqlite",
            "rank --data data --judge simulated --no-reuse --rounds 20 --run run",
        ),
        ("report.html", "report run --out run/report.html"),
        ("baseline.json", "baseline save run --out run/baseline.json"),
        (
            "figure.svg",
            "rank --data data --judge simulated --run run --figure run/figure.svg",
        ),
        ("gate.xml", "compare run --pair a,b --junit run/gate.xml"),
        (
            "summary.md",
            "compare run --pair a,b --summary run/summary.md",
        ),
        ("page.html", "compare run --pair a,b --report run/page.html"),
        (
            "board.json",
            "leaderboard battles.csv --update run/board.json --date 2026-01-01",
        ),
        (
            ".board.json.lock",
            "leaderboard battles.csv --update run/board.json --date 2026-01-01",
        ),
        (
            "out.json",
            "publish run --as llm-comparator --pair a,b --out run/out.json",
        ),
        (
            "verdicts.jsonl",
            "check constrained --verdicts run/verdicts.jsonl",
        ),
        (
            "review.jsonl",
            "judge --data data --judge simulated --run run --for-review run/review.jsonl",
        ),
    ] {
        for target in ["../home/precious", "../home/absent", "/dev/zero"] {
            let desk = Desk::new(12, &["a", "b"]);
            copy_folder(&made.path("run"), &desk.path("run"));
            desk.write("home/precious", "precious");
            desk.write("constrained/items.jsonl", &item);
            desk.write("constrained/responses.jsonl", &response);
            desk.write(
                "battles.csv",
                "model_a,model_b,winner\n".to_string() + &"x,y,model_a\n".repeat(12),
            );
            let _ = fs::remove_file(desk.path("run").join(name));
            symlink(target, desk.path("run").join(name)).unwrap();
            let ran = desk.run(command);
            assert!(matches!(ran.code, Some(1 | 2)), "{name} {target}: {ran:?}");
            assert!(!ran.stderr.contains("panicked"), "{ran:?}");
            assert_home(&desk, name);
        }
    }
    // A folder of the run that leads out of it.
    let desk = desk();
    symlink("../home", desk.path("run/out")).unwrap();
    desk.refused(
        "report run --out run/out/report.html",
        "symbolic link to ../home",
    );
    assert_home(&desk, "a folder");
    // What is the user's own may be replaced, and takes the place of nothing else.
    desk.done("report run --out run/report.html");
    desk.done("report run --out run/report.html");
}

#[test]
fn a_run_that_is_a_pipe_is_not_waited_for() {
    let desk = desk();
    fs::remove_file(desk.path("run/run.sqlite")).unwrap();
    let made = Command::new("mkfifo")
        .arg(desk.path("run/run.sqlite"))
        .status();
    assert!(made.unwrap().success());
    for command in [
        "show run",
        "report run --out x.html",
        &format!("{RANK} --run run"),
    ] {
        let ran = desk.run(command);
        assert_eq!(ran.code, Some(2), "{command}: {ran:?}");
    }
}

/// A file that the user names by mistake stays as it is.
#[test]
fn labels_are_not_kept_in_a_file_of_something_else() {
    let desk = desk();
    for text in [
        r#"[{"id": 1, "important": "the only copy"}]"#,
        "sk-a-key-without-a-line-end",
        "{\"item\":\"q0\",\"a\":\"a\",\"b\":\"b\",\"preferred\":\"a\",\"annotator\":\"x\"}\n\
         {\"item\":\"q1\",\"a\":\"a\",\"b\":\"b\",\"preferred\":\"b\",\"annotator\":\"y\",}",
    ] {
        desk.write("notes.json", text);
        desk.refused(
            "view run --review --labels-out notes.json",
            "nothing was changed",
        );
        assert_eq!(desk.read("notes.json"), text);
    }
    let ran = desk.run("view run --review --labels-out nowhere/labels.jsonl");
    assert_eq!(
        ran.stderr,
        "error: nowhere: there is no such folder to keep labels in; make it, or name another\n"
    );
}

/// Forged replies under `runs/`: they are used, as ever, and every report of a comparison says so.
#[test]
fn replies_of_other_runs_are_counted_and_named() {
    let desk = Desk::new(12, &["a", "b"]);
    let judge = "#!/usr/bin/env python3\nimport json, sys\nfor line in sys.stdin:\n    \
                 r = json.loads(line)\n    \
                 print(json.dumps({'id': r['id'], 'text': 'A'}), flush=True)\n";
    desk.write("judge.py", judge);
    fs::set_permissions(desk.path("judge.py"), fs::Permissions::from_mode(0o755)).unwrap();
    let rank = |run: &str, more: &str| {
        desk.done(&format!(
            "judge --data data --judge exec:./judge.py --format json --run {run} {more}"
        ));
    };
    rank("runs/cache-2026-11", "");
    rank("runs/pr", "");
    let said = "24 of 24 verdicts of runs/pr rest on replies copied from other runs \
                (runs/cache-2026-11: 24 replies)";
    let ran = desk.done("compare runs/pr --pair a,b --junit gate.xml --summary summary.md");
    let one_line = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(one_line.contains(said), "{}", ran.stdout);
    assert!(
        desk.read("gate.xml").contains(said),
        "{}",
        desk.read("gate.xml")
    );
    assert!(
        desk.read("summary.md").contains("24 of 24 verdicts"),
        "{}",
        desk.read("summary.md")
    );
    let report = desk.json("compare runs/pr --pair a,b");
    assert_eq!(
        report["copied"],
        json!({"baseline": null, "current": {"verdicts": 24, "of": 24,
            "runs": [{"run": "runs/cache-2026-11", "replies": 24}]}})
    );
    rank("runs/alone", "--no-reuse");
    let report = desk.json("compare runs/alone runs/pr");
    assert_eq!(report["copied"]["baseline"], json!(null));
    assert_eq!(report["copied"]["current"]["verdicts"], 24);
    // A file of the run keeps how many, and no paths.
    desk.done("baseline save runs/pr --out baseline.json");
    let report = desk.json("compare baseline.json runs/alone");
    assert_eq!(
        report["copied"]["baseline"],
        json!({"verdicts": 24, "of": 24, "runs": []})
    );
}

const EVIL: &str = "\u{1b}]0;pwn\u{7}\u{1b}[2J\u{9b}1mv1\nforged\r\u{202e}";

/// A run whose names and texts all act on a terminal.
fn evil() -> Desk {
    let desk = Desk::empty();
    let lines = |line: &dyn Fn(usize) -> String| (0..8).map(line).collect::<String>();
    desk.write(
        "te/items.jsonl",
        lines(&|i| json_line(json!({"id": format!("{EVIL}{i}"), "instruction": EVIL}))),
    );
    desk.write(
        "te/responses.jsonl",
        lines(&|i| {
            let line = |system: &str| {
                let line = json!({"item": format!("{EVIL}{i}"), "system": system, "output": EVIL});
                format!("{line}\n")
            };
            line(EVIL) + &line("b")
        }),
    );
    desk.done("rank --data te --judge simulated --no-reuse --run runs/te --rounds 20 --quiet");
    desk
}

const TEXTS: [&str; 9] = [
    "prompts render --data te",
    "compare runs/te runs/te --fail-if worse",
    "compare runs/te --pair b,b",
    "show runs/te",
    "show runs/te 1 --prompt",
    "judgments runs/te",
    "runs runs",
    "rank --data te --judge simulated --no-reuse --run runs/te --rounds 20",
    "judge --data te --judge simulated --no-reuse --run runs/te",
];

#[test]
fn a_terminal_is_not_acted_on() {
    let desk = evil();
    let acts = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
    for command in TEXTS {
        let ran = desk.run(command);
        for text in [&ran.stdout, &ran.stderr] {
            assert!(!text.contains(acts), "{command}: {text:?}");
        }
        let forged = ran.stdout.lines().chain(ran.stderr.lines());
        let texts = command.starts_with("prompts") || command.contains("--prompt");
        for line in forged.filter(|_| !texts) {
            assert!(!line.starts_with("forged"), "{command}: {line:?}");
        }
    }
    // Data are given as they are, but not to a terminal.
    let formats = [
        "judgments runs/te --format csv",
        "judgments runs/te --format json",
    ];
    assert!(desk.done(formats[0]).stdout.contains('\u{1b}'));
    for command in TEXTS.iter().chain(&formats) {
        let inner = format!("exec {} {command}", env!("CARGO_BIN_EXE_evenhand"));
        let ran = Command::new("script")
            .args(["-qec", &inner, "/dev/null"])
            .current_dir(desk.path(""))
            .stdin(Stdio::null())
            .output();
        let Ok(ran) = ran else {
            return eprintln!("skipped: script (util-linux) is not on this machine");
        };
        let shown = String::from_utf8(ran.stdout).unwrap().replace("\r\n", "\n");
        // The bar of progress draws itself.
        let shown = shown
            .replace("\u{1b}[2K", "")
            .replace("\r", "")
            .replace("\u{1b}[1G", "");
        assert!(!shown.contains(acts), "{command}: {shown:?}");
    }
}

#[test]
fn an_argument_does_not_act_on_the_terminal_that_shows_it() {
    let desk = Desk::empty();
    for arguments in [
        vec!["rank", "--rounds", EVIL],
        vec!["leaderboard", "x.csv", &format!("--format={EVIL}")],
        vec![EVIL],
        vec!["rank", &format!("--{EVIL}")],
    ] {
        let mut command = desk.command("");
        let ran = Ran::of(command.args(&arguments).output().unwrap());
        assert_eq!(ran.code, Some(2), "{ran:?}");
        let acts = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(
            !ran.stderr.contains(acts),
            "{arguments:?}: {:?}",
            ran.stderr
        );
        assert!(
            !ran.stderr.lines().any(|line| line.starts_with("forged")),
            "{arguments:?}: {:?}",
            ran.stderr
        );
    }
}

/// GitHub's runner takes lines that begin with `::`, white space aside, and `##[` anywhere.
#[test]
fn a_runner_takes_no_commands_from_the_log() {
    let desk = Desk::empty();
    let mut sides = ["old", "new"].map(|_| String::new());
    let names = [
        "::add-mask::e",
        "::set-output name=code::0",
        "##[group]x",
        "plain",
    ];
    for (side, text) in sides.iter_mut().enumerate() {
        for item in 0..12 {
            for (at, system) in names.iter().enumerate() {
                let item = format!("::error file=a::q{item}");
                let score = (item.len() + at * 3 + side * 2) % 7;
                let line = json!({"item": item, "system": system, "score": score});
                *text += &format!("{line}\n");
            }
        }
    }
    desk.write("old.jsonl", &sides[0]);
    desk.write("new.jsonl", &sides[1]);
    for command in [
        "compare old.jsonl new.jsonl --fail-if worse",
        "compare old.jsonl new.jsonl --verbose",
        "leaderboard new.jsonl",
        "show ::error::x",
    ] {
        let mut process = desk.command(command);
        let ran = Ran::of(process.env("GITHUB_ACTIONS", "true").output().unwrap());
        for line in ran.stdout.lines().chain(ran.stderr.lines()) {
            assert!(!line.trim().starts_with("::"), "{command}: {line:?}");
            assert!(!line.contains("##["), "{command}: {line:?}");
        }
        let plain = desk.command(command).env_remove("GITHUB_ACTIONS").output();
        let plain = Ran::of(plain.unwrap());
        let joined = |text: &str| text.replace('\u{2060}', "");
        assert_eq!(joined(&ran.stderr), plain.stderr);
        assert_eq!(ran.code, plain.code);
    }
    // Data are not changed.
    let mut process = desk.command("compare old.jsonl new.jsonl --format json");
    let data = Ran::of(process.env("GITHUB_ACTIONS", "true").output().unwrap());
    data.prints("\"::add-mask::e\"");
}

#[test]
fn a_spreadsheet_is_given_nothing_to_run() {
    let desk = Desk::empty();
    let evil = [
        "=HYPERLINK(\"http://x\",\"y\")",
        "@SUM(1+1)*cmd|' /C calc'!A0",
        "-1+cmd|x!A",
        "v1",
    ];
    let mut battles = String::new();
    for round in 0..12 {
        for (at, a) in evil.iter().enumerate() {
            let b = evil[(at + 1) % evil.len()];
            let winner = ["model_a", "model_b", "tie"][(round + at) % 3];
            battles += &json_line(json!({
                "question_id": format!("=q{round}"), "model_a": a, "model_b": b,
                "winner": winner,
            }));
        }
    }
    desk.write("battles.jsonl", battles);
    let csv = desk.done("leaderboard battles.jsonl --format csv").stdout;
    let cells = csv.lines().map(|line| line.trim_start_matches('"'));
    assert!(
        cells.clone().any(|line| line.starts_with("'=HYPERLINK")),
        "{csv}"
    );
    for line in cells {
        assert!(!line.starts_with(['=', '@', '-', '+']), "{csv}");
    }
    let rows = desk.json("leaderboard battles.jsonl");
    assert!(
        evil.iter()
            .all(|name| crate::common::systems(&rows).contains(name)),
        "data are as they were"
    );
}

#[test]
fn a_reply_to_no_request_ends_the_run_at_once() {
    let desk = Desk::new(3, &["a", "b"]);
    let judge = "#!/usr/bin/env python3\nimport json, sys\nfor line in sys.stdin:\n    \
                 r = json.loads(line)\n    \
                 print(json.dumps({'id': r['id'] + 7000, 'text': 'A'}), flush=True)\n";
    desk.write("judge.py", judge);
    fs::set_permissions(desk.path("judge.py"), fs::Permissions::from_mode(0o755)).unwrap();
    let ran = desk.run("judge --data data --judge exec:./judge.py --run run");
    ran.ends(1, "which it was never sent");
}

/// What a database browser leaves behind by "optimise" is no harm to a paid run; anything else is.
#[test]
fn a_run_may_be_analysed_and_not_be_added_to() {
    let desk = desk();
    let before = desk.done("show run").stdout;
    let change = |sql: &str| {
        let db = rusqlite::Connection::open(desk.path("run/run.sqlite")).unwrap();
        db.execute_batch(sql).unwrap();
    };
    change("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE);");
    assert_eq!(desk.done("show run").stdout, before);
    let again = desk.done(&format!("{RANK} --run run"));
    again.says("0 calls made now");
    for sql in [
        "CREATE TABLE notes (text)",
        "CREATE TRIGGER more AFTER INSERT ON calls BEGIN DELETE FROM manifest; END",
        "CREATE VIEW sqlite_like AS SELECT 1",
    ] {
        let db = rusqlite::Connection::open(desk.path("run/run.sqlite")).unwrap();
        if db.execute_batch(sql).is_err() {
            continue;
        }
        drop(db);
        assert_eq!(desk.run("show run").code, Some(2), "{sql}");
        let name = sql.split(' ').nth(2).unwrap();
        let kind = sql.split(' ').nth(1).unwrap();
        change(&format!("DROP {kind} {name}"));
    }
    desk.done("show run");
}

/// Marks as servers of open models read them, in every response that goes out.
#[test]
fn no_mark_of_a_role_goes_out_whole() {
    let desk = Desk::empty();
    let marks = [
        "<role>",
        "</role>",
        "<role>SYSTEM</role>",
        "<|role_end|>",
        "[EOT]",
        "<PRE>",
    ];
    let items: String = (0..marks.len()).map(crate::common::item).collect();
    desk.write("data/items.jsonl", items);
    let lines = marks.iter().enumerate().map(|(item, mark)| {
        let text = format!("Q{mark}Q");
        crate::common::answer(item, "a", &text) + &crate::common::answer(item, "b", "plain")
    });
    desk.write("data/responses.jsonl", lines.collect::<String>());
    let server = crate::common::served::start(crate::common::served::quick());
    crate::common::served::configure(&desk, &[&server.url()], "");
    desk.done(&format!(
        "judge {} --run run --no-reuse --format json --keep-going --keep-prompts",
        crate::common::served::MINE
    ));
    let sent = crate::common::served::rows(&desk, "run", "SELECT request FROM calls").concat();
    for mark in marks {
        assert!(!sent.contains(&format!("Q{mark}Q")), "{mark}");
    }
    assert!(sent.contains("Q<\u{2060}role>"), "{sent}");
    drop(server);
}

/// Calls that hang hold up no others, and half of all attempts may fail: all is answered.
#[test]
fn a_server_that_hangs_or_fails_half_of_the_time_answers_all_in_the_end() {
    for (faults, kinds) in [
        (0.1, vec![Fault::Stall, Fault::SlowLoris]),
        (
            0.5,
            vec![
                Fault::Internal500,
                Fault::ResetMidBody,
                Fault::CutJson,
                Fault::BadGateway502,
            ],
        ),
    ] {
        let desk = Desk::new(24, &["s1", "s2", "s3", "s4", "s5"]);
        let server = crate::common::served::start(Script {
            faults,
            fault_kinds: kinds,
            seed: 3,
            ..crate::common::served::quick()
        });
        crate::common::served::configure(&desk, &[&server.url()], "");
        let ran = desk.done(&format!(
            "judge {} --run run --no-reuse --protocol pairwise/direct/swap --format csv",
            crate::common::served::MINE
        ));
        let stats = server.stop();
        assert!(stats.count_faults() > 0);
        assert_eq!(
            crate::common::served::failures(&desk, "run").len(),
            0,
            "{}",
            ran.stderr
        );
        assert!(!ran.stderr.contains("missing"), "{}", ran.stderr);
    }
}

/// A path with a line end, in whatever names it: clap, readers of data, run directories, and a file
/// that a directory holds.
#[test]
fn a_path_with_a_line_end_begins_no_line_of_an_error() {
    let desk = Desk::empty();
    desk.write("dir/a\n::error::forged.jsonl", "{\"item\": 1}\n");
    desk.write("c\nforged: d.csv", "nothing,of,use\n1,2,3\n");
    desk.write(
        "e\nforged.toml",
        "data = [\"g\\nforged\"]\njudge = \"simulated\"\n",
    );
    desk.write("i\nforged.toml", "data = [\n");
    for arguments in [
        &["rank", "--data", "a\nforged: b", "--judge", "simulated"][..],
        &["rank", "--data=a\nforged: b", "--judge", "simulated"],
        &["rank", "--data", "dir", "--judge", "simulated"],
        &["leaderboard", "a\nforged: b"],
        &["leaderboard", "c\nforged: d.csv"],
        &["leaderboard", "dir/a\n::error::forged.jsonl"],
        &["show", "run\nforged: x"],
        &["report", "run\nforged: x", "--out", "o\nforged/q.html"],
        &["compare", "run\nforged: x", "y\nforged: z"],
        &["rank", "--config", "e\nforged.toml"],
        &["rank", "--config", "i\nforged.toml"],
        &["rank", "--config", "h\nforged.toml"],
        &["check", "a\nforged: b"],
        &["a\nforged: b"],
        &["rank", "--no-such\nforged: b"],
        &["rank", "--format", "a\nforged: b"],
    ] {
        let ran = Ran::of(desk.command("").args(arguments).output().unwrap());
        assert_ne!(ran.code, Some(0), "{arguments:?}");
        assert!(
            ran.stderr.contains("forged"),
            "{arguments:?}: {}",
            ran.stderr
        );
        for line in ran.stderr.lines() {
            let line = line.trim_start_matches([':', ' ']);
            assert!(
                !line.starts_with("forged") && !line.starts_with("error::forged"),
                "{arguments:?}: {}",
                ran.stderr
            );
        }
    }
}
