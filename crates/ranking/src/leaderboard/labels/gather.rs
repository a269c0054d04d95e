//! Reads a judge's verdicts and people's labels, and says what they are.

use super::refuse_labels;
use crate::Aggregation;
use crate::leaderboard::conflicts::check_own_estimator;
use crate::leaderboard::gathered::{FileSummary, KeptSystems};
use crate::leaderboard::options::LeaderboardOptions;
use crate::leaderboard::reading::judgment_reading;
use crate::leaderboard::recorded::{read_judgments_as, summarise_recorded};
use crate::leaderboard::sort::{FileSort, sort_of_files};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_engine::{check_conditions, conditions_of};
use evenhand_formats::DataProblem;
use evenhand_formats::judgments::{Options, RecordedJudgments};
use std::path::PathBuf;

/// Reads the judge's files, and those of the labels.
pub(super) fn read_judged_and_labels(
    options: &LeaderboardOptions,
) -> Result<(RecordedJudgments, RecordedJudgments), EngineError> {
    check_own_estimator(Setting::Labels, options)?;
    // A field may be in the judge's files alone, or in those of the labels.
    let all = [options.paths.clone(), options.labels.clone()].concat();
    check_conditions(&options.filter, &all)?;
    let judged = read_named_items(&options.paths, options)?;
    let people = read_named_items(&options.labels, options)?;
    Ok((judged, people))
}

/// Reads judgments, scores, or battles whose items have names.
fn read_named_items(
    paths: &[PathBuf],
    options: &LeaderboardOptions,
) -> Result<RecordedJudgments, EngineError> {
    let refuse = |what: &str| {
        let names: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let files = names.join(", ");
        EngineError::from(refuse_labels(Cause::Data, format!("{files}: {what}")))
    };
    // The conditions that these files have fields for.
    let here = LeaderboardOptions {
        paths: paths.to_vec(),
        filter: conditions_of(&options.filter, paths),
        ..options.clone()
    };
    let sort = sort_of_files(&here)?;
    if sort == FileSort::Counts {
        return Err(refuse(
            "counts name no items, by which labels and verdicts are matched; give judgments, \
             scores or battles",
        ));
    }
    let reading = Options {
        battles: true,
        ..judgment_reading(&here)
    };
    read_judgments_as(paths, &reading).map_err(|error| match &error {
        EngineError::Data(data) if sort == FileSort::Battles => match *data.problem {
            DataProblem::NoJudgments { .. } | DataProblem::DataSet { .. } => refuse(
                "the battles name no items, by which labels and verdicts are matched; expected \
                 the item in a column `question_id` or `item`",
            ),
            _ => error,
        },
        _ => error,
    })
}

/// Returns the aggregation: of strengths or win ratios from comparisons, of means from scores.
///
/// # Errors
/// Verdicts and labels of different sorts; an aggregation that has no prediction-powered estimator.
pub(super) fn check_aggregation(
    judged: &RecordedJudgments,
    people: &RecordedJudgments,
    options: &LeaderboardOptions,
) -> Result<Aggregation, EngineError> {
    let kind_of = |scores: bool| if scores { "scores" } else { "comparisons" };
    let scores = judged.are_scores;
    let is_empty = people.comparisons.is_empty() && !people.are_scores;
    if !is_empty && people.are_scores != scores {
        let reason = format!(
            "the judge gave {} and people {}; both must be of one sort",
            kind_of(scores),
            kind_of(people.are_scores)
        );
        return Err(refuse_labels(Cause::Data, reason).into());
    }
    let (usual, known) = if scores {
        (Aggregation::Mean, "mean")
    } else {
        (Aggregation::BradleyTerry, "bradley-terry or win-ratio")
    };
    let aggregation = options.rank.aggregation.unwrap_or(usual);
    let has_estimator = match aggregation {
        Aggregation::Mean => scores,
        Aggregation::BradleyTerry | Aggregation::WinRatio => !scores,
        _ => false,
    };
    if !has_estimator {
        let aggregate = Setting::Aggregate;
        let why = format!(
            "for {} there is {aggregate} {known}, and not {}",
            kind_of(scores),
            aggregation.name()
        );
        return Err(refuse_labels(Cause::Conflict(aggregate), why).into());
    }
    if options.rank.differences && aggregation != Aggregation::BradleyTerry {
        let labels = Setting::Labels;
        let reason = format!("with {labels} it is for bradley-terry");
        return Err(Refusal::new(Setting::Differences, Cause::Conflict(labels), reason).into());
    }
    Ok(aggregation)
}

/// Says what the files of both were.
pub(super) fn summarise_files(
    judged: &RecordedJudgments,
    people: &RecordedJudgments,
    kept: &KeptSystems,
) -> FileSummary {
    let mut files = summarise_recorded(judged, kept);
    let labels = summarise_recorded(people, &KeptSystems::all(&people.systems));
    for warning in &labels.warnings {
        let of_labels = warning.kind.says(format!("labels: {warning}"));
        files.warnings.push(of_labels);
    }
    for format in &labels.formats {
        files.formats.push(format!("labels: {format}"));
    }
    files
}
