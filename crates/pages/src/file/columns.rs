//! Judgments and calls as columns, by the names that web/src/source/embedded.ts reads.

use super::prompts::PromptMessage;
use crate::{CallDetail, ItemText, LookDetail, Overview, PageOverview, Row};
use evenhand_core::{Message, Trajectory};
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// All that a report's file holds.
#[derive(Debug, Default, Serialize)]
pub(super) struct Embedded {
    #[serde(serialize_with = "write_overview")]
    pub(super) overview: Overview,
    pub(super) items: Vec<ItemText>,
    pub(super) responses: Vec<EmbeddedResponse>,
    pub(super) judgments: JudgmentTable,
    pub(super) calls: CallTable,
    pub(super) prompts: Vec<Vec<PromptMessage>>,
}

fn write_overview<S: Serializer>(overview: &Overview, out: S) -> Result<S::Ok, S::Error> {
    PageOverview::from(overview).serialize(out)
}

/// A response: item and system are places in the lists.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct EmbeddedResponse {
    pub(super) item: usize,
    pub(super) system: usize,
    pub(super) text: String,
    /// Its turns before the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) turns: Option<Vec<Message>>,
    /// The steps before the final message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) trajectory: Option<Arc<Trajectory>>,
}

/// Judgments, column by column.
#[derive(Debug, Default, Serialize)]
pub(super) struct JudgmentTable {
    trial: Vec<u64>,
    item: Vec<usize>,
    first: Vec<i64>,
    /// -1 for a single response.
    second: Vec<i64>,
    systems: Vec<Option<Vec<usize>>>,
    replicate: Vec<u32>,
    p_first: Vec<Option<f64>>,
    p_tie: Vec<Option<f64>>,
    p_second: Vec<Option<f64>>,
    score: Vec<Option<f64>>,
    places: Vec<Option<Vec<f64>>>,
    failure: Vec<Option<&'static str>>,
    detail: Vec<Option<String>>,
    looks: Vec<Option<Vec<LookDetail>>>,
    calls: Vec<Vec<usize>>,
    people: Vec<Option<&'static str>>,
    cost: Vec<Option<f64>>,
}

/// A judgment with its item, systems and calls as places in the lists.
#[derive(Debug)]
pub(super) struct PlacedJudgment<'a> {
    pub(super) row: &'a Row,
    pub(super) cell: &'a crate::Cell,
    pub(super) item: usize,
    pub(super) systems: Vec<usize>,
    pub(super) detail: Option<String>,
    pub(super) looks: Vec<LookDetail>,
    pub(super) calls: Vec<usize>,
    pub(super) cost: Option<f64>,
}

impl JudgmentTable {
    pub(super) fn len(&self) -> usize {
        self.trial.len()
    }

    pub(super) fn push(&mut self, judgment: PlacedJudgment<'_>) {
        let slot = |at: usize| judgment.systems.get(at).map_or(-1, |system| *system as i64);
        self.first.push(slot(0));
        self.second.push(slot(1));
        let (row, cell) = (judgment.row, judgment.cell);
        // What people said, in terms of the judgment's slots.
        let is_forward = row.ab.as_ref() == Some(cell);
        self.people
            .push(row.people.map(|said| match (said, is_forward) {
                ("a", true) | ("b", false) => "first",
                ("a" | "b", _) => "second",
                (other, _) => other,
            }));
        self.trial.push(cell.trial);
        self.p_first.push(cell.p.map(|p| p[0]));
        self.p_tie.push(cell.p.map(|p| p[1]));
        self.p_second.push(cell.p.map(|p| p[2]));
        self.score.push(cell.score);
        self.places.push(cell.places.clone());
        self.failure.push(cell.failure);
        self.item.push(judgment.item);
        self.replicate.push(row.replicate);
        self.detail.push(judgment.detail);
        self.looks
            .push(Some(judgment.looks).filter(|looks| !looks.is_empty()));
        self.calls.push(judgment.calls);
        self.cost.push(judgment.cost);
        let is_list = judgment.systems.len() > 2;
        self.systems.push(is_list.then_some(judgment.systems));
    }
}

/// Calls, column by column.
#[derive(Debug, Default, Serialize)]
pub(super) struct CallTable {
    judge: Vec<usize>,
    prompt: Vec<usize>,
    reply: Vec<Option<String>>,
    reasoning: Vec<Option<String>>,
    finish: Vec<Option<&'static str>>,
    error: Vec<Option<String>>,
    prompt_tokens: Vec<u64>,
    completion_tokens: Vec<u64>,
    attempt: Vec<u32>,
}

impl CallTable {
    /// Adds a call of the judge and the prompt at these places, and returns its own.
    pub(super) fn push(&mut self, call: CallDetail, judge: usize, prompt: usize) -> usize {
        self.judge.push(judge);
        self.prompt.push(prompt);
        self.finish
            .push(call.reply.as_ref().map(|reply| reply.finish.name()));
        let (text, reasoning) = match call.reply {
            Some(reply) => (Some(reply.text), reply.reasoning),
            None => (None, None),
        };
        self.reply.push(text);
        self.reasoning.push(reasoning);
        self.error.push(call.error);
        self.prompt_tokens.push(call.tokens.prompt);
        self.completion_tokens.push(call.tokens.completion);
        self.attempt.push(call.attempt);
        self.judge.len() - 1
    }
}
