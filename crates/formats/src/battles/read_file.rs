//! One file, chunk by chunk.

use super::error::{At, BattleProblem, Error};
use super::feed::{Feed, TextFormat};
use super::merge::ChunkSink;
use super::options::Options;
use super::parallel::{Job, in_order};
use super::plan::{MakePlan, Plan};
use super::source::BattleSource;
use super::{csv, jsonl};
use crate::container::Container;

/// Reads one file chunk by chunk, by the plan that is made of its header.
///
/// # Errors
/// The first problem in the order of the file; no rows.
pub(super) fn read_file(
    source: &mut BattleSource,
    options: &Options,
    make_plan: &MakePlan<'_>,
    sink: &mut ChunkSink<'_>,
) -> Result<Plan, Error> {
    let (rows, met) = (sink.merge.rows, sink.merge.met);
    let plan = read_source(source, options, make_plan, sink)?;
    sink.merge.end_file()?;
    if sink.merge.rows > rows || sink.merge.dropped > 0 {
        Ok(plan)
    } else if sink.merge.met > met {
        let filter = plan.filter.to_string();
        Err(source.file_error(BattleProblem::NothingLeft { filter }))
    } else {
        Err(source.file_error(BattleProblem::NoRows))
    }
}

fn read_source(
    source: &mut BattleSource,
    options: &Options,
    make_plan: &MakePlan<'_>,
    sink: &mut ChunkSink<'_>,
) -> Result<Plan, Error> {
    #[cfg(feature = "arrow")]
    if let Some(table) = &source.table {
        return super::table::read_table(source, table, options, make_plan, sink);
    }
    match source.find_container()? {
        Container::Parquet => super::parquet::read_file(source, options, make_plan, sink),
        container => read_text(source, container, options, make_plan, sink),
    }
}

fn read_text(
    source: &BattleSource,
    container: Container,
    options: &Options,
    make_plan: &MakePlan<'_>,
    sink: &mut ChunkSink<'_>,
) -> Result<Plan, Error> {
    let mut feed = open_feed(source, container, options.chunk_bytes.max(1))?;
    let (format, mut lines, by_row) = (feed.format, feed.lines, feed.by_row);
    let plan = make_plan(&feed.header, format == TextFormat::Jsonl);
    let plan = plan.map_err(|problem| source.file_error(problem))?;
    in_order(
        options.threads,
        |job| feed.next_piece(&mut job.text),
        |job| parse_piece(format, &plan, job),
        |job| {
            let accepted = sink.accept(job, &plan);
            // Records that go over lines, or share one, are told apart by their number.
            let line = |before| match by_row {
                true => At::Row(lines + before + 1),
                false => At::Line(lines + before + 1),
            };
            accepted.map_err(|fault| fault.locate(&source.name, line))?;
            for fault in job.chunk.bad.drain(..) {
                let error = fault.locate(&source.name, line);
                sink.merge.note_bad(error, options.columns.skip_bad)?;
            }
            lines += job.lines;
            Ok(())
        },
    )?;
    Ok(plan)
}

/// Opens a text, of which `size` bytes are read at first.
pub(super) fn open_feed(
    source: &BattleSource,
    container: Container,
    size: usize,
) -> Result<Feed, Error> {
    let is_gzip = container == Container::Gzip;
    let feed = source
        .open_text()
        .and_then(|text| Feed::open(text, is_gzip, source.separator(), size));
    feed.map_err(|problem| source.file_error(problem))
}

fn parse_piece(format: TextFormat, plan: &Plan, job: &mut Job) {
    job.chunk.clear(plan);
    let result = match format {
        TextFormat::Csv { separator } => {
            csv::parse_rows(&job.text, separator, plan, &mut job.chunk)
        }
        TextFormat::Jsonl => jsonl::parse_lines(&job.text, plan, &mut job.chunk),
    };
    job.fault = result.err();
    job.lines = csv::count_lines(&job.text);
}
