//! Counts the calls of a run before anything is spent.

use crate::ask::replay::{Answers, replay_by};
use crate::ask::stand_in::{StandIn, embeddings_reply, stand_in_words, text_reply};
use crate::ask::stores::find_result;
use crate::ask::tournament::{TournamentItems, even_trials};
use crate::cost::{ASSUMED_REPLY_TOKENS, approximate_request_tokens, approximate_state_tokens};
use crate::{EngineError, Job};
use evenhand_core::{CallResult, Request, RequestKey, Task, Trial, Wanted};
use evenhand_models::Model;
use evenhand_protocols::{Judges, Missing, Panel};
use evenhand_store::Reader;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// The calls that a run would make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Planned judgments.
    pub trials: u64,
    /// Distinct calls, at most: a protocol that asks again where the judge contradicts itself, or
    /// about what the judge itself lists, may need fewer.
    pub calls: u64,
    /// Distinct calls, at least: where the judge never contradicts itself, and lists and writes as
    /// little as it may.
    pub calls_at_least: u64,
    /// Of these, calls whose reply the run directory, or a run that is reused, has already.
    pub stored: u64,
    /// The calls that are left, judge by judge in the order of their first calls.
    pub judges: Vec<JudgeEstimate>,
    /// The states of which a question was counted that shares its call with others.
    states: HashSet<[u8; 32]>,
}

/// The calls of one judge, beside those that the run directory has already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgeEstimate {
    /// The judge's identity.
    pub judge: Arc<str>,
    /// Distinct calls that are left, at most.
    pub calls: u64,
    /// The requests that they go out in: fewer than the calls where questions about one state share
    /// a request.
    pub requests: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Tokens of the prompts where the judge never contradicts itself.
    pub prompt_tokens_at_least: u64,
    /// The most tokens that they may write, those that the judge may use to think included.
    pub completion_tokens_at_most: u64,
    /// Of these, the tokens that judges which are known to think may use for it.
    pub tokens_to_think: u64,
    /// The tokens that they write if each reply has [`ASSUMED_REPLY_TOKENS`], or its limit where
    /// that is less.
    pub completion_tokens_assumed: u64,
    /// Tokens of the shortest and of the longest of these prompts; None where no call is left.
    pub prompt_lengths: Option<[u64; 2]>,
    /// Whether prompts were counted by [`approximate_request_tokens`], as the judge has no
    /// tokenizer at hand.
    pub approximate: bool,
}

impl Estimate {
    /// Returns the requests that the calls that are left go out in.
    pub fn requests(&self) -> u64 {
        self.judges.iter().map(|judge| judge.requests).sum()
    }

    /// Returns the tokens of the prompts of the calls that are left.
    pub fn prompt_tokens(&self) -> u64 {
        self.judges.iter().map(|judge| judge.prompt_tokens).sum()
    }

    /// Returns the most tokens that the calls that are left may write.
    pub fn completion_tokens_at_most(&self) -> u64 {
        let judges = self.judges.iter();
        judges.map(|judge| judge.completion_tokens_at_most).sum()
    }

    /// Returns how many of these are for judges to think.
    pub fn tokens_to_think(&self) -> u64 {
        self.judges.iter().map(|judge| judge.tokens_to_think).sum()
    }

