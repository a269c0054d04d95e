//! A reply's body.

use crate::served::codec::json::{count, malformed};
use crate::served::fault::Fault;
use evenhand_core::{Finish, Reply, Usage};
use serde_json::Value;

/// Reads a reply. Blocks that are neither text nor thinking (redacted thinking is not readable) say
/// nothing.
pub(in crate::served::codec) fn reply(value: &Value) -> Result<Reply, Fault> {
    let blocks = value.get("content").and_then(Value::as_array);
    let blocks = blocks.ok_or_else(|| {
        malformed("the reply has no list `content`: is the address that of Anthropic's messages?")
    })?;
    let said = |field: &str| -> String {
        blocks
            .iter()
            .filter(|block| block["type"] == *field)
            .filter_map(|block| block.get(field)?.as_str())
            .collect()
    };
    let thinking = said("thinking");
    Ok(Reply {
        text: said("text"),
        reasoning: (!thinking.trim().is_empty()).then(|| thinking.trim().to_owned()),
        finish: finish(value),
        usage: usage(value),
        ..Reply::default()
    })
}

fn finish(value: &Value) -> Finish {
    match value.get("stop_reason").and_then(Value::as_str) {
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
        Some("refusal") => Finish::Refusal,
        _ => Finish::Stop,
    }
}

/// The prompt's tokens are named in three parts: new, newly kept in the cache, and found there.
fn usage(value: &Value) -> Usage {
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
