//! Files to blocks of rows, in the order of the files, under numbers that hold for all of them.

use super::chunk::Chunk;
use super::columns::{Column, Options};
use super::merge::{ChunkSink, Merge};
use super::plan::{Part, Plan, plan_battles};
use super::read_file::read_file;
use super::source::BattleSource;
use crate::error::{DataError, DataProblem};
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
}

/// Hands the rows of the files over, block by block and in order, while later blocks are being
/// parsed.
///
/// Memory is bounded but for the names of systems and clusters. A file whose error is met late has
/// had its earlier blocks handed over. The first file decides whether there is a cluster: where
/// [`Column::Auto`](super::Column) found one, every later file must have one of that name.
///
/// # Errors
/// The first error in the order of the files: see [`DataProblem`].
pub fn for_each_block(
    sources: &mut [BattleSource],
    options: &Options,
    mut take: impl FnMut(&Block<'_>),
) -> Result<Totals, DataError> {
    let (mut merge, mut unclear) = (Merge::default(), None);
    let mut options = options.clone();
    let keep_clusters = options.columns.keep_clusters;
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
            covariates,
        });
    };
    for source in sources {
        let mut sink = ChunkSink {
            merge: &mut merge,
            skip_bad: options.columns.skip_bad,
            take: &mut hand_over,
        };
        let make_plan = |header: &[String], json| plan_battles(&options.columns, header, json);
        let plan = read_file(source, &options, &make_plan, &mut sink)?;
        // The later files are held to the cluster that this one has.
        options.columns.cluster = match plan.position(Part::Cluster) {
            Some(field) => Column::Named(plan.field_name(field)),
            None => Column::Ignored,
        };
        if unclear.is_none() && merge.signs.are_unclear() {
            // The outcome comes after the two systems.
            let field = plan.field_name(2);
            unclear = Some(source.file_error(DataProblem::Signs { field }));
        }
    }
    // A later file may have had the -1 that tells what 0 means.
    if let Some(error) = unclear.filter(|_| merge.signs.are_unclear()) {
        return Err(error);
    }
    let values = merge.clusters.iter().filter(|_| keep_clusters);
    let values = values.map(|value| String::from_utf8_lossy(value).into_owned());
    Ok(Totals {
        cluster_values: values.collect(),
        clusters: merge.clusters.len() as u32,
        names: merge.names,
        rows: merge.rows,
        dropped: merge.dropped,
        skipped: merge.skipped,
    })
}
