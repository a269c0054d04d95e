//! Every command of the READMEs under `examples/papers` runs as it is written: the blocks of `sh`,
//! and the commands between backticks. Judges are simulated, and the data are made here, in the
//! shape in which `fetch-data` places them, so that nothing is fetched. Without data, each command
//! that needs some says which program brings them.

use crate::common::{Desk, Ran, json_lines};
use crate::papers::copy_folder;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The items of each set of data.
const ITEMS: usize = 6;

/// Those of the two sets of eighteen systems, of which every two are compared.
const FEW: usize = 2;

/// Words of the READMEs in the place of which a user puts his own.
const PLACEHOLDERS: [(&str, &str); 9] = [
    (
        "JUDGE",
        "simulated:accuracy=0.8,first-slot=0.2,tie=0.1,seed=1",
    ),
    ("GOLD", "simulated:accuracy=0.9,seed=2"),
    ("MODEL", "simulated:accuracy=0.9,seed=3"),
    // A judge of this machine, whose weights are not here.
    (
        "gguf:SmolLM2-135M-Instruct-Q8_0.gguf",
        "simulated:accuracy=0.6,seed=4",
    ),
    ("V", "--data examples/papers/data/vicuna --systems A,B"),
    ("P", "pairwise-tie/direct/portia:3/criteria"),
    ("A,B", "alpaca-13b,vicuna-13b"),
    ("A", "alpaca-13b"),
    ("B", "vicuna-13b"),
];

/// What stands for FILE after each word: files that a command reads are made, the others it writes.
const FILES: [(&str, &str); 6] = [
    ("align", "made/texts.jsonl"),
    ("3", "made/texts.jsonl"),
    ("--ranking", "made/ranking.csv"),
    ("--ratings", "examples/papers/data/arena/ratings.csv"),
    ("--for-review", "review.jsonl"),
    ("--rewritten", "rewritten.jsonl"),
];

#[test]
fn every_command_of_prepair_runs() {
    check_readme("prepair");
}

#[test]
fn every_command_of_realrank_runs() {
    check_readme("realrank");
}

#[test]
fn every_command_of_distracted_evaluation_runs() {
    check_readme("distracted");
}

#[test]
fn every_command_of_portia_runs() {
    check_readme("portia");
}

#[test]
fn every_command_of_the_overview_runs() {
    check_readme("");
}

/// A command or a block of them, as the README has it.
struct Script {
    line: usize,
    text: String,
}

