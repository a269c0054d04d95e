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
use clap::FromArgMatches;
use evenhand_core::Setting;
use outcome::{Done, Failed, end};
use std::process::ExitCode;

/// Texts are made by one thread and let go by another at tens of thousands of calls a second
/// (docs/design/served-judges.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    Setting::spell_by(|setting| format!("--{}", setting.name()));
    let (arguments, judges) = match config::arguments(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(message) => return end(Err(Failed::Usage(message))),
    };
    let mut command = args::command();
    let parsed = command.try_get_matches_from_mut(arguments);
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (mut cli, matches) = match parsed {
        Ok(parsed) => parsed,
        // Help and version end with 0, bad usage with 2: clap's own codes.
        Err(error) => error.exit(),
    };
    if let Err(message) = modes::check(&command, &matches) {
        return end(Err(Failed::Usage(message)));
    }
    cli.command.set_named_judges(judges);
    end(match &cli.command {
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
        Command::Completions(args) => commands::completions(args),
        Command::Man(args) => commands::man(args),
        Command::Aggregations => commands::topic(topics::AGGREGATIONS),
        Command::Protocols => commands::topic(&topics::describe_protocols()),
        Command::Judges => commands::topic(topics::JUDGES),
    })
}
