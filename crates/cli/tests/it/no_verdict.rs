//! A run that comes to no verdict, or to few, is no success, and says what the judge answered.

use crate::common::{Desk, assert_holds};
use evenhand_testing::server::{Script, Server};
use serde_json::Value;

/// Every command that asks a judge, with one whose replies hold no verdict.
#[test]
fn every_command_that_asks_a_judge_fails_without_a_verdict() {
    let desk = Desk::new(4, &["ant", "bee"]);
    desk.write(
        "data/labels.jsonl",
        "{\"item\": \"q0\", \"a\": \"ant\", \"b\": \"bee\", \"preferred\": \"a\"}\n",
    );
    for command in ["rank", "judge", "meta judge", "audit --probes position"] {
        let ran = desk.run(&format!(
            "{command} --data data --judge simulated:invalid=1 --run {}",
            command.len()
        ));
        assert_eq!(ran.code, Some(1), "{command}: {}", ran.stderr);
        for said in [
            "trials came to a verdict. The first failure of each kind:\n  ",
            "item q0, ant against bee:\n",
        ] {
            assert!(
                ran.stderr.contains(said),
                "{command}: {said}: {}",
                ran.stderr
            );
        }
    }
}

/// Counts every verdict once: it counts, is set aside or failed, whoever asked the judge.
#[test]
fn a_run_and_its_judgments_elsewhere_have_the_same_counts() {
    let desk = Desk::new(20, &["ant", "bee", "cat"]);
    let judged = "--data data --judge simulated:invalid=0.2 --protocol pairwise --run run --quiet";
    let run = format!("rank {judged} --rounds 100");
    let ranked = desk.json(&run);
    let judgments = desk.done(&format!("judge {judged} --format json")).stdout;
    desk.write("judgments.jsonl", judgments);
    let file = "leaderboard judgments.jsonl --rounds 100";
    let read = desk.json(file);
    for key in ["coverage", "set_aside"] {
        assert_eq!(ranked[key], read[key], "{key}");
    }
    for report in [&ranked, &read] {
        let number = |value: &Value| value.as_u64().unwrap();
        let coverage = &report["coverage"];
        let failed: u64 = coverage["failures"]
            .as_object()
            .unwrap()
            .values()
            .map(number)
            .sum();
        assert_eq!(
            number(&coverage["trials"]),
            number(&coverage["verdicts"]) + failed
        );
        let rows = report["ranking"].as_array().unwrap().iter();
        let counted: u64 = rows.map(|row| number(&row["n"])).sum();
        let aside = number(&report["set_aside"]);
        assert!(aside > 0 && failed > 0, "{coverage}");
        assert_eq!(
            number(&coverage["verdicts"]),
            counted / 2 + aside,
            "{coverage}"
        );
    }
    let aside = &ranked["set_aside"];
    for command in [run.as_str(), file] {
        desk.done(command)
            .prints(&format!(" and {aside} are set aside: their pair failed"));
    }
}

#[test]
fn the_reply_is_shown_whole_and_harmless_with_what_may_help() {
    let desk = Desk::new(2, &["ant", "bee"]);
    let ran = desk
        .run("rank --data data --judge simulated:invalid=1 --protocol pairwise/cot/swap --run run");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    for said in [
        "error: none of 4 trials came to a verdict",
        "the whole reply: \"",
        "--second-stage JUDGE can read it",
    ] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
}

#[test]
fn the_servers_own_words_are_shown() {
    let desk = Desk::new(2, &["ant", "bee"]);
    let server = Server::start(Script {
        require_key: Some("another".into()),
        ..Script::default()
    })
    .unwrap();
    let ran = desk.run(&format!(
        "rank --data data --judge openai:m@{} --run run",
        server.url()
    ));
    ran.ends(1, "model-error (4 of this kind)");
    ran.says("HTTP 401");
}

