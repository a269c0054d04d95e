//! Files as they really are: other tools' readers, spellings of outcomes, filters, several files, and tables of all kinds.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod common;

use common::{Desk, rows, shared_data, systems};
use serde_json::{Value, json};

fn refused(desk: &Desk, arguments: &str, expected: &str) {
    let ran = desk.run(arguments);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{arguments}: {}", ran.stderr);
    assert!(ran.stderr.contains(expected), "{arguments}: {}", ran.stderr);
}

fn lines(all: impl IntoIterator<Item = Value>) -> String {
    all.into_iter().map(|line| format!("{line}\n")).collect()
}

/// Five pairs: the judge is right in both orders, right, a tie, of two minds, and wrong in both orders.
fn auto_j() -> Desk {
    let desk = Desk::empty();
    let pair = |index: usize, label: u8| {
        json!({"index": index, "scenario": "chitchat", "label": label, "prompt": format!("p{index}"),
               "response 1": "one", "response 2": "two"})
    };
    let labels = [0, 1, 2, 0, 1];
    desk.write("pairs.jsonl", lines(labels.into_iter().enumerate().map(|(index, label)| pair(index, label))));
    let verdicts = [(0, 1), (1, 0), (2, 2), (0, 0), (0, 1)];
    let verdict = |(index, (first, second)): (usize, (u8, u8))| json!({"index": index, "verdict_order_12": first, "verdict_order_21": second});
    desk.write("verdicts.jsonl", lines(verdicts.into_iter().enumerate().map(verdict)));
    desk
}

#[test]
fn verdicts_of_auto_j_in_the_second_order_are_turned_back() {
    let desk = auto_j();
    let report = desk.json("meta judge --recorded verdicts.jsonl --labels pairs.jsonl --rounds 2");
    let of = |key: &str| report[key].as_f64();
    assert_eq!(report["n"], 5);
    assert_eq!((of("consistency"), of("accuracy_both")), (Some(0.8), Some(0.6)));
    assert_eq!((of("accuracy_forward"), of("accuracy_swapped")), (Some(0.8), Some(0.6)));
    refused(&desk, "leaderboard verdicts.jsonl", "Auto-J verdicts do not name the systems");
    let run = desk.json("rank --data pairs.jsonl --judge simulated:accuracy=1 --run run --quiet --rounds 20");
    assert_eq!(run["coverage"]["trials"], 10);
}

#[test]
fn reviews_with_two_scores_are_read_as_their_source_read_them() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let reviews = data.join("vicuna_bench/reviews");
    let all = desk.json(&format!("leaderboard {} --ci none", reviews.display()));
    let coverage = &all["coverage"];
    assert_eq!((coverage["trials"].as_u64(), coverage["verdicts"].as_u64()), (Some(720), Some(718)));
    let expected = std::fs::read_to_string(data.join("expected/vicuna_bench_review_totals.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    for review in expected["reviews"].as_array().unwrap().iter().filter(|review| review["published"] == true) {
        let [a, b] = ["answer_1_model", "answer_2_model"].map(|key| review[key].as_str().unwrap());
        let file = reviews.join(format!("gpt-4__{a}__vs__{b}.jsonl.gz"));
        let means = desk.json(&format!("leaderboard {} --aggregate mean --ci none", file.display()));
        for (system, sum) in [(a, &review["sum_score_1"]), (b, &review["sum_score_2"])] {
            let score = common::row(&means, system)["score"].as_f64().unwrap();
            assert!((80.0 * score - sum.as_f64().unwrap()).abs() < 1e-9, "{a} {b} {system}: {score}");
        }
    }
}

