//! The driver of re-executed protocols: it obtains the replies that trials lack.
//!
//! A trial is run from the top; what it lacks is handed to the model; when the last missing reply
//! is in, it is run again. Judgments come out in plan order whatever the order of the replies.

use crate::ask::calls::Calls;
use crate::ask::intake::Intake;
use crate::ask::limits::Budget;
use crate::ask::outlook::{FIRST, Outlook};
use crate::ask::pass::pass_over_store;
use crate::{EngineError, Job, Progress};
use evenhand_core::{CallError, CallResult, Judgment, Request, RequestKey, Response, Trial};
use evenhand_models::{Answer, UnderWay, Work};
use evenhand_protocols::{Done, Missing, Pass};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Trials that may be under way at once.
const MOST_OPEN: usize = 4096;
/// Judgments that may wait for their turn: a call that is tried again for a minute holds up none of
/// the others.
const MOST_WAITING: usize = 65_536;

/// Runs the trials of a job over a session's intake.
pub(crate) struct Driver<'a, Trials> {
    job: &'a Job,
    intake: Intake<'a>,
    trials: Trials,
    calls: Calls,
    /// Trials that wait for replies, by their index.
    open: HashMap<u64, OpenTrial>,
    /// Calls that failed in a way that another run may mend.
    failed: HashMap<RequestKey, CallError>,
    /// The call that came last, which a trial is about to look up.
    fresh: Option<(RequestKey, CallResult)>,
    /// Judgments whose turn has not come, by the index of their trial.
    waiting: BTreeMap<u64, Judgment>,
    progress: Progress,
    cut_short: HashSet<RequestKey>,
    outlook: Outlook,
    error: Option<EngineError>,
}

/// A trial that waits, and how many replies it lacks.
struct OpenTrial {
    trial: Trial,
    lacking: usize,
}

/// The trials' story: begun, run over what is known, and again when what they lacked has come.
impl<'a, Trials: Iterator<Item = Trial>> Driver<'a, Trials> {
    pub(crate) fn new(job: &'a Job, trials: Trials, intake: Intake<'a>, budget: Budget) -> Self {
        Driver {
            job,
            intake,
            trials,
            outlook: Outlook::new(budget.keeps_going()),
            calls: Calls::new(budget),
            open: HashMap::new(),
            failed: HashMap::new(),
            fresh: None,
            waiting: BTreeMap::new(),
            progress: Progress::default(),
            cut_short: HashSet::new(),
            error: None,
        }
    }

    /// Begins the next trial; false when there is none or the window is full.
    fn begin_next(&mut self) -> bool {
        if !self.has_room() || self.is_stopped() {
            return false;
        }
        let Some(trial) = self.trials.next() else {
            return false;
        };
        self.progress.started += 1;
        self.attempt(|driver| driver.begin(trial));
        true
    }

    fn has_room(&self) -> bool {
        self.open.len() < MOST_OPEN
            && self.waiting.len() < MOST_WAITING
            && !self.waits_for_the_first()
    }

    /// Whether no more is to be asked before it is known that the judge comes to a verdict at all.
    fn waits_for_the_first(&self) -> bool {
        self.progress.started >= FIRST && self.progress.verdicts == 0 && self.outlook.is_open()
    }

    fn begin(&mut self, trial: Trial) -> Result<(), EngineError> {
        if self.calls.budget().retries_any() {
            self.want_again(&trial)?;
        }
        self.advance(trial)
    }

    /// Wants the calls again whose stored replies were no use to this trial, where that is asked
    /// for.
    fn want_again(&mut self, trial: &Trial) -> Result<(), EngineError> {
        let responses = self.job.responses(trial)?;
        let Pass::Done(done) = self.pass(trial, &responses)? else {
            return Ok(());
        };
        for (kind, key) in &done.at_fault {
            if self.calls.budget().retries_kind(*kind) {
                self.progress.asked_again += u64::from(self.intake.store.want_again(key)?);
            }
        }
        Ok(())
    }

    /// Runs a trial once from the top: it comes to its end, or says what it lacks.
    fn advance(&mut self, trial: Trial) -> Result<(), EngineError> {
        let responses = self.job.responses(&trial)?;
        match self.pass(&trial, &responses)? {
            Pass::Done(done) => self.end_trial(trial, done, &responses),
            Pass::Pending(missing) => self.open_trial(trial, missing),
        }
    }

    /// One pass over what is known: the call that came last, what failed in this process, the
    /// store, and the runs that it reuses.
    fn pass(&mut self, trial: &Trial, responses: &[Response]) -> Result<Pass, EngineError> {
        let Driver { fresh, failed, .. } = self;
        let here = |key: &RequestKey| match &*fresh {
            Some((fresh, result)) if fresh == key => Some(result.clone()),
            _ => failed.get(key).map(|error| Err(error.clone())),
        };
        let (pass, reused) = pass_over_store(self.job, trial, responses, self.intake.store, here)?;
        self.progress.reused += reused;
        Ok(pass)
    }

    fn open_trial(&mut self, trial: Trial, missing: Vec<Missing>) -> Result<(), EngineError> {
        if missing.is_empty() {
            return Err(EngineError::Stuck { trials: 1 });
        }
        let index = trial.index;
        let lacking = missing.len();
        self.open.insert(index, OpenTrial { trial, lacking });
        for call in missing {
            self.progress.needed += u64::from(self.calls.want_for(index, call));
        }
        Ok(())
    }

