//! Counts the calls of a run before anything is spent.

use crate::ask::replay::{Answers, replay};
use crate::ask::stand_in::{StandIn, embeddings_reply, text_reply};
use crate::ask::stores::find_result;
use crate::cost::{ASSUMED_REPLY_TOKENS, approximate_request_tokens};
use crate::{EngineError, Job};
use evenhand_core::{CallResult, Reply, Request, RequestKey, Task};
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
        self.judges
            .iter()
            .map(|judge| judge.completion_tokens_at_most)
            .sum()
    }

    /// Whether the prompts of any judge were counted by approximation.
    pub fn is_approximate(&self) -> bool {
        self.judges.iter().any(|judge| judge.approximate)
    }

    /// Returns the sum of two estimates that have no call in common.
    pub fn and(mut self, other: &Estimate) -> Estimate {
        self.add_counts(other);
        for judge in &other.judges {
            self.judge_entry(&judge.judge).add(judge);
        }
        self
    }

    fn add_counts(&mut self, other: &Estimate) {
        self.trials += other.trials;
        self.calls += other.calls;
        self.calls_at_least += other.calls_at_least;
        self.stored += other.stored;
    }

    /// Counts a call that was not counted before; `stored` where the run directory has its reply.
    pub(crate) fn count_call(&mut self, request: &Request, stored: bool, model: &dyn Model) {
        self.calls += 1;
        self.calls_at_least += 1;
        // A judge whose replies are all stored is listed, too, with no calls left.
        let judge = self.judge_entry(&request.judge);
        if stored {
            self.stored += 1;
        } else {
            judge.add_call(request, model);
        }
    }

    fn prompt_tokens_of(&self, identity: &str) -> u64 {
        let judges = &self.judges;
        let judge = judges.iter().find(|judge| *judge.judge == *identity);
        judge.map_or(0, |judge| judge.prompt_tokens)
    }

    fn judge_entry(&mut self, identity: &Arc<str>) -> &mut JudgeEstimate {
        let mut judges = self.judges.iter();
        let known = judges.position(|judge| judge.judge == *identity);
        let at = known.unwrap_or_else(|| self.add_judge(identity));
        &mut self.judges[at]
    }

    /// Adds a judge that was asked nothing so far, and returns its place.
    fn add_judge(&mut self, identity: &Arc<str>) -> usize {
        self.judges.push(JudgeEstimate {
            judge: identity.clone(),
            ..JudgeEstimate::default()
        });
        self.judges.len() - 1
    }
}

impl JudgeEstimate {
    fn add_call(&mut self, request: &Request, model: &dyn Model) {
        self.calls += 1;
        self.add_prompt(request, model);
        if let Task::Generate { decoding, .. } = &request.task {
            self.add_reply(decoding.max_tokens.into());
        }
    }

    fn add_reply(&mut self, limit: u64) {
        self.completion_tokens_at_most += limit;
        self.completion_tokens_assumed += limit.min(ASSUMED_REPLY_TOKENS);
    }

    fn add_prompt(&mut self, request: &Request, model: &dyn Model) {
        let counted = model.count_prompt_tokens(request);
        self.approximate |= counted.is_none();
        let tokens = counted.unwrap_or_else(|| approximate_request_tokens(request));
        self.prompt_tokens += tokens;
        self.prompt_tokens_at_least += tokens;
    }

    fn add(&mut self, other: &JudgeEstimate) {
        self.calls += other.calls;
        self.prompt_tokens += other.prompt_tokens;
        self.prompt_tokens_at_least += other.prompt_tokens_at_least;
        self.completion_tokens_at_most += other.completion_tokens_at_most;
        self.completion_tokens_assumed += other.completion_tokens_assumed;
        self.approximate |= other.approximate;
    }
}

/// Walks through the plan with stand-in replies and counts: once as a judge that always takes the
/// first slot and so contradicts itself wherever it can, and, where that matters, once as one that
/// never does. Calls of the second stage are not counted.
///
/// # Errors
/// What reading the data and the `stored` runs may meet.
pub fn estimate(job: &Job, model: &dyn Model, stored: &[Reader]) -> Result<Estimate, EngineError> {
    let count = |stand_in| count_plan(job, Counter::new(model, stored, stand_in));
    let most = count(StandIn::Torn)?;
    if !job.protocol.is_adaptive() {
        return Ok(most);
    }
    Ok(with_least(most, &count(StandIn::Sure)?))
}

/// Adds to the most that may be asked what is asked at least.
fn with_least(mut most: Estimate, least: &Estimate) -> Estimate {
    most.calls_at_least = least.calls;
    for judge in &mut most.judges {
        // Texts of the two walks differ, and so may the lengths of their prompts.
        let tokens = least.prompt_tokens_of(&judge.judge);
        judge.prompt_tokens_at_least = judge.prompt_tokens.min(tokens);
    }
    most
}

fn count_plan(job: &Job, mut counter: Counter<'_>) -> Result<Estimate, EngineError> {
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

impl SmallReply {
    fn reply(&self) -> Reply {
        match self {
            SmallReply::Text(text) => text_reply(text),
            SmallReply::Embeddings(pieces) => embeddings_reply(*pieces),
        }
    }
}

impl Answers for Counter<'_> {
    fn known_reply(&self, key: &RequestKey) -> Option<CallResult> {
        self.replies.get(key).map(|small| Ok(small.reply()))
    }

    fn answer_call(&mut self, missing: Missing, _: usize) -> Result<(), EngineError> {
        let Missing { key, request, .. } = missing;
        if self.replies.contains_key(&key) {
            return Ok(());
        }
        self.count_call(&key, &request)
    }
}

impl<'a> Counter<'a> {
    fn new(model: &'a dyn Model, stored: &'a [Reader], stand_in: StandIn) -> Counter<'a> {
        Counter {
            model,
            stored,
            stand_in,
            replies: HashMap::new(),
            texts: BTreeSet::new(),
            sum: Estimate::default(),
        }
    }

    fn count_call(&mut self, key: &RequestKey, request: &Request) -> Result<(), EngineError> {
        let is_stored = find_result(self.stored, key)?.is_some();
        self.sum.count_call(request, is_stored, self.model);
        let small = self.small_reply(request);
        self.replies.insert(*key, small);
        Ok(())
    }
    fn small_reply(&mut self, request: &Request) -> SmallReply {
        if let Task::Embed { pieces } = &request.task {
            return SmallReply::Embeddings(pieces.len());
        }
        let text = self.stand_in.text(request);
        SmallReply::Text(self.share_text(&text))
    }

    /// Returns the one copy of this text.
    fn share_text(&mut self, text: &str) -> Arc<str> {
        if let Some(shared) = self.texts.get(text) {
            return shared.clone();
        }
        let shared = Arc::from(text);
        self.texts.insert(Arc::clone(&shared));
        shared
    }
}
