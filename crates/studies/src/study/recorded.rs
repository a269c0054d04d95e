//! Cells from judgments that exist already.

use super::cell::{Cell, Spending, Verdicts, ratings};
use super::config::{Config, Recorded, setting, spellings};
use crate::bencher::{Judged, Rated, reading};
use evenhand_core::formats::Filter;
use evenhand_engine::{EngineError, Sample, SampleData, Votes};
use std::path::{Path, PathBuf};

/// One for each entry of `[[recorded]]`.
pub(super) fn cells(config: &Config, rated: Option<&Rated>) -> Result<Vec<Cell>, EngineError> {
    config.recorded.iter().map(|recorded| cell(recorded, config, rated)).collect()
}

fn cell(recorded: &Recorded, config: &Config, rated: Option<&Rated>) -> Result<Cell, EngineError> {
    let judged = Judged {
        systems: recorded.systems.clone(),
        baseline: recorded.baseline.clone(),
        strength: config.strength,
        filter: Filter::parse(&recorded.filter)?,
        outcomes: spellings(recorded.outcomes.as_deref())?,
        ..Judged::default()
    };
    let sample = Sample::read(&reading(&files(&recorded.files)?, &judged, false), Votes::Each)?;
    let verdicts = match sample.data() {
        Some(SampleData::Comparisons(pairs)) => Verdicts::Pairs(pairs.clone()),
        Some(SampleData::Scores(scores)) => Verdicts::of_scores(scores.clone())?,
        None => {
            let why = "counts without items cannot be resampled; give the judgments themselves";
            return Err(setting(format!("recorded {} on {}: {why}", recorded.judge, recorded.input)));
        }
    };
    Ok(Cell {
        input: recorded.input.clone(),
        judge: recorded.judge.clone(),
        kind: recorded.kind.clone(),
        ratings: ratings(&sample.systems, rated)?,
        systems: sample.systems.clone(),
        verdicts,
        trials: sample.coverage.trials,
        judged: sample.coverage.verdicts,
        spent: recorded.cost_usd.map(|usd| Spending { usd: Some(usd), ..Spending::default() }),
    })
}

/// The files named, and the data files of the directories among them, in the order of their names.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, EngineError> {
    let mut all = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => all.extend(of_directory(path)?),
            false => all.push(path.clone()),
        }
    }
    Ok(all)
}

fn of_directory(path: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let unreadable = |e: std::io::Error| setting(format!("{}: cannot be read: {e}", path.display()));
    let entries = std::fs::read_dir(path).map_err(unreadable)?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file()).collect();
    files.sort();
    Ok(files)
}
