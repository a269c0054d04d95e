//! Files to one count for each pair of systems.

use super::blocks::{Block, Merge, Options, Totals, for_each_block, read};
use super::chunk::Chunk;
use super::columns::{self, Column, Plan};
use super::error::Error;
use super::outcomes::Outcome;
use super::rows::Rows;
use super::source::Source;

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

/// Sums of weights over all rows, by what the file says of the first and the second system of a
/// row.
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

/// How the battles of each pair of systems ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// The systems, in order of first appearance, the first system of a row before the second; at
    /// most [`MAX_SYSTEMS`](super::MAX_SYSTEMS).
    pub names: Vec<String>,
    /// The pairs with a weight above 0, in order of `a`, then of `b`.
    pub pairs: Vec<PairCount>,
    /// How many rows were read.
    pub rows: u64,
    /// Over all pairs.
    pub totals: OutcomeTotals,
    /// Whether a row had another weight than 1. For a file of counts: whether a count was no whole
    /// number.
    pub weighted: bool,
}

/// Counts the battles of each pair. Memory grows with the square of the number of systems, not with
/// the rows. Weights are added in the order of the rows. Clusters and covariates are not read.
///
/// # Errors
/// The first error in the order of the files: see [`Problem`](super::Problem).
pub fn read_counts(sources: &mut [Source], options: &Options) -> Result<Counts, Error> {
    let mut options = options.clone();
    options.columns.cluster = Column::Ignored;
    options.columns.covariates.clear();
    let mut tally = Tally::default();
    let Totals { names, rows, .. } =
        for_each_block(sources, &options, |block| tally.add_block(block))?;
    Ok(tally.finish(names, rows))
}

/// Reads files of counts: columns `model_a`, `model_b`, `wins_a`, `wins_b`, `ties`, and `both_bad`
/// if there is one. Rows of the same pair, in either order, are added.
///
/// # Errors
/// The first error in the order of the files: see [`Problem`](super::Problem).
pub fn read_tallied(sources: &mut [Source], options: &Options) -> Result<Counts, Error> {
    let (mut merge, mut tally) = (Merge::default(), Tally::default());
    for source in sources {
        let plan = |header: &[String], json| columns::counts(&options.columns, header, json);
        read(
            source,
            options,
            plan,
            &mut merge,
            &mut |plan, merge, chunk| tally.add_counts(plan, merge, chunk),
        )?;
    }
    Ok(tally.finish(merge.names, merge.rows))
}

impl Rows {
    /// The counts of the rows, as [`read_counts`] would have given them.
    pub fn counts(&self) -> Counts {
        let mut tally = Tally::default();
        let weight = self.weight.as_deref().unwrap_or_default();
        let Rows {
            names,
            a,
            b,
            outcome,
            ..
        } = self;
        tally.add_block(&Block {
            names,
            a,
            b,
            outcome,
            weight,
            cluster: &[],
            covariates: &[],
        });
        tally.finish(names.clone(), a.len() as u64)
    }
}

/// Sums of weights, by pair and outcome.
#[derive(Debug, Default)]
struct Tally {
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
    fn add(&mut self, a: u16, b: u16, outcome: Outcome, weight: f64) {
        let (low, high) = (usize::from(a.min(b)), usize::from(a.max(b)));
        let seen = SEEN[usize::from(a > b)][outcome as usize];
        if let Some(pair) = self.pairs.get_mut(high * high.saturating_sub(1) / 2 + low) {
            pair[seen] += weight;
        }
    }

    fn add_block(&mut self, block: &Block<'_>) {
        self.make_room(block.names.len());
        let rows = block.a.iter().zip(block.b).zip(block.outcome);
        if block.weight.is_empty() {
            rows.for_each(|((&a, &b), &outcome)| self.add(a, b, outcome, 1.0));
            let counts = OUTCOMES.map(|outcome| {
                block
                    .outcome
                    .iter()
                    .filter(|&&found| found == outcome)
                    .count()
            });
            self.totals
                .iter_mut()
                .zip(counts)
                .for_each(|(total, count)| *total += count as f64);
            return;
        }
        for (((&a, &b), &outcome), &weight) in rows.zip(block.weight) {
            self.add(a, b, outcome, weight);
            self.totals[outcome as usize] += weight;
            self.weighted |= weight != 1.0;
        }
    }

    fn add_counts(&mut self, plan: &Plan, merge: &Merge, chunk: &Chunk) {
        self.make_room(merge.names.len());
        let outcomes = [Outcome::A, Outcome::B, Outcome::Tie, Outcome::BothBad];
        debug_assert_eq!(chunk.numbers.len() + 2, plan.fields.len());
        for (outcome, counts) in outcomes.into_iter().zip(&chunk.numbers) {
            for ((&a, &b), &count) in chunk.a.iter().zip(&chunk.b).zip(counts) {
                self.add(a, b, outcome, count);
                self.totals[outcome as usize] += count;
                self.weighted |= count.fract() != 0.0;
            }
        }
    }

    fn finish(self, names: Vec<String>, rows: u64) -> Counts {
        let systems = 0..names.len() as u16;
        let pairs = systems
            .clone()
            .flat_map(|a| (a + 1..systems.end).map(move |b| (a, b)));
        let pairs = pairs.filter_map(|(a, b)| self.pair(a, b)).collect();
        let [first, ties, both_bad, second] = self.totals;
        Counts {
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

    fn pair(&self, a: u16, b: u16) -> Option<PairCount> {
        let at = usize::from(b) * usize::from(b).saturating_sub(1) / 2 + usize::from(a);
        let &[wins_a, ties, both_bad, wins_b] = self.pairs.get(at)?;
        let some = wins_a + ties + both_bad + wins_b > 0.0;
        some.then_some(PairCount {
            a,
            b,
            wins_a,
            ties,
            both_bad,
            wins_b,
        })
    }
}

/// The outcomes in the order of their numbers.
const OUTCOMES: [Outcome; 4] = [Outcome::A, Outcome::Tie, Outcome::BothBad, Outcome::B];

/// The outcome as the lower system sees it, where it is the first of the row, and where it is the
/// second: a table, as a branch on which one it is could not be predicted.
const SEEN: [[usize; 4]; 2] = [[0, 1, 2, 3], [3, 1, 2, 0]];
