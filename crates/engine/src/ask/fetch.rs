//! Replies to plain requests: those that no protocol makes.

use crate::EngineError;
use crate::ask::calls::Calls;
use crate::ask::intake::Intake;
use crate::ask::limits::Budget;
use crate::ask::progress::Progress;
use evenhand_core::{CallResult, Request, RequestKey};
use evenhand_models::{Answer, Model, UnderWay, Work};
use evenhand_protocols::Missing;
use std::collections::HashMap;
use std::sync::Arc;

/// A request's result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fetched {
    /// The request's content address.
    pub key: RequestKey,
    /// The reply, or why there is none.
    pub result: CallResult,
}

/// Obtains a reply to each of these requests, in their order: from the intake's store, from runs
/// that it reuses, or from the model. Without an intake, nothing is kept, and nobody is told.
pub(crate) fn fetch(
    model: &mut dyn Model,
    requests: Vec<Request>,
    budget: Budget,
    intake: Option<Intake<'_>>,
) -> Result<Vec<Fetched>, EngineError> {
    let mut fetch = Fetch {
        calls: Calls::new(budget),
        intake,
        results: HashMap::new(),
        progress: Progress::default(),
        error: None,
    };
    let mut keys = Vec::with_capacity(requests.len());
    for request in requests {
        keys.push(fetch.want(request)?);
    }
    let served = model.serve(&mut fetch);
    if let Some(error) = fetch.error.take() {
        return Err(error);
    }
    served?;
    fetch.commit()?;

    let fetched: Vec<Fetched> = keys
        .iter()
        .filter_map(|key| {
            let result = fetch.results.get(key)?.clone();
            Some(Fetched { key: *key, result })
        })
        .collect();
    if fetched.len() == keys.len() {
        return Ok(fetched);
    }
    let judged = fetched.len() as u64;
    if fetch.is_stopped_by_user() {
        return Err(EngineError::Stopped { judged });
    }
    match fetch.calls.limit_reached() {
        Some(limit) => Err(EngineError::Limit { limit, judged }),
        None => Err(EngineError::Stuck {
            trials: keys.len() - fetched.len(),
        }),
    }
}

/// Requests, and what became of them.
struct Fetch<'a> {
    calls: Calls,
    intake: Option<Intake<'a>>,
    results: HashMap<RequestKey, CallResult>,
    progress: Progress,
    error: Option<EngineError>,
}

impl Fetch<'_> {
    /// Looks a request up, and wants it from the model where nobody has its reply.
    fn want(&mut self, request: Request) -> Result<RequestKey, EngineError> {
        let body = request.canonical();
        let key = RequestKey::of(&body);
        let mut stored = None;
        if let Some(Intake { store, .. }) = &mut self.intake {
            self.progress.reused += u64::from(store.reuse_call(&key)?);
            stored = store.result(&key)?;
        }
        if let Some(result) = stored {
            self.results.insert(key, result);
        } else {
            let is_new = self.calls.want(Missing { key, body, request });
            self.progress.needed += u64::from(is_new);
        }
        Ok(key)
    }

    fn take_back(&mut self, key: RequestKey, answer: Answer) -> Result<(), EngineError> {
        let returned = self.calls.take_back(key, answer)?;
        self.progress.calls += 1;
        if let Some(intake) = &mut self.intake {
            intake.sink.progress(self.progress);
            if returned.is_final() {
                returned.keep(intake.store)?;
            }
        }
        self.results.insert(key, returned.answer.result);
        Ok(())
    }

    fn commit(&mut self) -> Result<(), EngineError> {
        match &mut self.intake {
            Some(intake) => Ok(intake.store.commit()?),
            None => Ok(()),
        }
    }

    fn attempt(&mut self, step: impl FnOnce(&mut Self) -> Result<(), EngineError>) {
        if self.error.is_none() {
            self.error = step(self).err();
        }
    }

    fn is_stopped_by_user(&self) -> bool {
        self.intake.as_ref().is_some_and(Intake::is_stopped)
    }
}

impl Work for Fetch<'_> {
    fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
        if self.is_stopped() {
            None
        } else {
            self.calls.hand_out()
        }
    }

    fn deliver(&mut self, key: RequestKey, answer: Answer) {
        self.attempt(|fetch| fetch.take_back(key, answer));
    }

    fn flush(&mut self) {
        self.attempt(Fetch::commit);
    }

    fn add_note(&mut self, note: String) {
        if let Some(intake) = &mut self.intake {
            intake.sink.note(&note);
        }
    }

    fn under_way(&mut self, now: UnderWay) {
        self.progress.under_way = now;
        if let Some(intake) = &mut self.intake {
            intake.sink.progress(self.progress);
        }
        self.flush();
    }

    fn is_stopped(&self) -> bool {
        self.error.is_some() || self.is_stopped_by_user() || self.calls.budget().is_out_of_time()
    }
}
