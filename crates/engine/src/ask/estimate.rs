//! What a run would ask, before anything is spent.

use crate::ask::run::result_in;
use crate::cost::{ASSUMED_REPLY_TOKENS, approximate_request_tokens};
use crate::{EngineError, Job};
use evenhand_core::{
    AnswerOptions, Embeddings, Likelihood, Reply, Request, RequestKey, Task, View, Wanted,
};
use evenhand_models::Model;
use evenhand_protocols::{Pass, run};
use evenhand_store::Reader;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Rounds after which a protocol that still wants more is at fault.
pub(crate) const MOST_ROUNDS: usize = 64;

/// What a run would ask.
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

/// What one judge would be asked, beside what the run directory has already.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// What they write if each reply has [`ASSUMED_REPLY_TOKENS`], or its limit where that is less.
    pub completion_tokens_assumed: u64,
    /// Whether prompts were counted by [`approximate_request_tokens`], as the judge has no
    /// tokenizer at hand.
    pub approximate: bool,
}

impl Estimate {
    /// Tokens of the prompts of the calls that are left.
    pub fn prompt_tokens(&self) -> u64 {
        self.judges.iter().map(|judge| judge.prompt_tokens).sum()
    }

    /// The most tokens that the calls that are left may write.
    pub fn completion_tokens_at_most(&self) -> u64 {
        self.judges
            .iter()
            .map(|judge| judge.completion_tokens_at_most)
            .sum()
    }

    /// Whether the prompts of any judge were counted by approximation.
    pub fn approximate(&self) -> bool {
        self.judges.iter().any(|judge| judge.approximate)
    }

    /// The two together, where no call is in both.
    pub fn and(mut self, other: &Estimate) -> Estimate {
        self.trials += other.trials;
        self.calls += other.calls;
        self.calls_at_least += other.calls_at_least;
        self.stored += other.stored;
        other
            .judges
            .iter()
            .for_each(|judge| self.judge(&judge.judge).and(judge));
        self
    }

    /// Counts a call that was not counted before; `stored` where the run directory has its reply.
    pub(crate) fn count(&mut self, request: &Request, stored: bool, model: &dyn Model) {
        self.calls += 1;
        self.calls_at_least += 1;
        self.stored += u64::from(stored);
        let judge = self.judge(&request.judge);
        if !stored {
            judge.add(request, model);
        }
    }

    fn judge(&mut self, identity: &Arc<str>) -> &mut JudgeEstimate {
        let at = self
            .judges
            .iter()
            .position(|judge| judge.judge == *identity)
            .unwrap_or(self.judges.len());
        if at == self.judges.len() {
            self.judges.push(JudgeEstimate::new(identity.clone()));
        }
        &mut self.judges[at]
    }
}

impl JudgeEstimate {
    fn new(judge: Arc<str>) -> Self {
        JudgeEstimate {
            judge,
            calls: 0,
            prompt_tokens: 0,
            prompt_tokens_at_least: 0,
            completion_tokens_at_most: 0,
            completion_tokens_assumed: 0,
            approximate: false,
        }
    }

    fn add(&mut self, request: &Request, model: &dyn Model) {
        let counted = model.count_prompt_tokens(request);
        self.calls += 1;
        self.approximate |= counted.is_none();
        let tokens = counted.unwrap_or_else(|| approximate_request_tokens(request));
        self.prompt_tokens += tokens;
        self.prompt_tokens_at_least += tokens;
        if let Task::Generate { decoding, .. } = &request.task {
            let limit = u64::from(decoding.max_tokens);
            self.completion_tokens_at_most += limit;
            self.completion_tokens_assumed += limit.min(ASSUMED_REPLY_TOKENS);
        }
    }

