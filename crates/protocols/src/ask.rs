//! Asking, in a protocol that is re-executed.

use crate::Protocol;
use evenhand_core::{About, CallError, CallErrorKind, CallResult, Failure, FailureKind, Message, Outcome};
use evenhand_core::{Reply, Request, RequestKey, Task, Verdict, View};
use std::cell::RefCell;
use std::sync::Arc;

/// A reply is missing. Only [`Ask`] can say so.
#[derive(Debug)]
pub struct Pending(());

/// Why a protocol stopped before its verdict.
#[derive(Debug)]
pub enum Stop {
    /// A reply is missing; the protocol is run again when it is there.
    Pending(Pending),
    /// The judgment failed.
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Failed(failure)
    }
}

/// What a protocol gives.
pub type Judged = Result<Verdict, Stop>;

/// What a protocol wants to ask: everything of a request that is its own to decide.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The conversation.
    pub messages: Vec<Message>,
    /// What is wanted.
    pub task: Task,
    /// What it is about (for simulated judges).
    pub about: About,
}

/// A call that is to be made.
#[derive(Debug)]
pub struct Missing {
    /// Its content address.
    pub key: RequestKey,
    /// [`Request::canonical`]: what is stored.
    pub body: String,
    /// The request.
    pub request: Request,
}

/// The only way for a protocol to learn anything from a model.
pub struct Ask<'a> {
    judge: &'a Arc<str>,
    sample: u32,
    transcript: &'a dyn Fn(&RequestKey) -> Option<CallResult>,
    asked: RefCell<Vec<RequestKey>>,
    missing: RefCell<Vec<Missing>>,
}

impl Ask<'_> {
    /// The reply to this prompt, or a stop: pending if it is not there yet, failed if the call gave none.
    pub fn one(&self, prompt: Prompt) -> Result<Reply, Stop> {
        let Prompt { messages, task, about } = prompt;
        let request = Request { judge: self.judge.clone(), messages, task, sample: self.sample, about };
        let body = request.canonical();
        let key = RequestKey::of(&body);
        self.asked.borrow_mut().push(key);
        match (self.transcript)(&key) {
            Some(Ok(reply)) => Ok(reply),
            Some(Err(error)) => Err(Stop::Failed(failure_of(error))),
            None => {
                self.missing.borrow_mut().push(Missing { key, body, request });
                Err(Stop::Pending(Pending(())))
            }
        }
    }
}

fn failure_of(error: CallError) -> Failure {
    let kind = match error.kind {
        CallErrorKind::TooLong => FailureKind::TooLong,
        CallErrorKind::Invalid => FailureKind::Invalid,
        CallErrorKind::Drifted => FailureKind::Drifted,
        CallErrorKind::Model => FailureKind::ModelError,
    };
    Failure::new(kind, error.message)
}

/// Independent asks, asked together. Every one is tried; pending wins over a failure beside it, since the replies that are
/// under way would otherwise be lost to this trial; else the first failure stands.
pub fn all<T>(asks: impl IntoIterator<Item = Result<T, Stop>>) -> Result<Vec<T>, Stop> {
    let (mut replies, mut stop) = (Vec::new(), None);
    for ask in asks {
        match (ask, &stop) {
            (Ok(reply), _) => replies.push(reply),
            (Err(pending @ Stop::Pending(_)), _) => stop = Some(pending),
            (Err(failed), None) => stop = Some(failed),
            (Err(_), Some(_)) => {}
        }
    }
    stop.map_or(Ok(replies), Err)
}

/// What one pass over a protocol gave.
#[derive(Debug)]
pub enum Pass {
    /// The verdict or failure, and the calls it rests on.
    Done(Outcome, Vec<RequestKey>),
    /// These replies are missing; never empty.
    Pending(Vec<Missing>),
}

/// Runs a protocol once from the top over what the transcript holds.
pub fn run(
    protocol: &Protocol,
    view: &View,
    judge: &Arc<str>,
    sample: u32,
    transcript: &dyn Fn(&RequestKey) -> Option<CallResult>,
) -> Pass {
    let ask = Ask { judge, sample, transcript, asked: RefCell::default(), missing: RefCell::default() };
    match protocol.judge(view, &ask) {
        Ok(verdict) => Pass::Done(Ok(verdict), ask.asked.into_inner()),
        Err(Stop::Failed(failure)) => Pass::Done(Err(failure), ask.asked.into_inner()),
        Err(Stop::Pending(_)) => Pass::Pending(ask.missing.into_inner()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending<T>() -> Result<T, Stop> {
        Err(Stop::Pending(Pending(())))
    }

    fn failed<T>(detail: &str) -> Result<T, Stop> {
        Err(Failure::new(FailureKind::Unparsed, detail).into())
    }

    #[test]
    fn all_gives_every_reply_in_order() {
        assert!(matches!(all([Ok(1), Ok(2)]), Ok(replies) if replies == [1, 2]));
    }

    #[test]
    fn pending_wins_over_a_failure_on_either_side() {
        assert!(matches!(all::<u8>([failed("x"), pending()]), Err(Stop::Pending(_))));
        assert!(matches!(all::<u8>([pending(), failed("x")]), Err(Stop::Pending(_))));
    }

    #[test]
    fn the_first_failure_stands() {
        assert!(matches!(all::<u8>([Ok(1), failed("x"), failed("y")]), Err(Stop::Failed(f)) if f.detail == "x"));
    }
}
