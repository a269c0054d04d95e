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

/// The state of an adaptive run: its design, and the batch under way.
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
        Ok(Batches::before_first(
            design_of_job(job, options, &units)?,
            units,
        ))
    }

    fn before_first(design: Adaptive, units: Units) -> Batches {
        Batches {
            design,
            units,
            ready: VecDeque::new(),
            waiting: HashMap::new(),
            batch: Vec::new(),
            next: 0,
            failed: 0,
            error: None,
        }
    }

    /// Returns the next trial; None while the batch is under way, or when all is done.
    pub(super) fn next_trial(&mut self, job: &Job) -> Option<Trial> {
        // Never while judgments are awaited: what is asked would depend on how fast they come.
        if self.is_idle() && self.error.is_none() {
            self.choose_batch(job);
        }
        self.ready.pop_front()
    }

    /// Whether every trial of the batch was handed out and judged.
    fn is_idle(&self) -> bool {
        self.ready.is_empty() && self.waiting.is_empty()
    }

    fn choose_batch(&mut self, job: &Job) {
        self.batch.clear();
        for wanted in self.design.next_judgments(self.batch_size()) {
            self.plan_look(job, wanted);
        }
    }

    fn batch_size(&self) -> usize {
        (BATCH_ROUNDS * self.units.count()).clamp(1, MOST_IN_BATCH)
    }

    /// Makes the trials of a look: one for each order in which its responses are shown.
    fn plan_look(&mut self, job: &Job, wanted: Wanted) {
        let item = self.item_of(&wanted);
        let orders = orders_of_unit(job, item, wanted.unit);
        self.batch.push(PlannedLook::new(wanted, orders.len()));
        for systems in orders {
            self.plan_trial(item, systems);
        }
    }

    /// Makes a trial of the look that was planned last.
    fn plan_trial(&mut self, item: u32, systems: Vec<u32>) {
        let index = self.next;
        self.next += 1;
        self.waiting.insert(index, self.batch.len() - 1);
        self.ready.push_back(Trial {
            index,
            item,
            systems,
            replicate: 0,
        });
    }

    fn item_of(&self, wanted: &Wanted) -> u32 {
        let number = wanted.item as usize;
        self.units.item(self.number_of_unit(wanted.unit), number)
    }

    fn number_of_unit(&self, unit: Unit) -> usize {
        match unit {
            // All systems share one order of items, which is that of the first unit.
            Unit::System(_) => 0,
            Unit::Pair(a, b) => self.units.of_pair(a, b),
        }
    }

    /// Takes a judgment of the batch; the last one ends it.
    pub(super) fn take_judgment(&mut self, judgment: &Judgment) {
        let Some(at) = self.waiting.remove(&judgment.trial.index) else {
            return;
        };
        self.add_outcome(at, self.units.scale.outcome(judgment));
        if self.waiting.is_empty() {
            self.observe_batch();
        }
    }

    /// Adds the outcome of a trial to the look at this place of the batch.
    fn add_outcome(&mut self, at: usize, outcome: Option<f64>) {
        self.failed += u64::from(outcome.is_none());
        if let Some(look) = self.batch.get_mut(at) {
            look.add(outcome);
        }
    }

    fn observe_batch(&mut self) {
        for look in std::mem::take(&mut self.batch) {
            debug_assert_eq!(look.trials, look.outcomes.len());
            self.observe_look(&look);
        }
    }

    fn observe_look(&mut self, look: &PlannedLook) {
        let Wanted { unit, place, .. } = look.wanted;
        let observed = self.design.observe(unit, place, look.mean_outcome());
        // The first error explains the rest.
        self.error = self.error.take().or(observed.err());
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
        match self.error.take() {
            Some(error) => Err(error.into()),
            None => Ok(self.report_certain(job, options)),
        }
    }

    fn report_certain(&self, job: &Job, options: &AdaptiveOptions) -> AdaptiveReport {
        let counts = (self.units.outcomes() as u64, self.failed);
        AdaptiveReport::new(&self.design, &job.dataset.systems, options, counts)
    }
}

fn design_of_job(
    job: &Job,
    options: &AdaptiveOptions,
    units: &Units,
) -> Result<Adaptive, EngineError> {
    let plan = Plan {
        systems: job.dataset.systems.len(),
        layout: units.draw_layout(options, job.seed)?,
        alpha: 1.0 - options.certainty,
        stop: options.until.into(),
        budget: options.budget,
        allocation: Allocation::Adaptive,
    };
    Ok(Adaptive::new(plan)?)
}

/// Returns the systems of each trial of a look, in slot order.
fn orders_of_unit(job: &Job, item: u32, unit: Unit) -> Vec<Vec<u32>> {
    match unit {
        Unit::System(system) => vec![vec![system as u32]],
        Unit::Pair(a, b) => {
            let pair = [a as u32, b as u32];
            job.plan.orders_of_group(item as usize, &pair)
        }
    }
}

impl PlannedLook {
    /// Adds the outcome of a trial. What has no verdict says nothing for either.
    fn add(&mut self, outcome: Option<f64>) {
        self.outcomes.push(outcome.unwrap_or(0.5));
    }
    fn new(wanted: Wanted, trials: usize) -> PlannedLook {
        PlannedLook {
            wanted,
            trials,
            outcomes: Vec::with_capacity(trials),
        }
    }
    fn mean_outcome(&self) -> f64 {
        let sum: f64 = self.outcomes.iter().sum();
        (sum / self.outcomes.len().max(1) as f64).clamp(0.0, 1.0)
    }
}