/// Runs all commands of a README, with data and without.
fn check_readme(folder: &str) {
    let with_data = desk_of_papers();
    make_data(&with_data);
    let name = Path::new("examples/papers").join(folder).join("README.md");
    let readme = fs::read_to_string(with_data.path(&name.to_string_lossy())).unwrap();
    let without = desk_of_papers();
    make_files(&without);

    let scripts = scripts_in(&readme);
    assert!(!scripts.is_empty(), "{} has no commands", name.display());
    let mut faults = Vec::new();
    for script in &scripts {
        let place = format!("{}:{}: {}", name.display(), script.line, script.text);
        for text in variants_of(&script.text, &with_data, folder) {
            if let Some(fault) = fault_of(&text, &with_data, &without) {
                faults.push(format!("{place}\n  {fault}"));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {} in {}:\n{}",
        faults.len(),
        scripts.len(),
        name.display(),
        faults.join("\n\n")
    );
}

/// Returns what is wrong with a script: it does not run, or does not say what brings its data.
fn fault_of(text: &str, with_data: &Desk, without: &Desk) -> Option<String> {
    let text = match filled(text) {
        Ok(text) => text,
        Err(why) => return Some(why),
    };
    // Recorded data of others, and what a machine may lack.
    let lacks_data = text.contains("$D/") && evenhand_testing::shared_data().is_none();
    let lacks_program = text.contains("sqlite3 ") && !has_program("sqlite3");
    if lacks_data || lacks_program {
        eprintln!("SKIPPED: {text}");
        return None;
    }
    let ran = run_script(with_data, &text);
    if ran.code != Some(0) {
        return Some(format!(
            "as {text}\n  ended with {:?}: {}",
            ran.code, ran.stderr
        ));
    }
    // Fetching would go to the network here.
    if text.contains("fetch-data") || !needs_data(&text) {
        return None;
    }
    let ran = run_script(without, &text);
    let is_silent = ran.code != Some(0) && !ran.stderr.contains("fetch-data");
    is_silent.then(|| format!("without data does not name fetch-data: {}", ran.stderr))
}

/// Returns the blocks of `sh`, and the commands between backticks elsewhere.
fn scripts_in(readme: &str) -> Vec<Script> {
    let mut scripts = Vec::new();
    let mut block: Option<(usize, bool, String)> = None;
    for (number, line) in (1..).zip(readme.lines()) {
        if line.starts_with("```") {
            block = match block.take() {
                None => Some((number, line == "```sh", String::new())),
                Some((line, true, text)) => {
                    scripts.push(Script { line, text });
                    None
                }
                Some(_) => None,
            };
        } else if let Some((_, _, text)) = &mut block {
            text.push_str(line);
            text.push('\n');
        }
    }
    // Between backticks a command may go on in the next line of a paragraph.
    let mut from = 0;
    let mut is_code = false;
    let mut fenced = false;
    let mut start = 0;
    for (at, _) in readme.match_indices('`') {
        if readme[at..].starts_with("```") && (at == 0 || readme.as_bytes()[at - 1] == b'\n') {
            fenced = !fenced;
            from = at + 3;
            continue;
        }
        if fenced || at < from {
            continue;
        }
        if is_code {
            let text = readme[start..at]
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            let is_ours = ["evenhand ", "examples/papers/fetch-data "]
                .iter()
                .any(|program| text.starts_with(program));
            // The name of a command is none: it has no argument.
            let is_argument = |word: &str| {
                word.starts_with('-') || word.contains(['/', '.', '=']) || word == "FILE"
            };
            if is_ours && text.split(' ').skip(1).any(is_argument) {
                let line = readme[..start].lines().count();
                scripts.push(Script { line, text });
            }
        } else {
            start = at + 1;
        }
        is_code = !is_code;
    }
    scripts.sort_by_key(|script| script.line);
    scripts
}

/// Returns a command of `NAME.toml` for each such file of the folder, and any other as it is.
fn variants_of(text: &str, desk: &Desk, folder: &str) -> Vec<String> {
    if !text.contains("NAME.toml") {
        return vec![text.into()];
    }
    let dir = desk.path("examples/papers").join(folder);
    let files = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    names
        .iter()
        .map(|name| text.replace("NAME.toml", name))
        .collect()
}

/// Puts something in the place of each placeholder; an error names a word that is none.
fn filled(text: &str) -> Result<String, String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        // Words of another language are its own.
        if line.starts_with("sqlite3 ") {
            lines.push(line.to_string());
            continue;
        }
        let command = line.split(" #").next().unwrap_or(line);
        let mut words: Vec<String> = Vec::new();
        for word in command.split(' ') {
            let before = words.iter().rev().find(|word| !word.is_empty());
            let file = FILES
                .iter()
                .find(|(after, _)| before.is_some_and(|word| word == after));
            let placeholder = PLACEHOLDERS.iter().find(|(name, _)| *name == word);
            let word = match (word, file, placeholder) {
                ("FILE", Some((_, file)), _) => (*file).to_string(),
                ("FILE", None, _) => return Err(format!("FILE after {before:?}")),
                (_, _, Some((_, value))) => filled(value)?,
                _ => word.to_string(),
            };
            let is_name = word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase());
            if is_name || word == ".." {
                return Err(format!(
                    "{word} stands for something, and nobody says for what"
                ));
            }
            words.push(word);
        }
        lines.push(words.join(" "));
    }
    Ok(lines.join("\n"))
}

/// Whether a command reads the papers' data: by name, or by a file of settings.
fn needs_data(text: &str) -> bool {
    text.contains("examples/papers/data/") || text.contains(".toml")
}

fn has_program(name: &str) -> bool {
    let mut command = Command::new(name);
    command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok()
}

