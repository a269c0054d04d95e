//! What a run would ask, before anything is spent.

use crate::{EngineError, Job};
use evenhand_core::{CallResult, Finish, Likelihood, Reply, Request, RequestKey, Task, Usage, View};
use evenhand_models::Model;
use evenhand_protocols::{Pass, run};
use evenhand_store::Reader;
use std::collections::HashSet;
use std::sync::Arc;

/// Rounds after which a protocol that still wants more is at fault.
const MOST_ROUNDS: usize = 64;

/// What a run would ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Planned judgments.
    pub trials: u64,
    /// Distinct calls.
    pub calls: u64,
    /// Of these, calls whose reply the run directory has already.
    pub stored: u64,
    /// Tokens of the prompts of the calls that are left; None where the judge has no tokenizer at hand.
    pub prompt_tokens: Option<u64>,
    /// The most tokens that they may write.
    pub completion_tokens_at_most: u64,
}

/// Walks through the plan with stand-in replies and counts.
pub fn estimate(job: &Job, model: &dyn Model, stored: Option<&Reader>) -> Result<Estimate, EngineError> {
    let mut counter = Counter { seen: HashSet::new(), sum: Estimate { prompt_tokens: Some(0), ..Estimate::default() } };
    for trial in job.plan.trials() {
        let responses = job.responses(&trial)?;
        let view = View { item: &job.dataset.items[trial.item as usize], responses: &responses };
        counter.sum.trials += 1;
        counter.trial(&view, job, model, stored)?;
    }
    Ok(counter.sum)
}

struct Counter {
    seen: HashSet<RequestKey>,
    sum: Estimate,
}

impl Counter {
    fn trial(&mut self, view: &View, job: &Job, model: &dyn Model, stored: Option<&Reader>) -> Result<(), EngineError> {
        for _ in 0..MOST_ROUNDS {
            let transcript = |key: &RequestKey| self.seen.contains(key).then(stand_in);
            match run(&job.protocol, view, &Arc::clone(&job.judge), 0, &transcript) {
                Pass::Done(..) => return Ok(()),
                Pass::Pending(missing) => {
                    missing.iter().try_for_each(|missing| self.count(&missing.key, &missing.request, model, stored))?
                }
            }
        }
        Err(EngineError::Stuck { trials: 1 })
    }

    fn count(
        &mut self,
        key: &RequestKey,
        request: &Request,
        model: &dyn Model,
        stored: Option<&Reader>,
    ) -> Result<(), EngineError> {
        if !self.seen.insert(*key) {
            return Ok(());
        }
        self.sum.calls += 1;
        if let Some(run) = stored
            && run.result(key)?.is_some()
        {
            self.sum.stored += 1;
            return Ok(());
        }
        self.sum.prompt_tokens = self.sum.prompt_tokens.zip(model.prompt_tokens(request)).map(|(sum, tokens)| sum + tokens);
        if let Task::Generate { decoding, .. } = &request.task {
            self.sum.completion_tokens_at_most += u64::from(decoding.max_tokens);
        }
        Ok(())
    }
}

/// A reply that lets any protocol go on to its next round.
fn stand_in() -> CallResult {
    let likelihood = Some(Likelihood { logprob: -1.0, tokens: 1 });
    Ok(Reply { text: "stand-in".into(), finish: Finish::Stop, answers: None, likelihood, usage: Usage::default() })
}
