//! Scripted judges: what they decide is a function of what they read.

use crate::common::{hash, reasoned, reply, shown};
use evenhand_core::{
    CallError, CallErrorKind, CallResult, Embeddings, Finish, Likelihood, Reply, Request, Task,
    Wanted,
};

/// A reply to a scored continuation; None for other tasks.
fn scored(request: &Request) -> Option<CallResult> {
    let logprob = -1.0 - (hash(&shown(request)) % 100) as f64;
    let likelihood = Some(Likelihood {
        logprob,
        tokens: 4,
        apart: 0.0,
    });
    matches!(request.task, Task::Score { .. }).then(|| {
        Ok(Reply {
            likelihood,
            ..reply("")
        })
    })
}

/// A reply that counts the words of each piece; None for other tasks.
fn embedded(request: &Request) -> Option<CallResult> {
    let Task::Embed { pieces } = &request.task else {
        return None;
    };
    let count = |piece: &String| {
        let mut counts = vec![0.0f32; 64];
        piece
            .to_lowercase()
            .split_whitespace()
            .for_each(|word| counts[hash(word) as usize % 64] += 1.0);
        counts
    };
    let embeddings = Embeddings::new(&pieces.iter().map(count).collect::<Vec<_>>()).ok();
    Some(Ok(Reply {
        embeddings,
        ..reply("")
    }))
}

pub(crate) fn answered(request: &Request, draw: u64) -> CallResult {
    embedded(request)
        .or_else(|| scored(request))
        .unwrap_or_else(|| Ok(reply(reasoned(request, "It is as it is.", draw))))
}

/// The draw for "the first is better", or for "the last is".
fn favouring(request: &Request, first: bool) -> u64 {
    let options = |task: &Task| match task {
        Task::Generate {
            answers: Some(answers),
            ..
        } => answers.options.len() as u64,
        _ => 1,
    };
    match (&request.about.wanted, first) {
        (Wanted::Scores { low, high, .. }, first) => {
            let span = (high - low) as u64 + 1;
            if first { span - 1 } else { (span - 1) * span }
        }
        (_, true) => 0,
        (Wanted::Choice, false) => 1,
        (Wanted::Order { .. }, false) => request.about.responses.len() as u64,
        (_, false) => options(&request.task) - 1,
    }
}

/// Always the first slot.
pub(crate) fn first(request: &Request) -> CallResult {
    answered(request, favouring(request, true))
}

/// Always the same system, wherever it stands.
pub(crate) fn consistent(request: &Request) -> CallResult {
    let is_first = request
        .about
        .responses
        .first()
        .is_some_and(|response| &*response.system == "s0");
    answered(request, favouring(request, is_first))
}

/// Anything at all, decided by what the judge reads.
pub(crate) fn by_hash(request: &Request, salt: u64) -> CallResult {
    answered(request, draw(request, salt))
}

fn draw(request: &Request, salt: u64) -> u64 {
    hash(&format!(
        "{salt}\u{1}{}\u{1}{}",
        request.sample,
        shown(request)
    ))
}

/// The same, with probabilities for the answers where they are asked for.
pub(crate) fn by_probability(request: &Request, salt: u64) -> CallResult {
    let mut found = by_hash(request, salt)?;
    let options = match &request.task {
        Task::Generate { answers, .. } => answers.as_ref().map(|answers| answers.options.len()),
        Task::SideBySide { answers, .. } => Some(answers.len()),
        _ => None,
    };
    if let Some(options) = options {
        let weight = |at: usize| 1.0 + (draw(request, salt + 1000 * (1 + at as u64)) % 997) as f64;
        let weights: Vec<f64> = (0..options).map(weight).collect();
        let sum: f64 = weights.iter().sum::<f64>() * 1.25;
        found.answers = Some(weights.iter().map(|weight| weight / sum).collect());
    }
    Ok(found)
}

/// The same, where one call in three fails in one of several ways.
pub(crate) fn failing(request: &Request, salt: u64) -> CallResult {
    match draw(request, salt ^ 77) % 12 {
        0 => Ok(Reply {
            finish: Finish::Refusal,
            ..reply("I will not.")
        }),
        1 => Ok(reply("")),
        2 => Ok(reply("Who could say?")),
        3 => Err(CallError {
            kind: CallErrorKind::TooLong,
            message: "too long".into(),
        }),
        _ => by_hash(request, salt),
    }
}