/// Runs a script in the desk, where `evenhand` is this binary.
fn run_script(desk: &Desk, text: &str) -> Ran {
    let own = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("bash");
    command
        .args(["-e", "-u", "-o", "pipefail", "-c", text])
        .current_dir(desk.path(""))
        .env("PATH", format!("{}:{own}", desk.path("bin").display()))
        .env("HOME", desk.path(""))
        .stdin(Stdio::null());
    if let Some(shared) = evenhand_testing::shared_data() {
        command.env("EVENHAND_SHARED_DATA", shared);
    }
    Ran::of(command.output().unwrap())
}

/// A desk that looks like the root of the checkout, as far as the READMEs go.
fn desk_of_papers() -> Desk {
    let desk = Desk::empty();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/papers");
    copy_folder(&source, &desk.path("examples/papers"));
    if std::env::var_os("EVENHAND_SLOW").is_none() {
        // Intervals of fewer rounds, and one of three judges for the four types in two readings:
        // all that is shown is the same.
        for study in ["STUDY.toml", "SETTINGS.toml", "READINGS.toml"] {
            let path = format!("examples/papers/realrank/{study}");
            let text = desk.read(&path).replace("rounds = 1000", "rounds = 40");
            let text = text.replace("share-rounds = 100 ", "share-rounds = 10 ");
            let one_judge = text.split_once("[judges.middle]").map(|(before, _)| before);
            let text = match study {
                "READINGS.toml" => one_judge.unwrap(),
                _ => text.as_str(),
            };
            desk.write(&path, text);
        }
    }
    desk.write("bin/keep", "");
    #[cfg(unix)]
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_evenhand"), desk.path("bin/evenhand")).unwrap();
    desk
}

fn text(item: usize, system: &str) -> String {
    format!(
        "{system} has this to say of {item}. There is one thing to it, and there is another. The \
         first is plain! Is the second?\n\n{system} would not know. So much for {item}."
    )
}

/// Files of a user's own that commands read.
fn make_files(desk: &Desk) {
    let texts = (0..3).map(|at| json!({"a": text(at, "one"), "b": text(at, "two")}));
    desk.write("made/texts.jsonl", json_lines(texts));
    let names = fs::read_to_string(desk.path("examples/papers/realrank/names.csv")).unwrap();
    let systems = names
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').nth(2));
    let rows = systems
        .enumerate()
        .map(|(at, system)| format!("{system},{}\n", 100 - at));
    let ranking = format!("system,score\n{}", rows.collect::<String>());
    desk.write("made/ranking.csv", ranking);
}

