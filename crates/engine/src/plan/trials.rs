//! The plan: every trial of a run, in an order in which neighbours share the beginning of their
//! prompts.

use crate::Design;
use evenhand_core::Trial;
use evenhand_protocols::Presentation;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::sync::Arc;

/// Systems that are shown together, in the order of their indices.
type Group = Box<[u32]>;

/// More groups than these on one item are refused: nobody means them.
const MOST_GROUPS: u64 = 1_000_000;

/// Which trials a run consists of. Trials are made one at a time: a plan of millions takes little
/// memory.
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
    /// Two or more at a time.
    Groups {
        size: usize,
        orders: Orders,
        groups: Groups,
    },
}

/// In which orders a group is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orders {
    /// One, drawn from the seed.
    Drawn,
    /// One, that of the data.
    Data,
    /// That of the data and its reverse.
    Both,
}

#[derive(Debug)]
enum Groups {
    All,
    With(u32),
    /// The groups drawn for each item.
    Drawn(Vec<Box<[Group]>>),
}

impl Orders {
    /// Returns the orders that a protocol leaves to the plan: where both are within one trial, the
    /// plan has one.
    pub fn left_by(presentation: Presentation) -> Orders {
        match presentation {
            Presentation::BothAsTrials => Orders::Both,
            Presentation::Drawn => Orders::Drawn,
            Presentation::AsGiven | Presentation::BothWithinTrial => Orders::Data,
        }
    }
}

impl Plan {
    /// One trial for each response.
    pub fn pointwise(present: Vec<Arc<[u32]>>) -> Plan {
        Plan {
            shape: Shape::Single,
            present,
            seed: 0,
        }
    }

    /// These pairs of each item.
    pub fn pairs(
        present: Vec<Arc<[u32]>>,
        pairs: Vec<Vec<[u32; 2]>>,
        orders: Orders,
        seed: u64,
    ) -> Plan {
        let boxed =
            |pairs: Vec<[u32; 2]>| pairs.into_iter().map(Group::from).collect::<Box<[Group]>>();
        let groups = Groups::Drawn(pairs.into_iter().map(boxed).collect());
        Plan {
            shape: Shape::Groups {
                size: 2,
                orders,
                groups,
            },
            present,
            seed,
        }
    }

    /// The groups of a design: pairs, or `size` systems at a time (all that an item has, where it
    /// has fewer).
    pub fn grouped(
        present: Vec<Arc<[u32]>>,
        systems: &[Arc<str>],
        design: &Design,
        size: usize,
        orders: Orders,
        seed: u64,
    ) -> Result<Plan, String> {
        let most = present
            .iter()
            .map(|present| choose(present.len() as u64, size as u64))
            .max()
            .unwrap_or(0);
        if most > MOST_GROUPS {
            return Err(format!(
                "groups of {size}: an item has more than {MOST_GROUPS} of them; choose another \
                 size, or fewer systems"
            ));
        }
        let groups = match (design, design.reference(systems)?) {
            (Design::Sample(k), _) => Groups::Drawn(draw(&present, systems.len(), *k, size, seed)),
            (_, Some(reference)) => Groups::With(reference),
            _ => Groups::All,
        };
        Ok(Plan {
            shape: Shape::Groups {
                size,
                orders,
                groups,
            },
            present,
            seed,
        })
    }

