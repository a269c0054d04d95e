//! Recognises what the files of a leaderboard are.

use super::options::{LeaderboardOptions, RecordedFormat};
use super::reading::{judgment_reading, open_battles, open_judgments, refuse_unreadable};
use crate::EngineError;
use evenhand_core::Refusal;
use evenhand_formats::{battles, judgments};
use std::io::Read;
use std::path::Path;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileSort {
    Battles,
    Counts,
    /// Judgments or scores.
    Recorded,
}

impl FileSort {
    pub(super) fn name(self) -> &'static str {
        match self {
            FileSort::Battles => "battles",
            FileSort::Counts => "counts",
            FileSort::Recorded => "judgments or scores",
        }
    }
}

/// Returns the one sort of all files.
pub(super) fn sort_of_files(options: &LeaderboardOptions) -> Result<FileSort, EngineError> {
    let Some((first, others)) = options.paths.split_first() else {
        return Err(Refusal::of_input("no file was given").into());
    };
    let sort = sort_of_file(first, options)?;
    let mut before = first;
    for path in others {
        let other = sort_of_file(path, options)?;
        if other != sort {
            let (before, path) = (before.display(), path.display());
            return Err(Refusal::of_input(format!(
                "{before} and {path} are of different sorts ({} and {}); rank them apart",
                sort.name(),
                other.name()
            ))
            .into());
        }
        before = path;
    }
    Ok(sort)
}

fn sort_of_file(path: &Path, options: &LeaderboardOptions) -> Result<FileSort, EngineError> {
    match options.format {
        Some(RecordedFormat::Battles) => Ok(FileSort::Battles),
        Some(RecordedFormat::Counts) => Ok(FileSort::Counts),
        Some(RecordedFormat::Judgments(_)) => Ok(FileSort::Recorded),
        None => recognise(path, options),
    }
}

fn recognise(path: &Path, options: &LeaderboardOptions) -> Result<FileSort, EngineError> {
    let kind = battles::detect_table(&mut open_battles(path)?);
    if options.names_columns() && kind != Some(battles::TableKind::Counts) {
        return Ok(FileSort::Battles);
    }
    if options.columns.iter().any(Option::is_some) {
        return Ok(FileSort::Recorded);
    }
    let is_battles = match kind {
        Some(battles::TableKind::Counts) => return Ok(FileSort::Counts),
        Some(battles::TableKind::Battles) => !is_mt_bench(path, options)?,
        None => is_unnamed_parquet(path, options)? || is_spoilt_battles(path, options)?,
    };
    Ok(if is_battles {
        FileSort::Battles
    } else {
        FileSort::Recorded
    })
}

/// Files of pairs with two games have names for both, and no `winner`.
fn is_mt_bench(path: &Path, options: &LeaderboardOptions) -> Result<bool, EngineError> {
    Ok(!is_parquet(path)? && begins_as_judgments(path, options)?)
}

/// Parquet that no reader of judgments knows is left to that of battles, whose error says more.
fn is_unnamed_parquet(path: &Path, options: &LeaderboardOptions) -> Result<bool, EngineError> {
    Ok(is_parquet(path)? && !begins_as_judgments(path, options)?)
}

fn begins_as_judgments(path: &Path, options: &LeaderboardOptions) -> Result<bool, EngineError> {
    let found = judgments::detect_format(open_judgments(path)?, &judgment_reading(options));
    Ok(found.is_some())
}

/// Battles that their reader refuses with a better reason than that the file is unknown: a column
/// twice, or one JSON array.
fn is_spoilt_battles(path: &Path, options: &LeaderboardOptions) -> Result<bool, EngineError> {
    let alone = battles::Options {
        threads: 1,
        ..battles::Options::default()
    };
    let Err(error) = battles::read_counts(&mut [open_battles(path)?], &alone) else {
        return Ok(false);
    };
    let spoilt = match *error.problem {
        battles::BattleProblem::TwiceInHeader(_) => true,
        battles::BattleProblem::Array => begins_with_a_winner(path)?,
        _ => false,
    };
    Ok(spoilt && !begins_as_judgments(path, options)?)
}

/// Whether the beginning of a file names a winner.
fn begins_with_a_winner(path: &Path) -> Result<bool, EngineError> {
    let beginning = read_beginning(path, 1 << 16)?;
    Ok(beginning.windows(8).any(|window| window == b"\"winner\""))
}

fn is_parquet(path: &Path) -> Result<bool, EngineError> {
    Ok(read_beginning(path, 4)? == b"PAR1")
}

fn read_beginning(path: &Path, bytes: u64) -> Result<Vec<u8>, EngineError> {
    let mut beginning = Vec::new();
    let mut file = open_judgments(path)?.take(bytes);
    file.read_to_end(&mut beginning)
        .map_err(|e| refuse_unreadable(path, &e))?;
    Ok(beginning)
}