/// Everything that `fetch-data` places.
fn make_data(desk: &Desk) {
    make_files(desk);
    let data = |name: &str| format!("examples/papers/data/{name}");
    let item = 0..ITEMS;
    for set in ["natural", "manual", "gptinst", "gptout", "neighbor"] {
        let pairs = item.clone().map(|at| {
            json!({"input": format!("Do {at} of {set}."), "output_1": text(at, "one"),
                   "output_2": text(at, "two"), "label": 1 + at % 2})
        });
        let all = Value::Array(pairs.collect());
        desk.write(
            &data(&format!("llmbar/{set}/dataset.json")),
            all.to_string(),
        );
    }

    let subsets = [
        "alpacaeval-easy",
        "alpacaeval-hard",
        "alpacaeval-length",
        "mt-bench-easy",
        "mt-bench-med",
    ];
    let pairs = subsets.iter().enumerate().flat_map(|(number, subset)| {
        (0..2).map(move |at| {
            let id = 2 * number + at;
            json!({"id": id, "prompt": format!("Do {id}."), "chosen": text(id, "one"),
                   "rejected": text(id, "two"), "subset": subset})
        })
    });
    desk.write(&data("rewardbench/filtered.jsonl"), json_lines(pairs));

    let questions = item.clone().map(|at| {
        json!({"question_id": 81 + at, "category": (["writing", "math"][at % 2]),
               "turns": [format!("What of {at}?"), format!("And then of {at}?")]})
    });
    desk.write(&data("mt-bench/questions.jsonl"), json_lines(questions));
    let models = [
        "gpt-4",
        "gpt-3.5-turbo",
        "claude-v1",
        "vicuna-13b-v1.2",
        "vicuna-13b-v1.3",
        "alpaca-13b",
        "llama-13b",
    ];
    for model in models {
        let answers = item.clone().map(|at| {
            let turns = [text(at, model), text(at + 100, model)];
            json!({"question_id": 81 + at, "model_id": model, "choices": [{"index": 0, "turns": turns}]})
        });
        desk.write(
            &data(&format!("mt-bench/answers/{model}.jsonl")),
            json_lines(answers),
        );
    }
    let votes = item.clone().flat_map(|at| {
        (0..3).map(move |voter| {
            let [a, b] = [models[at % 3], models[4 + at % 3]];
            let conversation = |model: &str| {
                json!([{"role": "user", "content": format!("What of {at}?")},
                       {"role": "assistant", "content": text(at, model)}])
            };
            json!({"question_id": 81 + at, "model_a": a, "model_b": b, "judge": format!("expert_{voter}"),
                   "winner": (["model_a", "tie", "model_b"][(at + voter) % 3]), "turn": 1,
                   "conversation_a": conversation(a), "conversation_b": conversation(b)})
        })
    });
    desk.write(&data("mt-bench/votes/human.jsonl"), json_lines(votes));

    let questions = item.clone().map(|at| {
        json!({"id": at.to_string(), "instruction": format!("What of {at}?"), "category": (["generic", "roleplay"][at % 2])})
    });
    desk.write(&data("vicuna/questions.jsonl"), json_lines(questions));
    for system in [
        "gpt-3.5-turbo",
        "vicuna-13b",
        "gpt-4",
        "vicuna-7b",
        "alpaca-13b",
        "llama-13b",
        "bard",
    ] {
        let answers = item.clone().map(
            |at| json!({"item": at.to_string(), "system": system, "output": text(at, system)}),
        );
        desk.write(
            &data(&format!("vicuna/responses-{system}.jsonl")),
            json_lines(answers),
        );
    }
    let people = item.clone().map(|at| {
        json!({"item": at.to_string(), "a": "gpt-3.5-turbo", "b": "vicuna-13b", "preferred": (["a", "b", "tie"][at % 3])})
    });
    desk.write(&data("vicuna-people/labels.jsonl"), json_lines(people));

    let annotations = item.clone().flat_map(|at| {
        (0..2).map(move |annotator| {
            json!({"instruction": format!("Do {at}."), "input": "", "output_1": text(at, "one"),
                   "output_2": text(at, "two"), "generator_1": "one", "generator_2": "two",
                   "preference": 1 + (at + annotator) % 2, "annotator_index": annotator, "dataset": "made"})
        })
    });
    let all = Value::Array(annotations.collect());
    desk.write(&data("alpaca-farm/crossannotations.json"), all.to_string());

    let names = fs::read_to_string(desk.path("examples/papers/realrank/names.csv")).unwrap();
    let mut ratings = String::from("model,rating,ci_lower,ci_upper\n");
    for (place, row) in names.lines().skip(1).enumerate() {
        let [_, arena, alpaca, hard] = row.split(',').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let rating = 1250 - 10 * place;
        ratings += &format!("{arena},{rating},{},{}\n", rating - 4, rating + 5);
        let outputs = (0..FEW).map(|at| {
            json!({"dataset": "made", "instruction": format!("Do {at}."), "output": text(at, alpaca), "generator": alpaca})
        });
        desk.write(
            &data(&format!("alpaca-eval/{:02}-{alpaca}.jsonl", place + 1)),
            json_lines(outputs),
        );
        let answers = (0..FEW).map(|at| {
            json!({"question_id": format!("h{at}"), "model_id": hard,
                   "choices": [{"index": 0, "turns": [{"content": text(at, hard)}]}]})
        });
        desk.write(
            &data(&format!("arena-hard/{:02}-{hard}.jsonl", place + 1)),
            json_lines(answers),
        );
    }
    desk.write(&data("arena/ratings.csv"), ratings);
    let questions = (0..FEW).map(|at| json!({"question_id": format!("h{at}"), "cluster": "made", "prompt": format!("Do {at}.")}));
    desk.write(&data("arena-hard/question.jsonl"), json_lines(questions));

    // What the script knows of is there: it would fetch anything else.
    let listed = run_script(desk, "examples/papers/fetch-data --no-fetch");
    assert_eq!(listed.code, Some(0), "{}", listed.stdout);
}
