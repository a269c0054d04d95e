//! The driver of re-executed protocols: it obtains the replies that trials lack.
//!
//! A trial is run from the top; what it lacks is handed to the model; when the last missing reply
//! is in, it is run again. Judgments come out in plan order whatever the order of the replies.

use crate::ask::ahead::{AHEAD, Ahead, TOGETHER};
use crate::ask::calls::Calls;
use crate::ask::intake::Intake;
use crate::ask::limits::Budget;
use crate::ask::outlook::{FIRST, Outlook, WIDELY};
use crate::ask::pass::{pass_once, pass_over_store, wanted_call};
use crate::ask::upcoming::Upcoming;
use crate::error::TrialsLeft;
use crate::{EngineError, Job, Progress};
use evenhand_core::{
    CallError, CallResult, FailureKind, Judgment, Request, RequestKey, Response, Trial,
};
use evenhand_models::{Answer, UnderWay, Work};
use evenhand_protocols::{Awaited, Done, Missing, Pass};
use evenhand_store::WantedCall;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

/// Trials that may be under way at once.
const MOST_OPEN: usize = 4096;
/// Trials that may be begun by judges that answer questions about a state before it is known that
/// they come to a verdict: both orders of all pairs of 20 systems on an item.
const FIRST_DECIDED: u64 = 380;
/// Judgments that may wait for their turn: a call that is tried again for a minute holds up none of
/// the others.
const MOST_WAITING: usize = 65_536;

/// Runs the trials of a job over a session's intake.
pub(crate) struct Driver<'a, Trials> {
    job: &'a Job,
    intake: Intake<'a>,
    trials: Upcoming<Trials>,
    calls: Calls,
    /// Trials that wait for replies, by their index.
    open: HashMap<u64, OpenTrial>,
    /// Calls that failed in a way that another run may mend.
    failed: HashMap<RequestKey, CallError>,
    /// The call that came last, which a trial is about to look up.
    fresh: Option<(RequestKey, CallResult)>,
    /// The trials that were begun, or that others of later turns were begun before, and whose
    /// judgments were not handed on, by their index.
    begun: VecDeque<u64>,
    /// Judgments whose turn has not come, by the index of their trial.
    waiting: BTreeMap<u64, Ended>,
    progress: Progress,
    cut_short: HashSet<RequestKey>,
    outlook: Outlook,
    /// Whether trials from all over the plan are begun before their turn.
    looks_widely: bool,
    /// Whether the judge came to a verdict in an earlier session of this run.
    answered_before: bool,
    ahead: Ahead,
    error: Option<EngineError>,
}

/// A judgment that is to be handed on.
struct Ended {
    judgment: Judgment,
    /// Whether it stands in the run already.
    is_kept: bool,
}

/// A trial that waits, and how many replies it lacks.
struct OpenTrial {
    trial: Trial,
    responses: Vec<Response>,
    lacking: usize,
    /// The first of those replies.
    awaited: Option<Awaited>,
}

/// The trials' story: begun, run over what is known, and again when what they lacked has come.
impl<'a, Trials: Iterator<Item = Trial>> Driver<'a, Trials> {
    /// Makes the driver of a run; `answered_before` where an earlier session came to a verdict.
    pub(crate) fn new(
        job: &'a Job,
        trials: Trials,
        intake: Intake<'a>,
        budget: Budget,
        answered_before: bool,
    ) -> Self {
        let (protocol, judges) = (&job.protocol, &job.judges);
        let in_turn = protocol.rounds_at_most() > 1 || judges.second_stage.is_some();
        let asks_in_turn = in_turn || protocol.calls_vary(judges.panel.len());
        Driver {
            job,
            intake,
            trials: Upcoming::new(trials),
            // What was asked for anew is judged by the replies that come now.
            outlook: Outlook::new(budget.keeps_going() || answered_before && !budget.retries_any()),
            looks_widely: false,
            answered_before,
            calls: Calls::new(budget),
            open: HashMap::new(),
            failed: HashMap::new(),
            fresh: None,
            begun: VecDeque::new(),
            waiting: BTreeMap::new(),
            progress: Progress {
                asks_in_turn,
                ..Progress::default()
            },
            cut_short: HashSet::new(),
            ahead: Ahead::default(),
            error: None,
        }
    }

    /// Begins the next trial; false when there is none or the window is full.
    fn begin_next(&mut self) -> bool {
        self.look_widely();
        if !self.has_room() || self.is_stopped() {
            return false;
        }
        let next = self.next_trial();
        let found = next.is_some();
        if let Some(trial) = next {
            self.attempt(|driver| driver.begin(trial));
        }
        found
    }

