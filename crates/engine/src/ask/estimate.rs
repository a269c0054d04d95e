//! Counts the calls of a run before anything is spent.

use crate::ask::replay::{Answers, replay};
use crate::ask::stand_in::{StandIn, embeddings_reply, text_reply};
use crate::ask::stores::find_result;
use crate::cost::{ASSUMED_REPLY_TOKENS, approximate_request_tokens};
use crate::{EngineError, Job};
use evenhand_core::{CallResult, Request, RequestKey, Task};
use evenhand_models::Model;
use evenhand_protocols::Missing;
use evenhand_store::Reader;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The calls that a run would make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Planned judgments.
    pub trials: u64,
    /// Distinct calls, at most: a protocol that asks again where the judge contradicts itself may
    /// need fewer.
    pub calls: u64,
    /// Distinct calls where the judge never contradicts itself.
    pub calls_at_least: u64,
    /// Of these, calls whose reply the run directory, or a run that is reused, has already.
    pub stored: u64,
    /// The calls that are left, judge by judge in the order of their first calls.
    pub judges: Vec<JudgeEstimate>,
}

/// The calls of one judge, beside those that the run directory has already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgeEstimate {
    /// The judge's identity.
    pub judge: Arc<str>,
    /// Distinct calls that are left, at most.
    pub calls: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Tokens of the prompts where the judge never contradicts itself.
    pub prompt_tokens_at_least: u64,
    /// The most tokens that they may write.
    pub completion_tokens_at_most: u64,
    /// The tokens that they write if each reply has [`ASSUMED_REPLY_TOKENS`], or its limit where
    /// that is less.
    pub completion_tokens_assumed: u64,
    /// Whether prompts were counted by [`approximate_request_tokens`], as the judge has no
    /// tokenizer at hand.
    pub approximate: bool,
}

impl Estimate {
    /// Returns the tokens of the prompts of the calls that are left.
    pub fn prompt_tokens(&self) -> u64 {
        self.judges.iter().map(|judge| judge.prompt_tokens).sum()
    }

    /// Returns the most tokens that the calls that are left may write.
    pub fn completion_tokens_at_most(&self) -> u64 {
        let judges = self.judges.iter();
        judges.map(|judge| judge.completion_tokens_at_most).sum()
    }

    /// Whether the prompts of any judge were counted by approximation.
    pub fn is_approximate(&self) -> bool {
        self.judges.iter().any(|judge| judge.approximate)
    }

    /// Returns the sum of two estimates that have no call in common.
    pub fn and(mut self, other: &Estimate) -> Estimate {
        self.trials += other.trials;
        self.calls += other.calls;
        self.calls_at_least += other.calls_at_least;
        self.stored += other.stored;
        for other in &other.judges {
            let judge = self.judge_entry(&other.judge);
            judge.calls += other.calls;
            judge.prompt_tokens += other.prompt_tokens;
            judge.prompt_tokens_at_least += other.prompt_tokens_at_least;
            judge.completion_tokens_at_most += other.completion_tokens_at_most;
            judge.completion_tokens_assumed += other.completion_tokens_assumed;
            judge.approximate |= other.approximate;
        }
        self
    }

    /// Counts a call that was not counted before; `stored` where the run directory has its reply.
    pub(crate) fn count_call(&mut self, request: &Request, stored: bool, model: &dyn Model) {
        self.calls += 1;
        self.calls_at_least += 1;
        self.stored += u64::from(stored);
        // A judge whose replies are all stored is listed, too, with no calls left.
        let judge = self.judge_entry(&request.judge);
        if stored {
            return;
        }
        judge.calls += 1;
        let counted = model.count_prompt_tokens(request);
        judge.approximate |= counted.is_none();
        let tokens = counted.unwrap_or_else(|| approximate_request_tokens(request));
        judge.prompt_tokens += tokens;
        judge.prompt_tokens_at_least += tokens;
        if let Task::Generate { decoding, .. } = &request.task {
            let limit = u64::from(decoding.max_tokens);
            judge.completion_tokens_at_most += limit;
            judge.completion_tokens_assumed += limit.min(ASSUMED_REPLY_TOKENS);
        }
    }

