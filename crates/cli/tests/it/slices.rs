//! Rankings by slice: each is that of a file with the other records left out, a planted difference
//! is found and named, and what cannot be sliced is said.

use crate::common::{Desk, assert_holds, json_line};
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
fn a_planted_difference_stands_below_the_table_in_every_format() {
    let desk = Desk::empty();
    desk.write("all.csv", battles(true));
    let found = desk.json("leaderboard all.csv --by category");
    let summary = found["interaction"]["summary"].as_str().unwrap().to_owned();
    assert_holds(&summary, "z is ");
    assert_holds(&summary, "better on code");
    assert!(found["interaction"]["p"].as_f64().unwrap() < 0.01);
    for format in ["table", "markdown"] {
        let text = desk
            .done(&format!(
                "leaderboard all.csv --by category --format {format}"
            ))
            .stdout;
        let (answer, below) = text.split_once("rank interval").unwrap();
        assert!(answer.contains("cannot be separated"), "{text}");
        assert!(!answer.contains("better on code"), "{text}");
        assert!(below.replace("&lt;", "<").contains(&summary), "{text}");
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
    // The answer of the whole is the first line; what is said of slices comes below the table.
    let answer = found["answer"]["text"].as_str().unwrap();
    for (format, begins) in [("table", answer), ("markdown", "**")] {
        let text = desk
            .done(&format!(
                "leaderboard all.csv --by category --format {format}"
            ))
            .stdout;
        assert!(text.starts_with(begins), "{text}");
        let (_, below) = text.split_once("rank interval").unwrap();
        assert!(below.contains("No difference by category"), "{text}");
    }
}

#[test]
fn a_slice_without_the_anchor_says_so_in_a_sentence() {
    let desk = Desk::empty();
    let rows = |a: &str, b: &str, category: &str| {
        format!("{a},{b},model_a,{category}\n{b},{a},model_a,{category}\n").repeat(10)
    };
    let rows = rows("x", "y", "code") + &rows("y", "z", "code") + &rows("x", "y", "talk");
    let head = "model_a,model_b,winner,category\n";
    desk.write("all.csv", head.to_owned() + &rows);
    let text = desk.done("leaderboard all.csv --by category --anchor z=1000");
    assert_holds(
        &text.stdout,
        "category = talk (20 battles)\nIt has no ranking: --anchor z=1000: it is not ranked here",
    );
    let text = desk.done("leaderboard all.csv --by category");
    assert_holds(&text.stdout, "have a mean of 1000 over its own systems");
}

#[test]
fn what_cannot_be_sliced_is_said() {
    let desk = Desk::empty();
    desk.write("all.csv", battles(false));
    let error = refused(&desk, "leaderboard all.csv --by colour");
    assert_holds(
        &error,
        "--by colour: no file has a field `colour`; all.csv has `",
    );
    assert_holds(&error, "`category`");
    let error = refused(&desk, "leaderboard all.csv --by catgory");
    assert_holds(&error, "no file has a field `catgory`");
    assert_holds(&error, "`category`");
    let error = refused(
        &desk,
        "leaderboard all.csv --by category --where category=code",
    );
    assert!(error.contains("all records have the same value"), "{error}");
}

/// Votes of so many voters on questions of two languages; `z` is strong in German alone where
/// `planted`, and every voter likes one system everywhere.
fn votes(voters: usize, planted: bool) -> String {
    let mut text = String::from("voter,question_id,lang,model_a,model_b,winner\n");
    let mut state = 11_u32;
    let mut draw = |limit: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % limit
    };
    for voter in 0..voters {
        let liked = ["x", "y", "z"][voter % 3];
        for vote in 0..15 {
            let lang = ["en", "de"][vote % 2];
            let question = 2 * draw(10) as usize + vote % 2;
            let (a, b) = [("x", "y"), ("x", "z"), ("y", "z")][draw(3) as usize];
            let chance = match planted && b == "z" && lang == "de" {
                true => 9,
                false => 5 + 2 * u32::from(liked == b) - 2 * u32::from(liked == a),
            };
            let winner = if draw(10) < chance {
                "model_b"
            } else {
                "model_a"
            };
            text += &format!("v{voter},q{question},{lang},{a},{b},{winner}\n");
        }
    }
    text
}

