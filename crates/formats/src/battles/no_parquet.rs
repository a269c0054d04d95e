//! In the place of the Parquet reader, in a build without it.

use super::blocks::{Merge, Options, Take};
use super::columns::Plan;
use super::error::{Error, Problem};
use super::source::Source;

pub(super) fn read(
    source: &mut Source,
    _: &Options,
    _: impl Fn(&[String], bool) -> Result<Plan, Problem>,
    _: &mut Merge,
    _: &mut Take<'_>,
) -> Result<Plan, Error> {
    Err(source.error(Problem::NoParquet))
}

pub(super) fn header(source: &Source) -> Result<Vec<String>, Error> {
    Err(source.error(Problem::NoParquet))
}