    fn next_trial(&mut self) -> Option<Trial> {
        let has_turn = self.trials.is_spread();
        let trial = self.trials.next()?;
        if !has_turn {
            self.begun.push_back(trial.index);
        }
        Some(trial)
    }

    /// Where the judge answered none of the first trials, or nothing gets through to it, begins
    /// others from all over the plan next: it may be these prompts that it does not answer.
    fn look_widely(&mut self) {
        let is_paused = self.progress.under_way.paused.is_some() && self.outlook.is_open();
        let is_due = self.outlook.looks_widely() || is_paused && self.progress.verdicts == 0;
        if self.looks_widely || !is_due {
            return;
        }
        self.looks_widely = true;
        // A design that chooses as it goes on has no trials to choose from.
        if !self.job.design.chooses() {
            let others = WIDELY.saturating_sub(self.progress.started);
            self.begun.extend(self.trials.spread(others as usize));
        }
    }

    fn has_room(&self) -> bool {
        self.open.len() < MOST_OPEN
            && self.waiting.len() < MOST_WAITING
            && !self.waits_for_the_first()
    }

    /// Whether no more is to be asked before it is known that the judge comes to a verdict at all.
    fn waits_for_the_first(&self) -> bool {
        self.progress.started >= self.first()
            && self.progress.verdicts == 0
            && self.outlook.is_open()
    }

    /// How many trials may be begun before it is known that the judge comes to a verdict. Where
    /// both looks at a pair share a request, so many that they are among them: of an item's trials
    /// those that begin with one system stand before those that begin with the next.
    fn first(&self) -> u64 {
        match (self.job.judges.deciding.is_empty(), self.looks_widely) {
            (false, _) => FIRST_DECIDED,
            (true, true) => WIDELY,
            (true, false) => FIRST,
        }
    }

    fn begin(&mut self, trial: Trial) -> Result<(), EngineError> {
        self.progress.started += 1;
        if self.calls.budget.retries_any() {
            self.want_again(&trial)?;
        }
        let responses = self.job.responses(&trial)?;
        let item = &self.job.dataset.items[trial.item as usize];
        let store = &mut *self.intake.store;
        if let Some(judgment) = store.standing_judgment(&trial, &item.id, &responses)? {
            self.progress.count_judgment(&judgment);
            self.progress.known += 1;
            let is_kept = true;
            return self.settle(Ended { judgment, is_kept }, &responses);
        }
        let index = trial.index;
        self.advance(trial, responses, None)?;
        // It came to its end over what the run has.
        self.progress.known += u64::from(!self.open.contains_key(&index));
        Ok(())
    }

    /// Wants the calls again whose stored replies were no use to this trial, where that is asked
    /// for.
    fn want_again(&mut self, trial: &Trial) -> Result<(), EngineError> {
        let responses = self.job.responses(trial)?;
        // A trial that is not at its end has nothing to be asked again.
        if let Pass::Done(done) = self.pass(trial, &responses, None)? {
            for (kind, key) in &done.at_fault {
                self.want_call_again(*kind, key)?;
            }
        }
        Ok(())
    }

    fn want_call_again(&mut self, kind: FailureKind, key: &RequestKey) -> Result<(), EngineError> {
        if self.calls.budget.retries_kind(kind) {
            let is_new = self.intake.store.want_again(key)?;
            self.progress.asked_again += u64::from(is_new);
        }
        Ok(())
    }

    /// Runs a trial once from the top: it comes to its end, or says what it lacks.
    fn advance(
        &mut self,
        trial: Trial,
        responses: Vec<Response>,
        awaited: Option<Awaited>,
    ) -> Result<(), EngineError> {
        match self.pass(&trial, &responses, awaited)? {
            Pass::Done(done) => self.end_trial(trial, done, &responses),
            // Nothing to wait for: the protocol would never end.
            Pass::Pending(missing) if missing.is_empty() => Err(EngineError::Stuck { trials: 1 }),
            Pass::Pending(missing) => self.open_trial(trial, responses, missing),
        }
    }

    /// One pass over what is known: the call that came last, what failed in this process, the
    /// store, and the runs that it reuses.
    fn pass(
        &mut self,
        trial: &Trial,
        responses: &[Response],
        awaited: Option<Awaited>,
    ) -> Result<Pass, EngineError> {
        let Driver { fresh, failed, .. } = self;
        let here = |key: &RequestKey| result_here(fresh.as_ref(), failed, key);
        let store = &mut *self.intake.store;
        let (pass, reused) = pass_over_store(self.job, trial, responses, store, awaited, here)?;
        self.progress.reused += reused;
        Ok(pass)
    }

