//! `check` and `audit tweak-set` with the real binary.

use crate::common::{Desk, assert_holds, json_line};
use evenhand_testing::shared_data;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader};

/// Two items with three constraints, one without; two systems.
fn desk() -> Desk {
    let desk = Desk::empty();
    let item = |id: &str, constraints: Value| {
        let instruction = format!("Name rivers of {id}.");
        json_line(json!({"id": id, "instruction": instruction, "constraints": constraints}))
    };
    let ifeval = json!({"instruction_id_list": ["punctuation:no_comma", "length_constraints:number_words"],
        "kwargs": [{}, {"relation": "at least", "num_words": 3}]});
    let listed = json!([{"id": "keywords:existence", "keywords": ["Nile"]}]);
    let plain = json_line(json!({"id": "c", "instruction": "Say hello."}));
    desk.write(
        "data/items.jsonl",
        item("a", ifeval) + &item("b", listed) + &plain,
    );
    let response = |item: &str, system: &str, output: &str| {
        json_line(json!({"item": item, "system": system, "output": output}))
    };
    let all = [
        response("a", "good", "The Nile and the Rhine."),
        response("b", "good", "The Nile."),
        response("c", "good", "Hello."),
        response("a", "bad", "First line\nThe Nile, the Rhine"),
        response("b", "bad", "The *Nile* is here"),
    ];
    desk.write("data/responses.jsonl", all.concat());
    desk
}

#[test]
fn constraints_are_checked_strictly_and_loosely() {
    let desk = desk();
    let report = desk.json("check data --verdicts verdicts.jsonl --figure kept.svg");
    let drawn = desk.read("kept.svg");
    assert_holds(&drawn, "<title>bad: 0.500 (");
    assert_holds(&drawn, "prompts, strict");
    assert_eq!(report["unconstrained"], 1);
    let [good, bad] = [0, 1].map(|at| &report["systems"][at]);
    assert_eq!(good["prompts"].as_u64(), Some(2));
    assert_eq!(good["prompt_strict"].as_f64(), Some(1.0));
    assert_eq!(good["instruction_strict"].as_f64(), Some(1.0));
    assert_eq!(bad["prompt_strict"].as_f64(), Some(0.5));
    assert_eq!(bad["instructions"].as_u64(), Some(3));
    assert_eq!(
        bad["types"]["punctuation:no_comma"],
        json!({"n": 1, "strict": 0, "loose": 1}),
        "without its last line it has no comma"
    );
    // Two items, one of which `good` alone keeps whole: no news.
    let difference = &report["differences"][0];
    assert_eq!(difference["a"], "good");
    assert_eq!(difference["b"], "bad");
    assert_eq!(difference["n_items"], 2);
    assert_eq!(difference["difference"].as_f64(), Some(0.5));
    assert_eq!(difference["p"].as_f64(), Some(1.0));
    let answer = report["answer"]["text"].as_str().unwrap();
    assert_holds(answer, "; good is ahead by 50.0 points (-");
    assert_holds(answer, ", p 1");
    let rows: Vec<Value> = desk
        .lines("verdicts.jsonl")
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[2]["item"], "a");
    assert_eq!(rows[2]["strict"], json!([false, true]));
    let table = desk.done("check data").stdout;
    assert_holds(&table, "punctuation:no_comma");
    assert_holds(&table, "1 item has no constraints");
    assert_eq!(
        desk.done("check data --format csv").stdout.lines().count(),
        3
    );
}

/// A question in five wordings is no more than one: what is kept in all or in none of them has the
/// intervals of single items.
#[test]
fn items_of_one_question_count_once() {
    let desk = Desk::empty();
    let write = |folder: &str, wordings: usize| {
        let (mut items, mut responses) = (String::new(), String::new());
        for at in 0..12 * wordings {
            let question = at / wordings;
            items += &json_line(
                json!({"id": at.to_string(), "instruction": format!("Do {at}."),
                "question_id": format!("q{question}"), "category": (question % 2).to_string(),
                "constraints": [{"id": "punctuation:no_comma"}]}),
            );
            let output = if question.is_multiple_of(3) {
                "a, b"
            } else {
                "a b"
            };
            responses +=
                &json_line(json!({"item": at.to_string(), "system": "s", "output": output}));
        }
        desk.write(&format!("{folder}/items.jsonl"), items);
        desk.write(&format!("{folder}/responses.jsonl"), responses);
    };
    write("one", 1);
    write("five", 5);
    let [one, five] = ["one", "five"].map(|folder| desk.json(&format!("check {folder}")));
    for figure in ["prompt_strict_ci", "instruction_strict_ci"] {
        let ends =
            |report: &Value| [0, 1].map(|end| report["systems"][0][figure][end].as_f64().unwrap());
        for (one, five) in ends(&one).iter().zip(ends(&five)) {
            assert!((one - five).abs() < 1e-9, "{figure}: {one} {five}");
        }
    }
    desk.done("check five --verdicts five.jsonl");
    let row: Value = serde_json::from_str(&desk.lines("five.jsonl")[5]).unwrap();
    assert_eq!([&row["question_id"], &row["category"]], ["q1", "1"]);
    let table = desk.done("check five --by category").stdout;
    assert_holds(&table, "category = 0 (30 items of 6 questions; too small");
    assert_holds(&table, "intervals over 60 items of 12 questions.");
    let single = desk.done("check one").stdout;
    assert_holds(&single, "In per cent, with 95 % intervals.");
}