#[test]
fn reviews_with_two_scores_are_held_against_people() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let file = |name: &str| data.join(name).display().to_string();
    let of = ["questions.jsonl", "answers/gpt-3.5-turbo.jsonl.gz", "answers/vicuna-13b.jsonl.gz"];
    let files = of.map(|name| file(&format!("vicuna_bench/{name}"))).join(" ");
    let map = "item=question_id,instruction=question,category=category,system=model,output=answer,label=winner,\
               system_1:=gpt-3.5-turbo,system_2:=vicuna-13b";
    let report = desk.json(&format!(
        "meta judge --recorded {} --data {files} {} --map {map} --rounds 2",
        file("vicuna_bench/reviews/gpt-4__gpt-3.5-turbo__vs__vicuna-13b.jsonl.gz"),
        file("faireval/human_gpt35_vs_vicuna13b.csv")
    ));
    // 42 of 80, counted by hand from the two files.
    assert_eq!((report["n"].as_u64(), report["accuracy_forward"].as_f64()), (Some(80), Some(0.525)));
    assert_eq!((&report["differences"], &report["recorded_counts"]), (&json!([]), &report["counts"]));
}

/// Battles of x and y in a table whose outcomes are these words.
fn battles(words: &[&str]) -> Desk {
    let desk = Desk::empty();
    let row = |(at, word): (usize, &&str)| format!("q{at},x,y,{word},{}\n", if at.is_multiple_of(2) { "en" } else { "de" });
    let table = words.iter().enumerate().map(row).collect::<String>();
    desk.write("b.csv", format!("question_id,model_a,model_b,winner,lang\n{table}"));
    desk
}

fn outcomes(desk: &Desk, flags: &str) -> Value {
    let report = desk.json(&format!("leaderboard b.csv --ci none --aggregate win-ratio {flags}"));
    let count = |key: &str| report["outcomes"][key].as_f64().unwrap() as u64;
    json!([count("decided"), count("ties") + count("both_bad"), report["ranking"][0]["system"]])
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
        assert_eq!(outcomes(&battles(&words), ""), json!([3, 1, "x"]), "{words:?}");
    }
    let own = battles(&["won", "lost", "meh", "won"]);
    assert_eq!(outcomes(&own, "--outcomes won=first,lost=second,meh=tie"), json!([3, 1, "x"]));
    assert_eq!(outcomes(&own, "--outcomes won=second,lost=first,meh=tie"), json!([3, 1, "y"]));
    let says = "say what your words mean: --outcomes 'won=first,...=second,...=tie'";
    refused(&own, "leaderboard b.csv", says);
    refused(&own, "leaderboard b.csv --outcomes won=best", "--outcomes: `won=best`: no such outcome");
    refused(&own, "leaderboard b.csv --outcomes won", "--outcomes: `won`: there is no `=`");
}

#[test]
fn a_zero_is_a_tie_only_beside_a_minus_one() {
    let desk = battles(&["1", "0", "0", "1", "1"]);
    refused(&desk, "leaderboard b.csv", "the outcomes are 1 and 0 and never -1");
    assert_eq!(outcomes(&desk, "--outcomes 1=first,0=second"), json!([5, 0, "x"]));
    assert_eq!(outcomes(&desk, "--outcomes 1=first,0=tie"), json!([3, 2, "x"]));
    // A letter that is the name of the system in the other slot.
    desk.write("ab.csv", "model_a,model_b,winner\nb,a,b\n");
    refused(&desk, "leaderboard ab.csv", "ab.csv:2: field winner: `b` is the first or the second response, and here a system");
    desk.write("ok.csv", "model_a,model_b,winner\na,b,b\nb,a,model_a\n");
    let report = desk.json("leaderboard ok.csv --ci none --aggregate win-ratio");
    assert_eq!(rows(&report)[0]["system"], "b");
}

