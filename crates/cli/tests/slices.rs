//! Rankings by slice: each is that of a file with the other records left out, a planted difference
//! is found and named, and what cannot be sliced is said.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod common;

use common::Desk;
use serde_json::{Value, json};

/// Battles of three systems on items of three categories; `z` is strong in code alone where
/// `planted`.
fn battles(planted: bool) -> String {
    let mut text = String::from("question_id,category,model_a,model_b,winner\n");
    let mut state = 7_u32;
    let mut draw = |limit: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % limit
    };
    for item in 0..90 {
        let category = ["code", "math", "talk"][item % 3];
        for (a, b) in [("x", "y"), ("x", "z"), ("y", "z")] {
            let second = if planted && b == "z" && category == "code" {
                9
            } else {
                4
            };
            let winner = if draw(10) < second {
                "model_b"
            } else {
                "model_a"
            };
            text += &format!("{item},{category},{a},{b},{winner}\n");
        }
    }
    text
}

/// The lines of one category.
fn only(text: &str, category: &str) -> String {
    let lines = text.lines().enumerate();
    let kept = lines.filter(|(at, line)| *at == 0 || line.contains(&format!(",{category},")));
    kept.map(|(_, line)| format!("{line}\n")).collect()
}

/// What is said of a usage or of data that cannot be used.
fn refused(desk: &Desk, arguments: &str) -> String {
    let ran = desk.run(arguments);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    ran.stderr
}

#[test]
fn a_slice_ranks_as_a_file_of_its_records_does() {
    let desk = Desk::empty();
    let text = battles(true);
    desk.write("all.csv", text.clone());
    let whole = desk.json("leaderboard all.csv");
    let sliced = desk.json("leaderboard all.csv --by category");
    assert_eq!(sliced["ranking"], whole["ranking"]);
    let slices = sliced["slices"].as_array().unwrap();
    let values: Vec<&Value> = slices.iter().map(|slice| &slice["value"]).collect();
    assert_eq!(values, ["code", "math", "talk"]);
    for slice in slices {
        let value = slice["value"].as_str().unwrap();
        desk.write("one.csv", only(&text, value));
        let alone = desk.json("leaderboard one.csv");
        assert_eq!(slice["ranking"], alone["ranking"], "{value}");
        assert_eq!(slice["n_items"], 30);
        assert_eq!(slice["too_small"], false);
    }
    assert_eq!(whole.get("slices"), None);
    assert_eq!(whole.get("interaction"), None);
}

#[test]
fn a_planted_difference_is_the_first_sentence_in_every_format() {
    let desk = Desk::empty();
    desk.write("all.csv", battles(true));
    let found = desk.json("leaderboard all.csv --by category");
    let summary = found["interaction"]["summary"].as_str().unwrap().to_owned();
    assert!(
        summary.contains("z is ") && summary.contains("better on code"),
        "{summary}"
    );
    assert!(found["interaction"]["p"].as_f64().unwrap() < 0.01);
    for format in ["table", "markdown"] {
        let text = desk
            .done(&format!(
                "leaderboard all.csv --by category --format {format}"
            ))
            .stdout;
        assert!(text.starts_with(&summary), "{text}");
    }
    let csv = desk
        .done("leaderboard all.csv --by category --format csv")
        .stdout;
    assert_eq!(csv.lines().count(), 1 + 3 + 9);
    assert!(
        csv.lines()
            .any(|line| line.starts_with("z,") && line.contains(",code,30,"))
    );
    let one = desk
        .done("leaderboard all.csv --by category --format csv --threads 1")
        .stdout;
    let two = desk
        .done("leaderboard all.csv --by category --format csv --threads 2")
        .stdout;
    assert_eq!(one, two);
}

#[test]
fn no_difference_is_no_claim() {
    let desk = Desk::empty();
    desk.write("all.csv", battles(false));
    let found = desk.json("leaderboard all.csv --by category");
    let summary = found["interaction"]["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("No difference by category can be told from noise"),
        "{summary}"
    );
    assert_eq!(found["interaction"]["tested"], 9);
}

#[test]
fn what_cannot_be_sliced_is_said() {
    let desk = Desk::empty();
    desk.write("all.csv", battles(false));
    let error = refused(&desk, "leaderboard all.csv --by colour");
    assert!(
        error.contains("--by colour: no record has this field"),
        "{error}"
    );
    let error = refused(
        &desk,
        "leaderboard all.csv --by category --where category=code",
    );
    assert!(error.contains("all records have the same value"), "{error}");
    // An item that is in several slices.
    let found = desk.json("leaderboard all.csv --by winner");
    let summary = found["interaction"]["summary"].as_str().unwrap();
    assert!(
        summary.contains("some items are in several slices"),
        "{summary}"
    );
}

#[test]
fn a_kept_run_is_sliced_without_asking_again() {
    let desk = Desk::empty();
    let (mut items, mut responses) = (String::new(), String::new());
    for item in 0..24 {
        let category = if item % 2 == 0 { "code" } else { "talk" };
        items += &format!(
            "{}\n",
            json!({"id": item.to_string(), "instruction": format!("Say {item}."), "category": category})
        );
        for system in ["long", "short"] {
            let row = json!({"item": item.to_string(), "system": system, "output": format!("{system} {item}")});
            responses += &format!("{row}\n");
        }
    }
    desk.write("items.jsonl", items);
    desk.write("responses.jsonl", responses);
    let command = "rank --data items.jsonl --data responses.jsonl --judge simulated:accuracy=0.7 --protocol pairwise --run runs/one";
    let whole = desk.json(command);
    let ran = desk.done(&format!("{command} --by category --format json"));
    assert!(ran.stderr.contains("0 calls made now"), "{}", ran.stderr);
    let sliced = ran.json();
    assert_eq!(sliced["ranking"], whole["ranking"]);
    assert_eq!(sliced["slices"][0]["value"], "code");
    assert_eq!(sliced["slices"][0]["n_items"], 12);
    assert_eq!(sliced["interaction"]["tested"], 4);
    let error = refused(&desk, &format!("{command} --by colour"));
    assert!(error.contains("--by colour: no item has it"), "{error}");
}
