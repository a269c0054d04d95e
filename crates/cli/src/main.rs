//! `evenhand`: ranks language-model systems with language-model judges, and says how far the
//! ranking can be trusted.

mod args;
mod commands;
mod condition;
mod config;
mod data;
mod job;
mod judges;
mod modes;
mod outcome;
mod progress;
mod topics;

use args::{Cli, Command};
use clap::{ArgMatches, FromArgMatches};
use evenhand_core::Setting;
use outcome::{Done, Failed, end};
use std::ffi::OsString;
use std::process::ExitCode;

/// Texts are made by one thread and let go by another at tens of thousands of calls a second
/// (docs/design/served-judges.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    Setting::spell_by(|setting| format!("--{}", setting.name()));
    end(parse_command().and_then(|command| run_command(&command)))
}

/// Reads the command line, with the settings of the configuration file put in.
fn parse_command() -> Result<Command, Failed> {
    let given = std::env::args_os().collect();
    let (arguments, judges) = config::merge_arguments(given).map_err(Failed::Usage)?;
    let mut command = args::command();
    let (mut cli, matches) = parse_arguments(&mut command, arguments);
    modes::check_options(&command, &matches).map_err(Failed::Usage)?;
    cli.command.set_named_judges(judges);
    Ok(cli.command)
}

/// Help and version end the process with 0, bad usage with 2: clap's own codes.
fn parse_arguments(command: &mut clap::Command, arguments: Vec<OsString>) -> (Cli, ArgMatches) {
    let matches = command.try_get_matches_from_mut(arguments);
    let matches = matches.unwrap_or_else(|error| error.exit());
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    (cli, matches)
}

fn run_command(command: &Command) -> Result<Done, Failed> {
    match command {
        Command::Rank(args) => commands::rank(args),
        Command::Leaderboard(args) => commands::leaderboard(args),
        Command::Judge(args) => commands::judge(args),
        Command::Estimate(args) => commands::estimate(args),
        Command::Batch(command) => commands::batch(command),
        Command::Meta(command) => commands::meta(command),
        Command::Audit(args) => commands::audit(args),
        Command::Check(args) => commands::check(args),
        Command::Align(args) => commands::align(args),
        Command::Prompts(command) => commands::prompts(command),
        Command::Runs(args) => commands::runs(args),
        Command::Models(args) => commands::models(args),
        Command::Completions(args) => commands::print_completions(args),
        Command::Man(args) => commands::write_manual(args),
        Command::Aggregations => commands::print_topic(topics::AGGREGATIONS),
        Command::Protocols => commands::print_topic(&topics::describe_protocols()),
        Command::Judges => commands::print_topic(topics::JUDGES),
    }
}
