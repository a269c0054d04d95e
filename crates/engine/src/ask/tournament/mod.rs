//! Tournaments: rounds in which systems of like standing meet on a quarter of the items, and then
//! the same pairs on all others. `evenhand_stats::tournament` says why the two are kept apart.

mod found;
mod rounds;
mod split;

pub use found::{MeetingRow, TournamentReport};
pub use split::TournamentItems;

use crate::{EngineError, Finished, Job, Session};
use evenhand_core::Trial;
use rounds::Rounds;

impl Session<'_> {
    /// Judges a job by the tournament of its design, and returns who met whom. Another run of the
    /// same job asks nothing that the store has.
    ///
    /// # Errors
    /// As of [`Session::run`].
    pub fn run_tournament(
        &mut self,
        job: &Job,
        items: &TournamentItems,
    ) -> Result<(Finished, TournamentReport), EngineError> {
        let mut rounds = Rounds::new(items);
        let finished = self.run_chosen(job, &mut rounds)?;
        let report = rounds.report(job)?;
        Ok((finished, report))
    }
}

/// Returns the trials of a tournament in which everybody is as good: as many as there are however
/// it goes, with other pairs.
pub(super) fn even_trials(job: &Job, items: &TournamentItems) -> Result<Vec<Trial>, EngineError> {
    Rounds::new(items).play_even(job)
}
