//! Files to counts for each cluster and pair of systems: all that intervals by item need, without
//! the rows.

use super::columns::Options;
use super::counts::{Counts, SEEN, Tally};
use super::merge::Merge;
use super::plan::{Part, Plan, Planner};
use super::read_file::{TableKind, read_files};
use super::source::BattleSource;
use crate::error::DataError;
use crate::outcomes::BattleOutcome;
use std::collections::BTreeMap;

/// How the battles of two systems ended in one cluster, each as a sum of weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterCount {
    /// The cluster, numbered from 0 in order of first appearance.
    pub cluster: u32,
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

/// How the battles of each pair of systems ended, in all and in each cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterCounts {
    /// Over all clusters.
    pub counts: Counts,
    /// How many different clusters there are; None where the files have none.
    pub clusters: Option<u32>,
    /// The values of the clusters, by number, where they were to be kept.
    pub cluster_values: Vec<String>,
    cells: Cells,
}

impl ClusterCounts {
    /// Iterates over the pairs of each cluster with a weight above 0, in order of the cluster, of
    /// `a` and of `b`. There are none where a battle has another weight than 1
    /// ([`Counts::weighted`]).
    pub fn iter(&self) -> impl Iterator<Item = ClusterCount> {
        let runs = self.cells.keys.chunk_by(|x, y| x >> 8 == y >> 8);
        runs.map(|run| {
            let place = run.first().map_or(0, |key| key >> 8);
            let mut outcomes = [0.0; 4];
            for key in run {
                outcomes[(key >> 6) as usize & 3] += self.cells.count(*key);
            }
            let [wins_a, ties, both_bad, wins_b] = outcomes;
            ClusterCount {
                cluster: (place >> 24) as u32,
                a: (place >> 12) as u16 & 0xfff,
                b: place as u16 & 0xfff,
                wins_a,
                ties,
                both_bad,
                wins_b,
            }
        })
    }

    /// A number of pairs that [`ClusterCounts::iter`] does not exceed.
    pub fn most_pairs(&self) -> usize {
        self.cells.keys.len()
    }

    /// How many comparisons there are.
    pub fn total(&self) -> f64 {
        self.counts.totals.sum()
    }
}

/// Counts the battles of each pair in each cluster. Memory grows with what occurs of clusters,
/// pairs and outcomes, 8 bytes each, and not with the rows.
///
/// # Errors
/// The first error in the order of the files: see [`DataProblem`](crate::DataProblem).
pub fn read_cluster_counts(
    sources: &mut [BattleSource],
    options: &Options,
) -> Result<ClusterCounts, DataError> {
    let mut options = options.clone();
    options.columns.covariates.clear();
    let (mut tally, mut cells) = (Tally::default(), Cells::default());
    let mut has_clusters = false;
    let planner = Planner::new(&options.columns, TableKind::Battles, true);
    let merge = read_files(sources, &options, planner, &mut |plan, merge, chunk| {
        tally.add_chunk(plan, merge, chunk);
        has_clusters |= plan.position(Part::Cluster).is_some();
        if tally.is_weighted() {
            cells = Cells::default();
            return;
        }
        let rows = chunk.a.iter().zip(&chunk.b).zip(&chunk.outcome);
        for (((&a, &b), &outcome), &cluster) in rows.zip(&chunk.cluster) {
            cells.add(cluster, [a, b], outcome, 1.0);
        }
    })?;
    Ok(cells.finish(tally, merge, has_clusters, options.columns.keep_clusters))
}

/// Reads files of counts by cluster: the columns of [`read_tallied`](super::read_tallied), and one
/// of the clusters. Rows of the same cluster and pair, in either order, are added.
///
/// # Errors
/// The first error in the order of the files: see [`DataProblem`](crate::DataProblem).
pub fn read_tallied_clusters(
    sources: &mut [BattleSource],
    options: &Options,
) -> Result<ClusterCounts, DataError> {
    let (mut tally, mut cells) = (Tally::default(), Cells::default());
    let mut has_clusters = false;
    let planner = Planner::new(&options.columns, TableKind::Counts, false);
    let merge = read_files(
        sources,
        options,
        planner,
        &mut |plan: &Plan, merge, chunk| {
            tally.add_counts(merge, chunk);
            has_clusters |= plan.position(Part::Cluster).is_some();
            for (outcome, counts) in COUNTED.into_iter().zip(&chunk.numbers) {
                let rows = chunk.a.iter().zip(&chunk.b).zip(counts);
                for (((&a, &b), &count), &cluster) in rows.zip(&chunk.cluster) {
                    cells.add(cluster, [a, b], outcome, count);
                }
            }
        },
    )?;
    Ok(cells.finish(tally, merge, has_clusters, options.columns.keep_clusters))
}

