//! `--fail-if` on the answers themselves: their latency and their length, in `rank` and in
//! `compare`, of runs and of a baseline's file.

use crate::common::{Desk, assert_holds, item, json_line};
use serde_json::json;

const ITEMS: usize = 100;
const JUDGE: &str = "--judge simulated:gap=0.2 --protocol pairwise/direct/single --ci none";

/// A desk with two systems: `fast` takes from 0.01 to 1 s for 5 tokens, `slow` 2 s more for 10; of
/// the first so many items the latencies are not known.
fn desk(unknown: usize) -> Desk {
    let desk = Desk::empty();
    desk.write("data/items.jsonl", (0..ITEMS).map(item).collect::<String>());
    let line = |at: usize, system: &str, latency: f64, text: &str| {
        let id = serde_json::from_str::<serde_json::Value>(&item(at)).unwrap()["id"].clone();
        let mut record = json!({"item": id, "system": system, "output": format!("{at} {text}")});
        if at >= unknown {
            record["latency"] = latency.into();
        }
        format!("{record}\n")
    };
    let lines = (0..ITEMS).map(|at| {
        let seconds = (at + 1) as f64 / 100.0;
        line(at, "fast", seconds, "one two three four")
            + &line(at, "slow", seconds + 2.0, "1 2 3 4 5 6 7 8 9")
    });
    desk.write("data/responses.jsonl", lines.collect::<String>());
    desk
}

fn ends_with(desk: &Desk, command: &str, condition: &str, code: i32, says: &str) {
    let mut all = desk.command(command);
    let ran = all.args(["--fail-if", condition]).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(code), "{condition}: {said}");
    assert!(said.contains(says), "{condition}: {said}");
}

#[test]
fn latency_and_length_stop_a_pipeline() {
    let desk = desk(0);
    let rank = format!("rank --data data {JUDGE} --run run");
    let compare = "compare run --pair fast,slow";
    desk.done(&rank);
    for (condition, code, says) in [
        ("p95_latency(fast)>0.95", 0, ""),
        (
            "p95_latency(fast)>0.94",
            3,
            "fast: p95_latency is 0.95 s (0.9 to 1) of 100 answers",
        ),
        ("p95_latency(slow)>2.95", 0, ""),
        (
            "p95_latency(slow).high>2.95",
            3,
            "slow: p95_latency is 2.95 s (2.9 to 3)",
        ),
        ("p95_latency>2.5", 3, "slow: p95_latency"),
        ("answer_length(slow)>10", 0, ""),
        (
            "answer_length(slow)>9.9",
            3,
            "slow: answer_length is 10 tokens (10 to 10)",
        ),
        (
            "answer_length(slow,fast)>=5",
            3,
            "slow against fast: answer_length is 5 tokens",
        ),
        ("p95_latency(slow,fast)>2", 0, ""),
        (
            "p95_latency(slow,fast).low>1.9",
            3,
            "slow against fast: p95_latency is 2 s (1.9",
        ),
        ("p95_latency(slow,fast).high>2.2", 0, ""),
    ] {
        ends_with(&desk, &rank, condition, code, says);
        // Both are of the run, and a condition is on either.
        ends_with(&desk, compare, condition, code, says);
    }
    // The slow one counts wherever it stands.
    let turned = "compare run --pair slow,fast";
    ends_with(&desk, turned, "p95_latency>2.5", 3, "slow: p95_latency");
    ends_with(&desk, turned, "answer_length>9.9", 3, "slow: answer_length");
    ends_with(&desk, turned, "p95_latency>2.95", 0, "");
    ends_with(
        &desk,
        &rank,
        "p95_latency(snail)>1",
        2,
        "no system snail is ranked here",
    );
    ends_with(
        &desk,
        compare,
        "p95_latency(snail)>1",
        2,
        "that is not compared here",
    );
    ends_with(&desk, &rank, "p95_latency(slow)<0", 2, "it is 0 or more");
    ends_with(&desk, &rank, "p95_latency(slow).p<0.05", 2, "expected");
}

