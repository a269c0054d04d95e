//! RecordedJudgments judgments of the shared data give the published and the recomputed figures,
//! and every file is what it is.
#![allow(clippy::disallowed_methods, reason = "a test may open files")]

use evenhand_formats::judgments::{
    JudgmentFormat, JudgmentReader, Options, RecordedJudgments, detect_format, read_judgments,
};
use evenhand_stats::{ItemScore, ItemScores, PreferenceRate, mean, median, preference_rate};
use evenhand_testing::shared_data;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

fn open(path: &Path) -> BufReader<File> {
    BufReader::new(File::open(path).unwrap())
}

fn read_files(paths: &[PathBuf], options: &Options) -> RecordedJudgments {
    read_judgments(
        paths
            .iter()
            .map(|path| (path.display().to_string(), open(path))),
        options,
    )
    .unwrap()
}

fn read_one(path: PathBuf) -> RecordedJudgments {
    read_files(&[path], &Options::default())
}

/// The files of a folder, in the order of their names.
fn files(folder: PathBuf) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

fn json(path: PathBuf) -> Value {
    serde_json::from_reader(open(&path)).unwrap()
}

/// Of the second system, over all comparisons; a system against itself is a draw.
fn rate(recorded: &RecordedJudgments) -> PreferenceRate {
    let of_itself = std::iter::repeat_n(0.5, recorded.self_comparisons as usize);
    let preferences: Vec<f64> = recorded
        .comparisons
        .iter()
        .map(|c| c.wins_b + 0.5 * c.ties)
        .chain(of_itself)
        .collect();
    preference_rate(&preferences).unwrap()
}

fn close(name: &str, found: f64, expected: &Value, tolerance: f64) {
    let expected = expected
        .as_f64()
        .unwrap_or_else(|| panic!("{name} is {expected}"));
    assert!(
        (found - expected).abs() <= tolerance,
        "{name}: {found}, expected {expected}"
    );
}

fn check_alpaca_eval(entry: &Value, recorded: &RecordedJudgments) {
    let name = entry["file"].as_str().unwrap();
    // Some files name the system otherwise than the leaderboard does.
    let of_itself = entry["reference"] == entry["model"];
    assert_eq!(
        (&recorded.systems[0][..], recorded.systems.len() == 1),
        (entry["reference"].as_str().unwrap(), of_itself),
        "{name}"
    );
    assert_eq!(entry["n_rows"], recorded.judgment_count(), "{name}");
    let rate = rate(recorded);
    close(name, 100.0 * rate.win_rate, &entry["win_rate"], 1e-6);
    close(
        name,
        100.0 * rate.standard_error.unwrap(),
        &entry["standard_error"],
        1e-6,
    );
    let counts = ["n_wins", "n_wins_base", "n_draws", "n_preferences"]
        .map(|key| entry[key].as_u64().unwrap() as usize);
    assert_eq!(
        [rate.wins, rate.losses, rate.draws, rate.n()],
        counts,
        "{name}"
    );
}

#[test]
fn alpaca_eval_win_rates_are_the_published_ones() {
    let Some(shared) = shared_data() else { return };
    let expected = json(shared.join("expected/alpaca_eval_win_rates.json"));
    let entries = expected["annotators"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|entries| entries.as_array().unwrap());
    let mut checked = 0;
    for entry in entries.filter(|entry| entry["reproduces"] == true) {
        let file = entry["file"]
            .as_str()
            .unwrap()
            .strip_prefix("data/")
            .unwrap();
        check_alpaca_eval(entry, &read_one(shared.join(file)));
        checked += 1;
    }
    assert_eq!(checked, 80);
}

