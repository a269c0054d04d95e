//! The adaptive design: what is judged next is chosen by what is certain already, and the run ends
//! when enough is.
//!
//! The trials are an iterator that the driver asks for more whenever it has room. A batch is chosen
//! when every judgment of the batch before has come, so that what is asked does not depend on how
//! fast replies come in. docs/design/adaptive.md has the statistics.

use crate::{AdaptiveReport, EngineError, Finished, Job, Progress, Session, Sink};
use evenhand_core::{Item, Judgment, Response, Trial, Verdict};
use evenhand_protocols::{Form, Slots};
use evenhand_stats::adaptive::{
    Adaptive, AdaptiveError, Allocation, Layout, Order, Plan, Population, StopRule, Unit, Wanted,
};
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::rc::Rc;

/// What an adaptive run is to find out.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveOptions {
    /// What must be certain.
    pub until: Until,
    /// What the certain orders are of.
    pub certain_for: CertainFor,
    /// The chance, strictly between 0 and 1, with which no certified order may be false.
    pub certainty: f64,
    /// The most comparisons of two responses (whatever their orders), or scores of one, that are
    /// made.
    pub budget: Option<u64>,
    /// For each item of the dataset how much it is expected to tell, from 0: those with large
    /// weights come early. Not from judgments that this run makes. `None`: all alike.
    pub weights: Option<Vec<f64>>,
}

/// What a certain order is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertainFor {
    /// Of the items at hand: what judging every one of them would give.
    Items,
    /// Of all items of their kind, from which those at hand are an independent sample.
    Population,
}

impl CertainFor {
    /// Reads `items` or `population`.
    pub fn parse(text: &str) -> Option<CertainFor> {
        [CertainFor::Items, CertainFor::Population]
            .into_iter()
            .find(|one| one.name() == text)
    }

    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            CertainFor::Items => "items",
            CertainFor::Population => "population",
        }
    }

    fn population(self) -> Population {
        match self {
            CertainFor::Items => Population::Finite,
            CertainFor::Population => Population::Superpopulation,
        }
    }
}

/// What must be certain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// The order of all pairs.
    All,
    /// Which k systems are the best.
    Top(usize),
    /// The order of this share of all pairs.
    Share(f64),
}

impl Until {
    /// Reads `order`, `top:K` or `share:S`.
    pub fn parse(text: &str) -> Option<Until> {
        match text.split_once(':') {
            None if text == "order" => Some(Until::All),
            Some(("top", k)) => k.parse().ok().filter(|k| *k > 0).map(Until::Top),
            Some(("share", share)) => share
                .parse()
                .ok()
                .filter(|share| *share > 0.0 && *share <= 1.0)
                .map(Until::Share),
            _ => None,
        }
    }
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Until::All => f.write_str("order"),
            Until::Top(k) => write!(f, "top:{k}"),
            Until::Share(share) => write!(f, "share:{share}"),
        }
    }
}

impl From<Until> for StopRule {
    fn from(until: Until) -> StopRule {
        match until {
            Until::All => StopRule::AllPairs,
            Until::Top(k) => StopRule::Top(k),
            Until::Share(share) => StopRule::Share(share),
        }
    }
}

impl Session<'_> {
    /// Judges as much of a job as it takes, and returns what is certain then. Another run of the
    /// same job asks nothing that the store has.
    ///
    /// # Errors
    /// A form that cannot be judged this way, and as of [`Session::run`].
    pub fn run_adaptive(
        &mut self,
        job: &Job,
        options: &AdaptiveOptions,
    ) -> Result<(Finished, AdaptiveReport), EngineError> {
        let state = Rc::new(RefCell::new(State::new(job, options)?));
        let trials = Trials {
            job,
            state: state.clone(),
        };
        let finished = self.run_observed(job, trials, &state)?;
        let mut state = state.borrow_mut();
        match state.error.take() {
            Some(error) => Err(error.into()),
            None => Ok((finished, state.report(job, options))),
        }
    }

    /// Runs trials whose judgments the design is told of before the sink is.
    fn run_observed(
        &mut self,
        job: &Job,
        trials: Trials<'_>,
        state: &Rc<RefCell<State>>,
    ) -> Result<Finished, EngineError> {
        let Session {
            model,
            intake,
            limits,
        } = self;
        let mut observer = Observer {
            state: state.clone(),
            sink: &mut *intake.sink,
        };
        Session::new(&mut **model, &mut *intake.store, &mut observer)
            .with_limits(limits.clone())
            .with_stop(intake.stop)
            .run_numbered(job, trials)
    }
}

