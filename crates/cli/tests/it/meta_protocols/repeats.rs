//! How a score is read, and pairs that are judged several times.

use super::*;
use evenhand_testing::server::{Script, Server};

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
    assert!(low < 0.7 && 0.7 < high && high - low < 0.14, "{low} {high}");
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
        ("[inputs.x] repeats, by: they are for [labelled.NAME]", ""),
    ] {
        let input = "[ratings]\nfile = 'r.csv'\n[inputs.x]\ndata = ['one']\nrepeats = 2\n";
        let rest = if toml.is_empty() { input } else { "" };
        desk.write("STUDY.toml", format!("{toml}{STUDY}{rest}"));
        desk.refused("meta study STUDY.toml", words);
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
