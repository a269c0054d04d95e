//! Parts of labelled sets: turns of conversations, and the values of a field.

use super::*;
use crate::common::assert_holds;

/// Labels of both turns of a conversation: a study judges the turn that a set names.
#[test]
fn a_labelled_set_judges_the_turn_that_it_names() {
    let desk = Desk::empty();
    let items = (0..6).map(|at| {
        json!({"question_id": at, "category": "math", "turns": ["How much?", "And twice that?"]})
            .to_string()
            + "\n"
    });
    desk.write("data/question.jsonl", items.collect::<String>());
    for model in ["a", "b"] {
        let answers = (0..6).map(|at| {
            let turns = [format!("{model}: {at}."), format!("{model}: {}.", 2 * at)];
            json!({"question_id": at, "model_id": model, "choices": [{"index": 0, "turns": turns}]})
                .to_string()
                + "\n"
        });
        desk.write(
            &format!("data/model_answer/{model}.jsonl"),
            answers.collect::<String>(),
        );
    }
    let votes = (0..6).flat_map(|at| {
        [1, 2].map(|turn| {
            json!({"question_id": at, "model_a": "a", "model_b": "b", "winner": "model_a",
                "judge": "author_0", "turn": turn})
            .to_string()
                + "\n"
        })
    });
    desk.write("data/votes.jsonl", votes.collect::<String>());
    let data = "['data/question.jsonl', 'data/model_answer', 'data/votes.jsonl']";
    let set = |name: &str, turn: &str| format!("[labelled.{name}]\ndata = {data}\n{turn}\n");
    let toml = format!(
        "types = ['pairwise']\nrounds = 100\n{}{}{}[judges.j]\nspec = 'simulated'\n",
        set("first", ""),
        set("second", "turn = 'second'"),
        set("each", "turn = 'each'")
    );
    let report = study(&desk, &toml, "--quiet");
    // In the order of the file.
    assert_eq!(counts(&report["labelled"]), [6, 6, 12]);
    desk.write("STUDY.toml", toml.replace("'second'", "'third'"));
    desk.refused("meta study STUDY.toml", "[labelled.second]");
}

/// RewardBench's shape: a file of pairs of several subsets, and a field beside them.
fn reward_bench() -> Desk {
    let desk = Desk::empty();
    let line = |at: usize| {
        let (subset, level) = (["easy", "hard"][at % 2], at % 3);
        json!({"id": at, "prompt": format!("Do {at}."), "chosen": format!("Done {at}."),
            "rejected": format!("No {at}."), "subset": subset, "level": level})
        .to_string()
            + "\n"
    };
    desk.write("pairs.jsonl", (0..60).map(line).collect::<String>());
    desk
}

#[test]
fn pairs_stand_by_the_values_of_a_field() {
    let desk = reward_bench();
    let judge = "meta judge --data pairs.jsonl --judge simulated:accuracy=0.8 --protocol pairwise \
                 --rounds 100 --quiet";
    let sizes = |report: &Value| -> Vec<(String, u64)> {
        let parts = report["subsets"].as_object().unwrap().iter();
        parts
            .map(|(name, part)| (name.clone(), part["n"].as_u64().unwrap()))
            .collect()
    };
    let by = |names: &[&str], n: u64| -> Vec<(String, u64)> {
        names.iter().map(|name| (name.to_string(), n)).collect()
    };
    let plain = desk.json(judge);
    assert_eq!(sizes(&plain), by(&["easy", "hard"], 30));
    let parted = desk.json(&format!("{judge} --by level"));
    assert_eq!(sizes(&parted), by(&["0", "1", "2"], 20));
    assert_eq!(parted["accuracy"], plain["accuracy"]);
    // The same requests: none is made again.
    assert_eq!(parted["usage"]["calls"], plain["usage"]["calls"]);
    desk.refused(
        &format!("{judge} --by levl"),
        "--by levl: no file has a field `levl` (`level` comes near)",
    );
}

#[test]
fn a_study_shows_the_parts_of_a_set_and_their_total() {
    let desk = reward_bench();
    let toml = "types = ['pairwise', 'pairwise/cot']\nrounds = 100\n[labelled.chat]\ndata = \
                ['pairs.jsonl']\nby = 'subset'\n[judges.j]\nspec = 'simulated:accuracy=0.8'\n";
    let report = study(&desk, toml, "--quiet");
    let rows = |key: &str| -> Vec<(String, u64)> {
        let all = report[key].as_array().unwrap().iter();
        all.map(|one| {
            (
                one["input"].as_str().unwrap().into(),
                one["n"].as_u64().unwrap(),
            )
        })
        .collect()
    };
    let named = |names: &[&str], n: u64| -> Vec<(String, u64)> {
        names.iter().map(|name| (name.to_string(), n)).collect()
    };
    assert_eq!(
        rows("labelled"),
        named(&["easy", "hard", "easy", "hard"], 30)
    );
    assert_eq!(rows("totals"), named(&["chat", "chat"], 60));
    let accuracy = |key: &str, at: usize| report[key][at]["accuracy"].as_f64().unwrap();
    let mean = (accuracy("labelled", 0) + accuracy("labelled", 1)) / 2.0;
    assert!((accuracy("totals", 0) - mean).abs() < 1e-12);
    let difference = &report["protocol_differences"][0]["differences"][0];
    assert_eq!(difference["pairs"], 60);
    let table = desk.done("meta study STUDY.toml --quiet").stdout;
    // The answer is of the whole set, and of the test that was made.
    assert!(table.starts_with("Of 2 ways to judge, j with "), "{table}");
    assert_holds(&table, "on 60 pairs of chat; the one difference");
    assert_holds(&table, "\n j: accuracy %             easy");
    desk.write("STUDY.toml", toml.replace("'subset'", "'subst'"));
    let ran = desk.run("meta study STUDY.toml");
    ran.says("[labelled.chat] by subst: no file has a field");
}