#[test]
fn a_whole_annotator_is_one_set_in_which_the_reference_has_a_row() {
    let Some(shared) = shared_data() else { return };
    let recorded = read_files(
        &files(shared.join("alpaca_eval/preferences/alpaca_eval_gpt4")),
        &Options::default(),
    );
    assert_eq!((recorded.systems.len(), recorded.items.len()), (34, 805));
    assert_eq!(recorded.systems[0], "text_davinci_003");
    assert_eq!(recorded.judgment_count(), 26_565);
    assert_eq!(
        recorded.failures,
        BTreeMap::from([("unparsed".to_owned(), 49)])
    );
    let ties = recorded
        .comparisons
        .iter()
        .filter(|c| c.ties == 1.0)
        .count();
    assert_eq!((recorded.comparisons.len(), ties), (26_516, 146));
    assert!(
        recorded
            .comparisons
            .iter()
            .all(|c| c.length_a.is_some() && c.length_b.is_some())
    );
}

#[test]
fn the_reference_as_its_own_opponent_is_counted_apart() {
    let Some(shared) = shared_data() else { return };
    let file = "alpaca_eval/preferences/alpaca_eval_cot_gpt4_turbo_fn/gpt4_1106_preview.jsonl.gz";
    let recorded = read_one(shared.join(file));
    assert_eq!(recorded.comparisons.len(), 0);
    assert_eq!(recorded.self_comparisons, 805);
    assert_eq!(recorded.judgment_count(), 805);
}

#[test]
fn the_annotations_say_what_the_preferences_say() {
    let Some(shared) = shared_data() else { return };
    let annotations = read_one(shared.join("formats/alpaca_eval.annotations.json"));
    let preferences = read_one(
        shared.join("alpaca_eval/preferences/weighted_alpaca_eval_gpt4_turbo/claude-2.1.jsonl.gz"),
    );
    assert_eq!(annotations.comparisons.len(), 10);
    assert_eq!(annotations.systems, preferences.systems);
    assert_eq!(annotations.comparisons, preferences.comparisons[..10]);
    assert_eq!(annotations.judges, ["weighted_alpaca_eval_gpt4_turbo"]);
}

/// (n scored, mean, median) by system.
fn averages(recorded: &RecordedJudgments) -> BTreeMap<&str, (f64, f64, f64)> {
    let rows = recorded
        .scores
        .iter()
        .map(|s| ItemScore::new(s.item, s.system, s.score))
        .collect();
    let data = ItemScores::new(recorded.systems.len(), rows).unwrap();
    let (means, medians) = (mean(&data), median(&data));
    let of = |(i, name): (usize, &String)| {
        let value = |scores: &evenhand_stats::Scores| scores.estimates[i].finite().unwrap();
        (
            name.clone(),
            (means.weight[i], value(&means), value(&medians)),
        )
    };
    let named: BTreeMap<String, _> = recorded.systems.iter().enumerate().map(of).collect();
    recorded
        .systems
        .iter()
        .map(|name| (&name[..], named[name]))
        .collect()
}

#[test]
fn arena_bench_means_and_medians_are_the_recomputed_ones() {
    let Some(shared) = shared_data() else { return };
    let recorded = read_files(
        &files(shared.join("arena_bench/judgments")),
        &Options::default(),
    );
    let (expected, found) = (
        json(shared.join("expected/arena_bench.json")),
        averages(&recorded),
    );
    let models = expected["models"].as_array().unwrap();
    assert_eq!(models.len(), 12);
    assert_eq!(found.len(), 12);
    assert_eq!(recorded.items.len(), 300);
    for model in models {
        let name = model["model"].as_str().unwrap();
        let (n, mean, median) = found[name];
        close(name, n, &model["n_scored"], 0.0);
        close(name, mean, &model["mean_score"], 1e-12);
        close(name, median, &model["median_score"], 0.0);
    }
    assert_eq!(
        recorded.failures,
        BTreeMap::from([("unparsed".to_owned(), 24)])
    );
    assert_eq!(recorded.judges, vec!["gpt-4".to_owned()]);
}