    /// Returns the entry of a judge, which is made where the judge was asked nothing so far.
    fn judge_entry(&mut self, identity: &Arc<str>) -> &mut JudgeEstimate {
        let mut judges = self.judges.iter();
        let known = judges.position(|judge| judge.judge == *identity);
        let at = known.unwrap_or_else(|| {
            self.judges.push(JudgeEstimate {
                judge: identity.clone(),
                ..JudgeEstimate::default()
            });
            self.judges.len() - 1
        });
        &mut self.judges[at]
    }
}

/// Walks through the plan with stand-in replies and counts: once as a judge that always takes the
/// first slot and so contradicts itself wherever it can, and, where that matters, once as one that
/// never does. Calls of the second stage are not counted.
///
/// # Errors
/// What reading the data and the `stored` runs may meet.
pub fn estimate(job: &Job, model: &dyn Model, stored: &[Reader]) -> Result<Estimate, EngineError> {
    let mut most = count_plan(job, model, stored, StandIn::Torn)?;
    if !job.protocol.is_adaptive() {
        return Ok(most);
    }
    let least = count_plan(job, model, stored, StandIn::Sure)?;
    most.calls_at_least = least.calls;
    for judge in &mut most.judges {
        let mut others = least.judges.iter();
        let at_least = others.find(|other| other.judge == judge.judge);
        let tokens = at_least.map_or(0, |other| other.prompt_tokens);
        // Texts of the two walks differ, and so may the lengths of their prompts.
        judge.prompt_tokens_at_least = judge.prompt_tokens.min(tokens);
    }
    Ok(most)
}

fn count_plan(
    job: &Job,
    model: &dyn Model,
    stored: &[Reader],
    stand_in: StandIn,
) -> Result<Estimate, EngineError> {
    let mut counter = Counter {
        model,
        stored,
        stand_in,
        replies: HashMap::new(),
        texts: BTreeSet::new(),
        sum: Estimate::default(),
    };
    for trial in job.plan.trials() {
        counter.sum.trials += 1;
        replay(job, &trial, &mut counter)?;
    }
    Ok(counter.sum)
}

/// Counts calls, each once, and answers them with stand-ins.
struct Counter<'a> {
    model: &'a dyn Model,
    stored: &'a [Reader],
    stand_in: StandIn,
    replies: HashMap<RequestKey, SmallReply>,
    /// Every text of a stand-in, once: a plan of a million trials has few of them.
    texts: BTreeSet<Arc<str>>,
    sum: Estimate,
}

/// A stand-in in little room.
enum SmallReply {
    Text(Arc<str>),
    /// Embeddings of so many pieces.
    Embeddings(usize),
}

impl Answers for Counter<'_> {
    fn known_reply(&self, key: &RequestKey) -> Option<CallResult> {
        Some(Ok(match self.replies.get(key)? {
            SmallReply::Text(text) => text_reply(text),
            SmallReply::Embeddings(pieces) => embeddings_reply(*pieces),
        }))
    }

    fn answer_call(&mut self, missing: Missing, _: usize) -> Result<(), EngineError> {
        let Missing { key, request, .. } = missing;
        if self.replies.contains_key(&key) {
            return Ok(());
        }
        let is_stored = find_result(self.stored, &key)?.is_some();
        self.sum.count_call(&request, is_stored, self.model);
        let small = match &request.task {
            Task::Embed { pieces } => SmallReply::Embeddings(pieces.len()),
            _ => {
                let text = self.stand_in.text(&request);
                let known = self.texts.get(text.as_str()).cloned();
                SmallReply::Text(known.unwrap_or_else(|| {
                    let text: Arc<str> = text.into();
                    self.texts.insert(text.clone());
                    text
                }))
            }
        };
        self.replies.insert(key, small);
        Ok(())
    }
}
