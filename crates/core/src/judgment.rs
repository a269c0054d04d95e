//! Trials with their outcomes.

use crate::{Failure, JudgedCriterion, RequestKey, Stage, Trial, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdict of a trial, or why it has none.
pub type Outcome = Result<Verdict, Failure>;

/// One of several looks that a judgment was made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Look {
    /// Which member of a panel looked, from 0.
    pub judge: u32,
    /// Which part of the protocol it belongs to.
    pub stage: Stage,
    /// Which sample it is, from 0.
    pub sample: u32,
    /// Whether the responses were shown in the reverse of the trial's order.
    pub swapped: bool,
    /// Its verdict or failure, in terms of the slots of the trial.
    pub outcome: Outcome,
    /// The criterion that it judged, where it is of a checklist: its score is then from 0 (not
    /// met) to 1 (met).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<Box<JudgedCriterion>>,
}

/// A trial and its verdict or failure, with the requests that it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgment {
    /// The trial.
    pub trial: Trial,
    /// Its verdict or failure.
    pub outcome: Outcome,
    /// The calls that it rests on, in the order in which they were asked; a call may serve several
    /// judgments.
    pub calls: Vec<RequestKey>,
    /// The looks that the outcome was made of, where there was more than one; none that is not in
    /// the calls.
    pub looks: Vec<Look>,
}
