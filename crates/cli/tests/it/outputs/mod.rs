//! What a run prints: the promised keys, the same figures in every format, and figures that are
//! right.

mod answers;
mod conditions;
mod configuration;
mod drawings;
mod formats;
mod json_report;
mod streams;

use crate::common::{Desk, answer, assert_holds, number, response, rows, systems};
use serde_json::{Value, json};

const RANK: &str = "rank --data data --run run --judge simulated";
const SYSTEMS: [&str; 4] = ["ant", "bee", "cat", "dog"];

fn desk() -> Desk {
    Desk::new(6, &SYSTEMS)
}

/// The responses of `bee` and `cat` to the first item are the same: their two orders are one
/// prompt, and one call.
#[test]
fn an_estimate_is_what_the_run_then_asks() {
    let desk = desk();
    let others = desk.lines("data/responses.jsonl").split_off(3);
    let same = ["bee", "cat"].map(|system| answer(0, system, "The same."));
    desk.write(
        "data/responses.jsonl",
        response(0, "ant") + &same.concat() + &others.join("\n"),
    );
    let pairs = [
        "pairwise",
        "pairwise/direct/single",
        "pairwise-tie",
        "pairwise-tie/direct/single",
        "pairwise/cot",
        "pairwise/cot/single",
    ];
    for protocol in pairs {
        for design in ["all-pairs", "reference:bee", "sample:2"] {
            assert_estimate_holds(&desk, &format!("--protocol {protocol} --design {design}"));
        }
    }
    for protocol in ["pointwise", "pointwise:1-5/cot", "likelihood"] {
        assert_estimate_holds(&desk, &format!("--protocol {protocol}"));
    }
    for settings in [
        "--repeats 3",
        "--repeats 2 --design sample:2 --protocol pairwise/cot",
        "--shard 1/2",
        "--shard 2/2 --repeats 2",
    ] {
        assert_estimate_holds(&desk, settings);
    }
}

fn assert_estimate_holds(desk: &Desk, settings: &str) {
    let name: String = settings
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    let common = format!("--data data --judge simulated:log={name}.log --run {name} {settings}");
    let before = desk.json(&format!("estimate {common}"));
    assert!(
        !desk.path(&name).exists() && desk.lines(&format!("{name}.log")).is_empty(),
        "an estimate leaves no trace"
    );
    let report = desk.json(&format!("rank --ci none {common}"));
    let (usage, asked) = (&report["usage"], desk.lines(&format!("{name}.log")).len());
    assert_eq!(
        (&before["calls"], &before["calls_stored"]),
        (&usage["calls"], &json!(0)),
        "{settings}"
    );
    assert_eq!(
        (&before["calls"], &before["trials"]),
        (&json!(asked), &report["coverage"]["trials"]),
        "{settings}"
    );
    assert_eq!(
        before["prompt_tokens"], usage["prompt_tokens"],
        "{settings}"
    );
    assert!(
        usage["completion_tokens"].as_u64() <= before["completion_tokens_at_most"].as_u64(),
        "{settings}"
    );
    let after = desk.json(&format!("estimate {common}"));
    assert_eq!(
        json!([
            after["calls"],
            after["calls_stored"],
            after["prompt_tokens"]
        ]),
        json!([asked, asked, 0]),
        "{settings}"
    );
}

#[test]
fn the_same_prompt_in_two_trials_is_one_call() {
    let desk = Desk::new(1, &["ant"]);
    desk.append(
        "data/responses.jsonl",
        answer(0, "bee", "Thing 0, says ant."),
    );
    let report = desk.json(&format!("{RANK}:log=asked"));
    assert_eq!(
        json!([
            report["coverage"]["trials"],
            report["usage"]["calls"],
            desk.lines("asked").len()
        ]),
        json!([2, 1, 1])
    );
}

#[test]
fn help_names_every_command_and_topic() {
    let help = Desk::empty().done("help").stdout;
    for name in [
        "rank",
        "judge",
        "estimate",
        "models",
        "aggregations",
        "protocols",
        "judges",
    ] {
        assert!(
            help.lines()
                .any(|line| line.split_whitespace().next() == Some(name)),
            "{name} is not in {help}"
        );
    }
}

/// People's work and other files stay, whatever is written beside them.
#[test]
fn what_people_filled_in_is_kept_and_what_is_not_ours_is_left_alone() {
    let desk = Desk::new(8, &["ant", "bee", "cat"]);
    let judge = "judge --data data --judge simulated:gap=0.1 --protocol mec+bpc --review-share 1 \
                 --for-review unsure.jsonl";
    desk.done(&format!("{judge} --run run"));
    let first = desk.lines("unsure.jsonl");
    assert!(first.len() > 4, "{first:?}");
    let filled: Vec<String> = first
        .iter()
        .map(|line| line.replace("\"preferred\":null", "\"preferred\":\"a\""))
        .collect();
    assert!(
        filled
            .iter()
            .all(|line| line.contains("\"preferred\":\"a\""))
    );
    desk.write("unsure.jsonl", filled.join("\n"));
    let failed = desk.run(&format!(
        "{} --data nowhere",
        judge.replace("--data data", "")
    ));
    assert_eq!(
        (failed.code, desk.read("unsure.jsonl")),
        (Some(2), filled.join("\n"))
    );
    for more in ["--run run", "--run few --items 2"] {
        let said = desk.done(&format!("{judge} {more}")).stderr;
        assert_holds(
            &said,
            &format!("({} filled in before are kept)", filled.len()),
        );
        let kept = desk
            .lines("unsure.jsonl")
            .iter()
            .filter(|line| line.contains("\"preferred\":\"a\""))
            .count();
        assert_eq!(kept, filled.len());
    }
    for (file, arguments) in [
        (
            "data/responses.jsonl",
            "judge --data data --judge simulated --for-review",
        ),
        (
            "data/items.jsonl",
            "judge --data data --judge simulated --for-review",
        ),
    ] {
        let before = desk.read(file);
        let ran = desk.run(&format!("{arguments} {file}"));
        assert_eq!((ran.code, desk.read(file)), (Some(2), before));
        ran.says("is not a file of pairs for review (line 1)");
    }
    let before = desk.read("data/items.jsonl");
    for (arguments, said) in [
        (
            "audit tweak-set data --items 2",
            "already exists with other content",
        ),
        (
            "check data --verdicts data/items.jsonl",
            "this file is among those to check",
        ),
    ] {
        let ran = desk.run(arguments);
        assert_eq!(
            (ran.code, desk.read("data/items.jsonl")),
            (Some(2), before.clone()),
            "{}",
            ran.stderr
        );
        ran.says(said);
    }
}
