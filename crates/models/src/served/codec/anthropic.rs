//! Anthropic's messages.

use super::json::{Json, count, malformed};
use super::{Dialect, Thinking, invalid};
use crate::served::fault::Fault;
use evenhand_core::{CallError, Decoding, Finish, Message, Reply, Request, Role, Usage};
use serde_json::{Map, Value, json};

/// The smallest budget of thinking that the API takes.
const LEAST_BUDGET: u32 = 1024;

/// Makes the body of a request, without the dialect's extra fields.
pub(super) fn encode_chat(
    dialect: &Dialect,
    request: &Request,
    decoding: &Decoding,
) -> Result<Map<String, Value>, CallError> {
    // What stands above the conversation goes by itself.
    let system: Vec<&str> = request
        .messages
        .iter()
        .filter(|message| message.role == Role::System && !message.content.trim().is_empty())
        .map(|message| message.content.as_str())
        .collect();
    let system = system.join("\n\n");
    let mut turns = make_turns(&request.messages)?;
    let budget = match dialect.reasoning_tokens {
        0 => 0,
        tokens => tokens.max(LEAST_BUDGET),
    };
    let mut body = Map::new();
    body.insert("model".into(), dialect.model.as_str().into());
    let most = decoding.max_tokens.saturating_add(budget);
    body.insert("max_tokens".into(), most.into());
    if !system.is_empty() {
        let system = if dialect.cache {
            cached(&system)
        } else {
            system.into()
        };
        body.insert("system".into(), system);
    } else if dialect.cache
        && let Some(first) = turns.first_mut()
    {
        first["content"] = cached(first["content"].as_str().unwrap_or(""));
    }
    body.insert("messages".into(), Value::Array(turns));
    if budget > 0 {
        let thinking = match dialect.thinking {
            Thinking::Budget => json!({"type": "enabled", "budget_tokens": budget}),
            Thinking::Adaptive => json!({"type": "adaptive"}),
        };
        body.insert("thinking".into(), thinking);
    } else if let Some(temperature) = dialect.temperature_of(decoding) {
        body.insert("temperature".into(), temperature);
    }
    Ok(body)
}

/// Makes the turns: messages of one speaker that follow one another are one turn, and the person
/// begins.
fn make_turns(messages: &[Message]) -> Result<Vec<Value>, CallError> {
    let mut turns: Vec<(&str, String)> = Vec::new();
    for message in messages {
        if message.role == Role::System {
            continue;
        }
        let role = message.role.name();
        match turns.last_mut() {
            Some((last, said)) if *last == role => {
                said.push_str("\n\n");
                said.push_str(&message.content);
            }
            _ => turns.push((role, message.content.clone())),
        }
    }
    let Some((first, _)) = turns.first() else {
        return Err(invalid(
            "the conversation has no turn of the person, which Anthropic's API wants",
        ));
    };
    if *first != "user" {
        return Err(invalid(
            "Anthropic's API wants the first turn to be the person's, and here it is the model's",
        ));
    }
    Ok(turns
        .into_iter()
        .map(|(role, content)| json!({"role": role, "content": content}))
        .collect())
}

/// Makes a text that the server is asked to keep in its cache, with all before it.
fn cached(text: &str) -> Value {
    json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}])
}

/// Reads a reply. Blocks that are neither text nor thinking (redacted thinking is not readable) say
/// nothing.
pub(super) fn decode_chat(value: &Json) -> Result<Reply, Fault> {
    let Some(blocks) = value.get("content").and_then(Json::as_array) else {
        return Err(malformed(
            "the reply has no list `content`: is the address that of Anthropic's messages?",
        ));
    };
    let thinking = join_blocks(blocks, "thinking");
    let thinking = thinking.trim();
    Ok(Reply {
        text: join_blocks(blocks, "text"),
        reasoning: (!thinking.is_empty()).then(|| thinking.to_owned()),
        finish: match value.get("stop_reason").and_then(Json::as_str) {
            Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
            Some("refusal") => Finish::Refusal,
            _ => Finish::Stop,
        },
        usage: read_usage(value),
        ..Reply::default()
    })
}

/// Joins the texts of the blocks of this type, which keep them in a field of the same name.
fn join_blocks(blocks: &[Json], kind: &str) -> String {
    blocks
        .iter()
        .filter(|block| block.get("type").and_then(Json::as_str) == Some(kind))
        .filter_map(|block| block.get(kind)?.as_str())
        .collect()
}

/// Reads the tokens. The prompt's are named in three parts: new, newly kept in the cache, and found
/// there.
fn read_usage(value: &Json) -> Usage {
    let cached_tokens = count(value, "/usage/cache_read_input_tokens");
    let new = count(value, "/usage/input_tokens")
        .saturating_add(count(value, "/usage/cache_creation_input_tokens"));
    Usage {
        prompt_tokens: new.saturating_add(cached_tokens),
        completion_tokens: count(value, "/usage/output_tokens"),
        cached_tokens,
        reasoning_tokens: 0,
    }
    .capped()
}
