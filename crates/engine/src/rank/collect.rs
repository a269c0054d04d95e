//! Gathers judgments, in plan order, into what statistics need: numbers of systems and items.

use evenhand_core::{FailureKind, Grade, Judgment, Look, Side, Source, Stage, Verdict};
use evenhand_stats::{Comparison, ItemScore};
use serde::Serialize;
use std::collections::BTreeMap;

/// How many trials came to a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Planned judgments.
    pub trials: u64,
    /// Verdicts among them.
    pub verdicts: u64,
    /// Failures by kind; with the verdicts they make up the trials.
    pub failures: BTreeMap<String, u64>,
}

/// The judgments of a run as numbers.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// Verdicts on pairs, one row for each.
    pub comparisons: Vec<Comparison>,
    /// Scores of single responses.
    pub scores: Vec<ItemScore>,
    /// What came to a verdict.
    pub coverage: Coverage,
    /// For each item: pairs whose two orders agree, and pairs with a verdict in both orders.
    pub consistent: Vec<(f64, f64)>,
    /// For each item: probability given to the first slot (ties half), and verdicts on pairs.
    pub first_slot: Vec<(f64, f64)>,
    /// Sum over the verdicts of the probability that lay on none of the answers.
    pub outside: f64,
    /// For each item: pairs of members of a panel that agree, and pairs of members with a verdict
    /// on the same trial.
    pub agreeing: Vec<(f64, f64)>,
    /// Verdicts by source, in the order of [`Source::ALL`].
    pub sources: [u64; Source::ALL.len()],
    /// How many trials ended at each stage of a protocol that has stages.
    pub stages: BTreeMap<Stage, u64>,
    /// What the user must know of how the judge served.
    pub notes: Vec<String>,
    /// What a strong, a slight and an equal verdict count, in forms with steps; None: by their
    /// probabilities.
    pub strength: Option<[f64; 3]>,
    /// The verdicts of the present item whose other order has not come.
    waiting: BTreeMap<Shown, Waiting>,
    item: Option<u32>,
}

/// What was shown, whatever the order: the group that two systems stood in (none for a pair), the
/// two, the replicate.
type Shown = (Vec<u32>, u32, u32, u32);

/// A verdict that waits for that of the other order.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// Whether the lower system came first.
    forward: bool,
    winner: Winner,
}

/// Which system a verdict prefers, whatever the slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Winner {
    Lower,
    Tie,
    Higher,
}

impl Collected {
    /// Takes the next judgment; those of one item come together.
    pub fn add(&mut self, judgment: &Judgment) {
        if self.item != Some(judgment.trial.item) {
            self.item = Some(judgment.trial.item);
            self.waiting.clear();
            self.consistent.push((0.0, 0.0));
            self.first_slot.push((0.0, 0.0));
            self.agreeing.push((0.0, 0.0));
        }
        self.looks(&judgment.looks);
        self.coverage.trials += 1;
        match &judgment.outcome {
            Ok(verdict) => self.verdict(judgment, verdict),
            Err(failure) => self.failure(failure.kind),
        }
    }

    fn failure(&mut self, kind: FailureKind) {
        *self
            .coverage
            .failures
            .entry(kind.name().into())
            .or_default() += 1;
    }

    fn verdict(&mut self, judgment: &Judgment, verdict: &Verdict) {
        self.coverage.verdicts += 1;
        self.outside += verdict.outside();
        self.sources[verdict.source() as usize] += 1;
        let (item, systems) = (judgment.trial.item, &judgment.trial.systems);
        match (verdict, &systems[..]) {
            (
                Verdict::Pairwise {
                    first,
                    tie,
                    second,
                    grade,
                    ..
                },
                [a, b],
            ) => {
                let p = [*first, *tie, *second];
                let [wins_a, ties, wins_b] = self.weighed(p, grade.as_ref());
                self.comparisons.push(Comparison {
                    item,
                    a: *a as u16,
                    b: *b as u16,
                    wins_a,
                    ties,
                    wins_b,
                });
                if !judgment.looks.iter().any(|look| look.swapped) {
                    self.position(Vec::new(), [*a, *b], p, judgment.trial.replicate);
                }
            }
            (Verdict::Pointwise { score, .. }, [system, ..]) => {
                self.scores.push(ItemScore {
                    item,
                    system: *system as u16,
                    score: *score,
                });
            }
            (Verdict::Listwise { places, .. }, systems) => self.list(judgment, systems, places),
            (Verdict::Pairwise { .. } | Verdict::Pointwise { .. }, _) => {}
        }
    }

