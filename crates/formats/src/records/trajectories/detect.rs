//! Which lists of messages are trajectories.

use super::TrajectoryOptions;
use serde_json::Value;

/// The fields in which messages hold calls.
const CALL_FIELDS: [&str; 2] = ["tool_calls", "function_call"];
/// The fields in which messages hold thoughts.
pub(super) const THOUGHT_FIELDS: [&str; 2] = ["reasoning_content", "reasoning"];

/// Whether a list of messages is a trajectory: tools are called in it, or thoughts are shown.
pub(in crate::records) fn is_trajectory(list: &[Value], options: TrajectoryOptions) -> bool {
    list.iter().any(|message| {
        let role = message.get("role").and_then(Value::as_str);
        matches!(role, Some("tool" | "function"))
            || has_field(message, &CALL_FIELDS)
            || has_part(message, &["tool_use", "server_tool_use", "tool_result"])
            || options.shows_thinking
                && (has_field(message, &THOUGHT_FIELDS)
                    || has_part(message, &["thinking", "reasoning"]))
    })
}

/// Whether a message has one of these fields, with something in it.
fn has_field(message: &Value, names: &[&str]) -> bool {
    let mut found = names.iter().filter_map(|name| message.get(name));
    found.any(|value| match value {
        Value::Null => false,
        Value::Array(list) => !list.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => true,
    })
}

/// Whether the content of a message has a part of one of these types.
fn has_part(message: &Value, types: &[&str]) -> bool {
    let parts = message.get("content").and_then(Value::as_array);
    parts.into_iter().flatten().any(|part| {
        let kind = part.get("type").and_then(Value::as_str);
        kind.is_some_and(|kind| types.contains(&kind))
    })
}
