//! Sums over all judgments of a run.

use super::RunIndex;
use evenhand_core::Side;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Sums over a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Judgments.
    pub judgments: u64,
    /// Rows.
    pub rows: u64,
    /// Judgments with a verdict.
    pub verdicts: u64,
    /// Rows whose orders prefer different systems.
    pub flipped: u64,
    /// Rows whose votes or samples disagree.
    pub split: u64,
    /// What people said of the rows.
    pub people: PeopleCounts,
    /// Judgments without a verdict, by kind.
    pub failures: BTreeMap<String, u64>,
    /// Calls of the run.
    pub calls: u64,
}

/// Rows that people have labelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PeopleCounts {
    /// Rows with a label.
    pub compared: u64,
    /// Of these, rows that ended otherwise.
    pub disagree: u64,
}

/// Two systems against each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MatrixCell {
    /// The earlier system.
    pub a: u32,
    /// The later system.
    pub b: u32,
    /// Rows with a verdict.
    pub n: u64,
    /// The mean probability that a is better, a tie counting half.
    pub share: f64,
    /// Rows with a verdict in both orders.
    pub both: u64,
    /// Of these, rows with the same outcome in both orders.
    pub consistent: u64,
}

/// Sums over some of the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowSums {
    /// Rows.
    pub rows: u64,
    /// Their judgments.
    pub judgments: u64,
    /// Of these, judgments without a verdict.
    pub failures: u64,
    /// Rows whose orders prefer different systems.
    pub flipped: u64,
    /// Rows whose votes or samples disagree.
    pub split: u64,
    /// USD of their calls; None where that of one row is not known, and without rows.
    pub cost: Option<f64>,
}

impl RunIndex {
    /// Sums these rows. A call that several judgments rest on counts for each.
    pub fn sum_rows(&self, rows: &[u32]) -> RowSums {
        let mut sums = RowSums {
            cost: (!rows.is_empty()).then_some(0.0),
            ..RowSums::default()
        };
        for row in rows {
            let facts = self.facts(*row);
            sums.rows += 1;
            sums.flipped += u64::from(facts.flipped);
            sums.split += u64::from(facts.split);
            sums.cost = sums.cost.zip(facts.cost).map(|(sum, cost)| sum + cost);
            for judgment in self.judgments_of(*row).into_iter().flatten() {
                sums.judgments += 1;
                sums.failures += u64::from(self.columns.failure(judgment).is_some());
            }
        }
        sums
    }

    /// Sums the run; `calls` is how many it made.
    pub fn count(&self, calls: u64) -> Counts {
        let mut sums = RunSums::default();
        sums.add(self);
        sums.counts(calls)
    }

    /// Compares each pair of systems that was judged, in the order of the systems.
    pub fn matrix(&self) -> Vec<MatrixCell> {
        let mut sums = RunSums::default();
        sums.add(self);
        sums.matrix()
    }
}

/// Sums over the rows of a run, or of parts of it that no row is divided between.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunSums {
    counts: Counts,
    /// Each pair of systems, by both numbers, with the sum of its shares in place of their mean.
    cells: BTreeMap<u64, MatrixCell>,
}

impl RunSums {
    /// Adds the rows of an index.
    pub(crate) fn add(&mut self, index: &RunIndex) {
        let counts = &mut self.counts;
        counts.judgments += index.judgments() as u64;
        counts.rows += index.row_count() as u64;
        for at in 0..index.judgments() as u32 {
            match index.columns.failure(at) {
                Some(kind) => *counts.failures.entry(kind.name().into()).or_default() += 1,
                None => counts.verdicts += 1,
            }
        }
        for row in 0..index.row_count() as u32 {
            let facts = index.facts(row);
            counts.flipped += u64::from(facts.flipped);
            counts.split += u64::from(facts.split);
            if let (Some(label), Some(outcome)) = (index.people_of(row), facts.outcome) {
                counts.people.compared += 1;
                counts.people.disagree += u64::from(label != outcome);
            }
            if let (Some(b), Some(p)) = (facts.b, facts.p) {
                let pair = u64::from(facts.a) << 32 | u64::from(b);
                let cell = self.cells.entry(pair).or_default();
                (cell.a, cell.b) = (facts.a, b);
                cell.n += 1;
                cell.share += p;
                let cells = index.cells(row);
                if let ([Some(ab), Some(ba)], false) = (cells.chances(), cells.is_of_one_prompt()) {
                    cell.both += 1;
                    let is_same = Side::of(ab) == Side::of(ba) && !facts.flipped;
                    cell.consistent += u64::from(is_same);
                }
            }
        }
    }

    /// Returns how many judgments were added.
    pub(crate) fn judgments(&self) -> u64 {
        self.counts.judgments
    }

    /// Returns how many pairs of systems there are.
    pub(crate) fn pairs(&self) -> usize {
        self.cells.len()
    }

    /// Returns the sums of a run that made so many calls.
    pub(crate) fn counts(&self, calls: u64) -> Counts {
        Counts {
            calls,
            ..self.counts.clone()
        }
    }

    /// Compares each pair of systems that was judged, in the order of the systems.
    pub(crate) fn matrix(&self) -> Vec<MatrixCell> {
        let cells = self.cells.values().map(|cell| MatrixCell {
            share: cell.share / cell.n as f64,
            ..*cell
        });
        cells.collect()
    }
}
