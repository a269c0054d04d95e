//! Parquet files, a row group at a time. Row groups are read in parallel, so a file of one row
//! group is read by one thread.

mod byte_ranges;
mod coded_pages;
mod column_values;
mod integers;
mod row_group;

use super::columns::Options;
use super::fault::{Fault, Result};
use super::merge::ChunkSink;
use super::pieces::read_pieces;
use super::plan::{MakePlan, Plan, ValueKind};
use super::source::BattleSource;
use crate::error::{DataError, DataProblem};
use crate::source::parquet::{count_rows, guard_panics};
use ::parquet::basic::{LogicalType, Type as PhysicalType};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;
use byte_ranges::ByteRanges;

type ParquetFile = SerializedFileReader<ByteRanges>;

/// Reads a file row group by row group, by the plan that is made of its columns.
pub(super) fn read_file(
    source: &BattleSource,
    options: &Options,
    make_plan: &MakePlan<'_>,
    sink: &mut ChunkSink<'_>,
) -> Result<Plan, DataError> {
    let file = open_file(source).map_err(|problem| source.file_error(problem))?;
    let plan = make_plan(&column_names(&file), false);
    let plan = plan.map_err(|problem| source.file_error(problem))?;
    check_columns(&file, &plan).map_err(|problem| source.file_error(problem))?;
    let groups = file.num_row_groups();
    read_pieces(source, &plan, groups, options, sink, |job| {
        job.chunk.clear(&plan);
        let read = guard_panics(|| row_group::read_group(&file, job.group, &plan, &mut job.chunk));
        job.fault = match read {
            Ok(read) => read.err(),
            Err(why) => Some(Fault::of_file(DataProblem::Parquet(why))),
        };
    })?;
    Ok(plan)
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
            return Err(field.wrong_column(format!("{:?}{list}", column.physical_type())));
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