    /// An order is a comparison of each two of its members.
    fn list(&mut self, judgment: &Judgment, systems: &[u32], places: &[f64]) {
        let mut group = systems.to_vec();
        group.sort_unstable();
        let member: Vec<(u32, f64)> = systems
            .iter()
            .copied()
            .zip(places.iter().copied())
            .collect();
        for (at, (a, place_a)) in member.iter().enumerate() {
            for (b, place_b) in &member[at + 1..] {
                let one = |yes: bool| f64::from(u8::from(yes));
                let p = [
                    one(place_a < place_b),
                    one(place_a == place_b),
                    one(place_a > place_b),
                ];
                let [wins_a, ties, wins_b] = p;
                let item = judgment.trial.item;
                self.comparisons.push(Comparison {
                    item,
                    a: *a as u16,
                    b: *b as u16,
                    wins_a,
                    ties,
                    wins_b,
                });
                self.position(group.clone(), [*a, *b], p, judgment.trial.replicate);
            }
        }
    }

    /// A verdict as a comparison: by its probabilities, or, in forms with five steps, by what each
    /// step counts (RealRank, appendix A).
    fn weighed(&self, p: [f64; 3], grade: Option<&Grade>) -> [f64; 3] {
        match (self.strength, grade) {
            (Some([strong, slight, equal]), Some(Grade::Steps(steps))) if steps.len() == 5 => {
                let side = |much: usize, some: usize| strong * steps[much] + slight * steps[some];
                [side(0, 1), equal * steps[2], side(4, 3)]
            }
            _ => p,
        }
    }

    /// What the order of presentation did between two systems, in the order in which they were
    /// shown.
    fn position(&mut self, group: Vec<u32>, [a, b]: [u32; 2], p: [f64; 3], replicate: u32) {
        self.shown_first(p);
        let forward = a <= b;
        let winner = Winner::of(p, forward);
        let key = (group, a.min(b), a.max(b), replicate);
        match self.waiting.get(&key) {
            Some(other) if other.forward != forward => {
                let agree = other.winner == winner;
                self.waiting.remove(&key);
                self.in_both(agree);
            }
            _ => drop(self.waiting.insert(key, Waiting { forward, winner })),
        }
    }

    fn shown_first(&mut self, p: [f64; 3]) {
        if let Some((first, verdicts)) = self.first_slot.last_mut() {
            *first += p[0] + p[1] / 2.0;
            *verdicts += 1.0;
        }
    }

    fn in_both(&mut self, agree: bool) {
        if let Some((agreeing, pairs)) = self.consistent.last_mut() {
            *agreeing += f64::from(u8::from(agree));
            *pairs += 1.0;
        }
    }

    /// What the looks within one trial say of position, and of the members of a panel.
    fn looks(&mut self, looks: &[Look]) {
        let members: Vec<Side> = looks
            .iter()
            .filter(|look| look.stage == Stage::Member)
            .filter_map(side)
            .collect();
        for (at, side) in members.iter().enumerate() {
            members[at + 1..]
                .iter()
                .for_each(|other| self.agree(side == other));
        }
        let judges = looks.iter().map(|look| look.judge + 1).max().unwrap_or(0);
        for judge in 0..judges {
            let own: Vec<&Look> = looks
                .iter()
                .filter(|look| look.judge == judge && look.stage != Stage::Member)
                .collect();
            self.orders(&own);
        }
    }

    fn agree(&mut self, agree: bool) {
        if let Some((agreeing, pairs)) = self.agreeing.last_mut() {
            *agreeing += f64::from(u8::from(agree));
            *pairs += 1.0;
        }
    }

