//! Parquet files, a row group at a time. Row groups are read in parallel, so a file of one row
//! group is read by one thread.

mod coded;
mod group;
mod input;
mod integers;
mod values;

use super::blocks::{Merge, Options, Take, taken};
use super::columns::Plan;
use super::error::{At, Error, Problem};
use super::parallel::{Job, in_order};
use super::source::Source;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use input::Ranges;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
        let fault = |problem| Err((0, problem));
        job.fault = guarded(|| group::read(&file, job.group, &plan, &mut job.chunk))
            .unwrap_or_else(fault)
            .err();
    };
    in_order(options.threads, next, work, |job| {
        taken(
            job,
            &plan,
            &source.name,
            |before| At::Row(rows + before + 1),
            merge,
            take,
        )?;
        rows += job.chunk.met;
        Ok(())
    })?;
    Ok(plan)
}

/// The names of the columns.
pub(super) fn header(source: &Source) -> Result<Vec<String>, Error> {
    open(source).map(|file| columns(&file))
}

fn open(source: &Source) -> Result<File, Error> {
    let ranges = Ranges::new(source.input.clone())
        .map_err(|error| source.error(Problem::Io(error.to_string())))?;
    let file = guarded(|| File::new(ranges).map_err(|error| damaged(&error)));
    file.and_then(|file| file)
        .and_then(placed)
        .map_err(|problem| source.error(problem))
}

/// The file, if its columns say that they begin somewhere and have some length; the `parquet` crate
/// panics on others.
fn placed(file: File) -> Result<File, Problem> {
    let groups = file.metadata().row_groups().iter();
    let columns = groups.flat_map(|group| group.columns());
    let good = |column: &parquet::file::metadata::ColumnChunkMetaData| {
        let starts = [
            Some(column.data_page_offset()),
            column.dictionary_page_offset(),
            Some(column.compressed_size()),
        ];
        starts.into_iter().flatten().all(|number| number >= 0)
    };
    let all = columns.into_iter().all(good);
    if all {
        Ok(file)
    } else {
        Err(Problem::Parquet(
            "a column begins before the file or has no length".to_owned(),
        ))
    }
}

/// What the function gives, or the panic of the `parquet` crate, which some damaged files bring
/// about, as a problem.
fn guarded<T>(read: impl FnOnce() -> T) -> Result<T, Problem> {
    let damaged = |_| Problem::Parquet("its parts contradict each other".to_owned());
    catch_unwind(AssertUnwindSafe(read)).map_err(damaged)
}

/// The paths of the leaves, which are the names of columns that are not nested.
fn columns(file: &File) -> Vec<String> {
    let schema = file.metadata().file_metadata().schema_descr();
    schema
        .columns()
        .iter()
        .map(|column| column.path().string())
        .collect()
}

fn damaged(error: &ParquetError) -> Problem {
    Problem::Parquet(error.to_string())
}
