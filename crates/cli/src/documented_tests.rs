//! Every command line in the documentation is one that the program reads.

use crate::args;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::fs;
use std::path::{Path, PathBuf};

/// Words that stand for something else, and something that each may stand for.
const PLACEHOLDERS: [(&str, &str); 6] = [
    ("JUDGE", "openai:m"),
    ("CHEAP", "openai:m"),
    ("STRONG", "openai:m"),
    ("COMMAND", "rank"),
    ("SHELL", "bash"),
    ("N", "1"),
];

/// Where a command stands, and its words; whether some of them are left out.
struct Documented {
    place: String,
    text: String,
    is_whole: bool,
}

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Those of examples/papers are run by a test of their own.
    let mut folders = vec![root.join("docs")];
    let mut pages = vec![root.join("README.md")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort_unstable();
    pages
}

/// Returns the commands of a page: lines of its blocks of `sh` and `console`, and what stands
/// between backticks.
fn commands_of(path: &Path) -> Vec<Documented> {
    let page = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy();
    let mut found = Vec::new();
    let mut prose = String::new();
    let mut fence: Option<bool> = None;
    let mut begun = String::new();
    for (number, line) in (1..).zip(page.lines()) {
        if let Some(language) = line.strip_prefix("```") {
            fence = match fence {
                Some(_) => None,
                None => Some(["sh", "console", "bash"].contains(&language)),
            };
            prose.push('\n');
            continue;
        }
        match fence {
            None => {
                prose.push_str(line);
                prose.push('\n');
            }
            Some(false) => {}
            Some(true) => {
                begun.push_str(line.strip_prefix("$ ").unwrap_or(line));
                if begun.ends_with('\\') {
                    begun.pop();
                    continue;
                }
                let text = std::mem::take(&mut begun);
                let place = format!("{name}:{number}");
                found.push(Documented {
                    place,
                    text,
                    is_whole: true,
                });
            }
        }
    }
    for text in prose.split('`').skip(1).step_by(2) {
        found.push(Documented {
            place: format!("{name}, in the text"),
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            is_whole: false,
        });
    }
    found
}

/// Returns the words of the program's command line within a line of a shell; None where the line
/// has none.
fn words_of(text: &str) -> Option<Vec<String>> {
    let mut words = shlex::split(text.split(" #").next().unwrap_or(text))?;
    // Behind variables of the environment, it is what the line runs.
    let at = words.iter().position(|word| !word.contains('='))?;
    words.drain(..at);
    if words[0] != "evenhand" {
        return None;
    }
    let ends = ["|", ">", ">>", "&&", ";", "&", "||"];
    let end = words.iter().position(|word| ends.contains(&word.as_str()));
    words.truncate(end.unwrap_or(words.len()));
    // What may be left out stands in a synopsis, which is no command.
    if words.iter().any(|word| word.starts_with('[')) {
        return None;
    }
    // Variables of the shell may be several words.
    words.retain(|word| !word.starts_with('$'));
    for word in &mut words {
        if let Some((_, value)) = PLACEHOLDERS.iter().find(|(name, _)| name == word) {
            *word = (*value).into();
        }
    }
    Some(words)
}

#[test]
fn every_documented_command_is_read() {
    let (mut faults, mut read) = (Vec::new(), 0);
    // Made once: it takes longer than to read a line.
    let mut command = args::command();
    for path in pages() {
        for documented in commands_of(&path) {
            let Some(mut words) = words_of(&documented.text) else {
                continue;
            };
            let length = words.len();
            words.retain(|word| word != "…" && word != "...");
            let is_whole = documented.is_whole && words.len() == length;
            read += 1;
            let Err(error) = command.try_get_matches_from_mut(&words) else {
                continue;
            };
            match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {}
                ErrorKind::MissingRequiredArgument
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                | ErrorKind::MissingSubcommand
                    if !is_whole => {}
                // A setting without its value, named in a sentence or left out.
                ErrorKind::InvalidValue
                    if !is_whole
                        && error.get(ContextKind::InvalidValue)
                            == Some(&ContextValue::String(String::new())) => {}
                _ => faults.push(format!(
                    "{}: {}\n  {}",
                    documented.place,
                    documented.text,
                    error.to_string().lines().next().unwrap_or_default()
                )),
            }
        }
    }
    assert!(read > 200, "only {read} commands were found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The action lets every command that can take replies of other runs take none, unless its user
/// says otherwise: a branch brings along what it likes.
#[test]
fn the_action_knows_every_command_that_uses_replies_again() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../action.yml");
    let action = fs::read_to_string(path).unwrap();
    let known = action
        .split("case \"$asks ${words[*]:0:2}\" in")
        .nth(1)
        .and_then(|rest| rest.split(") words+=(--no-reuse)").next())
        .unwrap();
    let known = known.split('"').skip(1).step_by(2);
    let known = known.map(|name| name.trim_start_matches("true ").to_owned());
    let mut known: Vec<String> = known.collect();
    known.sort_unstable();
    let takes = |command: &crate::CommandSettings| {
        let mut settings = command.settings.iter();
        settings.any(|setting| setting.name == "no-reuse")
    };
    let commands = crate::command_settings();
    let mut wanted: Vec<String> = commands
        .iter()
        .filter(|command| takes(command))
        .map(|command| command.name.clone())
        .collect();
    wanted.sort_unstable();
    assert_eq!(known, wanted);
}
