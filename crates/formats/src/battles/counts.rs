//! Files to one count for each pair of systems.

use super::blocks::Block;
use super::chunk::Chunk;
use super::clusters::COUNTED;
use super::columns::{Column, Options};
use super::merge::Merge;
use super::plan::{Part, Plan, Planner};
use super::read_file::{TableKind, read_files};
use super::rows::Rows;
use super::source::BattleSource;
use crate::error::DataError;
use crate::outcomes::BattleOutcome;

/// How the battles of two systems ended, each as a sum of weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairCount {
    /// A system, as its position among the names.
    pub a: u16,
    /// The other; `a < b`.
    pub b: u16,
    /// Won by `a`, in whichever position it was shown.
    pub wins_a: f64,
    /// Ties, without those where both were bad.
    pub ties: f64,
    /// Ties where both were bad.
    pub both_bad: f64,
    /// Won by `b`.
    pub wins_b: f64,
}

/// Sums of weights over all rows, by the first and the second system of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutcomeTotals {
    /// Won by the first system.
    pub first: f64,
    /// Ties, without those where both were bad.
    pub ties: f64,
    /// Ties where both were bad.
    pub both_bad: f64,
    /// Won by the second system.
    pub second: f64,
}

impl OutcomeTotals {
    /// Returns the sum of them all.
    pub fn sum(&self) -> f64 {
        self.first + self.ties + self.both_bad + self.second
    }
}

/// How the battles of each pair of systems ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// The systems, in order of first appearance, the first system of a row before the second; at
    /// most [`MAX_SYSTEMS`](super::MAX_SYSTEMS).
    pub names: Vec<String>,
    /// The pairs with a weight above 0, in order of `a`, then of `b`.
    pub pairs: Vec<PairCount>,
    /// How many rows were read, without those that are dropped.
    pub rows: u64,
    /// How many rows are left out because the word for their outcome says so.
    pub dropped: u64,
    /// What is wrong with each row that is left out because it cannot be read.
    pub skipped: Vec<DataError>,
    /// Over all pairs.
    pub totals: OutcomeTotals,
    /// Whether a row had another weight than 1. For a file of counts: whether a count is not a
    /// whole number.
    pub weighted: bool,
}

/// Counts the battles of each pair. Memory grows with the square of the number of systems, not with
/// the rows. Weights are added in the order of the rows. Clusters and covariates are not read.
///
/// # Errors
/// The first error in the order of the files: see [`DataProblem`](crate::DataProblem).
pub fn read_counts(sources: &mut [BattleSource], options: &Options) -> Result<Counts, DataError> {
    let mut options = options.clone();
    options.columns.cluster = Column::Ignored;
    options.columns.covariates.clear();
    let mut tally = Tally::default();
    let planner = Planner::new(&options.columns, TableKind::Battles, true);
    let merge = read_files(sources, &options, planner, &mut |plan, merge, chunk| {
        tally.add_chunk(plan, merge, chunk);
    })?;
    Ok(tally.finish(merge.names, merge.rows, merge.dropped, merge.skipped))
}

/// Reads files of counts: columns `model_a`, `model_b`, `wins_a`, `wins_b`, `ties`, and `both_bad`
/// if there is one. Rows of the same pair, in either order, are added.
///
/// # Errors
/// The first error in the order of the files: see [`DataProblem`](crate::DataProblem).
pub fn read_tallied(sources: &mut [BattleSource], options: &Options) -> Result<Counts, DataError> {
    let mut columns = options.columns.clone();
    columns.cluster = Column::Ignored;
    let planner = Planner::new(&columns, TableKind::Counts, false);
    let mut tally = Tally::default();
    let merge = read_files(sources, options, planner, &mut |_, merge, chunk| {
        tally.add_counts(merge, chunk);
    })?;
    Ok(tally.finish(merge.names, merge.rows, merge.dropped, merge.skipped))
}

impl Rows {
    /// Counts the rows, as [`read_counts`] would have, each as often as its weight is worth.
    pub fn counts(&self, worth: impl Fn(f64) -> f64) -> Counts {
        let weight = self.weight.iter().flatten();
        let weight: Vec<f64> = weight.map(|weight| worth(*weight)).collect();
        let mut tally = Tally::default();
        tally.add_block(&Block {
            names: &self.names,
            a: &self.a,
            b: &self.b,
            outcome: &self.outcome,
            weight: &weight,
            cluster: &[],
            label: &[],
            covariates: &[],
        });
        let rows = self.a.len() as u64;
        tally.finish(self.names.clone(), rows, self.dropped, self.skipped.clone())
    }
}

/// Sums of weights, by pair and outcome.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// The pair of `low < high` is at `high (high - 1) / 2 + low`, so that a new system only adds
    /// to the end. Each has the outcomes of its lower system's view: won, tie, both bad, lost.
    pairs: Vec<[f64; 4]>,
    totals: [f64; 4],
    weighted: bool,
}

