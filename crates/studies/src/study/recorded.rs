//! Cells, and judges of labelled pairs, from judgments that exist already.

use super::cell::{Cell, Spending, Verdicts, ratings_of};
use super::config::{Config, Input, Recorded, setting, spellings};
use super::live::{in_table, input_data};
use super::totals::JudgedSets;
use crate::bencher::{JudgedOptions, Rated, leaderboard_options};
use crate::judge::{JudgedPairs, RecordedOptions};
use evenhand_engine::{EngineError, Sample, SampleData, Votes};
use evenhand_formats::judgments::Options;
use evenhand_formats::records::Filter;
use std::path::{Path, PathBuf};

/// Returns a cell for each entry of `[[recorded]]` that is held against ratings.
pub(super) fn recorded_cells(
    config: &Config,
    rated: Option<&Rated>,
) -> Result<Vec<Cell>, EngineError> {
    config
        .rated()
        .map(|recorded| recorded_cell(recorded, config, rated))
        .collect()
}

/// Returns the judges whose verdicts on labelled input sets exist already (settings 2 and 3), each
/// with its input set.
pub(super) fn recorded_judges(config: &Config) -> Result<JudgedSets, EngineError> {
    let mut found = JudgedSets::new();
    for recorded in &config.recorded {
        let input = &recorded.input;
        let Some(set) = config.labelled.get(input) else {
            continue;
        };
        let judges = read_judges(recorded, set)
            .map_err(|error| in_table(&format!("[[recorded]] on [labelled.{input}]:"), error))?;
        for judged in judges {
            check_is_new(&found, input, &judged)?;
            found.push((input.clone(), judged));
        }
    }
    Ok(found)
}

fn check_is_new(found: &JudgedSets, input: &str, judged: &JudgedPairs) -> Result<(), EngineError> {
    let JudgedPairs {
        judge, protocol, ..
    } = judged;
    let is_same = |(other, of): &(String, JudgedPairs)| {
        other == input && of.judge == *judge && of.protocol == *protocol
    };
    if found.iter().any(is_same) {
        return Err(setting(format!(
            "[[recorded]] {judge} on {input}, {protocol}: it is there twice; give all its files \
             together"
        )));
    }
    Ok(())
}

fn read_judges(recorded: &Recorded, set: &Input) -> Result<Vec<JudgedPairs>, EngineError> {
    let options = RecordedOptions {
        recorded: recorded.files.clone(),
        judge: recorded.judge.clone(),
        labels: set.labels.clone(),
        reading: Options {
            filter: Filter::parse(&recorded.filter)?,
            outcomes: spellings(recorded.outcomes.as_deref().or(set.outcomes.as_deref()))?,
            baseline: recorded.baseline.clone(),
            ..Options::default()
        },
        only_items_of_data: set.items.is_some() || !set.filter.is_empty(),
        ..RecordedOptions::default()
    };
    let data = if set.data.is_empty() {
        None
    } else {
        Some(input_data(set)?)
    };
    let mut judges = crate::judge::recorded(&options, data.as_ref())?;
    for judged in &mut judges {
        judged.protocol = recorded.kind.clone();
    }
    Ok(judges)
}

fn recorded_cell(
    recorded: &Recorded,
    config: &Config,
    rated: Option<&Rated>,
) -> Result<Cell, EngineError> {
    let sample = read_sample(recorded, config)?;
    Ok(Cell {
        input: recorded.input.clone(),
        judge: recorded.judge.clone().unwrap_or_default(),
        kind: recorded.kind.clone(),
        ratings: ratings_of(&sample.systems, rated)?,
        systems: sample.systems.clone(),
        verdicts: verdicts_of(&sample, recorded)?,
        trials: sample.coverage.trials,
        judged: sample.coverage.verdicts,
        spent: recorded.cost_usd.map(|usd| Spending {
            usd: Some(usd),
            ..Spending::default()
        }),
    })
}

fn read_sample(recorded: &Recorded, config: &Config) -> Result<Sample, EngineError> {
    let judged = JudgedOptions {
        systems: recorded.systems.clone(),
        baseline: recorded.baseline.clone(),
        strength: config.strength,
        filter: Filter::parse(&recorded.filter)?,
        outcomes: spellings(recorded.outcomes.as_deref())?,
        ..JudgedOptions::default()
    };
    let files = data_files(&recorded.files)?;
    Sample::read(&leaderboard_options(&files, &judged, false), Votes::Each)
}

fn verdicts_of(sample: &Sample, recorded: &Recorded) -> Result<Verdicts, EngineError> {
    match sample.data() {
        Some(SampleData::Comparisons(pairs)) => Ok(Verdicts::Pairs(pairs.clone())),
        Some(SampleData::Scores(scores)) => Ok(Verdicts::of_scores(scores.clone())?),
        None => Err(setting(format!(
            "recorded {} on {}: counts without items cannot be resampled; give the judgments \
             themselves",
            recorded.judge.as_deref().unwrap_or_default(),
            recorded.input
        ))),
    }
}

/// Returns the files named, and the data files of the directories among them, in the order of their
/// names.
fn data_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, EngineError> {
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() {
            all.extend(files_in(path)?);
        } else {
            all.push(path.clone());
        }
    }
    Ok(all)
}

fn files_in(directory: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let entries = std::fs::read_dir(directory)
        .map_err(|e| setting(format!("{}: cannot be read: {e}", directory.display())))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    Ok(files)
}
