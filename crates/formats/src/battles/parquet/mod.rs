//! Parquet files, a row group at a time. Row groups are read in parallel, so a file of one row
//! group is read by one thread.

mod byte_ranges;
mod coded_pages;
mod column_types;
mod column_values;
mod integers;
mod row_group;

use super::error::{BattleProblem, Error, Fault, Result};
use super::merge::ChunkSink;
use super::options::Options;
use super::parallel::Job;
use super::pieces::Pieces;
use super::plan::{MakePlan, Plan};
use super::source::BattleSource;
use crate::guard::catch_panic;
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::SchemaDescriptor;
use byte_ranges::ByteRanges;

type ParquetFile = SerializedFileReader<ByteRanges>;

/// Reads a file row group by row group, by the plan that is made of its columns.
pub(super) fn read_file(
    source: &BattleSource,
    options: &Options,
    make_plan: &MakePlan<'_>,
    sink: &mut ChunkSink<'_>,
) -> Result<Plan, Error> {
    let file = open_file(source)?;
    let plan = plan_file(&file, make_plan).map_err(|problem| source.file_error(problem))?;
    let groups = Pieces {
        source,
        plan: &plan,
        count: file.num_row_groups(),
    };
    groups.read(options, sink, |job| read_job(&file, &plan, job))?;
    Ok(plan)
}

fn plan_file(file: &ParquetFile, make_plan: &MakePlan<'_>) -> Result<Plan> {
    let plan = make_plan(&column_names(file), false)?;
    column_types::check_types(file, &plan)?;
    Ok(plan)
}

fn read_job(file: &ParquetFile, plan: &Plan, job: &mut Job) {
    job.chunk.clear(plan);
    let read = guard_panics(|| row_group::read_group(file, job.group, plan, &mut job.chunk));
    job.fault = match read {
        Ok(read) => read.err(),
        Err(problem) => Some(Fault::of_file(problem)),
    };
}

/// Returns the names of the columns.
pub(super) fn read_header(source: &BattleSource) -> Result<Vec<String>, Error> {
    open_file(source).map(|file| column_names(&file))
}

fn open_file(source: &BattleSource) -> Result<ParquetFile, Error> {
    let ranges = ByteRanges::new(source.input.clone());
    let ranges = ranges.map_err(|e| source.file_error(BattleProblem::Io(e.to_string())))?;
    let file = guard_panics(|| ParquetFile::new(ranges).map_err(|error| damaged(&error)));
    file.and_then(|file| file)
        .and_then(check_offsets)
        .map_err(|problem| source.file_error(problem))
}

/// Returns the file, if its columns say that they begin somewhere and have some length; the
/// `parquet` crate panics on others.
fn check_offsets(file: ParquetFile) -> Result<ParquetFile> {
    let groups = file.metadata().row_groups().iter();
    let mut columns = groups.flat_map(|group| group.columns());
    if columns.all(has_valid_offsets) {
        Ok(file)
    } else {
        Err(BattleProblem::Parquet(
            "a column begins before the file or has no length".to_owned(),
        ))
    }
}

fn has_valid_offsets(column: &ColumnChunkMetaData) -> bool {
    column.data_page_offset() >= 0
        && column.dictionary_page_offset().is_none_or(|at| at >= 0)
        && column.compressed_size() >= 0
}

/// Returns what the function does, or the panic of the `parquet` crate, which some damaged files
/// bring about, as a problem.
fn guard_panics<T>(read: impl FnOnce() -> T) -> Result<T> {
    let damaged = || BattleProblem::Parquet("its parts contradict each other".to_owned());
    catch_panic(read).ok_or_else(damaged)
}

/// Returns the paths of the leaves, which are the names of columns that are not nested.
fn column_names(file: &ParquetFile) -> Vec<String> {
    let columns = schema_of(file).columns().iter();
    columns.map(|column| column.path().string()).collect()
}

fn schema_of(file: &ParquetFile) -> &SchemaDescriptor {
    file.metadata().file_metadata().schema_descr()
}

fn damaged(error: &ParquetError) -> BattleProblem {
    BattleProblem::Parquet(error.to_string())
}