    /// Returns the tokens of the shortest and of the longest prompt of the calls that are left, of
    /// all judges; None where no call is left.
    pub fn prompt_lengths(&self) -> Option<[u64; 2]> {
        let lengths = self.judges.iter().filter_map(|judge| judge.prompt_lengths);
        lengths.reduce(widest)
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
            judge.requests += other.requests;
            judge.prompt_tokens += other.prompt_tokens;
            judge.prompt_tokens_at_least += other.prompt_tokens_at_least;
            judge.completion_tokens_at_most += other.completion_tokens_at_most;
            judge.completion_tokens_assumed += other.completion_tokens_assumed;
            judge.tokens_to_think += other.tokens_to_think;
            let both = [judge.prompt_lengths, other.prompt_lengths];
            judge.prompt_lengths = both.into_iter().flatten().reduce(widest);
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
        let shared = match (&request.task, request.about.together) {
            (Task::Decide { state, .. }, 2..) if !stored => {
                let digest = request.state_digest();
                let is_new = digest.is_some_and(|digest| self.states.insert(digest));
                (!is_new).then(|| approximate_state_tokens(state))
            }
            _ => None,
        };
        let judge = self.judge_entry(&request.judge);
        if stored {
            return;
        }
        judge.calls += 1;
        judge.requests += u64::from(shared.is_none());
        let counted = model.count_prompt_tokens(request);
        judge.approximate |= counted.is_none();
        // A state that a question shares with one before it is sent once.
        let tokens = counted.unwrap_or_else(|| {
            approximate_request_tokens(request).saturating_sub(shared.unwrap_or(0))
        });
        judge.prompt_tokens += tokens;
        judge.prompt_tokens_at_least += tokens;
        let lengths = judge.prompt_lengths.unwrap_or([tokens; 2]);
        judge.prompt_lengths = Some(widest(lengths, [tokens; 2]));
        if let Task::Generate { decoding, .. } = &request.task {
            let limit = u64::from(decoding.max_tokens);
            let thought = model.tokens_to_think(request);
            judge.completion_tokens_at_most += limit + thought;
            judge.tokens_to_think += thought;
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

/// Returns the range that holds both.
fn widest(one: [u64; 2], other: [u64; 2]) -> [u64; 2] {
    [one[0].min(other[0]), one[1].max(other[1])]
}

/// Walks through the plan (of a tournament: through one in which everybody is as good, which has as
/// many trials) with stand-in replies and counts: once as judges that always take the first slot
/// and so contradict themselves wherever they can, and, where that matters, once as ones that never
/// do. Calls of the second stage are not counted, nor those that ask again for a reply that was cut
/// short.
///
/// # Errors
/// What reading the data and the `stored` runs may meet.
pub fn estimate(job: &Job, model: &dyn Model, stored: &[Reader]) -> Result<Estimate, EngineError> {
    let mut most = count_plan(job, model, stored, StandIn::Torn)?;
    if !job.protocol.calls_vary(job.judges.panel.len()) {
        return Ok(most);
    }
    let mut least = count_plan(job, model, stored, StandIn::Sure { ties: true })?;
    if let Panel::Escalate(_) = job.protocol.panel() {
        // A tie is what orders agree on, and what makes a panel ask its next member.
        let certain = count_plan(job, model, stored, StandIn::Sure { ties: false })?;
        if certain.calls < least.calls {
            least = certain;
        }
    }
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
        counted: HashSet::new(),
        sum: Estimate::default(),
    };
    let judges = Judges {
        asks_all: matches!(stand_in, StandIn::Torn),
        ..job.judges.clone()
    };
    let mut count = |trial: &Trial| {
        counter.sum.trials += 1;
        replay_by(job, &judges, trial, &mut counter).map(|_| ())
    };
    match TournamentItems::of_job(job)? {
        Some(items) => even_trials(job, &items)?.iter().try_for_each(&mut count)?,
        None => job.plan.trials().try_for_each(|trial| count(&trial))?,
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
    /// The calls that are counted where the judge is sure, as if all that it writes were alike.
    counted: HashSet<RequestKey>,
    sum: Estimate,
}

/// The mark before the key of the call that a text came from, which makes it like no other.
const UNLIKE: &str = "stand-in#";

/// Returns the key that a request would have if all texts that the judge wrote were alike.
fn key_without_texts(request: &Request) -> RequestKey {
    let mut request = request.clone();
    for message in &mut request.messages {
        let mut parts = message.content.split(UNLIKE);
        let mut plain = parts.next().unwrap_or_default().to_string();
        // The key behind each mark goes with it.
        plain.extend(parts.map(|part| part.split_once(' ').map_or("", |(_, rest)| rest)));
        message.content = plain;
    }
    request.key()
}

/// A stand-in in little room.
enum SmallReply {
    Text(Arc<str>),
    /// A text like no other: what is shown in the place of responses is as different as they are.
    Unlike,
    /// Embeddings of so many pieces.
    Embeddings(usize),
}

impl Answers for Counter<'_> {
    fn known_reply(&self, key: &RequestKey) -> Option<CallResult> {
        Some(Ok(match self.replies.get(key)? {
            SmallReply::Text(text) => text_reply(text),
            SmallReply::Unlike => text_reply(&format!("{UNLIKE}{key} {}", stand_in_words())),
            SmallReply::Embeddings(pieces) => embeddings_reply(*pieces),
        }))
    }

    fn answer_call(&mut self, missing: Missing, _: usize) -> Result<(), EngineError> {
        let Missing { key, request, .. } = missing;
        if self.replies.contains_key(&key) {
            return Ok(());
        }
        // At least: two texts that the judge writes may be alike, and what shows them the same
        // call.
        let is_counted = match self.stand_in {
            StandIn::Torn => true,
            StandIn::Sure { .. } => self.counted.insert(key_without_texts(&request)),
        };
        if is_counted {
            let is_stored = find_result(self.stored, &key)?.is_some();
            self.sum.count_call(&request, is_stored, self.model);
        }
        let small = match &request.task {
            Task::Embed { pieces } => SmallReply::Embeddings(pieces.len()),
            Task::Generate { answers: None, .. } if request.about.wanted == Wanted::Text => {
                SmallReply::Unlike
            }
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

#[cfg(test)]
#[path = "estimate_tests.rs"]
mod tests;
