//! Files to rows in memory, by columns.

use super::blocks::{Block, for_each_block};
use super::columns::Options;
use super::source::BattleSource;
use crate::error::DataError;
use crate::outcomes::BattleOutcome;

/// The rows of some files, in order. All columns have the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// How many rows are left out because the word for their outcome says so.
    pub dropped: u64,
    /// What is wrong with each row that is left out because it cannot be read.
    pub skipped: Vec<DataError>,
    /// The systems, in order of first appearance.
    pub names: Vec<String>,
    /// The first system of each row, as its position in `names`.
    pub a: Vec<u16>,
    /// The second system; never the first.
    pub b: Vec<u16>,
    /// How the battle ended.
    pub outcome: Vec<BattleOutcome>,
    /// How much the row counts: finite and at least 0. None where every row counts 1.
    pub weight: Option<Vec<f64>>,
    /// The row's cluster, numbered from 0 in order of first appearance. None where the files have
    /// none.
    pub cluster: Option<Vec<u32>>,
    /// How many different clusters there are.
    pub clusters: u32,
    /// The values of the clusters, by number, where they were to be kept.
    pub cluster_values: Vec<String>,
    /// The number of each row's label, its value of the column that was to be kept; empty where
    /// none was.
    pub label: Vec<u32>,
    /// The labels, by number; an empty one stands for none.
    pub label_values: Vec<String>,
    /// One column for each covariate asked for, in that order; then, for each column of texts, one
    /// for each count; finite.
    pub covariates: Vec<Vec<f64>>,
}

/// Reads all rows. A row takes 5 bytes, and 8 for a weight, 4 for a cluster, 8 for each covariate
/// and each count; texts are not kept.
///
/// Values of the cluster's column are compared as they are written in the file (numbers of JSON and
/// Parquet as the shortest decimal), over all files.
///
/// # Errors
/// The first error in the order of the files: see [`DataProblem`](crate::DataProblem).
pub fn read_rows(sources: &mut [BattleSource], options: &Options) -> Result<Rows, DataError> {
    let columns = &options.columns;
    let numbers = columns.covariates.len() + columns.texts.len() * columns.counted.len();
    let mut rows = Rows {
        covariates: vec![Vec::new(); numbers],
        ..Rows::default()
    };
    let totals = for_each_block(sources, options, |block| rows.add_block(block))?;
    Ok(Rows {
        dropped: totals.dropped,
        skipped: totals.skipped,
        names: totals.names,
        clusters: totals.clusters,
        cluster_values: totals.cluster_values,
        label_values: totals.label_values,
        ..rows
    })
}

impl Rows {
    fn add_block(&mut self, block: &Block<'_>) {
        // Before the rows themselves: earlier rows count 1 if no weight was met so far.
        if self.weight.is_some() || block.weight.iter().any(|&weight| weight != 1.0) {
            let weights = self.weight.get_or_insert_with(|| vec![1.0; self.a.len()]);
            weights.extend_from_slice(block.weight);
            weights.resize(self.a.len() + block.a.len(), 1.0);
        }
        self.a.extend_from_slice(block.a);
        self.b.extend_from_slice(block.b);
        self.outcome.extend_from_slice(block.outcome);
        if !block.cluster.is_empty() {
            let clusters = self.cluster.get_or_insert_default();
            clusters.extend_from_slice(block.cluster);
        }
        self.label.extend_from_slice(block.label);
        for (column, more) in self.covariates.iter_mut().zip(block.covariates) {
            column.extend_from_slice(more);
        }
    }
}
