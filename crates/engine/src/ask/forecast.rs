//! What would be asked where the questions depend on verdicts: a simulated judge answers in memory,
//! and nothing is sent.

use crate::ask::estimate::MOST_ROUNDS;
use crate::ask::run::result_in;
use crate::{EngineError, Estimate, Job};
use evenhand_core::{CallResult, Outcome, Request, RequestKey, Trial};
use evenhand_models::Model;
use evenhand_models::simulated::{Simulated, Spec};
use evenhand_protocols::{Pass, run};
use evenhand_store::Reader;
use std::collections::HashMap;
use std::sync::Arc;

/// Replies of runs where they have them, and of a simulated judge that always knows which of two
/// systems is better, and so never contradicts itself.
pub struct Forecast {
    stored: Vec<Reader>,
    judge: Simulated,
    replies: HashMap<RequestKey, CallResult>,
}

impl Forecast {
    /// Over these systems, best first.
    ///
    /// # Errors
    /// None that is known; those of making a simulated judge.
    pub fn new(systems: &[Arc<str>], stored: Vec<Reader>) -> Result<Forecast, EngineError> {
        let spec = Spec {
            accuracy: Some(1.0),
            gap: 1.0,
            ..Spec::default()
        };
        Ok(Forecast {
            stored,
            judge: Simulated::new(spec, systems)?,
            replies: HashMap::new(),
        })
    }

    /// What becomes of trials of a job, in their order. Trials are counted in `sum`, and calls too
    /// that were in no sum before; `model` counts their tokens.
    ///
    /// # Errors
    /// What reading the run directory and the data may meet.
    pub fn judge(
        &mut self,
        job: &Job,
        trials: &[Trial],
        model: &dyn Model,
        sum: &mut Estimate,
    ) -> Result<Vec<Outcome>, EngineError> {
        sum.trials += trials.len() as u64;
        trials
            .iter()
            .map(|trial| self.trial(job, trial, model, sum))
            .collect()
    }

    fn trial(
        &mut self,
        job: &Job,
        trial: &Trial,
        model: &dyn Model,
        sum: &mut Estimate,
    ) -> Result<Outcome, EngineError> {
        let responses = job.responses(trial)?;
        let view = job.view(trial, &responses)?;
        for _ in 0..MOST_ROUNDS {
            let transcript = |key: &RequestKey| self.replies.get(key).cloned();
            match run(
                &job.protocol,
                &view,
                &job.judges,
                trial.replicate,
                &transcript,
            ) {
                Pass::Done(done) => return Ok(done.outcome),
                Pass::Pending(missing) => {
                    for missing in missing {
                        _ = self.reply(&missing.key, &missing.request, model, sum)?;
                    }
                }
            }
        }
        Err(EngineError::Stuck { trials: 1 })
    }

    /// The reply to a call, which is counted in `sum` if it was in none before.
    pub(crate) fn reply(
        &mut self,
        key: &RequestKey,
        request: &Request,
        model: &dyn Model,
        sum: &mut Estimate,
    ) -> Result<CallResult, EngineError> {
        if let Some(known) = self.replies.get(key) {
            return Ok(known.clone());
        }
        let stored = result_in(&self.stored, key)?;
        sum.count(request, stored.is_some(), model);
        let reply = stored.unwrap_or_else(|| self.judge.answer(key, request));
        self.replies.insert(*key, reply.clone());
        Ok(reply)
    }
}
