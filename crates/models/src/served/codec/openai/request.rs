//! The body of a request.

use super::{as_json, with_probabilities};
use crate::served::codec::{Dialect, Seed, SystemRole, TokenLimit};
use evenhand_core::{AnswerOptions, CallError, Decoding, Message, Request, Role};
use serde_json::{Map, Value, json};

/// The body of a request, without the dialect's extra fields.
pub(in crate::served::codec) fn body(
    dialect: &Dialect,
    request: &Request,
    decoding: &Decoding,
) -> Result<Map<String, Value>, CallError> {
    let mut body = Map::new();
    body.insert("model".into(), dialect.model.as_str().into());
    body.insert(
        "messages".into(),
        messages(dialect.system_role, &request.messages),
    );
    body.insert(
        token_limit(dialect.token_limit).into(),
        limit(dialect, request, decoding).into(),
    );
    body.extend(
        dialect
            .temperature_of(decoding)
            .map(|temperature| ("temperature".into(), temperature)),
    );
    body.extend(seed(dialect.seed, decoding, request.sample));
    if with_probabilities(dialect, request).is_some() {
        body.insert("logprobs".into(), true.into());
        body.insert("top_logprobs".into(), dialect.top_logprobs.into());
    }
    body.extend(
        as_json(dialect, request).map(|answers| ("response_format".into(), schema(answers))),
    );
    Ok(body)
}

/// The fewest tokens in which the JSON of an answer is sure to end.
const JSON_TOKENS: u32 = 32;

fn limit(dialect: &Dialect, request: &Request, decoding: &Decoding) -> u32 {
    let least = if as_json(dialect, request).is_some() {
        JSON_TOKENS
    } else {
        0
    };
    decoding
        .max_tokens
        .max(least)
        .saturating_add(dialect.reasoning_tokens)
}

fn token_limit(name: TokenLimit) -> &'static str {
    match name {
        TokenLimit::MaxTokens => "max_tokens",
        TokenLimit::MaxCompletionTokens => "max_completion_tokens",
    }
}

/// The seed of a sampled reply, from 0 to 2^31 - 1 since some servers take no more. Samples of one
/// prompt never share one.
fn seed(field: Seed, decoding: &Decoding, sample: u32) -> Option<(String, Value)> {
    let name = match field {
        Seed::None => return None,
        Seed::Seed => "seed",
        Seed::RandomSeed => "random_seed",
    };
    (decoding.temperature > 0.0).then(|| (name.to_owned(), mixed(decoding.seed, sample).into()))
}

/// BLAKE3 of the seed, plus the sample times an odd number: modulo 2^31 that differs for every
/// sample below 2^31.
fn mixed(seed: u64, sample: u32) -> u32 {
    let hash = blake3::hash(&seed.to_le_bytes());
    let [a, b, c, d, ..] = *hash.as_bytes();
    u32::from_le_bytes([a, b, c, d]).wrapping_add(sample.wrapping_mul(0x9E37_79B1)) & 0x7FFF_FFFF
}

fn schema(answers: &AnswerOptions) -> Value {
    json!({"type": "json_schema", "json_schema": {"name": "answer", "strict": true, "schema": {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": answers.options}},
        "required": ["answer"],
        "additionalProperties": false,
    }}})
}

pub(super) fn messages(system: SystemRole, messages: &[Message]) -> Value {
    let (above, turns): (Vec<&Message>, Vec<&Message>) = messages
        .iter()
        .partition(|message| system == SystemRole::User && message.role == Role::System);
    let above: Vec<&str> = above
        .iter()
        .map(|message| message.content.as_str())
        .collect();
    let mut said: Vec<Value> = turns
        .iter()
        .map(|message| message_of(system, message))
        .collect();
    if !above.is_empty() {
        say_first(&above.join("\n\n"), &mut said);
    }
    Value::Array(said)
}

/// Says it at the beginning of the first turn, which is made where it is not the person's.
fn say_first(text: &str, said: &mut Vec<Value>) {
    match said.first_mut().filter(|first| first["role"] == "user") {
        Some(first) => {
            first["content"] =
                format!("{text}\n\n{}", first["content"].as_str().unwrap_or("")).into()
        }
        None => said.insert(0, json!({"role": "user", "content": text})),
    }
}

fn message_of(system: SystemRole, message: &Message) -> Value {
    let role = match (message.role, system) {
        (Role::System, SystemRole::Developer) => "developer",
        (Role::System, _) => "system",
        (Role::User, _) => "user",
        (Role::Assistant, _) => "assistant",
    };
    json!({"role": role, "content": message.content})
}
