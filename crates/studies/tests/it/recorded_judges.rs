//! Recorded judges evaluated from their raw texts, against what their sources publish.

use evenhand_stats::Bootstrap;
use evenhand_studies::audit::{FindingName, audit_recorded};
use evenhand_studies::judge::{
    Counts, Evaluation, RecordedOptions, Settings, Subsets, evaluate, recorded,
};
use evenhand_testing::shared_data;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn expected(data: &Path, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(data.join("expected").join(name)).unwrap())
        .unwrap()
}

fn evaluations(options: &RecordedOptions) -> Vec<Evaluation> {
    let settings = Settings {
        bootstrap: Bootstrap {
            rounds: 2,
            ..Bootstrap::default()
        },
        ..Settings::default()
    };
    recorded(options, None)
        .unwrap()
        .iter()
        .map(|judged| evaluate(judged, &settings).unwrap())
        .collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.sort();
    found
}

/// A file that gives equal ratings to the second slot has a rule: each response was rated by
/// itself, so the judge saw no slots, and none is preferred.
#[test]
fn equal_ratings_are_ties_and_accuse_nobody_of_a_slot() {
    let Some(data) = shared_data() else { return };
    let (mut judges, mut ties) = (0, 0);
    for part in ["natural", "manual", "gptinst"] {
        for file in files(&data.join("llmbar").join(part).join("evaluators")) {
            if !file.to_string_lossy().contains("__Rating") {
                continue;
            }
            let options = RecordedOptions {
                recorded: vec![file.clone()],
                ..RecordedOptions::default()
            };
            let judged = &recorded(&options, None).unwrap()[0];
            let games = judged
                .pairs
                .iter()
                .flat_map(|pair| pair.games.iter().flatten());
            ties += games.filter(|game| game.margin == Some(0.0)).count();
            let card = audit_recorded(judged, None, 0.95).unwrap();
            let seat = card
                .findings
                .iter()
                .find(|one| one.name == FindingName::FirstSlot);
            let seat = seat.unwrap();
            assert_eq!(
                (seat.figure.value, seat.biased),
                (Some(0.5), false),
                "{file:?}"
            );
            judges += 1;
        }
    }
    assert!(judges > 10 && ties > 100, "{judges} {ties}");
}

/// All 211 runs: by the recorded verdicts the published counts exactly; by the raw texts the same
/// but for the games that are listed as read otherwise, each with its reason (`cases` of the
/// protocols' crate explain them one by one).
#[test]
fn llmbar_is_reproduced() {
    let Some(data) = shared_data() else { return };
    let (mut runs, mut exact, mut differing) = (0, 0, 0);
    for run in expected(&data, "llmbar.json")["evaluators"]
        .as_array()
        .unwrap()
    {
        let file = data.join(run["file"].as_str().unwrap().trim_start_matches("data/"));
        let found = &evaluations(&RecordedOptions {
            recorded: vec![file],
            ..RecordedOptions::default()
        })[0];
        let published = [
            "n",
            "correct_unswapped",
            "correct_swapped",
            "correct_both",
            "equal",
        ]
        .map(|key| run[key].as_u64().unwrap());
        let of = |c: &Counts| {
            [
                c.pairs,
                c.correct_forward,
                c.correct_swapped,
                c.correct_both,
                c.equal,
            ]
        };
        assert_eq!(
            of(&found.total.recorded.unwrap()),
            published,
            "{}",
            run["file"]
        );
        let (read, differences) = (of(&found.total.counts), found.differences.as_ref().unwrap());
        runs += 1;
        exact += usize::from(read == published);
        differing += differences.len();
        // A game that is read otherwise moves each count by one at most.
        for (read, published) in read.into_iter().zip(published) {
            assert!(
                read.abs_diff(published) <= differences.len() as u64,
                "{}: {differences:?}",
                run["file"]
            );
        }
        let accuracy = 50.0 * (read[1] + read[2]) as f64 / read[0] as f64;
        assert!((100.0 * found.total.measures.accuracy.value.unwrap() - accuracy).abs() < 1e-9);
    }
    eprintln!(
        "llmbar: {runs} runs, {exact} with the published counts from the raw texts, {differing} \
         games read otherwise"
    );
    assert_eq!(runs, 211);
    assert!(differing <= 191, "{differing}");
}

#[test]
fn judgebench_is_reproduced() {
    let Some(data) = shared_data() else { return };
    for judge in expected(&data, "judgebench.json")["judges"]
        .as_array()
        .unwrap()
    {
        let file = data.join(judge["file"].as_str().unwrap());
        let found = &evaluations(&RecordedOptions {
            recorded: vec![file],
            ..RecordedOptions::default()
        })[0];
        let overall = &judge["overall"];
        let published =
            ["n", "correct", "incorrect", "tied"].map(|key| overall[key].as_u64().unwrap());
        let c = found.total.counts;
        assert_eq!(
            [c.pairs, c.correct, c.incorrect, c.tied],
            published,
            "{}",
            judge["file"]
        );
        assert_eq!(c.pairs - c.equal, overall["inconsistent"].as_u64().unwrap());
        assert!(
            (100.0 * found.total.measures.accuracy_averaged.value.unwrap()
                - overall["accuracy_pct"].as_f64().unwrap())
            .abs()
                < 1e-4
        );
        assert_eq!(found.differences.as_ref().unwrap().len(), 0);
    }
}

#[test]
fn pandalm_agrees_with_the_majority_of_people() {
    let Some(data) = shared_data() else { return };
    let folder = data.join("pandalm");
    let recorded = vec![
        folder.join("pairs.jsonl.gz"),
        folder.join("judgments/gpt-3.5-turbo.jsonl.gz"),
    ];
    let found = &evaluations(&RecordedOptions {
        recorded,
        ..RecordedOptions::default()
    })[0];
    let expected = &expected(&data, "pandalm.json")["judges"]["gpt-3.5-turbo"];
    assert_eq!(
        found.total.measures.n,
        expected["n_majority"].as_u64().unwrap()
    );
    let accuracy = found.total.measures.accuracy.value.unwrap();
    assert!(
        (accuracy - expected["accuracy_vs_majority"].as_f64().unwrap()).abs() < 1e-12,
        "{accuracy}"
    );
}

/// The files of one judge are the parts of its input set.
#[test]
fn files_of_one_name_are_one_judge() {
    let Some(data) = shared_data() else { return };
    let folder = data.join("llmbar");
    let all: Vec<PathBuf> = files(&folder)
        .iter()
        .map(|subset| subset.join("evaluators/GPT-4__CoT.jsonl.gz"))
        .collect();
    let found = evaluations(&RecordedOptions {
        recorded: all,
        subsets: Subsets::File,
        ..RecordedOptions::default()
    });
    let names: Vec<&str> = found[0]
        .subsets
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(
        (found.len(), names),
        (1, vec!["gptinst", "manual", "natural"])
    );
    assert_eq!(found[0].total.measures.n, 238);
}
