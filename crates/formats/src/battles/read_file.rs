//! One file, chunk by chunk, and what it holds by its first bytes and its header or first object.

use super::columns::{Column, Columns, Options};
use super::csv;
use super::feed::{Feed, TextFormat};
use super::jsonl;
use super::merge::ChunkSink;
use super::parallel::in_order;
use super::plan::{MakePlan, Plan, plan_battles, plan_counts};
use super::source::BattleSource;
use crate::error::{At, DataError, DataProblem};
use crate::source::container::Opened;
use crate::source::csv::{count_lines, is_tsv};

/// Reads one file chunk by chunk, by the plan that is made of its header.
///
/// # Errors
/// The first problem in the order of the file; no rows.
pub(super) fn read_file(
    source: &mut BattleSource,
    options: &Options,
    make_plan: &MakePlan<'_>,
    sink: &mut ChunkSink<'_>,
) -> Result<Plan, DataError> {
    let (rows, met) = (sink.merge.rows, sink.merge.met);
    let plan = read_source(source, options, make_plan, sink)?;
    sink.merge.end_file()?;
    if sink.merge.rows > rows || sink.merge.dropped > 0 {
        Ok(plan)
    } else if sink.merge.met > met {
        let filter = plan.filter.to_string();
        Err(source.file_error(DataProblem::NoRowLeft { filter }))
    } else {
        Err(source.file_error(DataProblem::NoRows))
    }
}

fn read_source(
    source: &mut BattleSource,
    options: &Options,
    make_plan: &MakePlan<'_>,
    sink: &mut ChunkSink<'_>,
) -> Result<Plan, DataError> {
    #[cfg(feature = "arrow")]
    if let Some(table) = &source.table {
        return super::table::read_table(source, table, options, make_plan, sink);
    }
    let text = match source.open()? {
        Opened::Parquet(_) => return super::parquet::read_file(source, options, make_plan, sink),
        Opened::Foreign(foreign) => return Err(source.file_error(DataProblem::Foreign(foreign))),
        Opened::Text(text) => text,
    };
    let mut feed = Feed::open(text, is_tsv(&source.name), options.chunk_bytes.max(1))
        .map_err(|problem| source.file_error(problem))?;
    let (format, mut lines, by_row) = (feed.format, feed.lines, feed.by_row);
    let plan = make_plan(&feed.header, format == TextFormat::Jsonl)
        .map_err(|problem| source.file_error(problem))?;
    in_order(
        options.threads,
        |job| feed.next_piece(&mut job.text),
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
