//! `examples/papers`: the study files of the four papers, with a simulated judge of planted
//! properties on the recorded data.

use crate::common::Desk;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A copy of `examples/papers` with these sets of data, taken from what is recorded; None, said
/// aloud, without it.
fn papers(sets: &[&str]) -> Option<Desk> {
    let shared = evenhand_testing::shared_data()?;
    let desk = Desk::empty();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/papers");
    copy_folder(&source, &desk.path("papers"));
    let fetched = Command::new("python3")
        .arg(desk.path("papers/fetch-data"))
        .arg("--no-fetch")
        .args(sets)
        .env("EVENHAND_SHARED_DATA", shared)
        .output()
        .unwrap();
    let placed = fs::read_dir(desk.path("papers/data")).is_ok();
    assert!(placed, "{}", String::from_utf8_lossy(&fetched.stderr));
    Some(desk)
}

/// Copies everything but data that a user may have fetched.
fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() && !path.ends_with("data") {
            copy_folder(&path, &target);
        } else if path.is_file() {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// PRePair, tables 2, 6 and 9: seven methods on the subsets that are there, their total, and every
/// two methods on the same pairs. The label says nothing to a simulated judge here, so each method
/// has a coin's accuracy: none may be found better than another.
#[test]
fn prepairs_methods_have_a_total_and_differences() {
    let Some(desk) = papers(&["llmbar"]) else {
        return;
    };
    let study =
        "meta study papers/prepair/STUDY.toml --judge simulated:accuracy=0.7,first-slot=0.2";
    let report = desk.json(study);
    let totals = report["totals"].as_array().unwrap();
    assert_eq!(totals.len(), 7);
    for total in totals {
        // Manual and GPTInst; GPTOut and Neighbor are not recorded.
        assert_eq!(
            (&total["input"], &total["n"]),
            (&"adversarial".into(), &138.into())
        );
        let accuracy = total["accuracy"].as_f64().unwrap();
        assert!((0.35..0.65).contains(&accuracy), "{total}");
    }
    let warnings = report["warnings"].to_string();
    assert!(
        warnings.contains("gptout") && warnings.contains("neighbor"),
        "{warnings}"
    );
    let differences = report["protocol_differences"][0]["differences"]
        .as_array()
        .unwrap();
    assert_eq!(differences.len(), 21);
    let is_found = |one: &&Value| one["p_holm"].as_f64().is_some_and(|p| p < 0.01);
    assert_eq!(
        differences.iter().filter(is_found).count(),
        0,
        "{differences:?}"
    );
    let table = desk.done(study).stdout;
    assert!(
        table.contains("adversarial") && table.contains("points ahead"),
        "{table}"
    );
}

/// PRePair, table 10: five methods, each with the built-in prompts and two paraphrases of all that
/// it asks.
#[test]
fn prepairs_methods_are_asked_in_other_words() {
    let Some(desk) = papers(&["llmbar"]) else {
        return;
    };
    let study = "meta study papers/prepair/PARAPHRASES.toml --quiet --judge simulated";
    let report = desk.json(study);
    let variations = report["prompt_variations"].as_array().unwrap();
    assert_eq!(variations.len(), 5);
    for one in variations {
        let prompts = ["built-in", "paraphrase-1", "paraphrase-2"];
        assert_eq!(one["prompts"], serde_json::json!(prompts));
        assert_eq!(one["differences"][1]["pairs"], 138);
    }
    assert_eq!(report["totals"].as_array().unwrap().len(), 15);
}

/// PRePair, table 7: the five subsets of RewardBench's Chat part and their total, of a file in its
/// shape.
#[test]
fn reward_benchs_subsets_are_columns_of_one_set() {
    let Some(desk) = papers(&["llmbar"]) else {
        return;
    };
    let subsets = ["easy", "hard", "length"].map(|part| format!("alpacaeval-{part}"));
    let others = ["mt-bench-easy", "mt-bench-med", "mt-bench-hard"].map(String::from);
    let lines = subsets
        .iter()
        .chain(&others)
        .enumerate()
        .map(|(at, subset)| {
            serde_json::json!({"id": at, "prompt": format!("Do {at}."), "chosen": "Done.",
            "rejected": "No.", "subset": subset})
            .to_string()
                + "\n"
        });
    desk.write(
        "papers/data/rewardbench/filtered.jsonl",
        lines.collect::<String>(),
    );
    let report = desk.json("meta study papers/prepair/REWARDBENCH.toml --quiet");
    // One pair of each subset; those of mt-bench-hard are not of the Chat part.
    assert_eq!(report["labelled"].as_array().unwrap().len(), 25);
    for total in report["totals"].as_array().unwrap() {
        assert_eq!((&total["input"], &total["n"]), (&"chat".into(), &5.into()));
    }
}

/// PORTIA, tables 1, 3, 4, 6 and 8, with a planted position bias: splitting mends some of it, and
/// the agreement with a better judge rises.
#[test]
fn portias_tables_come_from_one_command() {
    let Some(desk) = papers(&["vicuna"]) else {
        return;
    };
    let pair = "--data papers/data/vicuna --systems alpaca-13b,vicuna-13b --rounds 200";
    let gold = desk.done(
        "judge --data papers/data/vicuna --systems alpaca-13b,vicuna-13b --judge \
         simulated:accuracy=0.9,first-slot=0.1,seed=7 --protocol \
         pairwise-tie/cot/swap:none/criteria --format json",
    );
    desk.write("gold.jsonl", gold.stdout);
    let report = desk.json(&format!(
        "meta consistency {pair} --judge simulated:accuracy=0.75,first-slot=0.4,tie=0.1 --protocol \
         pairwise-tie/cot/portia:3,original-first/criteria --gold gold.jsonl --device \
         a100 --devices 4"
    ));
    let share = |name: &str| report[name].as_f64().unwrap();
    assert_eq!(report["pairs"], 80);
    assert!(
        share("consistent_in_the_end") > share("consistent_at_first"),
        "{report}"
    );
    assert!(share("fixed_coverage") > 0.3, "{report}");
    let agreement = |name: &str| report["gold"][name].as_f64().unwrap();
    assert!(
        agreement("agreement_in_the_end") > agreement("agreement_at_first"),
        "{report}"
    );
    assert!(
        report["per_1000"]["grams_co2"].as_f64().unwrap() > 0.0,
        "{report}"
    );
}

/// Agreement with people by every method of PORTIA's table 16.
#[test]
fn portias_methods_are_held_against_people() {
    let Some(desk) = papers(&["vicuna"]) else {
        return;
    };
    let report = desk.json(
        "meta study papers/portia/STUDY.toml --judge \
         simulated:accuracy=0.65,first-slot=0.4,tie=0.15",
    );
    let labelled = report["labelled"].as_array().unwrap();
    assert_eq!(labelled.len(), 9);
    assert!(labelled.iter().all(|one| one["n"] == 80), "{report}");
    let differences = report["protocol_differences"][0]["differences"]
        .as_array()
        .unwrap();
    assert_eq!(differences.len(), 36);
    // The paper's count, of the baseline and of PORTIA alike: PORTIA is ahead in every form, in its
    // column and in the differences.
    let right_in_both = |kind: &str| {
        let row = labelled.iter().find(|row| row["protocol"] == kind).unwrap();
        row["accuracy_both"].as_f64().unwrap()
    };
    for form in ["tie", "score", "likert"] {
        let baseline = format!("pairwise-{form}/cot/swap:none/criteria");
        let portia = format!("pairwise-{form}/cot/portia:3/criteria");
        assert!(
            right_in_both(&portia) > right_in_both(&baseline),
            "{report}"
        );
        let of = |row: &Value, key: &str, kind: &str| {
            row[key].as_str().is_some_and(|name| name.ends_with(kind))
        };
        let row = differences
            .iter()
            .find(|row| of(row, "first", &baseline) && of(row, "second", &portia))
            .unwrap();
        assert!(row["difference"].as_f64().unwrap() < 0.0, "{row}");
    }
    let csv = desk.done(
        "meta study papers/portia/STUDY.toml --judge \
         simulated:accuracy=0.65,first-slot=0.4,tie=0.15 --format csv",
    );
    let header = csv.stdout.lines().next().unwrap();
    assert!(header.starts_with("input,judge,type,n,") && header.contains(",accuracy_both,"));
    assert_eq!(csv.stdout.lines().count(), 10);
}

/// Distracted evaluation, tables 2, 6 and 7 and figure 4, on both turns of MT-Bench: a judge that
/// prefers assertive words flips in both, lets the lowest climb, and has a distribution of scores.
#[test]
fn distracted_judges_flip_on_both_turns() {
    let Some(desk) = papers(&["mt-bench"]) else {
        return;
    };
    let report = desk.json(
        "audit --config papers/distracted/MT-BENCH.toml --items 40 --quiet --judge \
         simulated:gap=0.5,distractor=0.9 --run run",
    );
    assert_eq!(
        (&report["items"], &report["questions"]),
        (&40.into(), &20.into())
    );
    let rows = report["flips"]["rows"].as_array().unwrap();
    let turns = rows.iter().map(|row| row["turn"].as_u64());
    assert_eq!(turns.collect::<Vec<_>>(), [None, Some(1), Some(2)]);
    assert!(
        rows[0]["flips"][0]["value"].as_f64().unwrap() > 0.5,
        "{rows:?}"
    );
    for climb in report["climbs"].as_array().unwrap() {
        assert!(
            climb["elo_gained_beyond_neutral"]["value"]
                .as_f64()
                .unwrap()
                > 0.0
        );
    }
    // Six systems' answers to forty turns.
    assert_eq!(report["distributions"][0]["responses"], 240);
}

/// Distracted evaluation, tables 4 and 5: circles and choice sets under both criteria.
#[test]
fn order_is_asked_under_both_criteria() {
    let Some(desk) = papers(&["mt-bench"]) else {
        return;
    };
    let report = desk.json(
        "audit --config papers/distracted/ORDER.toml --quiet --judge \
         simulated:gap=0.5,intransitive=0.95,choice-set=1 --run run",
    );
    let rows = report["by_criterion"].as_array().unwrap();
    for name in [
        "certain circles",
        "reversals beyond neutral, third response last",
    ] {
        let row = rows.iter().find(|row| row["name"] == name).unwrap();
        for criterion in ["overall", "instruction-following"] {
            assert_eq!(row["criteria"][criterion]["biased"], true, "{row}");
        }
    }
}

/// The prompts of the papers' notations load, and ask for what they are read by.
#[test]
fn the_shipped_packs_load() {
    let Some(desk) = papers(&["llmbar"]) else {
        return;
    };
    for (protocol, pack, mark) in [
        ("prometheus", "papers/prepair/prometheus", "[RESULT] A"),
        (
            "pairwise-tie/cot/swap/criteria",
            "papers/portia/prompts",
            "[[C]]",
        ),
        (
            "pairwise-score/direct/swap/criteria",
            "papers/portia/prompts",
            "two scores alone",
        ),
        (
            "pairwise-likert/direct/swap/criteria",
            "papers/portia/prompts",
            "7 if Answer A is far better",
        ),
    ] {
        let shown = desk.done(&format!(
            "prompts render --data papers/data/llmbar/manual --protocol {protocol} \
             --prompt-pack {pack} --trials 1"
        ));
        assert!(shown.stdout.contains(mark), "{protocol}: {}", shown.stdout);
    }
}
