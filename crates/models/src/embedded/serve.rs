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

/// What the workers share.
struct Shared {
    /// For each worker its stretch of the sorted requests.
    stretches: Mutex<Vec<VecDeque<Waiting>>>,
    stop: AtomicBool,
}

/// Answers requests until none is ready, or the run is to end.
pub(super) fn serve(engines: &mut [Engine], work: &mut dyn Work) {
    let counted: Vec<Arc<Counted>> = engines
        .iter()
        .map(|engine| engine.stack.counted.clone())
        .collect();
    while let Some(engine) = engines.first() {
        let batch = take(engine, work);
        if batch.is_empty() || work.stopped() {
            return;
        }
        let stretches = stretches(batch, engines.len(), |waiting| waiting.job.tokens.len());
        let shared = Shared {
            stretches: Mutex::new(stretches),
            stop: AtomicBool::new(false),
        };
        std::thread::scope(|scope| {
            let (sender, results) = channel();
            for (own, engine) in engines.iter_mut().enumerate() {
                let (sender, shared) = (sender.clone(), &shared);
                scope.spawn(move || walk(engine, own, shared, &sender));
            }
            drop(sender);
            hand_in(&results, &shared, &counted, work);
        });
    }
}

/// Takes what is ready, in the order in which prefixes are shared most. What cannot be evaluated is
/// delivered at once, and may make more ready.
fn take(engine: &Engine, work: &mut dyn Work) -> Vec<Waiting> {
    let mut batch = Vec::new();
    while batch.len() < MOST_AT_ONCE && !work.stopped() {
        let Some((key, request)) = work.next() else {
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
pub(super) fn stretches<T>(
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

/// One worker: its own stretch from the front, then the ends of the others'.
fn walk(
    engine: &mut Engine,
    own: usize,
    shared: &Shared,
    results: &Sender<(RequestKey, CallResult)>,
) {
    let stopped = || shared.stop.load(Ordering::Relaxed);
    while let Some(waiting) = shared.next(own).filter(|_| !stopped()) {
        let result = match engine.evaluate(&waiting.request, &waiting.job, &stopped) {
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
    fn next(&self, own: usize) -> Option<Waiting> {
        let mut stretches = self
            .stretches
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(waiting) = stretches.get_mut(own).and_then(VecDeque::pop_front) {
            return Some(waiting);
        }
        stretches
            .iter_mut()
            .max_by_key(|stretch| stretch.len())
            .and_then(VecDeque::pop_back)
    }
}

/// What all workers have read and written so far.
fn tokens(counted: &[Arc<Counted>]) -> UnderWay {
    let sum = |of: fn(&Counted) -> &AtomicU64| -> u64 {
        counted
            .iter()
            .map(|one| of(one).load(Ordering::Relaxed))
            .sum()
    };
    UnderWay {
        read: sum(|one| &one.read),
        written: sum(|one| &one.written),
        ..UnderWay::default()
    }
}

/// Delivers results as they come, and tells the workers when the run is to end.
fn hand_in(
    results: &Receiver<(RequestKey, CallResult)>,
    shared: &Shared,
    counted: &[Arc<Counted>],
    work: &mut dyn Work,
) {
    let mut told = Instant::now();
    loop {
        if told.elapsed() >= TELL_EVERY {
            told = Instant::now();
            work.under_way(tokens(counted));
        }
        match results.recv_timeout(LOOK_EVERY) {
            Ok((key, result)) => work.deliver(key, result.into()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if work.stopped() {
            shared.stop.store(true, Ordering::Relaxed);
        }
    }
}
