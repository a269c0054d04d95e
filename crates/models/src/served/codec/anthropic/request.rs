//! The body of a request.

use crate::served::codec::{Dialect, Thinking, invalid};
use evenhand_core::{CallError, Decoding, Message, Request, Role};
use serde_json::{Map, Value, json};

/// The smallest budget of thinking that the API takes.
const LEAST_BUDGET: u32 = 1024;

/// The body of a request, without the dialect's extra fields.
pub(in crate::served::codec) fn body(
    dialect: &Dialect,
    request: &Request,
    decoding: &Decoding,
) -> Result<Map<String, Value>, CallError> {
    let system = above(&request.messages);
    let mut turns = turns(&request.messages)?;
    let budget = if dialect.reasoning_tokens > 0 {
        dialect.reasoning_tokens.max(LEAST_BUDGET)
    } else {
        0
    };
    let mut body = Map::new();
    body.insert("model".into(), dialect.model.as_str().into());
    body.insert(
        "max_tokens".into(),
        decoding.max_tokens.saturating_add(budget).into(),
    );
    if !system.is_empty() {
        body.insert(
            "system".into(),
            if dialect.cache {
                cached(&system)
            } else {
                system.as_str().into()
            },
        );
    } else if dialect.cache {
        cache_first(&mut turns);
    }
    body.insert("messages".into(), Value::Array(turns));
    match budget {
        0 => body.extend(
            dialect
                .temperature_of(decoding)
                .map(|temperature| ("temperature".into(), temperature)),
        ),
        _ => body.extend([("thinking".into(), thinking(dialect.thinking, budget))]),
    }
    Ok(body)
}

fn thinking(thinking: Thinking, budget: u32) -> Value {
    match thinking {
        Thinking::Budget => json!({"type": "enabled", "budget_tokens": budget}),
        Thinking::Adaptive => json!({"type": "adaptive"}),
    }
}

/// What stands above the conversation, which the API takes by itself.
fn above(messages: &[Message]) -> String {
    let above = messages
        .iter()
        .filter(|message| message.role == Role::System && !message.content.trim().is_empty());
    above
        .map(|message| message.content.as_str())
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// The turns: those of one speaker that follow one another are one, and the person begins.
fn turns(messages: &[Message]) -> Result<Vec<Value>, CallError> {
    let mut turns: Vec<(&str, String)> = Vec::new();
    for message in messages
        .iter()
        .filter(|message| message.role != Role::System)
    {
        let role = if message.role == Role::User {
            "user"
        } else {
            "assistant"
        };
        match turns.last_mut().filter(|(last, _)| *last == role) {
            Some((_, said)) => *said = format!("{said}\n\n{}", message.content),
            None => turns.push((role, message.content.clone())),
        }
    }
    match turns.first() {
        Some(("user", _)) => Ok(turns
            .into_iter()
            .map(|(role, said)| json!({"role": role, "content": said}))
            .collect()),
        Some(_) => Err(invalid(
            "Anthropic's API wants the first turn to be the person's, and here it is the model's",
        )),
        None => Err(invalid(
            "the conversation has no turn of the person, which Anthropic's API wants",
        )),
    }
}

/// A text that the server is asked to keep in its cache, with all before it.
fn cached(text: &str) -> Value {
    json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}])
}

fn cache_first(turns: &mut [Value]) {
    if let Some(first) = turns.first_mut() {
        first["content"] = cached(first["content"].as_str().unwrap_or(""));
    }
}
