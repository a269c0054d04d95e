//! Which of several models a request is for, and the errors that all models share.

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
    for (at, judge) in identities.iter().enumerate() {
        if identities[..at].contains(judge) {
            let setting = Setting::Judge;
            return Err(ModelError::Open(format!(
                "{setting}: {judge} is named twice; a panel needs different judges"
            )));
        }
    }
    Ok(())
}

/// Returns the error of a request for a model that is not here.
pub(crate) fn unknown_model(request: &Request) -> CallError {
    failed(format!("no model here is {}", request.judge))
}

/// Returns an error that a later run asks about again.
pub(crate) fn failed(message: impl Into<String>) -> CallError {
    CallError {
        kind: CallErrorKind::Model,
        message: message.into(),
    }
}

/// Returns the error of a request that makes no sense to a model, now and ever.
pub(crate) fn invalid(message: impl Into<String>) -> CallError {
    CallError {
        kind: CallErrorKind::Invalid,
        message: message.into(),
    }
}
