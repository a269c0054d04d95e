//! `meta study` and `meta judge` over several labelled sets and protocols: totals, and differences
//! on the same pairs.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod common;

use common::{Desk, answer, item};
use evenhand_loopback::{Script, Server};
use serde_json::{Value, json};

/// Two labelled sets of 30 pairs each: a is better in truth, and a simulated judge's planted
/// quality says so too.
fn desk() -> Desk {
    let desk = Desk::empty();
    for set in ["one", "two"] {
        let items: String = (0..30).map(item).collect();
        let answers = (0..30).flat_map(|at| {
            ["a", "b"].map(|system| answer(at, system, &format!("{system} in {set}, number {at}.")))
        });
        let label =
            |at: usize| json!({"item": format!("q{at}"), "a": "a", "b": "b", "preferred": "a"});
        let labels: String = (0..30).map(|at| format!("{}\n", label(at))).collect();
        desk.write(&format!("{set}/items.jsonl"), items);
        desk.write(
            &format!("{set}/responses.jsonl"),
            answers.collect::<String>(),
        );
        desk.write(&format!("{set}/labels.jsonl"), labels);
    }
    desk
}

const STUDY: &str = r#"
types = ["pairwise", "pairwise/cot", "pairwise/prepair"]
rounds = 200
run = "run"
[labelled.one]
data = ["one"]
[labelled.two]
data = ["two"]
[labelled.three]
optional = true
data = ["three"]
[judges.weak]
spec = "simulated:accuracy=0.5"
"#;

fn study(desk: &Desk, toml: &str, rest: &str) -> Value {
    desk.write("STUDY.toml", toml);
    desk.json(&format!("meta study STUDY.toml {rest}"))
}

fn counts(of: &Value) -> Vec<u64> {
    let totals = of.as_array().unwrap();
    totals
        .iter()
        .map(|one| one["n"].as_u64().unwrap())
        .collect()
}

#[test]
fn totals_hold_the_pairs_of_all_sets() {
    let desk = desk();
    let report = study(&desk, STUDY, "--judge simulated:accuracy=0.8");
    assert_eq!(counts(&report["labelled"]), [30; 6]);
    assert_eq!(counts(&report["totals"]), [60; 3]);
    let accuracy = |of: &Value| of["accuracy"].as_f64().unwrap();
    for (at, total) in report["totals"].as_array().unwrap().iter().enumerate() {
        let parts = [&report["labelled"][at], &report["labelled"][at + 3]];
        let mean = (accuracy(parts[0]) + accuracy(parts[1])) / 2.0;
        assert!((accuracy(total) - mean).abs() < 1e-12, "{total}");
        // Planted: 0.8, over 120 games.
        assert!((accuracy(total) - 0.8).abs() < 0.12, "{total}");
        assert_eq!(
            (&total["judge"], &total["input"]),
            (&json!("judge"), &json!("total"))
        );
    }
    let warnings = report["warnings"].to_string();
    assert!(
        warnings.contains("[labelled.three] is left out"),
        "{warnings}"
    );
}

