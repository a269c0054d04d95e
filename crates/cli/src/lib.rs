//! `evenhand`: ranks language-model systems with language-model judges, and says how far the
//! ranking can be trusted.
//!
//! The commands as a library: the binary and the Python package are two doors to it.

mod advice;
mod args;
mod call;
mod commands;
mod condition;
mod config;
mod data;
mod head_judge;
mod host;
mod job;
mod judges;
mod modes;
mod outcome;
mod processor;
mod progress;
mod settings;
mod topics;

#[cfg(test)]
mod documented_tests;

pub use call::{Called, Ending};
pub use host::{Host, Listener, Moment, Printed};
pub use processor::describe_older_processor;
pub use settings::{CommandSettings, Kind, SettingDescription, command_settings};

use args::{Cli, Command};
use clap::FromArgMatches;
use config::Merged;
use evenhand_core::Setting;
use evenhand_report::printable;
use outcome::{Done, Failed, end};
use std::borrow::Cow;
use std::ffi::OsString;

/// Runs a command line, whose first word is the program, says why where it fails, and returns the
/// exit code.
pub fn run_command_line(arguments: Vec<OsString>) -> u8 {
    Setting::spell_by(|setting| format!("--{}", setting.name()));
    end(run(arguments))
}

/// Runs a command line; what it prints goes to stdout, or to the host of this thread.
pub(crate) fn run(arguments: Vec<OsString>) -> Result<Done, Failed> {
    // Keys of the file that are of no use here.
    let mut unused = Vec::new();
    loop {
        let merged = match config::merge_arguments(arguments.clone(), &unused) {
            Ok(merged) => merged,
            Err(message) => return Err(Failed::Usage(message).with_printable(&arguments)),
        };
        let all = merged.arguments.clone();
        let ended = parse_command(merged).and_then(|parsed| match parsed {
            Parsed::Command(command) => run_command(&command).map(Some),
            Parsed::Unused(keys) => {
                unused.extend(keys);
                Ok(None)
            }
        });
        match ended {
            Ok(None) => {}
            Ok(Some(done)) => return Ok(done),
            Err(failed) => return Err(failed.with_printable(&all)),
        }
    }
}

/// A command, or the settings of its configuration file that it is to be read without.
enum Parsed {
    Command(Box<Command>),
    /// Keys of the configuration file that have no use beside the rest: it is read again without.
    Unused(Vec<String>),
}

/// Reads the command line, in which the settings of the configuration file are put.
///
/// Help and version end a command line with 0, bad usage with 2: clap's own codes. A host is told.
fn parse_command(merged: Merged) -> Result<Parsed, Failed> {
    let arguments = &merged.arguments[..];
    refuse_what_is_there_twice(arguments)?;
    let mut command = args::command();
    let parsed = command.try_get_matches_from_mut(arguments);
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (mut cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(mut error) => {
            advice::advise(&mut error, &command, arguments);
            if host::current().is_some() {
                // Clap's message without its usage, which is of the command line.
                let text = error.to_string();
                let message = text.split("\n\nUsage:").next().unwrap_or_default();
                return Err(Failed::usage(
                    message.trim_start_matches("error: ").trim_end(),
                ));
            }
            exit_as_clap(&mut command, arguments, &error)
        }
    };
    let left_out = merged.left_out.as_deref();
    let unused = modes::check_options(&command, &matches, &merged.keys, left_out);
    let unused = unused.map_err(Failed::Usage)?;
    if !unused.is_empty() {
        return Ok(Parsed::Unused(unused));
    }
    cli.command.set_named_judges(merged.judges);
    Ok(Parsed::Command(Box::new(cli.command)))
}

