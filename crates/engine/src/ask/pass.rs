//! One pass of a protocol over what is known: the run's own calls, and those of the runs that it
//! may take over from.

use crate::{EngineError, Job};
use evenhand_core::{CallResult, RequestKey, View};
use evenhand_protocols::{Pass, run};
use evenhand_store::Store;
use std::cell::RefCell;

/// Runs a protocol from the top, again as often as other runs hold what it lacks; the number of
/// calls that were taken over. `here` has what is known beside the store, and comes first.
pub(crate) fn pass(
    job: &Job,
    view: &View,
    replicate: u32,
    store: &mut Store,
    here: impl Fn(&RequestKey) -> Option<CallResult>,
) -> Result<(Pass, u64), EngineError> {
    let mut taken = 0;
    loop {
        let pass = once(job, view, replicate, store, &here)?;
        match take_over(store, &pass)? {
            0 => return Ok((pass, taken)),
            more => taken += more,
        }
    }
}

fn once(
    job: &Job,
    view: &View,
    replicate: u32,
    store: &Store,
    here: &impl Fn(&RequestKey) -> Option<CallResult>,
) -> Result<Pass, EngineError> {
    let broken = RefCell::new(None);
    let stored = |key: &RequestKey| {
        store.result(key).unwrap_or_else(|error| {
            broken.borrow_mut().replace(error);
            None
        })
    };
    let pass = run(
        &job.protocol,
        view,
        &job.judges,
        replicate,
        &|key: &RequestKey| here(key).or_else(|| stored(key)),
    );
    broken
        .into_inner()
        .map_or(Ok(pass), |error| Err(error.into()))
}

/// Takes over what a pass lacks and other runs hold, and says how many calls those are.
fn take_over(store: &mut Store, pass: &Pass) -> Result<u64, EngineError> {
    let Pass::Pending(missing) = pass else {
        return Ok(0);
    };
    let mut taken = 0;
    for missing in missing {
        taken += u64::from(store.take_over(&missing.key)?);
    }
    Ok(taken)
}
