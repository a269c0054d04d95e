//! Gathers judgments, in plan order, into what statistics need: numbers of systems and items.

use crate::StepWeights;
use crate::criteria::CollectedCriteria;
use crate::log::ComparisonLog;
use crate::position::{ItemShare, PositionShares, ShownVerdict};
use evenhand_core::{
    Grade, Judgment, Look, Response, ShownOrder, Side, Stage, Verdict, VerdictSource, are_same,
    whole_pairs,
};
use evenhand_engine::Coverage;
use evenhand_stats::{Comparison, ItemScore};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The judgments of a run as numbers.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// Verdicts on pairs, one row for each.
    pub comparisons: ComparisonLog,
    /// Scores of single responses.
    pub scores: Vec<ItemScore>,
    /// How many trials came to a verdict.
    pub coverage: Coverage,
    /// How verdicts depend on the order of presentation.
    pub position: PositionShares,
    /// Verdicts on two responses that are the same.
    pub same: u64,
    /// Sum over the verdicts of the probability that lay on none of the answers.
    pub outside: f64,
    /// For each item: pairs of members of a panel that agree, of the pairs of members with a
    /// verdict on the same trial.
    pub agreeing: Vec<ItemShare>,
    /// Verdicts by source, in the order of [`VerdictSource::ALL`].
    pub sources: [u64; VerdictSource::ALL.len()],
    /// Whether verdicts on pairs name one slot and nothing else.
    pub one_slot: OneSlot,
    /// How many trials ended at each stage of a protocol that has stages.
    pub stages: BTreeMap<Stage, u64>,
    /// Notes on how the judge served, for the user.
    pub notes: Vec<String>,
    /// The weights of the steps of a verdict, in forms with steps; None: probabilities alone count.
    pub strength: Option<StepWeights>,
    /// What was said of the criteria of checklists.
    pub criteria: CollectedCriteria,
    /// The item of each trial that came to no verdict, and its systems.
    pub failed: Vec<(u32, Vec<u32>)>,
    /// The items that were judged, in the order of the shares by item.
    pub items: Vec<u32>,
    /// Verdicts that were set aside, because the judgment of the same pair in the other order
    /// failed ([`Collected::in_whole_pairs`]).
    pub set_aside: u64,
}

/// Whether all verdicts on pairs name the same slot as the more probable, though their
/// probabilities differ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OneSlot {
    /// Verdicts by the side that they name: the first, neither, the second.
    named: [u64; 3],
    /// The least and the most that the first slot had of what both have.
    firsts: [f64; 2],
    /// Whether all were read from probabilities, with no verdict of both orders among them.
    is_measured: bool,
    /// The least and the most probability of the slot that is named, where it is one.
    pub(crate) range: [f64; 2],
}

impl OneSlot {
    /// So many verdicts at least, so that the one slot is no accident: a judge without a bias does
    /// that once in 2^9 runs.
    const LEAST: u64 = 10;

    fn add(&mut self, judgment: &Judgment, preference: [f64; 3], source: VerdictSource) {
        let is_first_verdict = self.named.iter().sum::<u64>() == 0;
        let of_one_order = judgment.looks.is_empty() && source.is_measured();
        self.is_measured = of_one_order && (is_first_verdict || self.is_measured);
        let [first, _, second] = preference;
        self.named[Side::of(preference) as usize] += 1;
        let share = first / (first + second);
        self.firsts = match is_first_verdict {
            true => [share, share],
            false => [self.firsts[0].min(share), self.firsts[1].max(share)],
        };
        self.range = match first > second {
            true => self.firsts,
            false => [1.0 - self.firsts[1], 1.0 - self.firsts[0]],
        };
    }

