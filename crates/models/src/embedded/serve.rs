//! Serving a queue: what is ready is sorted so that prompts which begin alike follow one another,
//! and each worker walks through a stretch of it.

use super::engine::{Engine, Job};
use super::halt::Halt;
use super::stack::Counted;
use crate::{UnderWay, Work};
use evenhand_core::{CallResult, Request, RequestKey};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many requests are sorted at a time.
const MOST_AT_ONCE: usize = 256;
/// How long it may take until a stop is noticed while every worker is reading.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often it is told how many tokens were read and written.
const TELL_EVERY: Duration = Duration::from_millis(500);

/// A request that waits for its turn.
struct Waiting {
    key: RequestKey,
    request: Arc<Request>,
    job: Job,
}

/// The state that the workers share.
struct Shared {
    /// For each worker its stretch of the sorted requests.
    stretches: Mutex<Vec<VecDeque<Waiting>>>,
    stop: AtomicBool,
}

/// Answers requests until none is ready, or the run is to end.
pub(super) fn serve_queue(engines: &mut [Engine], work: &mut dyn Work) {
    while let Some(engine) = engines.first() {
        let batch = take_batch(engine, work);
        if batch.is_empty() || work.is_stopped() {
            engine.forest.clear();
            return;
        }
        let workers = engines.len();
        let stretches = cut_into_stretches(batch, workers, |waiting| waiting.job.tokens.len());
        let shared = Shared {
            stretches: Mutex::new(stretches),
            stop: AtomicBool::new(false),
        };
        let counted: Vec<Arc<Counted>> = engines
            .iter()
            .map(|engine| engine.stack.counted.clone())
            .collect();
        std::thread::scope(|scope| {
            let (sender, results) = channel();
            for (own, engine) in engines.iter_mut().enumerate() {
                let (sender, shared) = (sender.clone(), &shared);
                scope.spawn(move || work_through(engine, own, shared, &sender));
            }
            drop(sender);
            deliver_results(&results, &shared, &counted, work);
        });
    }
}

/// Takes what is ready, in the order in which prefixes are shared most. What cannot be evaluated is
/// delivered at once, and may make more ready.
fn take_batch(engine: &Engine, work: &mut dyn Work) -> Vec<Waiting> {
    let mut batch = Vec::new();
    while batch.len() < MOST_AT_ONCE && !work.is_stopped() {
        let Some((key, request)) = work.next_request() else {
            break;
        };
        match engine.prepare(&request) {
            Ok(job) => batch.push(Waiting { key, request, job }),
            Err(error) => work.deliver(key, Err(error).into()),
        }
    }
    // By token ids: the order of a walk through the tree of all prefixes.
    batch.sort_by(|one, other| one.job.tokens.cmp(&other.job.tokens));
    batch
}

/// Cuts the batch into stretches of about as many tokens each.
pub(super) fn cut_into_stretches<T>(
    batch: Vec<T>,
    workers: usize,
    tokens_of: impl Fn(&T) -> usize,
) -> Vec<VecDeque<T>> {
    let tokens: usize = batch.iter().map(&tokens_of).sum();
    let mut stretches: Vec<VecDeque<T>> = (0..workers).map(|_| VecDeque::new()).collect();
    let mut before = 0;
    for waiting in batch {
        let worker = (before * workers / tokens.max(1)).min(workers - 1);
        before += tokens_of(&waiting);
        stretches[worker].push_back(waiting);
    }
    stretches
}

/// Works as one worker: its own stretch from the front, then the ends of the others'.
fn work_through(
    engine: &mut Engine,
    own: usize,
    shared: &Shared,
    results: &Sender<(RequestKey, CallResult)>,
) {
    let is_stopped = || shared.stop.load(Ordering::Relaxed);
    while let Some(waiting) = shared.next_for(own).filter(|_| !is_stopped()) {
        let result = match engine.evaluate(&waiting.request, &waiting.job, &is_stopped) {
            Ok(reply) => Ok(reply),
            Err(Halt::Failed(error)) => Err(error),
            Err(Halt::Stopped) => return,
        };
        if results.send((waiting.key, result)).is_err() {
            return;
        }
    }
}

impl Shared {
    /// Takes the next request of a worker's own stretch, else the last of the longest stretch: it
    /// is the farthest from what its own worker reads now.
    fn next_for(&self, own: usize) -> Option<Waiting> {
        let stretches = self.stretches.lock();
        let mut stretches = stretches.unwrap_or_else(PoisonError::into_inner);
        let mine = stretches.get_mut(own).and_then(VecDeque::pop_front);
        mine.or_else(|| {
            let longest = stretches.iter_mut().max_by_key(|stretch| stretch.len());
            longest.and_then(VecDeque::pop_back)
        })
    }
}

fn sum_of(counted: &[Arc<Counted>], count: fn(&Counted) -> &AtomicU64) -> u64 {
    counted
        .iter()
        .map(|one| count(one).load(Ordering::Relaxed))
        .sum()
}

/// Delivers results as they come, and tells the workers when the run is to end.
fn deliver_results(
    results: &Receiver<(RequestKey, CallResult)>,
    shared: &Shared,
    counted: &[Arc<Counted>],
    work: &mut dyn Work,
) {
    let mut told = Instant::now();
    loop {
        if told.elapsed() >= TELL_EVERY {
            told = Instant::now();
            // What all workers have read and written so far.
            work.under_way(UnderWay {
                read: sum_of(counted, |one| &one.read),
                written: sum_of(counted, |one| &one.written),
                ..UnderWay::default()
            });
        }
        match results.recv_timeout(LOOK_EVERY) {
            Ok((key, result)) => work.deliver(key, result.into()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if work.is_stopped() {
            shared.stop.store(true, Ordering::Relaxed);
        }
    }
}
