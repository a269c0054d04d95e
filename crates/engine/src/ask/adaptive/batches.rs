//! Batches of an adaptive design: chosen by what is certain already, judged, and told to the design
//! when every judgment of the batch has come.

use super::options::AdaptiveOptions;
use super::units::Units;
use crate::ask::chosen::Chooser;
use crate::{AdaptiveReport, CertifiedPair, EngineError, Job, PairBounds};
use evenhand_core::{Judgment, Trial};
use evenhand_stats::adaptive::{
    Adaptive, AdaptiveError, Allocation, Plan, StopReason, Unit, Wanted,
};
use std::collections::{HashMap, VecDeque};

/// A batch has this many looks at every unit, so that few are made in vain and a server is kept
/// busy.
const BATCH_ROUNDS: usize = 4;
const MOST_IN_BATCH: usize = 4096;

/// The state of an adaptive run: its design, and the batch under way.
pub(super) struct Batches {
    design: Adaptive,
    units: Units,
    /// Trials of the batch that are not handed out yet.
    ready: VecDeque<Trial>,
    /// Trials that were handed out or are ready: which look of the batch each belongs to.
    waiting: HashMap<u64, usize>,
    /// The looks of the batch, each with the outcomes of its trials so far.
    batch: Vec<(Wanted, Vec<f64>)>,
    /// The index of the next trial.
    next: u64,
    /// Trials without a verdict.
    failed: u64,
    error: Option<AdaptiveError>,
}

impl Batches {
    pub(super) fn new(job: &Job, options: &AdaptiveOptions) -> Result<Batches, EngineError> {
        options.check_population(job)?;
        let units = Units::of_job(job)?;
        let design = Adaptive::new(Plan {
            systems: job.dataset.systems.len(),
            layout: units.draw_layout(options, job.seed)?,
            alpha: 1.0 - options.certainty,
            stop: options.until.into(),
            budget: options.budget,
            allocation: Allocation::Adaptive,
        })?;
        Ok(Batches {
            design,
            units,
            ready: VecDeque::new(),
            waiting: HashMap::new(),
            batch: Vec::new(),
            next: 0,
            failed: 0,
            error: None,
        })
    }

    /// Plans the looks of a batch: the trials of one are its orders of presentation.
    fn choose_batch(&mut self, job: &Job) {
        self.batch.clear();
        let size = (BATCH_ROUNDS * self.units.count()).clamp(1, MOST_IN_BATCH);
        for wanted in self.design.next_judgments(size) {
            let number = wanted.item as usize;
            let (item, orders) = match wanted.unit {
                // All systems share one order of items, which is that of the first unit.
                Unit::System(system) => (self.units.item(0, number), vec![vec![system as u32]]),
                Unit::Pair(a, b) => {
                    let item = self.units.item(self.units.of_pair(a, b), number);
                    let pair = [a as u32, b as u32];
                    (item, job.plan.orders_of_group(item as usize, &pair))
                }
            };
            for systems in &orders {
                self.waiting.insert(self.next, self.batch.len());
                self.ready.push_back(Trial {
                    index: self.next,
                    item,
                    systems: systems.clone(),
                    replicate: 0,
                });
                self.next += 1;
            }
            self.batch.push((wanted, Vec::with_capacity(orders.len())));
        }
    }

    /// Returns what is certain now.
    ///
    /// # Errors
    /// What the design refused while the run went on.
    pub(super) fn report(
        &mut self,
        job: &Job,
        options: &AdaptiveOptions,
    ) -> Result<AdaptiveReport, EngineError> {
        if let Some(error) = self.error.take() {
            return Err(error.into());
        }
        let name = |system: usize| {
            let name = job.dataset.systems.get(system);
            name.map(|name| name.to_string()).unwrap_or_default()
        };
        let certified = self.design.certified_pairs().into_iter();
        let intervals = self.design.pair_intervals().into_iter();
        Ok(AdaptiveReport {
            until: options.until.to_string(),
            certain_for: options.certain_for,
            certainty: options.certainty,
            ended: match self.design.stop_reason() {
                Some(StopReason::Certain) => "certain",
                Some(StopReason::Budget) => "budget",
                Some(StopReason::Exhausted) | None => "exhausted",
            },
            judged: self.design.judged(),
            of: self.units.outcomes() as u64,
            failed: self.failed,
            certified: certified
                .map(|pair| CertifiedPair {
                    above: name(pair.above),
                    below: name(pair.below),
                })
                .collect(),
            differences: intervals
                .map(|pair| PairBounds {
                    a: name(pair.first),
                    b: name(pair.second),
                    judged: pair.judged as u64,
                    ci: [pair.low, pair.high],
                    certified: pair.certified.is_some(),
                })
                .collect(),
        })
    }
}

impl Chooser for Batches {
    fn next_trial(&mut self, job: &Job) -> Option<Trial> {
        // Never while judgments are awaited: what is asked would depend on how fast they come.
        let is_idle = self.ready.is_empty() && self.waiting.is_empty();
        if is_idle && self.error.is_none() {
            self.choose_batch(job);
        }
        self.ready.pop_front()
    }

    fn take_judgment(&mut self, judgment: &Judgment) {
        let Some(at) = self.waiting.remove(&judgment.trial.index) else {
            return;
        };
        let outcome = self.units.scale.outcome(judgment);
        self.failed += u64::from(outcome.is_none());
        if let Some((_, outcomes)) = self.batch.get_mut(at) {
            // What has no verdict says nothing for either.
            outcomes.push(outcome.unwrap_or(0.5));
        }
        if !self.waiting.is_empty() {
            return;
        }
        // An outcome is the mean over the trials of a look.
        for (Wanted { unit, place, .. }, outcomes) in std::mem::take(&mut self.batch) {
            let sum: f64 = outcomes.iter().sum();
            let mean = (sum / outcomes.len().max(1) as f64).clamp(0.0, 1.0);
            let observed = self.design.observe(unit, place, mean);
            // The first error explains the rest.
            self.error = self.error.take().or(observed.err());
        }
    }
}
