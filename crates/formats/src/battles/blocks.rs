//! Files to blocks of rows, in the order of the files, under numbers that hold for all of them.

use super::chunk::Chunk;
use super::columns::Options;
use super::merge::Merge;
use super::plan::{Part, Plan, Planner};
use super::read_file::{TableKind, read_files};
use super::source::BattleSource;
use crate::error::DataError;
use crate::outcomes::BattleOutcome;

/// Rows that follow one another in a file. All columns have the same length, or are empty as
/// stated.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The names of all systems so far, in order of first appearance.
    pub names: &'a [String],
    /// The first system of each row, as its position in `names`.
    pub a: &'a [u16],
    /// The second system; never the first.
    pub b: &'a [u16],
    /// How the battle ended.
    pub outcome: &'a [BattleOutcome],
    /// How much the row counts: finite and at least 0. Empty: 1 each.
    pub weight: &'a [f64],
    /// The row's cluster, numbered by first appearance over all files. Empty: the file has none.
    pub cluster: &'a [u32],
    /// The number of the row's label, by first appearance over all files. Empty: none is kept.
    pub label: &'a [u32],
    /// One column for each covariate, and then, for each column of texts, one for each count.
    pub covariates: &'a [Vec<f64>],
}

/// The contents of all blocks together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The systems, in order of first appearance.
    pub names: Vec<String>,
    /// How many rows there were, without those that are dropped.
    pub rows: u64,
    /// How many rows are left out because the word for their outcome says so.
    pub dropped: u64,
    /// What is wrong with each row that is left out because it cannot be read.
    pub skipped: Vec<DataError>,
    /// How many different clusters there were.
    pub clusters: u32,
    /// Their values, by number, where they were to be kept.
    pub cluster_values: Vec<String>,
    /// The labels, by number.
    pub label_values: Vec<String>,
}

/// Hands the rows of the files over, block by block and in order, while later blocks are being
/// parsed.
///
/// Memory is bounded but for the names of systems and clusters. A file whose error is met late has
/// had its earlier blocks handed over. The first file decides whether there is a cluster: where
/// [`Column::Auto`](super::Column) found one, every later file must have one of that name.
///
/// # Errors
/// The first error in the order of the files: see [`DataProblem`](crate::DataProblem).
pub fn for_each_block(
    sources: &mut [BattleSource],
    options: &Options,
    mut take: impl FnMut(&Block<'_>),
) -> Result<Totals, DataError> {
    let mut hand_over = |plan: &Plan, merge: &Merge, chunk: &Chunk| {
        let weights = usize::from(plan.position(Part::Weight).is_some());
        let (weight, covariates) = chunk.numbers.split_at(weights.min(chunk.numbers.len()));
        take(&Block {
            names: &merge.names,
            a: &chunk.a,
            b: &chunk.b,
            outcome: &chunk.outcome,
            weight: weight.first().map_or(&[], Vec::as_slice),
            cluster: &chunk.cluster,
            label: &chunk.label,
            covariates,
        });
    };
    let planner = Planner::new(&options.columns, TableKind::Battles, false);
    let merge = read_files(sources, options, planner, &mut hand_over)?;
    let keep_clusters = options.columns.keep_clusters;
    let values = merge.clusters.iter().filter(|_| keep_clusters);
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    Ok(Totals {
        cluster_values: values.map(text).collect(),
        label_values: merge.labels.iter().map(text).collect(),
        clusters: merge.clusters.len() as u32,
        names: merge.names,
        rows: merge.rows,
        dropped: merge.dropped,
        skipped: merge.skipped,
    })
}