/// Battles are battles, whatever they count together by; and voters are in all slices, which is
/// tested with each of them whole.
#[test]
fn slices_say_their_battles_and_what_counts_once() {
    let desk = Desk::empty();
    desk.write("votes.csv", votes(40, true));
    for (cluster, size, units) in [
        ("", "280 battles of 10 items", "items"),
        ("--cluster voter", "280 battles of 40 voters", "voters"),
        ("--cluster none", "280 battles", "battles"),
        (
            "--ci none --cluster voter",
            "280 battles of 40 voters",
            "voters",
        ),
    ] {
        let command = format!("leaderboard votes.csv --by lang --rounds 99 {cluster}");
        let found = desk.json(&command);
        let slice = &found["slices"][0];
        assert_eq!(slice["size"], size, "{cluster}");
        assert_eq!(slice["units"], units, "{cluster}");
        assert_eq!(slice["n_judgments"], 280, "{cluster}");
        assert_eq!(slice["too_small"], false, "{cluster}");
        let text = desk.done(&command).stdout;
        assert_holds(&text, &format!("lang = de ({size})"));
        let markdown = desk.done(&format!("{command} --format markdown")).stdout;
        assert_holds(&markdown, &format!("lang = de ({size})"));
    }
    let found = desk.json("leaderboard votes.csv --by lang --cluster voter --rounds 999");
    assert_eq!(found["ci"]["units"], "voters");
    let summary = found["interaction"]["summary"].as_str().unwrap();
    assert_holds(summary, "z is ");
    assert_holds(summary, "better on de");
    assert_holds(summary, "by signs of voters");
    desk.write("alike.csv", votes(40, false));
    let found = desk.json("leaderboard alike.csv --by lang --cluster voter --rounds 999");
    let summary = found["interaction"]["summary"].as_str().unwrap();
    assert_holds(summary, "No difference by lang can be told from noise");
    // Fewer voters than a test needs, and the words for it.
    desk.write("few.csv", votes(9, false));
    let few = desk
        .done("leaderboard few.csv --by lang --cluster voter")
        .stdout;
    assert_holds(
        &few,
        "of 9 voters; too small: with fewer than 10 voters intervals are too narrow",
    );
    let text = desk
        .done("leaderboard votes.csv --cluster voter --rounds 99")
        .stdout;
    assert_holds(&text, "99 resamples of voters");
}

/// Items of two categories and two levels, by number, and answers of `long` and `short`.
fn write_data(desk: &Desk) {
    let (mut items, mut responses) = (String::new(), String::new());
    for item in 0..24 {
        let category = if item % 2 == 0 { "code" } else { "talk" };
        let level = if item < 8 { "easy" } else { "hard" };
        let (id, instruction) = (item.to_string(), format!("Say {item}."));
        let row = json!({
            "id": id, "instruction": instruction, "category": category, "level": level,
        });
        items += &format!("{row}\n");
        for system in ["long", "short"] {
            let output = format!("{system} {item}");
            responses += &json_line(json!({"item": id, "system": system, "output": output}));
        }
    }
    desk.write("items.jsonl", items);
    desk.write("responses.jsonl", responses);
}

const RANK: &str = "rank --data items.jsonl --data responses.jsonl --judge \
                    simulated:accuracy=0.7 --protocol pairwise --run runs/one";

#[test]
fn a_kept_run_is_sliced_without_asking_again() {
    let desk = Desk::empty();
    write_data(&desk);
    let whole = desk.json(RANK);
    let ran = desk.done(&format!("{RANK} --by category --format json"));
    ran.says("0 calls made now");
    let sliced = ran.json();
    assert_eq!(sliced["ranking"], whole["ranking"]);
    assert_eq!(sliced["slices"][0]["value"], "code");
    assert_eq!(sliced["slices"][0]["n_items"], 12);
    assert_eq!(sliced["interaction"]["tested"], 4);
    let error = refused(&desk, &format!("{RANK} --by colour"));
    assert!(error.contains("--by colour"), "{error}");
}

