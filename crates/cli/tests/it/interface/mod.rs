//! The promised interface: commands, flags, JSON keys and exit codes that users and scripts rely
//! on. Each is a row of a table below and is held against the real program. Rows may be added; one
//! that has to change means that somebody's script breaks.

mod keys;

use crate::common::{Desk, json_line, rows, systems};
use keys::KEYS;
use serde_json::{Value, json};

/// The commands, and the flags that each has at least.
const COMMANDS: &[(&str, &str)] = &[
    (
        "rank",
        "data judge protocol design aggregate ci cluster rounds level threads items systems run \
         seed format fail-if config quiet scale differences where outcomes retry no-reuse \
         min-coverage raw-marks free-replies input-format gpu-layers",
    ),
    (
        "estimate",
        "data judge protocol design aggregate ci cluster rounds level threads items systems run \
         seed format config quiet scale where outcomes raw-marks free-replies input-format",
    ),
    (
        "judge",
        "data judge protocol design threads items systems run seed format fail-if config quiet \
         where outcomes retry no-reuse min-coverage raw-marks free-replies input-format",
    ),
    (
        "leaderboard",
        "aggregate ci cluster rounds level scale threads systems seed format fail-if config quiet \
         differences where outcomes input-format",
    ),
    (
        "meta judge",
        "data judge protocol items systems rounds level threads run seed format config quiet \
         recorded labels failures where outcomes retry no-reuse min-coverage raw-marks \
         input-format",
    ),
    (
        "meta bencher",
        "ranking ratings labels rounds level threads seed format fail-if config quiet where \
         outcomes input-format",
    ),
    (
        "meta people",
        "data labels by items systems where outcomes map input-format turn rounds level threads \
         seed format config quiet verbose",
    ),
    (
        "meta study",
        "threads format quiet retry no-reuse raw-marks",
    ),
    (
        "audit",
        "judge data protocol items systems level threads run seed format fail-if config quiet \
         where outcomes retry no-reuse raw-marks input-format",
    ),
    ("align", "k similarity segmentation threads where"),
    (
        "check",
        "items systems rounds level seed format fail-if config where input-format",
    ),
    ("batch export", "data judge protocol out run"),
    ("batch import", "run format"),
    (
        "batch run",
        "data judge protocol run poll cancel max-cost max-calls format",
    ),
    ("demo", "run open"),
    ("models", "format"),
    ("plan", "level prices format"),
    ("runs", "format"),
    ("show", "prompt prices format"),
    ("judgments", "where sort limit labels prices format verbose"),
    (
        "view",
        "port host labels review sample items where labels-out seed prices quiet",
    ),
];

const AGGREGATIONS: &[&str] = &[
    "bradley-terry",
    "rao-kupper",
    "davidson",
    "win-ratio",
    "average-win-rate",
    "elo",
    "counting",
    "eigenvector",
    "newman",
    "pagerank",
];

const AGGREGATIONS_OF_SCORES: &[&str] = &["mean", "median", "trimmed-mean"];

/// Command lines, and the code that each exits with.
const EXIT_CODES: &[(i32, &str)] = &[
    (0, "rank --data data --judge simulated"),
    (0, "rank --data data --judge simulated --fail-if coverage<1"),
    (0, "help aggregations"),
    (1, "rank --data data --judge simulated:invalid=1"),
    (1, "judge --data data --judge simulated:invalid=1"),
    (1, "meta judge --data data --judge simulated:invalid=1"),
    (
        1,
        "audit --data data --judge simulated:invalid=1 --keep-going",
    ),
    (
        1,
        "rank --data data --judge simulated:invalid=0.9,seed=1 --min-coverage 0.9",
    ),
    (2, "rank --data data"),
    (2, "rank --data missing --judge simulated"),
    (2, "rank --data data --judge nobody"),
    (2, "rank --data data --judge simulated --no-such-flag"),
    (2, "leaderboard unknown-winner.csv"),
    (2, "meta people --data data"),
    (
        2,
        "rank --config unknown-key.toml --data data --judge simulated",
    ),
    (
        3,
        "rank --data data --judge simulated --fail-if coverage<=1",
    ),
    (3, "leaderboard battles.csv --fail-if coverage<=1"),
];

