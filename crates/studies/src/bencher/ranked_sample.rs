//! Judgments that become a ranking here, and what they are held against.

use super::Items;
use super::contest::Over;
use super::standing::Standings;
use super::universe::Universe;
use evenhand_engine::{Coverage, EngineError};
use evenhand_ranking::{Aggregation, Sample, SampleRanking};
use evenhand_stats::{Bootstrap, Resampled};
use std::collections::HashSet;

/// A bencher and the reference, ranked.
#[derive(Default)]
pub(super) struct Sides {
    pub(super) bencher: Standings,
    pub(super) reference: Standings,
    pub(super) over: Over,
    pub(super) aggregation: Option<&'static str>,
    /// Benchers of the same group were resampled together.
    pub(super) group: Option<usize>,
    pub(super) coverage: Option<Coverage>,
    pub(super) items: Option<Items>,
    pub(super) notes: Vec<String>,
}

/// Judgments, and how they are ranked.
pub(super) struct RankedSample<'a> {
    pub(super) sample: &'a Sample,
    pub(super) universe: &'a Universe,
    pub(super) how: SampleRanking,
    pub(super) plan: &'a Bootstrap,
}

/// What makes the draws of one side independent of those of the other.
const OTHER_SEED: u64 = 0x6c61_6265_6c73;

impl RankedSample<'_> {
    fn rank(&self) -> Result<Standings, EngineError> {
        let items = &self.universe.items;
        let ranked = self.sample.rank(&self.how, items, self.plan)?;
        Ok(Standings::of_resampled(&self.sample.systems, &ranked))
    }

    fn has_items(&self) -> bool {
        !self.sample.items.is_empty()
    }

    pub(super) fn bencher_side(&self) -> Result<Sides, EngineError> {
        Ok(Sides {
            bencher: self.rank()?,
            over: self.over(),
            aggregation: Some(self.sample.aggregation(&self.how)),
            group: self.has_items().then_some(self.universe.group),
            coverage: Some(self.sample.coverage.clone()),
            ..Sides::default()
        })
    }

    fn over(&self) -> Over {
        if self.sample.by_item {
            Over::Items
        } else {
            Over::Comparisons
        }
    }

    /// Counts the items; None where the judgments name none.
    pub(super) fn items(&self, labels: Option<&Sample>) -> Option<Items> {
        self.has_items().then(|| items_of(self.sample, labels))
    }

    /// Returns what the reader of the judgments warns of.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.sample
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    /// Ranks the labels as the judge's verdicts are, on the same resamples.
    pub(super) fn rank_labels(
        &self,
        labels: &Sample,
        notes: &mut Vec<String>,
    ) -> Result<Standings, EngineError> {
        let how = self.ranking_of(labels);
        let aggregation = labels.aggregation(&how);
        if aggregation != self.sample.aggregation(&self.how) {
            notes.push(note_on_aggregation(aggregation));
        }
        let resampled = self.resample_labels(labels, &how, notes)?;
        Ok(Standings::of_resampled(&labels.systems, &resampled))
    }

    /// Ranks the labels on the judgments' resamples, or on their own where there are no items to go
    /// by.
    fn resample_labels(
        &self,
        labels: &Sample,
        how: &SampleRanking,
        notes: &mut Vec<String>,
    ) -> Result<Resampled, EngineError> {
        if self.has_items() && !labels.items.is_empty() {
            return labels.rank(how, &self.universe.items, self.plan);
        }
        notes.push(RESAMPLED_APART.into());
        labels.rank(how, &labels.items, &self.other_plan())
    }

    /// Returns how the labels are ranked: as the verdicts, unless that needs scores that they lack.
    fn ranking_of(&self, labels: &Sample) -> SampleRanking {
        let has_scores = labels.has_scores();
        let can_rank = |by: &Aggregation| has_scores || !by.needs_scores();
        SampleRanking {
            aggregation: self.how.aggregation.filter(can_rank),
            ..self.how
        }
    }

    fn other_plan(&self) -> Bootstrap {
        Bootstrap {
            seed: self.plan.seed ^ OTHER_SEED,
            ..*self.plan
        }
    }
}

const RESAMPLED_APART: &str = "the judgments or the labels name no items, so the two sides were \
                               resampled each on its own";

fn note_on_aggregation(aggregation: &str) -> String {
    format!("the labels are aggregated by {aggregation} because they are of another sort")
}

fn items_of(sample: &Sample, labels: Option<&Sample>) -> Items {
    let own: HashSet<&String> = sample.items.iter().collect();
    Items {
        judged: own.len(),
        labelled: labels.map(|labels| labels.items.len()),
        both: labels.map(|labels| count_common(&own, &labels.items)),
    }
}

fn count_common(own: &HashSet<&String>, items: &[String]) -> usize {
    items.iter().filter(|id| own.contains(id)).count()
}
