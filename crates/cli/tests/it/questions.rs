//! Items that ask one question count as one, with the real binary: from files, from a run, from a
//! baseline and from recorded verdicts.

use crate::common::{Desk, json_line};
use serde_json::{Value, json};

const JUDGE: &str = "--judge simulated:accuracy=0.8,seed=2 --quiet";

/// Items of (id, question, instruction), answered by two systems. An answer is the instruction's,
/// so that items of one instruction are copies.
fn desk(items: &[(String, Option<String>, String)]) -> Desk {
    let desk = Desk::empty();
    let (mut lines, mut responses) = (String::new(), String::new());
    for (id, question, instruction) in items {
        let mut item = json!({"id": id, "instruction": instruction});
        if let Some(question) = question {
            item["question_id"] = question.clone().into();
        }
        lines += &format!("{item}\n");
        for system in ["good", "bad"] {
            let output = format!("{instruction} {system}");
            responses += &json_line(json!({"item": id, "system": system, "output": output}));
        }
    }
    desk.write("data/items.jsonl", lines);
    desk.write("data/responses.jsonl", responses);
    desk
}

/// 15 questions of 6 items each, in other words.
fn questions() -> Desk {
    let items = (0..90).map(|item: u32| {
        let question = format!("q{}", item / 6);
        (
            format!("i{item}"),
            Some(question),
            format!("In words {item}?"),
        )
    });
    desk(&items.collect::<Vec<_>>())
}

fn counts(value: &Value) -> [Option<u64>; 2] {
    ["items", "questions"].map(|name| value[name].as_u64())
}

const BOTH: [Option<u64>; 2] = [Some(90), Some(15)];

#[test]
fn ninety_items_of_fifteen_questions_are_fifteen_everywhere() {
    let desk = questions();
    let ranking = desk.json(&format!("rank --data data {JUDGE} --run run"));
    assert_eq!((counts(&ranking), counts(&ranking["noise"])), (BOTH, BOTH));
    let said = "90 items of 15 questions";
    let says = |command: &str| {
        let text = desk.done(command).stdout;
        assert!(text.contains(said), "{command}: {text}");
    };
    says(&format!("rank --data data {JUDGE} --run run"));
    says("show run");
    says("compare run");
    says("plan run");
    let compared = desk.json("compare run");
    assert_eq!(counts(&compared), BOTH);
    assert_eq!(counts(&compared["systems"][0]["change"]), BOTH);
    let plan = desk.json("plan run");
    assert_eq!(counts(&plan["variance"]), BOTH);
    let design = &plan["designs"][0];
    let [items, questions] = counts(design).map(Option::unwrap);
    assert_eq!(items, 6 * questions, "{design}");
    // A baseline's file knows the questions; so does a run that is compared with one that does not.
    desk.done("baseline save run --out base.json");
    desk.done("rank --data data --judge simulated:accuracy=0.8,seed=3 --quiet --run now");
    assert_eq!(counts(&desk.json("compare base.json now")), BOTH);
}

