//! Which of several models a request is for.

use crate::ModelError;
use evenhand_core::{CallError, CallErrorKind, Request, Setting};
use std::fmt::Display;

/// Whether a model of this identity is the one asked for. Several models that serve as one have an
/// identity of several lines.
pub(crate) fn is_asked(identity: &str, request: &Request) -> bool {
    identity.split('\n').any(|one| *one == *request.judge)
}

/// Returns the error that refuses a judge as it was named.
pub(crate) fn refuse_judge(judge: &str, why: impl Display) -> ModelError {
    ModelError::Open(format!("{} {judge}: {why}", Setting::Judge))
}

/// Refuses a judge that is named twice.
pub(crate) fn check_distinct(identities: &[&str]) -> Result<(), ModelError> {
    match find_repeated(identities) {
        Some(twice) => Err(named_twice(twice)),
        None => Ok(()),
    }
}

fn named_twice(judge: &str) -> ModelError {
    let setting = Setting::Judge;
    ModelError::Open(format!(
        "{setting}: {judge} is named twice; a panel needs different judges"
    ))
}

fn find_repeated<'a>(identities: &[&'a str]) -> Option<&'a str> {
    let mut numbered = identities.iter().enumerate();
    let (_, twice) = numbered.find(|(at, name)| identities[..*at].contains(name))?;
    Some(twice)
}

/// Returns the error of a request for a model that is not here.
pub(crate) fn unknown_model(request: &Request) -> CallError {
    CallError {
        kind: CallErrorKind::Model,
        message: format!("no model here is {}", request.judge),
    }
}
