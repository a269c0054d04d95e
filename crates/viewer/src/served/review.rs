//! What people who judge a run ask and say.

use super::{ServedRun, Sources};
use crate::answer::{Answer, Failure};
use crate::review::{Queues, Review};

impl ServedRun {
    /// Does something with the run and what people said of it.
    pub(crate) fn review(
        &self,
        sources: &Sources,
        work: impl FnOnce(&mut Review<'_>) -> Answer,
    ) -> Answer {
        let Some(desk) = &self.desk else {
            let why = "nobody judges here; start `evenhand view RUN --review`";
            return Err(Failure::Missing(why.into()));
        };
        self.with(sources, |state| {
            let run = &state.run;
            let queues = state
                .queues
                .get_or_insert_with(|| Queues::of(run.index(), desk.seed()));
            desk.review(run, queues, work)
        })
    }
}
