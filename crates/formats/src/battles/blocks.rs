//! Files to blocks of rows, in the order of the files, under numbers that hold for all of them.

use super::chunk::{Chunk, MAX_SYSTEMS};
use super::columns::{self, Columns, Part, Plan};
use super::error::{At, Error, Problem};
use super::feed::{Feed, Format};
use super::intern::Interner;
use super::outcomes::{Outcome, Signs};
use super::parallel::{Job, in_order};
use super::source::{Container, Source};
use super::{csv, jsonl};
use std::sync::Arc;

/// How files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which columns are read.
    pub columns: Columns,
    /// How many threads parse, beside the caller's, which takes what they parsed; at least 1. The
    /// result is the same for any number.
    pub threads: usize,
    /// How many bytes of text a thread parses at a time. The result is the same for any number.
    pub chunk_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            columns: Columns::default(),
            threads: 2,
            chunk_bytes: 256 << 10,
        }
    }
}

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
    /// What became of the battle.
    pub outcome: &'a [Outcome],
    /// How much the row counts: finite and at least 0. Empty: 1 each.
    pub weight: &'a [f64],
    /// The row's cluster, numbered by first appearance over all files. Empty: the file has none.
    pub cluster: &'a [u32],
    /// One column for each covariate, and then, for each column of texts, one for each count.
    pub covariates: &'a [Vec<f64>],
}

/// What the blocks together held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The systems, in order of first appearance.
    pub names: Vec<String>,
    /// How many rows there were.
    pub rows: u64,
    /// How many different clusters there were.
    pub clusters: u32,
}

