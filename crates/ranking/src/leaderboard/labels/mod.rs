//! People's labels beside a judge's verdicts: prediction-powered rankings (PPI++; Angelopoulos,
//! Duchi and Zrnic 2023).

mod corrected;
mod matched;
mod means;
mod powered;
mod strengths;

use super::files::{FileSort, judgment_reading, sort_of_files};
use super::gathered::KeptSystems;
use super::options::{LeaderboardOptions, check_own_estimator};
use super::recorded::{read_judgments_as, summarise_recorded};
use crate::{Aggregation, Report, WarningKind};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::{EngineError, check_conditions, conditions_of};
use evenhand_formats::DataProblem;
use evenhand_formats::judgments::{Options, RecordedJudgments};
use matched::match_rows;
use std::path::PathBuf;

/// Ranks by the judge's verdicts and people's labels together.
pub(super) fn rank_with_labels(options: &LeaderboardOptions) -> Result<Report, EngineError> {
    check_own_estimator(Setting::Labels, options)?;
    // A field may be in the judge's files alone, or in those of the labels.
    let all = [options.paths.clone(), options.labels.clone()].concat();
    check_conditions(&options.reading.columns.filter, &all)?;
    let judged = read_named_items(&options.paths, options)?;
    let people = read_named_items(&options.labels, options)?;
    let aggregation = check_aggregation(&judged, &people, options)?;
    let kept = KeptSystems::select(&judged.systems, options)?;
    let mut files = summarise_recorded(&judged, &kept);
    let labels = summarise_recorded(&people, &KeptSystems::all(&people.systems));
    // People label a part of what is judged.
    let warnings = labels.warnings.iter();
    for warning in warnings.filter(|one| one.kind != WarningKind::MissingResponses) {
        let of_labels = warning.kind.says(format!("labels: {warning}"));
        files.warnings.push(of_labels);
    }
    for format in &labels.formats {
        files.formats.push(format!("labels: {format}"));
    }
    let rows = match_rows(&judged, &people, &kept, options.systems.as_deref());
    if rows.matched() == 0 {
        let first = |of: &RecordedJudgments| {
            let system = of.systems.first().map_or("none", String::as_str);
            let item = of.items.first().map_or("none", String::as_str);
            format!("item `{item}` and system `{system}`")
        };
        let why = format!(
            "the judge has judged none of the {} labelled rows; rows are matched by the names of \
             the item and the systems, which begin with {} in the labels and with {} in what was \
             judged",
            rows.unmatched,
            first(&people),
            first(&judged)
        );
        return Err(refuse_labels(Cause::Data, why).into());
    }
    let method = options.rank.method_with_own_intervals(aggregation)?;
    let powered = match aggregation {
        Aggregation::BradleyTerry => {
            strengths::power_strengths(&rows, &files.names, &method, options.rank.scale)?
        }
        _ => means::power_means(&rows, &files.names, &method)?,
    };
    Ok(powered.report(options, files, aggregation, &method))
}

/// A refusal of people's labels.
fn refuse_labels(cause: Cause, why: impl Into<String>) -> Refusal {
    Refusal::new(Setting::Labels, cause, why)
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
    let mut here = LeaderboardOptions {
        paths: paths.to_vec(),
        ..options.clone()
    };
    let columns = &mut here.reading.columns;
    columns.filter = conditions_of(&columns.filter, paths);
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
fn check_aggregation(
    judged: &RecordedJudgments,
    people: &RecordedJudgments,
    options: &LeaderboardOptions,
) -> Result<Aggregation, EngineError> {
    let kind_of = |scores: bool| if scores { "scores" } else { "comparisons" };
    let scores = judged.are_scores;
    let is_empty = people.comparisons.is_empty() && !people.are_scores;
    if !is_empty && people.are_scores != scores {
        let reason = format!(
            "the judge gave {} and people {}; both must be of the same kind",
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
