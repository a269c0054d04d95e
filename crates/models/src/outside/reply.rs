//! Replies of judges outside, read with care: whatever is no reply is an error of its call.

use evenhand_core::{
    AnswerOptions, CallError, CallErrorKind, CallResult, Reply, Request, Task, Usage,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The probability of each answer, by its name.
type Probabilities = BTreeMap<String, f64>;

/// A reply as a judge outside writes it. One of `text`, `probabilities` and `error` must be there.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replied {
    /// The text that it wrote.
    #[serde(default)]
    pub text: Option<String>,
    /// The probability of each answer that the request names, from 0 to 1, in all at most 1.
    #[serde(default)]
    pub probabilities: Option<Probabilities>,
    /// Why there is no reply.
    #[serde(default)]
    pub error: Option<String>,
    /// Tokens read.
    #[serde(default)]
    pub prompt_tokens: u64,
    /// Tokens written.
    #[serde(default)]
    pub completion_tokens: u64,
}

impl Replied {
    /// Says that there is no reply, and why.
    pub fn failed(why: impl Into<String>) -> Replied {
        Replied {
            error: Some(why.into()),
            ..Replied::default()
        }
    }
}

/// Returns the reply to a request that a judge outside gave.
pub(super) fn read_reply(request: &Request, replied: Replied) -> CallResult {
    let usage = usage_of(&replied);
    if let Some(error) = replied.error {
        return Err(failed(error));
    }
    let answers = answers_of(request, replied.probabilities.as_ref())?;
    // A judge that gives probabilities need not write; what it finds likeliest stands as its text.
    let text = match (replied.text, &answers) {
        (Some(text), _) => text,
        (None, Some(answers)) => likeliest(request, answers).unwrap_or_default(),
        (None, None) => return Err(failed(NO_REPLY)),
    };
    Ok(Reply {
        text,
        answers,
        usage,
        ..Reply::default()
    })
}

const NO_REPLY: &str = "the reply has neither `text` nor `probabilities`";

fn usage_of(replied: &Replied) -> Usage {
    Usage {
        prompt_tokens: replied.prompt_tokens,
        completion_tokens: replied.completion_tokens,
        ..Usage::default()
    }
}

/// An error that a later run asks about again.
fn failed(message: impl Into<String>) -> CallError {
    CallError {
        kind: CallErrorKind::Model,
        message: message.into(),
    }
}

/// Refuses what a judge outside cannot be asked.
pub(super) fn check_task(request: &Request) -> Result<(), CallError> {
    match request.task {
        Task::Generate { .. } => Ok(()),
        _ => Err(CallError {
            kind: CallErrorKind::Invalid,
            message: "this judge writes replies; it scores no given text and embeds none".into(),
        }),
    }
}

fn options_of(request: &Request) -> Option<&AnswerOptions> {
    match &request.task {
        Task::Generate { answers, .. } => answers.as_ref(),
        _ => None,
    }
}

/// Returns the probabilities in the order of the request's answers; an answer that is not named has
/// none.
fn answers_of(
    request: &Request,
    given: Option<&Probabilities>,
) -> Result<Option<Vec<f64>>, CallError> {
    let Some(given) = given else { return Ok(None) };
    let options = options_of(request).ok_or_else(|| failed(NO_OPTIONS))?;
    check_probabilities(options, given)?;
    Ok(Some(list_shares(options, given)))
}

/// Lists the probabilities in the order of the options; 0 for one that is not given.
fn list_shares(options: &AnswerOptions, given: &Probabilities) -> Vec<f64> {
    let named = options.options.iter();
    named
        .map(|option| given.get(option).copied().unwrap_or_default())
        .collect()
}

const NO_OPTIONS: &str = "the reply has `probabilities`, and the request names no answers";

fn check_probabilities(options: &AnswerOptions, given: &Probabilities) -> Result<(), CallError> {
    check_names(&options.options, given)?;
    check_shares(given)
}

fn check_names(named: &[String], given: &Probabilities) -> Result<(), CallError> {
    let unknown = given.keys().find(|answer| !named.contains(answer));
    unknown.map_or(Ok(()), |answer| Err(unknown_answer(answer, named)))
}

fn unknown_answer(unknown: &str, named: &[String]) -> CallError {
    let known = named.join(", ");
    failed(format!(
        "no answer `{unknown}` was asked for; expected {known}"
    ))
}

fn check_shares(given: &Probabilities) -> Result<(), CallError> {
    let is_share = |share: &f64| (0.0..=1.0).contains(share);
    if given.values().all(is_share) && given.values().sum::<f64>() <= 1.0 + 1e-6 {
        return Ok(());
    }
    Err(failed(
        "the probabilities must be from 0 to 1, and sum to at most 1",
    ))
}

/// Returns the likeliest answer, as the judge would have written it; None where none has any
/// probability.
fn likeliest(request: &Request, shares: &[f64]) -> Option<String> {
    let options = options_of(request)?;
    let shares = shares.iter().zip(&options.options);
    // The first of equals, so that the choice does not depend on the order of comparison.
    let best = shares.rev().max_by(|one, other| one.0.total_cmp(other.0));
    let (_, answer) = best.filter(|(share, _)| **share > 0.0)?;
    Some(write_answer(options, answer))
}

/// Writes an answer behind the words that it comes after, if any.
fn write_answer(options: &AnswerOptions, answer: &str) -> String {
    match options.after.as_str() {
        "" => answer.to_owned(),
        after => format!("{after} {answer}"),
    }
}
