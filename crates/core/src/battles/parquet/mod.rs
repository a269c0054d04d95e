//! Parquet files, a row group at a time. Row groups are read in parallel, so a file of one row group is read by one thread.

mod coded;
mod group;
mod input;
mod values;

use super::blocks::{Merge, Options, Take, taken};
use super::columns::Plan;
use super::error::{At, Error, Problem};
use super::parallel::{Job, in_order};
use super::source::Source;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use input::Ranges;

type File = SerializedFileReader<Ranges>;

/// Reads a file row group by row group, after the plan that is made of its columns.
pub(super) fn read(
    source: &mut Source,
    options: &Options,
    plan: impl Fn(&[String], bool) -> Result<Plan, Problem>,
    merge: &mut Merge,
    take: &mut Take<'_>,
) -> Result<Plan, Error> {
    let file = open(source)?;
    let plan = plan(&columns(&file), false).map_err(|problem| source.error(problem))?;
    values::check_types(&file, &plan).map_err(|problem| source.error(problem))?;
    let (mut given, mut rows) = (0, 0);
    let next = |job: &mut Job| {
        job.text.clear();
        job.group = given;
        given += 1;
        Ok(job.group < file.num_row_groups())
    };
    let work = |job: &mut Job| {
        job.chunk.clear(&plan);
        job.fault = group::read(&file, job.group, &plan, &mut job.chunk).err();
    };
    in_order(options.threads, next, work, |job| {
        let at = |before| At::Row(rows + before + 1);
        let whole = matches!(job.fault.as_ref().map(|fault| &fault.1), Some(Problem::Parquet(_)));
        taken(job, &plan, &source.name, |before| if whole { At::File } else { at(before) }, merge, take)?;
        rows += job.chunk.a.len() as u64;
        Ok(())
    })?;
    Ok(plan)
}

/// The names of the columns.
pub(super) fn header(source: &Source) -> Result<Vec<String>, Error> {
    open(source).map(|file| columns(&file))
}

fn open(source: &Source) -> Result<File, Error> {
    let ranges = Ranges::new(source.input.clone()).map_err(|error| source.error(Problem::Io(error.to_string())))?;
    File::new(ranges).map_err(|error| source.error(damaged(&error)))
}

/// The paths of the leaves, which are the names of columns that are not nested.
fn columns(file: &File) -> Vec<String> {
    let schema = file.metadata().file_metadata().schema_descr();
    schema.columns().iter().map(|column| column.path().string()).collect()
}

fn damaged(error: &ParquetError) -> Problem {
    Problem::Parquet(error.to_string())
}
