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

/// A trajectory as it was read, and its final message.
pub(super) struct TrajectoryFound {
    pub(super) trajectory: Trajectory,
    pub(super) text: String,
    /// How many thoughts are left out.
    pub(super) hidden: u32,
}

/// Which turns of a trajectory are read.
#[derive(Clone, Copy)]
pub(super) struct TurnsWanted {
    /// How many, from the first on.
    pub(super) count: u32,
    /// Whether those before the last are judged with it.
    pub(super) whole: bool,
}

/// Whether a list of messages is a trajectory: tools are called in it, or thoughts are shown.
pub(super) fn is_trajectory(list: &[Value], options: TrajectoryOptions) -> bool {
    list.iter().any(|message| has_tools(message, options))
}

fn has_tools(message: &Value, options: TrajectoryOptions) -> bool {
    let role = message.get("role").and_then(Value::as_str);
    let thinks = ["reasoning_content", "reasoning"].iter();
    matches!(role, Some("tool" | "function"))
        || is_filled(message.get("tool_calls"))
        || is_filled(message.get("function_call"))
        || list_parts(message).any(|part| is_tool_part(part, options))
        || (options.shows_thinking && { thinks }.any(|name| is_filled(message.get(*name))))
}

fn is_filled(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Array(list)) => !list.is_empty(),
        Some(Value::String(text)) => !text.is_empty(),
        Some(_) => true,
    }
}

fn list_parts(message: &Value) -> impl Iterator<Item = &Value> {
    let content = message.get("content").and_then(Value::as_array);
    content.into_iter().flatten()
}

fn is_tool_part(part: &Value, options: TrajectoryOptions) -> bool {
    match part.get("type").and_then(Value::as_str) {
        Some("tool_use" | "server_tool_use" | "tool_result") => true,
        Some("thinking" | "reasoning") => options.shows_thinking,
        _ => false,
    }
}

/// Counts the turns of a trajectory, one at least.
pub(super) fn count_turns(list: &[Value]) -> u32 {
    // A list that cannot be read has its error when it is read.
    let steps = read_steps(list, "", TrajectoryOptions::default());
    let steps = steps.map_or(Vec::new(), |reader| reader.steps);
    let mut own = steps.iter().rev().filter(|(_, step)| is_own(step));
    own.next().map_or(1, |(turn, _)| *turn)
}

/// Whether the system or its tools took a step.
fn is_own(step: &Step) -> bool {
    !matches!(step.kind, StepKind::User | StepKind::System)
}

/// Reads a list of messages, which is the field of this name.
pub(super) fn read_trajectory(
    list: &[Value],
    field: &str,
    options: TrajectoryOptions,
    wanted: TurnsWanted,
) -> PartResult<TrajectoryFound> {
    let StepReader { steps, hidden, .. } = read_steps(list, field, options)?;
    let mut steps = keep_turns(steps, wanted);
    let length = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    let text = take_final_message(&mut steps).unwrap_or_default();
    let trajectory = Trajectory {
        length,
        steps,
        ..Trajectory::default()
    };
    let (trajectory, text) = match options.budget {
        Some(budget) => cut_middle(trajectory, text, budget),
        None => (trajectory, text),
    };
    Ok(TrajectoryFound {
        trajectory,
        text,
        hidden,
    })
}

fn read_steps(list: &[Value], field: &str, options: TrajectoryOptions) -> PartResult<StepReader> {
    let mut reader = StepReader::new(options.shows_thinking);
    for (at, message) in list.iter().enumerate() {
        reader.read_message(&Located::new(message, format!("{field}.{at}")))?;
    }
    Ok(reader)
}

/// Keeps the steps of the turns that are read; those of earlier turns are context, unless all are
/// judged together.
fn keep_turns(steps: Vec<(u32, Step)>, wanted: TurnsWanted) -> Vec<Step> {
    let steps = steps.into_iter().filter(|(turn, _)| *turn <= wanted.count);
    let steps = steps.map(|(turn, step)| Step {
        for_context: !wanted.whole && turn < wanted.count,
        ..step
    });
    steps.collect()
}

/// Takes off the message that ends the steps; None where they end otherwise.
fn take_final_message(steps: &mut Vec<Step>) -> Option<String> {
    let last = steps.pop_if(|step| step.kind == StepKind::Message)?;
    Some(last.text)
}

/// Reads the texts of a message's content, which may be a list of parts.
pub(super) fn read_content(content: &Value, field: &str) -> PartResult<String> {
    read_texts(&Located::new(content, field.to_owned()))
}
