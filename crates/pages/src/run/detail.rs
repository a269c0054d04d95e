//! One judgment in full: texts, looks, calls and prompts.

use super::OpenRun;
use super::looks::{LookDetail, describe_looks};
use super::rows::{Cell, Row, cell_of};
use crate::side_name;
use evenhand_core::{Item, Message, Reply, Request, Response, Task, Trajectory, Verdict};
use evenhand_store::{KeptCall, StoreError};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// One judgment with all that the run keeps of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Detail {
    /// Its row.
    pub row: Row,
    /// Its trial.
    pub trial: u64,
    /// The instruction.
    pub item: ItemText,
    /// The responses in slot order.
    pub responses: Vec<ResponseText>,
    /// Its verdict, or the kind of its failure.
    pub outcome: Cell,
    /// The verdict as it was read, with its source; None for a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// What stood in place of a verdict.
    pub detail: Option<String>,
    /// The looks that it was made of, where there was more than one.
    pub looks: Vec<LookDetail>,
    /// What people said of the pair: `a`, `b` or `tie`.
    pub people: Vec<&'static str>,
    /// The calls that it rests on, in the order in which they were asked.
    pub calls: Vec<CallDetail>,
    /// The same responses under other runs.
    pub others: Vec<OtherRun>,
}

/// An instruction as it stood in the data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ItemText {
    /// Its id.
    pub id: String,
    /// What the systems answered; empty where the run keeps no texts.
    pub text: String,
    /// Its category.
    pub category: Option<String>,
    /// A reference answer.
    pub reference: Option<String>,
    /// The whole conversation, where it has more than one turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<Vec<Message>>,
}

/// A response as it stood in the data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ResponseText {
    /// The system.
    pub system: String,
    /// Its response; empty where the run keeps no texts.
    pub text: String,
    /// Its turns before the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<Vec<Message>>,
    /// What it did before the final message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trajectory: Option<Arc<Trajectory>>,
}

/// A call with its prompt and its reply.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CallDetail {
    /// The judge's identity.
    pub judge: String,
    /// The prompt as it was sent; of a question about a state both in words.
    pub messages: Vec<Message>,
    /// The kind of reply that was wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// The reply; of one that is probabilities alone its text says them.
    pub reply: Option<Reply>,
    /// Why there is none.
    pub error: Option<String>,
    /// Which attempt it was, from 0.
    pub attempt: u32,
    /// Its tokens.
    pub tokens: CallTokens,
    /// USD; None where the judge has no price.
    pub cost: Option<f64>,
}

/// Tokens of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallTokens {
    /// Of the prompt.
    pub prompt: u64,
    /// Of the reply.
    pub completion: u64,
    /// Of the prompt's, those that the server had cached.
    #[serde(skip_serializing_if = "is_zero")]
    pub cached: u64,
    /// Of the reply's, those of its reasoning.
    #[serde(skip_serializing_if = "is_zero")]
    pub reasoning: u64,
}

/// A judgment of the same responses in another run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OtherRun {
    /// The run, by its name.
    pub run: String,
    /// Its trial there.
    pub trial: u64,
    /// The system that was shown first there; None for a single response and for lists.
    pub first: Option<String>,
    /// Its verdict or failure.
    pub outcome: Cell,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl OpenRun {
    /// Returns the judgment of a trial in full; None where it is not judged.
    ///
    /// # Errors
    /// A store that cannot be read, and a judgment that was damaged.
    pub fn judgment(&self, trial: u64) -> Result<Option<Detail>, StoreError> {
        let known = self.index.find_trial(trial);
        let row = known.and_then(|judgment| self.index.row_of(judgment));
        let (Some(known), Some(row)) = (known, row) else {
            return Ok(None);
        };
        let Some(kept) = self.reader.judgment(trial)? else {
            return Ok(None);
        };
        // Texts are empty where none is kept.
        let item = self.reader.item(&kept.item)?;
        let item = item.map_or_else(
            || ItemText {
                id: kept.item.clone(),
                ..ItemText::default()
            },
            text_of_item,
        );
        let texts = self.reader.responses(&kept.item)?;
        let find = |system: &String| texts.iter().find(|one| *one.system == **system);
        let responses = kept.systems.iter().map(|system| match find(system) {
            Some(response) => text_of_response(response),
            None => ResponseText {
                system: system.clone(),
                ..ResponseText::default()
            },
        });
        let responses: Vec<ResponseText> = responses.collect();
        let shown: Vec<&str> = responses.iter().map(|one| &*one.text).collect();
        let people = self.index.people_of(row);
        Ok(Some(Detail {
            row: self.row(row)?,
            trial: kept.trial,
            item,
            outcome: cell_of(&self.index, known),
            verdict: kept.verdict,
            detail: kept.detail,
            looks: describe_looks(kept.looks, &self.protocol, &shown),
            people: people.map(side_name).into_iter().collect(),
            calls: kept.calls.iter().map(|call| self.call(call)).collect(),
            others: Vec::new(),
            responses,
        }))
    }

    fn call(&self, call: &KeptCall) -> CallDetail {
        let id = u32::try_from(call.id).unwrap_or(u32::MAX);
        CallDetail {
            cost: self.calls.cost_of(id),
            ..describe_call(call)
        }
    }
}

pub(crate) fn text_of_item(item: Item) -> ItemText {
    ItemText {
        text: item.instruction().to_owned(),
        id: item.id,
        category: item.category,
        reference: item.reference,
        turns: Some(item.messages).filter(|turns| turns.len() > 1),
    }
}

pub(crate) fn text_of_response(response: &Response) -> ResponseText {
    ResponseText {
        system: response.system.to_string(),
        text: response.text.to_string(),
        turns: (!response.earlier.is_empty()).then(|| response.earlier.to_vec()),
        trajectory: response.trajectory.clone(),
    }
}

/// Describes a call without its price. A request that cannot be read has no messages.
pub(crate) fn describe_call(call: &KeptCall) -> CallDetail {
    let request = serde_json::from_str::<Request>(&call.request).ok();
    let (mut messages, task) = request.map_or_else(Default::default, |request| {
        (request.messages, Some(request.task))
    });
    let mut reply = call.result.clone().ok();
    // A question has no messages, and its reply no text.
    if let Some(Task::Decide { state, question }) = &task {
        messages.push(Message::user(question.in_words(state)));
        if let Some(reply) = reply.as_mut().filter(|reply| reply.text.is_empty()) {
            reply.text = question.reply_in_words(reply).unwrap_or_default();
        }
    }
    // Nor has a reward.
    if let Some(reply) = reply.as_mut()
        && let Some(reward) = reply.reward
    {
        reply.text = format!("reward {reward}");
    }
    CallDetail {
        judge: call.judge.clone(),
        messages,
        task,
        reply,
        error: call
            .result
            .as_ref()
            .err()
            .map(|error| error.message.clone()),
        attempt: call.attempt,
        tokens: CallTokens {
            prompt: call.usage.prompt_tokens,
            completion: call.usage.completion_tokens,
            cached: call.usage.cached_tokens,
            reasoning: call.usage.reasoning_tokens,
        },
        cost: None,
    }
}
