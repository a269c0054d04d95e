//! Hands the files to the reader of their sort.

use super::gathered::Gathered;
use super::options::LeaderboardOptions;
use super::sort::FileSort;
use super::{battles, recorded};
use crate::EngineError;

/// Reads files of one sort.
pub(super) fn gather(
    options: &LeaderboardOptions,
    sort: FileSort,
) -> Result<Gathered, EngineError> {
    match sort {
        FileSort::Recorded => recorded::gather_judgments(options),
        FileSort::Battles => battles::gather_battles(options),
        FileSort::Counts => battles::gather_counts(options),
    }
}
