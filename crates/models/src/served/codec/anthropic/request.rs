//! The body of a request.

use crate::served::codec::{Dialect, Thinking, invalid};
use evenhand_core::{CallError, Decoding, Message, Request, Role};
use serde_json::{Map, Value, json};

/// The smallest budget of thinking that the API takes.
const LEAST_BUDGET: u32 = 1024;

/// Makes the body of a request, without the dialect's extra fields.
pub(in crate::served::codec) fn encode_chat(
    dialect: &Dialect,
    request: &Request,
    decoding: &Decoding,
) -> Result<Map<String, Value>, CallError> {
    let system = join_system(&request.messages);
    let mut turns = make_turns(&request.messages)?;
    let budget = thinking_budget(dialect);
    let mut body = Map::new();
    body.insert("model".into(), dialect.model.as_str().into());
    let most = decoding.max_tokens.saturating_add(budget);
    body.insert("max_tokens".into(), most.into());
    if !system.is_empty() {
        body.insert("system".into(), encode_system(dialect, &system));
    } else if dialect.cache {
        cache_first(&mut turns);
    }
    body.insert("messages".into(), Value::Array(turns));
    if budget > 0 {
        body.insert("thinking".into(), encode_thinking(dialect.thinking, budget));
    } else if let Some(temperature) = dialect.temperature_of(decoding) {
        body.insert("temperature".into(), temperature);
    }
    Ok(body)
}

/// Returns how many tokens may be thought; 0 for a model that does not think.
fn thinking_budget(dialect: &Dialect) -> u32 {
    match dialect.reasoning_tokens {
        0 => 0,
        tokens => tokens.max(LEAST_BUDGET),
    }
}

fn encode_system(dialect: &Dialect, system: &str) -> Value {
    if dialect.cache {
        cached(system)
    } else {
        system.into()
    }
}

fn encode_thinking(thinking: Thinking, budget: u32) -> Value {
    match thinking {
        Thinking::Budget => json!({"type": "enabled", "budget_tokens": budget}),
        Thinking::Adaptive => json!({"type": "adaptive"}),
    }
}

/// Joins what stands above the conversation, which the API takes by itself.
fn join_system(messages: &[Message]) -> String {
    let texts: Vec<&str> = messages
        .iter()
        .filter(|message| message.role == Role::System && !message.content.trim().is_empty())
        .map(|message| message.content.as_str())
        .collect();
    texts.join("\n\n")
}

/// Makes the turns: messages of one speaker that follow one another are one turn, and the person
/// begins.
fn make_turns(messages: &[Message]) -> Result<Vec<Value>, CallError> {
    let turns = join_turns(messages);
    match turns.first() {
        Some(Turn { role: "user", .. }) => Ok(turns.into_iter().map(encode_turn).collect()),
        Some(_) => Err(invalid(
            "Anthropic's API wants the first turn to be the person's, and here it is the model's",
        )),
        None => Err(invalid(
            "the conversation has no turn of the person, which Anthropic's API wants",
        )),
    }
}

struct Turn {
    role: &'static str,
    content: String,
}

fn encode_turn(turn: Turn) -> Value {
    json!({"role": turn.role, "content": turn.content})
}

fn join_turns(messages: &[Message]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for message in messages {
        if let Some(role) = name_role(message.role) {
            add_to_turns(&mut turns, role, &message.content);
        }
    }
    turns
}

/// Names a speaker; None for what stands above the conversation.
fn name_role(role: Role) -> Option<&'static str> {
    match role {
        Role::System => None,
        Role::User => Some("user"),
        Role::Assistant => Some("assistant"),
    }
}

/// Adds what is said to the last turn, if that is the same speaker's, else as a turn of its own.
fn add_to_turns(turns: &mut Vec<Turn>, role: &'static str, content: &str) {
    match turns.last_mut().filter(|last| last.role == role) {
        Some(last) => last.content = format!("{}\n\n{content}", last.content),
        None => turns.push(Turn {
            role,
            content: content.to_owned(),
        }),
    }
}

/// Makes a text that the server is asked to keep in its cache, with all before it.
fn cached(text: &str) -> Value {
    json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}])
}

fn cache_first(turns: &mut [Value]) {
    if let Some(first) = turns.first_mut() {
        first["content"] = cached(first["content"].as_str().unwrap_or(""));
    }
}
