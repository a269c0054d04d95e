//! A reply's body.

use crate::served::codec::json::{count, malformed};
use crate::served::fault::Fault;
use evenhand_core::{Finish, Reply, Usage};
use serde_json::Value;

/// Reads a reply. Blocks that are neither text nor thinking (redacted thinking is not readable) say
/// nothing.
pub(in crate::served::codec) fn decode_chat(value: &Value) -> Result<Reply, Fault> {
    let Some(blocks) = value.get("content").and_then(Value::as_array) else {
        return Err(malformed(
            "the reply has no list `content`: is the address that of Anthropic's messages?",
        ));
    };
    let thinking = join_blocks(blocks, "thinking");
    let thinking = thinking.trim();
    Ok(Reply {
        text: join_blocks(blocks, "text"),
        reasoning: (!thinking.is_empty()).then(|| thinking.to_owned()),
        finish: match value.get("stop_reason").and_then(Value::as_str) {
            Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
            Some("refusal") => Finish::Refusal,
            _ => Finish::Stop,
        },
        usage: read_usage(value),
        ..Reply::default()
    })
}

/// Joins the texts of the blocks of this type, which keep them in a field of the same name.
fn join_blocks(blocks: &[Value], kind: &str) -> String {
    blocks
        .iter()
        .filter(|block| block["type"] == *kind)
        .filter_map(|block| block.get(kind)?.as_str())
        .collect()
}

/// Reads the tokens. The prompt's are named in three parts: new, newly kept in the cache, and found
/// there.
fn read_usage(value: &Value) -> Usage {
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
