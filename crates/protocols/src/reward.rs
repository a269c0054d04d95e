//! The reward form: the number that a reward model gives the response.

use crate::ask::invalid;
use crate::likelihood::conversation_before;
use crate::template_marks::break_marks;
use crate::{Ask, Prompt, VerdictOrStop};
use evenhand_core::{
    About, Failure, FailureKind, Finish, Message, Role, Task, Verdict, VerdictSource, View,
    check_reward,
};

/// Scores the response by the model's reward for the conversation that it ends.
///
/// Each response is read once and alone, so order cannot matter. 1 round, 1 call. Rewards of one
/// model are comparable within an item at least (Bradley-Terry: the log-odds that a person prefers
/// the one are the difference of the rewards; Ouyang et al. 2022, equation 1), and those of two
/// models are not.
pub(crate) fn judge_by_reward(view: &View, ask: &Ask) -> VerdictOrStop {
    let Some(response) = view.responses.first() else {
        return Err(invalid("there is no response to score").into());
    };
    if response.trajectory.is_some() {
        let why = "a reward model scores a conversation, and this response is a trajectory with \
                   calls of tools and their results; use a form that asks for a verdict";
        return Err(invalid(why).into());
    }
    let mut messages = conversation_before(view);
    messages.push(Message {
        role: Role::Assistant,
        content: response.text.to_string(),
    });
    // A response that could write turns of its own would choose what is scored.
    if ask.breaks_marks() {
        for message in &mut messages {
            message.content = break_marks(&message.content).into_owned();
        }
    }
    let reply = ask.one(Prompt {
        messages,
        task: Task::Reward,
        about: About::new(view.item, view.responses),
    })?;
    if reply.finish == Finish::Refusal {
        let why = "the judge declined to score the response";
        return Err(Failure::new(FailureKind::Refused, why).into());
    }
    let given = reply
        .reward
        .ok_or_else(|| "this judge gives no reward".into());
    let reward = given.and_then(check_reward);
    let reward = reward.map_err(|why: String| Failure::new(FailureKind::ModelError, why))?;
    Ok(Verdict::Pointwise {
        score: reward,
        distribution: Vec::new(),
        outside: 0.0,
        source: VerdictSource::Reward,
    })
}
