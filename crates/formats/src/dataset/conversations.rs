//! The turns before responses that are part of a conversation, kept beside their texts.

use super::{TextRef, Texts};
use crate::records::SystemOutput;
use evenhand_core::{Message, Response, Trajectory};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

/// Of each response that is a later turn of a conversation, the turns before it. Most data sets
/// have none.
#[derive(Debug, Default)]
pub(super) struct Conversations {
    by_system: HashMap<Arc<str>, HashMap<usize, TurnsBefore>>,
}

#[derive(Clone, Copy, Debug)]
struct TurnsBefore {
    /// A list of messages, as JSON.
    messages: TextRef,
    /// The steps of a trajectory, as JSON.
    trajectory: Option<TextRef>,
    whole: bool,
}

impl Conversations {
    pub(super) fn is_empty(&self) -> bool {
        self.by_system.is_empty()
    }

    pub(super) fn has_trajectories(&self) -> bool {
        let mut kept = self.by_system.values().flat_map(HashMap::values);
        kept.any(|before| before.trajectory.is_some())
    }

    /// Keeps the turns before an answer to an item.
    pub(super) fn keep(
        &mut self,
        item: usize,
        answer: &SystemOutput,
        texts: &mut dyn Texts,
    ) -> io::Result<()> {
        if answer.earlier.is_empty() && answer.trajectory.is_none() {
            return Ok(());
        }
        let trajectory = answer.trajectory.as_ref();
        let trajectory = trajectory.map(|steps| texts.push(&serde_json::to_string(steps)?));
        let before = TurnsBefore {
            trajectory: trajectory.transpose()?,
            messages: texts.push(&serde_json::to_string(&answer.earlier)?)?,
            whole: answer.whole,
        };
        let system = answer.system.as_str().into();
        self.by_system
            .entry(system)
            .or_default()
            .insert(item, before);
        Ok(())
    }

    fn find(&self, item: usize, system: &str) -> Option<TurnsBefore> {
        self.by_system.get(system)?.get(&item).copied()
    }

    /// Returns the response to an item with the turns before its text.
    pub(super) fn complete(
        &self,
        item: usize,
        response: Response,
        texts: &dyn Texts,
    ) -> io::Result<Response> {
        let Some(before) = self.find(item, &response.system) else {
            return Ok(response);
        };
        Ok(Response {
            earlier: read_messages(&texts.get(before.messages)?)?,
            whole: before.whole,
            trajectory: before.read_trajectory(texts)?.map(Arc::new),
            ..response
        })
    }

    /// Whether an answer to an item has the turns before it that are kept already.
    pub(super) fn has_turns_of(
        &self,
        item: usize,
        answer: &SystemOutput,
        texts: &dyn Texts,
    ) -> io::Result<bool> {
        match self.find(item, &answer.system) {
            None => Ok(answer.earlier.is_empty() && answer.trajectory.is_none()),
            Some(before) => {
                let kept = read_messages(&texts.get(before.messages)?)?;
                let steps = before.read_trajectory(texts)?;
                Ok(*kept == *answer.earlier && steps == answer.trajectory)
            }
        }
    }
}

impl TurnsBefore {
    fn read_trajectory(self, texts: &dyn Texts) -> io::Result<Option<Trajectory>> {
        let Some(steps) = self.trajectory else {
            return Ok(None);
        };
        Ok(Some(serde_json::from_str(&texts.get(steps)?)?))
    }
}

fn read_messages(json: &str) -> io::Result<Arc<[Message]>> {
    let messages: Vec<Message> = serde_json::from_str(json)?;
    Ok(messages.into())
}
