//! Replies of judges outside, read with care: whatever is no reply is an error of its call.

use crate::identity::{failed, invalid};
use evenhand_core::{
    AnswerOptions, CallError, CallResult, Reply, Request, Task, Usage, check_reward,
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
    /// The reward of the answer that the request ends with, where one is asked for.
    #[serde(default)]
    pub reward: Option<f64>,
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
    let usage = Usage {
        prompt_tokens: replied.prompt_tokens,
        completion_tokens: replied.completion_tokens,
        ..Usage::default()
    };
    if let Some(error) = replied.error {
        return Err(failed(error));
    }
    let options = match &request.task {
        Task::Reward => {
            let reward = replied.reward.ok_or_else(|| failed(NO_REWARD))?;
            return Ok(Reply {
                reward: Some(check_reward(reward).map_err(failed)?),
                usage,
                ..Reply::default()
            });
        }
        Task::Generate { answers, .. } => answers.as_ref(),
        _ => None,
    };
    let answers = match replied.probabilities {
        Some(given) => Some(read_shares(options, &given)?),
        None => None,
    };
    // A judge that gives probabilities need not write; what it finds likeliest stands as its text.
    let text = match (replied.text, &answers) {
        (Some(text), _) => text,
        (None, Some(answers)) => likeliest(options, answers).unwrap_or_default(),
        (None, None) => return Err(failed(NO_REPLY)),
    };
    Ok(Reply {
        text,
        answers,
        usage,
        ..Reply::default()
    })
}

const NO_REWARD: &str = "the reply has no `reward`, a number, which is asked for here";
const NO_REPLY: &str = "the reply has neither `text` nor `probabilities`";

/// Refuses what a judge outside cannot be asked.
pub(super) fn check_task(request: &Request) -> Result<(), CallError> {
    match request.task {
        Task::Generate { .. } | Task::Reward => Ok(()),
        _ => Err(invalid(
            "this judge writes replies; it scores no given text, embeds none, reads none side by \
             side, and answers no questions about a state",
        )),
    }
}

/// Returns the probabilities in the order of the request's answers; an answer that is not named has
/// none.
fn read_shares(
    options: Option<&AnswerOptions>,
    given: &Probabilities,
) -> Result<Vec<f64>, CallError> {
    let named = &options.ok_or_else(|| failed(NO_OPTIONS))?.options;
    if let Some(unknown) = given.keys().find(|answer| !named.contains(answer)) {
        let known = named.join(", ");
        return Err(failed(format!(
            "no answer `{unknown}` was asked for; expected {known}"
        )));
    }
    let is_share = |share: &f64| (0.0..=1.0).contains(share);
    if !given.values().all(is_share) || given.values().sum::<f64>() > 1.0 + 1e-6 {
        return Err(failed(
            "the probabilities must be from 0 to 1, and sum to at most 1",
        ));
    }
    let shares = named.iter().map(|option| given.get(option));
    Ok(shares
        .map(|share| share.copied().unwrap_or_default())
        .collect())
}

const NO_OPTIONS: &str = "the reply has `probabilities`, and the request names no answers";

/// Returns the likeliest answer, as the judge would have written it; None where none has any
/// probability.
fn likeliest(options: Option<&AnswerOptions>, shares: &[f64]) -> Option<String> {
    let options = options?;
    let shares = shares.iter().zip(&options.options);
    // The first of equals, so that the choice does not depend on the order of comparison.
    let best = shares.rev().max_by(|one, other| one.0.total_cmp(other.0));
    let (_, answer) = best.filter(|(share, _)| **share > 0.0)?;
    Some(match options.after.as_str() {
        "" => answer.to_owned(),
        after => format!("{after} {answer}"),
    })
}
