//! Reads a judge's verdicts and people's labels, and says what they are.

use super::refuse_labels;
use crate::leaderboard::conflicts::check_own_estimator;
use crate::leaderboard::gathered::{FileSummary, KeptSystems};
use crate::leaderboard::options::LeaderboardOptions;
use crate::leaderboard::reading::judgment_reading;
use crate::leaderboard::recorded::{read_judgments_as, summarise_recorded};
use crate::leaderboard::sort::{FileSort, sort_of_files};
use crate::plan::conditions::{check_conditions, conditions_of};
use crate::{Aggregation, EngineError, Warning};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_formats::judgments::{Error, Options, RecordedJudgments};
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
    let here = options_for(paths, options);
    let sort = sort_of_files(&here)?;
    if sort == FileSort::Counts {
        return Err(refuse_unnamed_items(paths, COUNTS_NAME_NONE).into());
    }
    read_judgments_as(paths, &reading_with_battles(&here)).map_err(|error| match sort {
        FileSort::Battles if is_unknown_format(&error) => {
            refuse_unnamed_items(paths, BATTLES_NAME_NONE).into()
        }
        _ => error,
    })
}

const COUNTS_NAME_NONE: &str = "counts name no items, by which labels and verdicts are matched; \
                                give judgments, scores or battles";
const BATTLES_NAME_NONE: &str = "the battles name no items, by which labels and verdicts are \
                                 matched; expected the item in a column `question_id` or `item`";

/// The options for some of the files, with the conditions that those have fields for.
fn options_for(paths: &[PathBuf], options: &LeaderboardOptions) -> LeaderboardOptions {
    LeaderboardOptions {
        paths: paths.to_vec(),
        filter: conditions_of(&options.filter, paths),
        ..options.clone()
    }
}

/// Battles whose items have names are read as judgments.
fn reading_with_battles(options: &LeaderboardOptions) -> Options {
    Options {
        battles: true,
        ..judgment_reading(options)
    }
}

fn is_unknown_format(error: &EngineError) -> bool {
    use Error::{DataSet, Unrecognised};
    matches!(
        error,
        EngineError::Judgments(Unrecognised { .. } | DataSet { .. })
    )
}

fn refuse_unnamed_items(paths: &[PathBuf], what: &str) -> Refusal {
    let files = display_all(paths);
    refuse_labels(Cause::Data, format!("{files}: {what}"))
}

fn display_all(paths: &[PathBuf]) -> String {
    let names = paths.iter().map(|path| path.display().to_string());
    names.collect::<Vec<String>>().join(", ")
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
    let scores = judged.are_scores;
    check_one_sort(scores, people)?;
    let aggregation = options.rank.aggregation.unwrap_or(default_for(scores));
    if !has_estimator(aggregation, scores) {
        return Err(refuse_aggregation_with_labels(scores, aggregation).into());
    }
    if options.rank.differences && aggregation != Aggregation::BradleyTerry {
        return Err(refuse_differences().into());
    }
    Ok(aggregation)
}

fn default_for(scores: bool) -> Aggregation {
    if scores {
        Aggregation::Mean
    } else {
        Aggregation::BradleyTerry
    }
}

/// Whether an aggregation has a prediction-powered estimator, of scores or of comparisons.
fn has_estimator(aggregation: Aggregation, scores: bool) -> bool {
    match aggregation {
        Aggregation::Mean => scores,
        Aggregation::BradleyTerry | Aggregation::WinRatio => !scores,
        _ => false,
    }
}

fn refuse_differences() -> Refusal {
    let labels = Setting::Labels;
    let reason = format!("with {labels} it is for bradley-terry");
    Refusal::new(Setting::Differences, Cause::Conflict(labels), reason)
}

fn check_one_sort(judge_scores: bool, people: &RecordedJudgments) -> Result<(), Refusal> {
    let people_scores = people.are_scores;
    let nothing = people.comparisons.is_empty() && !people_scores;
    if nothing || judge_scores == people_scores {
        return Ok(());
    }
    Err(refuse_two_sorts(
        kind_of(judge_scores),
        kind_of(people_scores),
    ))
}

fn refuse_two_sorts(judge: &str, people: &str) -> Refusal {
    let reason = format!("the judge gave {judge} and people {people}; both must be of one sort");
    refuse_labels(Cause::Data, reason)
}

fn kind_of(scores: bool) -> &'static str {
    if scores { "scores" } else { "comparisons" }
}

fn refuse_aggregation_with_labels(scores: bool, aggregation: Aggregation) -> Refusal {
    let (what, other) = (kind_of(scores), aggregation.name());
    let (aggregate, known) = (Setting::Aggregate, names_for(scores));
    let why = format!("for {what} there is {aggregate} {known}, and not {other}");
    refuse_labels(Cause::Conflict(aggregate), why)
}

/// Names the aggregations that have a prediction-powered estimator.
fn names_for(scores: bool) -> &'static str {
    if scores {
        "mean"
    } else {
        "bradley-terry or win-ratio"
    }
}

/// Says what the files of both were.
pub(super) fn summarise_files(
    judged: &RecordedJudgments,
    people: &RecordedJudgments,
    kept: &KeptSystems,
) -> FileSummary {
    let mut files = summarise_recorded(judged, kept);
    let labels = summarise_recorded(people, &KeptSystems::all(&people.systems));
    let warnings = labels.warnings.iter().map(mark_warning);
    files.warnings.extend(warnings);
    let formats = labels
        .formats
        .iter()
        .map(|format| format!("labels: {format}"));
    files.formats.extend(formats);
    files
}

/// Says that a warning is of the labels, not of the judge's files.
fn mark_warning(warning: &Warning) -> Warning {
    warning.kind.says(format!("labels: {warning}"))
}
