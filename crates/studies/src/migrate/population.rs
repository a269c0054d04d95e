//! What the new judge could be asked: the places of each pair of systems, in the order in which
//! they are asked, and what either judge says there.

use evenhand_core::{Cause, Item, Judgment, Refusal, Setting, Trial, Verdict, are_flipped};
use evenhand_engine::{EngineError, Job};
use evenhand_protocols::{Form, Slots};
use evenhand_stats::adaptive::{Order, Population as OrderOf};
use evenhand_stats::change::{Moves, paired_change};
use evenhand_stats::holm;
use evenhand_stats::migration::{Migration, MigrationError, OldPair};
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// What verdicts are on: an item and two systems, the lower number first; one system stands twice.
pub(super) type Cell = (u32, [u32; 2]);

/// What a judgment says, and whether its two orders within prefer different responses.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// None without a verdict.
    pub(super) says: Option<Says>,
    pub(super) flipped: bool,
}

/// What a verdict says of the systems that were shown, in slot order.
#[derive(Clone, Debug)]
pub(super) enum Says {
    /// The share of the first of two, or the score of the only one.
    Value(f64),
    /// The place of each in an order, from 1 for the best.
    Places(Vec<f64>),
}

impl Says {
    /// What it says of two slots, the earlier first: the share of the one in slot `a`, or the
    /// score. None where it says nothing of so many slots.
    fn of_slots(&self, slots: usize, [a, b]: [usize; 2]) -> Option<f64> {
        match self {
            Says::Value(value) => (slots < 3).then_some(*value),
            Says::Places(places) if places.len() != slots || slots < 2 => None,
            // The lower place is the better one.
            Says::Places(places) => match places[a].partial_cmp(&places[b])? {
                Ordering::Less => Some(1.0),
                Ordering::Equal => Some(0.5),
                Ordering::Greater => Some(0.0),
            },
        }
    }
}

/// What a verdict says of a cell.
#[derive(Clone, Debug)]
pub(super) struct CellVerdict {
    /// The share of the system with the lower number, or the score.
    pub(super) value: f64,
    /// Whether the system with the lower number stood behind the other.
    pub(super) is_swapped: bool,
    /// Of a place in an order: the systems of the list that the two stood in, ascending.
    pub(super) list: Option<Arc<[u32]>>,
}

/// All that was said of a cell.
#[derive(Clone, Debug, Default)]
pub(super) struct CellSaid {
    pub(super) verdicts: Vec<CellVerdict>,
    pub(super) failures: u32,
    /// Verdicts whose two orders within the judgment prefer different responses.
    pub(super) flipped: u32,
}

impl CellSaid {
    /// The mean share or score, from 0 to 1, at least and at most, with so many verdicts missing
    /// that could be anything.
    fn range(&self, layout: Layout, missing: usize) -> [f64; 2] {
        let values = self.verdicts.iter().map(|one| layout.scaled(one.value));
        let sum: f64 = values.sum();
        let count = (self.verdicts.len() + missing) as f64;
        [sum / count, (sum + missing as f64) / count]
    }
}

/// What a judge said of every cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    cells: HashMap<Cell, CellSaid>,
}

impl Said {
    /// Takes a judgment of these systems, in slot order. One of a list says something of each two
    /// of its members, and one that failed says nothing of any of them.
    pub(super) fn add(&mut self, item: u32, systems: &[u32], answer: &Answer) {
        let is_list = matches!(answer.says, Some(Says::Places(_)));
        let list: Option<Arc<[u32]>> = is_list.then(|| {
            let mut members = systems.to_vec();
            members.sort_unstable();
            members.into()
        });
        for [a, b] in cells_of_slots(systems.len()) {
            let (first, second) = (systems[a], systems[b]);
            let is_swapped = first > second;
            let cell = (item, [first.min(second), first.max(second)]);
            let said = self.cells.entry(cell).or_default();
            let says = answer.says.as_ref();
            let Some(value) = says.and_then(|says| says.of_slots(systems.len(), [a, b])) else {
                said.failures += 1;
                continue;
            };
            said.verdicts.push(CellVerdict {
                value: if is_swapped { 1.0 - value } else { value },
                is_swapped,
                list: list.clone(),
            });
            said.flipped += u32::from(answer.flipped);
        }
    }