/// The outcomes in the order of the columns of a file of counts.
pub(super) const COUNTED: [BattleOutcome; 4] = [
    BattleOutcome::A,
    BattleOutcome::B,
    BattleOutcome::Tie,
    BattleOutcome::BothBad,
];

/// Sums of weights by cluster, pair and outcome.
///
/// A key is, from its highest bit: the cluster (32 bits), the lower and the higher system (12 bits
/// each), the outcome as the lower sees it (2 bits), and the count (6 bits). What is no whole
/// number up to 62 stands in a table of its own.
#[derive(Clone, Debug, Default, PartialEq)]
struct Cells {
    keys: Vec<u64>,
    /// How many of the keys are sorted, and are different but for their count.
    merged: usize,
    large: BTreeMap<u64, f64>,
}

/// The bits of the count.
const COUNT: u64 = 0x3f;
/// How many keys are added before they are put together.
const LEAST: usize = 1 << 20;

impl Cells {
    #[inline]
    fn add(&mut self, cluster: u32, [a, b]: [u16; 2], outcome: BattleOutcome, count: f64) {
        let seen = SEEN[usize::from(a > b)][outcome as usize] as u64;
        let pair = (u64::from(a.min(b)) << 12) | u64::from(a.max(b));
        let key = (u64::from(cluster) << 32) | (pair << 8) | (seen << 6);
        if count == 1.0 {
            self.keys.push(key | 1);
        } else if count > 0.0 {
            self.push_sum(key, count);
        }
        // Twice the room of what is there: each key is sorted a few times at most.
        if self.keys.len() >= LEAST.max(2 * self.merged) {
            self.merge();
        }
    }

    /// Adds a key of this count, which is then no part of it.
    fn push_sum(&mut self, key: u64, count: f64) {
        if count.fract() == 0.0 && count < COUNT as f64 {
            self.keys.push(key | count as u64);
        } else {
            *self.large.entry(key).or_insert(0.0) += count;
            self.keys.push(key | COUNT);
        }
    }

    /// Returns the count of a key, once keys are put together.
    fn count(&self, key: u64) -> f64 {
        match key & COUNT {
            COUNT => self.large.get(&(key & !COUNT)).copied().unwrap_or(0.0),
            count => count as f64,
        }
    }

    /// Sorts the keys, and adds up those that are the same but for their count.
    fn merge(&mut self) {
        let mut keys = std::mem::take(&mut self.keys);
        // Most are sorted: rows of a cluster often follow one another.
        keys.sort();
        let mut kept = 0;
        let mut at = 0;
        while let Some(&first) = keys.get(at) {
            let key = first & !COUNT;
            let (mut count, mut is_large) = (0, false);
            while let Some(&next) = keys.get(at).filter(|next| **next & !COUNT == key) {
                match next & COUNT {
                    COUNT => is_large = true,
                    more => count += more,
                }
                at += 1;
            }
            keys[kept] = key | count.min(COUNT);
            if is_large || count >= COUNT {
                *self.large.entry(key).or_insert(0.0) += count as f64;
                keys[kept] = key | COUNT;
            }
            kept += 1;
        }
        keys.truncate(kept);
        self.merged = kept;
        self.keys = keys;
    }

    fn finish(
        mut self,
        tally: Tally,
        merge: Merge,
        has_clusters: bool,
        keep_clusters: bool,
    ) -> ClusterCounts {
        self.merge();
        self.keys.shrink_to_fit();
        let values = merge.clusters.iter().filter(|_| keep_clusters);
        ClusterCounts {
            cluster_values: values
                .map(|value| String::from_utf8_lossy(value).into_owned())
                .collect(),
            clusters: has_clusters.then_some(merge.clusters.len() as u32),
            counts: tally.finish(merge.names, merge.rows, merge.dropped, merge.skipped),
            cells: self,
        }
    }
}