/// How an outcome from 0 to 1 is made of a judgment.
#[derive(Clone, Copy, Debug)]
enum Scale {
    /// The share of the first of a pair, a tie half.
    Shares,
    /// A score on this scale.
    Points { low: f64, high: f64 },
}

/// What is known, and what is under way.
struct State {
    design: Adaptive,
    /// For each unit the items of its places: those that both systems, or the one, have answered.
    items: Vec<Vec<u32>>,
    scale: Scale,
    /// Trials of the batch that are not handed out yet.
    ready: VecDeque<Trial>,
    /// Trials that were handed out or are ready: which look of the batch each belongs to.
    waiting: HashMap<u64, usize>,
    /// The batch.
    batch: Vec<Look>,
    /// Of the next trial.
    next: u64,
    batch_size: usize,
    failed: u64,
    error: Option<AdaptiveError>,
}

/// One outcome in the making.
struct Look {
    wanted: Wanted,
    trials: usize,
    outcomes: Vec<f64>,
}

impl State {
    fn new(job: &Job, options: &AdaptiveOptions) -> Result<State, EngineError> {
        let systems = job.dataset.systems.len();
        let scale = scale(job)?;
        if options.weights.is_some() && options.certain_for == CertainFor::Population {
            return Err(EngineError::Setting(WEIGHED_SAMPLE.into()));
        }
        let items = units(job, scale);
        let order =
            |(unit, items): (usize, &Vec<u32>)| order(items, options, job.seed, unit as u64);
        let mut orders = items
            .iter()
            .enumerate()
            .map(order)
            .collect::<Result<Vec<_>, _>>()?;
        let layout = match scale {
            Scale::Shares => Layout::Pairs(orders),
            // All systems walk through one order of the items that all have answered.
            Scale::Points { .. } => Layout::Arms(orders.swap_remove(0)),
        };
        let units = items.len();
        let plan = Plan {
            systems,
            layout,
            alpha: 1.0 - options.certainty,
            stop: options.until.into(),
            budget: options.budget,
            allocation: Allocation::Adaptive,
        };
        Ok(State {
            design: Adaptive::new(plan)?,
            items,
            scale,
            ready: VecDeque::new(),
            waiting: HashMap::new(),
            batch: Vec::new(),
            next: 0,
            batch_size: (BATCH_ROUNDS * units).clamp(1, MOST_IN_BATCH),
            failed: 0,
            error: None,
        })
    }

    /// The next trial; none while the batch is under way, or when all is done.
    fn trial(&mut self, job: &Job) -> Option<Trial> {
        if self.ready.is_empty() && self.waiting.is_empty() && self.error.is_none() {
            self.choose(job);
        }
        self.ready.pop_front()
    }

    fn choose(&mut self, job: &Job) {
        self.batch.clear();
        for wanted in self.design.next_judgments(self.batch_size) {
            let shown = self.shown(job, &wanted);
            for systems in &shown.1 {
                self.waiting.insert(self.next, self.batch.len());
                self.ready.push_back(Trial {
                    index: self.next,
                    item: shown.0,
                    systems: systems.clone(),
                    replicate: 0,
                });
                self.next += 1;
            }
            self.batch.push(Look {
                wanted,
                trials: shown.1.len(),
                outcomes: Vec::new(),
            });
        }
    }