    pub(super) fn get(&self, cell: &Cell) -> Option<&CellSaid> {
        self.cells.get(cell)
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = (&Cell, &CellSaid)> {
        self.cells.iter()
    }
}

/// The slots of each cell that a judgment of so many slots speaks of: the only slot twice, or each
/// two of them, the earlier first.
fn cells_of_slots(slots: usize) -> Vec<[usize; 2]> {
    if slots == 1 {
        return vec![[0, 0]];
    }
    let pairs = (0..slots).flat_map(|a| (a + 1..slots).map(move |b| [a, b]));
    pairs.collect()
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
        if !self.trials.insert(trial.index) {
            return;
        }
        let says = match &judgment.outcome {
            Err(_) => None,
            Ok(Verdict::Pointwise { score, .. }) => Some(Says::Value(*score)),
            Ok(Verdict::Listwise { places, .. }) => Some(Says::Places(places.clone())),
            Ok(Verdict::Pairwise { first, tie, .. }) => Some(Says::Value(first + tie / 2.0)),
        };
        self.verdicts += u64::from(says.is_some());
        let flipped = are_flipped(&judgment.looks, &[]);
        self.said
            .add(trial.item, &trial.systems, &Answer { says, flipped });
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
        let least = least_share(&job.dataset.items);
        let why = match (form.slots(), form.scale()) {
            (Slots::Two | Slots::Many(_), _) => {
                // A list of three with the reference in it judges the other two directly.
                let has_lists = job.plan.trials().any(|trial| trial.systems.len() > 2);
                return Ok(match job.design.reference(&job.dataset.systems)? {
                    Some(reference) if !has_lists => Layout::Against(reference),
                    _ => Layout::Pairs,
                });
            }
            (Slots::One, Some(scale)) if matches!(form, Form::Pointwise(..)) => {
                return Ok(Layout::Scores {
                    low: scale.low(),
                    high: scale.high(),
                });
            }
            (Slots::One, _) if matches!(form, Form::Checklist(_)) && least.is_finite() => {
                return Ok(Layout::Scores {
                    low: least,
                    high: 1.0,
                });
            }
            (Slots::One, _) => format!(
                "bounds hold for scores on a scale, and {form} has none; a run by a pairwise form, \
                 by lists, by scores or by checklists can be migrated"
            ),
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

/// The least that the share of criteria which are met can be on any of these items, at most 0:
/// every fault and no merit. Nothing is judged on items without a merit; criteria that a judge
/// writes have no faults.
fn least_share(items: &[Item]) -> f64 {
    let of_item = |item: &Item| {
        let (mut faults, mut merits) = (0.0, 0.0);
        for one in &item.criteria {
            match one.is_fault() {
                true => faults += one.weight,
                false => merits += one.weight,
            }
        }
        (merits > 0.0).then_some(faults / merits)
    };
    items.iter().filter_map(of_item).fold(0.0, f64::min)
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
    /// The least and the most that its mean over all items can be, whatever it would have said
    /// where it has no verdict.
    pub(super) old_bounds: [f64; 2],
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
}

/// The items that the new judge can be asked of, with what the old one said.
#[derive(Debug)]
pub(super) struct Population {
    pub(super) layout: Layout,
    pub(super) pairs: Vec<PairPlaces>,
    pub(super) old: Said,
    trials: Vec<Trial>,
    /// The trials of each cell of the plan, by their places in `trials`. A list is one of every two
    /// of its members.
    planned: HashMap<Cell, Vec<usize>>,
    /// How often each trial is made.
    repeats: usize,
    /// The items of each question, in the order in which they are asked.
    pub(super) order: Vec<Vec<u32>>,
}

impl Population {
    pub(super) fn new(
        job: &Job,
        old: Said,
        seed: u64,
        level: f64,
    ) -> Result<Population, EngineError> {
        let layout = Layout::of_job(job)?;
        let trials: Vec<Trial> = job.plan.trials().collect();
        let mut planned: HashMap<Cell, Vec<usize>> = HashMap::new();
        for (number, trial) in trials.iter().enumerate() {
            for slots in cells_of_slots(trial.systems.len()) {
                let [a, b] = slots.map(|slot| trial.systems[slot]);
                let cell = (trial.item, [a.min(b), a.max(b)]);
                planned.entry(cell).or_default().push(number);
            }
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
            trials,
            planned,
            repeats: job.plan.repeats() as usize,
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
        let mut places = Vec::new();
        for items in &self.order {
            let mut items = items.clone();
            items.retain(|item| self.compares(*item, systems));
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
        let items = places.iter().map(Vec::len).sum();
        let ranges = places.iter().flatten();
        let ranges = ranges.filter_map(|item| self.old_range(*item, [one, other]));
        let (low, high) = ranges.fold((0.0, 0.0), |(low, high), [least, most]| {
            (low + least, high + most)
        });
        Some(PairPlaces {
            systems: [one, other],
            items,
            old_bounds: [low, high].map(|sum| sum / items as f64),
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
            let values: Vec<f64> = said.verdicts.iter().map(|one| one.value).collect();
            let mean = evenhand_stats::mean_value(&values)?;
            Some([self.layout.scaled(mean); 2])
        };
        let difference = self.layout.difference(item, systems, value_of)?;
        Some(difference[0])
    }

    /// What the old judge says of a against b on an item, at least and at most: an order or a list
    /// of the plan without a verdict could have said anything.
    fn old_range(&self, item: u32, systems: [u32; 2]) -> Option<[f64; 2]> {
        let nothing = CellSaid::default();
        let value_of = |cell: &Cell| {
            let planned = self.planned.get(cell)?.len() / self.repeats;
            let said = self.old.get(cell).unwrap_or(&nothing);
            // By order and list, for one that was judged several times stands for no other; one
            // that is missing weighs as much as one that is there.
            let looks = said.verdicts.iter().map(|one| (one.is_swapped, &one.list));
            let looks = looks.collect::<HashSet<_>>().len();
            let each = said.verdicts.len().div_ceil(looks.max(1)).max(1);
            let missing = planned.saturating_sub(looks) * each;
            Some(said.range(self.layout, missing.max(said.failures as usize)))
        };
        self.layout.difference(item, systems, value_of)
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
            if said.verdicts.len() + failures < planned {
                return None;
            }
            Some(said.range(self.layout, failures))
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
        // In the order of the plan, so that neighbours share the beginning of their prompts.
        let mut trials: BTreeSet<usize> = BTreeSet::new();
        for ((pair, open), asked) in self.pairs.iter().zip(open).zip(means) {
            if !open {
                continue;
            }
            for item in pair.places.iter().skip(asked).take(size).flatten() {
                for cell in self.layout.cells(*item, pair.systems) {
                    let planned = self.planned.get(&cell).into_iter().flatten();
                    let is_left = |at: &&usize| !answers.trials.contains(&self.trials[**at].index);
                    trials.extend(planned.filter(is_left));
                }
            }
        }
        let trials = trials.into_iter().map(|number| self.trials[number].clone());
        trials.collect()
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
