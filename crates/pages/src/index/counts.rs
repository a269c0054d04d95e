//! Sums over all judgments of a run.

use super::RunIndex;
use evenhand_core::Side;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Sums over a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
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
    pub failures: BTreeMap<&'static str, u64>,
    /// Calls of the run.
    pub calls: u64,
}

/// Rows that people have labelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PeopleCounts {
    /// Rows with a label.
    pub compared: u64,
    /// Of these, rows that ended otherwise.
    pub disagree: u64,
}

/// Two systems against each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
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
        let mut counts = Counts {
            judgments: self.judgments() as u64,
            rows: self.row_count() as u64,
            calls,
            ..Counts::default()
        };
        for at in 0..self.judgments() as u32 {
            match self.columns.failure(at) {
                Some(kind) => *counts.failures.entry(kind.name()).or_default() += 1,
                None => counts.verdicts += 1,
            }
        }
        for row in 0..self.row_count() as u32 {
            let facts = self.facts(row);
            counts.flipped += u64::from(facts.flipped);
            counts.split += u64::from(facts.split);
            if let (Some(label), Some(outcome)) = (self.people_of(row), facts.outcome) {
                counts.people.compared += 1;
                counts.people.disagree += u64::from(label != outcome);
            }
        }
        counts
    }

    /// Compares each pair of systems that was judged, in the order of the systems.
    pub fn matrix(&self) -> Vec<MatrixCell> {
        let mut cells = FxHashMap::<(u32, u32), MatrixCell>::default();
        for row in 0..self.row_count() as u32 {
            let facts = self.facts(row);
            if let (Some(b), Some(p)) = (facts.b, facts.p) {
                let cell = cells.entry((facts.a, b)).or_default();
                (cell.a, cell.b) = (facts.a, b);
                cell.n += 1;
                // A sum until all rows are added.
                cell.share += p;
                if let [Some(ab), Some(ba)] = self.cells(row).chances() {
                    cell.both += 1;
                    let is_same = Side::of(ab) == Side::of(ba) && !facts.flipped;
                    cell.consistent += u64::from(is_same);
                }
            }
        }
        let mut cells: Vec<MatrixCell> = cells.into_values().collect();
        for cell in &mut cells {
            cell.share /= cell.n as f64;
        }
        cells.sort_unstable_by_key(|cell| (cell.a, cell.b));
        cells
    }
}
