//! How a command ends, and the exit code of it.

use crate::commands::verdicts::describe_hopeless_run;
use crate::progress::say_error;
use evenhand_core::{Refusal, printable};
use evenhand_engine::EngineError;
use evenhand_formats::records::DataError;
use std::borrow::Cow;
use std::error::Error;
use std::ffi::OsString;
use std::fmt::Display;
use std::io;
use std::path::Path;

/// How a command ended that did not fail.
pub(crate) enum Done {
    /// It did its work.
    Fine,
    /// It did its work, and a `--fail-if` condition is met.
    ConditionMet(String),
    /// It did its work, and the data do not decide a `--fail-if` condition.
    Inconclusive(String),
    /// It did its work, and found a change that a pipeline stops for.
    Changed(String),
    /// It did its work, and cannot decide whether there is such a change.
    Undecided(String),
}

/// Why a command failed.
pub(crate) enum Failed {
    /// Bad usage or bad input.
    Usage(String),
    /// It was stopped, or reached a limit; the same command goes on from there.
    Stopped(String),
    /// The judge cannot be used, or came to no verdict.
    Judge(String),
    /// The reader of stdout went away before the work was done, and what is done is kept.
    Unread,
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

    /// Results that cannot be written to stdout.
    pub(crate) fn unwritten(error: &io::Error) -> Failed {
        match is_reader_gone(error) {
            true => Failed::Unread,
            false => Failed::Run(format!("stdout cannot be written: {error}")),
        }
    }

    pub(crate) fn unprintable(error: impl Display) -> Failed {
        Failed::Run(format!("the result cannot be written: {error}"))
    }
}

impl Failed {
    /// Makes printable what the message quotes of the arguments: most are paths, and one with a
    /// line end would else begin a line of its own. Line ends of ours stay.
    pub(crate) fn with_printable(mut self, arguments: &[OsString]) -> Failed {
        let given: Vec<String> = arguments
            .iter()
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect();
        // Of `--data=PATH` and of a list, each part is quoted too, and a path may be begun with.
        let parts = given.iter().flat_map(|whole| {
            let value = whole.split_once('=').map(|(_, value)| value);
            let listed = whole.split([',', '=']);
            [whole.as_str()].into_iter().chain(value).chain(listed)
        });
        let mut quoted: Vec<&str> = parts
            .flat_map(|part| [part, part.trim_end_matches('/')])
            .filter(|part| !part.trim().is_empty())
            .filter(|part| matches!(printable(part), Cow::Owned(_)))
            .collect();
        // The longest first: others may be parts of it.
        quoted.sort_by_key(|part| std::cmp::Reverse(part.len()));
        let (Failed::Usage(message)
        | Failed::Stopped(message)
        | Failed::Judge(message)
        | Failed::Run(message)) = &mut self
        else {
            return self;
        };
        for part in quoted {
            *message = message.replace(part, &printable(part));
        }
        self
    }

    /// Returns the failure that an error of a run in this directory is: one that ended early goes
    /// on from there.
    pub(crate) fn of_run(error: EngineError, dir: &Path) -> Failed {
        match error {
            EngineError::Stopped { .. } | EngineError::Limit { .. } => {
                Failed::Stopped(format!("{error} (run directory {})", dir.display()))
            }
            error => error.into(),
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
        match &error {
            error if error.is_usage() => Failed::Usage(message),
            EngineError::Stopped { .. } | EngineError::Limit { .. } => Failed::Stopped(message),
            EngineError::Model(_)
            | EngineError::BrokenOff { .. }
            | EngineError::Hopeless { .. } => Failed::Judge(message),
            _ => Failed::Run(message),
        }
    }
}

/// The exit code where the reader of stdout, such as `head`, went away before the work was done:
/// that of a program which SIGPIPE ends (128 + 13), as shells and `set -o pipefail` know it. Where
/// only the printing was cut short the work decides the code: `--fail-if` counts behind `| head`
/// too.
const UNREAD: u8 = 141;

/// Whether the reader of stdout went away, however the writers between have wrapped the error.
fn is_reader_gone(error: &io::Error) -> bool {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(inner) = cause {
        // What an `io::Error` wraps is not its source.
        cause = match inner.downcast_ref::<io::Error>() {
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => return true,
            Some(error) => error.get_ref().map(|inner| inner as _),
            None => inner.source(),
        };
    }
    false
}

/// Prints the message of a command that failed or met a condition, and returns the exit code.
pub(crate) fn end(result: Result<Done, Failed>) -> u8 {
    let (code, message) = match result {
        Ok(Done::Fine) => return 0,
        Ok(Done::ConditionMet(condition)) => (3, format!("--fail-if: {condition}")),
        Ok(Done::Inconclusive(condition)) => (4, format!("--fail-if is not decided: {condition}")),
        Ok(Done::Changed(message)) => (3, message),
        Ok(Done::Undecided(message)) => (4, message),
        Err(Failed::Unread) => return UNREAD,
        Err(Failed::Usage(message)) => (2, format!("error: {message}")),
        Err(Failed::Stopped(message) | Failed::Judge(message) | Failed::Run(message)) => {
            (1, format!("error: {message}"))
        }
    };
    say_error(&message);
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_went_away_is_known_behind_every_writer() {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let wrapped = [
            gone(),
            io::Error::other(gone()),
            io::Error::other(io::Error::other(gone())),
            serde_json::Error::io(gone()).into(),
        ];
        for error in wrapped {
            assert!(
                matches!(Failed::unwritten(&error), Failed::Unread),
                "{error}"
            );
            assert_eq!(end(Err(Failed::unwritten(&error))), 141);
        }
        let full = io::Error::other(io::Error::from(io::ErrorKind::StorageFull));
        assert!(matches!(Failed::unwritten(&full), Failed::Run(_)));
    }
}
