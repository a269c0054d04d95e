//! The cells of the papers' tables that can be computed from recorded data: the commands are those
//! of `examples/papers/README.md`, "Recorded cells", each in its place, and their figures are held
//! here to the recordings or to the papers' printed ones.

use crate::common::{Desk, Ran};
use crate::papers::copy_folder;
use evenhand_testing::shared_data;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs one command of the section, by its number from 1, as JSON; None, said aloud, without the
/// data.
fn recorded(number: usize) -> Option<Value> {
    let shared = shared_data()?;
    let desk = Desk::empty();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/papers");
    copy_folder(&source, &desk.path("examples/papers"));
    let readme = desk.read("examples/papers/README.md");
    let section = readme.split("## Recorded cells").nth(1).unwrap();
    let block = section.split("```sh\n").nth(1).unwrap();
    let block = block.split("```").next().unwrap();
    let commands: Vec<&str> = block
        .lines()
        .filter(|line| line.starts_with("evenhand "))
        .collect();
    assert_eq!(commands.len(), 6, "a command without a test: {block}");
    let command = commands[number - 1];
    // What it needs of the sets that the block fetches, from this machine.
    let sets = ["vicuna", "arena-hard", "arena"];
    let sets = sets
        .iter()
        .filter(|set| command.contains(&format!("data/{set}")));
    let sets: Vec<&str> = sets.copied().collect();
    let fetch = match sets[..] {
        [] => String::new(),
        _ => format!(
            "python3 examples/papers/fetch-data --no-fetch {} >fetched || true\n",
            sets.join(" ")
        ),
    };
    fs::create_dir_all(desk.path("bin")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_evenhand"), desk.path("bin/evenhand")).unwrap();
    let script = format!("D=$EVENHAND_SHARED_DATA\n{fetch}{command} --format json --quiet\n");
    let own = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("bash")
        .args(["-e", "-u", "-c", &script])
        .current_dir(desk.path(""))
        .env("PATH", format!("{}:{own}", desk.path("bin").display()))
        .env("HOME", desk.path(""))
        .env("EVENHAND_SHARED_DATA", shared)
        .output();
    let ran = Ran::of(output.unwrap());
    assert_eq!(ran.code, Some(0), "{command}: {}", ran.stderr);
    Some(ran.json())
}

/// Holds the accuracies in the order of the data of three judges on three subsets.
fn check_forward(report: &Value, expected: [(&str, [f64; 3]); 3]) {
    let judges = report["judges"].as_array().unwrap();
    for (judge, (name, expected)) in judges.iter().zip(expected) {
        assert_eq!(judge["judge"], name);
        for (set, expected) in ["natural", "manual", "gptinst"].into_iter().zip(expected) {
            let found = 100.0 * judge["subsets"][set]["accuracy_forward"].as_f64().unwrap();
            assert!((found - expected).abs() < 0.006, "{name}, {set}: {found}");
        }
    }
}

/// PRePair, table 9: GPT-4 at temperature 0; four of nine cells are the paper's.
#[test]
fn prepairs_gpt_4() {
    let Some(report) = recorded(1) else { return };
    let expected = [
        ("GPT-4__Rating", [92.0, 86.96, 90.22]),
        ("GPT-4__Vanilla", [95.0, 76.09, 84.78]),
        ("GPT-4__CoT", [94.0, 71.74, 81.52]),
    ];
    check_forward(&report, expected);
}

/// PRePair, table 9: another day's ChatGPT in the place of GPT-3.5-Turbo.
#[test]
fn prepairs_gpt_3_5() {
    let Some(report) = recorded(2) else { return };
    let expected = [
        ("ChatGPT__Rating", [74.0, 50.0, 34.78]),
        ("ChatGPT__Vanilla", [80.0, 39.13, 27.17]),
        ("ChatGPT__CoT", [70.0, 39.13, 30.43]),
    ];
    check_forward(&report, expected);
}

/// PORTIA, table 3: 24 figures as printed, and gpt-4's of other answers.
#[test]
fn portias_lengths() {
    let Some(report) = recorded(3) else { return };
    // Greatest, least, mean, standard deviation.
    let papers = [
        ("alpaca-13b", [1149.0, 6.0, 508.99, 222.98]),
        ("bard", [2652.0, 151.0, 1276.62, 495.88]),
        ("gpt-3.5-turbo", [2218.0, 193.0, 1206.29, 460.26]),
        ("gpt-4", [3834.0, 269.0, 2076.72, 802.18]),
        ("llama-13b", [4827.0, 9.0, 757.57, 895.74]),
        ("vicuna-13b", [2441.0, 212.0, 1416.92, 371.0]),
        ("vicuna-7b", [2598.0, 266.0, 1457.01, 448.55]),
    ];
    let rows = report["lengths"].as_array().unwrap();
    assert_eq!(rows.len(), papers.len());
    for (row, (system, expected)) in rows.iter().zip(papers) {
        assert_eq!(row["system"], system);
        for (name, expected) in ["max", "min", "mean", "sd"].into_iter().zip(expected) {
            let found = row[name].as_f64().unwrap();
            assert!(
                (found - expected).abs() < 0.006,
                "{system}, {name}: {found}"
            );
        }
    }
}

/// PORTIA, table 16: GPT-4, VANILLA, agrees with people on 42 of 80.
#[test]
fn portias_vanilla() {
    let Some(report) = recorded(4) else { return };
    assert_eq!(report["n"], 80);
    assert_eq!(report["accuracy"], 42.0 / 80.0);
    assert_eq!(report["accuracy_forward"], 42.0 / 80.0);
}

/// RealRank, section 2.2 and figure 14: tau_u by a slow twin, of the published scores and ratings;
/// the ratings are those of the published table.
#[test]
fn realranks_tau_u_and_ratings() {
    let Some(report) = recorded(5) else { return };
    let systems = report["systems"].as_array().unwrap();
    assert_eq!(systems.len(), 14);
    let shared = shared_data().unwrap();
    let published = fs::read_to_string(shared.join("arena/ratings_20240731.csv")).unwrap();
    let names = fs::read_to_string(shared.join("arena/realrank_systems.csv")).unwrap();
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
    // Score, rating and the ends of its interval.
    let mut rated: Vec<[f64; 4]> = Vec::new();
    for row in systems {
        let system = row["system"].as_str().unwrap();
        let is_named = |line: &&str| line.split(',').any(|name| name == system);
        let own = names.lines().find(is_named).unwrap();
        let is_rated = |line: &&str| {
            let model = line.split(',').nth(1).unwrap();
            own.split(',').any(|name| name == model)
        };
        let published = published.lines().find(is_rated).unwrap();
        let cells: Vec<f64> = published
            .split(',')
            .skip(2)
            .take(3)
            .map(|cell| cell.parse().unwrap())
            .collect();
        assert_eq!(number(row, "rating"), cells[0], "{system}");
        rated.push([number(row, "score"), cells[0], cells[1], cells[2]]);
    }
    // Every two systems whose intervals are apart: how far, and whether in the order of the scores.
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for (at, a) in rated.iter().enumerate() {
        for b in &rated[at + 1..] {
            if a[2] > b[3] || b[2] > a[3] {
                let is_same = (a[0] > b[0]) == (a[1] > b[1]);
                pairs.push(((a[1] - b[1]).abs(), if is_same { 1.0 } else { -1.0 }));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let found = report["tau_u"].as_array().unwrap();
    assert_eq!(found.len(), 20);
    for (point, percent) in found.iter().zip((5..).step_by(5)) {
        // The closest pairs of this share, with those that are as far apart as the last of them.
        let last = (pairs.len() * percent).div_ceil(100) - 1;
        let u = pairs[last].0;
        let near: Vec<f64> = pairs
            .iter()
            .filter(|(apart, _)| *apart <= u)
            .map(|(_, sign)| *sign)
            .collect();
        assert_eq!(number(point, "u"), u, "{point}");
        assert_eq!(point["pairs"], near.len(), "{point}");
        let tau = near.iter().sum::<f64>() / near.len() as f64;
        assert!((number(point, "tau") - tau).abs() < 1e-12, "{point}: {tau}");
    }
}

/// RealRank, table 3: by the electricity of the paper's machines.
#[test]
fn realranks_prices() {
    let Some(report) = recorded(6) else { return };
    let judges = report["judges"].as_array().unwrap();
    assert_eq!(judges.len(), 2);
    for (judge, printed) in judges.iter().zip(["0.006156", "0.049245"]) {
        // Prompts alone, since table 3 has the price of what is read.
        let tokens = judge["prompt_tokens"].as_f64().unwrap();
        let written = judge["completion_tokens_at_most"].as_f64().unwrap();
        let usd = judge["cost_usd"].as_f64().unwrap();
        let found = format!("{:.6}", 1e6 * usd / (tokens + written));
        assert_eq!(found, printed, "{judge}");
    }
}

/// The numbers that a cell such as `tables 1, 4, 5` or `figures 4 to 6` names of this kind.
fn numbers_of(cell: &str, kind: &str) -> Vec<usize> {
    let mut numbers = Vec::new();
    for part in cell.split(&format!("{kind}s ")).skip(1) {
        add_numbers(part, &mut numbers);
    }
    for part in cell.split(&format!("{kind} ")).skip(1) {
        add_numbers(part, &mut numbers);
    }
    numbers
}

/// Adds the numbers at the start of a text: `2, 15 and 16`, `9 to 11`.
fn add_numbers(text: &str, numbers: &mut Vec<usize>) {
    let mut until = false;
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        match word.parse::<usize>() {
            Ok(number) if until => {
                numbers.extend(numbers.last().map_or(number, |at| at + 1)..=number)
            }
            Ok(number) => numbers.push(number),
            Err(_) if word == "to" || word == "and" => {}
            Err(_) => return,
        }
        until = word == "to";
    }
}

/// Every table and figure of the papers has a row in its README, and every row one of the four
/// verdicts.
#[test]
fn no_table_is_left_out_and_every_row_has_a_verdict() {
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/papers");
    for (folder, tables, figures) in [
        ("prepair", 10, 19),
        ("realrank", 8, 16),
        ("distracted", 11, 4),
        ("portia", 19, 6),
    ] {
        let readme = fs::read_to_string(papers.join(folder).join("README.md")).unwrap();
        let section = readme.split("\n## Every table").nth(1).unwrap();
        let section = section.split("\n## ").next().unwrap();
        let mut named = [Vec::new(), Vec::new()];
        for row in section
            .lines()
            .filter(|line| line.starts_with("| "))
            .skip(1)
        {
            let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
            if cells[0].starts_with("---") {
                continue;
            }
            let [paper, .., verdict] = cells[..] else {
                panic!("{folder}: {row}")
            };
            let verdicts = ["equal", "close", "as the paper", "no, because"];
            assert!(
                verdicts.iter().any(|word| verdict.contains(word)),
                "{folder}: {paper}: {verdict:?}"
            );
            for (numbers, kind) in named.iter_mut().zip(["table", "figure"]) {
                numbers.extend(numbers_of(paper, kind));
            }
        }
        for ((named, kind), last) in named.iter().zip(["table", "figure"]).zip([tables, figures]) {
            for number in 1..=last {
                assert!(
                    named.contains(&number),
                    "{folder} has no {kind} {number}: {named:?}"
                );
            }
        }
    }
}