#[test]
fn what_lacks_a_latency_is_no_pass() {
    for (unknown, met) in [(10, 3), (ITEMS, 4)] {
        let desk = desk(unknown);
        let rank = format!("rank --data data {JUDGE} --run run");
        desk.done(&rank);
        let says = format!("{unknown} of 100 answers have no latency");
        for command in [rank.as_str(), "compare run --pair fast,slow"] {
            ends_with(&desk, command, "p95_latency(slow)>9", 4, &says);
            ends_with(
                &desk,
                command,
                "p95_latency(slow)>1",
                met,
                "slow: p95_latency is",
            );
            ends_with(&desk, command, "p95_latency(slow,fast)>9", 4, &says);
            ends_with(&desk, command, "answer_length(slow)>99", 0, "");
            let allowed = format!("{command} --allow-missing");
            let code = if unknown < ITEMS { 0 } else { 4 };
            ends_with(&desk, &allowed, "p95_latency(slow)>9", code, "");
        }
    }
}

/// Files of pairs need no responses of all systems, but a gate on one that lacks some is not
/// passed, by whatever form and design they are judged.
#[test]
fn a_response_that_a_file_of_pairs_lacks_is_no_pass() {
    let desk = Desk::empty();
    let text = |system: &str, at: usize| format!("{system} says {at}");
    let pair = |at: usize, [a, b]: [&str; 2]| {
        json_line(json!({
            "idx": at, "instruction": format!("do {at}"), "input": "", "model_1": a, "model_2": b,
            "response_1": text(a, at), "response_2": text(b, at), "human": [1],
        }))
    };
    let all = [["A", "B"], ["A", "C"], ["B", "C"]];
    // Of the first third no response of C is there.
    let pairs = (0..60).flat_map(|at| {
        all[..if at < 20 { 1 } else { 3 }]
            .iter()
            .map(move |p| (at, *p))
    });
    let pairs: String = pairs.map(|(at, systems)| pair(at, systems)).collect();
    desk.write("pairs.jsonl", pairs);
    for plan in [
        "pairwise",
        "pairwise --design swim",
        "pairwise --design adaptive",
        "pointwise",
    ] {
        let judge = "--judge simulated:gap=1,seed=1";
        let rank = format!("rank --data pairs.jsonl {judge} --protocol {plan}");
        let says = "missing: C has no response to 20 of 60 items";
        ends_with(&desk, &rank, "worse(A,C)", 4, says);
        ends_with(&desk, &rank, "rank.C<2", 4, says);
        ends_with(&desk, &rank, "worse(B,A)", 3, "");
        ends_with(&desk, &format!("{rank} --allow-missing"), "rank.C<2", 0, "");
        let run = plan.replace(' ', "");
        desk.done(&format!("{rank} --run {run} --quiet"));
        let compare = format!("compare {run} --pair C,A");
        ends_with(
            &desk,
            &compare,
            "worse(A,C)",
            4,
            "missing: A against C on 20 of ",
        );
    }
}

/// A run that was allowed to go on without some responses still knows that they are missing: what
/// only one of two systems has answered is no pass, whatever the form of the data.
#[test]
fn a_response_that_a_run_was_allowed_to_lack_is_no_pass() {
    let desk = Desk::empty();
    let answer = |system: &str, at: usize| format!("{system} says {at}");
    let (mut items, mut responses, mut pairs) = (String::new(), String::new(), String::new());
    for at in 0..30 {
        let instruction = format!("do {at}");
        items += &json_line(json!({"id": at.to_string(), "instruction": instruction}));
        let new = (at < 18).then(|| answer("new", at));
        for (system, output) in [("old", Some(answer("old", at))), ("new", new.clone())] {
            let one = json!({"item": at.to_string(), "system": system, "output": output});
            responses += &output.map_or_else(String::new, |_| json_line(one));
        }
        pairs += &json_line(json!({
            "instruction": instruction, "output_1": answer("old", at), "output_2": new,
        }));
    }
    desk.write("data/items.jsonl", items);
    desk.write("data/responses.jsonl", responses);
    desk.write("pairs.jsonl", pairs);
    let map = "pairs.jsonl --map instruction=instruction,output_1=output_1,output_2=output_2";
    for (data, [old, new]) in [("data", ["old", "new"]), (map, ["output_1", "output_2"])] {
        let run = data.split('.').next().unwrap_or_default();
        let judge = "--judge simulated:gap=0.3,seed=1 --allow-missing";
        desk.done(&format!("rank --data {data} {judge} --run run-{run}"));
        let compare = format!("compare run-{run} --pair {old},{new}");
        let says = format!("issing: {new} against {old} on 12 of 30 items");
        let passes = format!("inferior({new},{old},0.49)");
        ends_with(&desk, &compare, &passes, 4, &says);
        ends_with(&desk, &compare, "coverage<0.95", 3, "coverage is 0.6");
        ends_with(&desk, &format!("{compare} --allow-missing"), &passes, 0, "");
    }
}

