//! Recognises what the files of a leaderboard are.

use super::options::{LeaderboardOptions, RecordedFormat};
use super::reading::{judgment_reading, open_battles, open_judgments, refuse_unreadable};
use crate::EngineError;
use crate::plan::memory::is_table_in_memory;
use evenhand_core::Refusal;
use evenhand_formats::battles::{BattleProblem, TableKind};
use evenhand_formats::{battles, judgments};
use std::io::{self, Read};
use std::path::Path;

/// The sort of a file.
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
    let mut before: Option<SortedFile> = None;
    for path in &options.paths {
        let file = SortedFile {
            path,
            sort: sort_of_file(path, options)?,
        };
        if let Some(before) = before {
            before.check_same_sort(&file)?;
        }
        before = Some(file);
    }
    let first = before.ok_or_else(|| Refusal::of_input("no file was given"))?;
    Ok(first.sort)
}

#[derive(Clone, Copy)]
struct SortedFile<'a> {
    path: &'a Path,
    sort: FileSort,
}

impl SortedFile<'_> {
    fn check_same_sort(&self, next: &SortedFile) -> Result<(), Refusal> {
        if self.sort == next.sort {
            return Ok(());
        }
        let (before, after) = (self.path.display(), next.path.display());
        let (sort, other) = (self.sort.name(), next.sort.name());
        Err(Refusal::of_input(format!(
            "{before} and {after} are of different sorts ({sort} and {other}); rank them apart"
        )))
    }
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
    let is_counts = kind == Some(TableKind::Counts);
    // Columns that the user names say what a file is.
    if options.names_columns() && !is_counts {
        return Ok(FileSort::Battles);
    }
    let [system, item, score] = &options.columns;
    if system.is_some() || score.is_some() || item.is_some() && kind.is_none() {
        return Ok(FileSort::Recorded);
    }
    if is_counts {
        return Ok(FileSort::Counts);
    }
    recognise_rows(path, options, kind.is_some())
}

/// Tells battles from judgments; `table` where the file has the columns of battles.
fn recognise_rows(
    path: &Path,
    options: &LeaderboardOptions,
    table: bool,
) -> Result<FileSort, EngineError> {
    if are_battles(path, options, table)? {
        Ok(FileSort::Battles)
    } else {
        Ok(FileSort::Recorded)
    }
}

fn are_battles(
    path: &Path,
    options: &LeaderboardOptions,
    table: bool,
) -> Result<bool, EngineError> {
    if table {
        return Ok(!is_mt_bench(path, options)?);
    }
    Ok(is_unnamed_parquet(path, options)? || is_spoilt_battles(path, options)?)
}

/// Files of pairs with two games have names for both, and no `winner`.
fn is_mt_bench(path: &Path, options: &LeaderboardOptions) -> Result<bool, EngineError> {
    Ok(!has_typed_columns(path)? && begins_as_judgments(path, options)?)
}

/// Parquet that no reader of judgments knows is left to that of battles, whose error says more.
fn is_unnamed_parquet(path: &Path, options: &LeaderboardOptions) -> Result<bool, EngineError> {
    Ok(has_typed_columns(path)? && !begins_as_judgments(path, options)?)
}

fn begins_as_judgments(path: &Path, options: &LeaderboardOptions) -> Result<bool, EngineError> {
    let found = judgments::detect_format(open_judgments(path)?, &judgment_reading(options));
    Ok(found.is_some())
}

/// Battles that their reader refuses with a better reason than that the file is unknown: a column
/// twice.
fn is_spoilt_battles(path: &Path, options: &LeaderboardOptions) -> Result<bool, EngineError> {
    Ok(is_refused_as_battles(path)? && !begins_as_judgments(path, options)?)
}

fn is_refused_as_battles(path: &Path) -> Result<bool, EngineError> {
    let alone = battles::Options {
        threads: 1,
        ..battles::Options::default()
    };
    let Err(error) = battles::read_counts(&mut [open_battles(path)?], &alone) else {
        return Ok(false);
    };
    Ok(matches!(*error.problem, BattleProblem::TwiceInHeader(_)))
}

/// Whether a file has columns of one type each: Parquet, or a table in memory.
fn has_typed_columns(path: &Path) -> Result<bool, EngineError> {
    Ok(is_table_in_memory(path) || read_beginning(path, 4)? == b"PAR1")
}

fn read_beginning(path: &Path, bytes: u64) -> Result<Vec<u8>, EngineError> {
    let beginning = read_at_most(open_judgments(path)?, bytes);
    Ok(beginning.map_err(|e| refuse_unreadable(path, &e))?)
}

fn read_at_most(file: impl Read, bytes: u64) -> io::Result<Vec<u8>> {
    let mut beginning = Vec::new();
    file.take(bytes).read_to_end(&mut beginning)?;
    Ok(beginning)
}