/// Judges by their forms, other than simulated ones; each is only estimated here.
const JUDGES: &[&str] = &[
    "openai:model",
    "openai:model@http://127.0.0.1:1/v1",
    "anthropic:model",
    "simulated:accuracy=0.8,first-slot=0.1,invalid=0.02",
];

/// A desk with a file of every kind that the tables name.
fn desk() -> Desk {
    let desk = Desk::new(6, &["a", "b", "c"]);
    desk.write("data/labels.jsonl", (0..6).map(label).collect::<String>());
    desk.write(
        "people.jsonl",
        (0..12).map(label_of_person).collect::<String>(),
    );
    desk.write("data/ratings.csv", "system,rating\na,3\nb,2\nc,1\n");
    let constraints = json!([{"id": "punctuation:no_comma"}]);
    let item = json!({"id": "q0", "instruction": "Say hello.", "constraints": constraints});
    desk.write("constrained/items.jsonl", format!("{item}\n"));
    desk.write(
        "constrained/responses.jsonl",
        crate::common::response(0, "a"),
    );
    desk.write("battles.csv", BATTLES);
    desk.write("unknown-winner.csv", "model_a,model_b,winner\na,b,nobody\n");
    desk.write(
        "scores.csv",
        "system,item,score\na,1,3\na,2,4\nb,1,2\nb,2,1\n",
    );
    desk.write("unknown-key.toml", "round = 5\n");
    desk.write(
        "pairs.jsonl",
        json_line(json!({"a": "One. Two. Three. Four.", "b": "Five. Six. Seven."})),
    );
    desk
}

fn label(item: usize) -> String {
    let preferred = ["a", "b", "tie"][item % 3];
    let label = json!({"item": format!("q{item}"), "a": "a", "b": "b", "preferred": preferred});
    format!("{label}\n")
}

/// Two people on six pairs: they agree on all but two.
fn label_of_person(number: usize) -> String {
    let (item, person) = (number / 2, number % 2);
    let preferred = match (item, person) {
        (1 | 4, 1) => "tie",
        _ => ["a", "b"][item % 2],
    };
    let annotator = ["ann", "bob"][person];
    let label = json!({
        "item": format!("q{item}"),
        "a": "a",
        "b": "b",
        "preferred": preferred,
        "annotator": annotator,
    });
    format!("{label}\n")
}

/// Every promised spelling of a winner.
const BATTLES: &str = "\
model_a,model_b,winner
a,b,model_a
b,a,model_a
b,c,tie
a,c,model_b
c,a,both_bad
c,b,tie (bothbad)
a,c,model_a
b,c,model_a
c,a,model_a
b,a,model_b
a,b,model_b
b,c,model_b
";

#[test]
fn every_command_has_its_flags() {
    let desk = Desk::empty();
    for (command, flags) in COMMANDS {
        let help = desk.done(&format!("{command} --help")).stdout;
        for flag in flags.split_whitespace() {
            let line = format!("--{flag}");
            assert!(
                help.split_whitespace()
                    .any(|word| word.trim_end_matches("...") == line),
                "{command} has no {line}"
            );
        }
    }
}

#[test]
fn every_key_is_in_the_json() {
    let desk = desk();
    for (arguments, keys) in KEYS {
        let printed = desk.done(arguments).json();
        for (key, shape) in *keys {
            let value = printed
                .pointer(key)
                .unwrap_or_else(|| panic!("{arguments}: no {key} in {printed}"));
            assert!(
                shape.fits(value),
                "{arguments}: {key} is no {shape:?}: {value}"
            );
        }
    }
}

#[test]
fn every_exit_code_means_what_it_says() {
    let desk = desk();
    for (code, arguments) in EXIT_CODES {
        let ran = desk.run(arguments);
        assert_eq!(ran.code, Some(*code), "{arguments}: {}", ran.stderr);
        assert_eq!(
            ran.stderr.contains("error: "),
            [1, 2].contains(code),
            "{arguments}"
        );
    }
}

#[test]
fn every_aggregation_ranks() {
    let desk = desk();
    let ranks = |file: &str, name: &str| {
        let report = desk.json(&format!("leaderboard {file} --aggregate {name} --ci none"));
        assert_eq!(report["aggregation"], name);
        let ranks: Vec<u64> = rows(&report)
            .iter()
            .filter_map(|row| row["rank"].as_u64())
            .collect();
        assert!(ranks.is_sorted(), "{name}: {ranks:?}");
    };
    for name in AGGREGATIONS {
        ranks("battles.csv", name);
    }
    for name in AGGREGATIONS_OF_SCORES {
        ranks("scores.csv", name);
    }
}

