//! Stands in for the Parquet reader in a build without it.

use super::columns::Options;
use super::merge::ChunkSink;
use super::plan::Planner;
use super::source::BattleSource;
use crate::error::{DataError, DataProblem};

pub(super) fn read_files(
    sources: &[BattleSource],
    _: &Options,
    _: &mut Planner,
    _: &mut ChunkSink<'_>,
) -> Result<(), DataError> {
    match sources.first() {
        Some(source) => Err(source.file_error(DataProblem::NoParquet)),
        None => Ok(()),
    }
}

pub(super) fn read_header(source: &BattleSource) -> Result<Vec<String>, DataError> {
    Err(source.file_error(DataProblem::NoParquet))
}