#[test]
fn a_share_of_verdicts_below_the_one_asked_for_fails_and_is_said_first() {
    let desk = Desk::new(40, &["ant", "bee"]);
    let run = "rank --data data --judge simulated:invalid=0.3 --run run --quiet";
    let few = desk.done(run);
    assert!(
        few.stdout.starts_with("Only ") && few.stdout.contains("failure   unparsed, first: item q"),
        "{}",
        few.stdout
    );
    assert_eq!(desk.run(&format!("{run} --min-coverage 0.5")).code, Some(0));
    let ran = desk.run(&format!("{run} --min-coverage 0.9"));
    ran.ends(1, "less than --min-coverage 0.9");
    desk.refused(
        &format!("{run} --min-coverage 90"),
        "expected a share from 0 to 1",
    );
}

/// A judge that says one thing and finds another more probable has two verdicts: the report counts
/// how often, and takes none for one where it is read strictly.
#[cfg(unix)]
#[test]
fn probabilities_against_the_words_are_counted_and_may_fail() {
    let desk = Desk::new(6, &["ant", "bee"]);
    let replied = "{'text': 'AB'[at % 2], 'probabilities': {'A': 0.7, 'B': 0.3}}";
    write_program(&desk, replied);
    let rank = "rank --data data --judge exec:./judge.py --protocol pairwise/direct/swap \
                --no-reuse --format json";
    let report = desk.done(&format!("{rank} --run loose")).json();
    assert_eq!(report["sources"]["against-text"], 6, "{report}");
    assert_eq!(report["sources"]["probabilities"], 6, "{report}");
    let warned = report["warnings"].to_string();
    assert_holds(
        &warned,
        "in 6 of 12 verdicts the most probable answer is not the one",
    );
    let strict = desk.run(&format!(
        "{rank} --strict-reading --keep-going --run strict"
    ));
    assert_eq!(
        strict.json()["coverage"]["failures"]["unparsed"],
        6,
        "{}",
        strict.stderr
    );
    // The stored replies are read so too, without a call.
    let again = desk.run(&format!(
        "{rank} --strict-reading --keep-going --run strict"
    ));
    assert_eq!(again.json()["coverage"]["failures"]["unparsed"], 6);
}

#[cfg(unix)]
#[test]
fn a_program_that_gives_no_likelihood_is_refused_before_it_is_asked() {
    let desk = Desk::new(2, &["ant", "bee"]);
    write_program(&desk, "{'text': 'A'}");
    for protocol in ["likelihood", "likelihood:novel,surprisal=0.1"] {
        let ran = desk.run(&format!(
            "rank --data data --judge exec:./judge.py --protocol {protocol} --run run"
        ));
        ran.prints_nothing(2);
        ran.says("cannot score a given text: choose a protocol other than `likelihood`");
        assert!(!desk.path("run").exists());
    }
}

