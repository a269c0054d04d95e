//! A trial with what became of it.

use crate::{Failure, RequestKey, Trial, Verdict};

/// What became of a trial.
pub type Outcome = Result<Verdict, Failure>;

/// A trial and its verdict or failure, with the requests that it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgment {
    /// The trial.
    pub trial: Trial,
    /// Its verdict or failure.
    pub outcome: Outcome,
    /// The calls that it rests on, in the order in which they were asked; a call may serve several judgments.
    pub calls: Vec<RequestKey>,
}
