//! What the pages ask of a run.

use super::{KeptOverview, ServedRun};
use crate::answer::{Answer, Failure, Json};
use evenhand_pages::{Detail, Filter, Overview, PageOverview};
use serde_json::json;

/// Rows on a page, where the question does not say, and at most.
const PAGE: usize = 100;
const MOST_ROWS: usize = 1000;

impl ServedRun {
    /// Describes the run as a whole.
    pub(crate) fn overview(&self) -> Answer {
        self.with(|served| {
            let state = served.run.reader().progress()?.state;
            if let Some(kept) = served.overview.as_ref().filter(|kept| kept.state == state) {
                return Ok(kept.text.clone());
            }
            // Whoever is told that a run has ended asks no more, and must have all of it.
            served.refresh()?;
            let overview = Overview {
                title: self.name.clone(),
                mode: "server",
                review: self.desk.is_some(),
                ..served.run.overview()?
            };
            let text = Json::of(&PageOverview::from(&overview))?;
            served.overview = Some(KeptOverview {
                state,
                text: text.clone(),
            });
            Ok(text)
        })
    }

    /// Returns the text that changes whenever the run has grown.
    pub(crate) fn version(&self) -> Answer {
        self.with(|state| Json::of(&json!({ "version": state.run.version() })))
    }

    /// Returns the rows that a query asks for.
    pub(crate) fn rows(&self, query: &str) -> Answer {
        let mut filter = Filter::parse(query)?;
        filter.limit = Some(filter.limit.unwrap_or(PAGE).min(MOST_ROWS));
        let found = filter
            .text
            .as_deref()
            .map(|words| self.searches.find(&self.dir, words));
        let found = found.transpose()?;
        self.with(|state| {
            let hits = found.map(|found| state.run.place_hits(&found));
            Json::of(&state.run.rows_with(&filter, hits.as_ref())?)
        })
    }

    /// Returns a judgment in full.
    pub(crate) fn judgment(&self, trial: u64) -> Result<Detail, Failure> {
        let found = self.with(|state| Ok(state.run.judgment(trial)?))?;
        found.ok_or_else(|| Failure::Missing(format!("the run has no judgment of trial {trial}")))
    }
}