    /// The item and the slots of each trial.
    fn shown(&self, job: &Job, wanted: &Wanted) -> (u32, Vec<Vec<u32>>) {
        match wanted.unit {
            Unit::System(system) => (self.item(0, wanted), vec![vec![system as u32]]),
            Unit::Pair(a, b) => {
                let item = self.item(pair(a, b, job.dataset.systems.len()), wanted);
                (item, job.plan.shown(item as usize, &[a as u32, b as u32]))
            }
        }
    }

    fn item(&self, unit: usize, wanted: &Wanted) -> u32 {
        self.items
            .get(unit)
            .and_then(|items| items.get(wanted.item as usize))
            .copied()
            .unwrap_or_default()
    }

    fn take(&mut self, judgment: &Judgment) {
        let Some(at) = self.waiting.remove(&judgment.trial.index) else {
            return;
        };
        let outcome = self.outcome(judgment);
        self.failed += u64::from(outcome.is_none());
        if let Some(look) = self.batch.get_mut(at) {
            // What has no verdict says nothing for either.
            look.outcomes.push(outcome.unwrap_or(0.5));
        }
        if self.waiting.is_empty() {
            self.observe();
        }
    }

    fn observe(&mut self) {
        for look in self.batch.drain(..) {
            debug_assert_eq!(look.trials, look.outcomes.len());
            let mean = look.outcomes.iter().sum::<f64>() / look.outcomes.len().max(1) as f64;
            if let Err(error) =
                self.design
                    .observe(look.wanted.unit, look.wanted.place, mean.clamp(0.0, 1.0))
            {
                self.error.get_or_insert(error);
            }
        }
    }

    /// The outcome of a trial for the first system of its unit; none without a verdict.
    fn outcome(&self, judgment: &Judgment) -> Option<f64> {
        match (
            judgment.outcome.as_ref().ok()?,
            self.scale,
            &judgment.trial.systems[..],
        ) {
            (Verdict::Pointwise { score, .. }, Scale::Points { low, high }, _) => {
                Some((score - low) / (high - low))
            }
            (verdict, Scale::Shares, [first, second]) => {
                let [wins, ties, _] = verdict.preference()?;
                let share = wins + ties / 2.0;
                Some(if first < second { share } else { 1.0 - share })
            }
            _ => None,
        }
    }

    fn report(&self, job: &Job, options: &AdaptiveOptions) -> AdaptiveReport {
        let all: usize = match self.scale {
            Scale::Shares => self.items.iter().map(Vec::len).sum(),
            Scale::Points { .. } => {
                self.items.iter().map(Vec::len).sum::<usize>() * job.dataset.systems.len()
            }
        };
        AdaptiveReport::new(
            &self.design,
            &job.dataset.systems,
            options,
            (all as u64, self.failed),
        )
    }
}

/// A batch has this many looks at every unit, so that few are made in vain and a server is kept
/// busy.
const BATCH_ROUNDS: usize = 4;
const MOST_IN_BATCH: usize = 4096;

fn scale(job: &Job) -> Result<Scale, EngineError> {
    let form = job.protocol.form();
    let refused = |why: &str| EngineError::Setting(format!("--design adaptive: {why}"));
    match (form.slots(), form.scale(), form) {
        (Slots::Two, ..) => Ok(Scale::Shares),
        (Slots::One, Some(scale), Form::Pointwise(_)) => Ok(Scale::Points {
            low: scale.low(),
            high: scale.high(),
        }),
        (Slots::One, ..) => Err(refused(
            "its bounds hold for outcomes on a scale, and a likelihood has none; use a pairwise \
             form or a score",
        )),
        _ => Err(refused(
            "it compares two responses, or scores one; a list of several is neither",
        )),
    }
}

/// Why items have no weights where they are a sample.
const WEIGHED_SAMPLE: &str = "--item-weights: a claim about a population needs items that are \
                              drawn alike; leave the weights out, or use \
    --certain-for items";