#[test]
fn conditions_and_errors() {
    let desk = desk();
    let ran = desk.run("check data --fail-if prompt_strict<0.9");
    ran.ends(3, "(bad: it is 0.5)");
    let refused = |arguments: &str, expected: &str| {
        desk.refused(arguments, expected);
    };
    desk.write(
        "wrong/items.jsonl",
        json_line(
            json!({"id": "x", "instruction": "i", "constraints": [{"id": "keywords:existance"}]}),
        ),
    );
    desk.write(
        "wrong/responses.jsonl",
        json_line(json!({"item": "x", "system": "s", "output": "o"})),
    );
    refused("check wrong", "item `x`: ");
    desk.write(
        "wrong/items.jsonl",
        json_line(json!({"id": "x", "instruction": "i", "constraints": [
            {"id": "keywords:forbidden_words", "forbiden": ["a"]}
        ]})),
    );
    refused(
        "check wrong",
        "an argument \"forbiden\"; did you mean \"forbidden_words\"?",
    );
    let none = Desk::new(2, &["s"]);
    none.refused("check data", "no item has constraints");
    none.write(
        "ifeval.jsonl",
        json_line(json!({
            "key": 1, "prompt": "Say hi", "instruction_id_list": ["punctuation:no_comma"],
            "kwargs": [{}],
        })),
    );
    none.refused(
        "check ifeval.jsonl",
        "there are no responses, only items with constraints",
    );
    refused("check", "required");
    refused("check data --level 2", "--level 2");
}

#[test]
fn a_tweak_set_is_verified_and_audited() {
    let desk = Desk::new(4, &["a", "b"]);
    desk.done("audit tweak-set tweaks --items 40 --seed 3");
    let report = desk.json("check tweaks");
    let systems: Vec<(&str, f64)> = report["systems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|system| {
            (
                system["system"].as_str().unwrap(),
                system["instruction_loose"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(systems[0], ("adherent", 1.0));
    for (at, (system, kept)) in systems.iter().enumerate().skip(1) {
        assert!(
            *system == format!("severity-{at}") && (kept - (1.0 - at as f64 / 3.0)).abs() < 1e-12,
            "{systems:?}"
        );
    }
    let twice = desk.read("tweaks/responses.jsonl");
    desk.done("audit tweak-set again --items 40 --seed 3");
    assert_eq!(desk.read("again/responses.jsonl"), twice);
    let audit = desk.json(
        "audit --data data --judge simulated:accuracy=0.9,distractor=0.6 \
                           --probes severity --tweak-set tweaks --rewrites assertive --quiet --run \
                           run",
    );
    let lost = audit["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["name"] == "1 broken, assertive: accuracy lost")
        .unwrap();
    assert!(lost["biased"] == true && lost["items"] == 40, "{lost}");
    desk.refused(
        "audit tweak-set none --data data --items 2",
        "three plain sentences",
    );
}

#[test]
fn ifeval_prompts_are_read_as_they_are() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let prompts = data.join("ifeval/prompts.jsonl.gz");
    let lines = BufReader::new(GzDecoder::new(File::open(&prompts).unwrap())).lines();
    let keys =
        lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap()["key"].to_string());
    let responses =
        keys.map(|key| json_line(json!({"item": key, "system": "terse", "output": "Yes."})));
    desk.write("responses.jsonl", responses.collect::<String>());
    let report = desk.json(&format!("check {} responses.jsonl", prompts.display()));
    let terse = &report["systems"][0];
    assert!(
        terse["prompts"].as_u64().unwrap() > 400 && terse["prompt_strict"].as_f64().unwrap() < 0.3,
        "{terse}"
    );
    assert_eq!(
        terse["types"]["punctuation:no_comma"]["n"],
        terse["types"]["punctuation:no_comma"]["strict"]
    );
}

/// Missing responses keep no constraint and break none: a condition does not pass by them.
#[test]
fn conditions_do_not_pass_on_responses_that_are_missing() {
    let desk = Desk::empty();
    let (mut items, mut responses) = (String::new(), String::new());
    for at in 0..20 {
        items += &json_line(
            json!({"id": at.to_string(), "instruction": format!("Do {at}."),
            "constraints": [{"id": "punctuation:no_comma"}]}),
        );
        if at < 5 {
            let answer = json!({"item": at.to_string(), "system": "s", "output": "a b"});
            responses += &json_line(answer);
        }
    }
    desk.write("data/items.jsonl", items);
    desk.write("data/responses.jsonl", responses);
    let lacking = "s has responses to 5 of 20 items with constraints";
    let ran = desk.run("check data --fail-if prompt_strict<0.8");
    ran.ends(4, lacking);
    desk.done("check data --fail-if prompt_strict<0.8 --allow-missing");
    // What is met stays met.
    let ran = desk.run("check data --fail-if prompt_strict>0.8");
    ran.ends(3, "prompt_strict>0.8");
}
