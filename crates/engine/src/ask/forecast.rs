//! Foresees the calls of a run whose questions depend on verdicts: a simulated judge answers in
//! memory, and nothing is sent.

use crate::ask::replay::{Answers, replay};
use crate::ask::stores::find_result;
use crate::{EngineError, Estimate, Job};
use evenhand_core::{CallResult, Outcome, Request, RequestKey, Trial};
use evenhand_models::Model;
use evenhand_models::simulated::{Simulated, Spec};
use evenhand_protocols::Missing;
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
    /// Makes a forecast over these systems, best first, and these runs.
    ///
    /// # Errors
    /// What making a simulated judge may meet; nothing that is known.
    pub fn new(systems: &[Arc<str>], stored: Vec<Reader>) -> Result<Forecast, EngineError> {
        let flawless = Spec {
            accuracy: Some(1.0),
            gap: Some(1.0),
            ..Spec::default()
        };
        Ok(Forecast {
            stored,
            judge: Simulated::new(flawless, systems)?,
            replies: HashMap::new(),
        })
    }

    /// Returns what becomes of trials of a job, in their order. The trials are counted in `sum`,
    /// and each call that no sum has counted before; `model` counts their tokens.
    ///
    /// # Errors
    /// What reading the runs and the data may meet.
    pub fn judge_trials(
        &mut self,
        job: &Job,
        trials: &[Trial],
        model: &dyn Model,
        sum: &mut Estimate,
    ) -> Result<Vec<Outcome>, EngineError> {
        sum.trials += trials.len() as u64;
        let mut counting = Counting {
            forecast: self,
            model,
            sum,
        };
        trials
            .iter()
            .map(|trial| Ok(replay(job, trial, &mut counting)?.outcome))
            .collect()
    }

    /// Returns what becomes of plain requests, as [`Session::fetch`](crate::Session::fetch) would,
    /// in their order. Each call that no sum has counted before is counted in `sum`; `model` counts
    /// their tokens.
    ///
    /// # Errors
    /// What reading the runs may meet.
    pub fn fetch(
        &mut self,
        requests: &[Request],
        model: &dyn Model,
        sum: &mut Estimate,
    ) -> Result<Vec<CallResult>, EngineError> {
        let mut counting = Counting {
            forecast: self,
            model,
            sum,
        };
        requests
            .iter()
            .map(|request| counting.reply_to(request.key(), request))
            .collect()
    }
}

/// A forecast that counts in one sum.
struct Counting<'a> {
    forecast: &'a mut Forecast,
    model: &'a dyn Model,
    sum: &'a mut Estimate,
}

impl Counting<'_> {
    /// Returns the reply of a run, else of the simulated judge, and counts the call once.
    fn reply_to(&mut self, key: RequestKey, request: &Request) -> Result<CallResult, EngineError> {
        if let Some(known) = self.known_reply(&key) {
            return Ok(known);
        }
        let found = find_result(&self.forecast.stored, &key)?;
        self.sum.count_call(request, found.is_some(), self.model);
        let result = found.unwrap_or_else(|| self.forecast.judge.answer(&key, request));
        self.forecast.replies.insert(key, result.clone());
        Ok(result)
    }
}

impl Answers for Counting<'_> {
    fn known_reply(&self, key: &RequestKey) -> Option<CallResult> {
        self.forecast.replies.get(key).cloned()
    }

    fn answer_call(&mut self, missing: Missing, _: usize) -> Result<(), EngineError> {
        self.reply_to(missing.key, &missing.request).map(|_| ())
    }
}