    fn open_trial(
        &mut self,
        trial: Trial,
        responses: Vec<Response>,
        missing: Vec<Missing>,
    ) -> Result<(), EngineError> {
        let index = trial.index;
        let failed_before = self.answered_before && self.has_failed(index)?;
        let open = OpenTrial {
            trial,
            responses,
            lacking: missing.len(),
            awaited: Awaited::first_of(&missing),
        };
        self.open.insert(index, open);
        for call in missing {
            let is_new = self.calls.want_for(index, call, failed_before);
            self.progress.needed += u64::from(is_new);
        }
        Ok(())
    }

    /// Whether the judge did not answer a trial in an earlier session.
    fn has_failed(&self, trial: u64) -> Result<bool, EngineError> {
        let kept = self.intake.store.kept_failure(trial)?;
        Ok(kept.is_some_and(|kind| kind == FailureKind::ModelError.name()))
    }

    fn take_back(&mut self, key: RequestKey, answer: Answer) -> Result<(), EngineError> {
        let returned = self.calls.take_back(key, answer)?;
        self.progress.calls += 1;
        self.progress.lost += u64::from(!returned.is_final());
        self.intake.sink.progress(self.progress);
        // Stored before any trial is run over it: a trial's judgment names its calls.
        if returned.is_final() {
            returned.keep(self.intake.store)?;
        }
        self.remember(key, returned.answer.result);
        for trial in returned.trials {
            self.lack_one_less(trial)?;
        }
        Ok(())
    }

    /// Keeps at hand what the trials that waited for this call are about to look up. A reply is at
    /// hand until the next one; later it is found in the store.
    fn remember(&mut self, key: RequestKey, result: CallResult) {
        match result {
            Err(error) if !error.kind.is_final() => drop(self.failed.insert(key, error)),
            result => self.fresh = Some((key, result)),
        }
    }

    /// Where replies are shared with other runs, looks for those that came there since, and begins
    /// so many trials that not all processes ask for the same.
    fn look_ahead(&mut self) -> Result<(), EngineError> {
        if self.ahead.is_due() && !self.calls.none_ready() {
            let begun = Instant::now();
            let wanted: Vec<WantedCall> = self.calls.ready().collect();
            let found = self.intake.store.reuse_shared_again(&wanted)?;
            self.ahead.looked(begun);
            self.progress.reused += found.len() as u64;
            self.progress.needed -= found.len() as u64;
            for trial in self.calls.withdraw(&found.into_iter().collect()) {
                self.lack_one_less(trial)?;
            }
        }
        // A design that chooses as it goes on is asked for no more trials than are needed.
        let may_begin = !self.job.design.chooses();
        while may_begin && self.calls.count_ready() < AHEAD && self.begin_together()? {}
        Ok(())
    }

    /// Begins several trials, after what they lack was looked for together; false when there are
    /// none or the window is full.
    fn begin_together(&mut self) -> Result<bool, EngineError> {
        if !self.has_room() || self.is_stopped() {
            return Ok(false);
        }
        // No more than may be begun before it is known that the judge comes to a verdict.
        self.look_widely();
        let most = match self.progress.verdicts == 0 && self.outlook.is_open() {
            true => usize::try_from(self.first().saturating_sub(self.progress.started))
                .unwrap_or(TOGETHER),
            false => TOGETHER,
        };
        let drawn = std::iter::from_fn(|| self.next_trial());
        let trials: Vec<Trial> = drawn.take(most.clamp(1, TOGETHER)).collect();
        // What stands lacks nothing.
        let mut lacking = Vec::with_capacity(trials.len());
        for trial in &trials {
            let responses = self.job.responses(trial)?;
            let item = &self.job.dataset.items[trial.item as usize];
            let store = &mut *self.intake.store;
            if store
                .standing_judgment(trial, &item.id, &responses)?
                .is_none()
            {
                lacking.push((trial, responses));
            }
        }
        loop {
            let mut missing = Vec::new();
            for (trial, responses) in &lacking {
                let here = |key: &RequestKey| result_here(self.fresh.as_ref(), &self.failed, key);
                let store = &*self.intake.store;
                let pass = pass_once(self.job, trial, responses, store, None, &here)?;
                if let Pass::Pending(more) = pass {
                    missing.extend(more);
                }
            }
            let wanted: Vec<WantedCall> = missing.iter().map(wanted_call).collect();
            let found = self.intake.store.reuse_calls(&wanted)?;
            self.progress.reused += found;
            // With the replies to their first calls, trials know the next ones.
            if found == 0 {
                break;
            }
        }
        let are_any = !trials.is_empty();
        for trial in trials {
            self.begin(trial)?;
        }
        Ok(are_any)
    }

