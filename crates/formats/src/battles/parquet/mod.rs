//! Parquet files, a row group at a time. The row groups of all files are read in parallel, so a
//! single file of one row group is read by one thread.

mod byte_ranges;
mod coded_pages;
mod column_values;
mod counted_group;
mod integers;
mod row_group;

use super::columns::Options;
use super::fault::{Fault, Result};
use super::merge::ChunkSink;
use super::parallel::{Job, in_order};
use super::plan::{Plan, Planner, ValueKind};
use super::source::BattleSource;
use crate::error::{At, DataError, DataProblem};
use crate::source::parquet::{count_rows, guard_panics};
use ::parquet::basic::{LogicalType, Type as PhysicalType};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;
use byte_ranges::ByteRanges;
use std::sync::Arc;

type ParquetFile = SerializedFileReader<ByteRanges>;

/// A file that is being read, and what is read of it.
pub(super) struct PlannedFile {
    file: ParquetFile,
    plan: Plan,
    /// How many of its row groups are read.
    groups: usize,
}

impl PlannedFile {
    fn open(source: &BattleSource, options: &Options, planner: &mut Planner) -> Result<Self> {
        let file = open_file(source)?;
        let plan = planner.plan(&column_names(&file), false)?;
        check_columns(&file, &plan)?;
        let mut groups = file.num_row_groups();
        if let Some(rows) = options.beginning {
            let of_groups = file.metadata().row_groups().iter();
            let before = of_groups.scan(0, |before: &mut u64, group| {
                let begins_at = *before;
                *before += u64::try_from(group.num_rows()).unwrap_or(0);
                Some(begins_at)
            });
            groups = before.take_while(|begins_at| *begins_at < rows).count();
        }
        Ok(PlannedFile { file, plan, groups })
    }
}

/// Reads files row group by row group, by the plans that are made of their columns. The row groups
/// of all files are read in parallel, so that many files of one row group each are too; a file is
/// opened when the row groups before it are under way.
pub(super) fn read_files(
    sources: &[BattleSource],
    options: &Options,
    planner: &mut Planner,
    sink: &mut ChunkSink<'_>,
) -> Result<(), DataError> {
    // The next file, and of the one at hand its next row group.
    let (mut number, mut opened, mut failed) = (0, None, false);
    let next = |job: &mut Job| {
        let (file, group) = if let Some(open) = opened.take() {
            open
        } else {
            let Some(source) = sources.get(number).filter(|_| !failed) else {
                return Ok(false);
            };
            number += 1;
            job.source = number - 1;
            match PlannedFile::open(source, options, planner) {
                Ok(file) => (Arc::new(file), 0),
                Err(problem) => {
                    failed = true;
                    job.fault = Some(Fault::of_file(problem));
                    return Ok(true);
                }
            }
        };
        job.source = number - 1;
        job.group = group;
        job.file = Some(file.clone());
        // A file without row groups has a job too, which finds nothing.
        opened = (group + 1 < file.groups).then_some((file, group + 1));
        Ok(true)
    };
    let read = |job: &mut Job| {
        let Some(PlannedFile { file, plan, groups }) = job.file.as_deref() else {
            return;
        };
        job.chunk.clear(plan);
        if job.group >= *groups {
            return;
        }
        let most = options.beginning.unwrap_or(u64::MAX);
        let read =
            guard_panics(|| row_group::read_group(file, job.group, plan, most, &mut job.chunk));
        job.fault = match read {
            Ok(read) => read.err(),
            Err(why) => Some(Fault::of_file(DataProblem::Parquet(why))),
        };
    };
    let mut rows = 0;
    in_order(options.threads, next, read, |job| {
        let Some(source) = sources.get(job.source) else {
            return Ok(());
        };
        let at = |before| At::Row(rows + before + 1);
        // Taken, so that a file is closed with its last job.
        let Some(file) = job.file.take() else {
            // It could not be opened.
            let fault = job.fault.take();
            return fault.map_or(Ok(()), |fault| Err(fault.locate(&source.name, at)));
        };
        sink.accept(job, &file.plan, source, at)?;
        rows += job.chunk.met;
        if job.group + 1 >= file.groups {
            rows = 0;
            sink.end_file(&file.plan, source)?;
        }
        Ok(())
    })
}

/// Returns the names of the columns.
pub(super) fn read_header(source: &BattleSource) -> Result<Vec<String>, DataError> {
    match open_file(source) {
        Ok(file) => Ok(column_names(&file)),
        Err(problem) => Err(source.file_error(problem)),
    }
}

fn open_file(source: &BattleSource) -> Result<ParquetFile> {
    let ranges = ByteRanges::new(source.input.clone());
    let ranges = ranges.map_err(|error| DataProblem::Io(error.to_string()))?;
    let file = guard_panics(|| ParquetFile::new(ranges)).map_err(DataProblem::Parquet)?;
    let file = file.map_err(|error| damaged(&error))?;
    // The `parquet` crate panics on a column that does not say where it begins and how long it is.
    let groups = file.metadata().row_groups().iter();
    let is_placed = groups.flat_map(|group| group.columns()).all(|column| {
        column.data_page_offset() >= 0
            && column.dictionary_page_offset().is_none_or(|at| at >= 0)
            && column.compressed_size() >= 0
    });
    if !is_placed {
        return Err(DataProblem::Parquet(
            "a column begins before the file or has no length".to_owned(),
        ));
    }
    Ok(file)
}

/// Returns the paths of the leaves, which are the names of columns that are not nested.
fn column_names(file: &ParquetFile) -> Vec<String> {
    let schema = file.metadata().file_metadata().schema_descr();
    let columns = schema.columns().iter();
    columns.map(|column| column.path().string()).collect()
}

/// Checks that each column has a type that its part can be read from, and that no row is missing.
fn check_columns(file: &ParquetFile, plan: &Plan) -> Result {
    let schema = file.metadata().file_metadata().schema_descr();
    for field in &plan.fields {
        let column = schema.column(field.column);
        let is_list = column.max_rep_level() > 0;
        if is_list || !field.part.takes(kind_of(&column)) {
            let list = if is_list { " (a list)" } else { "" };
            let found = format!("the Parquet type {:?}{list}", column.physical_type());
            return Err(field.wrong_column(found));
        }
    }
    let (rows, expected) = (
        count_rows(file.metadata()),
        file.metadata().file_metadata().num_rows(),
    );
    if rows != expected {
        let problem = format!("{rows} rows instead of {expected}");
        return Err(damaged(&ParquetError::General(problem)));
    }
    Ok(())
}

fn kind_of(column: &ColumnDescriptor) -> ValueKind {
    match column.physical_type() {
        PhysicalType::BYTE_ARRAY => ValueKind::Text,
        PhysicalType::INT32 | PhysicalType::INT64 => match column.logical_type_ref() {
            Some(LogicalType::Decimal { .. }) => ValueKind::Decimal,
            _ => ValueKind::Integer,
        },
        PhysicalType::FLOAT | PhysicalType::DOUBLE => ValueKind::Number,
        PhysicalType::BOOLEAN => ValueKind::Truth,
        _ => ValueKind::Other,
    }
}

fn damaged(error: &ParquetError) -> DataProblem {
    DataProblem::Parquet(error.to_string())
}
