//! One pass over a protocol.

use crate::ask::{Ask, Awaited, Gathered, Missing, Stop};
use crate::judges::Judges;
use crate::protocol::Protocol;
use evenhand_core::{CallResult, FailureKind, Look, Outcome, RequestKey, View};
use std::collections::HashSet;

/// The result of one pass over a protocol.
#[derive(Debug)]
pub enum Pass {
    /// It came to an end.
    Done(Done),
    /// These replies are missing; never empty.
    Pending(Vec<Missing>),
}

/// A protocol's end.
#[derive(Debug)]
pub struct Done {
    /// The verdict or failure.
    pub outcome: Outcome,
    /// The calls that it rests on, in the order in which they were asked.
    pub calls: Vec<RequestKey>,
    /// The looks that it was made of, where there was more than one.
    pub looks: Vec<Look>,
    /// Calls whose replies were cut short, and were asked for once more.
    pub cut_short: Vec<RequestKey>,
    /// Calls whose replies were no use, and how; there may be some beside a verdict.
    pub at_fault: Vec<(FailureKind, RequestKey)>,
}

/// Runs a protocol once from the top over what the transcript holds. `replicate` keeps repetitions
/// of a trial apart.
pub fn run(
    protocol: &Protocol,
    view: &View,
    judges: &Judges,
    replicate: u32,
    transcript: &dyn Fn(&RequestKey) -> Option<CallResult>,
) -> Pass {
    run_again(protocol, view, judges, replicate, transcript, None)
}

/// Like [`run`], after a pass over the same trial that met `awaited` first of what was missing. The
/// transcript must hold what it held then, and may hold more.
pub fn run_again(
    protocol: &Protocol,
    view: &View,
    judges: &Judges,
    replicate: u32,
    transcript: &dyn Fn(&RequestKey) -> Option<CallResult>,
    awaited: Option<Awaited>,
) -> Pass {
    let gathered = Gathered::new(judges, transcript, awaited);
    let outcome = match protocol.judge(view, &Ask::new(&gathered, replicate)) {
        Ok(verdict) => Ok(verdict),
        Err(Stop::Failed(failure)) => Err(failure),
        Err(Stop::Pending(_)) => return Pass::Pending(gathered.missing.into_inner()),
    };
    // Two looks may ask for the same.
    let mut calls = gathered.asked.into_inner();
    if calls.len() > 1 {
        let mut seen = HashSet::new();
        calls.retain(|key| seen.insert(*key));
    }
    Pass::Done(Done {
        outcome,
        calls,
        looks: gathered.looks.into_inner(),
        cut_short: gathered.cut_short.into_inner(),
        at_fault: gathered.at_fault.into_inner(),
    })
}
