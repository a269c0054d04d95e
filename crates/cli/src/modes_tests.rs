//! Every mode, with every option of its commands.

use super::*;
use crate::args;

/// A command line for each mode of the table that is right as it stands; what it lacks is the
/// option on trial.
const LINES: &[(&str, &str)] = &[
    ("meta judge", "--recorded r"),
    ("meta judge", "--recorded r --second-stage simulated"),
    ("meta judge", "--recorded r --data d"),
    ("meta judge", "--data d --judge panel:p"),
    ("meta judge", "--data d --judge simulated"),
    ("audit", "--recorded r"),
    ("audit", "--recorded r --second-stage simulated"),
    ("audit", "--recorded r --data d"),
    ("audit", "--data d --judge simulated"),
    ("audit", "--data d --judge recorded:r"),
    ("rank", "--data d --judge recorded:r"),
    ("judge", "--data d --judge recorded:r"),
    ("meta judge", "--data d --judge recorded:r"),
    ("rank", "--data d --judge simulated"),
    ("rank", "--data d --judge panel:p"),
    ("rank", "--data d --judge panel:p --scale 1..5"),
    ("estimate", "--data d --judge simulated"),
    ("estimate", "--data d --judge panel:p"),
    ("judge", "--data d --judge simulated"),
    ("judge", "--data d --judge panel:p"),
    ("batch export", "--data d --judge simulated --out o"),
    ("batch export", "--data d --judge panel:p --out o"),
    ("batch run", "--data d --judge simulated"),
    ("batch run", "--data d --judge panel:p"),
    ("leaderboard", "f"),
    ("meta select", "--recorded r"),
    ("compare", "r --pair a,b"),
    ("publish", "r --as llm-comparator --out o"),
    ("publish", "r --as every-eval-ever --out o"),
    ("meta bencher", "--ranking r --ratings r"),
    ("meta bencher", "--ranking r --labels l"),
];

fn matches(line: &str) -> Result<(Command, ArgMatches), clap::Error> {
    let mut command = args::command();
    let found = command.try_get_matches_from_mut(format!("evenhand {line}").split_whitespace());
    found.map(|found| (command, found))
}

fn checked(line: &str) -> Option<Result<(), String>> {
    let (command, found) = matches(line).ok()?;
    Some(check_options(&command, &found, &[], None).map(drop))
}

fn inner(path: &str) -> Command {
    path.split(' ').fold(args::command(), |command, name| {
        command.find_subcommand(name).cloned().unwrap()
    })
}

/// The options of a command with a value that each takes.
fn options(path: &str) -> Vec<(String, String)> {
    let value = |arg: &clap::Arg| {
        let among = arg
            .get_possible_values()
            .first()
            .map(|value| value.get_name().to_string());
        let of = |name: &str| match name {
            "until" => "top:1",
            "control" => "length",
            "strength" => "3,1,1",
            "scale" => "1..5",
            "panel" => "majority",
            "notation" => "verdict-number",
            "outcomes" => "A=first",
            "distractor" => "f --rewriter a",
            "texts" => "a,b",
            _ => "1",
        };
        let long = arg.get_long().unwrap_or_default();
        if arg.get_action().takes_values() {
            among.unwrap_or_else(|| of(long).to_string())
        } else {
            String::new()
        }
    };
    let command = inner(path);
    let named = command
        .get_arguments()
        .filter_map(|arg| Some((arg.get_long()?.to_string(), value(arg))));
    named
        .filter(|(long, _)| !["help", "version"].contains(&long.as_str()))
        .collect()
}

#[test]
fn every_name_in_the_table_is_an_option_of_its_commands() {
    for mode in MODES {
        let parts: Vec<&str> = match mode.options {
            Options::Used(parts) => parts.to_vec(),
            Options::Unused(names) => vec![names],
        };
        let mut parts = parts.into_iter().flat_map(str::split_whitespace);
        // A part may be of several commands; each name belongs to one of the mode's at least.
        let known: Vec<String> = mode
            .commands
            .split(", ")
            .flat_map(options)
            .map(|(long, _)| long)
            .collect();
        let shared = [FILES, MEASURES, ASKS].join(" ");
        let strange = parts.find(|name| {
            !known.contains(&name.to_string()) && !shared.split(' ').any(|known| known == *name)
        });
        assert_eq!(strange, None, "{:?}", mode.commands);
    }
}