/// The share of places that are dealt to items alike, whatever they weigh: docs/design/adaptive.md
/// has what it costs.
const ALIKE: f64 = 0.7;

fn order(
    items: &[u32],
    options: &AdaptiveOptions,
    seed: u64,
    unit: u64,
) -> Result<Order, AdaptiveError> {
    let population = options.certain_for.population();
    let Some(weights) = &options.weights else {
        return Order::random(items.len(), population, seed, unit);
    };
    let weights: Vec<f64> = items
        .iter()
        .map(|item| weights.get(*item as usize).copied().unwrap_or_default())
        .collect();
    Order::informative(&weights, ALIKE, seed, unit)
}

/// The items of each unit: of every pair of systems, or of all systems together.
fn units(job: &Job, scale: Scale) -> Vec<Vec<u32>> {
    let systems = job.dataset.systems.len();
    let answered = |group: &[usize]| -> Vec<u32> {
        let all = |item: &u32| {
            group
                .iter()
                .all(|system| job.dataset.has_response(*item as usize, *system))
        };
        (0..job.dataset.items.len() as u32).filter(all).collect()
    };
    match scale {
        Scale::Points { .. } => vec![answered(&(0..systems).collect::<Vec<_>>())],
        Scale::Shares => (0..systems)
            .flat_map(|a| (a + 1..systems).map(move |b| [a, b]))
            .map(|pair| answered(&pair))
            .collect(),
    }
}

/// The place of a pair among (0, 1), (0, 2), ..., (1, 2), ...
fn pair(a: usize, b: usize, systems: usize) -> usize {
    a * (2 * systems - a - 1) / 2 + b - a - 1
}

struct Trials<'a> {
    job: &'a Job,
    state: Rc<RefCell<State>>,
}

impl Iterator for Trials<'_> {
    type Item = Trial;

    fn next(&mut self) -> Option<Trial> {
        self.state.borrow_mut().trial(self.job)
    }
}

/// Tells the design what came, and then the user's sink.
struct Observer<'a> {
    state: Rc<RefCell<State>>,
    sink: &'a mut dyn Sink,
}

impl Sink for Observer<'_> {
    fn judgment(&mut self, judgment: Judgment, item: &Item, responses: &[Response]) {
        self.state.borrow_mut().take(&judgment);
        self.sink.judgment(judgment, item, responses);
    }

    fn progress(&mut self, progress: Progress) {
        self.sink.progress(progress);
    }

    fn note(&mut self, note: &str) {
        self.sink.note(note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_numbered_in_order() {
        let all: Vec<(usize, usize)> = (0..5)
            .flat_map(|a| (a + 1..5).map(move |b| (a, b)))
            .collect();
        assert!(
            all.iter()
                .enumerate()
                .all(|(at, &(a, b))| pair(a, b, 5) == at)
        );
    }

    #[test]
    fn items_with_large_weights_come_early() {
        let (items, weights): (Vec<u32>, Vec<f64>) = (0..200)
            .map(|item| (item, f64::from(u8::from(item < 20))))
            .unzip();
        let early = |weights: Option<&[f64]>| {
            let weights = weights.map(<[f64]>::to_vec);
            let options = AdaptiveOptions {
                until: Until::All,
                certain_for: CertainFor::Items,
                certainty: 0.95,
                budget: None,
                weights,
            };
            order(&items, &options, 1, 0).unwrap().places()[..50]
                .iter()
                .filter(|place| place.item < 20)
                .count()
        };
        // A tenth of the items, and so 5 of 50 places are expected to be theirs; by weight nearly a
        // third of the places is.
        assert!(early(None) < 10 && early(Some(&weights[..])) > 12);
    }

    #[test]
    fn what_is_awaited_is_read_and_written() {
        for text in ["order", "top:3", "share:0.9"] {
            assert_eq!(Until::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "top", "top:0", "top:x", "share:0", "share:1.1", "all"] {
            assert_eq!(Until::parse(text), None, "{text}");
        }
    }
}
