//! Replies to plain requests: those that no protocol makes.

use crate::EngineError;
use crate::ask::calls::Calls;
use crate::ask::intake::Intake;
use crate::ask::limits::Budget;
use crate::ask::pass::wanted_call;
use crate::ask::progress::Progress;
use evenhand_core::{CallResult, Request, RequestKey};
use evenhand_models::{Answer, Model, UnderWay, Work};
use evenhand_protocols::Missing;
use evenhand_store::WantedCall;
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
    let keys = fetch.want(requests)?;
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
    /// Looks requests up, and wants those from the model whose replies nobody has. Returns their
    /// addresses.
    fn want(&mut self, requests: Vec<Request>) -> Result<Vec<RequestKey>, EngineError> {
        let missing: Vec<Missing> = requests.into_iter().map(Missing::new).collect();
        let keys = missing.iter().map(|call| call.key).collect();
        if let Some(Intake { store, .. }) = &mut self.intake {
            let wanted: Vec<WantedCall> = missing.iter().map(wanted_call).collect();
            self.progress.reused += store.reuse_calls(&wanted)?;
        }
        for call in missing {
            let stored = match &self.intake {
                Some(Intake { store, .. }) => store.result(&call.key)?,
                None => None,
            };
            if let Some(result) = stored {
                self.results.insert(call.key, result);
            } else {
                self.progress.needed += u64::from(self.calls.want(call));
            }
        }
        Ok(keys)
    }

    fn take_back(&mut self, key: RequestKey, answer: Answer) -> Result<(), EngineError> {
        let returned = self.calls.take_back(key, answer)?;
        self.progress.calls += 1;
        self.progress.lost += u64::from(!returned.is_final());
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
        let Some(intake) = &mut self.intake else {
            return Ok(());
        };
        for note in intake.store.take_shared_notes() {
            intake.sink.note(&note);
        }
        Ok(intake.store.commit()?)
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

    fn add_passing_note(&mut self, note: String) {
        if let Some(intake) = &mut self.intake {
            intake.sink.passing_note(&note);
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
        self.error.is_some() || self.is_stopped_by_user() || self.calls.budget.is_out_of_time()
    }
}