#[test]
fn copies_are_named_and_change_nothing_that_is_said_of_trust() {
    let item = |copy: u32, item: u32| (format!("{copy}-{item}"), None, format!("Question {item}?"));
    let once: Vec<_> = (0..20).map(|at| item(0, at)).collect();
    let often: Vec<_> = (0..6)
        .flat_map(|copy| (0..20).map(move |at| item(copy, at)))
        .collect();
    let reports = [once, often].map(|items| {
        let desk = desk(&items);
        let judge = "--judge simulated:accuracy=0.8,seed=2 --aggregate win-ratio --quiet";
        let report = desk.json(&format!("rank --data data {judge} --run run"));
        (report, desk.json("compare run"))
    });
    let [(one, _), (six, _)] = &reports;
    let warnings = |report: &Value| report["warnings"].to_string();
    assert!(!warnings(one).contains("copies"));
    let said = "100 of 120 items are copies of others";
    assert!(warnings(six).contains(said), "{}", warnings(six));
    assert!(warnings(six).contains("1-0 of 0-0"), "{}", warnings(six));
    assert_eq!(six["items"].as_u64(), Some(120));
    assert_eq!(six["questions"].as_u64(), Some(20));
    // Copies are answered by the same reply, so that they are the twenty again.
    let figures = |(report, compared): &(Value, Value)| {
        let change = &compared["systems"][0]["change"];
        let ends = [&report["ranking"][0]["ci"], &change["ci"]].map(|ends| [&ends[0], &ends[1]]);
        let others = [
            &report["noise"]["points"],
            &change["p"],
            &change["difference"],
        ];
        let all = ends.into_iter().flatten().chain(others);
        all.map(|value| value.as_f64().unwrap())
            .collect::<Vec<f64>>()
    };
    for (one, six) in figures(&reports[0]).iter().zip(figures(&reports[1])) {
        assert!((one - six).abs() < 1e-9, "{reports:?}");
    }
}

#[test]
fn recorded_scores_and_battles_are_counted_by_question() {
    let desk = Desk::empty();
    for (name, shift) in [("before", 0), ("now", 1)] {
        let mut text = String::from("system,item,question_id,score\n");
        for item in 0..90 {
            let score = 4 + item % 3 + shift * (item / 6 % 3);
            text += &format!(
                "v1,i{item},q{},{score}\nv0,i{item},q{},4\n",
                item / 6,
                item / 6
            );
        }
        desk.write(&format!("{name}.csv"), text);
    }
    let compared = desk.json("compare before.csv now.csv --systems v1");
    assert_eq!(counts(&compared), BOTH);
    let mut battles = String::from("question_id,item,model_a,model_b,winner\n");
    for item in 0..90 {
        let winner = ["model_a", "model_b"][usize::from(item % 6 == 0)];
        battles += &format!("q{},i{item},x,y,{winner}\n", item / 6);
    }
    desk.write("battles.csv", battles);
    // Every question says the same: over questions there is nothing that varies, over battles there
    // is.
    let board = |more: &str| {
        let board = desk.json(&format!(
            "leaderboard battles.csv --aggregate win-ratio {more}"
        ));
        board["ranking"][0]["ci"].clone()
    };
    assert_ne!(board(""), board("--cluster none"));
}

#[test]
fn judgments_that_are_written_say_which_items_ask_one_question() {
    let by_text = (0..90).map(|item: u32| {
        let instruction = format!("Question {}?", item / 6);
        (format!("i{item}"), None, instruction)
    });
    for desk in [questions(), desk(&by_text.collect::<Vec<_>>())] {
        let label = |item: u32| {
            json_line(
                json!({"item": format!("i{item}"), "a": "good", "b": "bad", "preferred": "a"}),
            )
        };
        desk.write("labels.jsonl", (0..90).map(label).collect::<String>());
        let judge = format!("judge --data data {JUDGE} --run run");
        for (file, command) in [
            ("plain.jsonl", format!("{judge} --format json")),
            ("plain.csv", format!("{judge} --format csv")),
            ("texts.jsonl", format!("{judge} --format json --texts")),
            ("texts.csv", format!("{judge} --format csv --texts")),
            ("kept.jsonl", "judgments run --format json".into()),
        ] {
            desk.write(file, desk.done(&command).stdout);
            let board = desk.json(&format!("leaderboard {file}"));
            assert_eq!(counts(&board), BOTH, "{file}");
            let said = desk.json(&format!(
                "meta judge --recorded {file} --labels labels.jsonl"
            ));
            assert_eq!(said["items"], 15, "{file}");
        }
    }
    // Items that ask a question each need no name for it.
    let alone = Desk::new(2, &["good", "bad"]);
    let rows = alone.judgments(&format!("--data data {JUDGE} --run run"));
    assert!(
        rows.iter().all(|row| row["question_id"].is_null()),
        "{rows:?}"
    );
}
