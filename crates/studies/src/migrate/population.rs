//! What the new judge could be asked: the places of each pair of systems, in the order in which
//! they are asked, and what either judge says there.

use super::old::OldRun;
use evenhand_core::{Cause, Judgment, Refusal, Setting, Trial, Verdict, are_flipped};
use evenhand_engine::{EngineError, Job};
use evenhand_protocols::{Form, Slots};
use evenhand_stats::adaptive::{Order, Population as OrderOf};
use evenhand_stats::change::{Moves, paired_change};
use evenhand_stats::holm;
use evenhand_stats::migration::{Migration, MigrationError, OldPair};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What is judged at once: an item and two systems, the lower number first; one system stands
/// twice.
pub(super) type Cell = (u32, [u32; 2]);

/// What a judgment says: the share of its first system, or the score of its only one; None without
/// a verdict.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub(super) value: Option<f64>,
    pub(super) flipped: bool,
}

/// All that was said of a cell.
#[derive(Clone, Debug, Default)]
pub(super) struct CellSaid {
    /// The share of the system with the lower number, or the score, of each verdict.
    pub(super) values: Vec<f64>,
    /// The same where the lower number stood in the first slot, and where it did not.
    pub(super) by_order: [Vec<f64>; 2],
    pub(super) failures: u32,
    /// Verdicts whose two orders within the judgment prefer different responses.
    pub(super) flipped: u32,
}

/// What a judge said of every cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    cells: HashMap<Cell, CellSaid>,
}

impl Said {
    pub(super) fn add(&mut self, item: u32, [first, second]: [u32; 2], answer: Answer) {
        let is_swapped = first > second;
        let cell = (item, [first.min(second), first.max(second)]);
        let said = self.cells.entry(cell).or_default();
        let Some(value) = answer.value else {
            said.failures += 1;
            return;
        };
        let value = if is_swapped { 1.0 - value } else { value };
        said.values.push(value);
        said.by_order[usize::from(is_swapped)].push(value);
        said.flipped += u32::from(answer.flipped);
    }

    pub(super) fn get(&self, cell: &Cell) -> Option<&CellSaid> {
        self.cells.get(cell)
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = (&Cell, &CellSaid)> {
        self.cells.iter()
    }
}

/// What the new judge said so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    pub(super) said: Said,
    trials: HashSet<u64>,
    pub(super) verdicts: u64,
}

impl Answers {
    pub(super) fn add(&mut self, judgment: &Judgment) {
        let trial = &judgment.trial;
        let systems = match trial.systems[..] {
            [one] => [one; 2],
            [first, second] => [first, second],
            _ => return,
        };
        if !self.trials.insert(trial.index) {
            return;
        }
        let value = match &judgment.outcome {
            Err(_) => None,
            Ok(Verdict::Pointwise { score, .. }) => Some(*score),
            Ok(verdict) => verdict
                .preference()
                .map(|[first, tie, _]| first + tie / 2.0),
        };
        self.verdicts += u64::from(value.is_some());
        let flipped = are_flipped(&judgment.looks);
        self.said
            .add(trial.item, systems, Answer { value, flipped });
    }

    pub(super) fn asked(&self) -> u64 {
        self.trials.len() as u64
    }
}

/// How a pair of systems is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Layout {
    /// By judgments of the two.
    Pairs,
    /// By their shares against one system.
    Against(u32),
    /// By their scores, between these bounds.
    Scores { low: f64, high: f64 },
}

impl Layout {
    fn of_job(job: &Job) -> Result<Layout, EngineError> {
        let form = job.protocol.form();
        let why = match (form.slots(), form.scale()) {
            (Slots::Two, _) => {
                return Ok(match job.design.reference(&job.dataset.systems)? {
                    Some(reference) => Layout::Against(reference),
                    None => Layout::Pairs,
                });
            }
            (Slots::One, Some(scale)) if matches!(form, Form::Pointwise(..)) => {
                return Ok(Layout::Scores {
                    low: scale.low(),
                    high: scale.high(),
                });
            }
            (Slots::One, _) => format!(
                "bounds hold for scores on a scale, and {form} has none; a run by a pairwise form \
                 or by scores can be migrated"
            ),
            (Slots::Many(_), _) => {
                "pairs of systems are compared, or scores; a list of several is neither".into()
            }
        };
        Err(Refusal::new(Setting::Protocol, Cause::Data, why)
            .with_value(&job.protocol)
            .into())
    }