    /// Every trial, by item, then by the system in the first slot.
    pub fn trials(&self) -> impl Iterator<Item = Trial> + '_ {
        let slots = (0..self.present.len()).flat_map(|item| {
            self.slots(item)
                .into_iter()
                .map(move |systems| (item, systems))
        });
        slots.zip(0..).map(|((item, systems), index)| Trial {
            index,
            item: item as u32,
            systems,
            replicate: 0,
        })
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
            Shape::Groups {
                size: 2,
                orders,
                groups: Groups::All,
            } => choose(self.present[item].len() as u64, 2) * orders.count(),
            Shape::Groups { orders, .. } => self.groups(item).len() as u64 * orders.count(),
        }
    }

    /// The systems of each trial of an item, in slot order.
    fn slots(&self, item: usize) -> Vec<Vec<u32>> {
        let Shape::Groups { orders, .. } = &self.shape else {
            return self.present[item]
                .iter()
                .map(|system| vec![*system])
                .collect();
        };
        let groups = self.groups(item);
        let mut slots: Vec<Vec<u32>> = match orders {
            Orders::Both => groups
                .iter()
                .flat_map(|group| [group.to_vec(), reversed(group)])
                .collect(),
            Orders::Drawn => groups
                .iter()
                .map(|group| self.one_order(item, group))
                .collect(),
            Orders::Data => groups.iter().map(|group| group.to_vec()).collect(),
        };
        slots.sort_unstable();
        slots
    }

    /// The slots of each trial of two systems, the lower first, on an item.
    pub(crate) fn shown(&self, item: usize, pair: &[u32; 2]) -> Vec<Vec<u32>> {
        match &self.shape {
            Shape::Groups {
                orders: Orders::Both,
                ..
            } => vec![pair.to_vec(), reversed(pair)],
            Shape::Groups {
                orders: Orders::Drawn,
                ..
            } => vec![self.one_order(item, pair)],
            _ => vec![pair.to_vec()],
        }
    }

    fn groups(&self, item: usize) -> Vec<Group> {
        let present = &self.present[item];
        match &self.shape {
            Shape::Groups {
                size,
                groups: Groups::All,
                ..
            } => groups_of(present, *size),
            Shape::Groups {
                size,
                groups: Groups::With(reference),
                ..
            } => groups_of(present, *size)
                .into_iter()
                .filter(|group| group.contains(reference))
                .collect(),
            Shape::Groups {
                groups: Groups::Drawn(drawn),
                ..
            } => drawn[item].to_vec(),
            Shape::Single => Vec::new(),
        }
    }

    /// An order that depends on the seed, the item and the group alone.
    fn one_order(&self, item: usize, group: &[u32]) -> Vec<u32> {
        let member = |stream: u64, system: &u32| stream.rotate_left(16) ^ u64::from(*system);
        let stream = match group {
            [a, b] => ((item as u64) << 32) ^ (u64::from(*a) << 16) ^ u64::from(*b),
            group => group.iter().fold(item as u64, member),
        };
        let mut random = random(self.seed, stream);
        match group {
            [_, _] if random.next_u32() & 1 == 0 => group.to_vec(),
            [_, _] => reversed(group),
            group => {
                let mut order = group.to_vec();
                shuffle(&mut order, &mut random);
                order
            }
        }
    }
}

impl Orders {
    fn count(self) -> u64 {
        if self == Orders::Both { 2 } else { 1 }
    }
}

fn reversed(group: &[u32]) -> Vec<u32> {
    group.iter().rev().copied().collect()
}

/// All groups of this size among those present, or the one of all of them where they are fewer;
/// none below two.
fn groups_of(present: &[u32], size: usize) -> Vec<Group> {
    let size = size.min(present.len());
    let mut groups = Vec::new();
    if size >= 2 {
        extend(&mut Vec::with_capacity(size), present, size, &mut groups);
    }
    groups
}

fn extend(chosen: &mut Vec<u32>, rest: &[u32], size: usize, groups: &mut Vec<Group>) {
    if chosen.len() == size {
        groups.push(chosen.clone().into());
        return;
    }
    for at in 0..rest.len() {
        chosen.push(rest[at]);
        extend(chosen, &rest[at + 1..], size, groups);
        chosen.pop();
    }
}

/// Groups of `size` among n, where n below it gives one (none below two); saturating.
fn choose(n: u64, size: u64) -> u64 {
    match n {
        0 | 1 => 0,
        n if n <= size => 1,
        n => (0..size)
            .try_fold(1u64, |product, at| {
                product.checked_mul(n - at).map(|p| p / (at + 1))
            })
            .unwrap_or(u64::MAX),
    }
}

/// For each item the k groups whose pairs were used least so far, in an order drawn for the item.
fn draw(
    present: &[Arc<[u32]>],
    systems: usize,
    k: usize,
    size: usize,
    seed: u64,
) -> Vec<Box<[Group]>> {
    let mut used = vec![0u32; systems * systems];
    let pairs = |group: &Group| -> Vec<usize> {
        let with = |(at, a): (usize, &u32)| {
            group[at + 1..]
                .iter()
                .map(|b| *a as usize * systems + *b as usize)
                .collect::<Vec<_>>()
        };
        group.iter().enumerate().flat_map(with).collect()
    };
    let mut drawn = Vec::with_capacity(present.len());
    for (item, present) in present.iter().enumerate() {
        let mut groups = groups_of(present, size);
        shuffle(&mut groups, &mut random(seed, item as u64));
        groups.sort_by_key(|group| pairs(group).into_iter().map(|pair| used[pair]).sum::<u32>());
        groups.truncate(k);
        groups
            .iter()
            .flat_map(&pairs)
            .for_each(|pair| used[pair] += 1);
        drawn.push(groups.into_boxed_slice());
    }
    drawn
}

