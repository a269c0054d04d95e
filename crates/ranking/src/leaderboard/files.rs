//! The files of a leaderboard: what each is, by its first bytes and its fields, how it is opened,
//! and what its reader is to read.

use super::board::ANY_BOARD;
use super::options::{ClusterBy, LeaderboardOptions, RecordedFormat};
use crate::Aggregation;
use evenhand_core::Refusal;
use evenhand_engine::{EngineError, open_buffered, open_input, unreadable_input};
use evenhand_formats::battles::{self, BattleSource, Column, TableKind};
use evenhand_formats::judgments;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The sort of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileSort {
    Battles,
    Counts,
    /// Judgments or scores.
    Recorded,
}

/// Names a file that holds one value of JSON and no records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeFile {
    /// A board: battles that came in before, and each edition's ranking.
    Board,
    /// A ranking that was printed.
    Ranking,
}

/// Says what to do with a ranking that was printed.
pub(super) const A_RANKING: &str = "it is a ranking that was printed as JSON; rank the files that \
                                    it was made of, or make a page of it with `report`";

/// Returns what a file on this machine is, by the first value in it; None for records, and for what
/// is no file or cannot be read. Of a file that begins otherwise, a buffer is read; of lines, the
/// first.
pub fn whole_file(path: &Path) -> Option<WholeFile> {
    /// Holds what boards and printed rankings say of themselves.
    #[derive(Deserialize)]
    struct Named {
        format: Option<String>,
        ranking: Option<Vec<IgnoredAny>>,
        aggregation: Option<String>,
    }
    // Of a pipe nothing may be read: it would be gone.
    if !path.is_file() {
        return None;
    }
    let mut reader = BufReader::new(File::open(path).ok()?);
    let start = reader.fill_buf().ok()?.iter();
    let mut text = start.filter(|byte| !byte.is_ascii_whitespace());
    if text.next() != Some(&b'{') || text.next() != Some(&b'"') {
        return None;
    }
    let mut values = serde_json::Deserializer::from_reader(reader).into_iter::<Named>();
    match values.next()?.ok()? {
        Named {
            format: Some(format),
            ..
        } if format.starts_with(ANY_BOARD) => Some(WholeFile::Board),
        Named {
            ranking: Some(_),
            aggregation: Some(_),
            ..
        } => Some(WholeFile::Ranking),
        _ => None,
    }
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
    let mut source = open_battles(path)?;
    let kind = battles::detect_table(&mut source);
    let is_counts = kind == Some(TableKind::Counts);
    // Columns that the user names say what a file is.
    if options.names_columns() && !is_counts {
        return Ok(FileSort::Battles);
    }
    let reading = &options.reading;
    let has_item = reading.item.is_some() && kind.is_none();
    if reading.system.is_some() || reading.score.is_some() || has_item {
        return Ok(FileSort::Recorded);
    }
    if is_counts {
        return Ok(FileSort::Counts);
    }
    let is_typed = source.has_typed_columns();
    if is_typed == kind.is_some() {
        // Neither looks like battles; or both do.
        let sort = if is_typed {
            FileSort::Battles
        } else {
            FileSort::Recorded
        };
        return Ok(sort);
    }
    // Files of pairs with two games have names for both, and no `winner`. Parquet that no reader of
    // judgments knows is left to that of battles, whose error says more.
    let file = open_buffered(path)?;
    match judgments::detect_format(file, &judgment_reading(options)) {
        Some(_) => Ok(FileSort::Recorded),
        None => Ok(FileSort::Battles),
    }
}

/// Returns what the reader of battles and counts is to read.
pub(super) fn battle_reading(options: &LeaderboardOptions) -> battles::Options {
    let mut columns = options.reading.columns.clone();
    columns.cluster = match (&options.cluster, &options.reading.item) {
        _ if options.streams() => Column::Ignored,
        (ClusterBy::Column(name), _) | (_, Some(name)) => Column::Named(name.clone()),
        _ => Column::Auto,
    };
    battles::Options {
        columns,
        // All processors where the user does not say how many.
        threads: match options.rank.bootstrap.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            threads => threads,
        },
        ..battles::Options::default()
    }
}

/// Returns what the reader of judgments and scores is to read.
pub(super) fn judgment_reading(options: &LeaderboardOptions) -> judgments::Options {
    let aggregation = options.rank.aggregation;
    judgments::Options {
        kind: match options.format {
            Some(RecordedFormat::Judgments(kind)) => Some(kind),
            _ => None,
        },
        scored: aggregation.is_some_and(Aggregation::needs_scores),
        ..options.reading.clone()
    }
}

/// Opens a file for the reader of battles.
pub(super) fn open_battles(path: &Path) -> Result<BattleSource, EngineError> {
    let name = path.display().to_string();
    #[cfg(feature = "arrow")]
    if let Some(table) = evenhand_engine::table_in_memory(path) {
        return Ok(BattleSource::of_table(name, table));
    }
    let file = open_input(path).map_err(|e| unreadable_input(path, &e))?;
    Ok(BattleSource::new(name, file))
}

/// Opens all files for the reader of battles.
pub(super) fn open_all_battles(
    options: &LeaderboardOptions,
) -> Result<Vec<BattleSource>, EngineError> {
    let paths = options.paths.iter();
    paths.map(|path| open_battles(path)).collect()
}
