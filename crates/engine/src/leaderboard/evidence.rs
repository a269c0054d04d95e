//! Files of any sort to evidence: which sort they are, and who reads them.

use super::{About, LeaderboardOptions, RecordedFormat, battles, recorded};
use crate::rank::score::Evidence;
use crate::{EngineError, open_input};
use evenhand_formats::{battles as core_battles, judgments};
use evenhand_stats::Cluster;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Evidence, and what the files say beside it.
#[derive(Clone, Debug)]
pub(crate) struct Gathered {
    pub(crate) evidence: Evidence,
    pub(crate) about: About,
    pub(crate) cluster: Cluster,
}

/// Reads files of one sort.
pub(crate) fn gather(options: &LeaderboardOptions, sort: Sort) -> Result<Gathered, EngineError> {
    match sort {
        Sort::Recorded => recorded::gather(options),
        Sort::Battles => battles::gather(options),
        Sort::Counts => battles::gather_counts(options),
    }
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Battles,
    Counts,
    Recorded,
}

/// The one sort of all files.
pub(crate) fn sort(options: &LeaderboardOptions) -> Result<Sort, EngineError> {
    let mut found: Option<(Sort, &Path)> = None;
    for path in &options.paths {
        let sort = sort_of(path, options)?;
        match found {
            Some((first, before)) if first != sort => {
                let (before, path) = (before.display(), path.display());
                return Err(EngineError::Setting(format!(
                    "{before} and {path} are of different sorts ({} and {}); rank them apart",
                    first.name(),
                    sort.name()
                )));
            }
            _ => found = Some((sort, path)),
        }
    }
    found
        .map(|(sort, _)| sort)
        .ok_or_else(|| EngineError::Setting("no file was given".into()))
}

impl Sort {
    pub(super) fn name(self) -> &'static str {
        match self {
            Sort::Battles => "battles",
            Sort::Counts => "counts",
            Sort::Recorded => "judgments or scores",
        }
    }
}

fn sort_of(path: &Path, options: &LeaderboardOptions) -> Result<Sort, EngineError> {
    match options.format {
        Some(RecordedFormat::Battles) => return Ok(Sort::Battles),
        Some(RecordedFormat::Counts) => return Ok(Sort::Counts),
        Some(RecordedFormat::Judgments(_)) => return Ok(Sort::Recorded),
        None => {}
    }
    let named = options.left.is_some() || options.right.is_some() || options.winner.is_some();
    let kind = core_battles::detect(&mut source(path)?);
    if named && kind != Some(core_battles::Kind::Counts) {
        return Ok(Sort::Battles);
    }
    let scores = options.columns.iter().any(Option::is_some);
    Ok(match kind {
        Some(core_battles::Kind::Counts) if !scores => Sort::Counts,
        Some(core_battles::Kind::Battles) if !scores && !is_mt_bench(path, options)? => {
            Sort::Battles
        }
        None if !scores && is_parquet(path)? && !is_recorded(path, options)? => Sort::Battles,
        None if !scores && is_spoilt(path, options)? => Sort::Battles,
        _ => Sort::Recorded,
    })
}

/// Files of pairs with two games have names for both, and no `winner`.
fn is_mt_bench(path: &Path, options: &LeaderboardOptions) -> Result<bool, EngineError> {
    if is_parquet(path)? {
        return Ok(false);
    }
    is_recorded(path, options)
}

/// Whether a file begins as judgments or scores do.
fn is_recorded(path: &Path, options: &LeaderboardOptions) -> Result<bool, EngineError> {
    Ok(judgments::detect(reader(path)?, &recorded::reading(options)).is_some())
}

/// Battles that their reader refuses with a better reason than that the file is unknown: a column
/// twice, or one JSON array.
fn is_spoilt(path: &Path, options: &LeaderboardOptions) -> Result<bool, EngineError> {
    let usual = core_battles::Options {
        threads: 1,
        ..core_battles::Options::default()
    };
    let Err(error) = core_battles::read_counts(&mut [source(path)?], &usual) else {
        return Ok(false);
    };
    let spoilt = match *error.problem {
        core_battles::Problem::TwiceInHeader(_) => true,
        core_battles::Problem::Array => begins_with_a_winner(path)?,
        _ => false,
    };
    Ok(spoilt && !is_recorded(path, options)?)
}

/// Whether the beginning of a file names a winner.
fn begins_with_a_winner(path: &Path) -> Result<bool, EngineError> {
    use std::io::Read;
    let mut beginning = Vec::new();
    reader(path)?
        .take(1 << 16)
        .read_to_end(&mut beginning)
        .map_err(|e| unreadable(path, &e))?;
    Ok(beginning.windows(8).any(|window| window == b"\"winner\""))
}

fn is_parquet(path: &Path) -> Result<bool, EngineError> {
    use std::io::Read;
    let mut magic = Vec::new();
    reader(path)?
        .take(4)
        .read_to_end(&mut magic)
        .map_err(|e| unreadable(path, &e))?;
    Ok(magic == b"PAR1")
}

/// A file for the reader of battles.
pub(crate) fn source(path: &Path) -> Result<core_battles::Source, EngineError> {
    let file = open_input(path).map_err(|e| unreadable(path, &e))?;
    Ok(core_battles::Source::new(path.display().to_string(), file))
}

/// All files for the reader of battles.
pub(crate) fn sources(
    options: &LeaderboardOptions,
) -> Result<Vec<core_battles::Source>, EngineError> {
    options.paths.iter().map(|path| source(path)).collect()
}

/// A file for the reader of judgments.
pub(crate) fn reader(path: &Path) -> Result<BufReader<File>, EngineError> {
    Ok(BufReader::with_capacity(
        1 << 16,
        open_input(path).map_err(|e| unreadable(path, &e))?,
    ))
}

fn unreadable(path: &Path, error: &std::io::Error) -> EngineError {
    EngineError::Setting(format!("{}: cannot be read: {error}", path.display()))
}
