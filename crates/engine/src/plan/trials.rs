//! The plan: every trial of a run, in an order in which neighbours share the beginning of their
//! prompts.

use crate::Design;
use crate::plan::groups::{Group, count_groups, draw_groups, groups_among, random_stream, shuffle};
use evenhand_core::{Refusal, Trial};
use evenhand_protocols::Presentation;
use rand_chacha::rand_core::RngCore;
use std::sync::Arc;

/// More groups than these on one item are refused: nobody means them.
const MOST_GROUPS: u64 = 1_000_000;

/// Which trials a run consists of. Trials are made one at a time: a plan of millions takes little
/// memory.
#[derive(Debug)]
pub struct Plan {
    groups: Groups,
    /// How many systems a group has, where an item has as many.
    size: usize,
    orders: Orders,
    /// For each item, the systems that have a response to it, in order.
    present: Vec<Arc<[u32]>>,
    seed: u64,
    /// How often each trial is made.
    repeats: u32,
    /// For each item whether its trials are made; None for all.
    kept: Option<Vec<bool>>,
}

/// Which systems are shown together.
#[derive(Debug)]
enum Groups {
    /// Each response by itself.
    Single,
    /// Two or more at a time, all that there are.
    All,
    /// Those with this system.
    With(u32),
    /// The groups drawn for each item.
    Drawn(Vec<Box<[Group]>>),
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
    /// Plans one trial for each response.
    pub fn pointwise(present: Vec<Arc<[u32]>>) -> Plan {
        Plan::once(Groups::Single, 1, Orders::Data, present, 0)
    }

    fn once(
        groups: Groups,
        size: usize,
        orders: Orders,
        present: Vec<Arc<[u32]>>,
        seed: u64,
    ) -> Plan {
        Plan {
            groups,
            size,
            orders,
            present,
            seed,
            repeats: 1,
            kept: None,
        }
    }

    /// Plans these pairs of each item.
    pub fn pairs(
        present: Vec<Arc<[u32]>>,
        pairs: Vec<Vec<[u32; 2]>>,
        orders: Orders,
        seed: u64,
    ) -> Plan {
        let pairs = pairs.into_iter();
        let groups = pairs.map(|pairs| pairs.into_iter().map(Group::from).collect());
        let groups = Groups::Drawn(groups.collect());
        Plan::once(groups, 2, orders, present, seed)
    }

    /// Plans the groups of a design: pairs, or `size` systems at a time (all that an item has,
    /// where it has fewer).
    ///
    /// # Errors
    /// A reference that is not among the systems; more groups than anybody means.
    pub fn grouped(
        present: Vec<Arc<[u32]>>,
        systems: &[Arc<str>],
        design: &Design,
        size: usize,
        orders: Orders,
        seed: u64,
    ) -> Result<Plan, Refusal> {
        let largest = present.iter().map(|present| present.len()).max();
        if count_groups(largest.unwrap_or(0) as u64, size as u64) > MOST_GROUPS {
            return Err(Refusal::of_input(format!(
                "groups of {size}: an item has more than {MOST_GROUPS} of them; choose another \
                 size, or fewer systems"
            )));
        }
        let groups = match (design, design.reference(systems)?) {
            (Design::Sample(k), _) => {
                Groups::Drawn(draw_groups(&present, systems.len(), *k, size, seed))
            }
            (_, Some(reference)) => Groups::With(reference),
            _ => Groups::All,
        };
        Ok(Plan::once(groups, size, orders, present, seed))
    }

    /// Makes every trial so often, at least once. The repeats come one after the other, so that the
    /// first is the plan without repeats.
    #[must_use]
    pub fn repeated(self, repeats: u32) -> Plan {
        Plan {
            repeats: repeats.max(1),
            ..self
        }
    }

    /// Leaves out the trials of the items that are not kept. The others keep their numbers.
    #[must_use]
    pub(crate) fn only(self, kept: Vec<bool>) -> Plan {
        Plan {
            kept: Some(kept),
            ..self
        }
    }