#[test]
fn a_baseline_s_file_has_the_sizes_of_answers() {
    let desk = desk(0);
    let points = "--judge simulated:gap=0.2 --protocol pointwise/direct/single --ci none";
    desk.done(&format!("rank --data data {points} --run run"));
    desk.done("baseline save run --out baseline.json");
    let compare = "compare baseline.json run --pair fast,slow";
    ends_with(
        &desk,
        compare,
        "answer_length(slow,fast)>4",
        3,
        "is 5 tokens (5 to 5) of 100",
    );
    ends_with(&desk, compare, "p95_latency(slow,fast)>3", 0, "");
    // Files of judgments say nothing of answers.
    desk.write(
        "battles.csv",
        "model_a,model_b,winner\na,b,model_a\nb,a,model_a\n",
    );
    let board = "leaderboard battles.csv --ci none";
    ends_with(
        &desk,
        board,
        "answer_length>1",
        2,
        "these files hold judgments and no answers",
    );
    // What data know beyond what judges see makes no other run.
    let mut lines = desk.read("data/responses.jsonl");
    lines = lines.replace("\"latency\":0.01", "\"latency\":0.5");
    assert!(lines != desk.read("data/responses.jsonl"));
    desk.write("data/responses.jsonl", lines);
    let again = desk.done(&format!("rank --data data {points} --run run"));
    again.says("0 calls made now");
    // The run keeps what it was judged with, and says so.
    let said = format!("{}{}", again.stdout, again.stderr);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_holds(&said, "1 of 200 responses have another latency in the data");
}

/// A record that says its latency twice, in seconds and in milliseconds, and not the same.
#[test]
fn latencies_that_contradict_each_other_are_refused() {
    let desk = desk(0);
    let lines = desk.read("data/responses.jsonl");
    desk.write(
        "data/responses.jsonl",
        lines.replacen(
            "\"latency\":2.01",
            "\"latency\":2.01,\"latency_ms\":201.0",
            1,
        ),
    );
    let ran = desk.run(&format!("rank --data data {JUDGE} --run run"));
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let said = "responses.jsonl:2: `latency` is 2.01 s and `latency_ms` 201 ms";
    ran.says(said);
    assert!(!desk.path("run").exists());
}

/// An opponent whose answer changed, too, leaves an item out of the comparison of win shares, and
/// no slow answer out of the latencies.
#[test]
fn an_answer_that_is_not_compared_counts_all_the_same() {
    let desk = desk(0);
    let rank = |run: &str| desk.done(&format!("rank --data data {JUDGE} --run {run}"));
    rank("before");
    let changed: Vec<String> = desk
        .lines("data/responses.jsonl")
        .into_iter()
        .enumerate()
        .map(|(place, line)| {
            let mut record: serde_json::Value = serde_json::from_str(&line).unwrap();
            // All but the first ten items of both systems are answered anew; `slow` takes a minute.
            if place >= 20 {
                record["output"] = format!("anew {place}").into();
                if record["system"] == "slow" {
                    record["latency"] = 60.0.into();
                }
            }
            format!("{record}\n")
        })
        .collect();
    desk.write("data/responses.jsonl", changed.concat());
    rank("after");
    ends_with(
        &desk,
        "compare before after --systems slow",
        "p95_latency(slow)>9",
        3,
        "slow: p95_latency is 60 s",
    );
}
