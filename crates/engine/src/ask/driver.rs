//! The driver of re-executed protocols: the one place where missing replies are obtained.
//!
//! A trial is run from the top; what it lacks is handed to the model; when the last missing reply
//! is in, it is run again. Judgments come out in plan order whatever the order of the replies.

use crate::ask::limits::Budget;
use crate::ask::pass::pass;
use crate::{EngineError, FailureRow, Job, Tally};
use evenhand_core::{
    CallError, CallResult, FailureKind, Item, Judgment, Request, RequestKey, Response, Trial,
};
use evenhand_models::{Answer, UnderWay, Work};
use evenhand_protocols::{Done, Missing, Pass};
use evenhand_store::{Call, Store};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Trials that may be under way at once.
const OPEN: usize = 4096;
/// Judgments that may wait for their turn: a call that is tried again for a minute holds up none of
/// the others.
const WAITING: usize = 65_536;
/// The first judgments, in plan order: where all of them fail in one way, so will the rest.
const FIRST: u64 = 20;
/// Ways to fail that asking another trial does not change, where they are the judge's or its
/// set-up's.
const LASTING: [FailureKind; 3] = [
    FailureKind::Unparsed,
    FailureKind::Truncated,
    FailureKind::ModelError,
];

/// What a run has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Judgments handed on, in plan order.
    pub judged: u64,
    /// Trials that came to a verdict so far, in any order.
    pub verdicts: u64,
    /// Trials that failed so far, in any order, by the place of their kind in [`FailureKind::ALL`].
    pub failed: [u64; FailureKind::ALL.len()],
    /// Calls made by this process.
    pub calls: u64,
    /// Calls taken over from other runs by this process.
    pub taken_over: u64,
    /// Trials whose first calls are known.
    pub started: u64,
    /// Calls that the trials started so far needed from the judge.
    pub needed: u64,
    /// Calls whose replies were cut short, and were asked for once more.
    pub cut_short: u64,
    /// Calls that this process wanted again, since their replies were no use.
    pub asked_again: u64,
    /// What the judge has under way.
    pub under_way: UnderWay,
}

impl Progress {
    /// Tokens read and written so far, where the judge counts them as it goes.
    pub fn tokens(&self) -> u64 {
        self.under_way.read.saturating_add(self.under_way.written)
    }

    fn count(&mut self, judgment: &Judgment) {
        match &judgment.outcome {
            Ok(_) => self.verdicts += 1,
            Err(failure) => self.failed[failure.kind as usize] += 1,
        }
    }
}

/// Takes judgments in plan order, and is told of the progress.
pub trait Sink {
    /// A judgment, with its item and the responses of its trial in slot order.
    fn judgment(&mut self, judgment: Judgment, item: &Item, responses: &[Response]);

    /// How far the run is, after each call and each judgment, and while the judge is waited for.
    fn progress(&mut self, _: Progress) {}

    /// Something that the user must know of how the judge served.
    fn note(&mut self, _: &str) {}
}

pub(crate) struct Driver<'a, Trials> {
    job: &'a Job,
    store: &'a mut Store,
    sink: &'a mut dyn Sink,
    stop: &'a AtomicBool,
    trials: Trials,
    budget: Budget,
    ready: VecDeque<(RequestKey, Arc<Request>)>,
    /// Calls under way.
    waiting: HashMap<RequestKey, Waiting>,
    /// Trials that wait, and how many replies each lacks.
    open: HashMap<u64, (Trial, usize)>,
    /// Calls that failed in a way that another run may mend.
    failed: HashMap<RequestKey, CallError>,
    /// The call that came last, which a trial is about to look up.
    fresh: Option<(RequestKey, CallResult)>,
    /// Judgments whose turn has not come.
    done: BTreeMap<u64, Judgment>,
    progress: Progress,
    cut_short: HashSet<RequestKey>,
    /// What became of the first judgments.
    first: Tally,
    /// The failure that all of the first judgments share.
    hopeless: Option<FailureRow>,
    error: Option<EngineError>,
}

/// The failure that all of the first judgments share, once they are there, if it is one that lasts.
fn lasting(first: &Tally) -> Option<FailureRow> {
    let coverage = first.coverage();
    let failed = coverage.trials == FIRST && coverage.verdicts == 0;
    let rows = if failed { first.failures() } else { Vec::new() };
    let [row] = <[FailureRow; 1]>::try_from(rows).ok()?;
    LASTING
        .iter()
        .any(|kind| kind.name() == row.kind)
        .then_some(row)
}

/// A call under way: what will be stored of it, and the trials that wait for it.
struct Waiting {
    judge: Arc<str>,
    body: String,
    trials: Vec<u64>,
    /// US dollars put by for it, once it is under way.
    reserved: f64,
}

