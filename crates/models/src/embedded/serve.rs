//! Serving a queue: what is ready is sorted so that prompts which begin alike follow one another.

use super::engine::{Engine, Job};
use super::halt::Halt;
use crate::Work;
use evenhand_core::{Request, RequestKey};
use std::sync::Arc;

/// How many requests are sorted at a time.
const MOST_AT_ONCE: usize = 256;

/// A request that waits for its turn.
struct Waiting {
    key: RequestKey,
    request: Arc<Request>,
    job: Job,
}

/// Answers requests until none is ready, or the run is to end.
pub(super) fn serve(engine: &mut Engine, work: &mut dyn Work) {
    loop {
        let batch = take(engine, work);
        if batch.is_empty() {
            return;
        }
        for waiting in batch {
            if work.stopped() || !answer(engine, work, waiting) {
                return;
            }
        }
    }
}

/// Takes what is ready, in the order in which prefixes are shared most. What cannot be evaluated is delivered at once, and may
/// make more ready.
fn take(engine: &Engine, work: &mut dyn Work) -> Vec<Waiting> {
    let mut batch = Vec::new();
    while batch.len() < MOST_AT_ONCE && !work.stopped() {
        let Some((key, request)) = work.next() else { break };
        match engine.prepare(&request) {
            Ok(job) => batch.push(Waiting { key, request, job }),
            Err(error) => work.deliver(key, Err(error)),
        }
    }
    // By token ids: the order of a walk through the tree of all prefixes.
    batch.sort_by(|one, other| one.job.tokens.cmp(&other.job.tokens));
    batch
}

/// Evaluates a request and delivers the result; false if the run is to end.
fn answer(engine: &mut Engine, work: &mut dyn Work, waiting: Waiting) -> bool {
    let result = engine.evaluate(&waiting.request, &waiting.job, &|| work.stopped());
    match result {
        Ok(reply) => work.deliver(waiting.key, Ok(reply)),
        Err(Halt::Failed(error)) => work.deliver(waiting.key, Err(error)),
        Err(Halt::Stopped) => return false,
    }
    true
}