/// A field that no prompt shows is read from the files, and the run stays as it is.
#[test]
fn a_run_is_sliced_by_any_field_of_its_items() {
    let desk = Desk::empty();
    write_data(&desk);
    let whole = desk.json(RANK);
    let ran = desk.done(&format!("{RANK} --by level --format json"));
    ran.says("0 calls made now");
    let sliced = ran.json();
    assert_eq!(sliced["ranking"], whole["ranking"]);
    let slices = sliced["slices"].as_array().unwrap();
    let shown: Vec<(&Value, &Value, &Value)> = slices
        .iter()
        .map(|slice| (&slice["value"], &slice["n_items"], &slice["too_small"]))
        .collect();
    let expected = [
        (json!("easy"), json!(8), json!(true)),
        (json!("hard"), json!(16), json!(false)),
    ];
    let expected: Vec<(&Value, &Value, &Value)> = expected
        .iter()
        .map(|(value, n, small)| (value, n, small))
        .collect();
    assert_eq!(shown, expected);
}

/// Items with a constraint, `parts` of them in turn; `careful` keeps it, `hasty` fails on part
/// `weak` alone.
fn write_constraints(desk: &Desk, systems: &[&str], weak: usize) {
    let (mut items, mut responses) = (String::new(), String::new());
    for item in 0..60 {
        let (id, part) = (item.to_string(), ["list", "prose", "table"][item % 3]);
        let constraints = json!([{"id": "punctuation:no_comma"}]);
        let row = json!({
            "id": id, "instruction": format!("Say {item}."), "part": part,
            "constraints": constraints,
        });
        items += &format!("{row}\n");
        for system in systems {
            let fails = *system == "hasty" && item % 3 == weak || item % 10 == 0;
            let output = if fails { "one, two" } else { "one two" };
            responses += &json_line(json!({"item": id, "system": system, "output": output}));
        }
    }
    desk.write("items.jsonl", items);
    desk.write("responses.jsonl", responses);
}

#[test]
fn constraints_are_checked_by_slice() {
    let desk = Desk::empty();
    write_constraints(&desk, &["careful", "hasty"], 1);
    let whole = desk.json("check items.jsonl responses.jsonl");
    let sliced = desk.json("check items.jsonl responses.jsonl --by part");
    assert_eq!(sliced["systems"], whole["systems"]);
    assert!(whole.get("slices").is_none() && whole.get("interaction").is_none());
    for slice in sliced["slices"].as_array().unwrap() {
        let value = slice["value"].as_str().unwrap();
        let alone = desk.json(&format!(
            "check items.jsonl responses.jsonl --where part={value}"
        ));
        assert_eq!(slice["systems"], alone["systems"], "{value}");
        assert_eq!(slice["n_items"], 20);
    }
    let summary = sliced["interaction"]["summary"].as_str().unwrap();
    assert_holds(summary, "hasty is ");
    assert_holds(summary, "worse on prose");
    let table = desk
        .done("check items.jsonl responses.jsonl --by part")
        .stdout;
    assert!(
        !table.starts_with(summary)
            && table.contains(summary)
            && table.contains("part = prose (20 items)"),
        "{table}"
    );
    let csv = desk
        .done("check items.jsonl responses.jsonl --by part --format csv")
        .stdout;
    assert_eq!(csv.lines().count(), 1 + 2 + 6);
    let error = refused(&desk, "check items.jsonl responses.jsonl --by colour");
    assert!(error.contains("--by colour"), "{error}");
}

#[test]
fn one_system_is_held_against_its_own_share() {
    let desk = Desk::empty();
    write_constraints(&desk, &["hasty"], 2);
    let found = desk.json("check items.jsonl responses.jsonl --by part");
    let summary = found["interaction"]["summary"].as_str().unwrap();
    assert!(summary.contains("worse on table than overall"), "{summary}");
    write_constraints(&desk, &["careful"], 2);
    let found = desk.json("check items.jsonl responses.jsonl --by part");
    let summary = found["interaction"]["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("No difference by part can be told from noise"),
        "{summary}"
    );
}
