//! Gathers judgments, in plan order, into what statistics need: numbers of systems and items.

use evenhand_core::{FailureKind, Judgment, Order, Source, Verdict};
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
    /// Verdicts read from probabilities, from text, and from likelihoods.
    pub sources: [u64; 3],
    /// The forward verdicts of the present item whose other order has not come, as (winner is the lower system, tie).
    forward: BTreeMap<(u32, u32, u32), Winner>,
    item: Option<u32>,
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
            self.forward.clear();
            self.consistent.push((0.0, 0.0));
            self.first_slot.push((0.0, 0.0));
        }
        self.coverage.trials += 1;
        match &judgment.outcome {
            Ok(verdict) => self.verdict(judgment, verdict),
            Err(failure) => self.failure(failure.kind),
        }
    }

    fn failure(&mut self, kind: FailureKind) {
        *self.coverage.failures.entry(kind.name().into()).or_default() += 1;
    }

    fn verdict(&mut self, judgment: &Judgment, verdict: &Verdict) {
        self.coverage.verdicts += 1;
        self.outside += verdict.outside();
        let (item, systems) = (judgment.trial.item, &judgment.trial.systems);
        let source = match (verdict, &systems[..]) {
            (Verdict::Pairwise { first, tie, second, source, .. }, [a, b]) => {
                let (a, b) = (*a as u16, *b as u16);
                self.comparisons.push(Comparison { item, a, b, wins_a: *first, ties: *tie, wins_b: *second });
                self.position(judgment, [*first, *tie, *second]);
                source
            }
            (Verdict::Pointwise { score, source, .. }, [system, ..]) => {
                self.scores.push(ItemScore { item, system: *system as u16, score: *score });
                source
            }
            (Verdict::Pairwise { source, .. } | Verdict::Pointwise { source, .. }, _) => source,
        };
        self.sources[*source as usize] += 1;
    }

    /// What the order of presentation did.
    fn position(&mut self, judgment: &Judgment, p: [f64; 3]) {
        if let Some((first, verdicts)) = self.first_slot.last_mut() {
            *first += p[0] + p[1] / 2.0;
            *verdicts += 1.0;
        }
        let trial = &judgment.trial;
        let (Some(order), [a, b]) = (trial.order(), &trial.systems[..]) else { return };
        let winner = Winner::of(p, order);
        let key = (*a.min(b), *a.max(b), trial.replicate);
        match order {
            Order::Forward => drop(self.forward.insert(key, winner)),
            Order::Swapped => {
                let (Some(forward), Some(sum)) = (self.forward.remove(&key), self.consistent.last_mut()) else { return };
                sum.0 += f64::from(u8::from(forward == winner));
                sum.1 += 1.0;
            }
        }
    }

    /// How many verdicts came from this source.
    pub fn from_source(&self, source: Source) -> u64 {
        self.sources[source as usize]
    }
}

impl Winner {
    fn of([first, tie, second]: [f64; 3], order: Order) -> Winner {
        let (lower, higher) = if order == Order::Forward { (first, second) } else { (second, first) };
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
        let trial = Trial { index, item, systems: systems.to_vec(), replicate: 0 };
        let verdict = Verdict::Pairwise { first, tie: 0.0, second: 1.0 - first, outside: 0.25, source: Source::Probabilities };
        Judgment { trial, outcome: Ok(verdict), calls: Vec::new() }
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
        assert_eq!((all.coverage.trials, all.coverage.verdicts, all.outside), (4, 4, 1.0));
        assert_eq!(all.comparisons.len(), 4);
    }

    #[test]
    fn a_failure_is_counted_and_leaves_its_pair_out_of_consistency() {
        let mut all = Collected::default();
        let failed = Err(Failure::new(FailureKind::Refused, "no"));
        all.add(&Judgment { outcome: failed, ..judgment(0, 0, [0, 1], 0.0) });
        all.add(&judgment(1, 0, [1, 0], 0.2));
        assert_eq!(all.consistent, [(0.0, 0.0)]);
        assert_eq!(all.coverage.failures, BTreeMap::from([("refused".to_string(), 1)]));
        assert_eq!((all.coverage.trials, all.coverage.verdicts), (2, 1));
    }
}