impl<'a, Trials: Iterator<Item = Trial>> Driver<'a, Trials> {
    pub(crate) fn new(
        job: &'a Job,
        trials: Trials,
        store: &'a mut Store,
        budget: Budget,
        sink: &'a mut dyn Sink,
        stop: &'a AtomicBool,
    ) -> Self {
        Driver {
            job,
            store,
            sink,
            stop,
            trials,
            budget,
            ready: VecDeque::new(),
            waiting: HashMap::new(),
            open: HashMap::new(),
            failed: HashMap::new(),
            fresh: None,
            done: BTreeMap::new(),
            progress: Progress::default(),
            cut_short: HashSet::new(),
            first: Tally::default(),
            hopeless: None,
            error: None,
        }
    }

    /// What was done, once the model has nothing more to serve.
    pub(crate) fn finish(mut self) -> Result<Progress, EngineError> {
        let finished = self
            .store
            .commit()
            .map_err(EngineError::from)
            .and_then(|()| self.finished());
        // A judge that fails the first trials again has answered: later, they can be asked once
        // more.
        if matches!(&finished, Err(error) if !matches!(error, EngineError::Hopeless { .. })) {
            self.store.break_off_retries();
        }
        finished
    }

    fn finished(&mut self) -> Result<Progress, EngineError> {
        match self.error.take() {
            Some(error) => Err(error),
            None if self.stop.load(Ordering::Relaxed) => Err(EngineError::Stopped {
                judged: self.all_judged(),
            }),
            None if self.is_left_hopeless() => Err(self.hopeless_error()),
            None if !self.open.is_empty() => Err(self.unfinished()),
            None => Ok(self.progress),
        }
    }

    /// Trials that came to an end, those that wait for their turn in the order of the plan
    /// included.
    fn all_judged(&self) -> u64 {
        self.progress.judged + self.done.len() as u64
    }

    /// Whether no more is to be asked before it is known that the judge comes to a verdict at all.
    fn waits_for_the_first(&self) -> bool {
        let known = self.progress.verdicts > 0
            || self.progress.judged >= FIRST
            || self.budget.keeps_going();
        self.progress.started >= FIRST && !known
    }

    /// Whether trials are left that are not worth their calls.
    fn is_left_hopeless(&mut self) -> bool {
        self.hopeless.is_some() && (!self.open.is_empty() || self.trials.next().is_some())
    }

    fn hopeless_error(&mut self) -> EngineError {
        let (first, trials) = (self.hopeless.take(), self.open.len());
        let run = self.store.dir().to_path_buf();
        first.map_or(EngineError::Stuck { trials }, |first| {
            EngineError::Hopeless {
                first: Box::new(first),
                run,
            }
        })
    }

    /// Whether calls are wanted or under way that are not worth making.
    fn is_hopeless(&self) -> bool {
        self.hopeless.is_some() && !(self.ready.is_empty() && self.waiting.is_empty())
    }

    /// Why trials are left that wait.
    fn unfinished(&self) -> EngineError {
        match self
            .budget
            .reached(self.ready.front().map(|(_, request)| &**request))
        {
            Some(limit) => EngineError::Limit {
                limit,
                judged: self.all_judged(),
            },
            None => EngineError::Stuck {
                trials: self.open.len(),
            },
        }
    }

    /// Starts the next trial; false when there is none or the window is full.
    fn start(&mut self) -> bool {
        if self.open.len() >= OPEN
            || self.done.len() >= WAITING
            || self.waits_for_the_first()
            || self.is_stopped()
        {
            return false;
        }
        let Some(trial) = self.trials.next() else {
            return false;
        };
        self.progress.started += 1;
        self.attempt(|driver| {
            driver
                .want_again(&trial)
                .and_then(|()| driver.advance(trial))
        });
        true
    }

    /// Wants the calls again whose stored replies were no use to this trial, where that is asked
    /// for.
    fn want_again(&mut self, trial: &Trial) -> Result<(), EngineError> {
        if !self.budget.retries_any() {
            return Ok(());
        }
        let responses = self.job.responses(trial)?;
        let Pass::Done(done) = self.pass(trial, &responses)? else {
            return Ok(());
        };
        for (_, key) in done
            .at_fault
            .iter()
            .filter(|(kind, _)| self.budget.retries(*kind))
        {
            self.progress.asked_again += u64::from(self.store.want_again(key)?);
        }
        Ok(())
    }

    /// Runs a trial once from the top.
    fn advance(&mut self, trial: Trial) -> Result<(), EngineError> {
        let responses = self.job.responses(&trial)?;
        match self.pass(&trial, &responses)? {
            Pass::Done(Done {
                outcome,
                calls,
                looks,
                cut_short,
                ..
            }) => {
                self.cut_short.extend(cut_short);
                self.progress.cut_short = self.cut_short.len() as u64;
                self.settle(
                    Judgment {
                        trial,
                        outcome,
                        calls,
                        looks,
                    },
                    responses,
                )
            }
            Pass::Pending(missing) if missing.is_empty() => Err(EngineError::Stuck { trials: 1 }),
            Pass::Pending(missing) => {
                self.open
                    .insert(trial.index, (trial.clone(), missing.len()));
                missing
                    .into_iter()
                    .for_each(|missing| self.want(missing, trial.index));
                Ok(())
            }
        }
    }