/// Options of which a second one is refused, and how the refusal goes on behind "is there twice".
const ONCE: [(&str, &str); 8] = [
    (
        "--figure",
        " and writes one file; give one, and the other to the same command again: it asks no judge \
         again",
    ),
    (
        "--report",
        " and writes one file; give one, and the other to the same command again: it asks no judge \
         again",
    ),
    (
        "--fail-if",
        " and only one of the two would stop anything; conditions are separated by commas, as in \
         --fail-if 'A,B'",
    ),
    (
        "--pair",
        " and is of two systems; give the same command once for each pair",
    ),
    ("--map", "; its terms are separated by commas"),
    ("--outcomes", "; its words are separated by commas"),
    (
        "--by",
        " and is one field; give the same command once for each",
    ),
    ("--anchor", "; one system has a rating that is fixed"),
];

/// Refuses a second one of these options. Of others the last one counts, as in a shell's aliases;
/// of these the other would be missing, unseen: a file, a gate, a comparison that was asked for.
fn refuse_what_is_there_twice(arguments: &[OsString]) -> Result<(), Failed> {
    for (option, instead) in ONCE {
        let is_option = |word: &&str| {
            let rest = word.strip_prefix(option);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        };
        let words = arguments.iter().filter_map(|word| word.to_str());
        if words.filter(is_option).count() > 1 {
            return Err(Failed::usage(format!("{option} is there twice{instead}")));
        }
    }
    Ok(())
}

/// Ends as clap does. It shows arguments as they are, and one may come from a file's name: then the
/// message is that of the same arguments made printable.
fn exit_as_clap(command: &mut clap::Command, arguments: &[OsString], error: &clap::Error) -> ! {
    let shown: Vec<OsString> = arguments
        .iter()
        .map(|argument| match argument.to_str().map(printable) {
            Some(Cow::Borrowed(_)) => argument.clone(),
            _ => printable(&argument.to_string_lossy()).into_owned().into(),
        })
        .collect();
    if !error.use_stderr() || shown == arguments {
        error.exit();
    }
    match command.try_get_matches_from_mut(shown) {
        Err(same) => same.exit(),
        Ok(_) => {
            progress::say_error(&printable(&error.to_string()));
            std::process::exit(error.exit_code())
        }
    }
}

fn run_command(command: &Command) -> Result<Done, Failed> {
    match command {
        Command::Rank(args) => commands::rank::rank(args),
        Command::Demo(args) => commands::demo::demo(args),
        Command::Leaderboard(args) => commands::leaderboard::leaderboard(args),
        Command::Judge(args) => commands::judge::judge(args),
        Command::Estimate(args) => commands::estimate::estimate(args),
        Command::Batch(command) => commands::batch::batch(command),
        Command::Compare(args) => commands::compare::compare(args),
        Command::Baseline(command) => commands::compare::baseline(command),
        Command::Migrate(args) => commands::migrate::migrate(args),
        Command::Meta(command) => commands::meta::meta(command),
        Command::Audit(args) => commands::audit::audit(args),
        Command::Check(args) => commands::check::check(args),
        Command::Align(args) => commands::align::align(args),
        Command::Prompts(command) => commands::prompts::prompts(command),
        Command::Report(args) => commands::report::report(args),
        Command::Publish(args) => commands::publish::publish(args),
        Command::Site(args) => commands::publish::site(args),
        Command::Plan(args) => commands::plan::plan(args),
        Command::Runs(args) => commands::runs::runs(args),
        Command::Merge(args) => commands::merge::merge(args),
        Command::Store(command) => commands::store::store(command),
        Command::Show(args) => commands::show::show(args),
        Command::Judgments(args) => commands::judgments::judgments(args),
        Command::View(args) => commands::view::view(args),
        Command::Cite(args) => commands::cite::cite(args),
        Command::Models(args) => commands::models::models(args),
        Command::Completions(args) => commands::install::print_completions(args),
        Command::Man(args) => commands::install::write_manual(args),
        Command::Skill => commands::install::print_skill(),
        Command::Mcp(args) => commands::mcp::mcp(args),
        Command::Aggregations => commands::print_topic(topics::AGGREGATIONS),
        Command::Protocols => commands::print_topic(&topics::describe_protocols()),
        Command::Judges => commands::print_topic(topics::JUDGES),
    }
}
