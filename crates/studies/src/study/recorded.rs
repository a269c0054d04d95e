//! Cells, and judges of labelled pairs, from judgments that exist already.

use super::cell::{Cell, Spending, Verdicts, ratings};
use super::config::{Config, Input, Recorded, setting, spellings};
use super::live::{data, of_table};
use crate::bencher::{self, Rated, reading};
use crate::judge::{Evaluation, Judged, RecordedOptions, Settings, evaluate};
use evenhand_engine::{EngineError, Sample, SampleData, Votes};
use evenhand_formats::judgments::Options;
use evenhand_formats::records::Filter;
use evenhand_stats::Bootstrap;
use std::path::{Path, PathBuf};

/// One for each entry of `[[recorded]]`.
pub(super) fn cells(config: &Config, rated: Option<&Rated>) -> Result<Vec<Cell>, EngineError> {
    config
        .rated()
        .map(|recorded| cell(recorded, config, rated))
        .collect()
}

/// The judges whose verdicts on labelled input sets exist already (settings 2 and 3), each with its
/// input set.
pub(super) fn labelled(
    config: &Config,
    plan: &Bootstrap,
) -> Result<Vec<(String, Evaluation)>, EngineError> {
    let settings = Settings {
        bootstrap: *plan,
        ..Settings::default()
    };
    let mut found: Vec<(String, Evaluation)> = Vec::new();
    for recorded in &config.recorded {
        let (input, Some(set)) = (&recorded.input, config.labelled.get(&recorded.input)) else {
            continue;
        };
        let judges = judges(recorded, set)
            .map_err(|error| of_table(&format!("[[recorded]] on [labelled.{input}]:"), error))?;
        for judged in judges {
            let same = |(other, of): &(String, Evaluation)| {
                (other, &of.judge, &of.protocol) == (input, &judged.judge, &judged.protocol)
            };
            if found.iter().any(same) {
                let (judge, kind) = (&judged.judge, &judged.protocol);
                return Err(setting(format!(
                    "[[recorded]] {judge} on {input}, {kind}: it is there twice; give all its \
                     files together"
                )));
            }
            found.push((input.clone(), evaluate(&judged, &settings)?));
        }
    }
    Ok(found)
}

fn judges(recorded: &Recorded, set: &Input) -> Result<Vec<Judged>, EngineError> {
    let outcomes = spellings(recorded.outcomes.as_deref().or(set.outcomes.as_deref()))?;
    let reading = Options {
        filter: Filter::parse(&recorded.filter)?,
        outcomes,
        baseline: recorded.baseline.clone(),
        ..Options::default()
    };
    let options = RecordedOptions {
        recorded: recorded.files.clone(),
        judge: recorded.judge.clone(),
        labels: set.labels.clone(),
        reading,
        only_items_of_data: set.items.is_some() || !set.filter.is_empty(),
        ..RecordedOptions::default()
    };
    let data = if set.data.is_empty() {
        None
    } else {
        Some(data(set)?)
    };
    let mut judges = crate::judge::recorded(&options, data.as_ref())?;
    judges
        .iter_mut()
        .for_each(|judged| judged.protocol = recorded.kind.clone());
    Ok(judges)
}

fn cell(recorded: &Recorded, config: &Config, rated: Option<&Rated>) -> Result<Cell, EngineError> {
    let judge = recorded.judge.clone().unwrap_or_default();
    let judged = bencher::Judged {
        systems: recorded.systems.clone(),
        baseline: recorded.baseline.clone(),
        strength: config.strength,
        filter: Filter::parse(&recorded.filter)?,
        outcomes: spellings(recorded.outcomes.as_deref())?,
        ..bencher::Judged::default()
    };
    let sample = Sample::read(
        &reading(&files(&recorded.files)?, &judged, false),
        Votes::Each,
    )?;
    let verdicts = match sample.data() {
        Some(SampleData::Comparisons(pairs)) => Verdicts::Pairs(pairs.clone()),
        Some(SampleData::Scores(scores)) => Verdicts::of_scores(scores.clone())?,
        None => {
            let why = "counts without items cannot be resampled; give the judgments themselves";
            return Err(setting(format!(
                "recorded {judge} on {}: {why}",
                recorded.input
            )));
        }
    };
    Ok(Cell {
        input: recorded.input.clone(),
        judge,
        kind: recorded.kind.clone(),
        ratings: ratings(&sample.systems, rated)?,
        systems: sample.systems.clone(),
        verdicts,
        trials: sample.coverage.trials,
        judged: sample.coverage.verdicts,
        spent: recorded.cost_usd.map(|usd| Spending {
            usd: Some(usd),
            ..Spending::default()
        }),
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
    let unreadable =
        |e: std::io::Error| setting(format!("{}: cannot be read: {e}", path.display()));
    let entries = std::fs::read_dir(path).map_err(unreadable)?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    Ok(files)
}