    /// What is known: the call that came last, what failed in this process, the store, and the runs
    /// that may be taken over from.
    fn pass(&mut self, trial: &Trial, responses: &[Response]) -> Result<Pass, EngineError> {
        let Driver {
            job,
            store,
            fresh,
            failed,
            ..
        } = self;
        let here = |key: &RequestKey| match &*fresh {
            Some((fresh, result)) if fresh == key => Some(result.clone()),
            _ => failed.get(key).map(|error| Err(error.clone())),
        };
        let (pass, taken_over) = pass(
            job,
            &job.view(trial, responses)?,
            trial.replicate,
            store,
            here,
        )?;
        self.progress.taken_over += taken_over;
        Ok(pass)
    }

    fn want(&mut self, Missing { key, body, request }: Missing, trial: u64) {
        let (ready, needed) = (&mut self.ready, &mut self.progress.needed);
        let waiting = self.waiting.entry(key).or_insert_with(|| {
            let judge = request.judge.clone();
            ready.push_back((key, Arc::new(request)));
            *needed += 1;
            Waiting {
                judge,
                body,
                trials: Vec::new(),
                reserved: 0.0,
            }
        });
        waiting.trials.push(trial);
    }

    /// Keeps a finished judgment, and hands on those whose turn has come.
    fn settle(&mut self, judgment: Judgment, responses: Vec<Response>) -> Result<(), EngineError> {
        self.progress.count(&judgment);
        if judgment.trial.index != self.progress.judged {
            self.done.insert(judgment.trial.index, judgment);
            return Ok(());
        }
        self.hand_on(judgment, &responses)?;
        while let Some(judgment) = self.done.remove(&self.progress.judged) {
            let responses = self.job.responses(&judgment.trial)?;
            self.hand_on(judgment, &responses)?;
        }
        Ok(())
    }

    fn hand_on(&mut self, judgment: Judgment, responses: &[Response]) -> Result<(), EngineError> {
        let item = &self.job.dataset.items[judgment.trial.item as usize];
        self.store.put_judgment(&judgment, &item.id, responses)?;
        self.progress.judged += 1;
        if self.progress.judged <= FIRST {
            self.first.add(&judgment, item, responses);
            self.hopeless = lasting(&self.first).filter(|_| !self.budget.keeps_going());
        }
        self.sink.judgment(judgment, item, responses);
        self.sink.progress(self.progress);
        Ok(())
    }

    fn take(&mut self, key: RequestKey, Answer { result, raw }: Answer) -> Result<(), EngineError> {
        let Some(Waiting {
            judge,
            body,
            trials,
            reserved,
        }) = self.waiting.remove(&key)
        else {
            return Err(EngineError::Unasked);
        };
        self.progress.calls += 1;
        self.budget.take_back(
            reserved,
            &judge,
            &result.as_ref().map(|reply| reply.usage).unwrap_or_default(),
        );
        self.sink.progress(self.progress);
        match result {
            Err(error) if !error.kind.is_final() => drop(self.failed.insert(key, error)),
            result => {
                self.store.put(&Call {
                    key: &key,
                    judge: &judge,
                    request: &body,
                    result: &result,
                    raw: raw.as_deref(),
                    batch: false,
                })?;
                self.fresh = Some((key, result));
            }
        }
        trials.into_iter().try_for_each(|trial| self.arrived(trial))
    }

    fn arrived(&mut self, trial: u64) -> Result<(), EngineError> {
        let Some((_, lacking)) = self.open.get_mut(&trial) else {
            return Ok(());
        };
        *lacking -= 1;
        match *lacking {
            0 => self
                .open
                .remove(&trial)
                .map_or(Ok(()), |(trial, _)| self.advance(trial)),
            _ => Ok(()),
        }
    }

    fn attempt(&mut self, step: impl FnOnce(&mut Self) -> Result<(), EngineError>) {
        if self.error.is_none() {
            self.error = step(self).err();
        }
    }
}

impl<Trials: Iterator<Item = Trial>> Work for Driver<'_, Trials> {
    fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
        while self.ready.is_empty() && self.start() {}
        let next = self.ready.front().map(|(_, request)| &**request);
        if self.is_stopped() || next.is_none() || self.budget.reached(next).is_some() {
            return None;
        }
        let (key, request) = self.ready.pop_front()?;
        let reserved = self.budget.hand_out(&request);
        if let Some(waiting) = self.waiting.get_mut(&key) {
            waiting.reserved = reserved;
        }
        Some((key, request))
    }

    fn deliver(&mut self, key: RequestKey, answer: Answer) {
        self.attempt(|driver| driver.take(key, answer));
    }

    fn flush(&mut self) {
        self.attempt(|driver| Ok(driver.store.commit()?));
    }

    fn add_note(&mut self, note: String) {
        self.sink.note(&note);
    }

    fn under_way(&mut self, now: UnderWay) {
        self.progress.under_way = now;
        self.sink.progress(self.progress);
        self.flush();
    }

    fn is_stopped(&self) -> bool {
        self.error.is_some()
            || self.is_hopeless()
            || self.stop.load(Ordering::Relaxed)
            || self.budget.out_of_time()
    }
}

#[cfg(test)]
#[path = "driver_tests.rs"]
mod tests;
