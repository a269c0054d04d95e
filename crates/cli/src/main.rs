//! `evenhand`: ranks language-model systems with language-model judges, and says how far the
//! ranking can be trusted.

mod args;
mod commands;
mod condition;
mod config;
mod job;
mod modes;
mod progress;
mod topics;

use args::{Cli, Command};
use clap::FromArgMatches;
use evenhand_core::{Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_formats::records::DataError;
use std::io::Write;
use std::process::ExitCode;

/// Texts are made by one thread and let go by another at tens of thousands of calls a second
/// (docs/design/served-judges.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What a command comes to, if it did not fail.
enum Done {
    /// Done.
    Fine,
    /// Done, and a `--fail-if` condition is met.
    ConditionMet(String),
}

/// Why a command failed.
enum Failed {
    /// Bad usage or bad input.
    Usage(String),
    /// Anything else.
    Run(String),
}

impl From<DataError> for Failed {
    fn from(error: DataError) -> Self {
        EngineError::from(error).into()
    }
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Self {
        Failed::Usage(refusal.to_string())
    }
}

impl From<EngineError> for Failed {
    fn from(error: EngineError) -> Self {
        match &error {
            EngineError::Hopeless { first, run } => {
                Failed::Run(commands::hopeless(&error, first, run))
            }
            error if error.is_usage() => Failed::Usage(error.to_string()),
            error => Failed::Run(error.to_string()),
        }
    }
}

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
    cli.command.know(judges);
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

fn end(result: Result<Done, Failed>) -> ExitCode {
    let (code, message) = match result {
        Ok(Done::Fine) => return ExitCode::SUCCESS,
        Ok(Done::ConditionMet(condition)) => (3, format!("--fail-if: {condition}")),
        Err(Failed::Usage(message)) => (2, format!("error: {message}")),
        Err(Failed::Run(message)) => (1, format!("error: {message}")),
    };
    // Nothing can be said if stderr is gone.
    let _ = writeln!(
        std::io::stderr(),
        "{}",
        evenhand_report::printable_lines(&message)
    );
    ExitCode::from(code)
}
