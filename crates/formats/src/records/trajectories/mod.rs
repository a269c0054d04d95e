//! Trajectories: responses that are lists of messages with calls of tools and their results.

mod calls;
mod content;
mod cut;
mod located;
mod steps;

pub(super) use located::WrongPart;

use content::read_texts;
use cut::cut_middle;
use evenhand_core::{Step, StepKind, Trajectory};
use located::{Located, PartResult};
use serde_json::Value;
use steps::StepReader;

/// How trajectories are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrajectoryOptions {
    /// The most tokens of a trajectory, of which the middle is left out where it is longer; None
    /// for no limit.
    pub budget: Option<u64>,
    /// Whether thoughts are steps; otherwise they are left out.
    pub shows_thinking: bool,
}

impl TrajectoryOptions {
    /// The smallest budget: below it, head and tail would hold next to nothing.
    pub const LEAST_BUDGET: u64 = 200;
}

/// Counts the turns of a trajectory, one at least.
pub(super) fn count_turns(list: &[Value]) -> u32 {
    // A list that cannot be read has its error when it is read.
    let Ok(read) = read_steps(list, "", TrajectoryOptions::default()) else {
        return 1;
    };
    let last = read.steps.iter().rev().find(|(_, step)| is_own(step));
    last.map_or(1, |(turn, _)| *turn)
}

/// Whether the system or its tools took a step.
fn is_own(step: &Step) -> bool {
    !matches!(step.kind, StepKind::User | StepKind::System)
}

/// Reads the first so many turns of a list of messages, which is the field of this name; `whole`
/// says that those before the last are judged with it. Returns the trajectory, its final message,
/// and how many thoughts are left out.
pub(super) fn read_trajectory(
    list: &[Value],
    field: &str,
    options: TrajectoryOptions,
    turns: u32,
    whole: bool,
) -> PartResult<(Trajectory, String, u32)> {
    let read = read_steps(list, field, options)?;
    let mut steps = Vec::new();
    for (turn, step) in read.steps {
        if turn <= turns {
            steps.push(Step {
                // Those of earlier turns are context, unless all are judged together.
                for_context: !whole && turn < turns,
                ..step
            });
        }
    }
    let length = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    // The last step may be the final message.
    let last = steps.pop_if(|step| step.kind == StepKind::Message);
    let mut text = last.map(|last| last.text).unwrap_or_default();
    let mut trajectory = Trajectory {
        steps,
        length,
        ..Trajectory::default()
    };
    if let Some(budget) = options.budget {
        (trajectory, text) = cut_middle(trajectory, text, budget);
    }
    Ok((trajectory, text, read.hidden))
}

fn read_steps(list: &[Value], field: &str, options: TrajectoryOptions) -> PartResult<StepReader> {
    let mut reader = StepReader::new(options.shows_thinking);
    for (at, message) in list.iter().enumerate() {
        reader.read_message(&Located::new(message, format!("{field}.{at}")))?;
    }
    Ok(reader)
}

/// Reads the texts of a message's content, which may be a list of parts.
pub(super) fn read_content(content: &Value, field: &str) -> PartResult<String> {
    read_texts(&Located::new(content, field.to_owned()))
}

/// The fields in which messages hold calls.
const CALL_FIELDS: [&str; 2] = ["tool_calls", "function_call"];
/// The fields in which messages hold thoughts.
const THOUGHT_FIELDS: [&str; 2] = ["reasoning_content", "reasoning"];

/// Whether a list of messages is a trajectory: tools are called in it, or thoughts are shown.
pub(super) fn is_trajectory(list: &[Value], options: TrajectoryOptions) -> bool {
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