/// A program that is not sure of anything has said nothing: no form takes that for its first answer
/// or its lowest score.
#[cfg(unix)]
#[test]
fn a_program_that_gives_no_answer_any_probability_gives_no_verdict() {
    let desk = Desk::new(6, &["ant", "bee"]);
    for (said, protocol) in [
        ("{}", "pairwise"),
        ("{}", "pairwise-tie/direct/swap:tie"),
        ("{}", "pointwise:1-10"),
        ("{}", "pointwise:1-7,mode"),
        ("{}", "pairwise-likert"),
        ("{o: 0 for o in options}", "pairwise"),
        ("{o: 0.0 for o in options}", "pointwise:1-5"),
    ] {
        write_silent_program(&desk, said, "True");
        let ran = desk.run(&format!(
            "rank --data data --judge exec:./judge.py --protocol {protocol} --no-reuse --run run-{}",
            said.len() + protocol.len()
        ));
        ran.ends(1, "it gave no answer any probability");
    }
    // Silent on every second answer, none of which has the lowest score for that.
    write_silent_program(&desk, "{}", "asked['id'] % 2");
    let ran = desk.run(
        "judge --data data --judge exec:./judge.py --protocol pointwise:1-10 --no-reuse --run few \
         --format json",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let failed = ran.stdout.matches("\"unparsed\"").count();
    let lowest = ran.stdout.matches("\"score\":1.0").count();
    assert!(
        failed >= 4 && lowest == 0,
        "{failed} {lowest}: {}",
        ran.stdout
    );
}

/// Figures without a value say nothing of why: the first failure of each kind does.
#[cfg(unix)]
#[test]
fn an_audit_says_why_judgments_came_to_no_verdict() {
    let desk = Desk::new(6, &["ant", "bee"]);
    write_program(
        &desk,
        "({'error': 'no room'} if asked['id'] % 4 == 0 else {'text': 'AB'[at % 2]})",
    );
    let audit = "audit --data data --judge exec:./judge.py --probes position --protocol \
                 pairwise/direct/swap --run run --no-reuse";
    let ran = desk.done(audit);
    assert_holds(
        &ran.stderr,
        " judgments came to no verdict. The first failure",
    );
    assert_holds(&ran.stderr, "no room");
    let quiet = desk.done(&format!("{audit} --quiet"));
    assert!(!quiet.stderr.contains("no verdict"), "{}", quiet.stderr);
    // One that always answers has nothing to say.
    write_program(&desk, "{'text': 'AB'[at % 2]}");
    let sound = desk.done(&audit.replace("--run run", "--run sound"));
    assert!(!sound.stderr.contains("no verdict"), "{}", sound.stderr);
}

/// A program that says this where a condition holds, and else prefers the last answer.
#[cfg(unix)]
fn write_silent_program(desk: &Desk, said: &str, silent: &str) {
    write_program(
        desk,
        &format!("{{'probabilities': {said} if {silent} else {{options[-1]: 1}}}}"),
    );
}

/// Writes a judge that replies with this expression of Python, over the request, its options and
/// its place.
#[cfg(unix)]
fn write_program(desk: &Desk, replied: &str) {
    use std::os::unix::fs::PermissionsExt;
    let program = format!(
        "#!/usr/bin/env python3\n\
         import json, sys\n\
         for at, line in enumerate(sys.stdin):\n    \
             asked = json.loads(line)\n    \
             options = asked['task']['answers']['options']\n    \
             print(json.dumps({{'id': asked['id'], **{replied}}}), flush=True)\n"
    );
    desk.write("judge.py", &program);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(desk.path("judge.py"), executable).unwrap();
}

/// Names and ids are the user's files' words, and those may come from anybody.
#[test]
fn foreign_words_cannot_act_on_the_terminal_or_forge_a_row() {
    let desk = Desk::new(1, &["ant", "bee"]);
    let name = "evil\\u001b[2Jx\\n    1  cat\\u202e";
    desk.append(
        "data/responses.jsonl",
        format!("{{\"item\": \"q0\", \"system\": \"{name}\", \"output\": \"x\"}}\n"),
    );
    let table = desk.run("rank --data data --judge simulated --run run --ci none");
    let unknown = desk.run("rank --data data --judge simulated --run run --systems nobody");
    assert_eq!(unknown.code, Some(2));
    for text in [&table.stdout, &table.stderr, &unknown.stderr] {
        assert!(
            !text.contains(['\u{1b}', '\u{202e}', '\r', '\u{7}']),
            "{text:?}"
        );
    }
    table.prints("evil\\u{1b}[2Jx\\n    1  cat\\u{202e}");
}

/// Of two responses that are the same both orders are one prompt: a judge that has to name one of
/// them cannot agree with itself, and is not blamed for it.
#[test]
fn the_same_two_responses_are_no_inconsistency_of_the_judge() {
    for (same, warned) in [(0, false), (2, true), (8, true)] {
        let desk = Desk::new(8, &["ant", "bee"]);
        let rows = (0..8).flat_map(|item| {
            ["ant", "bee"].map(|system| {
                let text = if item < same { "one answer" } else { system };
                format!(
                    "{{\"item\": \"q{item}\", \"system\": \"{system}\", \"output\": \"{text}\"}}\n"
                )
            })
        });
        desk.write("data/responses.jsonl", rows.collect::<String>());
        let ran = desk.run("rank --data data --judge simulated:gap=9 --run run --format json");
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let consistency = &report["consistency"]["value"];
        match same {
            8 => assert!(consistency.is_null(), "{consistency}"),
            _ => assert_eq!(consistency, 1.0, "{same}"),
        }
        assert!(!ran.stdout.contains("decides nothing"), "{}", ran.stdout);
        let said = format!("{} of 16 verdicts are on two identical responses", 2 * same);
        assert_eq!(ran.stdout.contains(&said), warned, "{same}: {}", ran.stdout);
    }
}
