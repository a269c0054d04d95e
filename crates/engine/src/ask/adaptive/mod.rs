//! The adaptive design: what is judged next is chosen by what is certain already, and the run ends
//! when enough is.
//!
//! docs/design/adaptive.md has the statistics.

mod batches;
pub(crate) mod certified;
mod options;
mod units;

pub use options::{AdaptiveOptions, CertainFor, Until};

use crate::{AdaptiveReport, EngineError, Finished, Job, Session};
use batches::Batches;

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
        let mut batches = Batches::new(job, options)?;
        let finished = self.run_chosen(job, &mut batches)?;
        let report = batches.report(job, options)?;
        Ok((finished, report))
    }
}