    /// Runs a trial again where the reply that came is the last one that it lacked.
    fn lack_one_less(&mut self, index: u64) -> Result<(), EngineError> {
        let Entry::Occupied(mut open) = self.open.entry(index) else {
            return Ok(());
        };
        open.get_mut().lacking -= 1;
        if open.get().lacking > 0 {
            return Ok(());
        }
        let OpenTrial {
            trial,
            responses,
            awaited,
            ..
        } = open.remove();
        self.advance(trial, responses, awaited)
    }

    fn attempt(&mut self, step: impl FnOnce(&mut Self) -> Result<(), EngineError>) {
        if self.error.is_none() {
            self.error = step(self).err();
        }
    }
}

/// The result of a call that this process knows beside the store.
fn result_here(
    fresh: Option<&(RequestKey, CallResult)>,
    failed: &HashMap<RequestKey, CallError>,
    key: &RequestKey,
) -> Option<CallResult> {
    match fresh {
        Some((fresh, result)) if fresh == key => Some(result.clone()),
        _ => failed.get(key).map(|error| Err(error.clone())),
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
        self.count_cut_short(done.cut_short)?;
        let judgment = Judgment {
            trial,
            outcome: done.outcome,
            calls: done.calls,
            looks: done.looks,
        };
        self.progress.count_judgment(&judgment);
        let is_kept = false;
        self.settle(Ended { judgment, is_kept }, responses)
    }

    /// Counts each call once, however many trials share it.
    fn count_cut_short(&mut self, calls: Vec<RequestKey>) -> Result<(), EngineError> {
        // A later session counts them anew, from the replies.
        if self.cut_short.is_empty() && !calls.is_empty() {
            self.intake.store.unsettle()?;
        }
        self.cut_short.extend(calls);
        self.progress.cut_short = self.cut_short.len() as u64;
        Ok(())
    }

    /// Hands a judgment on if its turn has come, with those that waited for it.
    fn settle(&mut self, ended: Ended, responses: &[Response]) -> Result<(), EngineError> {
        let job = self.job;
        let item = &job.dataset.items[ended.judgment.trial.item as usize];
        let others_wait = !self.open.is_empty();
        self.outlook
            .add(&ended.judgment, item, responses, others_wait);
        let index = ended.judgment.trial.index;
        if self.begun.front() != Some(&index) {
            self.waiting.insert(index, ended);
            return Ok(());
        }
        self.hand_on(ended, responses)?;
        self.hand_on_waiting()
    }

    /// Hands on the judgments that waited, up to the next one that is not there.
    fn hand_on_waiting(&mut self) -> Result<(), EngineError> {
        while let Some(next) = self.begun.front()
            && let Some(ended) = self.waiting.remove(next)
        {
            let responses = self.job.responses(&ended.judgment.trial)?;
            self.hand_on(ended, &responses)?;
        }
        Ok(())
    }

    fn hand_on(&mut self, ended: Ended, responses: &[Response]) -> Result<(), EngineError> {
        let Ended { judgment, is_kept } = ended;
        let item = &self.job.dataset.items[judgment.trial.item as usize];
        let Intake { store, sink, .. } = &mut self.intake;
        if !is_kept {
            store.put_judgment(&judgment, &item.id, responses)?;
        }
        self.begun.pop_front();
        self.progress.judged += 1;
        sink.judgment(judgment, item, responses);
        sink.progress(self.progress);
        Ok(())
    }
}