impl Tally {
    fn make_room(&mut self, systems: usize) {
        self.pairs
            .resize(systems * systems.saturating_sub(1) / 2, [0.0; 4]);
    }

    #[inline]
    fn add_battle(&mut self, a: u16, b: u16, outcome: BattleOutcome, weight: f64) {
        let seen = SEEN[usize::from(a > b)][outcome as usize];
        if let Some(pair) = self.pairs.get_mut(pair_index(a.min(b), a.max(b))) {
            pair[seen] += weight;
        }
    }

    fn add_block(&mut self, block: &Block<'_>) {
        self.make_room(block.names.len());
        let rows = block.a.iter().zip(block.b).zip(block.outcome);
        if !block.weight.is_empty() {
            for (((&a, &b), &outcome), &weight) in rows.zip(block.weight) {
                self.add_battle(a, b, outcome, weight);
                self.totals[outcome as usize] += weight;
                self.weighted |= weight != 1.0;
            }
            return;
        }
        // Without weights, rows count 1 each.
        for ((&a, &b), &outcome) in rows {
            self.add_battle(a, b, outcome, 1.0);
        }
        // A pass for each outcome is quicker than a sum that every row adds to, and as exact.
        for (total, outcome) in self.totals.iter_mut().zip(OUTCOMES) {
            let count = block.outcome.iter().filter(|&&found| found == outcome);
            *total += count.count() as f64;
        }
    }

    /// Adds the rows of a chunk, and those that were counted.
    pub(super) fn add_chunk(&mut self, plan: &Plan, merge: &Merge, chunk: &Chunk) {
        // Covariates are not read: the only numbers are weights.
        let has_weights = plan.position(Part::Weight).is_some();
        let weight = chunk.numbers.first().filter(|_| has_weights);
        self.add_block(&Block {
            names: &merge.names,
            a: &chunk.a,
            b: &chunk.b,
            outcome: &chunk.outcome,
            weight: weight.map_or(&[], Vec::as_slice),
            cluster: &[],
            label: &[],
            covariates: &[],
        });
        for cell in &chunk.cells {
            let rows = cell.rows as f64;
            self.add_battle(cell.a, cell.b, cell.outcome, rows);
            self.totals[cell.outcome as usize] += rows;
        }
    }

    /// Whether a row had another weight than 1 so far.
    pub(super) fn is_weighted(&self) -> bool {
        self.weighted
    }

    pub(super) fn add_counts(&mut self, merge: &Merge, chunk: &Chunk) {
        self.make_room(merge.names.len());
        for (outcome, counts) in COUNTED.into_iter().zip(&chunk.numbers) {
            for ((&a, &b), &count) in chunk.a.iter().zip(&chunk.b).zip(counts) {
                self.add_battle(a, b, outcome, count);
                self.totals[outcome as usize] += count;
                self.weighted |= count.fract() != 0.0;
            }
        }
    }

    pub(super) fn finish(
        self,
        names: Vec<String>,
        rows: u64,
        dropped: u64,
        skipped: Vec<DataError>,
    ) -> Counts {
        let systems = names.len() as u16;
        let mut pairs = Vec::new();
        for a in 0..systems {
            for b in a + 1..systems {
                let Some(&[wins_a, ties, both_bad, wins_b]) = self.pairs.get(pair_index(a, b))
                else {
                    continue;
                };
                if wins_a + ties + both_bad + wins_b > 0.0 {
                    pairs.push(PairCount {
                        a,
                        b,
                        wins_a,
                        ties,
                        both_bad,
                        wins_b,
                    });
                }
            }
        }
        let [first, ties, both_bad, second] = self.totals;
        Counts {
            dropped,
            skipped,
            names,
            pairs,
            rows,
            totals: OutcomeTotals {
                first,
                ties,
                both_bad,
                second,
            },
            weighted: self.weighted,
        }
    }
}

/// Returns where the pair of two systems is: after all pairs of systems before the higher one.
#[inline]
fn pair_index(low: u16, high: u16) -> usize {
    let (low, high) = (usize::from(low), usize::from(high));
    high * high.saturating_sub(1) / 2 + low
}

/// The outcomes in the order of their numbers.
const OUTCOMES: [BattleOutcome; 4] = [
    BattleOutcome::A,
    BattleOutcome::Tie,
    BattleOutcome::BothBad,
    BattleOutcome::B,
];

/// The outcome as the lower system sees it, where it is the first of the row, and where it is the
/// second: a table, as a branch on which one it is could not be predicted.
pub(super) const SEEN: [[usize; 4]; 2] = [[0, 1, 2, 3], [3, 1, 2, 0]];
