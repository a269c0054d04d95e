//! Stands in for the Parquet reader in a build without it.

use super::columns::Options;
use super::merge::ChunkSink;
use super::plan::{MakePlan, Plan};
use super::source::BattleSource;
use crate::error::{DataError, DataProblem};

pub(super) fn read_file(
    source: &BattleSource,
    _: &Options,
    _: &MakePlan<'_>,
    _: &mut ChunkSink<'_>,
) -> Result<Plan, DataError> {
    Err(source.file_error(DataProblem::NoParquet))
}

pub(super) fn read_header(source: &BattleSource) -> Result<Vec<String>, DataError> {
    Err(source.file_error(DataProblem::NoParquet))
}
