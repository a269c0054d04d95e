//! How long llama.cpp alone takes for the tokens of some requests: the baseline of the benchmarks.

use super::engine::{Engine, Job};
use super::serve::cut_into_stretches;
use super::stack::BareRead;
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

/// Reads the requests' tokens in the order, the chunks and the stretches in which they are served,
/// and does nothing else. Returns how long that takes.
pub(super) fn time_reads(
    engines: &mut [Engine],
    requests: &[Request],
    logits: Logits,
) -> Result<Duration, String> {
    let engine = engines.first().ok_or("the model has no engine")?;
    let prepared = requests.iter().map(|request| engine.prepare(request));
    let jobs: Result<Vec<Job>, _> = prepared.collect();
    let mut jobs = jobs.map_err(|error| error.message)?;
    jobs.sort_by(|one, other| one.tokens.cmp(&other.tokens));
    let stretches = cut_into_stretches(jobs, engines.len(), |job| job.tokens.len());
    let reads: Vec<Vec<BareRead>> = engines
        .iter()
        .zip(&stretches)
        .map(|(engine, jobs)| measure_reads(engine, jobs, logits))
        .collect();
    let started = Instant::now();
    read_side_by_side(engines, &reads)?;
    Ok(started.elapsed())
}

fn read_side_by_side(engines: &mut [Engine], reads: &[Vec<BareRead>]) -> Result<(), String> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = engines
            .iter_mut()
            .zip(reads)
            .map(|(engine, reads)| scope.spawn(|| engine.stack.read_bare(reads)))
            .collect();
        for thread in threads {
            thread
                .join()
                .unwrap_or_else(|_| Err("a thread broke down".into()))?;
        }
        Ok(())
    })
}

fn measure_reads<'a>(
    engine: &Engine,
    jobs: impl IntoIterator<Item = &'a Job>,
    logits: Logits,
) -> Vec<BareRead> {
    let mut before: Option<&Job> = None;
    let mut reads = Vec::new();
    for job in jobs {
        let (given, needed) = job.read_tokens();
        let kept = before.map_or(0, |before| {
            let (before, _) = before.read_tokens();
            engine.stack.kept_after(before, given, needed)
        });
        reads.push(BareRead {
            kept,
            length: given.len(),
            first: match logits {
                Logits::Last => given.len() - 1,
                Logits::Needed => needed,
            },
        });
        before = Some(job);
    }
    reads
}
