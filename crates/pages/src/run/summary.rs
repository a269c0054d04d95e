//! The sums of a run, which it keeps: one of millions of judgments is then shown without reading
//! them.

use super::Overview;
use super::overview::About;
use crate::index::RunSums;
use crate::{EntryOutcome, JudgmentEntry, LookFlags, RunIndex};
use evenhand_core::{Item, Judgment, Response, Verdict, are_same};
use evenhand_ranking::NoiseFloor;
use evenhand_store::{Answered, JudgmentCounts, Reader, StoreError, Totals, keep_summary};
use rustc_hash::FxHashSet;
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
    /// How many items have a judgment.
    items: usize,
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
        let calls = self.totals.iter().map(|judge| judge.calls).sum();
        let counts = self.sums.counts(calls);
        // Categories are few beside judgments.
        let mut index = RunIndex::default();
        let (version, about) = reader.at_once(|| {
            let version = reader.version()?;
            reader.for_each_category(|item, category| index.know_item(item, category))?;
            let counts = JudgmentCounts {
                judgments: counts.judgments,
                verdicts: counts.verdicts,
            };
            Ok((version, About::read(reader, counts)?))
        })?;
        let overview = Overview {
            version,
            systems: self.systems.clone(),
            categories: index.categories().to_vec(),
            items: self.items,
            answered_by: self.answered_by.clone(),
            counts,
            matrix: self.sums.matrix(),
            ..Overview::of_file()
        };
        Ok(overview.of_run(reader.dir(), &about))
    }
}

/// Sums judgments as they come, those of one item and repeat together.
#[derive(Debug)]
pub struct Summing {
    session: i64,
    systems: Vec<Arc<str>>,
    items: FxHashSet<u32>,
    sums: RunSums,
    /// The judgments that are not in the sums.
    part: RunIndex,
    /// The item and repeat of the last of them.
    at: (u32, u32),
}

impl Summing {
    /// Sums judgments of these systems, in the order of the data, as the session of this id makes
    /// them ([`Store::session`](evenhand_store::Store::session)).
    pub fn of(systems: &[Arc<str>], session: i64) -> Summing {
        let mut summing = Summing {
            session,
            systems: systems.to_vec(),
            items: FxHashSet::default(),
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
        self.items.insert(trial.item);
        // Rows of two responses that are the same rest on the same calls in both orders, whatever
        // their numbers in the run are.
        let is_one_prompt = are_same(responses, 0, 1);
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
            looks: LookFlags::of(&judgment.looks, responses),
            calls: if is_one_prompt { vec![0] } else { Vec::new() },
        });
    }

    fn end_part(&mut self) {
        self.sums.add(&self.part);
        self.part = RunIndex::default();
        for system in &self.systems {
            self.part.know_system(system);
        }
    }

    /// Keeps the sums in the run whose judgments these were, all of them, after the session.
    /// Nothing is kept where the run has others, too, another session has begun, or there are more
    /// than 50,000 pairs of systems.
    ///
    /// # Errors
    /// A run that cannot be read or written, or that another process has.
    pub fn keep(
        mut self,
        dir: &Path,
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
            items: self.items.len(),
            sums: self.sums,
            totals,
            answered_by: reader.answered_by(0)?,
            noise,
        };
        drop(reader);
        let text = serde_json::to_string(&summary);
        keep_summary(
            dir,
            self.session,
            &text.map_err(|e| StoreError::Corrupt(e.to_string()))?,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::{Failure, FailureKind, Trial, VerdictSource};

    /// Sums that are made in parts are those of all judgments together, to the last bit: of two
    /// repeats of items of unlike sizes, some of them larger than a part.
    #[test]
    fn parts_have_the_sums_of_the_whole() {
        let systems: Vec<Arc<str>> = (0..40).map(|at| format!("s{at}").into()).collect();
        let mut summing = Summing::of(&systems, 1);
        let mut whole = RunIndex::default();
        for system in &systems {
            whole.know_system(system);
        }
        let mut index = 0_u32;
        for replicate in 0..2 {
            for number in 0..60_u32 {
                let item = Item {
                    id: format!("q{number}"),
                    ..Item::default()
                };
                let shown = if number % 7 == 0 { 40 } else { 2 + number % 9 };
                for (a, b) in (0..shown).flat_map(|a| (0..shown).map(move |b| (a, b))) {
                    if a == b {
                        continue;
                    }
                    let first = f64::from((index * 7919 + 13) % 1001) / 1001.0;
                    let preference = [first, 0.0, 1.0 - first];
                    let outcome = match index % 11 {
                        0 => Err(Failure::new(FailureKind::Unparsed, "bad")),
                        _ => Ok(Verdict::pair(preference, 0.0, VerdictSource::Text)),
                    };
                    let trial = Trial {
                        index: u64::from(index),
                        item: number,
                        systems: vec![a, b],
                        replicate,
                    };
                    let judgment = Judgment {
                        trial,
                        outcome,
                        calls: Vec::new(),
                        looks: Vec::new(),
                    };
                    let of = |at: u32| Response::new(systems[at as usize].clone(), at.to_string());
                    summing.add(&judgment, &item, &[of(a), of(b)]);
                    whole.add(&JudgmentEntry {
                        trial: u64::from(index),
                        item: &item.id,
                        category: None,
                        systems: vec![&systems[a as usize], &systems[b as usize]],
                        replicate,
                        outcome: match &judgment.outcome {
                            Ok(_) => EntryOutcome::Pair(preference),
                            Err(failure) => EntryOutcome::Failed(failure.kind),
                        },
                        looks: LookFlags::default(),
                        calls: Vec::new(),
                    });
                    index += 1;
                }
            }
        }
        summing.end_part();
        assert!(index as usize > 5 * TOGETHER, "{index} judgments");
        assert_eq!(summing.sums.counts(7), whole.count(7));
        assert_eq!(summing.sums.matrix(), whole.matrix());
        assert_eq!(summing.items.len(), whole.judged_items());
    }
}