/// The differences are those of the totals, since every protocol judged the same pairs.
#[test]
fn every_two_protocols_are_compared_on_the_same_pairs() {
    let desk = desk();
    let report = study(&desk, STUDY, "");
    let found = &report["protocol_differences"][0];
    assert_eq!(
        (&found["total"], &found["judge"]),
        (&json!("total"), &json!("weak"))
    );
    let differences = found["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 3);
    let of = |kind: &str| {
        let totals = report["totals"].as_array().unwrap().iter();
        let mut own = totals.filter(|one| one["protocol"] == kind);
        own.next().unwrap()["accuracy"].as_f64().unwrap()
    };
    let first = &differences[0];
    assert_eq!(first["first"], "weak, pairwise");
    assert_eq!(first["pairs"], 60);
    let expected = of("pairwise") - of("pairwise/cot");
    assert!(
        (first["difference"].as_f64().unwrap() - expected).abs() < 1e-12,
        "{first}"
    );
    let [low, high] = [0, 1].map(|end| first["difference_ci"][end].as_f64().unwrap());
    assert!(low < expected && expected < high);
    assert!(first["p_holm"].as_f64().unwrap() >= first["p"].as_f64().unwrap());
}

#[test]
fn named_totals_hold_their_sets_alone() {
    let desk = desk();
    let named =
        format!("{STUDY}\n[totals]\nboth = [\"one\", \"two\", \"three\"]\nfirst = [\"one\"]\n");
    let report = study(&desk, &named, "");
    // A total of one set is that set, and is not shown twice.
    assert_eq!(counts(&report["totals"]), [60; 3]);
    for (toml, words) in [
        (
            format!("{STUDY}\n[totals]\nall = [\"four\"]\n"),
            "four is no labelled input set",
        ),
        (
            format!("{STUDY}\n[totals]\none = [\"two\"]\n"),
            "an input set has this name",
        ),
    ] {
        desk.write("STUDY.toml", toml);
        let ran = desk.run("meta study STUDY.toml");
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
}

/// LLMBar's recorded GPT-4: two strategies on 138 adversarial pairs. The counts were made by a
/// script of their own from the recorded verdicts.
#[test]
fn recorded_judges_are_compared_on_the_same_pairs() {
    let Some(shared) = evenhand_testing::shared_data() else {
        return;
    };
    let files: Vec<String> = ["Vanilla", "CoT"]
        .iter()
        .flat_map(|strategy| {
            ["manual", "gptinst"].map(|set| {
                let file = format!("llmbar/{set}/evaluators/GPT-4__{strategy}.jsonl.gz");
                shared.join(file).display().to_string()
            })
        })
        .collect();
    let desk = Desk::empty();
    let ask = format!(
        "meta judge --recorded {} --subsets file --rounds 100",
        files.join(" ")
    );
    let report = desk.json(&ask);
    let found = &report["paired_differences"][0];
    assert_eq!(
        (&found["first"], &found["second"]),
        (&json!("GPT-4__Vanilla"), &json!("GPT-4__CoT"))
    );
    assert_eq!(found["pairs"], 138);
    assert_eq!(
        (&found["pairs_first_ahead"], &found["pairs_second_ahead"]),
        (&json!(13), &json!(5))
    );
    let table = desk.done(&ask).stdout;
    assert!(table.contains("points ahead"), "{table}");
}

/// A judge on a server that scores from 1 to 5, with probabilities of all values or without; what
/// it writes is the most probable one.
fn scorer(logprobs: bool) -> Server {
    let answers = ["1", "2", "3", "4", "5"].map(String::from);
    let script = Script {
        answers: answers.to_vec(),
        logprobs,
        ..Script::default()
    };
    Server::start(script).unwrap()
}

#[test]
fn the_plain_score_is_the_one_that_the_judge_states_and_ties() {
    let desk = desk();
    let (with, without) = (scorer(true), scorer(false));
    let ask = |server: &Server, rest: &str| {
        let url = server.url();
        desk.json(&format!(
            "meta judge --data one --judge openai:m@{url} --rounds 100 --quiet {rest}"
        ))
    };
    let mean = ask(&with, "--protocol pointwise:1-5 --run mean");
    assert_eq!(mean["counts"]["tied"], 0, "{mean}");
    let mode = ask(
        &with,
        "--protocol pointwise:1-5,mode --run mode --reuse mean",
    );
    assert_eq!(mode["protocol"], "pointwise:1-5,mode/direct/single");
    assert!(mode["counts"]["tied"].as_u64().unwrap() > 2, "{mode}");
    // The same calls, read otherwise.
    assert_eq!(with.stats().requests, 60);
    let stated = ask(&without, "--protocol pointwise:1-5 --run stated");
    for figure in ["accuracy", "accuracy_ci", "kappa", "counts"] {
        assert_eq!(mode[figure], stated[figure], "{figure}");
    }
}

fn numbers(of: &Value) -> Vec<f64> {
    let all = of.as_array().unwrap().iter();
    all.map(|one| one.as_f64().unwrap()).collect()
}

fn mean_and_deviation(all: &[f64]) -> (f64, f64) {
    let n = all.len() as f64;
    let mean = all.iter().sum::<f64>() / n;
    let squares: f64 = all.iter().map(|one| (one - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0)).sqrt())
}

/// Planted: every verdict is drawn by itself with 0.7, so that accuracies over 60 games have a
/// standard deviation of 0.059.
#[test]
fn repeats_show_how_far_a_judge_varies() {
    let desk = desk();
    let judge = "meta judge --data one --judge simulated:accuracy=0.7 --protocol pairwise \
                 --rounds 200 --quiet --run run";
    let once = desk.json(judge);
    assert!(once.get("repeats").is_none());
    let report = desk.json(&format!("{judge} --repeats 20"));
    let accuracies = numbers(&report["repeats"]["accuracies"]);
    assert_eq!(accuracies.len(), 20);
    // The first is what was judged before; its calls are not made again.
    assert_eq!(Some(accuracies[0]), once["accuracy"].as_f64());
    assert_eq!((&report["n"], &report["items"]), (&json!(30), &json!(30)));
    assert_eq!(report["coverage"]["trials"], 1200);
    let (mean, sd) = mean_and_deviation(&accuracies);
    let found = |key: &str| report["repeats"][key].as_f64().unwrap();
    assert!((found("mean") - mean).abs() < 1e-9 && (found("sd") - sd).abs() < 1e-9);
    assert!((found("mean") - 0.7).abs() < 0.05, "{mean}");
    assert!((0.035..0.09).contains(&sd), "{sd}");
    let [low, high] = numbers(&report["repeats"]["mean_ci"])[..] else {
        panic!("an interval")
    };
    assert!(low < 0.7 && 0.7 < high && high - low < 0.12, "{low} {high}");
    let table = desk.done(&format!("{judge} --repeats 20")).stdout;
    assert!(table.contains("20 times, accuracy %"), "{table}");
    // A judge that says the same again has no spread.
    let greedy = "meta judge --data one --judge simulated:accuracy=0.7,greedy=true --rounds 100 \
                  --quiet --repeats 3";
    assert_eq!(desk.json(greedy)["repeats"]["sd"], 0.0);
    let refused = desk.run(&format!("{judge} --repeats 0"));
    assert_eq!(refused.code, Some(2));
}

#[test]
fn a_study_repeats_its_labelled_sets() {
    let desk = desk();
    let repeated = STUDY.replacen("rounds", "repeats = 3\nrounds", 1);
    let report = study(&desk, &repeated, "");
    for part in ["labelled", "totals"] {
        for one in report[part].as_array().unwrap() {
            assert_eq!(numbers(&one["repeats"]["accuracies"]).len(), 3, "{one}");
        }
    }
    assert_eq!(counts(&report["totals"]), [60; 3]);
    let difference = &report["protocol_differences"][0]["differences"][0];
    assert_eq!(difference["pairs"], 60);
    let table = desk.done("meta study STUDY.toml").stdout;
    assert!(table.contains(") sd "), "{table}");
    // A set that is judged once: its total has no repeats to compare, and counts pairs as pairs.
    let mixed = repeated.replacen("data = [\"two\"]", "data = [\"two\"]\nrepeats = 1", 1);
    let report = study(&desk, &mixed, "");
    assert!(report["totals"][0].get("repeats").is_none());
    assert_eq!(counts(&report["totals"]), [60; 3]);
    for (words, toml) in [
        ("repeats: expected 1 to 1000", "repeats = 0\n"),
        ("[inputs.x] repeats: they are for [labelled.NAME]", ""),
    ] {
        let input = "[ratings]\nfile = 'r.csv'\n[inputs.x]\ndata = ['one']\nrepeats = 2\n";
        let rest = if toml.is_empty() { input } else { "" };
        desk.write("STUDY.toml", format!("{toml}{STUDY}{rest}"));
        let ran = desk.run("meta study STUDY.toml");
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
}

/// Three systems on one item are three pairs: each is held against the same pair of the other
/// protocol.
#[test]
fn pairs_of_one_item_are_compared_one_by_one() {
    let desk = Desk::new(8, &["a", "b", "c"]);
    let pairs = [["a", "b"], ["a", "c"], ["b", "c"]];
    let labels = (0..8).flat_map(|at| {
        pairs.map(|[a, b]| {
            json!({"item": format!("q{at}"), "a": a, "b": b, "preferred": "a"}).to_string() + "\n"
        })
    });
    desk.write("data/labels.jsonl", labels.collect::<String>());
    let toml = "types = ['pairwise', 'pairwise/cot']\nrounds = 100\n[labelled.all]\ndata = \
                ['data']\n[labelled.again]\ndata = ['data']\n[judges.j]\nspec = \
                'simulated:accuracy=0.7'\n";
    let report = study(&desk, toml, "--quiet");
    let found = &report["protocol_differences"][0]["differences"][0];
    assert_eq!(found["pairs"], 48);
    let accuracy = |at: usize| report["totals"][at]["accuracy"].as_f64().unwrap();
    let expected = accuracy(0) - accuracy(1);
    assert!(
        (found["difference"].as_f64().unwrap() - expected).abs() < 1e-12,
        "{found}"
    );
}

/// The built-in prompt for pairs with one word in front, which makes every request another.
fn write_pack(desk: &Desk, name: &str, word: &str) {
    let built_in = include_str!("../../protocols/prompts/pairwise.toml");
    let text = built_in.replace(
        "You are an impartial judge",
        &format!("{word}, impartial judge"),
    );
    desk.write(&format!("packs/{name}/pairwise.toml"), text);
}

const PACKS: &str = "prompt-packs = [\"packs/plain\", \"packs/curt\"]\nrounds";

/// A simulated judge decides by the request: other words are other draws of the same accuracy.
#[test]
fn packs_of_prompts_stand_side_by_side() {
    let desk = desk();
    write_pack(&desk, "plain", "Dear colleague");
    write_pack(&desk, "curt", "You");
    let toml = STUDY.replacen("rounds", PACKS, 1);
    let toml = toml.replacen(
        "\"pairwise/cot\", \"pairwise/prepair\"",
        "\"pairwise-tie\"",
        1,
    );
    let report = study(&desk, &toml, "--judge simulated:accuracy=0.8");
    let names: Vec<&str> = report["labelled"].as_array().unwrap()[..4]
        .iter()
        .map(|one| one["protocol"].as_str().unwrap())
        .collect();
    // The packs leave pairwise-tie as it is.
    assert_eq!(
        names,
        [
            "pairwise",
            "pairwise, prompts plain",
            "pairwise, prompts curt",
            "pairwise-tie"
        ]
    );
    let [one] = &report["prompt_variations"].as_array().unwrap()[..] else {
        panic!("one evaluation type varies")
    };
    assert_eq!(
        (&one["protocol"], &one["total"], &one["prompts"]),
        (
            &json!("pairwise"),
            &json!("total"),
            &json!(["built-in", "plain", "curt"])
        )
    );
    let accuracies = numbers(&one["accuracy"]["accuracies"]);
    let totals = report["totals"].as_array().unwrap();
    for (at, accuracy) in accuracies.iter().enumerate() {
        assert!((accuracy - totals[at]["accuracy"].as_f64().unwrap()).abs() < 1e-12);
        assert!((accuracy - 0.8).abs() < 0.12, "{accuracies:?}");
    }
    let (mean, sd) = mean_and_deviation(&accuracies);
    assert!((one["accuracy"]["mean"].as_f64().unwrap() - mean).abs() < 1e-9);
    assert!((one["accuracy"]["sd"].as_f64().unwrap() - sd).abs() < 1e-9 && sd > 0.0);
    let differences = one["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 2);
    for (at, difference) in differences.iter().enumerate() {
        assert_eq!(difference["pairs"], 60);
        let expected = accuracies[0] - accuracies[at + 1];
        assert!((difference["difference"].as_f64().unwrap() - expected).abs() < 1e-12);
        // No difference is planted.
        assert!(
            difference["p_holm"].as_f64().unwrap() > 0.01,
            "{difference}"
        );
    }
    // Protocols are compared with the built-in prompts alone.
    let compared = &report["protocol_differences"][0]["differences"];
    assert_eq!(compared.as_array().unwrap().len(), 1);
    let table = desk.done("meta study STUDY.toml").stdout;
    assert!(table.contains("built-in ahead by"), "{table}");
}

#[test]
fn a_pack_that_cannot_be_used_is_refused_before_anything_is_asked() {
    let desk = desk();
    let toml = STUDY.replacen("rounds", PACKS, 1);
    desk.write("STUDY.toml", &toml);
    write_pack(&desk, "plain", "Dear colleague");
    let ran = desk.run("meta study STUDY.toml");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("packs/curt"), "{}", ran.stderr);
    assert!(!desk.path("run").exists());
    write_pack(&desk, "other/plain", "You");
    desk.write(
        "STUDY.toml",
        toml.replace("packs/curt", "packs/other/plain"),
    );
    let ran = desk.run("meta study STUDY.toml");
    assert!(
        ran.stderr.contains("two directories are called plain"),
        "{}",
        ran.stderr
    );
}

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
    assert_eq!(counts(&report["labelled"]), [12, 6, 6]);
    desk.write("STUDY.toml", toml.replace("'second'", "'third'"));
    let ran = desk.run("meta study STUDY.toml");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("[labelled.second]"), "{}", ran.stderr);
}