#[test]
fn mt_bench_counts_are_the_recomputed_ones() {
    let Some(shared) = shared_data() else { return };
    let expected = json(shared.join("expected/mt_bench_judgments.json"));
    let single = read_one(shared.join("mt_bench/judgments/single_phi-3_phi-3-dpo.jsonl.gz"));
    let (n, mean, _) = averages(&single)["phi-3-dpo"];
    close("n", n, &expected["single"]["phi-3-dpo"]["n"], 0.0);
    close(
        "mean",
        mean,
        &expected["single"]["phi-3-dpo"]["mean_score"],
        1e-12,
    );
    let pairs = shared.join("mt_bench/judgments/pairwise_phi-3__vs__phi-3-dpo.jsonl.gz");
    let both = read_files(
        std::slice::from_ref(&pairs),
        &Options {
            both_games: true,
            ..Options::default()
        },
    );
    let outcome = |key: &str| expected["pairwise"]["outcome"][key].as_f64().unwrap();
    let sum = |weight: fn(&evenhand_formats::judgments::RecordedComparison) -> f64| {
        both.comparisons.iter().map(weight).sum::<f64>()
    };
    assert_eq!(both.systems, ["phi-3", "phi-3-dpo"]);
    assert_eq!(
        [sum(|c| c.wins_a), sum(|c| c.wins_b)],
        [outcome("model_1"), outcome("model_2")]
    );
    assert_eq!(sum(|c| c.ties), outcome("tie") + outcome("inconsistent"));
    assert_eq!(both.failures["unparsed"] as f64, outcome("error"));
    // 150 games, of which three had no verdict (counted with Python).
    let games = read_one(pairs);
    assert_eq!(games.comparisons.len(), 147);
    assert_eq!(games.failures["unparsed"], 3);
}

#[test]
fn pandalm_labels_and_verdicts_have_the_recorded_counts() {
    let Some(shared) = shared_data() else { return };
    let pairs = shared.join("pandalm/pairs.jsonl.gz");
    let people = read_one(pairs.clone());
    assert_eq!(people.systems.len(), 5);
    assert_eq!(people.comparisons.len(), 2997);
    assert_eq!(people.judges.len(), 3);
    // In the majority of each pair's three votes, if there is one: 105 ties, 422 first, 472 second
    // (published).
    let majority = |votes: &[evenhand_formats::judgments::RecordedComparison]| {
        let sum = |weight: fn(&evenhand_formats::judgments::RecordedComparison) -> f64| {
            votes.iter().map(weight).sum::<f64>() >= 2.0
        };
        [sum(|c| c.ties), sum(|c| c.wins_a), sum(|c| c.wins_b)]
    };
    let majorities: Vec<[bool; 3]> = people.comparisons.chunks(3).map(majority).collect();
    assert_eq!(
        [0, 1, 2].map(|which| majorities.iter().filter(|found| found[which]).count()),
        [105, 422, 472]
    );
    let judged = read_files(
        &[
            pairs,
            shared.join("pandalm/judgments/gpt-3.5-turbo.jsonl.gz"),
        ],
        &Options::default(),
    );
    assert_eq!(judged.comparisons.len(), 974);
    assert_eq!(judged.failures["unparsed"], 25);
    assert_eq!(judged.systems.len(), 5);
    assert_eq!(judged.judges, vec!["gpt-3.5-turbo".to_owned()]);
}

