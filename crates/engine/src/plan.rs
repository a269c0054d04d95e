//! The plan: every trial of a run, in an order in which neighbours share the beginning of their prompts.

use crate::Design;
use evenhand_core::Trial;
use evenhand_protocols::Calibration;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::sync::Arc;

/// Two systems, the smaller index first.
type Pair = (u32, u32);

/// Which trials a run consists of. Trials are made one at a time: a plan of millions takes little memory.
#[derive(Debug)]
pub struct Plan {
    shape: Shape,
    /// For each item, the systems that have a response to it, in order.
    present: Vec<Arc<[u32]>>,
    seed: u64,
}

#[derive(Debug)]
enum Shape {
    /// Each response by itself.
    Single,
    Pairs {
        both_orders: bool,
        pairs: Pairs,
    },
}

#[derive(Debug)]
enum Pairs {
    All,
    With(u32),
    /// The pairs drawn for each item.
    Drawn(Vec<Box<[Pair]>>),
}

impl Plan {
    /// One trial for each response.
    pub fn pointwise(present: Vec<Arc<[u32]>>) -> Plan {
        Plan { shape: Shape::Single, present, seed: 0 }
    }

    /// The pairs of a design, in one order or both.
    pub fn pairwise(
        present: Vec<Arc<[u32]>>,
        systems: &[Arc<str>],
        design: &Design,
        calibration: Calibration,
        seed: u64,
    ) -> Result<Plan, String> {
        let pairs = match (design, design.reference(systems)?) {
            (Design::Sample(k), _) => Pairs::Drawn(draw(&present, systems.len(), *k, seed)),
            (_, Some(reference)) => Pairs::With(reference),
            _ => Pairs::All,
        };
        Ok(Plan { shape: Shape::Pairs { both_orders: calibration == Calibration::Swap, pairs }, present, seed })
    }

    /// Every trial, by item, then by the system in the first slot.
    pub fn trials(&self) -> impl Iterator<Item = Trial> + '_ {
        let slots = (0..self.present.len()).flat_map(|item| self.slots(item).into_iter().map(move |systems| (item, systems)));
        slots.zip(0..).map(|((item, systems), index)| Trial { index, item: item as u32, systems, replicate: 0 })
    }

    /// How many trials there are.
    pub fn len(&self) -> u64 {
        (0..self.present.len()).map(|item| self.count(item)).sum()
    }

    /// True where there is nothing to judge.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn count(&self, item: usize) -> u64 {
        match &self.shape {
            Shape::Single => self.present[item].len() as u64,
            Shape::Pairs { both_orders, .. } => self.pairs(item).len() as u64 * if *both_orders { 2 } else { 1 },
        }
    }

    /// The systems of each trial of an item, in slot order.
    fn slots(&self, item: usize) -> Vec<Vec<u32>> {
        let Shape::Pairs { both_orders, .. } = &self.shape else {
            return self.present[item].iter().map(|system| vec![*system]).collect();
        };
        let pairs = self.pairs(item);
        let mut slots: Vec<Vec<u32>> = if *both_orders {
            pairs.iter().flat_map(|(a, b)| [vec![*a, *b], vec![*b, *a]]).collect()
        } else {
            pairs.iter().map(|pair| self.one_order(item, *pair)).collect()
        };
        slots.sort_unstable();
        slots
    }

    fn pairs(&self, item: usize) -> Vec<Pair> {
        let present = &self.present[item];
        match &self.shape {
            Shape::Pairs { pairs: Pairs::All, .. } => pairs_of(present).collect(),
            Shape::Pairs { pairs: Pairs::With(reference), .. } => {
                pairs_of(present).filter(|(a, b)| a == reference || b == reference).collect()
            }
            Shape::Pairs { pairs: Pairs::Drawn(drawn), .. } => drawn[item].to_vec(),
            Shape::Single => Vec::new(),
        }
    }

    /// An order that depends on the seed, the item and the pair alone.
    fn one_order(&self, item: usize, (a, b): Pair) -> Vec<u32> {
        let stream = ((item as u64) << 32) ^ (u64::from(a) << 16) ^ u64::from(b);
        if random(self.seed, stream).next_u32() & 1 == 0 { vec![a, b] } else { vec![b, a] }
    }
}

fn pairs_of(present: &[u32]) -> impl Iterator<Item = Pair> + '_ {
    present.iter().enumerate().flat_map(|(at, a)| present[at + 1..].iter().map(|b| (*a, *b)))
}