    /// The cells that two systems are compared by on an item.
    fn cells(self, item: u32, [a, b]: [u32; 2]) -> Vec<Cell> {
        let cell = |a: u32, b: u32| (item, [a.min(b), a.max(b)]);
        match self {
            Layout::Pairs => vec![cell(a, b)],
            Layout::Against(reference) => {
                let others = [a, b].into_iter().filter(|system| *system != reference);
                others.map(|system| cell(system, reference)).collect()
            }
            Layout::Scores { .. } => vec![cell(a, a), cell(b, b)],
        }
    }

    /// What is said for a against b on an item, from -1 to 1, at least and at most; `value_of`
    /// gives it of a cell for the system with the lower number, from 0 to 1.
    fn difference(
        self,
        item: u32,
        [a, b]: [u32; 2],
        value_of: impl Fn(&Cell) -> Option<[f64; 2]>,
    ) -> Option<[f64; 2]> {
        let share = |a: u32, b: u32| {
            let [low, high] = value_of(&(item, [a.min(b), a.max(b)]))?;
            Some(if a <= b {
                [low, high]
            } else {
                [1.0 - high, 1.0 - low]
            })
        };
        let net = |[low, high]: [f64; 2]| [2.0 * low - 1.0, 2.0 * high - 1.0];
        let less = |[low, high]: [f64; 2], other: [f64; 2]| [low - other[1], high - other[0]];
        Some(match self {
            Layout::Pairs => net(share(a, b)?),
            Layout::Against(reference) if a == reference || b == reference => net(share(a, b)?),
            Layout::Against(reference) => less(share(a, reference)?, share(b, reference)?),
            Layout::Scores { .. } => less(share(a, a)?, share(b, b)?),
        })
    }

    /// What a net difference of 1 is in the unit of `compare`: the share of the first less a half,
    /// shares against the reference, or points.
    pub(super) fn unit(self, systems: [u32; 2]) -> f64 {
        match self {
            Layout::Pairs => 0.5,
            Layout::Against(reference) if systems.contains(&reference) => 0.5,
            Layout::Against(_) => 1.0,
            Layout::Scores { low, high } => high - low,
        }
    }

    /// A value from 0 to 1 of what was said.
    fn scaled(self, value: f64) -> f64 {
        match self {
            Layout::Scores { low, high } => ((value - low) / (high - low)).clamp(0.0, 1.0),
            _ => value.clamp(0.0, 1.0),
        }
    }
}

/// A pair of systems: the one that the old judge has above, and the other.
#[derive(Debug)]
pub(super) struct PairPlaces {
    pub(super) systems: [u32; 2],
    /// The items of each place: those of one question, in the order in which they are asked.
    pub(super) places: Vec<Vec<u32>>,
    /// The most items of a place.
    most: usize,
    pub(super) items: usize,
    /// The old judge's differences at the places, 0 where it has no verdict.
    old: Vec<f64>,
    /// Items on which the old judge has a verdict, and its mean over them; None without any.
    pub(super) old_items: usize,
    pub(super) old_mean: Option<f64>,
    /// Whether the old judge tells them apart.
    pub(super) apart: bool,
    pub(super) p_value: f64,
}

impl PairPlaces {
    /// What a mean over places is over items.
    pub(super) fn over_items(&self, mean: f64) -> f64 {
        let scale = self.places.len() as f64 * self.most as f64 / self.items.max(1) as f64;
        (mean * scale).clamp(-1.0, 1.0)
    }

    /// The least and the most that the old judge's mean on all items can be, whatever it would have
    /// said where it has no verdict; None without any verdict.
    pub(super) fn old_bounds(&self) -> Option<[f64; 2]> {
        let known = self.old_items as f64 / self.items.max(1) as f64;
        let mean = self.old_mean? * known;
        Some([mean - (1.0 - known), mean + (1.0 - known)])
    }
}