/// Hands the rows of the files over, block by block and in order, while later blocks are being
/// parsed.
///
/// Memory is bounded but for the names of systems and clusters. A file whose error is met late has
/// had its earlier blocks handed over. The first file decides whether there is a cluster: where
/// [`Column::Auto`](super::Column) found one, every later file must have one of that name.
///
/// # Errors
/// The first error in the order of the files: see [`Problem`].
pub fn for_each_block(
    sources: &mut [Source],
    options: &Options,
    mut take: impl FnMut(&Block<'_>),
) -> Result<Totals, Error> {
    let (mut merge, mut unclear) = (Merge::default(), None);
    let mut options = options.clone();
    for source in sources {
        let plan = |header: &[String], json| columns::battles(&options.columns, header, json);
        let plan = read(
            source,
            &options,
            plan,
            &mut merge,
            &mut |plan, merge, chunk| {
                let weighted = usize::from(plan.position(Part::Weight).is_some());
                let (weight, covariates) =
                    chunk.numbers.split_at(weighted.min(chunk.numbers.len()));
                let weight = weight.first().map_or([].as_slice(), Vec::as_slice);
                let Chunk {
                    a,
                    b,
                    outcome,
                    cluster,
                    ..
                } = chunk;
                take(&Block {
                    names: &merge.names,
                    a,
                    b,
                    outcome,
                    weight,
                    cluster,
                    covariates,
                });
            },
        )?;
        fix_cluster(&mut options.columns, &plan);
        if merge.signs.unclear() && unclear.is_none() {
            unclear = Some(source.error(Problem::Signs {
                field: plan.name(2),
            }));
        }
    }
    if let Some(error) = unclear.filter(|_| merge.signs.unclear()) {
        return Err(error);
    }
    Ok(Totals {
        names: merge.names,
        rows: merge.rows,
        clusters: merge.clusters.len() as u32,
    })
}

fn fix_cluster(columns: &mut Columns, plan: &Plan) {
    let found = plan.fields.iter().find(|field| field.part == Part::Cluster);
    columns.cluster = found.map_or(super::Column::Ignored, |field| {
        super::Column::Named(field.name.clone())
    });
}

/// The numbers that hold for all files.
#[derive(Debug, Default)]
pub(super) struct Merge {
    pub(super) names: Vec<String>,
    pub(super) rows: u64,
    /// The signs among the outcomes so far.
    signs: Signs,
    /// How many rows were met, those that a filter leaves out included.
    met: u64,
    systems: Interner,
    clusters: Interner,
    /// A chunk's numbers to ours.
    map: Vec<u16>,
    cluster_map: Vec<u32>,
}

impl Merge {
    /// Gives the rows of a chunk the numbers that hold for all.
    fn renumber(&mut self, chunk: &mut Chunk, plan: &Plan) -> Result<(), Problem> {
        self.map.clear();
        for name in chunk.systems.iter() {
            let (number, new) = self.systems.intern(name);
            if new {
                self.names.push(String::from_utf8_lossy(name).into_owned());
            }
            self.map.push(number as u16);
        }
        if self.names.len() > MAX_SYSTEMS {
            return Err(Problem::TooManySystems {
                limit: MAX_SYSTEMS,
                field: plan.name(0),
            });
        }
        for system in chunk.a.iter_mut().chain(&mut chunk.b) {
            *system = self
                .map
                .get(usize::from(*system))
                .copied()
                .unwrap_or_default();
        }
        self.renumber_clusters(chunk, plan)
    }

    fn renumber_clusters(&mut self, chunk: &mut Chunk, plan: &Plan) -> Result<(), Problem> {
        self.cluster_map.clear();
        self.cluster_map.extend(
            chunk
                .clusters
                .iter()
                .map(|value| self.clusters.intern(value).0),
        );
        if self.clusters.len() >= u32::MAX as usize {
            let field = plan
                .position(Part::Cluster)
                .map_or_else(String::new, |field| plan.name(field));
            return Err(Problem::TooManyClusters {
                limit: u32::MAX,
                field,
            });
        }
        for cluster in &mut chunk.cluster {
            *cluster = self
                .cluster_map
                .get(*cluster as usize)
                .copied()
                .unwrap_or_default();
        }
        Ok(())
    }
}

/// Takes a chunk whose numbers hold for all files.
pub(super) type Take<'a> = dyn FnMut(&Plan, &Merge, &Chunk) + 'a;

/// Reads one file chunk by chunk, after the plan that is made of its header.
pub(super) fn read(
    source: &mut Source,
    options: &Options,
    plan: impl Fn(&[String], bool) -> Result<Plan, Problem>,
    merge: &mut Merge,
    take: &mut Take<'_>,
) -> Result<Plan, Error> {
    let (before, met) = (merge.rows, merge.met);
    let plan = match source.container()? {
        Container::Parquet => super::parquet::read(source, options, plan, merge, take)?,
        container => text(source, container, options, plan, merge, take)?,
    };
    match merge.rows > before {
        true => Ok(plan),
        false if merge.met > met => Err(source.error(Problem::NothingLeft {
            filter: plan.filter.to_string(),
        })),
        false => Err(source.error(Problem::NoRows)),
    }
}

fn text(
    source: &mut Source,
    container: Container,
    options: &Options,
    plan: impl Fn(&[String], bool) -> Result<Plan, Problem>,
    merge: &mut Merge,
    take: &mut Take<'_>,
) -> Result<Plan, Error> {
    let (name, separator) = (source.name.clone(), source.separator());
    let text = source.text(container);
    let feed = Feed::open(
        text,
        container == Container::Gzip,
        separator,
        options.chunk_bytes.max(1),
    );
    let mut feed = feed.map_err(|problem| problem.at(&name, At::File))?;
    let (format, mut lines) = (feed.format, feed.lines);
    let plan = plan(&feed.header, format == Format::Jsonl)
        .map_err(|problem| problem.at(&name, At::File))?;
    let next = |job: &mut Job| feed.next(&mut job.text);
    in_order(
        options.threads,
        next,
        |job| parse(format, &plan, job),
        |job| {
            let at = |lines_before| At::Line(lines + lines_before + 1);
            taken(job, &plan, &name, at, merge, take)?;
            lines += job.lines;
            Ok(())
        },
    )?;
    Ok(plan)
}

fn parse(format: Format, plan: &Plan, job: &mut Job) {
    job.chunk.clear(plan);
    let result = match format {
        Format::Csv { separator } => csv::read(&job.text, separator, plan, &mut job.chunk),
        Format::Jsonl => jsonl::read(&job.text, plan, &mut job.chunk),
    };
    job.fault = result.err();
    job.lines = memchr::memchr_iter(b'\n', &job.text).count() as u64;
}

/// Hands a parsed job over, or gives its error.
pub(super) fn taken(
    job: &mut Job,
    plan: &Plan,
    name: &Arc<str>,
    at: impl Fn(u64) -> At,
    merge: &mut Merge,
    take: &mut Take<'_>,
) -> Result<(), Error> {
    if let Some((before, problem)) = job.fault.take() {
        let at = if problem.is_of_file() {
            At::File
        } else {
            at(before)
        };
        return Err(problem.at(name, at));
    }
    merge
        .renumber(&mut job.chunk, plan)
        .map_err(|problem| problem.at(name, At::File))?;
    merge.rows += job.chunk.a.len() as u64;
    merge.met += job.chunk.met;
    merge.signs.merge(job.chunk.signs);
    if !job.chunk.a.is_empty() {
        take(plan, merge, &job.chunk);
    }
    Ok(())
}