/// The end: what was done, or why it is less than all.
impl<Trials: Iterator<Item = Trial>> Driver<'_, Trials> {
    /// Returns how many trials are judged, those that wait for their turn among them.
    pub(crate) fn judged(&self) -> u64 {
        self.progress.judged + self.waiting.len() as u64
    }

    /// Returns how many trials have no verdict, where it is known how many there are.
    pub(crate) fn count_left(&self, planned: Option<u64>) -> Option<TrialsLeft> {
        planned.map(|trials| TrialsLeft {
            trials,
            unanswered: trials.saturating_sub(self.judged()),
            failed: self.progress.failed.iter().sum(),
            // An error that lasts is a failure of another kind.
            failed_for_now: self.progress.failed[FailureKind::ModelError as usize],
        })
    }

    /// Returns what was done, once the model has nothing more to serve.
    pub(crate) fn finish(mut self) -> Result<Progress, EngineError> {
        // What came is kept, however the run ended.
        let kept = self.keep_waiting();
        let committed = kept.and_then(|()| Ok(self.intake.store.commit()?));
        let finished = committed.and_then(|()| self.result());
        if finished.as_ref().is_err_and(breaks_off_retries) {
            self.intake.store.break_off_retries();
        }
        finished
    }

    /// Keeps the judgments that still wait for their turn where a run ends early: one call that
    /// hangs would hide all that were judged after it.
    fn keep_waiting(&mut self) -> Result<(), EngineError> {
        for Ended { judgment, is_kept } in self.waiting.values() {
            if *is_kept {
                continue;
            }
            let item = &self.job.dataset.items[judgment.trial.item as usize];
            let responses = self.job.responses(&judgment.trial)?;
            let store = &mut self.intake.store;
            store.put_judgment(judgment, &item.id, &responses)?;
        }
        Ok(())
    }

    fn result(&mut self) -> Result<Progress, EngineError> {
        // The first error explains the run's end; that calls are left open follows from it.
        match self.early_end() {
            Some(error) => Err(error),
            None if self.open.is_empty() => Ok(self.progress),
            None => Err(self.unfinished_error()),
        }
    }

    /// Why the run ended before its calls did.
    fn early_end(&mut self) -> Option<EngineError> {
        if let Some(error) = self.error.take() {
            return Some(error);
        }
        // A stop that comes when all is judged has nothing to end.
        if self.intake.is_stopped() && !self.is_complete() {
            let judged = self.judged();
            return Some(EngineError::Stopped { judged });
        }
        self.hopeless_error()
    }

    /// Whether every trial is judged; a trial that is left is drawn, and lost to the run.
    fn is_complete(&mut self) -> bool {
        self.open.is_empty() && self.next_trial().is_none()
    }

    /// The error where trials are left that are not worth their calls.
    fn hopeless_error(&mut self) -> Option<EngineError> {
        let first = self.outlook.hopeless.clone()?;
        if self.is_complete() {
            return None;
        }
        Some(EngineError::Hopeless {
            first: Box::new(first),
            run: self.intake.store.dir().to_path_buf(),
        })
    }

    /// Why trials are left that wait.
    fn unfinished_error(&self) -> EngineError {
        let judged = self.judged();
        match self.calls.limit_reached() {
            Some(limit) => EngineError::Limit { limit, judged },
            None => EngineError::Stuck {
                trials: self.open.len(),
            },
        }
    }

    /// Whether calls are wanted or under way that are not worth making.
    fn is_hopeless(&self) -> bool {
        self.outlook.hopeless.is_some() && !self.calls.none_open()
    }
}

/// Whether calls that were to be asked again, and were not, keep their old replies. A judge that
/// fails the first trials again has answered: later, they can be asked once more.
fn breaks_off_retries(error: &EngineError) -> bool {
    !matches!(error, EngineError::Hopeless { .. })
}

impl<Trials: Iterator<Item = Trial>> Work for Driver<'_, Trials> {
    fn may_wait(&self) -> bool {
        !self.intake.store.is_shared()
    }

    fn next_request(&mut self) -> Option<(RequestKey, Arc<Request>)> {
        if self.intake.store.is_shared() {
            self.attempt(Driver::look_ahead);
        }
        while self.calls.none_ready() && self.begin_next() {}
        if self.is_stopped() {
            return None;
        }
        if self.intake.store.is_shared() {
            self.calls
                .put_first(self.ahead.draw(self.calls.count_ready()));
        }
        self.calls.hand_out()
    }

    fn failed_before(&self, key: &RequestKey) -> bool {
        self.calls.failed_before(key)
    }

    fn deliver(&mut self, key: RequestKey, answer: Answer) {
        self.attempt(|driver| driver.take_back(key, answer));
    }

    fn flush(&mut self) {
        self.attempt(|driver| Ok(driver.intake.store.commit()?));
        for note in self.intake.store.take_shared_notes() {
            self.intake.sink.note(&note);
        }
    }

    fn add_note(&mut self, note: String) {
        self.intake.sink.note(&note);
    }

    fn add_passing_note(&mut self, note: String) {
        self.intake.sink.passing_note(&note);
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
            || self.calls.budget.is_out_of_time()
    }
}

#[cfg(test)]
#[path = "driver_tests.rs"]
mod tests;
