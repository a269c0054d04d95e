//! Trajectories: responses that are lists of messages with calls of tools and their results.

mod calls;
mod content;
mod cut;
mod detect;
mod located;
mod steps;

pub(super) use detect::is_trajectory;
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

/// Counts the turns of a trajectory, one at least.
pub(super) fn count_turns(list: &[Value]) -> u32 {
    // A list that cannot be read has its error when it is read.
    let steps = read_steps(list, "", TrajectoryOptions::default());
    steps
        .ok()
        .and_then(|read| last_own_turn(&read.steps))
        .unwrap_or(1)
}

fn last_own_turn(steps: &[(u32, Step)]) -> Option<u32> {
    let last = steps.iter().rev().find(|(_, step)| is_own(step))?;
    Some(last.0)
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
    let read = read_steps(list, field, options)?;
    let found = end_trajectory(keep_turns(read.steps, wanted));
    Ok(TrajectoryFound {
        hidden: read.hidden,
        ..found.cut_to(options.budget)
    })
}

/// Makes a trajectory of steps, of which the last may be the final message.
fn end_trajectory(mut steps: Vec<Step>) -> TrajectoryFound {
    let length = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    let text = take_final_message(&mut steps).unwrap_or_default();
    let trajectory = Trajectory {
        steps,
        length,
        ..Trajectory::default()
    };
    TrajectoryFound {
        trajectory,
        text,
        hidden: 0,
    }
}

impl TrajectoryFound {
    fn cut_to(self, budget: Option<u64>) -> TrajectoryFound {
        let Some(budget) = budget else {
            return self;
        };
        let (trajectory, text) = cut_middle(self.trajectory, self.text, budget);
        TrajectoryFound {
            trajectory,
            text,
            ..self
        }
    }
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