    /// Returns the slot that every verdict names; None where they name more than one, are too few,
    /// say nothing beside it, or are no measured probabilities.
    pub(crate) fn named_slot(&self) -> Option<&'static str> {
        let [low, high] = self.firsts;
        self.only_slot().filter(|_| high - low >= 1e-3)
    }

    /// Returns the slot that every verdict names, whatever is said beside it; None where they name
    /// more than one, are too few, or are no measured probabilities.
    pub(crate) fn only_slot(&self) -> Option<&'static str> {
        match self.named {
            _ if !self.is_measured => None,
            [first, 0, 0] if first >= OneSlot::LEAST => Some("first"),
            [0, 0, second] if second >= OneSlot::LEAST => Some("second"),
            _ => None,
        }
    }
}

impl Collected {
    /// Takes the next judgment, with the responses that it is of, in the order of its slots; those
    /// of one item come together. Without responses all count as different.
    pub fn add(&mut self, judgment: &Judgment, responses: &[Response]) {
        let trial = &judgment.trial;
        // Shares are of items: pairs that wait for their other order do so within one.
        if self.items.last() != Some(&trial.item) {
            self.items.push(trial.item);
            self.position.begin_item();
            self.agreeing.push(ItemShare::default());
        }
        self.add_looks(&judgment.looks, are_same(responses, 0, 1));
        self.criteria.add(judgment);
        let failure = judgment.outcome.as_ref().err();
        self.coverage
            .add(failure.map(|failure| failure.kind.name()));
        match &judgment.outcome {
            Ok(verdict) => self.add_verdict(judgment, verdict, responses),
            Err(_) => self.failed.push((trial.item, trial.systems.clone())),
        }
    }

