//! Pairs of a better and a worse response to a prompt, as trainers of preferences take them (DPO;
//! TRL's columns `prompt`, `chosen` and `rejected`).

use evenhand_core::{Message, Role, Verdict};
use evenhand_pages::{Detail, ResponseText};
use serde::Serialize;

/// A response that a judge prefers to another one, with their prompt.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PreferencePair {
    prompt: Said,
    chosen: Said,
    rejected: Said,
    /// By how much the share of the verdicts for the chosen one is ahead, from 0 to 1: the mean of
    /// both orders, probabilities for what they are, ties half.
    pub margin: f64,
    item: String,
    chosen_system: String,
    rejected_system: String,
}

/// A text, or the messages of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Said {
    Text(String),
    Messages(Vec<Message>),
}

/// Returns the pair that these judgments of two responses are, in both orders and all repetitions.
/// None where they prefer neither, or one of two orders has no verdict; where there are no texts;
/// and where a response is more than its last message, which no pair can hold.
pub fn preference_pair(details: &[Detail]) -> Option<PreferencePair> {
    let item = &details.first()?.item;
    let [first, second] = &details.first()?.responses[..] else {
        return None;
    };
    let is_whole = |one: &&ResponseText| {
        one.turns.is_none() && one.trajectory.is_none() && !one.text.is_empty()
    };
    if item.text.is_empty() || ![first, second].iter().all(is_whole) {
        return None;
    }
    // The share of the first response, for each order in which they were shown.
    let mut orders = [(0, 0.0, 0), (0, 0.0, 0)];
    for detail in details {
        let is_swapped = detail.responses.first()?.system != first.system;
        let (asked, sum, verdicts) = &mut orders[usize::from(is_swapped)];
        *asked += 1;
        if let Some(Verdict::Pairwise {
            first, tie, second, ..
        }) = detail.verdict
        {
            *sum += if is_swapped { second } else { first } + tie / 2.0;
            *verdicts += 1;
        }
    }
    let asked = orders.into_iter().filter(|(asked, ..)| *asked > 0);
    let means: Option<Vec<f64>> = asked
        .map(|(_, sum, verdicts)| (verdicts > 0).then(|| sum / f64::from(verdicts)))
        .collect();
    let means = means?;
    let margin = 2.0 * means.iter().sum::<f64>() / means.len() as f64 - 1.0;
    let (chosen, rejected) = match margin.total_cmp(&0.0) {
        std::cmp::Ordering::Greater => (first, second),
        std::cmp::Ordering::Less => (second, first),
        std::cmp::Ordering::Equal => return None,
    };
    let reply = |text: &str| match &item.turns {
        None => Said::Text(text.into()),
        Some(_) => Said::Messages(vec![Message {
            role: Role::Assistant,
            content: text.into(),
        }]),
    };
    Some(PreferencePair {
        prompt: match &item.turns {
            None => Said::Text(item.text.clone()),
            Some(turns) => Said::Messages(turns.clone()),
        },
        chosen: reply(&chosen.text),
        rejected: reply(&rejected.text),
        margin: margin.abs(),
        item: item.id.clone(),
        chosen_system: chosen.system.clone(),
        rejected_system: rejected.system.clone(),
    })
}
