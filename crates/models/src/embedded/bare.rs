//! What llama.cpp alone needs for the tokens of some requests: what the benchmarks compare with.

use super::engine::{Engine, Job};
use super::serve::stretches;
use evenhand_core::Request;
use std::time::{Duration, Instant};

/// Which positions llama.cpp is asked the logits of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logits {
    /// The last of each request: the raw rate of prefill.
    Last,
    /// Those that the request needs, which for a score are all of its continuation's.
    Needed,
}

/// What is read of a request: its length, of which so much is kept from the one before, and the
/// first position with logits.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) kept: usize,
    pub(super) length: usize,
    pub(super) first: usize,
}

/// Reads the requests' tokens in the order, the chunks and the stretches in which they are served,
/// and does nothing else; returns how long that takes.
pub(super) fn time(
    engines: &mut [Engine],
    requests: &[Request],
    logits: Logits,
) -> Result<Duration, String> {
    let engine = engines.first().ok_or("the model has no engine")?;
    let prepared = requests.iter().map(|request| engine.prepare(request));
    let mut jobs = prepared
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| error.message)?;
    jobs.sort_by(|one, other| one.tokens.cmp(&other.tokens));
    let stretches = stretches(jobs, engines.len(), |job| job.tokens.len());
    let sizes: Vec<Vec<Size>> = engines
        .iter()
        .zip(&stretches)
        .map(|(engine, jobs)| sizes(engine, jobs, logits))
        .collect();
    let started = Instant::now();
    std::thread::scope(|scope| {
        let reading = engines
            .iter_mut()
            .zip(&sizes)
            .map(|(engine, sizes)| scope.spawn(|| engine.stack.read_bare(sizes)));
        let reading: Vec<_> = reading.collect();
        reading.into_iter().try_for_each(|one| {
            one.join()
                .unwrap_or_else(|_| Err("a thread broke down".into()))
        })
    })?;
    Ok(started.elapsed())
}

fn sizes<'a>(
    engine: &Engine,
    jobs: impl IntoIterator<Item = &'a Job>,
    logits: Logits,
) -> Vec<Size> {
    let mut before: Option<&Job> = None;
    let mut sizes = Vec::new();
    for job in jobs {
        let (given, needed) = job.read();
        let kept = before.map_or(0, |before| {
            engine.stack.kept_after(before.read().0, given, needed)
        });
        let first = if logits == Logits::Last {
            given.len() - 1
        } else {
            needed
        };
        sizes.push(Size {
            kept,
            length: given.len(),
            first,
        });
        before = Some(job);
    }
    sizes
}