    fn take_back(&mut self, key: RequestKey, answer: Answer) -> Result<(), EngineError> {
        let returned = self.calls.take_back(key, answer)?;
        self.progress.calls += 1;
        self.intake.sink.progress(self.progress);
        if returned.is_final() {
            returned.keep(self.intake.store)?;
        }
        let trials = returned.trials;
        match returned.answer.result {
            Err(error) if !error.kind.is_final() => drop(self.failed.insert(key, error)),
            result => self.fresh = Some((key, result)),
        }
        for trial in trials {
            self.lack_one_less(trial)?;
        }
        Ok(())
    }

    /// Runs a trial again where the reply that came is the last one that it lacked.
    fn lack_one_less(&mut self, index: u64) -> Result<(), EngineError> {
        let Some(open) = self.open.get_mut(&index) else {
            return Ok(());
        };
        open.lacking -= 1;
        if open.lacking > 0 {
            return Ok(());
        }
        match self.open.remove(&index) {
            Some(open) => self.advance(open.trial),
            None => Ok(()),
        }
    }

    fn attempt(&mut self, step: impl FnOnce(&mut Self) -> Result<(), EngineError>) {
        if self.error.is_none() {
            self.error = step(self).err();
        }
    }
}

/// The judgments' story: kept, put in order, and handed on.
impl<Trials> Driver<'_, Trials> {
    fn end_trial(
        &mut self,
        trial: Trial,
        done: Done,
        responses: &[Response],
    ) -> Result<(), EngineError> {
        self.cut_short.extend(done.cut_short);
        self.progress.cut_short = self.cut_short.len() as u64;
        let judgment = Judgment {
            trial,
            outcome: done.outcome,
            calls: done.calls,
            looks: done.looks,
        };
        self.progress.count_judgment(&judgment);
        self.settle(judgment, responses)
    }

    /// Hands a judgment on if its turn has come, with those that waited for it.
    fn settle(&mut self, judgment: Judgment, responses: &[Response]) -> Result<(), EngineError> {
        if judgment.trial.index != self.progress.judged {
            self.waiting.insert(judgment.trial.index, judgment);
            return Ok(());
        }
        self.hand_on(judgment, responses)?;
        while let Some(judgment) = self.waiting.remove(&self.progress.judged) {
            let responses = self.job.responses(&judgment.trial)?;
            self.hand_on(judgment, &responses)?;
        }
        Ok(())
    }

    fn hand_on(&mut self, judgment: Judgment, responses: &[Response]) -> Result<(), EngineError> {
        let item = &self.job.dataset.items[judgment.trial.item as usize];
        self.intake
            .store
            .put_judgment(&judgment, &item.id, responses)?;
        self.progress.judged += 1;
        self.outlook.add(&judgment, item, responses);
        self.intake.sink.judgment(judgment, item, responses);
        self.intake.sink.progress(self.progress);
        Ok(())
    }
}

/// The end: what was done, or why it is less than all.
impl<Trials: Iterator<Item = Trial>> Driver<'_, Trials> {
    /// Returns what was done, once the model has nothing more to serve.
    pub(crate) fn finish(mut self) -> Result<Progress, EngineError> {
        let committed = self.intake.store.commit().map_err(EngineError::from);
        let finished = committed.and_then(|()| self.result());
        // A judge that fails the first trials again has answered: later, they can be asked once
        // more.
        if matches!(&finished, Err(error) if !matches!(error, EngineError::Hopeless { .. })) {
            self.intake.store.break_off_retries();
        }
        finished
    }

    fn result(&mut self) -> Result<Progress, EngineError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.intake.is_stopped() {
            let judged = self.all_judged();
            return Err(EngineError::Stopped { judged });
        }
        if let Some(error) = self.hopeless_error() {
            return Err(error);
        }
        if !self.open.is_empty() {
            return Err(self.unfinished_error());
        }
        Ok(self.progress)
    }

    /// Trials that came to an end, those that wait for their turn in the order of the plan
    /// included.
    fn all_judged(&self) -> u64 {
        self.progress.judged + self.waiting.len() as u64
    }

    /// The error where trials are left that are not worth their calls.
    fn hopeless_error(&mut self) -> Option<EngineError> {
        let first = self.outlook.hopeless()?.clone();
        let trials_left = !self.open.is_empty() || self.trials.next().is_some();
        trials_left.then(|| EngineError::Hopeless {
            first: Box::new(first),
            run: self.intake.store.dir().to_path_buf(),
        })
    }

    /// Why trials are left that wait.
    fn unfinished_error(&self) -> EngineError {
        match self.calls.limit_reached() {
            Some(limit) => EngineError::Limit {
                limit,
                judged: self.all_judged(),
            },
            None => EngineError::Stuck {
                trials: self.open.len(),
            },
        }
    }

    /// Whether calls are wanted or under way that are not worth making.
    fn is_hopeless(&self) -> bool {
        self.outlook.hopeless().is_some() && !self.calls.none_open()
    }
}

impl<Trials: Iterator<Item = Trial>> Work for Driver<'_, Trials> {
    fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
        while self.calls.none_ready() && self.begin_next() {}
        if self.is_stopped() {
            None
        } else {
            self.calls.hand_out()
        }
    }

    fn deliver(&mut self, key: RequestKey, answer: Answer) {
        self.attempt(|driver| driver.take_back(key, answer));
    }

    fn flush(&mut self) {
        self.attempt(|driver| Ok(driver.intake.store.commit()?));
    }

    fn add_note(&mut self, note: String) {
        self.intake.sink.note(&note);
    }

    fn under_way(&mut self, now: UnderWay) {
        self.progress.under_way = now;
        self.intake.sink.progress(self.progress);
        self.flush();
    }

    fn is_stopped(&self) -> bool {
        self.error.is_some()
            || self.is_hopeless()
            || self.intake.is_stopped()
            || self.calls.budget().is_out_of_time()
    }
}

#[cfg(test)]
#[path = "driver_tests.rs"]
mod tests;