#[test]
fn every_recorded_file_is_of_its_kind_and_others_are_of_none() {
    let Some(shared) = shared_data() else { return };
    let kinds = [
        (
            "alpaca_eval/preferences/alpaca_eval_gpt4",
            Some(JudgmentFormat::AlpacaEvalPreferences),
        ),
        (
            "alpaca_eval/preferences/weighted_alpaca_eval_gpt4_turbo",
            Some(JudgmentFormat::AlpacaEvalPreferences),
        ),
        ("arena_bench/judgments", Some(JudgmentFormat::MtBenchScores)),
        ("judgebench/judgments", Some(JudgmentFormat::JudgeBench)),
        ("pandalm/judgments", Some(JudgmentFormat::PandaLmVerdicts)),
        ("llmbar/natural/evaluators", Some(JudgmentFormat::LlmBar)),
        (
            "llmbar_processed/mt_bench/evaluators",
            Some(JudgmentFormat::LlmBar),
        ),
        ("alpaca_eval/outputs", None),
        ("alpaca_eval/logprobs", None),
        ("alpaca_eval/leaderboards", None),
        ("alpaca_eval/length_control", None),
        ("arena", None),
        ("arena_hard/answers", None),
        ("arena_bench/answers", None),
        ("benchmark_stats", None),
        ("mt_bench/answers", None),
        ("vicuna_bench/reviews", Some(JudgmentFormat::ScorePairs)),
        ("evalica", None),
        ("faireval", None),
        ("ifeval", None),
        ("expected", None),
    ];
    for (folder, kind) in kinds {
        let files = files(shared.join(folder));
        assert!(!files.is_empty());
        for file in files.iter().filter(|file| file.is_file()) {
            assert_eq!(
                detect_format(open(file), &Options::default()),
                kind,
                "{}",
                file.display()
            );
        }
    }
}

#[test]
fn single_files_are_of_their_kind() {
    let Some(shared) = shared_data() else { return };
    for (file, kind) in [
        (
            "formats/alpaca_eval.annotations.json",
            Some(JudgmentFormat::AlpacaEval),
        ),
        (
            "mt_bench/judgments/pairwise_phi-3__vs__phi-3-dpo.jsonl.gz",
            Some(JudgmentFormat::MtBenchPairs),
        ),
        (
            "mt_bench/judgments/single_phi-3_phi-3-dpo.jsonl.gz",
            Some(JudgmentFormat::MtBenchScores),
        ),
        ("pandalm/pairs.jsonl.gz", Some(JudgmentFormat::PandaLmPairs)),
        (
            "formats/llmbar.GPT-4.Metrics_Reference.result.json",
            Some(JudgmentFormat::LlmBar),
        ),
        (
            "formats/llmbar.GPT-4.Rating.result.json",
            Some(JudgmentFormat::LlmBar),
        ),
        (
            "formats/llmbar.GPT-4.Vanilla.result.json",
            Some(JudgmentFormat::LlmBar),
        ),
        (
            "formats/judgebench.outputs.jsonl",
            Some(JudgmentFormat::JudgeBench),
        ),
        ("formats/alpaca_eval.model_outputs.json", None),
        ("formats/alpaca_eval.leaderboard.csv", None),
        ("formats/arena_hard_v0.1.model_answer.jsonl", None),
        ("formats/arena_hard_v2.question.jsonl", None),
        ("formats/judgebench.pairs.jsonl", None),
        ("formats/llmbar.dataset.json", None),
        ("formats/README.md", None),
        ("arena_hard/leaderboard_20240731.csv", None),
        ("alpaca_eval/benchmarks.csv", None),
    ] {
        assert_eq!(
            detect_format(open(&shared.join(file)), &Options::default()),
            kind,
            "{file}"
        );
    }
}

#[test]
fn files_without_systems_are_refused_with_what_they_are_for() {
    let Some(shared) = shared_data() else { return };
    for (file, kind) in [
        (
            "formats/llmbar.GPT-4.Swap_CoT.result.json",
            "LLMBar results",
        ),
        ("formats/judgebench.outputs.jsonl", "JudgeBench judgments"),
    ] {
        let options = Options::default();
        let error = JudgmentReader::new(&options)
            .add_file(open(&shared.join(file)), "f")
            .unwrap_err()
            .to_string();
        let expected = format!(
            "{kind} do not name the systems, so they cannot rank systems; they tell how good a \
             judge is: give them to `evenhand meta judge` with `recorded`"
        );
        assert!(error.ends_with(&expected), "{error}");
    }
}
