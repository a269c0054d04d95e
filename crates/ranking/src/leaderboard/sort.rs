//! Recognises what the files of a leaderboard are.

use super::options::{LeaderboardOptions, RecordedFormat};
use super::reading::{judgment_reading, open_battles};
use evenhand_core::Refusal;
use evenhand_engine::is_table_in_memory;
use evenhand_engine::{EngineError, open_buffered, unreadable_input};
use evenhand_formats::battles::TableKind;
use evenhand_formats::{battles, judgments};
use std::io::Read;
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
    let mut before: Option<(&Path, FileSort)> = None;
    for path in &options.paths {
        let sort = match options.format {
            Some(RecordedFormat::Battles) => FileSort::Battles,
            Some(RecordedFormat::Counts) => FileSort::Counts,
            Some(RecordedFormat::Judgments(_)) => FileSort::Recorded,
            None => recognise(path, options)?,
        };
        if let Some((other, sort_of_other)) = before
            && sort_of_other != sort
        {
            return Err(Refusal::of_input(format!(
                "{} and {} are of different sorts ({} and {}); rank them apart",
                other.display(),
                path.display(),
                sort_of_other.name(),
                sort.name()
            ))
            .into());
        }
        before = Some((path, sort));
    }
    let (_, sort) = before.ok_or_else(|| Refusal::of_input("no file was given"))?;
    Ok(sort)
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

    // Columns of one type each: Parquet, or a table in memory.
    let has_typed_columns = is_table_in_memory(path) || read_beginning(path)? == b"PAR1";
    let begins_as_judgments = || -> Result<bool, EngineError> {
        let file = open_buffered(path)?;
        Ok(judgments::detect_format(file, &judgment_reading(options)).is_some())
    };
    let are_battles = if kind.is_some() {
        // Files of pairs with two games have names for both, and no `winner`.
        has_typed_columns || !begins_as_judgments()?
    } else {
        // Parquet that no reader of judgments knows is left to that of battles, whose error says
        // more; so are battles with a column twice.
        (has_typed_columns || battles::has_column_twice(&mut open_battles(path)?))
            && !begins_as_judgments()?
    };
    Ok(if are_battles {
        FileSort::Battles
    } else {
        FileSort::Recorded
    })
}

fn read_beginning(path: &Path) -> Result<Vec<u8>, EngineError> {
    let mut beginning = Vec::new();
    let read = open_buffered(path)?.take(4).read_to_end(&mut beginning);
    read.map_err(|error| unreadable_input(path, &error))?;
    Ok(beginning)
}