#[test]
fn a_condition_picks_records_in_every_command_that_reads_data() {
    let desk = battles(&["A", "B", "A", "B", "A", "B"]);
    assert_eq!(outcomes(&desk, "--where lang=en"), json!([3, 0, "x"]));
    assert_eq!(outcomes(&desk, "--where lang=de"), json!([3, 0, "y"]));
    assert_eq!(outcomes(&desk, "--where lang=de --where lang=en --where question_id=q2"), json!([1, 0, "x"]));
    let near = "--where langs=en: no field `langs`";
    let ran = desk.run("leaderboard b.csv --where langs=en");
    assert!(ran.code == Some(2) && ran.stderr.contains("(`lang` comes near)"), "{near}: {}", ran.stderr);
    refused(&desk, "leaderboard b.csv --where lang=fr", "--where lang=fr: no row is left");
    refused(&desk, "leaderboard b.csv --where lang", "--where `lang`: expected FIELD=VALUE");
    // Of a data set, items; what is said of the others goes with them.
    let desk = Desk::new(0, &[]);
    let category = |at: usize| if at.is_multiple_of(2) { "a" } else { "b" };
    let item = |at: usize| json!({"id": format!("q{at}"), "instruction": "x", "category": category(at)});
    desk.write("data/items.jsonl", lines((0..6).map(item)));
    let answers = (0..6).flat_map(|at| ["s", "t"].map(|system| common::response(at, system)));
    desk.write("data/responses.jsonl", answers.collect::<String>());
    let label = |at: usize| json!({"item": format!("q{at}"), "a": "s", "b": "t", "preferred": "first"});
    desk.write("data/labels.jsonl", lines((0..6).map(label)));
    let asked = |command: &str| desk.json(&format!("{command} --data data --where category=b --judge simulated --quiet"));
    assert_eq!(asked("rank --run r --rounds 20")["coverage"]["trials"], 6);
    assert_eq!(asked("estimate --run none")["trials"], 6);
    assert_eq!(asked("meta judge --run m --rounds 20")["n"], 3);
    assert_eq!(desk.judgments("--data data --where category=b --judge simulated --run j --quiet").len(), 6);
    let rendered = "prompts render --data data --where category=b --format json";
    let ran = desk.done(&format!("{rendered} --items 1"));
    assert!(ran.stdout.contains("Thing 1, says"), "{}", ran.stdout);
    refused(&desk, "rank --data data --where catgory=b --judge simulated", "(`category` comes near)");
    refused(&desk, "rank --data data --where category=c --judge simulated", "--where category=c: nothing is left");
}

#[test]
fn battles_that_name_their_items_are_recordings_and_labels() {
    let desk = Desk::empty();
    let vote = |question: usize, turn: usize, winner: &str, judge: &str| json!({"question_id": question, "model_a": "x", "model_b": "y", "winner": winner, "judge": judge, "turn": turn});
    // People prefer x in the first turn and y in the second; the judge prefers x in both.
    let people = (0..10).flat_map(|q| [vote(q, 1, "model_a", "author_1"), vote(q, 2, "model_b", "expert_3")]);
    desk.write("human.jsonl", lines(people));
    desk.write("gpt4.jsonl", lines((0..10).flat_map(|q| [1, 2].map(|turn| vote(q, turn, "model_a", "gpt-4")))));
    let report = desk.json("meta judge --recorded gpt4.jsonl --labels human.jsonl --rounds 2");
    assert_eq!((report["n"].as_u64(), report["accuracy"].as_f64()), (Some(20), Some(0.5)));
    let first = desk.json("meta judge --recorded gpt4.jsonl --labels human.jsonl --rounds 2 --where turn=1");
    assert_eq!((first["n"].as_u64(), first["accuracy"].as_f64()), (Some(10), Some(1.0)));
    let first_slot = &report["first_slot"];
    assert!(first_slot.is_null(), "battles do not tell what was shown first: {first_slot}");
    // A file of first turns does not number them.
    let unnumbered = (0..10).map(|q| json!({"question_id": q, "model_a": "y", "model_b": "x", "winner": "model_b"}));
    desk.write("first.jsonl", lines(unnumbered));
    let joined = desk.json("meta judge --recorded first.jsonl --labels human.jsonl --rounds 2");
    assert_eq!((joined["n"].as_u64(), joined["accuracy"].as_f64()), (Some(10), Some(1.0)));
    let some = (0..10).flat_map(|q| [vote(q, 1, if q.is_multiple_of(2) { "model_a" } else { "model_b" }, "h")]);
    desk.write("some.jsonl", lines(some.take(5)));
    let corrected = desk.json("leaderboard gpt4.jsonl --labels some.jsonl --rounds 20");
    assert_eq!(corrected["labels"]["matched"], 5, "{}", corrected["labels"]);
    assert_eq!(systems(&corrected).len(), 2);
    let data = desk.run("rank --data human.jsonl --judge simulated");
    assert_eq!(data.code, Some(2), "{}", data.stderr);
}
