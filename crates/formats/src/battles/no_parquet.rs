//! Stands in for the Parquet reader in a build without it.

use super::columns::Options;
use super::error::{BattleProblem, Error};
use super::merge::ChunkSink;
use super::plan::{MakePlan, Plan};
use super::source::BattleSource;

pub(super) fn read_file(
    source: &BattleSource,
    _: &Options,
    _: &MakePlan<'_>,
    _: &mut ChunkSink<'_>,
) -> Result<Plan, Error> {
    Err(source.file_error(BattleProblem::NoParquet))
}

pub(super) fn read_header(source: &BattleSource) -> Result<Vec<String>, Error> {
    Err(source.file_error(BattleProblem::NoParquet))
}
