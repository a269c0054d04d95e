//! What the pages ask of a run.

use super::{KeptOverview, ServedRun};
use crate::answer::{Answer, Failure, Json};
use crate::review::SaidOfPair;
use evenhand_pages::{Detail, Filter, OtherRun, Overview, PageOverview, Row, RunSummary};
use evenhand_store::Reader;
use serde_json::json;
use std::sync::atomic::Ordering;

/// Rows on a page, where the question does not say, and at most.
const PAGE: usize = 100;
const MOST_ROWS: usize = 1000;
/// Judgments of one other run that are listed.
const MOST_LISTED: usize = 4;

impl ServedRun {
    /// Describes the run as a whole: from the sums that it keeps while its judgments are still
    /// being read, which takes a minute for ten million.
    pub(crate) fn overview(&self) -> Answer {
        if let Some(early) = self.early_overview()? {
            return Json::of(&PageOverview::from(&early));
        }
        self.with(|served| {
            let state = served.run.reader().progress()?.state;
            if let Some(kept) = served.overview.as_ref().filter(|kept| kept.state == state) {
                return Ok(kept.text.clone());
            }
            // Whoever is told that a run has ended asks no more, and must have all of it.
            served.refresh()?;
            let overview = self.on_this_server(served.run.overview());
            let text = Json::of(&PageOverview::from(&overview))?;
            served.overview = Some(KeptOverview {
                state,
                text: text.clone(),
            });
            Ok(text)
        })
    }

    /// Describes a run whose judgments are not in memory yet; None where they are, and where its
    /// sums alone do not say it all: without any, or with labels of people, which are set beside
    /// each row.
    fn early_overview(&self) -> Result<Option<Overview>, Failure> {
        let is_read = self.is_read.load(Ordering::Relaxed);
        if is_read || self.desk.is_some() || !self.sources.labels.is_empty() {
            return Ok(None);
        }
        let reader = Reader::open(&self.dir)?;
        let Some(sums) = RunSummary::read(&reader)? else {
            return Ok(None);
        };
        Ok(Some(self.on_this_server(sums.overview(&reader)?)))
    }

    fn on_this_server(&self, overview: Overview) -> Overview {
        Overview {
            title: self.name.clone(),
            mode: "server",
            review: self.desk.is_some(),
            ..overview
        }
    }

    /// Returns the text that changes whenever the run has grown.
    pub(crate) fn version(&self) -> Answer {
        let version = match self.is_read.load(Ordering::Relaxed) {
            true => self.with(|state| Ok(state.run.version().to_owned()))?,
            false => Reader::open(&self.dir)?.version()?,
        };
        Json::of(&json!({ "version": version }))
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

    /// Lists what each person said of the pair of a judgment, where people judge here.
    pub(crate) fn said_of(&self, row: &Row) -> Vec<SaidOfPair> {
        let pair = self.desk.as_ref().zip(row.b.as_deref());
        pair.map_or_else(Vec::new, |(desk, b)| desk.said_of([&row.item, &row.a, b]))
    }

    /// Finds judgments of the same item and systems, in either order.
    pub(crate) fn same_as(&self, detail: &Detail) -> Result<Vec<OtherRun>, Failure> {
        let filter = Filter {
            item: Some(detail.row.item.clone()),
            system: Some(detail.row.a.clone()),
            limit: None,
            ..Filter::default()
        };
        self.with(|state| {
            // Systems or an item that this run does not have were not judged in it.
            let Ok(selected) = state.run.index().select(&filter, None) else {
                return Ok(Vec::new());
            };
            let rows = selected.rows.iter();
            let rows = rows.map(|row| state.run.row_without_texts(*row));
            let same = rows.filter(|row| systems_of(row) == systems_of(&detail.row));
            let cells = same.flat_map(|row| {
                let (a, b) = (row.b.is_some().then_some(row.a), row.b);
                [(a, row.ab), (b, row.ba)]
            });
            let cells = cells.filter_map(|(first, cell)| Some((first, cell?)));
            let listed = cells.take(MOST_LISTED).map(|(first, outcome)| OtherRun {
                run: self.name.clone(),
                trial: outcome.trial,
                first,
                outcome,
            });
            Ok(listed.collect())
        })
    }
}

/// Returns the systems of a row, in an order that does not depend on their sides.
fn systems_of(row: &Row) -> Vec<&str> {
    let mut systems: Vec<&str> = match &row.systems {
        Some(listed) => listed.iter().map(|name| &**name).collect(),
        None => std::iter::once(&*row.a).chain(row.b.as_deref()).collect(),
    };
    systems.sort_unstable();
    systems
}
