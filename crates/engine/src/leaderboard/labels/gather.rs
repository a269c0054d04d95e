//! Reads a judge's verdicts and people's labels, and says what they are.

use super::refuse_labels;
use crate::leaderboard::conflicts::check_own_estimator;
use crate::leaderboard::gathered::{FileSummary, KeptSystems};
use crate::leaderboard::options::LeaderboardOptions;
use crate::leaderboard::reading::judgment_reading;
use crate::leaderboard::recorded::{read_judgments_as, summarise_recorded};
use crate::leaderboard::sort::{FileSort, sort_of_files};
use crate::plan::conditions::{check_conditions, conditions_of};
use crate::{Aggregation, EngineError};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_formats::judgments::{Error, Options, RecordedJudgments};
use std::path::PathBuf;

/// Reads the judge's files, and those of the labels.
pub(super) fn read_judged_and_labels(
    options: &LeaderboardOptions,
) -> Result<(RecordedJudgments, RecordedJudgments), EngineError> {
    check_own_estimator(Setting::Labels, options)?;
    let all = [options.paths.clone(), options.labels.clone()].concat();
    check_conditions(&options.filter, &all)?;
    let judged = read_named_items(&options.paths, options)?;
    Ok((judged, read_named_items(&options.labels, options)?))
}

/// Reads judgments, scores, or battles whose items have names.
fn read_named_items(
    paths: &[PathBuf],
    options: &LeaderboardOptions,
) -> Result<RecordedJudgments, EngineError> {
    let here = LeaderboardOptions {
        paths: paths.to_vec(),
        filter: conditions_of(&options.filter, paths),
        ..options.clone()
    };
    let reading = Options {
        battles: true,
        ..judgment_reading(&here)
    };
    let sort = sort_of_files(&here)?;
    if sort == FileSort::Counts {
        let what = "counts name no items, by which labels and verdicts are matched; give \
                    judgments, scores or battles";
        return Err(refuse_unnamed_items(paths, what).into());
    }
    match read_judgments_as(paths, &reading) {
        Err(EngineError::Judgments(Error::Unrecognised { .. } | Error::DataSet { .. }))
            if sort == FileSort::Battles =>
        {
            let what = "the battles name no items, by which labels and verdicts are matched; \
                        expected the item in a column `question_id` or `item`";
            Err(refuse_unnamed_items(paths, what).into())
        }
        read => read,
    }
}

fn refuse_unnamed_items(paths: &[PathBuf], what: &str) -> Refusal {
    let names = paths.iter();
    let names: Vec<String> = names.map(|path| path.display().to_string()).collect();
    refuse_labels(Cause::Data, format!("{}: {what}", names.join(", ")))
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
    let scores = !judged.scores.is_empty();
    check_one_sort(scores, people)?;
    let default = if scores {
        Aggregation::Mean
    } else {
        Aggregation::BradleyTerry
    };
    let aggregation = options.rank.aggregation.unwrap_or(default);
    let known = match aggregation {
        Aggregation::Mean => scores,
        Aggregation::BradleyTerry | Aggregation::WinRatio => !scores,
        _ => false,
    };
    if !known {
        return Err(refuse_aggregation_with_labels(scores, aggregation).into());
    }
    if options.rank.differences && aggregation != Aggregation::BradleyTerry {
        let labels = Setting::Labels;
        let reason = format!("with {labels} it is for bradley-terry");
        let conflict = Cause::Conflict(labels);
        return Err(Refusal::new(Setting::Differences, conflict, reason).into());
    }
    Ok(aggregation)
}

fn check_one_sort(judge_scores: bool, people: &RecordedJudgments) -> Result<(), Refusal> {
    let nothing = people.comparisons.is_empty() && people.scores.is_empty();
    if nothing || judge_scores != people.scores.is_empty() {
        return Ok(());
    }
    let (judge, people) = if judge_scores {
        ("scores", "comparisons")
    } else {
        ("comparisons", "scores")
    };
    let reason = format!("the judge gave {judge} and people {people}; both must be of one sort");
    Err(refuse_labels(Cause::Data, reason))
}

fn refuse_aggregation_with_labels(scores: bool, aggregation: Aggregation) -> Refusal {
    let (what, which) = if scores {
        ("scores", "mean")
    } else {
        ("comparisons", "bradley-terry or win-ratio")
    };
    let aggregate = Setting::Aggregate;
    refuse_labels(
        Cause::Conflict(aggregate),
        format!(
            "for {what} there is {aggregate} {which}, and not {}",
            aggregation.name()
        ),
    )
}

/// Says what the files of both were.
pub(super) fn summarise_files(
    judged: &RecordedJudgments,
    people: &RecordedJudgments,
    kept: &KeptSystems,
) -> FileSummary {
    let mut files = summarise_recorded(judged, kept);
    let labels = summarise_recorded(people, &KeptSystems::all(&people.systems));
    let warnings = labels.warnings.into_iter();
    files
        .warnings
        .extend(warnings.map(|warning| warning.kind.says(format!("labels: {warning}"))));
    let formats = labels.formats.into_iter();
    files
        .formats
        .extend(formats.map(|format| format!("labels: {format}")));
    files
}
