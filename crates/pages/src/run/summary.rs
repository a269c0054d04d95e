//! The sums of a run, which it keeps: one of millions of judgments is then shown without reading
//! them.

use super::Overview;
use super::overview::Summed;
use crate::index::RunSums;
use crate::{EntryOutcome, JudgmentEntry, LookFlags, RunIndex};
use evenhand_core::{Item, Judgment, Response, Verdict};
use evenhand_ranking::NoiseFloor;
use evenhand_store::{Answered, Reader, StoreError, Totals, keep_summary};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// Judgments whose rows are summed together.
const TOGETHER: usize = 4096;

/// Sums of more pairs of systems than these are not kept: they would be many megabytes.
const MOST_PAIRS: usize = 50_000;

/// The sums of a run, as its last session kept them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// The version of the program that made them: another may count otherwise.
    program: String,
    /// The systems, in the order of the data: what the sums number.
    systems: Vec<String>,
    sums: RunSums,
    /// Its calls and their tokens, judge by judge.
    pub totals: Vec<Totals>,
    answered_by: Vec<Answered>,
    /// By how much two identical systems would seem to differ; None where that is not known.
    pub noise: Option<NoiseFloor>,
}

impl RunSummary {
    /// Reads the sums that a run keeps; None where it keeps none, or has labels of people, with
    /// which each row is compared.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn read(reader: &Reader) -> Result<Option<RunSummary>, StoreError> {
        let Some(kept) = reader.summary()? else {
            return Ok(None);
        };
        let is_labelled = reader.has_labels()?;
        // One that was damaged, or is of another version, is as good as none.
        let summary: Option<RunSummary> = serde_json::from_str(&kept).ok();
        Ok(summary.filter(|summary| summary.program == PROGRAM && !is_labelled))
    }

    /// Describes the run as a whole, as [`OpenRun::overview`](super::OpenRun::overview) does.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub fn overview(&self, reader: &Reader) -> Result<Overview, StoreError> {
        // Items, and their categories, are few beside judgments.
        let mut index = RunIndex::default();
        reader.for_each_category(|item, category| index.know_item(item, category))?;
        let calls = self.totals.iter().map(|judge| judge.calls).sum();
        let summed = Summed {
            systems: self.systems.clone(),
            categories: index.categories().to_vec(),
            items: index.items().len(),
            answered_by: self.answered_by.clone(),
            counts: self.sums.counts(calls),
            matrix: self.sums.matrix(),
        };
        Overview::of_run(reader, reader.version()?, summed)
    }
}

/// Sums judgments as they come, those of one item and repeat together.
#[derive(Debug)]
pub struct Summing {
    systems: Vec<Arc<str>>,
    sums: RunSums,
    /// The judgments that are not in the sums.
    part: RunIndex,
    /// The item and repeat of the last of them.
    at: (u32, u32),
}

impl Summing {
    /// Sums judgments of these systems, in the order of the data.
    pub fn of(systems: &[Arc<str>]) -> Summing {
        let mut summing = Summing {
            systems: systems.to_vec(),
            sums: RunSums::default(),
            part: RunIndex::default(),
            at: (0, 0),
        };
        summing.end_part();
        summing
    }

    /// Takes the next judgment.
    pub fn add(&mut self, judgment: &Judgment, item: &Item, responses: &[Response]) {
        let trial = &judgment.trial;
        let at = (trial.item, trial.replicate);
        // A row is of one item and repeat.
        if self.at != at && self.part.judgments() >= TOGETHER {
            self.end_part();
        }
        self.at = at;
        self.part.add(&JudgmentEntry {
            trial: trial.index,
            item: &item.id,
            category: None,
            systems: responses.iter().map(|one| &*one.system).collect(),
            replicate: trial.replicate,
            outcome: match &judgment.outcome {
                Ok(Verdict::Pointwise { score, .. }) => EntryOutcome::Score(*score),
                Ok(Verdict::Listwise { places, .. }) => EntryOutcome::of_places(places.clone()),
                Ok(verdict) => EntryOutcome::Pair(verdict.preference().unwrap_or_default()),
                Err(failure) => EntryOutcome::Failed(failure.kind),
            },
            looks: LookFlags::of(&judgment.looks),
            calls: Vec::new(),
        });
    }

    fn end_part(&mut self) {
        self.sums.add(&self.part);
        self.part = RunIndex::default();
        for system in &self.systems {
            self.part.know_system(system);
        }
    }

    /// Keeps the sums in the run whose judgments these were, all of them, after this session; nothing
    /// is kept where the run has others, too, another session has begun, or there are more than
    /// 50,000 pairs of systems.
    ///
    /// # Errors
    /// A run that cannot be read or written, or that another process has.
    pub fn keep(
        mut self,
        dir: &Path,
        session: i64,
        totals: Vec<Totals>,
        noise: Option<NoiseFloor>,
    ) -> Result<(), StoreError> {
        self.end_part();
        let reader = Reader::open(dir)?;
        let systems = reader.systems()?;
        let is_same = systems
            .iter()
            .map(String::as_str)
            .eq(self.systems.iter().map(|name| &**name));
        let is_whole = reader.count_judgments()? == self.sums.judgments();
        if !is_same || !is_whole || self.sums.pairs() > MOST_PAIRS {
            return Ok(());
        }
        let summary = RunSummary {
            program: PROGRAM.into(),
            systems,
            sums: self.sums,
            totals,
            answered_by: reader.answered_by(0)?,
            noise,
        };
        drop(reader);
        let text = serde_json::to_string(&summary);
        keep_summary(
            dir,
            session,
            &text.map_err(|e| StoreError::Corrupt(e.to_string()))?,
        )
    }
}
