//! One pass of a protocol over what is known: the run's own calls, and those of the runs that it
//! reuses.

use crate::{EngineError, Job};
use evenhand_core::{CallResult, RequestKey, Response, Trial};
use evenhand_protocols::{Awaited, Missing, Pass, run_again};
use evenhand_store::{Store, WantedCall};
use std::cell::RefCell;

/// Runs a trial's protocol from the top, again as often as other runs hold what it lacks; returns
/// how it ended, and the number of calls that were copied from other runs. `here` has what is known
/// beside the store, and comes first. `awaited` is what an earlier pass over the trial met first of
/// what was missing.
pub(crate) fn pass_over_store(
    job: &Job,
    trial: &Trial,
    responses: &[Response],
    store: &mut Store,
    awaited: Option<Awaited>,
    here: impl Fn(&RequestKey) -> Option<CallResult>,
) -> Result<(Pass, u64), EngineError> {
    let mut reused = 0;
    loop {
        let pass = pass_once(job, trial, responses, store, awaited, &here)?;
        let Pass::Pending(missing) = &pass else {
            return Ok((pass, reused));
        };
        let wanted: Vec<WantedCall> = missing.iter().map(wanted_call).collect();
        let more = store.reuse_calls(&wanted)?;
        if more == 0 {
            return Ok((pass, reused));
        }
        reused += more;
    }
}

/// Returns a call as it is looked for in other runs.
pub(crate) fn wanted_call(missing: &Missing) -> WantedCall<'_> {
    WantedCall {
        key: &missing.key,
        judge: &missing.request.judge,
        request: &missing.body,
        about: &missing.request.about,
    }
}

/// Runs a trial's protocol from the top, over the run's own calls and what is known `here`.
pub(crate) fn pass_once(
    job: &Job,
    trial: &Trial,
    responses: &[Response],
    store: &Store,
    awaited: Option<Awaited>,
    here: &impl Fn(&RequestKey) -> Option<CallResult>,
) -> Result<Pass, EngineError> {
    // A protocol knows no store: an error of it is kept aside until the protocol has returned.
    let broken = RefCell::new(None);
    let known = |key: &RequestKey| {
        here(key).or_else(|| {
            store.result(key).unwrap_or_else(|error| {
                broken.replace(Some(error));
                None
            })
        })
    };
    let view = job.view(trial, responses)?;
    let Job {
        protocol, judges, ..
    } = job;
    let pass = run_again(protocol, &view, judges, trial.replicate, &known, awaited);
    match broken.into_inner() {
        Some(error) => Err(error.into()),
        None => Ok(pass),
    }
}