/// For each item the k pairs that were used least so far, in an order drawn for the item.
fn draw(present: &[Arc<[u32]>], systems: usize, k: usize, seed: u64) -> Vec<Box<[Pair]>> {
    let mut used = vec![0u32; systems * systems];
    let mut drawn = Vec::with_capacity(present.len());
    for (item, present) in present.iter().enumerate() {
        let mut pairs: Vec<Pair> = pairs_of(present).collect();
        shuffle(&mut pairs, &mut random(seed, item as u64));
        pairs.sort_by_key(|(a, b)| used[*a as usize * systems + *b as usize]);
        pairs.truncate(k);
        pairs.iter().for_each(|(a, b)| used[*a as usize * systems + *b as usize] += 1);
        drawn.push(pairs.into_boxed_slice());
    }
    drawn
}

fn shuffle(pairs: &mut [Pair], random: &mut ChaCha8Rng) {
    for last in (1..pairs.len()).rev() {
        let other = (random.next_u64() % (last as u64 + 1)) as usize;
        pairs.swap(last, other);
    }
}

fn random(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(stream);
    random
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn complete(items: usize, systems: u32) -> Vec<Arc<[u32]>> {
        vec![(0..systems).collect(); items]
    }

    fn names(systems: u32) -> Vec<Arc<str>> {
        (0..systems).map(|at| format!("s{at}").into()).collect()
    }

    fn plan(items: usize, systems: u32, design: &str, calibration: Calibration) -> Plan {
        let design = Design::parse(design).unwrap();
        Plan::pairwise(complete(items, systems), &names(systems), &design, calibration, 7).unwrap()
    }

    #[test]
    fn all_pairs_in_both_orders_are_m_n_n_minus_1() {
        let plan = plan(3, 5, "all-pairs", Calibration::Swap);
        assert_eq!(plan.len(), 3 * 5 * 4);
        let trials: Vec<Trial> = plan.trials().collect();
        assert_eq!(trials.len() as u64, plan.len());
        assert!(trials.iter().enumerate().all(|(at, trial)| trial.index == at as u64));
        let firsts: Vec<u32> = trials.iter().take(8).map(|trial| trial.systems[0]).collect();
        assert_eq!(firsts, [0, 0, 0, 0, 1, 1, 1, 1], "neighbours share their first response");
    }

    #[test]
    fn a_reference_meets_every_other_system() {
        let plan = plan(2, 4, "reference:s2", Calibration::Swap);
        assert_eq!(plan.len(), 2 * 3 * 2);
        assert!(plan.trials().all(|trial| trial.systems.contains(&2)));
    }

    #[test]
    fn an_unknown_reference_lists_the_systems() {
        let design = Design::parse("reference:x").unwrap();
        let error = Plan::pairwise(complete(1, 2), &names(2), &design, Calibration::Swap, 0).unwrap_err();
        assert_eq!(error, "--design reference:x: no such system in the data; it has s0, s1");
    }

    #[test]
    fn samples_use_all_pairs_about_equally_often() {
        let plan = plan(30, 5, "sample:3", Calibration::Single);
        assert_eq!(plan.len(), 90);
        let mut used = std::collections::BTreeMap::new();
        plan.trials().for_each(|trial| {
            let mut pair = trial.systems.clone();
            pair.sort_unstable();
            *used.entry(pair).or_insert(0) += 1;
        });
        assert_eq!(used.len(), 10);
        assert!(used.values().all(|count| *count == 9), "90 comparisons over 10 pairs: {used:?}");
    }

    #[test]
    fn single_orders_are_seeded_and_mixed() {
        let forward = |plan: Plan| plan.trials().filter(|trial| trial.systems[0] < trial.systems[1]).count();
        let count = forward(plan(100, 3, "all-pairs", Calibration::Single));
        assert!((100..200).contains(&count), "of 300, forward: {count}");
        assert_eq!(count, forward(plan(100, 3, "all-pairs", Calibration::Single)));
    }

    proptest! {
        #[test]
        fn len_counts_the_trials_and_none_repeats(
            present in prop::collection::vec(prop::collection::btree_set(0u32..6, 0..6), 0..8), k in 1usize..5, both: bool,
        ) {
            let present: Vec<Arc<[u32]>> = present.into_iter().map(|systems| systems.into_iter().collect()).collect();
            let calibration = if both { Calibration::Swap } else { Calibration::Single };
            for design in [Design::AllPairs, Design::Reference("s1".into()), Design::Sample(k)] {
                let plan = Plan::pairwise(present.clone(), &names(6), &design, calibration, 3).unwrap();
                let trials: Vec<Trial> = plan.trials().collect();
                prop_assert_eq!(trials.len() as u64, plan.len());
                let distinct: std::collections::BTreeSet<_> = trials.iter().map(|t| (t.item, t.systems.clone())).collect();
                prop_assert_eq!(distinct.len(), trials.len());
            }
        }
    }
}
