//! Cells, and judges of labelled pairs, from judgments that exist already.

use super::cell::{Cell, Spending, Verdicts, ratings_of};
use super::config::{Config, Input, Recorded, setting, spellings};
use super::input_data::{in_table, input_data};
use super::totals::JudgedSets;
use crate::bencher::{JudgedOptions, Rated, leaderboard_options};
use crate::judge::{JudgedPairs, RecordedOptions};
use evenhand_engine::EngineError;
use evenhand_formats::battles::Columns;
use evenhand_formats::judgments::Options;
use evenhand_formats::records::Filter;
use evenhand_ranking::{Sample, SampleData, Votes};
use std::path::PathBuf;

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
            let mut of_input = found.iter().filter(|(other, _)| other == input);
            if of_input.any(|(_, other)| other.is_same_judge(&judged)) {
                let (judge, protocol) = (&judged.judge, judged.protocol_name());
                return Err(setting(format!(
                    "[[recorded]] {judge} on {input}, {protocol}: it is there twice; give all its \
                     files together"
                )));
            }
            found.push((input.clone(), judged));
        }
    }
    Ok(found)
}

fn read_judges(recorded: &Recorded, set: &Input) -> Result<Vec<JudgedPairs>, EngineError> {
    let outcomes = recorded.outcomes.as_deref().or(set.outcomes.as_deref());
    let options = RecordedOptions {
        recorded: recorded.files.clone(),
        judge: recorded.judge.clone(),
        labels: set.labels.clone(),
        reading: Options {
            columns: Columns {
                filter: Filter::parse(&recorded.filter)?,
                outcomes: spellings(outcomes)?,
                ..Columns::default()
            },
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
        judged.set_protocol(&recorded.kind);
    }
    Ok(judges)
}

fn recorded_cell(
    recorded: &Recorded,
    config: &Config,
    rated: Option<&Rated>,
) -> Result<Cell, EngineError> {
    let judged = JudgedOptions {
        systems: recorded.systems.clone(),
        baseline: recorded.baseline.clone(),
        strength: config.strength,
        filter: Filter::parse(&recorded.filter)?,
        outcomes: spellings(recorded.outcomes.as_deref())?,
        ..JudgedOptions::default()
    };
    let files = data_files(&recorded.files)?;
    let sample = Sample::read(&leaderboard_options(&files, &judged, false), Votes::Each)?;
    let judge = recorded.judge.clone().unwrap_or_default();
    let ratings = ratings_of(&sample.systems, rated)?;
    let verdicts = match sample.data() {
        Some(SampleData::Comparisons(pairs)) => Verdicts::Pairs(pairs.clone()),
        Some(SampleData::Scores(scores)) => Verdicts::of_scores(scores.clone())?,
        None => {
            return Err(setting(format!(
                "recorded {judge} on {}: counts without items cannot be resampled; give the \
                 judgments themselves",
                recorded.input
            )));
        }
    };
    Ok(Cell {
        input: recorded.input.clone(),
        judge,
        kind: recorded.kind.clone(),
        ratings,
        verdicts,
        trials: sample.coverage.trials,
        judged: sample.coverage.verdicts,
        systems: sample.systems,
        spent: recorded.cost_usd.map(Spending::of_usd),
        random: None,
    })
}

/// Returns the files named, and the data files of the directories among them, in the order of their
/// names.
fn data_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, EngineError> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let entries = path
            .read_dir()
            .map_err(|error| setting(format!("{}: cannot be read: {error}", path.display())))?;
        let inside = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut files: Vec<PathBuf> = inside.filter(|path| path.is_file()).collect();
        files.sort();
        found.extend(files);
    }
    Ok(found)
}
