//! A command that a host calls, and how it ended.

use crate::host::{Host, Printed};
use crate::outcome::{Done, Failed};
use std::ffi::OsString;

/// Says how a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It did its work.
    Done,
    /// It did its work, and a condition of `--fail-if` is met.
    ConditionMet,
    /// It did its work, and the data do not decide a condition.
    Undecided,
    /// Bad usage or bad input.
    Usage,
    /// It was stopped, or reached a limit; the same command goes on from there.
    Stopped,
    /// The judge cannot be used, or came to no verdict.
    Judge,
    /// Anything else.
    Failed,
}

/// A command that has ended.
#[derive(Clone, Debug)]
pub struct Called {
    /// The way in which it ended.
    pub ending: Ending,
    /// The reason, unless it is done; empty otherwise.
    pub message: String,
    /// The results that it printed.
    pub printed: Printed,
}

impl Host {
    /// Runs a command on this thread. `arguments` are those of the command line, without the
    /// program's name.
    pub fn call(&self, arguments: Vec<OsString>) -> Called {
        let program = OsString::from("evenhand");
        let line = std::iter::once(program).chain(arguments).collect();
        let (ended, printed) = self.attend(|| crate::run(line));
        let (ending, message) = match ended {
            Ok(Done::Fine) => (Ending::Done, String::new()),
            Ok(Done::ConditionMet(condition)) => (Ending::ConditionMet, condition),
            Ok(Done::Changed(message)) => (Ending::ConditionMet, message),
            Ok(Done::Undecided(message)) => (Ending::Undecided, message),
            Ok(Done::Inconclusive(condition)) => {
                (Ending::Undecided, format!("not decided: {condition}"))
            }
            Err(Failed::Usage(message)) => (Ending::Usage, message),
            Err(Failed::Stopped(message)) => (Ending::Stopped, message),
            Err(Failed::Judge(message)) => (Ending::Judge, message),
            Err(Failed::Run(message)) => (Ending::Failed, message),
            // A host takes all that is printed.
            Err(Failed::Unread) => (Ending::Failed, "nobody reads what is printed".into()),
        };
        Called {
            ending,
            message,
            printed,
        }
    }
}
