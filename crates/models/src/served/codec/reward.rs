//! Rewards: a conversation goes out, and a number comes back.
//!
//! The bodies are those of vLLM's `/classify`, `/pooling` and `/score`, of the `/rerank` that vLLM,
//! SGLang, infinity, Jina and Cohere share, and of Text Embeddings Inference's `/rerank`.

use super::json::{Json, count, malformed};
use super::openai::{encode_messages, read_usage};
use super::{Dialect, RewardWay, invalid};
use crate::Api;
use crate::query::{as_query, split_answer};
use crate::served::fault::Fault;
use evenhand_core::{CallError, Reply, Request, Usage, check_reward};
use serde_json::{Map, Value, json};

pub(super) const WRITES_NOTHING: &str = "a reward model scores a whole answer and writes nothing: \
                                         use the protocol `reward`";

/// Makes the body of a request, without the dialect's extra fields.
///
/// # Errors
///
/// [`CallErrorKind::Invalid`](evenhand_core::CallErrorKind::Invalid) for a dialect of another API,
/// and for a conversation that does not end with an answer.
pub(super) fn encode(
    dialect: &Dialect,
    request: &Request,
) -> Result<Map<String, Value>, CallError> {
    if dialect.api != Api::Reward {
        return Err(invalid(format!(
            "{} writes, and gives no reward: choose another protocol than `reward`",
            dialect.model
        )));
    }
    let Some((before, answer)) = split_answer(request) else {
        return Err(invalid("there is no answer to score"));
    };
    let model = &dialect.model;
    let messages = || encode_messages(dialect.system_role, &request.messages);
    let body = match dialect.reward {
        // The number as the model gives it: behind a sigmoid the best answers would all be 1.
        RewardWay::Classify | RewardWay::Pooling => {
            json!({"model": model, "messages": messages(), "use_activation": false})
        }
        RewardWay::Score => {
            json!({"model": model, "text_1": as_query(before), "text_2": answer.content,
                "use_activation": false})
        }
        RewardWay::Rerank => {
            json!({"model": model, "query": as_query(before), "documents": [answer.content]})
        }
        RewardWay::Tei => {
            json!({"query": as_query(before), "texts": [answer.content], "raw_scores": true})
        }
    };
    Ok(body.as_object().cloned().unwrap_or_default())
}

/// Reads a reply.
pub(super) fn decode(dialect: &Dialect, value: &Json) -> Result<Reply, Fault> {
    // The results, and the field of one that holds the number. SGLang's and TEI's are the whole
    // reply.
    let results = value.get("results");
    let (results, name) = match dialect.reward {
        RewardWay::Classify => (value.get("data"), "probs"),
        RewardWay::Pooling => (value.get("data"), "data"),
        RewardWay::Score => (value.get("data"), "score"),
        RewardWay::Rerank if results.is_some() => (results, "relevance_score"),
        RewardWay::Rerank | RewardWay::Tei => (Some(value), "score"),
    };
    let result = match results.and_then(Json::as_array) {
        Some([only]) => only,
        Some(list) => {
            return Err(malformed(format!(
                "the reply has {} results, and one answer was scored",
                list.len()
            )));
        }
        None => {
            return Err(malformed(format!(
                "the reply has no list of results: does this server have {}? (`reward` in \
                 [judges.NAME.dialect] chooses between classify, pooling, score, rerank and tei)",
                dialect.main_path()
            )));
        }
    };
    // One text was sent: a result of another is the answer to somebody else's question.
    if let Some(index) = result.get("index")
        && index.as_u64() != Some(0)
    {
        return Err(malformed(
            "the result's `index` is not 0, and one answer was scored: it is of another text",
        ));
    }
    let Some(found) = result.get(name) else {
        return Err(malformed(format!("the result has no `{name}`")));
    };
    let reward = match (dialect.reward, found.as_array().and_then(<[Json]>::last)) {
        // A number for each token, of which the last counts, or one for the whole.
        (RewardWay::Pooling, Some(last @ Json::List(_))) => read_class(dialect, last)?,
        (RewardWay::Classify | RewardWay::Pooling, _) => read_class(dialect, found)?,
        _ => read_number(found)?,
    };
    let reward = check_reward(reward).map_err(malformed)?;
    let usage = match value.get("usage") {
        Some(_) => read_usage(value),
        // Cohere and Jina count in `meta`.
        None => Usage::of_prompt(count(value, "/meta/tokens/input_tokens")).capped(),
    };
    Ok(Reply {
        reward: Some(reward),
        usage,
        ..Reply::default()
    })
}

/// Reads the number of a classifier: the only one, or that of the class that is named.
fn read_class(dialect: &Dialect, numbers: &Json) -> Result<f64, Fault> {
    let Some(numbers) = numbers.as_array() else {
        return Err(malformed("the result holds no list of numbers"));
    };
    let named = dialect.reward_class.map(|class| class as usize);
    let found = match (numbers, named) {
        ([only], None) => Some(only),
        (_, Some(class)) => numbers.get(class),
        (_, None) => None,
    };
    let Some(found) = found else {
        let count = numbers.len();
        return Err(malformed(match named {
            Some(class) => {
                format!("the model has {count} classes, and `reward-class` is {class}")
            }
            None => format!(
                "the model gives {count} numbers for an answer, and a reward model gives one: name \
                 the class that counts (`reward-class` in [judges.NAME.dialect]), or serve a \
                 reward model"
            ),
        }));
    };
    read_number(found)
}

fn read_number(found: &Json) -> Result<f64, Fault> {
    let number = found.as_f64();
    number.ok_or_else(|| malformed("the reward is not a number"))
}

/// Returns what to do about a server that refuses, where its status or its words tell.
pub(super) fn advise(dialect: &Dialect, status: u16, words: &str) -> Option<String> {
    if dialect.api != Api::Reward {
        return None;
    }
    let words = words.to_lowercase();
    let path = dialect.main_path();
    if matches!(status, 404 | 405) || words.contains("does not support") {
        return Some(format!(
            "no such model, or this server does not have {path} for it: `reward` in \
             [judges.NAME.dialect] chooses between classify, pooling, score, rerank and tei"
        ));
    }
    let lacks_template = words.contains("chat template");
    lacks_template.then(|| {
        "the model has no chat template: score the two texts instead (`reward = \"score\"` or \
         `\"rerank\"` in [judges.NAME.dialect])"
            .into()
    })
}

#[cfg(test)]
#[path = "tests/rewards.rs"]
mod tests;
