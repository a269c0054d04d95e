//! One file, chunk by chunk, and what it holds by its first bytes and its header or first object.

use super::chunk::Chunk;
use super::columns::{Column, Columns, Options};
use super::csv;
use super::feed::{Feed, TextFormat};
use super::jsonl;
use super::merge::{ChunkSink, Merge};
use super::parallel::in_order;
use super::plan::{Plan, Planner, plan_battles, plan_counts};
use super::source::BattleSource;
use crate::error::{At, DataError, DataProblem};
use crate::source::container::Opened;
use crate::source::csv::{count_lines, is_tsv};

/// Reads files chunk by chunk, in their order, by the plans that are made of their headers. Parquet
/// files that follow one another are read together.
///
/// # Errors
/// The first problem in the order of the files; that no file has rows.
pub(super) fn read_files(
    sources: &mut [BattleSource],
    options: &Options,
    mut planner: Planner,
    take: &mut dyn FnMut(&Plan, &Merge, &Chunk),
) -> Result<Merge, DataError> {
    let mut merge = Merge::default();
    let mut sink = ChunkSink {
        merge: &mut merge,
        skip_bad: options.columns.skip_bad,
        take,
    };
    let mut rest = sources;
    while !rest.is_empty() {
        let mut run = 0;
        while rest.get_mut(run).is_some_and(BattleSource::is_parquet) {
            run += 1;
        }
        let (files, later) = rest.split_at_mut(run.max(1));
        match (run, files.first_mut()) {
            (0, Some(source)) => {
                let plan = read_source(source, options, &mut planner, &mut sink)?;
                sink.end_file(&plan, source)?;
            }
            _ => super::parquet::read_files(files, options, &mut planner, &mut sink)?,
        }
        rest = later;
    }
    let are_empty = merge.rows == 0 && merge.dropped == 0;
    if let Some(first) = merge.skipped.iter().position(DataError::is_of_file)
        && are_empty
    {
        return Err(merge.skipped.swap_remove(first));
    }
    // A later file may have had the -1 that tells what 0 means.
    let unclear = merge.unclear.take();
    match unclear.filter(|_| merge.signs.are_unclear()) {
        Some(error) => Err(error),
        None => Ok(merge),
    }
}

fn read_source(
    source: &mut BattleSource,
    options: &Options,
    planner: &mut Planner,
    sink: &mut ChunkSink<'_>,
) -> Result<Plan, DataError> {
    #[cfg(feature = "arrow")]
    if let Some(table) = &source.table {
        return super::table::read_table(source, table, options, planner, sink);
    }
    let text = match source.open()? {
        // It was no Parquet file a moment ago.
        Opened::Parquet(_) => return Err(source.file_error(DataProblem::NoRows)),
        Opened::Foreign(foreign) => return Err(source.file_error(DataProblem::Foreign(foreign))),
        Opened::Text(text) => text,
    };
    let mut feed = Feed::open(text, is_tsv(&source.name), options.chunk_bytes.max(1))
        .map_err(|problem| source.file_error(problem))?;
    let (format, mut lines, by_row) = (feed.format, feed.lines, feed.by_row);
    let plan = planner.plan(&feed.header, format == TextFormat::Jsonl);
    let plan = plan.map_err(|problem| source.file_error(problem))?;
    let mut pieces = 0;
    // Text has no rows that can be counted before it is read: a short one has 64 bytes.
    let enough = options.beginning.map_or(u64::MAX, |rows| {
        rows.saturating_mul(64)
            .div_ceil(options.chunk_bytes.max(1) as u64)
    });
    in_order(
        options.threads,
        |job| {
            pieces += 1;
            Ok(pieces <= enough && feed.next_piece(&mut job.text)?)
        },
        |job| {
            job.chunk.clear(&plan);
            let parsed = match format {
                TextFormat::Csv { separator } => {
                    csv::parse_rows(&job.text, separator, &plan, &mut job.chunk)
                }
                TextFormat::Jsonl => jsonl::parse_lines(&job.text, &plan, &mut job.chunk),
            };
            job.fault = parsed.err();
            job.lines = count_lines(&job.text);
        },
        |job| {
            sink.accept(job, &plan, source, |before| {
                let line = lines + before + 1;
                // Records that go over lines, or share one, are told apart by their number.
                if by_row {
                    At::Row(line)
                } else {
                    At::Line(line)
                }
            })?;
            lines += job.lines;
            Ok(())
        },
    )?;
    Ok(plan)
}

/// The kind of rows that a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// A battle a row.
    Battles,
    /// A pair of systems a row, with counts.
    Counts,
}

/// Returns whether a file has the usual columns of battles or of counts; one of battles may have a
/// column twice, which its reader refuses. `None` if neither, or if it cannot be read: whoever
/// reads it then says why.
pub fn detect_table(source: &mut BattleSource) -> Option<TableKind> {
    let header = read_header(source)?;
    let columns = Columns {
        cluster: Column::Ignored,
        ..Columns::default()
    };
    if plan_counts(&columns, &header, false).is_ok() {
        return Some(TableKind::Counts);
    }
    match plan_battles(&columns, &header, false) {
        Ok(_) | Err(DataProblem::TwiceInHeader(_)) => Some(TableKind::Battles),
        Err(_) => None,
    }
}

/// How much of a file is read for its header.
const BEGINNING: usize = 64 << 10;

fn read_header(source: &mut BattleSource) -> Option<Vec<String>> {
    #[cfg(feature = "arrow")]
    if let Some(table) = &source.table {
        return Some(table.column_names());
    }
    match source.open().ok()? {
        Opened::Parquet(_) => super::parquet::read_header(source).ok(),
        Opened::Foreign(_) => None,
        Opened::Text(text) => {
            let feed = Feed::open(text, is_tsv(&source.name), BEGINNING);
            feed.ok().map(|feed| feed.header)
        }
    }
}
