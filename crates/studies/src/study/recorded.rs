//! Cells, and judges of labelled pairs, from judgments that exist already.

use super::cell::{Cell, Spending, Verdicts, ratings_of};
use super::config::{Config, Input, Recorded, setting, spellings};
use super::input_data::{in_table, input_data};
use super::totals::JudgedSets;
use crate::bencher::{JudgedOptions, Rated, leaderboard_options};
use crate::judge::{JudgedPairs, RecordedOptions};
use evenhand_engine::{EngineError, Sample, SampleData, Votes};
use evenhand_formats::Dataset;
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
        if let Some(set) = config.labelled.get(&recorded.input) {
            add_judges(&mut found, recorded, set)?;
        }
    }
    Ok(found)
}

fn add_judges(found: &mut JudgedSets, recorded: &Recorded, set: &Input) -> Result<(), EngineError> {
    let input = &recorded.input;
    let judges = read_judges(recorded, set).map_err(|error| in_recorded(input, error))?;
    for judged in judges {
        check_is_new(found, input, &judged)?;
        found.push((input.clone(), judged));
    }
    Ok(())
}

fn in_recorded(input: &str, error: EngineError) -> EngineError {
    in_table(&format!("[[recorded]] on [labelled.{input}]:"), error)
}

fn check_is_new(found: &JudgedSets, input: &str, judged: &JudgedPairs) -> Result<(), EngineError> {
    let mut of_input = found.iter().filter(|(other, _)| other == input);
    if of_input.any(|(_, other)| other.is_same_judge(judged)) {
        return Err(recorded_twice(input, judged));
    }
    Ok(())
}

fn recorded_twice(input: &str, judged: &JudgedPairs) -> EngineError {
    let (judge, protocol) = (&judged.judge, judged.protocol_name());
    setting(format!(
        "[[recorded]] {judge} on {input}, {protocol}: it is there twice; give all its files together"
    ))
}

fn read_judges(recorded: &Recorded, set: &Input) -> Result<Vec<JudgedPairs>, EngineError> {
    let options = recorded_options(recorded, set)?;
    let mut judges = crate::judge::recorded(&options, own_data(set)?.as_ref())?;
    for judged in &mut judges {
        judged.set_protocol(&recorded.kind);
    }
    Ok(judges)
}

/// Loads the data of an input set, if it has any.
fn own_data(set: &Input) -> Result<Option<Dataset>, EngineError> {
    let has_data = !set.data.is_empty();
    has_data.then(|| input_data(set)).transpose()
}

fn recorded_options(recorded: &Recorded, set: &Input) -> Result<RecordedOptions, EngineError> {
    Ok(RecordedOptions {
        recorded: recorded.files.clone(),
        judge: recorded.judge.clone(),
        labels: set.labels.clone(),
        reading: reading_options(recorded, set)?,
        only_items_of_data: set.items.is_some() || !set.filter.is_empty(),
        ..RecordedOptions::default()
    })
}

fn reading_options(recorded: &Recorded, set: &Input) -> Result<Options, EngineError> {
    let outcomes = recorded.outcomes.as_deref().or(set.outcomes.as_deref());
    Ok(Options {
        filter: Filter::parse(&recorded.filter)?,
        outcomes: spellings(outcomes)?,
        baseline: recorded.baseline.clone(),
        ..Options::default()
    })
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
        verdicts: verdicts_of(&sample, recorded)?,
        trials: sample.coverage.trials,
        judged: sample.coverage.verdicts,
        systems: sample.systems,
        spent: recorded.cost_usd.map(Spending::of_usd),
        random: None,
    })
}

fn read_sample(recorded: &Recorded, config: &Config) -> Result<Sample, EngineError> {
    let judged = judged_options(recorded, config)?;
    let files = data_files(&recorded.files)?;
    Sample::read(&leaderboard_options(&files, &judged, false), Votes::Each)
}

fn judged_options(recorded: &Recorded, config: &Config) -> Result<JudgedOptions, EngineError> {
    Ok(JudgedOptions {
        systems: recorded.systems.clone(),
        baseline: recorded.baseline.clone(),
        strength: config.strength,
        filter: Filter::parse(&recorded.filter)?,
        outcomes: spellings(recorded.outcomes.as_deref())?,
        ..JudgedOptions::default()
    })
}

fn verdicts_of(sample: &Sample, recorded: &Recorded) -> Result<Verdicts, EngineError> {
    match sample.data() {
        Some(SampleData::Comparisons(pairs)) => Ok(Verdicts::Pairs(pairs.clone())),
        Some(SampleData::Scores(scores)) => Ok(Verdicts::of_scores(scores.clone())?),
        None => Err(counts_alone(recorded)),
    }
}

fn counts_alone(recorded: &Recorded) -> EngineError {
    setting(format!(
        "recorded {} on {}: counts without items cannot be resampled; give the judgments themselves",
        recorded.judge.as_deref().unwrap_or_default(),
        recorded.input
    ))
}

/// Returns the files named, and the data files of the directories among them, in the order of their
/// names.
fn data_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, EngineError> {
    let files = paths.iter().map(|path| files_at(path));
    Ok(files.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Returns the files of a directory, or the file itself.
fn files_at(path: &Path) -> Result<Vec<PathBuf>, EngineError> {
    if path.is_dir() {
        files_in(path)
    } else {
        Ok(vec![path.to_path_buf()])
    }
}

fn files_in(directory: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let entries = directory
        .read_dir()
        .map_err(|error| unreadable(directory, &error))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    files.sort();
    Ok(files)
}

fn unreadable(path: &Path, error: &std::io::Error) -> EngineError {
    setting(format!("{}: cannot be read: {error}", path.display()))
}
