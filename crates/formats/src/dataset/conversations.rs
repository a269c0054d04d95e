//! The turns before responses that are part of a conversation, kept beside their texts.

use super::{TextRef, Texts};
use crate::records::SystemOutput;
use evenhand_core::{FreeFields, Message, Response, Trajectory};
use serde::Serialize;
use serde::de::DeserializeOwned;
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
    /// The free fields that prompts show, as JSON.
    fields: Option<TextRef>,
    whole: bool,
}

impl TurnsBefore {
    fn messages(&self, texts: &dyn Texts) -> io::Result<Arc<[Message]>> {
        let messages: Vec<Message> = serde_json::from_str(&texts.get(self.messages)?)?;
        Ok(messages.into())
    }

    fn fields(&self, texts: &dyn Texts) -> io::Result<FreeFields> {
        let fields = read_json(self.fields, texts)?;
        Ok(fields.unwrap_or_default())
    }
}

impl Conversations {
    /// Whether any response has this free field.
    pub(super) fn has_field(&self, name: &str, texts: &dyn Texts) -> io::Result<bool> {
        for before in self.kept() {
            if before.fields(texts)?.contains_key(name) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn kept(&self) -> impl Iterator<Item = &TurnsBefore> {
        self.by_system.values().flat_map(HashMap::values)
    }

    pub(super) fn has_trajectories(&self) -> bool {
        self.kept().any(|before| before.trajectory.is_some())
    }

    /// Keeps the turns before an answer to an item.
    pub(super) fn keep(
        &mut self,
        item: usize,
        answer: &SystemOutput,
        texts: &mut dyn Texts,
    ) -> io::Result<()> {
        if !has_more_than_text(answer) {
            return Ok(());
        }
        let fields = Some(&answer.fields).filter(|fields| !fields.is_empty());
        let before = TurnsBefore {
            trajectory: keep_json(answer.trajectory.as_ref(), texts)?,
            fields: keep_json(fields, texts)?,
            messages: texts.push(&serde_json::to_string(&answer.earlier)?)?,
            whole: answer.whole,
        };
        let system: Arc<str> = answer.system.as_str().into();
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
            earlier: before.messages(texts)?,
            whole: before.whole,
            trajectory: read_json(before.trajectory, texts)?.map(Arc::new),
            fields: Arc::new(before.fields(texts)?),
            ..response
        })
    }

    /// Whether an answer to an item has the turns, steps and fields before it that are kept
    /// already.
    pub(super) fn has_turns_of(
        &self,
        item: usize,
        answer: &SystemOutput,
        texts: &dyn Texts,
    ) -> io::Result<bool> {
        let Some(kept) = self.find(item, &answer.system) else {
            return Ok(!has_more_than_text(answer));
        };
        let messages = kept.messages(texts)?;
        let steps: Option<Trajectory> = read_json(kept.trajectory, texts)?;
        Ok(*messages == *answer.earlier
            && steps == answer.trajectory
            && kept.fields(texts)? == answer.fields)
    }
}

fn has_more_than_text(answer: &SystemOutput) -> bool {
    !answer.earlier.is_empty() || answer.trajectory.is_some() || !answer.fields.is_empty()
}

fn keep_json<T: Serialize>(
    value: Option<&T>,
    texts: &mut dyn Texts,
) -> io::Result<Option<TextRef>> {
    let kept = value.map(|value| texts.push(&serde_json::to_string(value)?));
    kept.transpose()
}

fn read_json<T: DeserializeOwned>(
    kept: Option<TextRef>,
    texts: &dyn Texts,
) -> io::Result<Option<T>> {
    match kept {
        None => Ok(None),
        Some(kept) => Ok(Some(serde_json::from_str(&texts.get(kept)?)?)),
    }
}