/// The items that the new judge can be asked of, with what the old one said.
#[derive(Debug)]
pub(super) struct Population {
    pub(super) layout: Layout,
    pub(super) pairs: Vec<PairPlaces>,
    pub(super) old: Said,
    /// The trials of each cell of the plan.
    planned: HashMap<Cell, Vec<Trial>>,
    /// The items of each question, in the order in which they are asked.
    pub(super) order: Vec<Vec<u32>>,
}

impl Population {
    pub(super) fn new(
        job: &Job,
        run: &OldRun,
        seed: u64,
        level: f64,
    ) -> Result<Population, EngineError> {
        let layout = Layout::of_job(job)?;
        let old = run.said(&job.dataset);
        let mut planned: HashMap<Cell, Vec<Trial>> = HashMap::new();
        for trial in job.plan.trials() {
            let systems = match trial.systems[..] {
                [one] => [one; 2],
                [first, second] => [first.min(second), first.max(second)],
                _ => continue,
            };
            planned
                .entry((trial.item, systems))
                .or_default()
                .push(trial);
        }
        let mut questions: Vec<Vec<u32>> = vec![Vec::new(); job.clusters.count() as usize];
        for (item, question) in (0..).zip(job.clusters.numbers()) {
            if let Some(items) = questions.get_mut(*question as usize) {
                items.push(item);
            }
        }
        let order = Order::random(questions.len(), OrderOf::Finite, seed, 0)?;
        let order: Vec<Vec<u32>> = order
            .places()
            .iter()
            .map(|place| questions[place.item as usize].clone())
            .collect();

        let mut population = Population {
            layout,
            pairs: Vec::new(),
            old,
            planned,
            order,
        };
        let systems = job.dataset.systems.len() as u32;
        for a in 0..systems {
            for b in a + 1..systems {
                if let Some(pair) = population.pair_of([a, b], level) {
                    population.pairs.push(pair);
                }
            }
        }
        if population.pairs.is_empty() {
            return Err(Refusal::of_input(
                "no two systems were judged on the same items, so that there is no order to keep",
            )
            .into());
        }
        // Which pairs the old judge tells apart: each by the test of `compare`, Holm over all.
        let p_values: Vec<f64> = population.pairs.iter().map(|pair| pair.p_value).collect();
        for (pair, p) in population.pairs.iter_mut().zip(holm(&p_values)?) {
            pair.p_value = p;
            pair.apart = p < 1.0 - level;
        }
        Ok(population)
    }

    fn pair_of(&self, systems: [u32; 2], level: f64) -> Option<PairPlaces> {
        let is_planned = |item: &u32| {
            let cells = self.layout.cells(*item, systems);
            cells.iter().all(|cell| self.planned.contains_key(cell))
        };
        let mut places = Vec::new();
        for items in &self.order {
            let items: Vec<u32> = items.iter().copied().filter(is_planned).collect();
            if !items.is_empty() {
                places.push(items);
            }
        }
        let most = places.iter().map(Vec::len).max()?;
        let (mut old, mut known, mut sum, mut old_items) = (Vec::new(), Vec::new(), 0.0, 0);
        for items in &places {
            let said = items
                .iter()
                .filter_map(|item| self.old_difference(*item, systems));
            let said: Vec<f64> = said.collect();
            let total: f64 = said.iter().sum();
            if !said.is_empty() {
                known.push(total);
            }
            sum += total;
            old_items += said.len();
            old.push(total / most as f64);
        }
        let moves = Moves {
            step: 1.0,
            limit: most as f64,
        };
        // Too few items for a test tell nothing apart.
        let p_value = paired_change(&known, moves, level).map_or(1.0, |change| change.p_value);
        let [mut one, mut other] = systems;
        if sum < 0.0 {
            [one, other] = [other, one];
            old.iter_mut().for_each(|value| *value = -*value);
        }
        Some(PairPlaces {
            systems: [one, other],
            items: places.iter().map(Vec::len).sum(),
            places,
            most,
            old,
            old_mean: (old_items > 0).then(|| sum.abs() / old_items as f64),
            old_items,
            apart: false,
            p_value,
        })
    }

