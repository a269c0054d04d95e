//! Batches of an adaptive design: chosen by what is certain already, judged, and told to the design
//! when every judgment of the batch has come.

use super::options::AdaptiveOptions;
use super::units::Units;
use crate::{AdaptiveReport, EngineError, Job};
use evenhand_core::{Judgment, Trial};
use evenhand_stats::adaptive::{Adaptive, AdaptiveError, Allocation, Plan, Unit, Wanted};
use std::collections::{HashMap, VecDeque};

/// A batch has this many looks at every unit, so that few are made in vain and a server is kept
/// busy.
const BATCH_ROUNDS: usize = 4;
const MOST_IN_BATCH: usize = 4096;

/// What is known, and the batch under way.
pub(super) struct Batches {
    design: Adaptive,
    units: Units,
    /// Trials of the batch that are not handed out yet.
    ready: VecDeque<Trial>,
    /// Trials that were handed out or are ready: which look of the batch each belongs to.
    waiting: HashMap<u64, usize>,
    batch: Vec<PlannedLook>,
    /// The index of the next trial.
    next: u64,
    /// Trials without a verdict.
    failed: u64,
    error: Option<AdaptiveError>,
}

/// One outcome in the making: the mean over its trials.
struct PlannedLook {
    wanted: Wanted,
    trials: usize,
    outcomes: Vec<f64>,
}

impl Batches {
    pub(super) fn new(job: &Job, options: &AdaptiveOptions) -> Result<Batches, EngineError> {
        let units = Units::of_job(job)?;
        let plan = Plan {
            systems: job.dataset.systems.len(),
            layout: units.draw_layout(options, job.seed)?,
            alpha: 1.0 - options.certainty,
            stop: options.until.into(),
            budget: options.budget,
            allocation: Allocation::Adaptive,
        };
        Ok(Batches {
            design: Adaptive::new(plan)?,
            units,
            ready: VecDeque::new(),
            waiting: HashMap::new(),
            batch: Vec::new(),
            next: 0,
            failed: 0,
            error: None,
        })
    }

    /// Returns the next trial; None while the batch is under way, or when all is done.
    pub(super) fn next_trial(&mut self, job: &Job) -> Option<Trial> {
        if self.ready.is_empty() && self.waiting.is_empty() && self.error.is_none() {
            self.choose_batch(job);
        }
        self.ready.pop_front()
    }

    fn choose_batch(&mut self, job: &Job) {
        let size = (BATCH_ROUNDS * self.units.count()).clamp(1, MOST_IN_BATCH);
        self.batch.clear();
        for wanted in self.design.next_judgments(size) {
            self.plan_look(job, wanted);
        }
    }

    /// Makes the trials of a look: one for each order in which its responses are shown.
    fn plan_look(&mut self, job: &Job, wanted: Wanted) {
        let item = self.item_of(&wanted);
        let orders = match wanted.unit {
            Unit::System(system) => vec![vec![system as u32]],
            Unit::Pair(a, b) => job
                .plan
                .orders_of_group(item as usize, &[a as u32, b as u32]),
        };
        let trials = orders.len();
        for systems in orders {
            self.plan_trial(item, systems);
        }
        self.batch.push(PlannedLook {
            wanted,
            trials,
            outcomes: Vec::new(),
        });
    }

    /// Makes a trial of the look that is planned next.
    fn plan_trial(&mut self, item: u32, systems: Vec<u32>) {
        self.waiting.insert(self.next, self.batch.len());
        self.ready.push_back(Trial {
            index: self.next,
            item,
            systems,
            replicate: 0,
        });
        self.next += 1;
    }

    fn item_of(&self, wanted: &Wanted) -> u32 {
        let unit = match wanted.unit {
            Unit::System(_) => 0,
            Unit::Pair(a, b) => self.units.of_pair(a, b),
        };
        self.units.item(unit, wanted.item as usize)
    }

    /// Takes a judgment of the batch; the last one ends it.
    pub(super) fn take_judgment(&mut self, judgment: &Judgment) {
        let Some(at) = self.waiting.remove(&judgment.trial.index) else {
            return;
        };
        let outcome = self.units.scale.outcome(judgment);
        self.failed += u64::from(outcome.is_none());
        if let Some(look) = self.batch.get_mut(at) {
            // What has no verdict says nothing for either.
            look.outcomes.push(outcome.unwrap_or(0.5));
        }
        if self.waiting.is_empty() {
            self.observe_batch();
        }
    }

    fn observe_batch(&mut self) {
        for look in self.batch.drain(..) {
            debug_assert_eq!(look.trials, look.outcomes.len());
            let Wanted { unit, place, .. } = look.wanted;
            if let Err(error) = self.design.observe(unit, place, look.mean_outcome()) {
                self.error.get_or_insert(error);
            }
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
        let all = self.units.outcomes() as u64;
        let systems = &job.dataset.systems;
        Ok(AdaptiveReport::new(
            &self.design,
            systems,
            options,
            (all, self.failed),
        ))
    }
}

impl PlannedLook {
    fn mean_outcome(&self) -> f64 {
        let sum: f64 = self.outcomes.iter().sum();
        (sum / self.outcomes.len().max(1) as f64).clamp(0.0, 1.0)
    }
}