    /// Both orders of one judge within one trial: consistent where its last stage is.
    fn orders(&mut self, looks: &[&Look]) {
        if !looks.iter().any(|look| look.swapped) {
            return;
        }
        for look in looks {
            let shown = look.outcome.as_ref().ok().cloned().map(|verdict| {
                if look.swapped {
                    verdict.swapped()
                } else {
                    verdict
                }
            });
            shown
                .and_then(|verdict| verdict.preference())
                .into_iter()
                .for_each(|p| self.shown_first(p));
        }
        let Some(last) = looks.last() else { return };
        if last.stage != Stage::Only {
            *self.stages.entry(last.stage.clone()).or_default() += 1;
        }
        let of = |swapped: bool| {
            mean_side(
                looks
                    .iter()
                    .filter(|look| look.stage == last.stage && look.swapped == swapped),
            )
        };
        if let (Some(forward), Some(backward)) = (of(false), of(true)) {
            self.in_both(forward == backward);
        }
    }

    /// How many verdicts came from this source.
    pub fn from_source(&self, source: Source) -> u64 {
        self.sources[source as usize]
    }
}

fn side(look: &Look) -> Option<Side> {
    look.outcome.as_ref().ok()?.side()
}

/// The side that the mean of the looks prefers; None where none has a verdict.
fn mean_side<'a>(looks: impl Iterator<Item = &'a &'a Look>) -> Option<Side> {
    let p: Vec<[f64; 3]> = looks
        .filter_map(|look| look.outcome.as_ref().ok()?.preference())
        .collect();
    let sum = p.iter().fold([0.0; 3], |sum, p| {
        [sum[0] + p[0], sum[1] + p[1], sum[2] + p[2]]
    });
    (!p.is_empty())
        .then(|| Verdict::pair(sum, 0.0, Source::Mixed).side())
        .flatten()
}

impl Winner {
    fn of([first, tie, second]: [f64; 3], forward: bool) -> Winner {
        let (lower, higher) = if forward {
            (first, second)
        } else {
            (second, first)
        };
        if lower > higher && lower > tie {
            Winner::Lower
        } else if higher > lower && higher > tie {
            Winner::Higher
        } else {
            Winner::Tie
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand_core::{Failure, Trial};

    fn judgment(index: u64, item: u32, systems: [u32; 2], first: f64) -> Judgment {
        let trial = Trial {
            index,
            item,
            systems: systems.to_vec(),
            replicate: 0,
        };
        let verdict = Verdict::pair([first, 0.0, 1.0 - first], 0.25, Source::Probabilities);
        Judgment {
            trial,
            outcome: Ok(verdict),
            calls: Vec::new(),
            looks: Vec::new(),
        }
    }

    #[test]
    fn both_orders_are_compared_by_system() {
        let mut all = Collected::default();
        // Item 0: s0 wins in both orders. Item 1: the first slot wins in both orders.
        all.add(&judgment(0, 0, [0, 1], 0.9));
        all.add(&judgment(1, 0, [1, 0], 0.2));
        all.add(&judgment(2, 1, [0, 1], 0.9));
        all.add(&judgment(3, 1, [1, 0], 0.7));
        assert_eq!(all.consistent, [(1.0, 1.0), (0.0, 1.0)]);
        assert_eq!(all.first_slot, [(0.9 + 0.2, 2.0), (0.9 + 0.7, 2.0)]);
        assert_eq!(
            (all.coverage.trials, all.coverage.verdicts, all.outside),
            (4, 4, 1.0)
        );
        assert_eq!(all.comparisons.len(), 4);
    }

    #[test]
    fn a_failure_is_counted_and_leaves_its_pair_out_of_consistency() {
        let mut all = Collected::default();
        let failed = Err(Failure::new(FailureKind::Refused, "no"));
        all.add(&Judgment {
            outcome: failed,
            ..judgment(0, 0, [0, 1], 0.0)
        });
        all.add(&judgment(1, 0, [1, 0], 0.2));
        assert_eq!(all.consistent, [(0.0, 0.0)]);
        assert_eq!(
            all.coverage.failures,
            BTreeMap::from([("refused".to_string(), 1)])
        );
        assert_eq!((all.coverage.trials, all.coverage.verdicts), (2, 1));
    }
}