    /// What the old judge says of a against b on an item; None without a verdict.
    pub(super) fn old_difference(&self, item: u32, systems: [u32; 2]) -> Option<f64> {
        let value_of = |cell: &Cell| {
            let said = self.old.get(cell)?;
            let mean = evenhand_stats::mean_value(&said.values)?;
            Some([self.layout.scaled(mean); 2])
        };
        let difference = self.layout.difference(item, systems, value_of)?;
        Some(difference[0])
    }

    /// Items on which the old judge has a verdict on two systems that are compared.
    pub(super) fn items_old(&self) -> usize {
        let all = self.pairs.iter().flat_map(|pair| {
            let items = pair.places.iter().flatten();
            items.filter(|item| self.old_difference(**item, pair.systems).is_some())
        });
        all.collect::<HashSet<_>>().len()
    }

    /// What the new judge says of a against b on an item, at least and at most; None while not all
    /// of it is asked.
    pub(super) fn new_difference(
        &self,
        item: u32,
        systems: [u32; 2],
        answers: &Answers,
    ) -> Option<[f64; 2]> {
        let value_of = |cell: &Cell| {
            let said = answers.said.get(cell)?;
            let planned = self.planned.get(cell)?.len();
            let failures = said.failures as usize;
            if said.values.len() + failures < planned {
                return None;
            }
            let sum: f64 = said
                .values
                .iter()
                .map(|value| self.layout.scaled(*value))
                .sum();
            let count = (said.values.len() + failures) as f64;
            Some([sum / count, (sum + failures as f64) / count])
        };
        self.layout.difference(item, systems, value_of)
    }

    /// Whether two systems are compared by judgments of the plan on an item.
    pub(super) fn compares(&self, item: u32, systems: [u32; 2]) -> bool {
        let cells = self.layout.cells(item, systems);
        cells.iter().all(|cell| self.planned.contains_key(cell))
    }

    pub(super) fn old_pairs(&self) -> Vec<OldPair> {
        let pairs = self.pairs.iter().map(|pair| OldPair {
            old: pair.old.clone(),
            apart: pair.apart,
        });
        pairs.collect()
    }

    /// The trials of the next places of all pairs that are open, as many places of each.
    pub(super) fn next_trials(
        &self,
        migration: &Migration,
        size: usize,
        answers: &Answers,
    ) -> Vec<Trial> {
        let (open, means) = (migration.open_pairs(), migration.asked());
        let mut trials: BTreeMap<u64, Trial> = BTreeMap::new();
        for ((pair, open), asked) in self.pairs.iter().zip(open).zip(means) {
            if !open {
                continue;
            }
            for item in pair.places.iter().skip(asked).take(size).flatten() {
                for cell in self.layout.cells(*item, pair.systems) {
                    for trial in self.planned.get(&cell).into_iter().flatten() {
                        if !answers.trials.contains(&trial.index) {
                            trials.insert(trial.index, trial.clone());
                        }
                    }
                }
            }
        }
        trials.into_values().collect()
    }

    /// Tells what the new judge says at the places that are asked, of each pair in their order.
    pub(super) fn observe(
        &self,
        migration: &mut Migration,
        answers: &Answers,
    ) -> Result<(), MigrationError> {
        let asked = migration.asked();
        for ((number, pair), asked) in self.pairs.iter().enumerate().zip(asked) {
            for items in pair.places.iter().skip(asked) {
                let each = items
                    .iter()
                    .map(|item| self.new_difference(*item, pair.systems, answers));
                let Some(each) = each.collect::<Option<Vec<[f64; 2]>>>() else {
                    break;
                };
                let end = |end: usize| {
                    let sum: f64 = each.iter().map(|range| range[end]).sum();
                    (sum / pair.most as f64).clamp(-1.0, 1.0)
                };
                migration.observe(number, [end(0), end(1)])?;
            }
        }
        Ok(())
    }
}
