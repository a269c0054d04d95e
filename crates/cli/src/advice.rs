//! Tells what to write where clap only says that something is not known: in our words for those of
//! other tools.

use crate::args::choices::lists;
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use std::path::Path;

/// Options: their names in other tools, the name here, and the tip where the command has it.
const OPTIONS: [(&str, &str, &str); 9] = [
    (
        "--model -m --judge-model --judge_model --grader --evaluator --annotators_config",
        "judge",
        "name a judge: --judge openai:MODEL, anthropic:MODEL or gguf:PATH (`evenhand help judges` \
         lists all)",
    ),
    (
        "--limit -n --samples --num-samples --num_samples --max-samples --max_instances \
         --filter-first-n",
        "items",
        "--items N takes the first N items",
    ),
    (
        DATA,
        "data",
        "give data with --data: files, or folders of files",
    ),
    (
        OUTPUTS,
        "report",
        "--report FILE.html writes a page, --figure FILE.svg a picture, and --format json or csv \
         prints the figures",
    ),
    (OUTPUTS, "out", "name the file to write with --out"),
    (
        "--base-url --base_url --api-base --api_base --endpoint",
        "judge",
        "the address is part of the judge: --judge openai:MODEL@http://HOST/v1",
    ),
    (
        "--api-key --api_key --key",
        "judge",
        "keys are read from the environment, such as OPENAI_API_KEY",
    ),
    (
        "--concurrency --workers --max-concurrency --max_workers -j",
        "judge",
        "evenhand makes as many requests at once as the server takes; to limit them, set \
         `concurrency` of a judge in the --config file (docs/served.md)",
    ),
    (
        "--baseline --reference --reference-model",
        "design",
        "--design reference:SYSTEM compares every system with that one",
    ),
];

const DATA: &str = "--data --battles --input -i --dataset --file --files --responses --answers \
                    --model_outputs --reference_outputs";

const OUTPUTS: &str = "--output -o --out --output_path --output-path --outfile";

/// Commands: their names in other tools, and what does it here.
const COMMANDS: [(&str, &str); 8] = [
    (
        "eval evaluate run bench benchmark",
        "`evenhand rank --data DATA --judge JUDGE` judges answers and ranks the systems that gave \
         them; `evenhand leaderboard FILE` ranks battles that are already judged",
    ),
    (
        "elo arena battles",
        "`evenhand leaderboard FILE` ranks battles",
    ),
    ("list ls history", "`evenhand runs` lists your runs"),
    (
        "serve ui open dashboard",
        "`evenhand view` shows runs in a browser",
    ),
    (
        "init start quickstart example",
        "`evenhand demo` shows it at work, with data and runs to look into",
    ),
    (
        "diff",
        "`evenhand compare RUN1 RUN2`, or `evenhand compare RUN --pair OLD,NEW`",
    ),
    (
        "gate assert",
        "--fail-if CONDITION makes a command a gate: `evenhand compare BASELINE RUN --fail-if \
         CONDITION`, or in `rank` (docs/gates.md)",
    ),
    (
        "export",
        "`evenhand judgments RUN --format json` prints the judgments, `evenhand publish RUN` \
         exports to other formats",
    ),
];

/// Adds to clap's error what to write, where one knows what was meant.
pub(crate) fn advise(error: &mut clap::Error, root: &Command, arguments: &[OsString]) {
    let words: Vec<&str> = arguments.iter().skip(1).map_while(|a| a.to_str()).collect();
    let mut command = root;
    let mut path = Vec::new();
    for word in &words {
        let Some(inner) = command.find_subcommand(word) else {
            break;
        };
        path.push(*word);
        command = inner;
    }
    let has = |long: &str| {
        command
            .get_arguments()
            .any(|one| one.get_long() == Some(long))
    };
    let said = |context: ContextKind| match error.get(context) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    let tip = match error.kind() {
        ErrorKind::UnknownArgument => said(ContextKind::InvalidArg).and_then(|word| {
            let command = path.join(" ");
            advise_on_word(&command, word, &words, &has).or_else(|| {
                match error.get(ContextKind::SuggestedArg) {
                    // One of its own is spelt nearly so.
                    Some(_) => None,
                    None => advise_on_option_of_others(root, &command, word),
                }
            })
        }),
        ErrorKind::MissingRequiredArgument => match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::Strings(missing)) => advise_on_missing(missing, &words),
            _ => None,
        },
        ErrorKind::InvalidSubcommand if path.is_empty() => {
            let word = said(ContextKind::InvalidSubcommand).unwrap_or_default();
            let known = COMMANDS.iter().find(|(names, _)| lists(names, word));
            known.map(|(_, tip)| (*tip).to_owned())
        }
        _ => None,
    };
    let is_flag = said(ContextKind::InvalidArg).is_some_and(|word| word.starts_with('-'));
    let Some(tip) = tip else {
        // Behind `--` it would be taken for a file, and there is none.
        if is_flag {
            error.remove(ContextKind::Suggested);
        }
        return;
    };
    // Clap's own may name another flag that is spelt nearly so, and show it in the usage.
    if error.remove(ContextKind::SuggestedArg).is_some() {
        error.remove(ContextKind::Usage);
    }
    error.remove(ContextKind::SuggestedSubcommand);
    let tips = ContextValue::StyledStrs(vec![tip.into()]);
    error.insert(ContextKind::Suggested, tips);
}

