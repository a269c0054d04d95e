//! Files to blocks of rows, in the order of the files, under numbers that hold for all of them.

use super::chunk::Chunk;
use super::columns::{Column, Columns};
use super::error::{BattleProblem, Error};
use super::merge::{ChunkSink, Merge};
use super::options::Options;
use super::outcomes::Outcome;
use super::plan::{Part, Plan, plan_battles};
use super::read_file::read_file;
use super::source::BattleSource;

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
    pub outcome: &'a [Outcome],
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
    pub skipped: Vec<Error>,
    /// How many different clusters there were.
    pub clusters: u32,
    /// Their values, by number, where they were to be kept.
    pub cluster_values: Vec<String>,
}

impl<'a> Block<'a> {
    fn of_chunk(plan: &Plan, merge: &'a Merge, chunk: &'a Chunk) -> Self {
        let weights = usize::from(plan.position(Part::Weight).is_some());
        let (weight, covariates) = chunk.numbers.split_at(weights.min(chunk.numbers.len()));
        Block {
            names: &merge.names,
            a: &chunk.a,
            b: &chunk.b,
            outcome: &chunk.outcome,
            weight: weight.first().map_or(&[], Vec::as_slice),
            cluster: &chunk.cluster,
            covariates,
        }
    }
}

/// Hands the rows of the files over, block by block and in order, while later blocks are being
/// parsed.
///
/// Memory is bounded but for the names of systems and clusters. A file whose error is met late has
/// had its earlier blocks handed over. The first file decides whether there is a cluster: where
/// [`Column::Auto`](super::Column) found one, every later file must have one of that name.
///
/// # Errors
/// The first error in the order of the files: see [`BattleProblem`].
pub fn for_each_block(
    sources: &mut [BattleSource],
    options: &Options,
    mut take: impl FnMut(&Block<'_>),
) -> Result<Totals, Error> {
    let (mut merge, mut unclear) = (Merge::default(), None);
    let mut options = options.clone();
    let mut hand_over = |plan: &Plan, merge: &Merge, chunk: &Chunk| {
        take(&Block::of_chunk(plan, merge, chunk));
    };
    for source in sources {
        let mut sink = ChunkSink {
            merge: &mut merge,
            take: &mut hand_over,
        };
        let plan = read_battles(source, &options, &mut sink)?;
        fix_cluster(&mut options.columns, &plan);
        unclear = unclear.or_else(|| unclear_signs(source, &plan, &merge));
    }
    // A later file may have had the -1 that tells what 0 means.
    match unclear.filter(|_| merge.signs.are_unclear()) {
        Some(error) => Err(error),
        None => Ok(Totals::of_merge(merge, options.columns.keep_clusters)),
    }
}

/// Returns the error for outcomes of which it is not known so far what they mean.
fn unclear_signs(source: &BattleSource, plan: &Plan, merge: &Merge) -> Option<Error> {
    // The outcome comes after the two systems.
    let field = plan.field_name(2);
    let problem = BattleProblem::Signs { field };
    let is_unclear = merge.signs.are_unclear();
    is_unclear.then(|| source.file_error(problem))
}

impl Totals {
    fn of_merge(merge: Merge, keep_clusters: bool) -> Self {
        let values = keep_clusters.then(|| merge.cluster_values());
        Totals {
            clusters: merge.cluster_count(),
            cluster_values: values.unwrap_or_default(),
            names: merge.names,
            rows: merge.rows,
            dropped: merge.dropped,
            skipped: merge.skipped,
        }
    }
}

fn read_battles(
    source: &mut BattleSource,
    options: &Options,
    sink: &mut ChunkSink<'_>,
) -> Result<Plan, Error> {
    let make_plan = |header: &[String], json| plan_battles(&options.columns, header, json);
    read_file(source, options, &make_plan, sink)
}

/// Holds the later files to the cluster that this one has.
fn fix_cluster(columns: &mut Columns, plan: &Plan) {
    let found = plan.fields.iter().find(|field| field.part == Part::Cluster);
    columns.cluster = match found {
        Some(field) => Column::Named(field.name.clone()),
        None => Column::Ignored,
    };
}
