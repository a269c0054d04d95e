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
    /// Whether an answer has the same turns, steps and fields.
    fn are_those_of(&self, answer: &SystemOutput, texts: &dyn Texts) -> io::Result<bool> {
        let kept = self.messages(texts)?;
        let steps: Option<Trajectory> = read_json(self.trajectory, texts)?;
        let is_same = steps == answer.trajectory && self.fields(texts)? == answer.fields;
        Ok(*kept == *answer.earlier && is_same)
    }

    fn messages(&self, texts: &dyn Texts) -> io::Result<Arc<[Message]>> {
        read_messages(&texts.get(self.messages)?)
    }

    fn fields(&self, texts: &dyn Texts) -> io::Result<FreeFields> {
        let fields = read_json(self.fields, texts)?;
        Ok(fields.unwrap_or_default())
    }
}

impl Conversations {
    /// Whether any response has turns or steps before it.
    pub(super) fn has_turns(&self) -> bool {
        // An empty list of messages is `[]`.
        self.kept()
            .any(|before| before.messages.len > 2 || before.trajectory.is_some())
    }

    /// Whether any response has this free field.
    pub(super) fn has_field(&self, name: &str, texts: &dyn Texts) -> io::Result<bool> {
        for before in self.kept() {
            let fields: Option<FreeFields> = read_json(before.fields, texts)?;
            if fields.is_some_and(|fields| fields.contains_key(name)) {
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
        if has_more_than_text(answer) {
            let before = keep_turns(answer, texts)?;
            self.insert(answer.system.as_str().into(), item, before);
        }
        Ok(())
    }

    fn insert(&mut self, system: Arc<str>, item: usize, before: TurnsBefore) {
        let of_system = self.by_system.entry(system).or_default();
        of_system.insert(item, before);
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

    /// Whether an answer to an item has the turns before it that are kept already.
    pub(super) fn has_turns_of(
        &self,
        item: usize,
        answer: &SystemOutput,
        texts: &dyn Texts,
    ) -> io::Result<bool> {
        match self.find(item, &answer.system) {
            None => Ok(!has_more_than_text(answer)),
            Some(before) => before.are_those_of(answer, texts),
        }
    }
}

fn has_more_than_text(answer: &SystemOutput) -> bool {
    !answer.earlier.is_empty() || answer.trajectory.is_some() || !answer.fields.is_empty()
}

fn keep_turns(answer: &SystemOutput, texts: &mut dyn Texts) -> io::Result<TurnsBefore> {
    let fields = Some(&answer.fields).filter(|fields| !fields.is_empty());
    Ok(TurnsBefore {
        trajectory: keep_json(answer.trajectory.as_ref(), texts)?,
        fields: keep_json(fields, texts)?,
        messages: texts.push(&serde_json::to_string(&answer.earlier)?)?,
        whole: answer.whole,
    })
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

fn read_messages(json: &str) -> io::Result<Arc<[Message]>> {
    let messages: Vec<Message> = serde_json::from_str(json)?;
    Ok(messages.into())
}