#[test]
fn every_interval_design_and_format_is_taken() {
    let desk = desk();
    let rank = "rank --data data --judge simulated --rounds 20";
    for ci in ["bootstrap", "bca", "sandwich", "none"] {
        assert_eq!(desk.json(&format!("{rank} --ci {ci}"))["ci"]["method"], ci);
    }
    for cluster in ["item", "none"] {
        assert_eq!(
            desk.json(&format!("{rank} --cluster {cluster}"))["ci"]["cluster"],
            cluster
        );
    }
    for design in ["all-pairs", "reference:a", "sample:2"] {
        assert_eq!(
            desk.json(&format!("{rank} --design {design}"))["design"],
            design
        );
    }
    for scale in ["elo", "log-odds"] {
        desk.done(&format!("{rank} --scale {scale}"));
    }
    for format in ["table", "json", "csv"] {
        desk.done(&format!("{rank} --format {format}"));
    }
}

#[test]
fn defaults_are_the_promised_ones() {
    let desk = desk();
    let report = desk.json("rank --data data --judge simulated");
    assert_eq!(report["protocol"], "pairwise/direct/swap");
    assert_eq!(report["design"], "all-pairs");
    assert_eq!(report["aggregation"], "bradley-terry");
    assert_eq!(report["seed"], 0);
    assert_eq!(
        report["ci"],
        json!({"method": "bootstrap", "cluster": "item", "rounds": 1000, "level": 0.95})
    );
    let scores: Vec<f64> = rows(&report)
        .iter()
        .filter_map(|row| row["score"].as_f64())
        .collect();
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    assert!(
        (mean - 1000.0).abs() < 1e-6,
        "the Elo scale has mean 1000, found {mean}"
    );
}

#[test]
fn every_kind_of_judge_is_known() {
    let desk = desk();
    for judge in JUDGES {
        desk.done(&format!("estimate --data data --judge {judge}"));
    }
    desk.done("judge --data data --judge simulated --run recorded");
    let replayed = desk.json("rank --data data --judge recorded:recorded --rounds 20");
    assert_eq!(replayed["coverage"]["verdicts"], 36);
    desk.write("judges.toml", "[judges.mine]\nspec = 'simulated:seed=7'\n");
    let named = desk.json("rank --data data --judge mine --config judges.toml --rounds 20");
    assert!(
        named["judge"].as_str().unwrap().contains("seed=7"),
        "{}",
        named["judge"]
    );
}

#[test]
fn a_flag_beats_the_configuration() {
    let desk = desk();
    desk.write("c.toml", "seed = 3\nrounds = 30\n");
    let report = desk.json("rank --data data --judge simulated --config c.toml --seed 4");
    assert_eq!(report["seed"], 4);
    assert_eq!(report["ci"]["rounds"], 30);
}

#[test]
fn items_and_systems_are_selected() {
    let desk = desk();
    let report =
        desk.json("rank --data data --judge simulated --rounds 20 --items 2 --systems a,c");
    assert_eq!(
        report["coverage"]["trials"], 4,
        "two items, one pair, both orders"
    );
    let mut names = systems(&report);
    names.sort_unstable();
    assert_eq!(names, ["a", "c"]);
}

#[test]
fn batches_are_exported_and_imported() {
    let desk = desk();
    desk.done("batch export --data data --judge openai:model --out out --run run");
    let lines = desk.lines("out/batch-001.jsonl");
    let request: Value = serde_json::from_str(&lines[0]).unwrap();
    for key in ["custom_id", "method", "url", "body"] {
        assert!(!request[key].is_null(), "{key} in {request}");
    }
    let choice = json!({"message": {"role": "assistant", "content": "A"}, "finish_reason": "stop"});
    let result = json!({"custom_id": request["custom_id"], "error": null,
        "response": {"status_code": 200, "body": {"choices": [choice]}}});
    desk.write("results.jsonl", format!("{result}\n"));
    let imported = desk.json("batch import results.jsonl --run run");
    assert_eq!(imported["lines"], 1, "{imported}");
}
