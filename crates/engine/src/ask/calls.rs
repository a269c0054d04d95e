//! Calls that are wanted or under way: each is made once, within the budget.

use crate::EngineError;
use crate::ask::limits::Budget;
use evenhand_core::{Request, RequestKey};
use evenhand_models::Answer;
use evenhand_protocols::Missing;
use evenhand_store::{Call, Store, WantedCall};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// Calls from when they are wanted until they come back.
pub(crate) struct Calls {
    pub(super) budget: Budget,
    /// Wanted, and not handed out yet.
    ready: VecDeque<(RequestKey, Arc<Request>)>,
    /// Wanted or handed out.
    open: HashMap<RequestKey, OpenCall>,
}

/// A call that has not come back: what will be stored of it, and the trials that wait for it.
struct OpenCall {
    request: Arc<Request>,
    body: String,
    trials: Vec<u64>,
    /// Whether a trial that wants it failed in an earlier session, since no answer came.
    failed_before: bool,
    /// US dollars put by for it, once it is handed out.
    reserved: f64,
}

/// A call that came back.
pub(crate) struct Returned {
    pub(crate) key: RequestKey,
    request: Arc<Request>,
    body: String,
    /// The trials that wait for it.
    pub(crate) trials: Vec<u64>,
    pub(crate) answer: Answer,
}

impl Calls {
    pub(crate) fn new(budget: Budget) -> Calls {
        Calls {
            budget,
            ready: VecDeque::new(),
            open: HashMap::new(),
        }
    }

    /// Wants a call; whether nobody wanted it before.
    pub(crate) fn want(&mut self, missing: Missing) -> bool {
        let Missing {
            key, body, request, ..
        } = missing;
        let Entry::Vacant(place) = self.open.entry(key) else {
            return false;
        };
        let request = Arc::new(request);
        place.insert(OpenCall {
            request: request.clone(),
            body,
            trials: Vec::new(),
            failed_before: false,
            reserved: 0.0,
        });
        self.ready.push_back((key, request));
        true
    }

    /// Wants a call for a trial, which is told when the call comes back; whether nobody wanted it
    /// before. `failed_before` where no answer came for the trial in an earlier session.
    pub(crate) fn want_for(&mut self, trial: u64, missing: Missing, failed_before: bool) -> bool {
        let key = missing.key;
        let is_new = self.want(missing);
        if let Some(call) = self.open.get_mut(&key) {
            call.trials.push(trial);
            call.failed_before |= failed_before;
        }
        is_new
    }

    /// Whether no answer came to a call in an earlier session.
    pub(crate) fn failed_before(&self, key: &RequestKey) -> bool {
        self.open.get(key).is_some_and(|call| call.failed_before)
    }

    /// Hands out the call that was wanted first, if there is one. It stays where the budget forbids
    /// it.
    pub(crate) fn hand_out(&mut self) -> Option<(RequestKey, Arc<Request>)> {
        let (_, next) = self.ready.front()?;
        if self.budget.limit_reached(Some(next)).is_some() {
            return None;
        }
        let (key, request) = self.ready.pop_front()?;
        let reserved = self.budget.hand_out(&request);
        if let Some(call) = self.open.get_mut(&key) {
            call.reserved = reserved;
        }
        Some((key, request))
    }

    /// Lists the calls that are wanted and were not handed out.
    pub(crate) fn ready(&self) -> impl Iterator<Item = WantedCall<'_>> {
        let open = self
            .ready
            .iter()
            .filter_map(|(key, _)| self.open.get_key_value(key));
        open.map(|(key, call)| WantedCall {
            key,
            judge: &call.request.judge,
            request: &call.body,
            about: &call.request.about,
        })
    }

    /// Puts the call at this place first, of those that were not handed out; the others stay in
    /// their order.
    pub(crate) fn put_first(&mut self, place: usize) {
        if let Some(call) = self.ready.remove(place) {
            self.ready.push_front(call);
        }
    }

    /// Wants these calls no more, which were not handed out. Returns the trials that wait for them,
    /// as often as they do.
    pub(crate) fn withdraw(&mut self, keys: &HashSet<RequestKey>) -> Vec<u64> {
        self.ready.retain(|(key, _)| !keys.contains(key));
        let calls = keys.iter().filter_map(|key| self.open.remove(key));
        let mut trials: Vec<u64> = calls.flat_map(|call| call.trials).collect();
        // In the order of the plan, whatever the order of the keys.
        trials.sort_unstable();
        trials
    }

    /// Takes back a call.
    ///
    /// # Errors
    /// [`EngineError::Unasked`] for a call that was not wanted.
    pub(crate) fn take_back(
        &mut self,
        key: RequestKey,
        answer: Answer,
    ) -> Result<Returned, EngineError> {
        let call = self.open.remove(&key).ok_or(EngineError::Unasked)?;
        // A call that failed costs nothing that is known.
        let usage = answer.result.as_ref().map(|reply| reply.usage);
        let usage = usage.unwrap_or_default();
        self.budget
            .take_back(call.reserved, &call.request.judge, &usage);
        Ok(Returned {
            key,
            request: call.request,
            body: call.body,
            trials: call.trials,
            answer,
        })
    }

    /// Whether no call is wanted that was not handed out.
    pub(crate) fn none_ready(&self) -> bool {
        self.ready.is_empty()
    }

    /// How many calls are wanted that were not handed out.
    pub(crate) fn count_ready(&self) -> usize {
        self.ready.len()
    }

    /// Whether every call that was wanted has come back.
    pub(crate) fn none_open(&self) -> bool {
        self.open.is_empty()
    }

    /// The limit that the next call would break, as the user named it.
    pub(crate) fn limit_reached(&self) -> Option<String> {
        let next = self.ready.front().map(|(_, request)| &**request);
        self.budget.limit_reached(next)
    }
}

impl Returned {
    /// Whether asking again would bring nothing else: a reply, or an error that lasts. Other errors
    /// are not stored, so that the next run asks again.
    pub(crate) fn is_final(&self) -> bool {
        match &self.answer.result {
            Ok(_) => true,
            Err(error) => error.kind.is_final(),
        }
    }

    /// Stores the call.
    pub(crate) fn keep(&self, store: &mut Store) -> Result<(), EngineError> {
        Ok(store.put(&Call {
            key: &self.key,
            judge: &self.request.judge,
            request: &self.body,
            about: &self.request.about,
            result: &self.answer.result,
            raw: self.answer.raw.as_deref(),
            batch: false,
        })?)
    }
}
