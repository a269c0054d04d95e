//! A session: the one place where missing replies are obtained from a model.
//!
//! Whatever asks a model does so through a [`Session`]: `rank` and `judge` run a job, a study runs
//! one job after the other over one store, an audit runs the trials that its probes lack and
//! fetches what its rewriter writes. docs/design/one-asker.md.

use crate::ask::driver::Driver;
use crate::ask::fetch::{Fetched, fetch};
use crate::ask::intake::Intake;
use crate::ask::limits::{Budget, Limits};
use crate::ask::notes::notes_on;
use crate::ask::texts::keep_texts;
use crate::{EngineError, Job, Progress, Sink};
use evenhand_core::{Request, Trial};
use evenhand_models::{Model, ModelError};
use evenhand_protocols::Protocol;
use evenhand_shared_store::SharedCounts;
use evenhand_store::{Store, Totals};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// The stop of a session that nobody can stop.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Who is asked, where replies are kept, how much may be taken, and who is told.
///
/// What the store holds is not asked again, so that a session that broke off, for whatever reason,
/// is taken up by another one with the same store.
///
/// ```no_run
/// # use evenhand_engine::{EngineError, Job, Limits, Session, Sink, open_store};
/// # use evenhand_models::{Model, ModelError};
/// # fn judge(job: &Job, model: &mut dyn Model, sink: &mut dyn Sink) -> Result<(), EngineError> {
/// let mut store = open_store(job, None, &[])?;
/// let limits = Limits { calls: Some(1000), ..Limits::default() };
/// let finished = Session::new(model, &mut store, sink).with_limits(limits).run(job)?;
/// println!("{} judgments, {} calls", finished.progress.judged, finished.progress.calls);
/// # Ok(())
/// # }
/// ```
pub struct Session<'a> {
    pub(crate) model: &'a mut dyn Model,
    pub(crate) intake: Intake<'a>,
    pub(crate) limits: Limits,
}

/// The result of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finished {
    /// Trials by what became of them, and the calls that this process made. A recorded run makes
    /// none.
    pub progress: Progress,
    /// Calls and tokens of everything in the run directory, whichever process asked for it, judge
    /// by judge in the order in which they were first asked.
    pub totals: Vec<Totals>,
    /// The run directory.
    pub dir: PathBuf,
    /// The other runs whose replies were copied into this one by this process, with how many calls
    /// came from each.
    pub reused_from: Vec<(PathBuf, u64)>,
    /// The store that replies are shared in, if there is one, and what became of them in this
    /// process.
    pub shared: Option<(String, SharedCounts)>,
}

impl<'a> Session<'a> {
    /// Makes a session without limits that nobody can stop.
    pub fn new(model: &'a mut dyn Model, store: &'a mut Store, sink: &'a mut dyn Sink) -> Self {
        let stop = &NEVER;
        Session {
            model,
            intake: Intake { store, sink, stop },
            limits: Limits::default(),
        }
    }

