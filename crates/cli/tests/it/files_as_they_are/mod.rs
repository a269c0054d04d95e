//! Files as they really are: other tools' readers, spellings of outcomes, filters, several files,
//! and tables of all kinds.

mod filters;
mod recordings;

use crate::common::{Desk, json_lines, rows, systems};
use evenhand_testing::shared_data;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

fn refused(desk: &Desk, arguments: &str, expected: &str) {
    let ran = desk.run(arguments);
    ran.prints_nothing(2);
    ran.says(expected);
}

/// The records of a gzip file.
fn records(path: &Path) -> Vec<Value> {
    let file = BufReader::new(flate2::read::GzDecoder::new(File::open(path).unwrap()));
    file.lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

/// Five pairs: the judge is right in both orders, right, a tie, of two minds, and wrong in both
/// orders.
fn auto_j() -> Desk {
    let desk = Desk::empty();
    let pair = |index: usize, label: u8| {
        json!({"index": index, "scenario": "chitchat", "label": label, "prompt": format!("p{index}"),
               "response 1": "one", "response 2": "two"})
    };
    let labels = [0, 1, 2, 0, 1];
    desk.write(
        "pairs.jsonl",
        json_lines(
            labels
                .into_iter()
                .enumerate()
                .map(|(index, label)| pair(index, label)),
        ),
    );
    let verdicts = [(0, 1), (1, 0), (2, 2), (0, 0), (0, 1)];
    let verdict = |(index, (first, second)): (usize, (u8, u8))| json!({"index": index, "verdict_order_12": first, "verdict_order_21": second});
    desk.write(
        "verdicts.jsonl",
        json_lines(verdicts.into_iter().enumerate().map(verdict)),
    );
    desk
}

/// Battles of x and y in a table whose outcomes are these words.
fn battles(words: &[&str]) -> Desk {
    let desk = Desk::empty();
    let row = |(at, word): (usize, &&str)| {
        format!(
            "q{at},x,y,{word},{}\n",
            if at.is_multiple_of(2) { "en" } else { "de" }
        )
    };
    let table = words.iter().enumerate().map(row).collect::<String>();
    desk.write(
        "b.csv",
        format!("question_id,model_a,model_b,winner,lang\n{table}"),
    );
    desk
}

fn outcomes(desk: &Desk, flags: &str) -> Value {
    let report = desk.json(&format!(
        "leaderboard b.csv --ci none --aggregate win-ratio {flags}"
    ));
    let count = |key: &str| report["outcomes"][key].as_f64().unwrap() as u64;
    json!([
        count("decided"),
        count("ties") + count("both_bad"),
        report["ranking"][0]["system"]
    ])
}

#[test]
fn outcomes_are_read_in_their_common_spellings_and_others_as_the_user_says() {
    for words in [
        ["model_a", "model_b", "tie", "model_a"],
        ["A", "B", "Tie", "a"],
        ["x", "y", "draw", "x"],
        ["1", "-1", "0", "1.0"],
        ["Left", "right", "tie", "LEFT"],
        ["first", "second", "Both Bad", "First"],
        ["Model A", "Model B", "bothbad", "model-a"],
    ] {
        assert_eq!(
            outcomes(&battles(&words), ""),
            json!([3, 1, "x"]),
            "{words:?}"
        );
    }
    let own = battles(&["won", "lost", "meh", "won"]);
    assert_eq!(
        outcomes(&own, "--outcomes won=first,lost=second,meh=tie"),
        json!([3, 1, "x"])
    );
    assert_eq!(
        outcomes(&own, "--outcomes won=second,lost=first,meh=tie"),
        json!([3, 1, "y"])
    );
    // In a file of settings a word is what it is.
    let quoted = battles(&["\"Yes, a\"", "\"\"\"no\"\"\"", "meh", "\"Yes, a\""]);
    quoted.write(
        "words.toml",
        "[outcomes]\n'Yes, a' = 'first'\n'\"no\"' = 'second'\nmeh = 'tie'",
    );
    assert_eq!(outcomes(&quoted, "--config words.toml"), json!([3, 1, "x"]));
    let says = "say what your words mean: --outcomes 'won=first,...=second,...=tie'";
    refused(&own, "leaderboard b.csv", says);
    refused(
        &own,
        "leaderboard b.csv --outcomes won=best",
        "--outcomes: `won=best`: no such outcome",
    );
    refused(
        &own,
        "leaderboard b.csv --outcomes won",
        "--outcomes: `won`: there is no `=`",
    );
}

#[test]
fn a_zero_is_a_tie_only_beside_a_minus_one() {
    let desk = battles(&["1", "0", "0", "1", "1"]);
    refused(
        &desk,
        "leaderboard b.csv",
        "the outcomes are 1 and 0 and never -1",
    );
    assert_eq!(
        outcomes(&desk, "--outcomes 1=first,0=second"),
        json!([5, 0, "x"])
    );
    assert_eq!(
        outcomes(&desk, "--outcomes 1=first,0=tie"),
        json!([3, 2, "x"])
    );
    // As labels of a data set it is the same.
    desk.write("t.csv", "question,v1,v2,best\nq,x,y,1\nr,x,y,0\n");
    let labelled =
        format!("meta judge --data t.csv --map {PAIRS} --judge simulated --rounds 2 --quiet");
    refused(
        &desk,
        &format!("{labelled} --run r"),
        "t.csv:3: field `best` (label): the labels are 1 and 0 and never 2 or -1",
    );
    assert_eq!(
        desk.json(&format!("{labelled} --run s --outcomes 1=first,0=second"))["tied_labels"],
        0
    );
    assert_eq!(
        desk.json(&format!("{labelled} --run s --outcomes 1=first,0=tie"))["tied_labels"],
        1
    );
    // A letter that is the name of the system in the other slot.
    desk.write("ab.csv", "model_a,model_b,winner\nb,a,b\n");
    refused(
        &desk,
        "leaderboard ab.csv",
        "ab.csv:2: field winner: `b` is the first or the second response, and here a system",
    );
    desk.write("ok.csv", "model_a,model_b,winner\na,b,b\nb,a,model_a\n");
    let report = desk.json("leaderboard ok.csv --ci none --aggregate win-ratio");
    assert_eq!(rows(&report)[0]["system"], "b");
}

const PAIRS: &str =
    "instruction=question,output_1=v1,output_2=v2,label=best,system_1:=v1,system_2:=v2";

/// A table of pairs with this separator.
fn table(separator: &str) -> String {
    let row = |at: usize| {
        format!(
            "q {at}|\"one; {at}, and more\"|two {at}|{}\n",
            if at.is_multiple_of(3) { "v2" } else { "v1" }
        )
    };
    format!(
        "question|v1|v2|best\n{}",
        (0..6).map(row).collect::<String>()
    )
    .replace('|', separator)
}

#[test]
fn data_sets_are_tables_of_every_common_kind() {
    let desk = Desk::empty();
    for (file, separator) in [
        ("c.csv", ","),
        ("s.csv", ";"),
        ("t.tsv", "\t"),
        ("tabs.csv", "\t"),
    ] {
        desk.write(file, table(separator));
        let report = desk.json(&format!(
            "meta judge --data {file} --map {PAIRS} --judge simulated --run {file}.run --quiet"
        ));
        assert_eq!(
            (
                report["n"].as_u64(),
                report["coverage"]["verdicts"].as_u64()
            ),
            (Some(6), Some(12)),
            "{file}"
        );
    }
    desk.write("empty.csv", "question,v1,v2,best\nq,,two,v2\nr,one,,v1\n");
    let ran = desk.done(&format!(
        "judge --data empty.csv --map {PAIRS} --judge simulated --run e --quiet --format json"
    ));
    assert_eq!(ran.stdout.lines().count(), 4);
    desk.write("items.jsonl", crate::common::item(0));
    desk.write("responses.csv", "item,system,output\nq0,a,\nq0,b,x\n");
    assert_eq!(
        desk.judgments("--data items.jsonl responses.csv --judge simulated --run f --quiet")
            .len(),
        2
    );
    let whole = table(",");
    desk.write("cut.csv", &whole[..whole.rfind(", and").unwrap()]);
    let cut = "cut.csv:7: a quotation mark is opened in the row that begins here and never closed";
    refused(
        &desk,
        &format!("rank --data cut.csv --map {PAIRS} --judge simulated"),
        cut,
    );
    desk.write("scores.csv", "system,score\nx,1\ny,\"2");
    refused(
        &desk,
        "leaderboard scores.csv",
        "scores.csv:3: a quotation mark is opened",
    );
}

#[test]
fn a_mapping_leaves_our_own_files_alone_and_names_fields_that_are_nowhere() {
    let desk = Desk::empty();
    desk.write("c.csv", table(","));
    let label = |at: usize| json!({"item": at.to_string(), "a": "v1", "b": "v2", "preferred": "a"});
    desk.write("labels.jsonl", json_lines((0..4).map(label)));
    let map = PAIRS.replace(",label=best", "");
    let report = desk.json(&format!(
        "meta judge --data c.csv labels.jsonl --map {map} --judge simulated --run r --quiet"
    ));
    assert_eq!(report["n"], 4);
    let wrong = |from: &str, to: &str| {
        format!(
            "rank --data c.csv --map {} --judge simulated",
            PAIRS.replace(from, to)
        )
    };
    let message = |term: &str, near: &str| {
        let field = term.split('=').nth(1).unwrap();
        format!(
            "error: --map {term}: no file has a field `{field}` (`{near}` comes near); \
             c.csv has `question`, `v1`, `v2`, `best`\n"
        )
    };
    for (from, to, near) in [
        ("instruction=question", "instruction=questoin", "question"),
        ("label=best", "label=bets", "best"),
    ] {
        refused(&desk, &wrong(from, to), &message(to, near));
    }
    // Both are said at once.
    let both = wrong("instruction=question", "instruction=questoin").replace("best", "bets");
    let [first, second] = [("instruction=questoin", "question"), ("label=bets", "best")]
        .map(|(term, near)| message(term, near));
    let second = second.trim_start_matches("error: ");
    refused(&desk, &both, &format!("{first}{second}"));
}

#[test]
fn directories_in_our_own_format_may_have_the_same_ids() {
    let desk = Desk::empty();
    for (set, winner) in [("first", "a"), ("second", "b")] {
        let item = |at: usize| json!({"id": at.to_string(), "instruction": format!("{set} {at}")});
        desk.write(&format!("{set}/items.jsonl"), json_lines((0..3).map(item)));
        let answer = |at: usize, system: &str| json!({"item": at.to_string(), "system": system, "output": format!("{set} {at}")});
        desk.write(
            &format!("{set}/responses.jsonl"),
            json_lines((0..3).flat_map(|at| ["a", "b"].map(|system| answer(at, system)))),
        );
        let label =
            |at: usize| json!({"item": at.to_string(), "a": "a", "b": "b", "preferred": winner});
        desk.write(
            &format!("{set}/labels.jsonl"),
            json_lines((0..3).map(label)),
        );
    }
    let ran = desk.done(
        "meta judge --data first second --judge simulated:accuracy=1 --run r \
                         --rounds 2 --format json",
    );
    assert_eq!(ran.json()["n"], 6);
    ran.says("the directory is part of the id here, as in first:ID");
    let judged = desk
        .done("judge --data first second --judge simulated --run s --quiet --format json")
        .stdout;
    assert!(judged.contains(r#""item":"second:2""#), "{judged}");
    // Files of one directory that contradict each other stay an error.
    desk.write(
        "first/items.jsonl",
        json_lines([
            json!({"id": "0", "instruction": "x"}),
            json!({"id": "0", "instruction": "y"}),
        ]),
    );
    refused(
        &desk,
        "judge --data first second --judge simulated",
        "first/items.jsonl:2: the item `0` has another instruction",
    );
}
