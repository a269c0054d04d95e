//! Items, messages, and a protocol's view of them.

use crate::{Criterion, FreeFields, Trajectory};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use strum::IntoStaticStr;

/// Who speaks in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// Instructions that stand above the conversation.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// Returns the name that files, servers and reports use.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text.
    pub content: String,
}

impl Message {
    /// Makes a turn of the person.
    pub fn user(content: impl Into<String>) -> Self {
        Message {
            role: Role::User,
            content: content.into(),
        }
    }

    /// Makes a system turn.
    pub fn system(content: impl Into<String>) -> Self {
        Message {
            role: Role::System,
            content: content.into(),
        }
    }
}

/// One instruction, or conversation, of an input set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Unique within the input set.
    pub id: String,
    /// The conversation so far; the last turn is the one that the systems answered. Never empty.
    pub messages: Vec<Message>,
    /// A reference answer, where the set has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The category of the item within its set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The name of the question, where several items ask the same one in other words or with other
    /// constraints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Verifiable constraints, kept as they were written (instruction ids and arguments in IFEval's
    /// terms).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraints: Option<serde_json::Value>,
    /// Criteria of its own, which a checklist asks for; empty where it has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<Criterion>,
    /// Which turn of its conversation is answered, from 1, where the turns of one conversation are
    /// items of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The free fields that prompts show.
    #[serde(default, skip_serializing_if = "FreeFields::is_empty")]
    pub fields: FreeFields,
}

impl Item {
    /// Returns the instruction that the systems answered: the content of the last turn.
    pub fn instruction(&self) -> &str {
        self.messages.last().map_or("", |m| &m.content)
    }

    /// Returns the turns before the one that was answered; empty for a single instruction.
    pub fn history(&self) -> &[Message] {
        self.messages.split_last().map_or(&[], |(_, before)| before)
    }
}

/// A system's output for an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The system that wrote it. Never shown to a judge.
    pub system: Arc<str>,
    /// The text that it wrote.
    pub text: Arc<str>,
    /// The turns of its own conversation before the text: its earlier answers, and what the user
    /// said between them where that is not the item's. Empty for an answer to one instruction.
    pub earlier: Arc<[Message]>,
    /// Whether the earlier answers are judged with the text, as one conversation. Otherwise they
    /// are shown so that the text can be understood.
    pub whole: bool,
    /// The steps before the text, where it is the final message of an agent; the earlier turns are
    /// then among them.
    pub trajectory: Option<Arc<Trajectory>>,
    /// The free fields that prompts show.
    pub fields: Arc<FreeFields>,
}

/// Whether the responses of two slots are the same to a judge: which order they are shown in then
/// says nothing of what it prefers.
pub fn are_same(responses: &[Response], one: usize, other: usize) -> bool {
    let shown = responses.get(one).zip(responses.get(other));
    shown.is_some_and(|(one, other)| one.is_same_as(other))
}

impl Response {
    /// Makes an answer to one instruction, without any turns before it.
    pub fn new(system: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Response {
            system: system.into(),
            text: text.into(),
            ..Response::default()
        }
    }

    /// Returns whether a judge is shown the same of both, whoever wrote them.
    pub fn is_same_as(&self, other: &Response) -> bool {
        let Response {
            system: _,
            text,
            earlier,
            whole,
            trajectory,
            fields,
        } = self;
        *text == other.text
            && *earlier == other.earlier
            && *whole == other.whole
            && *trajectory == other.trajectory
            && *fields == other.fields
    }

    /// Returns the texts of the turns or steps before its own, and its own.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let turns = self.earlier.iter().map(|turn| &*turn.content);
        let steps = self.trajectory.iter().flat_map(|way| &way.steps);
        let steps = steps.map(|step| &*step.text);
        turns.chain(steps).chain([&*self.text])
    }
}

/// A protocol's view of one trial: the item, and the responses in the order in which the judge
/// meets them.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The item.
    pub item: &'a Item,
    /// One response for a pointwise form, two for a pairwise one: slot order.
    pub responses: &'a [Response],
    /// The other items of the run.
    pub others: Others<'a>,
}

impl<'a> View<'a> {
    /// Views an item of a run; None where there is no such item.
    pub fn of(items: &'a [Item], at: usize, responses: &'a [Response]) -> Option<Self> {
        Some(View {
            item: items.get(at)?,
            responses,
            others: Others { items, at },
        })
    }

    /// Views an item by itself.
    pub fn alone(item: &'a Item, responses: &'a [Response]) -> Self {
        View {
            item,
            responses,
            others: Others::default(),
        }
    }
}

/// The other items of a run, from the one after an item on; the first follows the last.
#[derive(Clone, Copy, Debug, Default)]
pub struct Others<'a> {
    items: &'a [Item],
    at: usize,
}

impl<'a> Others<'a> {
    /// Returns each of them once.
    pub fn iter(&self) -> impl Iterator<Item = &'a Item> + use<'a> {
        let (before, after) = self.items.split_at(self.items.len().min(self.at));
        after.iter().skip(1).chain(before)
    }
}