    fn and(&mut self, other: &JudgeEstimate) {
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
/// never does. The second stage is not counted.
pub fn estimate(job: &Job, model: &dyn Model, stored: &[Reader]) -> Result<Estimate, EngineError> {
    let most = walk(job, model, stored, StandIn::Torn)?;
    let least = if job.protocol.is_adaptive() {
        walk(job, model, stored, StandIn::Sure)?
    } else {
        most.clone()
    };
    let tokens = |judge: &JudgeEstimate| {
        least
            .judges
            .iter()
            .find(|other| other.judge == judge.judge)
            .map(|j| j.prompt_tokens)
    };
    let fewest = |judge: JudgeEstimate| JudgeEstimate {
        prompt_tokens_at_least: tokens(&judge).map_or(0, |least| least.min(judge.prompt_tokens)),
        ..judge
    };
    Ok(Estimate {
        calls_at_least: least.calls,
        judges: most.judges.into_iter().map(fewest).collect(),
        ..most
    })
}

fn walk(
    job: &Job,
    model: &dyn Model,
    stored: &[Reader],
    stand_in: StandIn,
) -> Result<Estimate, EngineError> {
    let mut counter = Counter {
        seen: HashMap::new(),
        texts: BTreeSet::new(),
        stand_in,
        sum: Estimate::default(),
    };
    for trial in job.plan.trials() {
        let responses = job.responses(&trial)?;
        let view = job.view(&trial, &responses)?;
        counter.sum.trials += 1;
        counter.trial(&view, job, model, stored)?;
    }
    Ok(counter.sum)
}

struct Counter {
    /// The stand-in for each call.
    seen: HashMap<RequestKey, Seen>,
    texts: BTreeSet<Arc<str>>,
    stand_in: StandIn,
    sum: Estimate,
}

/// A stand-in in little room.
enum Seen {
    Text(Arc<str>),
    /// Embeddings of so many pieces.
    Embeddings(usize),
}

impl Seen {
    fn reply(&self) -> Reply {
        match self {
            Seen::Text(text) => reply(text),
            Seen::Embeddings(pieces) => embeddings(*pieces),
        }
    }
}

impl Counter {
    fn trial(
        &mut self,
        view: &View,
        job: &Job,
        model: &dyn Model,
        stored: &[Reader],
    ) -> Result<(), EngineError> {
        for _ in 0..MOST_ROUNDS {
            let transcript = |key: &RequestKey| self.seen.get(key).map(|seen| Ok(seen.reply()));
            match run(&job.protocol, view, &job.judges, 0, &transcript) {
                Pass::Done(..) => return Ok(()),
                Pass::Pending(missing) => missing.iter().try_for_each(|missing| {
                    self.count(&missing.key, &missing.request, model, stored)
                })?,
            }
        }
        Err(EngineError::Stuck { trials: 1 })
    }

    /// Keeps the stand-in for a call; false where there is one already.
    fn first_time(&mut self, key: &RequestKey, request: &Request) -> bool {
        if self.seen.contains_key(key) {
            return false;
        }
        let seen = match &request.task {
            Task::Embed { pieces } => Seen::Embeddings(pieces.len()),
            _ => Seen::Text(self.shared(self.stand_in.text(request))),
        };
        self.seen.insert(*key, seen);
        true
    }

    /// The one copy of this text.
    fn shared(&mut self, text: String) -> Arc<str> {
        let text = self
            .texts
            .get(&*text)
            .cloned()
            .unwrap_or_else(|| text.into());
        self.texts.insert(text.clone());
        text
    }

    fn count(
        &mut self,
        key: &RequestKey,
        request: &Request,
        model: &dyn Model,
        stored: &[Reader],
    ) -> Result<(), EngineError> {
        if !self.first_time(key, request) {
            return Ok(());
        }
        self.sum
            .count(request, result_in(stored, key)?.is_some(), model);
        Ok(())
    }
}

/// A judge that lets any protocol go on to its next round.
#[derive(Clone, Copy)]
pub(crate) enum StandIn {
    /// Takes the first slot.
    Torn,
    /// Takes the same response wherever it stands.
    Sure,
}

/// How long an analysis, a list of criteria or a reference answer is taken to be, in words.
const WORDS: usize = 100;

impl StandIn {
    pub(crate) fn reply(self, request: &Request) -> Reply {
        match &request.task {
            Task::Embed { pieces } => embeddings(pieces.len()),
            _ => reply(&self.text(request)),
        }
    }

    fn text(self, request: &Request) -> String {
        let first = match (self, &request.about.responses[..]) {
            (StandIn::Sure, [a, b]) => a.text <= b.text,
            _ => true,
        };
        let pick = |options: &[String], at: usize| options.get(at).cloned().unwrap_or_default();
        match (&request.task, &request.about.wanted) {
            (
                Task::Generate {
                    answers: Some(AnswerOptions { options, after }),
                    ..
                },
                wanted,
            ) => {
                let second = if *wanted == Wanted::Step {
                    options.len().saturating_sub(1)
                } else {
                    1
                };
                closing(after, &pick(options, if first { 0 } else { second }))
            }
            (_, Wanted::Scores { low, high, after }) if first => {
                closing(after, &format!("{high} {low}"))
            }
            (_, Wanted::Scores { low, high, after }) => closing(after, &format!("{low} {high}")),
            (_, Wanted::Order { after }) => closing(after, &order(request, self)),
            _ => "stand-in ".repeat(WORDS),
        }
    }
}

fn closing(after: &str, verdict: &str) -> String {
    if after.is_empty() {
        verdict.to_string()
    } else {
        format!("{after} {verdict}")
    }
}

fn order(request: &Request, stand_in: StandIn) -> String {
    let responses = &request.about.responses;
    let mut slots: Vec<u8> = (0..responses.len() as u8).collect();
    if let StandIn::Sure = stand_in {
        slots.sort_by_key(|slot| responses[*slot as usize].text.clone());
    }
    let letters: Vec<String> = slots
        .iter()
        .map(|slot| char::from(b'A' + slot).to_string())
        .collect();
    letters.join(" > ")
}

fn reply(text: &str) -> Reply {
    let likelihood = Some(Likelihood {
        logprob: -1.0,
        tokens: 1,
        apart: 0.0,
    });
    Reply {
        text: text.into(),
        likelihood,
        ..Reply::default()
    }
}

/// What stands at the beginning of a response is like what stands at the beginning of another.
fn embeddings(pieces: usize) -> Reply {
    let place = |at: usize| (at as f32 + 0.5) / pieces as f32;
    let vectors: Vec<Vec<f32>> = (0..pieces)
        .map(|at| vec![1.0 - place(at), place(at)])
        .collect();
    Reply {
        embeddings: Embeddings::new(&vectors).ok(),
        ..Reply::default()
    }
}
