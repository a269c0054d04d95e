//! Files as they really are: other tools' readers, spellings of outcomes, filters, several files,
//! and tables of all kinds.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod common;

use common::{Desk, rows, systems};
use evenhand_testing::shared_data;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

fn refused(desk: &Desk, arguments: &str, expected: &str) {
    let ran = desk.run(arguments);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(2), ""),
        "{arguments}: {}",
        ran.stderr
    );
    assert!(ran.stderr.contains(expected), "{arguments}: {}", ran.stderr);
}

fn lines(all: impl IntoIterator<Item = Value>) -> String {
    all.into_iter().map(|line| format!("{line}\n")).collect()
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
        lines(
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
        lines(verdicts.into_iter().enumerate().map(verdict)),
    );
    desk
}

#[test]
fn verdicts_of_auto_j_in_the_second_order_are_turned_back() {
    let desk = auto_j();
    let report = desk.json("meta judge --recorded verdicts.jsonl --labels pairs.jsonl --rounds 2");
    let of = |key: &str| report[key].as_f64();
    assert_eq!(report["n"], 5);
    assert_eq!(
        (of("consistency"), of("accuracy_both")),
        (Some(0.8), Some(0.6))
    );
    assert_eq!(
        (of("accuracy_forward"), of("accuracy_swapped")),
        (Some(0.8), Some(0.6))
    );
    refused(
        &desk,
        "leaderboard verdicts.jsonl",
        "Auto-J verdicts do not name the systems",
    );
    let run = desk
        .json("rank --data pairs.jsonl --judge simulated:accuracy=1 --run run --quiet --rounds 20");
    assert_eq!(run["coverage"]["trials"], 10);
}