#[test]
fn every_mode_is_tried() {
    for (at, mode) in MODES.iter().enumerate() {
        let tried = LINES
            .iter()
            .filter(|(path, _)| mode.is_of(path))
            .any(|(path, line)| {
                let (command, found) = matches(&format!("{path} {line}")).unwrap();
                let (_, command, found) = find_command(&command, &found);
                (mode.when)(&Given::of(command, found))
            });
        assert!(tried, "mode {at} of {:?} has no line", mode.commands);
    }
}

#[test]
fn each_option_is_refused_where_the_table_says_and_nowhere_else() {
    let (mut refused, mut taken) = (0, 0);
    // Made once: it takes longer than to read a line.
    let mut command = args::command();
    for (path, line) in LINES
        .iter()
        .filter(|(_, line)| !line.contains("--scale 1..5"))
    {
        assert_eq!(
            checked(&format!("{path} {line}")),
            Some(Ok(())),
            "{path} {line}"
        );
        for (option, value) in options(path)
            .iter()
            .filter(|(option, _)| !line.contains(&format!("--{option} ")))
        {
            let whole = format!("{path} {line} --{option} {value}");
            // Clap refuses what conflicts by itself.
            let words = format!("evenhand {whole}");
            let Ok(found) = command.try_get_matches_from_mut(words.split_whitespace()) else {
                continue;
            };
            let (_, leaf_command, leaf_found) = find_command(&command, &found);
            let given = Given::of(leaf_command, leaf_found);
            let modes: Vec<&Mode> = MODES
                .iter()
                .filter(|mode| mode.is_of(path) && (mode.when)(&given))
                .collect();
            let expected = modes.iter().any(|mode| mode.refuses(option));
            let error = check_options(&command, &found, &[], None).err();
            assert_eq!(error.is_some(), expected, "{whole}: {error:?}");
            let named = error
                .is_none_or(|error| error.starts_with("--") && error.ends_with("; leave it out"));
            assert!(named, "{whole}");
            if expected { refused += 1 } else { taken += 1 }
        }
    }
    assert!(
        refused > 100 && taken > 300,
        "{refused} refused, {taken} taken"
    );
}

#[test]
fn the_sentence_names_the_option_the_reason_and_the_remedy() {
    for (line, expected) in [
        (
            "meta judge --recorded r --prompt-pack p",
            "--prompt-pack: it is not used here: --recorded asks no judge; leave it out",
        ),
        (
            "meta judge --recorded r --second-stage same --reviewed f",
            "--reviewed: it is not used here: with --recorded only the second stage is asked; \
             leave it out",
        ),
        (
            "rank --data d --judge panel:p --scale 1..5",
            "--scale: it is not used here: each member of the panel has its scale in the file; \
             leave it out",
        ),
        (
            "rank --data d --judge panel:p --scale 1-5",
            "--scale: it is not used here: each member of the panel has its scale in the file; \
             leave it out",
        ),
    ] {
        assert_eq!(checked(line), Some(Err(expected.into())));
    }
    assert_eq!(
        checked("meta judge --recorded r --second-stage same"),
        Some(Ok(()))
    );
    assert_eq!(
        checked("meta judge --recorded r --data d --by category"),
        Some(Ok(()))
    );
    assert_eq!(
        checked("rank --data d --judge panel:p --scale elo"),
        Some(Ok(()))
    );
}

/// What is for other probes is left out where it comes from a file; everything else is refused
/// there too.
#[test]
fn what_a_file_has_for_other_probes_is_left_out() {
    for (line, option, left_out) in [
        ("audit --tweak-set t --probes position", "tweak-set", true),
        ("audit --tweak-set t --probes severity", "tweak-set", false),
        ("audit --repeats 3 --probes position", "repeats", true),
        (
            "audit --repeats 3 --probes all --tweak-set t",
            "repeats",
            false,
        ),
    ] {
        let whole = format!("{line} --data d --judge simulated --quiet");
        let (command, found) = matches(&whole).unwrap();
        let option = option.to_string();
        let unused = check_options(&command, &found, std::slice::from_ref(&option), None);
        assert_eq!(
            unused,
            Ok(if left_out { vec![option] } else { vec![] }),
            "{line}"
        );
        assert_eq!(
            check_options(&command, &found, &[], None).is_err(),
            left_out,
            "{line}"
        );
    }
    let line = "judge --data d --judge simulated --review-share 0.5";
    let (command, found) = matches(line).unwrap();
    assert!(check_options(&command, &found, &["review-share".into()], None).is_err());
}