    /// Sets what may be taken at most.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Session { limits, ..self }
    }

    /// Sets the flag that ends the session. Once it is true, whatever runs ends soon with
    /// [`EngineError::Stopped`]; what came until then is kept.
    #[must_use]
    pub fn with_stop(mut self, stop: &'a AtomicBool) -> Self {
        self.intake.stop = stop;
        self
    }

    /// Obtains every judgment of a job's plan and hands them to the sink in plan order.
    ///
    /// # Errors
    /// [`EngineError::Stopped`], [`EngineError::Limit`] and [`EngineError::Hopeless`] where the run
    /// ends early, and whatever the model, the store and reading the data may meet.
    pub fn run(&mut self, job: &Job) -> Result<Finished, EngineError> {
        self.run_numbered(job, job.plan.trials(), Some(job.plan.len()))
    }

    /// Obtains the judgments of these trials of the job's data and protocol, in place of those of
    /// its plan, and hands them to the sink in the order of the list. A trial's index becomes its
    /// place in the list.
    ///
    /// # Errors
    /// As of [`Session::run`].
    pub fn run_trials(&mut self, job: &Job, trials: Vec<Trial>) -> Result<Finished, EngineError> {
        let count = trials.len() as u64;
        self.run_numbered(job, number_trials(trials), Some(count))
    }

    /// Obtains the judgments of a part of the plan, in the order of their numbers, and hands them
    /// to the sink. The run keeps what the whole plan has, so that whoever reads it knows what is
    /// missing.
    ///
    /// # Errors
    /// As of [`Session::run`].
    pub fn run_part(&mut self, job: &Job, mut part: Vec<Trial>) -> Result<Finished, EngineError> {
        part.sort_unstable_by_key(|trial| trial.index);
        self.run_numbered(job, part.into_iter(), Some(job.plan.len()))
    }

    /// Obtains the judgments of trials, which are numbered in ascending order. The iterator is
    /// asked again after each judgment, and may then have more. `planned` is how many there are;
    /// None where that turns out at the end. The run keeps it, so that whoever reads a run that was
    /// stopped, however roughly, knows what is missing.
    pub(crate) fn run_numbered(
        &mut self,
        job: &Job,
        trials: impl Iterator<Item = Trial>,
        planned: Option<u64>,
    ) -> Result<Finished, EngineError> {
        let budget = self.budget()?;
        let store = &mut *self.intake.store;
        // What is written elsewhere may judge otherwise the next time, under the same name.
        let settles = !matches!(job.protocol, Protocol::Custom(_));
        if !self.limits.retry.is_empty() {
            store.start_retries()?;
            store.unsettle()?;
        } else if settles {
            store.trust_verdicts()?;
        }
        self.intake.store.put_plan(planned)?;
        if let Some(note) = keep_texts(job, self.intake.store)? {
            self.intake.sink.note(&note);
        }
        // The driver has the store for the time of the run; notes and totals need it again.
        let answered_before = self.intake.store.has_verdict()?;
        let driver = Driver::new(job, trials, self.intake.reborrow(), budget, answered_before);
        let driven = drive(self.model, driver, planned);
        self.intake.store.flush_shared();
        for note in self.intake.store.take_shared_notes() {
            self.intake.sink.note(&note);
        }
        let progress = driven?;
        if planned.is_none() {
            self.intake.store.put_plan(Some(progress.judged))?;
        }
        if settles && progress.cut_short == 0 {
            self.intake.store.settle(progress.judged)?;
            self.intake.store.commit()?;
        }
        for note in notes_on(job, &progress, &self.limits, self.intake.store)? {
            self.intake.sink.note(&note);
        }
        self.sum_up(progress)
    }

    /// Obtains a reply to each of these requests, or why there is none, in their order. Equal
    /// requests are one call.
    ///
    /// # Errors
    /// [`EngineError::Stopped`] and [`EngineError::Limit`] where replies are lacking for that
    /// reason, and whatever the model and the store may meet.
    pub fn fetch(&mut self, requests: Vec<Request>) -> Result<Vec<Fetched>, EngineError> {
        let budget = self.budget()?;
        fetch(self.model, requests, budget, Some(self.intake.reborrow()))
    }

    /// Returns the limits less what earlier processes took.
    fn budget(&self) -> Result<Budget, EngineError> {
        let limits = self.limits_of_model();
        // Of millions of calls the sum takes seconds, and limits alone need it.
        let spent = match limits.calls.is_some() || limits.cost.is_some() {
            true => self.intake.store.spent()?,
            false => Vec::new(),
        };
        Ok(Budget::new(limits, &spent))
    }

    /// Recorded replies cost nothing: they are replayed to the end whatever they say.
    fn limits_of_model(&self) -> Limits {
        Limits {
            keep_going: self.limits.keep_going || !self.model.is_live(),
            ..self.limits.clone()
        }
    }

    fn sum_up(&mut self, mut progress: Progress) -> Result<Finished, EngineError> {
        // Replies of a recorded run were looked up, not asked for.
        if !self.model.is_live() {
            (progress.calls, progress.lost) = (0, 0);
        }
        let shared = self.intake.store.flush_shared();
        let store = &self.intake.store;
        Ok(Finished {
            progress,
            totals: store.totals()?,
            dir: store.dir().to_path_buf(),
            reused_from: store.reused_from(),
            shared,
        })
    }
}

fn number_trials(trials: Vec<Trial>) -> impl Iterator<Item = Trial> {
    let numbered = trials.into_iter().zip(0..);
    numbered.map(|(trial, index)| Trial { index, ..trial })
}

/// Lets the model serve the driver's calls until there are no more. Returns the progress, unless
/// the run or the model failed: a fault of the run itself explains more than what the model made of
/// it.
fn drive(
    model: &mut dyn Model,
    mut driver: Driver<'_, impl Iterator<Item = Trial>>,
    planned: Option<u64>,
) -> Result<Progress, EngineError> {
    let served = model.serve(&mut driver);
    let left = driver.count_left(planned);
    let finished = driver.finish();
    // That trials are left waiting is what a model that broke down brings about.
    match (served, &finished) {
        (Err(error), Ok(_) | Err(EngineError::Stuck { .. })) => Err(match (error, left) {
            (error @ ModelError::Serve(_), Some(left)) => EngineError::BrokenOff { error, left },
            (error, _) => error.into(),
        }),
        _ => finished,
    }
}
