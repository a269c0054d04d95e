//! The body of a request.

use super::answers_to_measure;
use crate::served::codec::{Dialect, Seed, SystemRole, TokenLimit};
use evenhand_core::{Decoding, Message, ReplySchema, Request, Role};
use serde_json::{Map, Value, json};

/// Makes the body of a request, without the dialect's extra fields.
pub(in crate::served::codec) fn encode_chat(
    dialect: &Dialect,
    request: &Request,
    decoding: &Decoding,
) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), dialect.model.as_str().into());
    let messages = encode_messages(dialect.system_role, &request.messages);
    body.insert("messages".into(), messages);
    let limit = decoding.max_tokens.saturating_add(dialect.reasoning_tokens);
    let name = match dialect.token_limit {
        TokenLimit::MaxTokens => "max_tokens",
        TokenLimit::MaxCompletionTokens => "max_completion_tokens",
    };
    body.insert(name.into(), limit.into());
    if let Some(temperature) = dialect.temperature_of(decoding) {
        body.insert("temperature".into(), temperature);
    }
    body.extend(encode_seed(dialect.seed, decoding, request.sample));
    if answers_to_measure(dialect, request).is_some() {
        body.insert("logprobs".into(), true.into());
        body.insert("top_logprobs".into(), dialect.top_logprobs.into());
    }
    if let Some(ReplySchema(schema)) = decoding.schema.as_deref() {
        // The one spelling that OpenAI, vLLM, SGLang, llama.cpp and Ollama share.
        let named = json!({"name": "verdict", "strict": true, "schema": schema});
        let format = json!({"type": "json_schema", "json_schema": named});
        body.insert("response_format".into(), format);
    }
    body
}

/// Returns the seed of a sampled reply, from 0 to 2^31 - 1 since some servers take no more. Samples
/// of one prompt never share one.
fn encode_seed(field: Seed, decoding: &Decoding, sample: u32) -> Option<(String, Value)> {
    let name = match field {
        Seed::None => return None,
        Seed::Seed => "seed",
        Seed::RandomSeed => "random_seed",
    };

    // BLAKE3 of the seed, plus the sample times an odd number: modulo 2^31 that differs for every
    // sample below 2^31.
    let hash = blake3::hash(&decoding.seed.to_le_bytes());
    let [a, b, c, d, ..] = *hash.as_bytes();
    let step = sample.wrapping_mul(0x9E37_79B1);
    let seed = u32::from_le_bytes([a, b, c, d]).wrapping_add(step) & 0x7FFF_FFFF;
    (decoding.temperature > 0.0).then(|| (name.to_owned(), seed.into()))
}

pub(in crate::served::codec) fn encode_messages(system: SystemRole, messages: &[Message]) -> Value {
    let mut above: Vec<&str> = Vec::new();
    let mut said: Vec<Value> = Vec::new();
    for message in messages {
        let role = match (message.role, system) {
            (Role::System, SystemRole::User) => {
                above.push(&message.content);
                continue;
            }
            (Role::System, SystemRole::Developer) => "developer",
            (role, _) => role.name(),
        };
        said.push(json!({"role": role, "content": message.content}));
    }
    if !above.is_empty() {
        // It is said at the beginning of the first turn, which is made where it is not the
        // person's.
        let above = above.join("\n\n");
        match said.first_mut().filter(|first| first["role"] == "user") {
            Some(first) => {
                let content = first["content"].as_str().unwrap_or("");
                first["content"] = format!("{above}\n\n{content}").into();
            }
            None => said.insert(0, json!({"role": "user", "content": above})),
        }
    }
    Value::Array(said)
}
