//! Designs that choose what is judged next by what was judged before.
//!
//! The trials are an iterator that the driver asks for more whenever it has room. A batch is chosen
//! when every judgment of the batch before has come, so that what is asked does not depend on how
//! fast replies come in.

use crate::{EngineError, Finished, Job, Passing, Session};
use evenhand_core::{Judgment, Trial};
use std::cell::RefCell;
use std::iter;

/// Chooses trials, and is told what came of them.
pub(super) trait Chooser {
    /// Returns the next trial, numbered from 0 in the order in which they are handed out; None
    /// while judgments of the batch are awaited, or when all is done.
    fn next_trial(&mut self, job: &Job) -> Option<Trial>;
    /// Takes a judgment; the last of a batch ends it.
    fn take_judgment(&mut self, judgment: &Judgment);
}

impl Session<'_> {
    /// Obtains the judgments of the trials that are chosen. Another run of the same job asks
    /// nothing that the store has.
    pub(super) fn run_chosen(
        &mut self,
        job: &Job,
        chooser: &mut dyn Chooser,
    ) -> Result<Finished, EngineError> {
        // The driver asks for trials and, through the sink, tells of judgments: the chooser first.
        let chooser = RefCell::new(chooser);
        let intake = &mut self.intake;
        let mut sink = Passing::new(&mut *intake.sink, |judgment, _, _| {
            chooser.borrow_mut().take_judgment(judgment);
        });
        let trials = iter::from_fn(|| chooser.borrow_mut().next_trial(job));
        Session::new(&mut *self.model, &mut *intake.store, &mut sink)
            .with_limits(self.limits.clone())
            .with_stop(intake.stop)
            .run_numbered(job, trials, None)
    }
}

/// Returns the share that the system with the lower number got in a judgment of two, a tie half;
/// None without a verdict.
pub(super) fn share_of_lower(judgment: &Judgment) -> Option<f64> {
    let [first, second] = judgment.trial.systems[..] else {
        return None;
    };
    let [wins, ties, _] = judgment.outcome.as_ref().ok()?.preference()?;
    let share = wins + ties / 2.0;
    Some(if first < second { share } else { 1.0 - share })
}
