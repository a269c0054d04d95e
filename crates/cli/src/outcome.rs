//! How a command ends, and the exit code of it.

use crate::commands::describe_hopeless_run;
use crate::progress::say;
use evenhand_core::Refusal;
use evenhand_engine::EngineError;
use evenhand_formats::records::DataError;
use std::fmt::Display;

/// How a command ended that did not fail.
pub(crate) enum Done {
    /// It did its work.
    Fine,
    /// It did its work, and a `--fail-if` condition is met.
    ConditionMet(String),
    /// It did its work, and the data do not decide a `--fail-if` condition.
    Inconclusive(String),
}

/// Why a command failed.
pub(crate) enum Failed {
    /// Bad usage or bad input.
    Usage(String),
    /// It was stopped, or reached a limit; the same command goes on from there.
    Stopped(String),
    /// The judge cannot be used, or came to no verdict.
    Judge(String),
    /// Anything else.
    Run(String),
}

impl Failed {
    pub(crate) fn usage(message: impl Into<String>) -> Failed {
        Failed::Usage(message.into())
    }

    pub(crate) fn run(message: impl Into<String>) -> Failed {
        Failed::Run(message.into())
    }

    /// A file that the user named and that cannot be read.
    pub(crate) fn unreadable(file: impl Display, error: impl Display) -> Failed {
        Failed::Usage(format!("{file}: cannot be read: {error}"))
    }

    /// A place that the user chose for output and that does not take it.
    pub(crate) fn unwritable(file: impl Display, error: impl Display) -> Failed {
        Failed::Usage(format!("{file}: cannot be written: {error}"))
    }

    pub(crate) fn unprintable(error: impl Display) -> Failed {
        Failed::Run(format!("the result cannot be written: {error}"))
    }
}

impl Failed {
    /// Returns the failure that an error of the engine is, with a message of the command's own.
    pub(crate) fn of_kind(error: &EngineError, message: String) -> Failed {
        match error {
            error if error.is_usage() => Failed::Usage(message),
            EngineError::Stopped { .. } | EngineError::Limit { .. } => Failed::Stopped(message),
            EngineError::Model(_)
            | EngineError::BrokenOff { .. }
            | EngineError::Hopeless { .. } => Failed::Judge(message),
            _ => Failed::Run(message),
        }
    }
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Self {
        Failed::Usage(refusal.to_string())
    }
}

impl From<DataError> for Failed {
    fn from(error: DataError) -> Self {
        EngineError::from(error).into()
    }
}

impl From<EngineError> for Failed {
    fn from(error: EngineError) -> Self {
        let message = match &error {
            EngineError::Hopeless { first, run } => describe_hopeless_run(&error, first, run),
            error => error.to_string(),
        };
        Failed::of_kind(&error, message)
    }
}

/// Prints the message of a command that failed or met a condition, and returns the exit code.
pub(crate) fn end(result: Result<Done, Failed>) -> u8 {
    let (code, message) = match result {
        Ok(Done::Fine) => return 0,
        Ok(Done::ConditionMet(condition)) => (3, format!("--fail-if: {condition}")),
        Ok(Done::Inconclusive(condition)) => (4, format!("--fail-if is not decided: {condition}")),
        Err(Failed::Usage(message)) => (2, format!("error: {message}")),
        Err(Failed::Stopped(message) | Failed::Judge(message) | Failed::Run(message)) => {
            (1, format!("error: {message}"))
        }
    };
    say(&message);
    code
}
