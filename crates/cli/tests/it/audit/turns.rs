//! Conversations: flips by turn and together, every turn rewritten (tables 2, 10 and 11 of
//! distracted evaluation).

use super::*;

/// Conversations of two turns, and answers of three systems.
fn conversations(count: usize) -> Desk {
    let desk = Desk::empty();
    let items = (0..count).map(|at| {
        let turns = [
            format!("What of {at}?"),
            format!("And what of {at} after that?"),
        ];
        json!({"id": format!("q{at}"), "turns": turns})
    });
    let answers = (0..count).flat_map(|at| {
        ["a", "b", "c"].map(|system| {
            let output = ["first", "second"].map(|turn| {
                format!("It is {at} as {system} sees it, the {turn} time. So much for {turn}.")
            });
            json!({"item": format!("q{at}"), "system": system, "output": output})
        })
    });
    let lines = |records: Vec<Value>| {
        let lines = records.iter().map(|record| format!("{record}\n"));
        lines.collect::<String>()
    };
    desk.write("data/items.jsonl", lines(items.collect()));
    desk.write("data/responses.jsonl", lines(answers.collect()));
    desk
}

const FLIPS: &str = "--probes distractors --rewrites assertive,flattery --turn each";

fn value(found: &Value) -> f64 {
    found["value"].as_f64().unwrap()
}

#[test]
fn flips_are_counted_by_turn_and_together() {
    let desk = conversations(60);
    let audit = format!("{AUDIT} --judge simulated:gap=0.5,distractor=0.9 {FLIPS}");
    let report = desk.json(&format!("{audit} --protocol pairwise-tie/direct/swap"));
    assert_eq!(
        [count(&report, "items"), count(&report, "questions")],
        [120, 60],
        "both turns of a conversation ask one question"
    );
    let all = found(&report, "assertive: flips");
    let turns = [1, 2].map(|turn| found(&report, &format!("assertive: flips, turn {turn}")));
    let items = turns.map(|turn| count(turn, "items"));
    assert_eq!(items[0] + items[1], count(all, "items"));
    assert!(count(all, "clusters") <= 60);
    for turn in turns {
        // 0.9 of its looks are decided by the words: 0.95 of them for each of both orders.
        assert!(value(turn) > 0.7, "{turn}");
    }
    let rows = report["flips"]["rows"].as_array().unwrap();
    let shown = rows
        .iter()
        .map(|row| json!([row["distractor"], row["turn"]]));
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            json!(["assertive", null]),
            json!(["assertive", 1]),
            json!(["assertive", 2]),
            json!(["flattery", null]),
            json!(["flattery", 1]),
            json!(["flattery", 2]),
            json!([null, null]),
            json!([null, 1]),
            json!([null, 2]),
        ]
    );
    let card = desk.done(&audit).stdout;
    let header = card
        .lines()
        .find(|line| line.contains(" turn ") && line.contains("assertive: absolute"));
    assert!(header.is_some(), "{card}");
}

#[test]
fn a_model_rewrites_the_answer_to_every_turn() {
    let desk = conversations(12);
    let audit = |turn: &str| {
        format!(
            "{AUDIT}-{turn} --judge simulated:accuracy=1 --probes distractors --rewrites none \
             --rewriter simulated --turn {turn}"
        )
    };
    let each = desk.json(&audit("each"));
    let written = each["rewrites"].as_array().unwrap().iter();
    let written: u64 = written.map(|one| count(one, "responses")).sum();
    let calls = |report: &Value| count(&report["rewriting"], "calls");
    // The first answer of a conversation is one call, whether it is judged or stands before the
    // second one: without that there would be three calls for every two responses.
    assert!(
        4 * calls(&each) < 5 * written,
        "{} of {written}",
        calls(&each)
    );
    let second = desk.json(&audit("second"));
    let written = second["rewrites"].as_array().unwrap().iter();
    let written: u64 = written.map(|one| count(one, "responses")).sum();
    assert_eq!(calls(&second), 2 * written);
    assert!(found(&second, "assertiveness: flips")["items"] == 12);
    let whole = desk.json(&audit("whole"));
    assert!(count(found(&whole, "assertiveness: preferred"), "items") > 0);
    // An estimate counts the same calls.
    let foreseen = desk.json(&format!(
        "{} --run new --estimate",
        audit("second").replace("--run run-second ", "")
    ));
    let parts = foreseen["protocols"].as_array().unwrap().iter();
    let rewriting =
        parts.filter(|part| part["protocol"].as_str().unwrap().contains("rewritten by"));
    let rewriting: u64 = rewriting.map(|part| count(part, "calls")).sum();
    assert_eq!(rewriting, calls(&second));
}

#[test]
fn a_sound_judge_of_conversations_is_not_accused() {
    let desk = conversations(30);
    for turn in ["each", "second", "whole"] {
        let report = desk.json(&format!(
            "{AUDIT}-{turn} --judge simulated:gap=1.2 --turn {turn} --probes \
             position,distractors,protocols,null-answer,leaderboard"
        ));
        assert_eq!(report["biased"], 0, "{turn}: {:#}", report["findings"]);
    }
}

/// Tables 8, 10 and 11: a response beside the same rewritten, every turn of it.
#[test]
fn rewritten_responses_are_written_beside_their_originals() {
    let desk = conversations(6);
    let report = desk.json(&format!(
        "{AUDIT} --judge simulated --probes distractors --rewrites flattery --turn second \
         --rewriter simulated --rewritten rewritten.jsonl"
    ));
    let lines = desk.lines("rewritten.jsonl");
    let written = report["rewrites"].as_array().unwrap().iter();
    let kept: u64 = written
        .map(|one| count(one, "responses") - count(one, "dropped"))
        .sum();
    assert_eq!(lines.len() as u64, kept);
    let first: Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!(first["rewrite"], "flattery");
    assert_eq!(first["instruction"].as_array().unwrap().len(), 2);
    for turn in 0..2 {
        let [original, rewritten] =
            ["original", "rewritten"].map(|key| first[key][turn].as_str().unwrap());
        assert!(
            rewritten.contains(original) && rewritten.contains("wonderful"),
            "{first}"
        );
    }
}