/// Returns what to write in place of an argument that the command does not take.
fn advise_on_word(
    command: &str,
    word: &str,
    words: &[&str],
    has: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let name = word.split('=').next().unwrap_or(word);
    let quoted = || format!("'{}'", word.replace('\'', "'\\''"));
    if word.starts_with('-') {
        return match command {
            _ if name == "--config" => Some(format!(
                "{command} takes no settings from a file; give its options on the command line"
            )),
            "leaderboard" if lists(DATA, name) => {
                Some("give files without an option: evenhand leaderboard FILE".into())
            }
            "rank" | "judge" | "estimate" if name == "--labels" => Some(
                "labels correct an existing run: `evenhand judgments RUN --format json > \
                 judged.jsonl`, then `evenhand leaderboard judged.jsonl --labels FILE`"
                    .into(),
            ),
            "meta study" if name == "--run" => {
                Some("the folder stands in the study's file: run = \"DIR\"".into())
            }
            _ => OPTIONS
                .iter()
                .find(|(names, ours, _)| lists(names, name) && has(ours))
                .map(|(.., tip)| (*tip).to_owned()),
        };
    }
    match command {
        "compare" => Some(
            "it compares two at a time: two runs with `evenhand compare RUN1 RUN2`, or two systems \
             of a run with `evenhand compare RUN --pair OLD,NEW`; `evenhand rank --differences` \
             compares all systems"
                .into(),
        ),
        "meta people" if Path::new(word).exists() => {
            Some(format!("give labels with a flag: --labels {}", quoted()))
        }
        _ => {
            let is_data = has("data") && !is_given("--data", words) && Path::new(word).exists();
            is_data.then(|| format!("give data with a flag: --data {}", quoted()))
        }
    }
}

/// Names the commands that have an option, where this one has none of that name.
fn advise_on_option_of_others(root: &Command, command: &str, word: &str) -> Option<String> {
    let long = word.split('=').next()?.strip_prefix("--")?;
    let mut having = Vec::new();
    let mut left = vec![(String::new(), root)];
    while let Some((path, one)) = left.pop() {
        let has = one.get_arguments().any(|own| own.get_long() == Some(long));
        if has && !one.is_hide_set() && !path.is_empty() && path != command {
            having.push(format!("`evenhand {path}`"));
        }
        let inner = one.get_subcommands();
        left.extend(inner.map(|inner| {
            let path = format!("{path} {}", inner.get_name());
            (path.trim_start().to_owned(), inner)
        }));
    }
    having.sort();
    match having.as_slice() {
        [] => None,
        [one] => Some(format!("{one} has --{long}")),
        [most @ .., last] if having.len() <= 3 => {
            Some(format!("{} and {last} have --{long}", most.join(", ")))
        }
        [first, second, ..] => Some(format!(
            "other commands have --{long}, such as {first} and {second}"
        )),
    }
}

/// Returns what to write where an argument is missing.
fn advise_on_missing(missing: &[String], words: &[&str]) -> Option<String> {
    let lacks = |start: &str| missing.iter().any(|one| one.starts_with(start));
    if lacks("--judge ") {
        return Some(
            "name a judge: --judge openai:MODEL, anthropic:MODEL or gguf:PATH (`evenhand help \
             judges` lists all; `evenhand models get smollm2-135m` fetches a small one, to try it)"
                .into(),
        );
    }
    if lacks("<BASELINE>") {
        return Some(
            "name a run (`evenhand runs` lists them): `evenhand compare RUN1 RUN2`, or `evenhand \
             compare RUN --pair OLD,NEW`"
                .into(),
        );
    }
    let is_live = is_given("--judge", words) && is_given("--labels", words);
    (lacks("--recorded ") && is_live).then(|| {
        "--labels is for --recorded; give the labels with the data: `evenhand meta judge --data \
         DATA LABELS --judge JUDGE`"
            .into()
    })
}

/// Whether an option is among the words, with its value in the next word or its own.
fn is_given(option: &str, words: &[&str]) -> bool {
    let is = |word: &&str| word.split('=').next() == Some(option);
    words.iter().any(is)
}