fn shuffle<T>(list: &mut [T], random: &mut ChaCha8Rng) {
    for last in (1..list.len()).rev() {
        let other = (random.next_u64() % (last as u64 + 1)) as usize;
        list.swap(last, other);
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

    fn plan(items: usize, systems: u32, design: &str, orders: Orders) -> Plan {
        let design = Design::parse(design).unwrap();
        Plan::grouped(
            complete(items, systems),
            &names(systems),
            &design,
            2,
            orders,
            7,
        )
        .unwrap()
    }

    #[test]
    fn all_pairs_in_both_orders_are_m_n_n_minus_1() {
        let plan = plan(3, 5, "all-pairs", Orders::Both);
        assert_eq!(plan.len(), 3 * 5 * 4);
        let trials: Vec<Trial> = plan.trials().collect();
        assert_eq!(trials.len() as u64, plan.len());
        assert!(
            trials
                .iter()
                .enumerate()
                .all(|(at, trial)| trial.index == at as u64)
        );
        let firsts: Vec<u32> = trials
            .iter()
            .take(8)
            .map(|trial| trial.systems[0])
            .collect();
        assert_eq!(
            firsts,
            [0, 0, 0, 0, 1, 1, 1, 1],
            "neighbours share their first response"
        );
    }

    #[test]
    fn a_reference_meets_every_other_system() {
        let plan = plan(2, 4, "reference:s2", Orders::Both);
        assert_eq!(plan.len(), 2 * 3 * 2);
        assert!(plan.trials().all(|trial| trial.systems.contains(&2)));
    }

    #[test]
    fn an_unknown_reference_lists_the_systems() {
        let design = Design::parse("reference:x").unwrap();
        let error =
            Plan::grouped(complete(1, 2), &names(2), &design, 2, Orders::Both, 0).unwrap_err();
        assert_eq!(
            error,
            "--design reference:x: no such system in the data; it has s0, s1"
        );
    }

    #[test]
    fn samples_use_all_pairs_about_equally_often() {
        let plan = plan(30, 5, "sample:3", Orders::Drawn);
        assert_eq!(plan.len(), 90);
        let mut used = std::collections::BTreeMap::new();
        plan.trials().for_each(|trial| {
            let mut pair = trial.systems.clone();
            pair.sort_unstable();
            *used.entry(pair).or_insert(0) += 1;
        });
        assert_eq!(used.len(), 10);
        assert!(
            used.values().all(|count| *count == 9),
            "90 comparisons over 10 pairs: {used:?}"
        );
    }

    #[test]
    fn single_orders_are_seeded_and_mixed() {
        let forward = |plan: Plan| {
            plan.trials()
                .filter(|trial| trial.systems[0] < trial.systems[1])
                .count()
        };
        let count = forward(plan(100, 3, "all-pairs", Orders::Drawn));
        assert!((100..200).contains(&count), "of 300, forward: {count}");
        assert_eq!(count, forward(plan(100, 3, "all-pairs", Orders::Drawn)));
    }

    #[test]
    fn groups_of_three_are_all_that_there_are() {
        let design = Design::AllPairs;
        let plan =
            |orders| Plan::grouped(complete(2, 5), &names(5), &design, 3, orders, 7).unwrap();
        assert_eq!(plan(Orders::Data).len(), 2 * 10);
        assert_eq!(plan(Orders::Both).len(), 2 * 20);
        let with: Vec<Trial> = Plan::grouped(
            complete(1, 5),
            &names(5),
            &Design::Reference("s0".into()),
            3,
            Orders::Drawn,
            7,
        )
        .unwrap()
        .trials()
        .collect();
        assert_eq!(with.len(), 6);
        assert!(
            with.iter()
                .all(|trial| trial.systems.contains(&0) && trial.systems.len() == 3)
        );
    }

    #[test]
    fn a_list_of_all_is_one_group_however_many_there_are() {
        let plan = Plan::grouped(
            complete(3, 9),
            &names(9),
            &Design::AllPairs,
            26,
            Orders::Both,
            7,
        )
        .unwrap();
        let trials: Vec<Trial> = plan.trials().collect();
        assert_eq!(trials.len(), 6);
        assert!(trials[1].systems.iter().eq(trials[0].systems.iter().rev()));
    }

    #[test]
    fn more_groups_than_anybody_means_are_refused() {
        let refused = Plan::grouped(
            complete(1, 40),
            &names(40),
            &Design::AllPairs,
            20,
            Orders::Both,
            7,
        )
        .unwrap_err();
        assert!(refused.starts_with("groups of 20:"), "{refused}");
    }

    proptest! {
        #[test]
        fn len_counts_the_trials_and_none_repeats(
            present in prop::collection::vec(prop::collection::btree_set(0u32..6, 0..6), 0..8), k in 1usize..5,
            size in 2usize..5, both: bool,
        ) {
            let present: Vec<Arc<[u32]>> = present.into_iter().map(|systems| systems.into_iter().collect()).collect();
            let orders = if both { Orders::Both } else { Orders::Drawn };
            for design in [Design::AllPairs, Design::Reference("s1".into()), Design::Sample(k)] {
                let plan = Plan::grouped(present.clone(), &names(6), &design, size, orders, 3).unwrap();
                let trials: Vec<Trial> = plan.trials().collect();
                prop_assert_eq!(trials.len() as u64, plan.len());
                let distinct: std::collections::BTreeSet<_> = trials.iter().map(|t| (t.item, t.systems.clone())).collect();
                prop_assert_eq!(distinct.len(), trials.len());
            }
        }
    }
}