    fn keeps(&self, item: usize) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept[item])
    }

    /// Returns how often each trial is made.
    pub fn repeats(&self) -> u32 {
        self.repeats
    }

    /// Returns every trial, by repeat, then by item, then by the system in the first slot. They are
    /// numbered from 0, with gaps for those of items that are not kept.
    pub fn trials(&self) -> impl Iterator<Item = Trial> + '_ {
        let of_repeat = move |replicate| {
            (0..self.present.len()).flat_map(move |item| {
                let slots = self.slots_of_item(item).into_iter();
                slots.map(move |systems| (replicate, item, systems))
            })
        };
        let trials = (0..self.repeats).flat_map(of_repeat).zip(0..);
        let kept = trials.filter(|((_, item, _), _)| self.keeps(*item));
        kept.map(|((replicate, item, systems), index)| Trial {
            index,
            item: item as u32,
            systems,
            replicate,
        })
    }

    /// Returns how many trials there are.
    pub fn len(&self) -> u64 {
        let orders = if self.orders == Orders::Both { 2 } else { 1 };
        let groups = |item: usize| match self.groups {
            Groups::Single => self.present[item].len() as u64,
            // Counted, not made: a plan of all pairs may have millions.
            Groups::All if self.size == 2 => count_groups(self.present[item].len() as u64, 2),
            _ => self.groups_of_item(item).len() as u64,
        };
        let items = (0..self.present.len()).filter(|item| self.keeps(*item));
        let once: u64 = items.map(groups).sum();
        once * orders * u64::from(self.repeats)
    }

    /// Whether there is nothing to judge.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the systems of each trial of an item, in slot order.
    fn slots_of_item(&self, item: usize) -> Vec<Vec<u32>> {
        let groups = self.groups_of_item(item);
        let orders = groups.iter().map(|group| self.orders_of_group(item, group));
        let mut slots: Vec<Vec<u32>> = orders.flatten().collect();
        // Neighbours begin with the same response, which is where their prompts differ first.
        slots.sort_unstable();
        slots
    }

    /// Returns the slots of each trial of a group on an item; `group` is in ascending order.
    pub(crate) fn orders_of_group(&self, item: usize, group: &[u32]) -> Vec<Vec<u32>> {
        match self.orders {
            Orders::Both => vec![group.to_vec(), group.iter().rev().copied().collect()],
            Orders::Drawn => vec![self.drawn_order(item, group)],
            Orders::Data => vec![group.to_vec()],
        }
    }

    fn groups_of_item(&self, item: usize) -> Vec<Group> {
        let present = &self.present[item];
        match &self.groups {
            Groups::Single => present
                .iter()
                .map(|system| Group::from([*system]))
                .collect(),
            Groups::Drawn(drawn) => drawn[item].to_vec(),
            Groups::All => groups_among(present, self.size),
            Groups::With(reference) => {
                let mut groups = groups_among(present, self.size);
                groups.retain(|group| group.contains(reference));
                groups
            }
        }
    }

    /// Returns an order that depends on the seed, the item and the group alone.
    fn drawn_order(&self, item: usize, group: &[u32]) -> Vec<u32> {
        // Pairs had a stream of their own numbers before longer groups had, and keep it: runs go on
        // where they were.
        let stream = match *group {
            [a, b] => ((item as u64) << 32) ^ (u64::from(a) << 16) ^ u64::from(b),
            _ => group.iter().fold(item as u64, |stream, system| {
                stream.rotate_left(16) ^ u64::from(*system)
            }),
        };
        let mut random = random_stream(self.seed, stream);
        let mut order = group.to_vec();
        match group {
            [_, _] if random.next_u32() & 1 == 0 => {}
            [_, _] => order.reverse(),
            _ => shuffle(&mut order, &mut random),
        }
        order
    }
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
    fn repeats_follow_each_other_and_begin_with_the_plan_itself() {
        let once: Vec<Trial> = plan(3, 4, "sample:2", Orders::Drawn).trials().collect();
        let repeated = plan(3, 4, "sample:2", Orders::Drawn).repeated(3);
        let trials: Vec<Trial> = repeated.trials().collect();
        assert_eq!(repeated.len(), 3 * once.len() as u64);
        assert_eq!(trials.len(), 3 * once.len());
        assert_eq!(trials[..once.len()], once);
        for (at, trial) in trials.iter().enumerate() {
            let first = &once[at % once.len()];
            assert_eq!((trial.item, &trial.systems), (first.item, &first.systems));
            assert_eq!(trial.replicate as usize, at / once.len());
            assert_eq!(trial.index, at as u64);
        }
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
            error.to_string(),
            "`design` reference:x: no such system in the data; it has s0, s1"
        );
    }

    #[test]
    fn samples_use_all_pairs_about_equally_often() {
        let plan = plan(30, 5, "sample:3", Orders::Drawn);
        assert_eq!(plan.len(), 90);
        let mut used = std::collections::BTreeMap::new();
        for mut trial in plan.trials() {
            trial.systems.sort_unstable();
            *used.entry(trial.systems).or_insert(0) += 1;
        }
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
        assert!(refused.reason.starts_with("groups of 20:"), "{refused}");
    }

    proptest! {
        #[test]
        fn len_counts_the_trials_and_none_repeats(
            present in prop::collection::vec(prop::collection::btree_set(0u32..6, 0..6), 0..8), k in 1usize..5,
            size in 2usize..5, both: bool, repeats in 1u32..3, shards in 1usize..4,
        ) {
            let present: Vec<Arc<[u32]>> = present.into_iter().map(|systems| systems.into_iter().collect()).collect();
            let orders = if both { Orders::Both } else { Orders::Drawn };
            for design in [Design::AllPairs, Design::Reference("s1".into()), Design::Sample(k)] {
                let plan = Plan::grouped(present.clone(), &names(6), &design, size, orders, 3).unwrap();
                let trials: Vec<Trial> = plan.trials().collect();
                prop_assert_eq!(trials.len() as u64, plan.len());
                let distinct: std::collections::BTreeSet<_> = trials.iter().map(|t| (t.item, t.systems.clone())).collect();
                prop_assert_eq!(distinct.len(), trials.len());

                // Parts of the items have the trials of the whole between them, with their numbers.
                let mut parts = Vec::new();
                for part in 0..shards {
                    let kept = (0..present.len()).map(|item| item % shards == part).collect();
                    let present = present.clone();
                    let whole = Plan::grouped(present, &names(6), &design, size, orders, 3);
                    let plan = whole.unwrap().repeated(repeats).only(kept);
                    let trials: Vec<Trial> = plan.trials().collect();
                    prop_assert_eq!(trials.len() as u64, plan.len());
                    prop_assert!(trials.iter().all(|trial| trial.item as usize % shards == part));
                    parts.extend(trials);
                }
                parts.sort_by_key(|trial| trial.index);
                prop_assert_eq!(parts, plan.repeated(repeats).trials().collect::<Vec<_>>());
            }
        }
    }
}
