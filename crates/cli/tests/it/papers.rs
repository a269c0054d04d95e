//! `examples/papers`: the study files of the four papers, with a simulated judge of planted
//! properties on the recorded data.

use crate::common::{Desk, assert_holds};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A copy of `examples/papers` with these sets of data, taken from what is recorded; None, said
/// aloud, without it.
pub(crate) fn papers(sets: &[&str]) -> Option<Desk> {
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
pub(crate) fn copy_folder(from: &Path, to: &Path) {
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

/// PRePair, tables 2, 6 and 9: eight methods on the subsets that are there, their total, and every
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
    assert_eq!(totals.len(), 8);
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
    assert_holds(&warnings, "gptout");
    assert_holds(&warnings, "neighbor");
    let differences = report["protocol_differences"][0]["differences"]
        .as_array()
        .unwrap();
    assert_eq!(differences.len(), 28);
    let is_found = |one: &&Value| one["p_holm"].as_f64().is_some_and(|p| p < 0.01);
    assert_eq!(
        differences.iter().filter(is_found).count(),
        0,
        "{differences:?}"
    );
    let table = desk.done(study).stdout;
    assert!(table.contains("points ahead"), "{table}");
    // Columns and rows are the paper's, in its order.
    let header = table.lines().find(|line| line.contains("accuracy %"));
    let places = ["natural", "manual", "gptinst", "adversarial"].map(|column| {
        let header = header.unwrap();
        header.find(column).unwrap_or_else(|| panic!("{header}"))
    });
    assert!(places.is_sorted(), "{header:?}");
    let rows = report["labelled"].as_array().unwrap().iter().take(8);
    let kinds: Vec<&str> = rows.filter_map(|row| row["protocol"].as_str()).collect();
    assert_eq!(
        kinds,
        [
            "pointwise:1-5",
            "pairwise",
            "pairwise/cot",
            "pairwise/pros-cons",
            "pairwise/prepair-star+analyses-only",
            "pairwise/prepair",
            "pairwise/direct+metrics",
            "pairwise/prepair+metrics",
        ]
    );
}

/// PRePair, table 9 at temperature 0.7, and figure 1: each cell three times, drawn.
#[test]
fn prepairs_methods_are_repeated_and_drawn() {
    let Some(desk) = papers(&["llmbar"]) else {
        return;
    };
    let study = desk.read("papers/prepair/STUDY.toml");
    let warm = study.replace("rounds = 1000", "rounds = 50\nrepeats = 3");
    assert_ne!(study, warm);
    desk.write("papers/prepair/WARM.toml", warm);
    let report = desk
        .json("meta study papers/prepair/WARM.toml --quiet --temperature 0.7 --figures figures");
    for row in report["totals"].as_array().unwrap() {
        assert_eq!(row["repeats"]["accuracies"].as_array().unwrap().len(), 3);
    }
    assert!(desk.read("figures/accuracy.svg").contains("pros-cons"));
}

/// PRePair, table 9: GPT-4's rows at temperature 0 beside LLMBar's recorded GPT-4, in the order of
/// the data. Four of nine cells are the paper's.
#[test]
fn gpt_4s_rows_are_read_from_what_is_recorded() {
    let Some(shared) = evenhand_testing::shared_data() else {
        return;
    };
    let desk = Desk::empty();
    for (kind, expected) in [
        ("Rating", [92.0, 86.96, 90.22]),
        ("Vanilla", [95.0, 76.09, 84.78]),
        ("CoT", [94.0, 71.74, 81.52]),
    ] {
        let files = ["natural", "manual", "gptinst"].map(|set| {
            let file = format!("llmbar/{set}/evaluators/GPT-4__{kind}.jsonl.gz");
            shared.join(file).display().to_string()
        });
        let report = desk.json(&format!(
            "meta judge --subsets file --rounds 20 --recorded {}",
            files.join(" ")
        ));
        for (set, expected) in ["natural", "manual", "gptinst"].into_iter().zip(expected) {
            let found = report["subsets"][set]["accuracy_forward"].as_f64().unwrap();
            assert!(
                (100.0 * found - expected).abs() < 0.006,
                "{kind}, {set}: {found}"
            );
        }
    }
}

/// Questions of two turns, answers of three systems, and votes of people on both turns as
/// `mt_bench_human_judgments` has them: on each pair three votes, two of them for the better
/// system.
fn write_mt_bench(desk: &Desk, questions: u32) {
    let lines = |records: Vec<Value>| -> String {
        records.iter().map(|record| format!("{record}\n")).collect()
    };
    let ids = || (0..questions).map(|at| 81 + at);
    let question = |id| json!({"question_id": id, "category": "writing", "turns": [format!("Ask {id}."), "Go on."]});
    desk.write(
        "papers/data/mt-bench/questions.jsonl",
        lines(ids().map(question).collect()),
    );
    // The best first, as a simulated judge takes them.
    let systems = ["gpt-3.5-turbo", "gpt-4", "llama-13b"];
    let answer = |system: &str, id: u32| {
        [
            format!("{system} on {id}."),
            format!("{system} goes on with {id}."),
        ]
    };
    for system in systems {
        let answer = |id| json!({"question_id": id, "model_id": system, "choices": [{"turns": answer(system, id)}]});
        desk.write(
            &format!("papers/data/mt-bench/answers/{system}.jsonl"),
            lines(ids().map(answer).collect()),
        );
    }
    let mut votes = Vec::new();
    for id in ids() {
        for (a, b) in [(0, 1), (2, 0), (1, 2)] {
            let (better, other) = if a < b {
                ("model_a", "model_b")
            } else {
                ("model_b", "model_a")
            };
            for (turn, winner) in [(1, better), (1, better), (1, other), (2, "tie")] {
                let conversation = |system: &str| {
                    let [first, second] = answer(system, id);
                    json!([
                        {"role": "user", "content": format!("Ask {id}.")},
                        {"role": "assistant", "content": first},
                        {"role": "user", "content": "Go on."},
                        {"role": "assistant", "content": second},
                    ])
                };
                votes.push(json!({
                    "question_id": id, "model_a": systems[a], "model_b": systems[b],
                    "winner": winner, "judge": format!("expert_{}", votes.len()), "turn": turn,
                    "conversation_a": conversation(systems[a]),
                    "conversation_b": conversation(systems[b]),
                }));
            }
        }
    }
    desk.write("papers/data/mt-bench/votes/human.jsonl", lines(votes));
}

/// PRePair, table 3: each vote on a first turn counts, and beside that their majority. Planted: the
/// judge is right about nine pairs of ten, two votes of three are for the better system, so that it
/// agrees with 0.9 * 2/3 + 0.1 * 1/3 = 63 % of the votes and 90 % of the majorities.
#[test]
fn mt_benchs_votes_count_one_by_one() {
    let desk = Desk::empty();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/papers");
    copy_folder(&source, &desk.path("papers"));
    write_mt_bench(&desk, 40);
    let study = "meta study papers/prepair/MT-BENCH.toml --quiet --judge simulated:accuracy=0.9";
    let report = desk.json(study);
    let labelled = report["labelled"].as_array().unwrap();
    assert_eq!(labelled.len(), 12);
    for row in labelled
        .iter()
        .filter(|row| row["protocol"].as_str().unwrap().starts_with("pair"))
    {
        let (labels, accuracy) = match row["input"].as_str().unwrap() {
            "votes" => (360, 0.63),
            _ => (120, 0.9),
        };
        assert_eq!(
            (&row["n"], &row["labels"]),
            (&json!(120), &json!(labels)),
            "{row}"
        );
        assert_eq!(row["items"], 40);
        assert_eq!(row["coverage"]["trials"], 240, "a vote is no trial");
        let found = row["accuracy"].as_f64().unwrap();
        // Four standard errors of 240 verdicts.
        assert!((found - accuracy).abs() < 0.08, "{row}");
    }
    let differences = &report["protocol_differences"][0];
    assert_eq!(differences["total"], "table-3");
    assert_eq!(differences["differences"][0]["pairs"], 360);
    // The command line has the last word.
    let majority = desk.json(&format!("{study} --votes majority"));
    let sets = majority["labelled"].as_array().unwrap().iter();
    assert!(sets.clone().all(|row| row["labels"] == 120));
    assert_eq!(sets.count(), 12);
}

/// Votes count one by one of one judge too, live and from its run.
#[test]
fn one_judge_is_held_against_each_vote() {
    let desk = Desk::empty();
    write_mt_bench(&desk, 20);
    let ask = "meta judge --data papers/data/mt-bench/questions.jsonl papers/data/mt-bench/answers \
               papers/data/mt-bench/votes --judge simulated:accuracy=1 --rounds 200 --quiet --run \
               run";
    let majority = desk.json(ask);
    let each = desk.json(&format!("{ask} --votes each"));
    assert_eq!(
        [
            &majority["votes"],
            &majority["accuracy"],
            &majority["labels"]
        ],
        [&json!("majority"), &json!(1.0), &json!(60)]
    );
    assert_eq!(
        [&each["votes"], &each["labels"]],
        [&json!("each"), &json!(180)]
    );
    assert!(
        (each["accuracy"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-12,
        "{each}"
    );
    assert_eq!(each["consistency"], majority["consistency"]);
    let table = desk.done(&format!("{ask} --votes each"));
    table.prints("60 (180 votes)");
}

/// PRePair, table 5: Prometheus by its own notation, each method alone and all as one study; what
/// is planted shows.
#[test]
fn prometheus_is_asked_in_its_notation() {
    let Some(desk) = papers(&["llmbar"]) else {
        return;
    };
    let report = desk.json("meta study papers/prepair/PROMETHEUS.toml --quiet");
    assert_eq!(report["totals"].as_array().unwrap().len(), 3);
    for row in report["totals"].as_array().unwrap() {
        assert_eq!(row["n"], 138);
        assert_eq!(
            row["coverage"]["trials"], row["coverage"]["verdicts"],
            "{row}"
        );
    }
    for (at, (protocol, says)) in [
        ("pointwise:1-5", "[RESULT] N"),
        ("prometheus", "[RESULT] A"),
        ("pairwise/prepair", "Now end with\n[RESULT] A"),
    ]
    .into_iter()
    .enumerate()
    {
        let pack = format!("--protocol {protocol} --prompt-pack papers/prepair/prometheus");
        let report = desk.json(&format!(
            "meta judge --data papers/data/llmbar/manual --judge simulated:first-slot=1 {pack} \
             --run run-{at} --quiet --rounds 50"
        ));
        assert_eq!(report["n"], 46, "{report}");
        if protocol != "pointwise:1-5" {
            assert_eq!(report["first_slot"], 1.0);
            assert_eq!(report["consistency"], 0.0);
        }
        let shown = desk.done(&format!(
            "prompts render --data papers/data/llmbar/manual {pack} --trials 1"
        ));
        assert!(shown.stdout.contains(says), "{protocol}: {}", shown.stdout);
    }
}

/// PRePair, figures 8, 12 and 13: the last call shows the analyses, and neither the instruction nor
/// rules; every other prompt of the pack is the built-in one. What is planted shows.
#[test]
fn the_last_call_shows_the_analyses_alone() {
    let desk = Desk::new(60, &["ant", "bee"]);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/papers");
    copy_folder(&source, &desk.path("papers"));
    let pack = "--prompt-pack papers/prepair/analyses-alone";
    let calls = |rest: &str| {
        desk.done(&format!("prompts render --data data --format json {rest}"))
            .stdout
    };
    for (at, protocol) in [
        "pairwise/prepair-star+analyses-only/swap",
        "pairwise/prepair+analyses-only/swap",
        "pairwise-tie/prepair+analyses-only/swap/criteria",
        "pairwise-tie/prepair-star+analyses-only/swap/criteria",
    ]
    .into_iter()
    .enumerate()
    {
        let asked = calls(&format!("--protocol {protocol} {pack}"));
        let last: Value = serde_json::from_str(asked.lines().last().unwrap()).unwrap();
        let shown = last["messages"].to_string();
        assert!(shown.contains("ANALYSIS"), "{shown}");
        for hidden in [
            "<<<< INSTRUCTION",
            "<<<< ANSWER",
            "these rules",
            "how helpful",
        ] {
            assert!(
                !shown.contains(hidden),
                "{protocol} shows {hidden}: {shown}"
            );
        }
        let report = desk.json(&format!(
            "rank --data data --judge simulated:accuracy=0.9,first-slot=0.2 --protocol {protocol} \
             {pack} --run run-{at} --quiet"
        ));
        assert_eq!(report["ranking"][0]["system"], "ant", "{report}");
        // Planted: 0.2 + 0.8 / 2 = 0.6 of 120 verdicts.
        let slot = report["first_slot"]["value"].as_f64().unwrap();
        assert!((0.47..0.73).contains(&slot), "{report}");
    }
    for form in ["pairwise", "pairwise-tie"] {
        for reasoning in [
            "direct",
            "cot",
            "pros-cons",
            "prepair",
            "prepair-star",
            "direct+metrics",
        ] {
            let protocol = format!("--protocol {form}/{reasoning}/swap");
            assert_eq!(
                calls(&protocol),
                calls(&format!("{protocol} {pack}")),
                "{protocol}"
            );
        }
    }
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
        let prompts = ["analyses-alone", "paraphrase-1", "paraphrase-2"];
        assert_eq!(one["prompts"], serde_json::json!(prompts));
        assert_eq!(one["differences"][1]["pairs"], 138);
    }
    assert_eq!(report["totals"].as_array().unwrap().len(), 15);
}

/// PRePair, table 10: of all that the methods ask, no sentence is that of other prompts, but for
/// the two on the marks around material, which no paper has.
#[test]
fn every_sentence_of_the_prompts_is_paraphrased() {
    let Some(desk) = papers(&["llmbar"]) else {
        return;
    };
    let study = desk.read("papers/prepair/PARAPHRASES.toml");
    let types = study.split("types = [").nth(1).unwrap().split(']').next();
    let types: Vec<&str> = types.unwrap().split('"').skip(1).step_by(2).collect();
    assert_eq!(types.len(), 5);
    let sentences = |kind: &str, pack: &str| {
        let rendered = desk.done(&format!(
            "prompts render --data papers/data/llmbar/manual --trials 1 --format json --protocol \
             {kind} --prompt-pack papers/prepair/{pack}"
        ));
        let mut found: BTreeSet<String> = BTreeSet::new();
        for call in rendered.stdout.lines() {
            let call: Value = serde_json::from_str(call).unwrap();
            for message in call["messages"].as_array().unwrap() {
                let mut is_material = false;
                for line in message["content"].as_str().unwrap().lines() {
                    is_material |= line.starts_with("<<<<");
                    if !is_material {
                        let sentences = line.split_inclusive(['.', ':', '?']).map(str::trim);
                        let is_said = |words: &&str| words.len() > 28 && !words.contains("<<<<");
                        found.extend(sentences.filter(is_said).map(String::from));
                    }
                    is_material &= !line.starts_with(">>>>");
                }
            }
        }
        let fenced = found.len();
        found.retain(|words| !words.starts_with("It may hold requests, verdicts"));
        assert!(
            fenced > found.len() && found.len() > 2,
            "{kind}, {pack}: {found:?}"
        );
        found
    };
    for kind in types {
        let packs = [
            "analyses-alone",
            "prompts/paraphrase-1",
            "prompts/paraphrase-2",
        ];
        let [own, one, two] = packs.map(|pack| sentences(kind, pack));
        for (a, b) in [(&own, &one), (&own, &two), (&one, &two)] {
            let same: Vec<&String> = a.intersection(b).collect();
            assert!(same.is_empty(), "{kind}: {same:?}");
        }
    }
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

/// Distracted evaluation, tables 2, 6 and 7 and figure 4, on both turns of MT-Bench: a judge that
/// prefers assertive words flips in both, lets the lowest climb, and has a distribution of scores.
#[test]
fn distracted_judges_flip_on_both_turns() {
    let Some(desk) = papers(&["mt-bench"]) else {
        return;
    };
    let report = desk.json(
        "audit --config papers/distracted/MT-BENCH.toml --items 40 --pairs drawn --quiet --judge \
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

/// RealRank's findings 3 and 4 by both readings of the same replies. The win ratio and
/// Bradley-Terry order the systems of base pairs alike in both. Five points do worse than two where
/// they are read hard, most of all by a weak judge, and no worse where they are read softly.
#[test]
fn realranks_findings_hold_in_one_reading_or_both() {
    let Some(desk) = papers(&["alpaca-eval", "arena"]) else {
        return;
    };
    // One input set and two judges of the file, for the time that it takes.
    let file = "papers/realrank/READINGS.toml";
    let text = desk.read(file).replace("rounds = 1000", "rounds = 40");
    let without = |text: &str, from: &str, to: &str| {
        let (before, rest) = text.split_once(from).unwrap();
        before.to_owned() + to + rest.split_once(to).unwrap().1
    };
    let text = without(&text, "[inputs.arena_hard]", "[judges.strong]");
    desk.write(file, without(&text, "[judges.middle]", "[judges.weak]"));
    let report = desk.json(&format!("meta study {file} --quiet"));
    let rows = report["benchers"].as_array().unwrap();
    let rho = |judge: &str, kind: &str, aggregation: &str| {
        let is_one = |row: &&Value| {
            ["judge", "type", "aggregation"].map(|key| &row[key]) == [judge, kind, aggregation]
        };
        let row = rows.iter().find(is_one);
        let row = row.unwrap_or_else(|| panic!("no {kind} of {judge}"));
        row["spearman"].as_f64().unwrap()
    };
    for judge in ["strong", "weak"] {
        for base in ["pairwise", "pairwise,mode"] {
            let apart = rho(judge, base, "bradley-terry") - rho(judge, base, "win-ratio");
            assert!(apart.abs() < 0.01, "{judge} {base}: {apart}");
        }
        let lost = |reading: &str| {
            let [base, five] = ["pairwise", "pairwise-5point"]
                .map(|kind| rho(judge, &format!("{kind}{reading}"), "bradley-terry"));
            base - five
        };
        assert!(lost("").abs() < 0.06, "{judge}: {}", lost(""));
        let least = if judge == "weak" { 0.15 } else { 0.0 };
        assert!(lost(",mode") > least, "{judge}: {}", lost(",mode"));
    }
}

/// RealRank's figure 3: every setting and set is named in full, and a second study draws nothing
/// over it.
#[test]
fn realranks_settings_are_drawn_with_their_names() {
    let Some(desk) = papers(&["alpaca-eval", "arena-hard", "arena", "llmbar"]) else {
        return;
    };
    let settings = "papers/realrank/SETTINGS.toml";
    let text = desk.read(settings).replace("items = 10", "items = 3");
    desk.write(settings, text);
    desk.done(&format!("meta study {settings} --quiet --figures figures"));
    let drawn = desk.read("figures/concordance.svg");
    for name in [
        "alpaca_eval, setting 1",
        "arena_hard, setting 1",
        "llmbar_adversarial, setting 2",
        "llmbar_natural, setting 2",
    ] {
        let shown = format!(">{name}</text>");
        assert!(drawn.contains(&shown), "{name}: {drawn}");
    }
    desk.refused(
        "meta study papers/realrank/STUDY.toml --quiet --figures figures",
        "(meta study realrank-settings)",
    );
}

/// The prompts of the papers' notations load, and ask for what they are read by.
#[test]
fn the_shipped_packs_load() {
    let Some(desk) = papers(&["llmbar"]) else {
        return;
    };
    for (protocol, pack, mark) in [
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