    /// Returns the same with those verdicts alone that say something of systems: of a pair that was
    /// judged in both orders, one order counts as far as the other has a verdict ([`whole_pairs`]).
    pub fn in_whole_pairs(&self) -> Cow<'_, Collected> {
        let failed = self.failed.iter().filter_map(|(item, systems)| {
            let systems: [u32; 2] = systems.as_slice().try_into().ok()?;
            Some((*item, systems))
        });
        if failed.clone().next().is_none() {
            return Cow::Borrowed(self);
        }
        let log = &self.comparisons;
        let shown = || {
            log.rows()
                .map(|row| (row.item, [u32::from(row.a), u32::from(row.b)]))
        };
        // What holds both orders, or is of a list, has no other order.
        let orders: Vec<bool> = log.in_order().collect();
        let in_order = shown()
            .zip(orders.iter().copied())
            .filter(|(_, in_order)| *in_order);
        let verdicts: Vec<ShownOrder> = in_order.map(|(shown, _)| shown).collect();
        let Some(counts) = whole_pairs(verdicts.iter().copied(), failed) else {
            return Cow::Borrowed(self);
        };
        let mut counts = counts.into_iter();
        let keep = orders
            .iter()
            .map(|in_order| !in_order || counts.next().unwrap_or(true));
        let keep: Vec<bool> = keep.collect();
        Cow::Owned(Collected {
            set_aside: keep.iter().filter(|keep| !**keep).count() as u64,
            comparisons: log.kept(&keep),
            ..self.clone()
        })
    }

    /// Counts, for each of so many systems, the items on which it was judged and came to no verdict
    /// that counts.
    pub fn items_without_verdict(&self, systems: usize) -> Vec<u64> {
        let failed = self.failed.iter();
        let cells = failed.flat_map(|(item, systems)| systems.iter().map(|one| (*item, *one)));
        let mut lacking: BTreeSet<(u32, u32)> = cells.collect();
        if !lacking.is_empty() {
            for row in self.comparisons.rows() {
                lacking.remove(&(row.item, row.a.into()));
                lacking.remove(&(row.item, row.b.into()));
            }
            for row in &self.scores {
                lacking.remove(&(row.item, row.system.into()));
            }
        }
        let mut counts = vec![0; systems];
        for (_, system) in lacking {
            if let Some(count) = counts.get_mut(system as usize) {
                *count += 1;
            }
        }
        counts
    }

    /// Counts, for each two systems, the items on which they were judged and came to no verdict
    /// that counts, lower number first; those that lack none are not there.
    pub fn pairs_without_verdict(&self) -> BTreeMap<[u32; 2], u64> {
        let in_order = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        let failed = self.failed.iter().filter_map(|(item, systems)| {
            let systems: [u32; 2] = systems.as_slice().try_into().ok()?;
            Some((*item, in_order(systems)))
        });
        let mut lacking: BTreeSet<(u32, [u32; 2])> = failed.collect();
        if !lacking.is_empty() {
            for row in self.comparisons.rows() {
                lacking.remove(&(row.item, in_order([row.a.into(), row.b.into()])));
            }
        }
        let mut counts = BTreeMap::new();
        for (_, pair) in lacking {
            *counts.entry(pair).or_default() += 1;
        }
        counts
    }

    // Deep: an arm a kind of verdict, and a list is each two of its members.
    fn add_verdict(&mut self, judgment: &Judgment, verdict: &Verdict, responses: &[Response]) {
        self.outside += verdict.outside();
        self.sources[verdict.source() as usize] += 1;
        let trial = &judgment.trial;
        match verdict {
            Verdict::Pairwise { grade, .. } => {
                let preference = verdict.preference().unwrap_or_default();
                self.one_slot.add(judgment, preference, verdict.source());
                let [a, b] = trial.systems[..] else {
                    return;
                };
                let same = are_same(responses, 0, 1);
                self.same += u64::from(same);
                // A verdict counts by its probabilities, or, in forms with five steps, by what
                // each step counts (RealRank, appendix A).
                let weighed = match (self.strength, grade) {
                    (Some(weights), Some(Grade::Steps(steps))) => weights.weigh_steps(steps),
                    _ => None,
                };
                let in_order = !judgment.looks.iter().any(|look| look.swapped);
                self.add_comparison(trial.item, [a, b], weighed.unwrap_or(preference), in_order);
                // Where the trial holds both orders, its looks have told what they did.
                if in_order {
                    self.position.add_verdict(ShownVerdict {
                        list: Vec::new(),
                        systems: [a, b],
                        replicate: trial.replicate,
                        same,
                        preference,
                    });
                }
            }
            Verdict::Pointwise { score, .. } => {
                if let Some(system) = trial.systems.first() {
                    self.scores
                        .push(ItemScore::new(trial.item, *system as u16, *score));
                }
            }
            // An order is a comparison of each two of its members.
            Verdict::Listwise { places, .. } => {
                let mut list = trial.systems.clone();
                list.sort_unstable();
                let members: Vec<(u32, f64)> = trial
                    .systems
                    .iter()
                    .copied()
                    .zip(places.iter().copied())
                    .collect();
                for (slot_a, (a, place_a)) in members.iter().enumerate() {
                    for (slot_b, (b, place_b)) in members.iter().enumerate().skip(slot_a + 1) {
                        // The lower place is the better one.
                        let outcomes = [place_a < place_b, place_a == place_b, place_a > place_b];
                        let preference = outcomes.map(|yes| f64::from(u8::from(yes)));
                        self.add_comparison(trial.item, [*a, *b], preference, false);
                        self.position.add_verdict(ShownVerdict {
                            list: list.clone(),
                            systems: [*a, *b],
                            replicate: trial.replicate,
                            same: are_same(responses, slot_a, slot_b),
                            preference,
                        });
                    }
                }
            }
        }
    }

    fn add_comparison(
        &mut self,
        item: u32,
        [a, b]: [u32; 2],
        preference: [f64; 3],
        in_order: bool,
    ) {
        let [wins_a, ties, wins_b] = preference;
        let row = Comparison {
            item,
            a: a as u16,
            b: b as u16,
            wins_a,
            ties,
            wins_b,
        };
        self.comparisons.push(row, in_order);
    }

    /// Takes what the looks within one trial say of position, and of the members of a panel.
    fn add_looks(&mut self, looks: &[Look], same: bool) {
        let members = looks.iter().filter(|look| look.stage == Stage::Member);
        let sides: Vec<Side> = members
            .filter_map(|look| look.outcome.as_ref().ok()?.side())
            .collect();
        if let Some(share) = self.agreeing.last_mut() {
            for (number, side) in sides.iter().enumerate() {
                for other in &sides[number + 1..] {
                    share.add(f64::from(u8::from(side == other)));
                }
            }
        }
        let judges = looks.iter().map(|look| look.judge + 1).max().unwrap_or(0);
        for judge in 0..judges {
            // What a member of a panel said is a part of the panel's look.
            let own: Vec<&Look> = looks
                .iter()
                .filter(|look| look.judge == judge && look.stage != Stage::Member)
                .collect();
            let last = self.position.add_looks(&own, same);
            if let Some(stage) = last.filter(|stage| **stage != Stage::Only) {
                *self.stages.entry(stage.clone()).or_default() += 1;
            }
        }
    }

    /// Returns how many verdicts are made of the probabilities of answers.
    pub fn measured(&self) -> u64 {
        let measured = VerdictSource::ALL
            .iter()
            .filter(|source| source.is_measured());
        measured.map(|source| self.from_source(*source)).sum()
    }

    /// Returns how many verdicts came from this source.
    pub fn from_source(&self, source: VerdictSource) -> u64 {
        self.sources[source as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::{Failure, FailureKind, Trial};
    use evenhand_stats::inference::{Contributions, compare_jointly};
    use evenhand_stats::{Bootstrap, Cluster, Comparisons, bradley_terry};

    fn judgment(index: u64, item: u32, systems: [u32; 2], first: f64) -> Judgment {
        let trial = Trial {
            index,
            item,
            systems: systems.to_vec(),
            replicate: 0,
        };
        let verdict = Verdict::pair(
            [first, 0.0, 1.0 - first],
            0.25,
            VerdictSource::Probabilities,
        );
        Judgment {
            trial,
            outcome: Ok(verdict),
            calls: Vec::new(),
            looks: Vec::new(),
        }
    }

    fn share(with: f64, cases: f64) -> ItemShare {
        ItemShare { with, cases }
    }

    #[test]
    fn both_orders_are_compared_by_system() {
        let mut all = Collected::default();
        // Item 0: s0 wins in both orders. Item 1: the first slot wins in both orders.
        all.add(&judgment(0, 0, [0, 1], 0.9), &[]);
        all.add(&judgment(1, 0, [1, 0], 0.2), &[]);
        all.add(&judgment(2, 1, [0, 1], 0.9), &[]);
        all.add(&judgment(3, 1, [1, 0], 0.7), &[]);
        assert_eq!(all.position.consistent, [share(1.0, 1.0), share(0.0, 1.0)]);
        assert_eq!(
            all.position.first_slot,
            [share(0.9 + 0.2, 2.0), share(0.9 + 0.7, 2.0)]
        );
        assert_eq!(
            (all.coverage.trials, all.coverage.verdicts, all.outside),
            (4, 4, 1.0)
        );
        assert_eq!(all.comparisons.len(), 4);
    }

    #[test]
    fn one_slot_is_named_where_all_verdicts_name_it_and_their_probabilities_differ() {
        let named = |firsts: &[f64]| {
            let mut all = Collected::default();
            for (index, first) in firsts.iter().enumerate() {
                all.add(&judgment(index as u64, 0, [0, 1], *first), &[]);
            }
            (all.one_slot.named_slot(), all.one_slot.range)
        };
        let differing: Vec<f64> = (0..10).map(|at| 0.6 + 0.03 * f64::from(at)).collect();
        assert_eq!(named(&differing), (Some("first"), [0.6, 0.6 + 0.03 * 9.0]));
        let seconds: Vec<f64> = differing.iter().map(|first| 1.0 - first).collect();
        assert_eq!(named(&seconds).0, Some("second"));
        assert_eq!(named(&differing[1..]).0, None, "too few");
        assert_eq!(named(&[0.9; 20]).0, None, "the same whatever is shown");
        let both = [&differing[..], &[0.4]].concat();
        assert_eq!(named(&both).0, None, "one verdict names the other");
        let tied = [&differing[..], &[0.5]].concat();
        assert_eq!(named(&tied).0, None);
    }

    #[test]
    fn a_failure_is_counted_and_leaves_its_pair_out_of_consistency() {
        let mut all = Collected::default();
        let failed = Err(Failure::new(FailureKind::Refused, "no"));
        all.add(
            &Judgment {
                outcome: failed,
                ..judgment(0, 0, [0, 1], 0.0)
            },
            &[],
        );
        all.add(&judgment(1, 0, [1, 0], 0.2), &[]);
        assert_eq!(all.position.consistent, [share(0.0, 0.0)]);
        assert_eq!(
            all.coverage.failures,
            BTreeMap::from([("refused".to_string(), 1)])
        );
        assert_eq!((all.coverage.trials, all.coverage.verdicts), (2, 1));
        assert_eq!(
            all.items_without_verdict(2),
            [0, 0],
            "the other order has one"
        );
        let failed = Err(Failure::new(FailureKind::Refused, "no"));
        all.add(
            &Judgment {
                outcome: failed,
                ..judgment(2, 1, [1, 2], 0.0)
            },
            &[],
        );
        assert_eq!(all.items_without_verdict(3), [0, 1, 1]);
    }

    /// That a third system has its verdicts on an item says nothing of the other two.
    #[test]
    fn what_two_systems_lack_is_counted_by_pair() {
        let mut all = Collected::default();
        let failed = |index, item, systems| {
            let mut one = judgment(index, item, systems, 1.0);
            one.outcome = Err(Failure::new(FailureKind::Unparsed, "no"));
            one
        };
        for item in 0..3 {
            all.add(&judgment(0, item, [0, 2], 1.0), &[]);
            all.add(&judgment(1, item, [1, 2], 1.0), &[]);
        }
        // One pair in both orders, one in one, one whole.
        all.add(&failed(2, 0, [0, 1]), &[]);
        all.add(&failed(3, 0, [1, 0]), &[]);
        all.add(&failed(4, 1, [0, 1]), &[]);
        all.add(&judgment(5, 1, [1, 0], 1.0), &[]);
        all.add(&judgment(6, 2, [0, 1], 1.0), &[]);
        all.add(&judgment(7, 2, [1, 0], 1.0), &[]);
        assert_eq!(all.items_without_verdict(3), [0, 0, 0]);
        let whole = all.in_whole_pairs();
        let lacking: Vec<_> = whole.pairs_without_verdict().into_iter().collect();
        assert_eq!(lacking, [([0, 1], 2)]);
    }

    /// What the judge says of two systems that are shown in both orders, on so many items: who
    /// leads, if anybody. `fails` says of an item, and of whether the first system is shown first,
    /// how often the judgment fails; `first` how often the first slot wins.
    fn leader(
        items: u32,
        seed: u64,
        fails: impl Fn(u32, bool) -> f64,
        first: impl Fn(u32, bool) -> f64,
    ) -> Option<(usize, usize)> {
        let mut state = seed;
        // SplitMix64.
        let mut uniform = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut all = Collected::default();
        for item in 0..items {
            for in_order in [true, false] {
                let systems = if in_order { [0, 1] } else { [1, 0] };
                let won = f64::from(u8::from(uniform() < first(item, in_order)));
                let mut judgment = judgment(u64::from(item), item, systems, won);
                if uniform() < fails(item, in_order) {
                    judgment.outcome = Err(Failure::new(FailureKind::Unparsed, "no"));
                }
                all.add(&judgment, &[]);
            }
        }
        let whole = all.in_whole_pairs();
        let data = Comparisons::new(2, whole.comparisons.rows().collect()).unwrap();
        let strengths = bradley_terry(&data.tally()).scores.estimates;
        let plan = Bootstrap {
            rounds: 199,
            seed,
            threads: 1,
            ..Bootstrap::default()
        };
        let found = Contributions::of_strengths(&data, Cluster::Item, &strengths, &plan);
        let joint = found.and_then(|found| compare_jointly(&found, &plan));
        joint.ok()?.apart.first().copied()
    }

    /// Whatever fails: a judge that decides by the slot has no leader, or one by chance.
    #[test]
    fn a_judge_of_slots_alone_has_no_leader_whatever_fails() {
        type Share = fn(u32, bool) -> f64;
        let patterns: [(&str, Share); 5] = [
            ("at random", |_, _| 0.3),
            (
                "one system first",
                |_, in_order| {
                    if in_order { 0.9 } else { 0.0 }
                },
            ),
            (
                "always one system first",
                |_, in_order| {
                    if in_order { 1.0 } else { 0.0 }
                },
            ),
            ("by item", |item, in_order| {
                if (item % 2 == 0) == in_order {
                    0.8
                } else {
                    0.1
                }
            }),
            ("mostly one", |item, in_order| {
                if in_order && item % 3 > 0 { 1.0 } else { 0.05 }
            }),
        ];
        let judges: [(&str, Share); 4] = [
            ("second", |_, _| 0.0),
            ("mostly second", |_, _| 0.1),
            ("a coin", |_, _| 0.5),
            ("by item", |item, _| if item % 2 == 0 { 0.95 } else { 0.05 }),
        ];
        for (pattern, fails) in patterns {
            for (judge, first) in judges {
                let seeds = 100;
                let leaders = (0..seeds).filter(|seed| leader(60, *seed, fails, first).is_some());
                let found = leaders.count();
                // 5 of 100 are promised, and 12 are more than three standard errors beyond.
                assert!(found <= 12, "{judge}, {pattern}: {found} of {seeds}");
                assert!(judge != "second" || found == 0, "{pattern}: {found}");
            }
        }
    }

    #[test]
    fn a_good_judge_loses_little_where_judgments_fail_at_random() {
        let share = |fails: f64| {
            let led = (0..100).filter(|seed| {
                let first = |_, in_order: bool| if in_order { 0.75 } else { 0.45 };
                leader(60, *seed, |_, _| fails, first) == Some((0, 1))
            });
            led.count()
        };
        let [all, tenth, third] = [0.0, 0.1, 0.3].map(share);
        assert!(
            all >= 80 && tenth + 15 >= all && third + 40 >= all,
            "{all} {tenth} {third}"
        );
    }

    /// A judge that is shown the same prompt twice says the same twice, and so names two systems:
    /// that is no bias.
    #[test]
    fn pairs_of_the_same_response_say_nothing_of_position() {
        let texts = |texts: [&str; 2]| texts.map(|text| Response::new(text.to_owned() + "?", text));
        let (same, other) = (texts(["x", "x"]), texts(["x", "y"]));
        let mut all = Collected::default();
        all.add(&judgment(0, 0, [0, 1], 0.9), &same);
        all.add(&judgment(1, 0, [1, 0], 0.9), &same);
        all.add(&judgment(2, 1, [0, 1], 0.9), &other);
        all.add(&judgment(3, 1, [1, 0], 0.9), &other);
        assert_eq!(all.position.consistent, [share(0.0, 0.0), share(0.0, 1.0)]);
        assert_eq!(all.same, 2);
        // In both orders within one trial.
        let look = |swapped: bool| Look {
            judge: 0,
            stage: Stage::Only,
            sample: 0,
            swapped,
            outcome: Ok(Verdict::pair(
                if swapped {
                    [0.1, 0.0, 0.9]
                } else {
                    [0.9, 0.0, 0.1]
                },
                0.0,
                VerdictSource::Probabilities,
            )),
            criterion: None,
        };
        for (responses, cases) in [(&same, 0.0), (&other, 1.0)] {
            let mut all = Collected::default();
            let both = Judgment {
                looks: vec![look(false), look(true)],
                ..judgment(0, 0, [0, 1], 0.5)
            };
            all.add(&both, responses);
            assert_eq!(all.position.consistent, [share(0.0, cases)]);
            assert_eq!(all.position.first_slot, [share(1.8 * cases, 2.0 * cases)]);
        }
    }
}