#[test]
fn reviews_with_two_scores_are_read_as_their_source_read_them() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let reviews = data.join("vicuna_bench/reviews");
    let all = desk.json(&format!("leaderboard {} --ci none", reviews.display()));
    let coverage = &all["coverage"];
    assert_eq!(
        (coverage["trials"].as_u64(), coverage["verdicts"].as_u64()),
        (Some(720), Some(718))
    );
    let expected =
        std::fs::read_to_string(data.join("expected/vicuna_bench_review_totals.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    for review in expected["reviews"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|review| review["published"] == true)
    {
        let [a, b] = ["answer_1_model", "answer_2_model"].map(|key| review[key].as_str().unwrap());
        let file = reviews.join(format!("gpt-4__{a}__vs__{b}.jsonl.gz"));
        let means = desk.json(&format!(
            "leaderboard {} --aggregate mean --ci none",
            file.display()
        ));
        for (system, sum) in [(a, &review["sum_score_1"]), (b, &review["sum_score_2"])] {
            let score = common::row(&means, system)["score"].as_f64().unwrap();
            assert!(
                (80.0 * score - sum.as_f64().unwrap()).abs() < 1e-9,
                "{a} {b} {system}: {score}"
            );
        }
    }
}

#[test]
fn reviews_with_two_scores_are_held_against_people() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let file = |name: &str| data.join(name).display().to_string();
    let of = [
        "questions.jsonl",
        "answers/gpt-3.5-turbo.jsonl.gz",
        "answers/vicuna-13b.jsonl.gz",
    ];
    let files = of
        .map(|name| file(&format!("vicuna_bench/{name}")))
        .join(" ");
    let map = "item=question_id,instruction=question,category=category,system=model,output=answer,label=winner,\
               system_1:=gpt-3.5-turbo,system_2:=vicuna-13b";
    let judged = format!(
        "meta judge --recorded {} --data {files} {} --map {map} --rounds 2",
        file("vicuna_bench/reviews/gpt-4__gpt-3.5-turbo__vs__vicuna-13b.jsonl.gz"),
        file("faireval/human_gpt35_vs_vicuna13b.csv")
    );
    let report = desk.json(&judged);
    let picked = desk.json(&format!(
        "{judged} --where category=math --where category=fermi"
    ));
    // 42 of 80, counted by hand from the two files.
    assert_eq!(
        (report["n"].as_u64(), report["accuracy_forward"].as_f64()),
        (Some(80), Some(0.525))
    );
    // FairEval's own reviews name no systems: each is about the one pair of its question.
    let source =
        records(&data.join("vicuna_bench/reviews/gpt-4__gpt-3.5-turbo__vs__vicuna-13b.jsonl.gz"));
    let nameless = |review: &Value| {
        json!({"question_id": review["question_id"], "review": review["text"],
               "score": [review["score_1"], review["score_2"]]})
    };
    desk.write("reviews/faireval.jsonl", lines(source.iter().map(nameless)));
    let (_, beside) = judged.split_once(" --data ").unwrap();
    let other = desk.json(&format!("meta judge --recorded reviews --data {beside}"));
    assert_eq!(
        (&other["judge"], &other["counts"]),
        (&json!("faireval"), &report["counts"])
    );
    refused(
        &desk,
        "leaderboard reviews",
        "reviews with two scores do not name the systems",
    );
    // Only the data set has categories: all that is said of other items is left out.
    assert_eq!(
        picked["subsets"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["fermi", "math"]
    );
    let said = picked["warnings"].to_string();
    assert!(
        picked["n"] == 13 && !said.contains("left out") && !said.contains("never judged"),
        "{said}"
    );
    assert_eq!(
        picked["subsets"]["fermi"]["accuracy"],
        report["subsets"]["fermi"]["accuracy"]
    );
    assert_eq!(
        (&report["differences"], &report["recorded_counts"]),
        (&json!([]), &report["counts"])
    );
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

#[test]
fn a_condition_picks_records_in_every_command_that_reads_data() {
    let desk = battles(&["A", "B", "A", "B", "A", "B"]);
    assert_eq!(outcomes(&desk, "--where lang=en"), json!([3, 0, "x"]));
    assert_eq!(outcomes(&desk, "--where lang=de"), json!([3, 0, "y"]));
    assert_eq!(
        outcomes(
            &desk,
            "--where lang=de --where lang=en --where question_id=q2"
        ),
        json!([1, 0, "x"])
    );
    let near = "--where langs=en: no field `langs`";
    let ran = desk.run("leaderboard b.csv --where langs=en");
    assert!(
        ran.code == Some(2) && ran.stderr.contains("(`lang` comes near)"),
        "{near}: {}",
        ran.stderr
    );
    refused(
        &desk,
        "leaderboard b.csv --where lang=fr",
        "--where lang=fr: no row is left",
    );
    refused(
        &desk,
        "leaderboard b.csv --where lang",
        "--where `lang`: expected FIELD=VALUE",
    );
    // Of a data set, items; what is said of the others goes with them.
    let desk = Desk::new(0, &[]);
    let category = |at: usize| if at.is_multiple_of(2) { "a" } else { "b" };
    let item =
        |at: usize| json!({"id": format!("q{at}"), "instruction": "x", "category": category(at)});
    desk.write("data/items.jsonl", lines((0..6).map(item)));
    let answers = (0..6).flat_map(|at| ["s", "t"].map(|system| common::response(at, system)));
    desk.write("data/responses.jsonl", answers.collect::<String>());
    let label =
        |at: usize| json!({"item": format!("q{at}"), "a": "s", "b": "t", "preferred": "first"});
    desk.write("data/labels.jsonl", lines((0..6).map(label)));
    let asked = |command: &str| {
        desk.json(&format!(
            "{command} --data data --where category=b --judge simulated --quiet"
        ))
    };
    assert_eq!(asked("rank --run r --rounds 20")["coverage"]["trials"], 6);
    assert_eq!(asked("estimate --run none")["trials"], 6);
    assert_eq!(asked("meta judge --run m --rounds 20")["n"], 3);
    assert_eq!(
        desk.judgments("--data data --where category=b --judge simulated --run j --quiet")
            .len(),
        6
    );
    let rendered = "prompts render --data data --where category=b --format json";
    let ran = desk.done(&format!("{rendered} --items 1"));
    assert!(ran.stdout.contains("Thing 1, says"), "{}", ran.stdout);
    refused(
        &desk,
        "rank --data data --where catgory=b --judge simulated",
        "(`category` comes near)",
    );
    refused(
        &desk,
        "rank --data data --where category=c --judge simulated",
        "--where category=c: nothing is left",
    );
}

#[test]
fn battles_that_name_their_items_are_recordings_and_labels() {
    let desk = Desk::empty();
    let vote = |question: usize, turn: usize, winner: &str, judge: &str| json!({"question_id": question, "model_a": "x", "model_b": "y", "winner": winner, "judge": judge, "turn": turn});
    // People prefer x in the first turn and y in the second; the judge prefers x in both.
    let people = (0..10).flat_map(|q| {
        [
            vote(q, 1, "model_a", "author_1"),
            vote(q, 2, "model_b", "expert_3"),
        ]
    });
    desk.write("human.jsonl", lines(people));
    desk.write(
        "gpt4.jsonl",
        lines((0..10).flat_map(|q| [1, 2].map(|turn| vote(q, turn, "model_a", "gpt-4")))),
    );
    let report = desk.json("meta judge --recorded gpt4.jsonl --labels human.jsonl --rounds 2");
    assert_eq!(
        (report["n"].as_u64(), report["accuracy"].as_f64()),
        (Some(20), Some(0.5))
    );
    let first = desk
        .json("meta judge --recorded gpt4.jsonl --labels human.jsonl --rounds 2 --where turn=1");
    assert_eq!(
        (first["n"].as_u64(), first["accuracy"].as_f64()),
        (Some(10), Some(1.0))
    );
    let first_slot = &report["first_slot"];
    assert!(
        first_slot.is_null(),
        "battles do not tell what was shown first: {first_slot}"
    );
    // A file of first turns does not number them.
    let unnumbered = (0..10)
        .map(|q| json!({"question_id": q, "model_a": "y", "model_b": "x", "winner": "model_b"}));
    desk.write("first.jsonl", lines(unnumbered));
    let joined = desk.json("meta judge --recorded first.jsonl --labels human.jsonl --rounds 2");
    assert_eq!(
        (joined["n"].as_u64(), joined["accuracy"].as_f64()),
        (Some(10), Some(1.0))
    );
    let some = (0..10).flat_map(|q| {
        [vote(
            q,
            1,
            if q.is_multiple_of(2) {
                "model_a"
            } else {
                "model_b"
            },
            "h",
        )]
    });
    desk.write("some.jsonl", lines(some.take(5)));
    let corrected = desk.json(
        "leaderboard gpt4.jsonl --labels some.jsonl --rounds 20 --where \
                               judge=h --where judge=gpt-4",
    );
    desk.write(
        "rated.jsonl",
        desk.read("some.jsonl").replace("\"judge\"", "\"rater\""),
    );
    let rated =
        desk.json("leaderboard gpt4.jsonl --labels rated.jsonl --rounds 20 --where rater=h");
    assert_eq!(
        rated["labels"], corrected["labels"],
        "a field of the labels alone"
    );
    refused(
        &desk,
        "leaderboard gpt4.jsonl --labels rated.jsonl --where ratr=h",
        "no file has a field `ratr` (`rater` comes near)",
    );
    assert_eq!(corrected["labels"]["matched"], 5, "{}", corrected["labels"]);
    assert_eq!(systems(&corrected).len(), 2);
    let data = desk.run("rank --data human.jsonl --judge simulated");
    assert_eq!(data.code, Some(2), "{}", data.stderr);
}

#[test]
fn ids_of_several_label_files_do_not_collide() {
    let desk = Desk::empty();
    // Of the same number, the first set's label is the first response and the other set's is the
    // second.
    for (set, label) in [("easy", 0), ("hard", 1)] {
        let pair = |index: usize| {
            json!({"index": index, "scenario": set, "label": label, "prompt": format!("{set} \
                {index}"),
                   "response 1": "one", "response 2": "two, longer"})
        };
        desk.write(&format!("{set}/pairs.jsonl"), lines((0..4).map(pair)));
        let verdict = |index: usize| json!({"index": index, "verdict_order_12": label, "verdict_order_21": 1 - label});
        desk.write(&format!("{set}/judge.jsonl"), lines((0..4).map(verdict)));
    }
    let report = desk.json(
        "meta judge --recorded easy/judge.jsonl hard/judge.jsonl --labels easy/pairs.jsonl \
               hard/pairs.jsonl --rounds 2",
    );
    assert_eq!(
        (report["n"].as_u64(), report["accuracy"].as_f64()),
        (Some(8), Some(1.0))
    );
    assert_eq!(
        report["subsets"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["easy", "hard"]
    );
    let data = "--data easy/pairs.jsonl hard/pairs.jsonl";
    let ran = desk.done(&format!(
        "judge {data} --judge simulated --run r --format json"
    ));
    assert_eq!(ran.stdout.lines().count(), 16);
    assert!(
        ran.stderr.contains(
            "different items have the same id; the file is part of the id here, as in easy:ID"
        ),
        "{}",
        ran.stderr
    );
    assert!(ran.stdout.contains(r#""item":"easy:0""#) && ran.stdout.contains(r#""item":"hard:3""#));
    let recorded = desk.json(&format!(
        "meta judge --recorded easy/judge.jsonl hard/judge.jsonl {data} --rounds 2"
    ));
    assert_eq!(
        (recorded["n"].as_u64(), recorded["accuracy"].as_f64()),
        (Some(8), Some(1.0))
    );
}

#[test]
fn lengths_of_several_data_sets_reach_the_recordings_that_belong_to_them() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let of = |name: &str| {
        ["natural", "manual"]
            .map(|set| {
                data.join("llmbar")
                    .join(set)
                    .join(name)
                    .display()
                    .to_string()
            })
            .join(" ")
    };
    let report = desk.json(&format!(
        "meta judge --recorded {} --data {} --subsets file --rounds 2 --quiet",
        of("evaluators/GPT-4__Vanilla.jsonl.gz"),
        of("dataset.jsonl")
    ));
    for set in ["natural", "manual"] {
        let balanced = &report["subsets"][set]["accuracy_length_balanced"];
        assert!(balanced.is_number(), "{set}: {balanced}");
    }
    assert_eq!(report["n"], 146);
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
    desk.write("items.jsonl", common::item(0));
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
    desk.write("labels.jsonl", lines((0..4).map(label)));
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
}

#[test]
fn pairs_to_align_are_picked_too() {
    let desk = Desk::empty();
    let pair = |at: usize| json!({"a": "One. Two. Three.", "b": "Uno. Dos. Tres.", "lang": if at < 2 { "es" } else { "fr" }});
    desk.write("pairs.jsonl", lines((0..5).map(pair)));
    assert_eq!(
        desk.done("align pairs.jsonl --where lang=es")
            .stdout
            .lines()
            .count(),
        2
    );
    refused(
        &desk,
        "align pairs.jsonl --where lang=de",
        "--where lang=de: no pair of pairs.jsonl is left",
    );
}

#[test]
fn tables_of_rankings_and_of_constraints_are_picked_too() {
    let desk = battles(&["A", "B", "A", "B", "A", "B", "tie", "tie"]);
    desk.write("ratings.csv", "system,rating\nx,1000\ny,1100\n");
    let of = |picked: &str| {
        let report = desk.json(&format!(
            "meta bencher --ranking b.csv --ratings ratings.csv --rounds 20 {picked}"
        ));
        report["strict_agreement"].as_f64()
    };
    assert_eq!(
        (of("--where lang=en"), of("--where lang=de")),
        (Some(0.0), Some(1.0))
    );
    // Of a published table, and of the reference.
    desk.write(
        "all.csv",
        "system,score,split\nx,1,dev\ny,2,dev\nx,2,test\ny,1,test\n",
    );
    let table = |picked: &str| {
        desk.json(&format!(
            "meta bencher --ranking all.csv --ratings ratings.csv {picked}"
        ))
    };
    let agreement = ["dev", "test"]
        .map(|split| table(&format!("--where split={split}"))["strict_agreement"].as_f64());
    assert_eq!(agreement, [Some(1.0), Some(0.0)]);
    let bencher = "meta bencher --ranking all.csv --ratings ratings.csv";
    refused(
        &desk,
        &format!("{bencher} --where split=train"),
        "--where split=train: nothing is left",
    );
    refused(
        &desk,
        &format!("{bencher} --where spilt=dev"),
        "--where spilt=dev: no file has a field `spilt` (`split` comes near)",
    );
    let item = |id: &str, kind: &str| {
        json!({"id": id, "instruction": "x", "category": kind,
               "constraints": {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}})
    };
    desk.write(
        "items.jsonl",
        lines([
            item("a", "k"),
            item("b", "l"),
            item("c", "k"),
            item("d", "l"),
        ]),
    );
    let answer = |id: &str, output: &str| json!({"item": id, "system": "s", "output": output});
    desk.write(
        "responses.jsonl",
        lines([
            answer("a", "none"),
            answer("b", "a, b"),
            answer("c", "none"),
            answer("d", "c, d"),
        ]),
    );
    let kept = |picked: &str| {
        desk.json(&format!(
            "check items.jsonl responses.jsonl --rounds 20 {picked}"
        ))["systems"][0]["prompt_strict"]
            .as_f64()
    };
    assert_eq!(
        (
            kept(""),
            kept("--where category=k"),
            kept("--where category=l")
        ),
        (Some(0.5), Some(1.0), Some(0.0))
    );
}

#[test]
fn votes_on_mt_bench_label_its_first_turns() {
    let desk = Desk::empty();
    let question = |id: usize| json!({"question_id": id, "category": "writing", "turns": ["Write.", "Rewrite."]});
    desk.write("question.jsonl", lines((81..91).map(question)));
    let answer = |id: usize, model: &str| json!({"question_id": id, "model_id": model, "choices": [{"turns": [model, "b"]}]});
    desk.write(
        "answer.jsonl",
        lines((81..91).flat_map(|id| ["x", "y"].map(|model| answer(id, model)))),
    );
    let vote = |id: usize, turn: usize| {
        json!({"question_id": id, "model_a": "x", "model_b": "y", "winner": "model_a", "judge": "author_0",
               "conversation_a": [], "conversation_b": [], "turn": turn})
    };
    desk.write(
        "votes.jsonl",
        lines((81..91).flat_map(|id| [vote(id, 1), vote(id, 2)])),
    );
    let judged = "meta judge --data question.jsonl answer.jsonl votes.jsonl --judge simulated \
                  --run r --rounds 2";
    let ran = desk.done(&format!("{judged} --format json"));
    assert_eq!(ran.json()["n"], 10);
    assert!(
        ran.stderr
            .contains("votes.jsonl: 10 votes on a second turn are left out"),
        "{}",
        ran.stderr
    );
}

#[test]
fn each_of_pandalms_annotators_is_a_reference_by_a_path() {
    let Some(data) = shared_data() else { return };
    let desk = Desk::empty();
    let read = |name: &str| records(&data.join("pandalm").join(name));
    let (pairs, verdicts) = (
        read("pairs.jsonl.gz"),
        read("judgments/gpt-3.5-turbo.jsonl.gz"),
    );
    let path = |name: &str| data.join("pandalm").join(name).display().to_string();
    for annotator in 0..3 {
        let right = pairs
            .iter()
            .zip(&verdicts)
            .filter(|(pair, said)| pair["human"][annotator] == said["verdict"])
            .count();
        let report = desk.json(&format!(
            "meta judge --recorded {} --data {} --allow-missing --rounds 2 --quiet --map \
             item=idx,instruction=instruction+input,\
             output_1=response_1,output_2=response_2,system_1=model_1,system_2=model_2,label=human.{annotator}",
            path("judgments/gpt-3.5-turbo.jsonl.gz"),
            path("pairs.jsonl.gz")
        ));
        let accuracy = report["accuracy"].as_f64().unwrap();
        assert_eq!(
            (report["n"].as_u64(), (999.0 * accuracy).round() as usize),
            (Some(999), right),
            "{annotator}"
        );
    }
}

#[test]
fn a_study_picks_records_and_reads_words_too() {
    let desk = Desk::new(6, &["a", "b"]);
    let label =
        |at: usize| json!({"item": format!("q{at}"), "a": "a", "b": "b", "preferred": "won"});
    desk.write("data/labels.jsonl", lines((0..6).map(label)));
    let study = |picked: &str| {
        let input =
            format!("[labelled.p]\ndata = ['data']\noutcomes = 'won=first'\nwhere = [{picked}]\n");
        desk.write(
            "S.toml",
            format!("types = ['pairwise']\nrounds = 20\n{input}[judges.j]\nspec = 'simulated'\n"),
        );
        desk.run("meta study S.toml")
    };
    let ran = study("'id=q1', 'id=q2'");
    assert!(
        ran.code == Some(0) && ran.stderr.contains("pairwise/direct/swap: 4 trials"),
        "{}",
        ran.stderr
    );
    let ran = study("'idd=q1'");
    let message = "error: [labelled.p] where idd=q1: no file has a field `idd` (`id` comes near)";
    assert!(
        ran.code == Some(2) && ran.stderr.starts_with(message),
        "{}",
        ran.stderr
    );
}

#[test]
fn directories_in_our_own_format_may_have_the_same_ids() {
    let desk = Desk::empty();
    for (set, winner) in [("first", "a"), ("second", "b")] {
        let item = |at: usize| json!({"id": at.to_string(), "instruction": format!("{set} {at}")});
        desk.write(&format!("{set}/items.jsonl"), lines((0..3).map(item)));
        let answer = |at: usize, system: &str| json!({"item": at.to_string(), "system": system, "output": format!("{set} {at}")});
        desk.write(
            &format!("{set}/responses.jsonl"),
            lines((0..3).flat_map(|at| ["a", "b"].map(|system| answer(at, system)))),
        );
        let label =
            |at: usize| json!({"item": at.to_string(), "a": "a", "b": "b", "preferred": winner});
        desk.write(&format!("{set}/labels.jsonl"), lines((0..3).map(label)));
    }
    let ran = desk.done(
        "meta judge --data first second --judge simulated:accuracy=1 --run r \
                         --rounds 2 --format json",
    );
    assert_eq!(ran.json()["n"], 6);
    assert!(
        ran.stderr
            .contains("the directory is part of the id here, as in first:ID"),
        "{}",
        ran.stderr
    );
    let judged = desk
        .done("judge --data first second --judge simulated --run s --quiet --format json")
        .stdout;
    assert!(judged.contains(r#""item":"second:2""#), "{judged}");
    // Files of one directory that contradict each other stay an error.
    desk.write(
        "first/items.jsonl",
        lines([
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
