//! The adaptive design: what is judged next is chosen by what is certain already, and the run ends
//! when enough is.
//!
//! The trials are an iterator that the driver asks for more whenever it has room. A batch is chosen
//! when every judgment of the batch before has come, so that what is asked does not depend on how
//! fast replies come in. docs/design/adaptive.md has the statistics.

mod batches;
pub(crate) mod certified;
mod options;
mod units;

pub use options::{AdaptiveOptions, CertainFor, Until};

use crate::{AdaptiveReport, EngineError, Finished, Job, Progress, Session, Sink};
use batches::Batches;
use evenhand_core::{Item, Judgment, Response};
use std::cell::RefCell;
use std::iter;

impl Session<'_> {
    /// Judges as much of a job as it takes, and returns what is certain then. Another run of the
    /// same job asks nothing that the store has.
    ///
    /// # Errors
    /// A form that cannot be judged this way, and as of [`Session::run`].
    pub fn run_adaptive(
        &mut self,
        job: &Job,
        options: &AdaptiveOptions,
    ) -> Result<(Finished, AdaptiveReport), EngineError> {
        // The driver asks the batches for trials and, through the sink, tells them of judgments.
        let batches = RefCell::new(Batches::new(job, options)?);
        let intake = &mut self.intake;
        let mut observer = Observer {
            batches: &batches,
            sink: &mut *intake.sink,
        };
        let trials = iter::from_fn(|| batches.borrow_mut().next_trial(job));
        let finished = Session::new(&mut *self.model, &mut *intake.store, &mut observer)
            .with_limits(self.limits.clone())
            .with_stop(intake.stop)
            .run_numbered(job, trials, None)?;
        let report = batches.borrow_mut().report(job, options)?;
        Ok((finished, report))
    }
}

/// Tells the batches what came, and then the user's sink.
struct Observer<'a> {
    batches: &'a RefCell<Batches>,
    sink: &'a mut dyn Sink,
}

impl Sink for Observer<'_> {
    fn judgment(&mut self, judgment: Judgment, item: &Item, responses: &[Response]) {
        self.batches.borrow_mut().take_judgment(&judgment);
        self.sink.judgment(judgment, item, responses);
    }

    fn progress(&mut self, progress: Progress) {
        self.sink.progress(progress);
    }

    fn note(&mut self, note: &str) {
        self.sink.note(note);
    }
}
