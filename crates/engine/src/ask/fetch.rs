//! Replies to plain requests: those that no protocol makes.

use crate::EngineError;
use crate::ask::calls::{Calls, Returned};
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
    let mut fetch = Fetch::new(budget, intake);
    let keys = fetch.want_all(requests)?;
    let served = model.serve(&mut fetch);
    fetch.finish(served.map_err(EngineError::from), keys)
}

/// Requests, and what became of them.
struct Fetch<'a> {
    calls: Calls,
    intake: Option<Intake<'a>>,
    results: HashMap<RequestKey, CallResult>,
    progress: Progress,
    error: Option<EngineError>,
}

impl<'a> Fetch<'a> {
    fn new(budget: Budget, intake: Option<Intake<'a>>) -> Fetch<'a> {
        Fetch {
            calls: Calls::new(budget),
            intake,
            results: HashMap::new(),
            progress: Progress::default(),
            error: None,
        }
    }

    fn want_all(&mut self, requests: Vec<Request>) -> Result<Vec<RequestKey>, EngineError> {
        let requests = requests.into_iter();
        requests.map(|request| self.want(request)).collect()
    }
    /// Looks a request up, and wants it from the model where nobody has its reply.
    fn want(&mut self, request: Request) -> Result<RequestKey, EngineError> {
        let body = request.canonical();
        let key = RequestKey::of(&body);
        match self.stored_result(&key)? {
            Some(result) => drop(self.results.insert(key, result)),
            None => self.want_from_model(Missing { key, body, request }),
        }
        Ok(key)
    }

    fn want_from_model(&mut self, missing: Missing) {
        let is_new = self.calls.want(missing);
        self.progress.needed += u64::from(is_new);
    }

    fn stored_result(&mut self, key: &RequestKey) -> Result<Option<CallResult>, EngineError> {
        let Some(Intake { store, .. }) = &mut self.intake else {
            return Ok(None);
        };
        self.progress.reused += u64::from(store.reuse_call(key)?);
        Ok(store.result(key)?)
    }

    fn take_back(&mut self, key: RequestKey, answer: Answer) -> Result<(), EngineError> {
        let returned = self.calls.take_back(key, answer)?;
        self.progress.calls += 1;
        self.keep(&returned)?;
        self.results.insert(key, returned.answer.result);
        Ok(())
    }

    fn keep(&mut self, returned: &Returned) -> Result<(), EngineError> {
        let Some(intake) = &mut self.intake else {
            return Ok(());
        };
        intake.sink.progress(self.progress);
        if returned.is_final() {
            returned.keep(intake.store)?;
        }
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

    /// Returns what became of the requests of these keys, once the model has nothing more to serve.
    fn finish(
        mut self,
        served: Result<(), EngineError>,
        keys: Vec<RequestKey>,
    ) -> Result<Vec<Fetched>, EngineError> {
        self.error.take().map_or(served, Err)?;
        self.commit()?;
        self.fetched_all(&keys)
    }

    fn fetched_all(&self, keys: &[RequestKey]) -> Result<Vec<Fetched>, EngineError> {
        let fetched: Vec<Fetched> = keys.iter().filter_map(|key| self.fetched(key)).collect();
        if fetched.len() < keys.len() {
            return Err(self.unfinished_error(fetched.len(), keys.len()));
        }
        Ok(fetched)
    }

    fn fetched(&self, key: &RequestKey) -> Option<Fetched> {
        let result = self.results.get(key)?.clone();
        Some(Fetched { key: *key, result })
    }

    /// Why replies are lacking.
    fn unfinished_error(&self, there: usize, wanted: usize) -> EngineError {
        let judged = there as u64;
        if self.is_stopped_by_user() {
            return EngineError::Stopped { judged };
        }
        let trials = wanted - there;
        let limit = self.calls.limit_reached();
        limit.map_or(EngineError::Stuck { trials }, |limit| EngineError::Limit {
            limit,
            judged,
        })
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
