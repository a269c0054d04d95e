//! Length-controlled win rates as AlpacaEval publishes them, from the weights of its models.

use super::conflicts::{Given, check_own_estimator, refuse_beside};
use super::gathered::{FileSummary, KeptSystems};
use super::length::{LENGTH_CONTROLLED, REFERENCE, refuse_length_control, scored_shares};
use super::options::{ClusterBy, LeaderboardOptions};
use super::published_files::{WeighedModel, read_difficulties, read_weights};
use crate::rank::method::{Ci, Method};
use crate::rank::scored::Scored;
use crate::report::data::RankingRow;
use crate::{Aggregation, EngineError, RankOptions, Report, ScoreUnit};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_stats::Estimate;
use evenhand_stats::control::{length_controlled_error, length_controlled_win_rate};
use std::path::Path;

/// Ranks the models by the win rates that their weights give.
pub(super) fn rank_by_weights(
    options: &LeaderboardOptions,
    weights: &Path,
) -> Result<Report, EngineError> {
    check_beside_weights(options)?;
    let difficulty = published_difficulties(options)?;
    let mut models = read_weights(weights, &options.filter, difficulty.len())?;
    let kept = KeptSystems::select(&names_of(&models), options)?;
    // Only after all names are known: a misspelt one is refused with those that there are.
    models.retain(|model| kept.names.contains(&model.name));
    report_of_models(options, &models, &difficulty)
}

fn published_difficulties(options: &LeaderboardOptions) -> Result<Vec<f64>, EngineError> {
    let path = options.published.difficulty.as_ref();
    let path = path.ok_or_else(refuse_without_difficulties)?;
    let rated = read_difficulties(path)?;
    Ok(rated.iter().map(|row| row.difficulty).collect())
}

fn names_of(models: &[WeighedModel]) -> Vec<String> {
    models.iter().map(|model| model.name.clone()).collect()
}

fn refuse_without_difficulties() -> Refusal {
    let needed = Setting::InstructionDifficulty;
    let weights = Setting::LengthControlWeights;
    let why = format!("{weights} needs {needed}, the file beside it");
    refuse_length_control(Cause::Needs(needed), why)
}

/// Refuses whatever comparisons would be read or ranked by: there are none.
fn check_beside_weights(options: &LeaderboardOptions) -> Result<(), Refusal> {
    let setting = Setting::LengthControlWeights;
    check_no_files(setting, options)?;
    refuse_beside(setting, &settings_of_ranking(options), WEIGHTS_ALONE)?;
    refuse_beside(setting, &settings_of_files(options), WEIGHTS_ALONE)?;
    check_own_estimator(setting, options)
}

fn check_no_files(setting: Setting, options: &LeaderboardOptions) -> Result<(), Refusal> {
    if options.paths.is_empty() {
        return Ok(());
    }
    let why = format!("it does not go with files of judgments{WEIGHTS_ALONE}; {LEAVE_ONE}");
    Err(Refusal::new(setting, Cause::Data, why))
}

const WEIGHTS_ALONE: &str = ": the rates are those of the weights";
const LEAVE_ONE: &str = "leave one of the two out";

fn settings_of_ranking(options: &LeaderboardOptions) -> [Given; 4] {
    let rank = &options.rank;
    let by_column = options.cluster != ClusterBy::Auto;
    [
        Given::new(&[Setting::Labels], !options.labels.is_empty()),
        Given::new(&[Setting::Aggregate], rank.aggregation.is_some()),
        Given::new(&[Setting::Differences], rank.differences),
        Given::new(&[Setting::Cluster], by_column),
    ]
}

fn settings_of_files(options: &LeaderboardOptions) -> [Given; 9] {
    use Setting::{ItemColumn, Left, Right, ScoreColumn, SystemColumn, Winner};
    [
        Given::new(&[Left, Right, Winner], options.names_columns()),
        Given::new(&[Setting::Weight], options.weight.is_some()),
        Given::new(&[Setting::BothBad], options.both_bad.is_some()),
        Given::new(&[Setting::Texts], options.texts.is_some()),
        Given::new(&[Setting::InputFormat], options.format.is_some()),
        Given::new(
            &[SystemColumn, ItemColumn, ScoreColumn],
            options.columns.iter().any(Option::is_some),
        ),
        Given::new(&[Setting::Baseline], options.baseline.is_some()),
        Given::new(&[Setting::BothGames], options.both_games),
        Given::new(&[Setting::Outcomes], !options.outcomes.is_empty()),
    ]
}

fn report_of_models(
    options: &LeaderboardOptions,
    models: &[WeighedModel],
    difficulty: &[f64],
) -> Result<Report, EngineError> {
    let method = method_without_intervals(options)?;
    let scored = score_models(models, difficulty)?;
    let files = summary_of_models(models);
    let report = files.report(options, Aggregation::WinRatio, &method);
    let report = report.with_scores(&files.names, scored, &method, options.rank.scale);
    let count = difficulty.len();
    let mut report = Report {
        aggregation: LENGTH_CONTROLLED,
        unit: ScoreUnit::LengthControlledShare,
        protocol: format!("published weights, with difficulties of {count} instructions"),
        ..report
    };
    note_reference(&mut report, models);
    Ok(report)
}

fn summary_of_models(models: &[WeighedModel]) -> FileSummary {
    FileSummary {
        names: names_of(models),
        by_item: true,
        ..FileSummary::default()
    }
}

/// Weights come without the data that intervals would be made of.
fn method_without_intervals(options: &LeaderboardOptions) -> Result<Method, EngineError> {
    let rank = RankOptions {
        ci: Ci::None,
        ..options.rank.clone()
    };
    rank.method(Aggregation::WinRatio)
}

fn note_reference(report: &mut Report, models: &[WeighedModel]) {
    for model in models.iter().filter(|model| model.is_reference()) {
        if let Some(row) = find_row(report, &model.name) {
            row.note = Some(REFERENCE.into());
        }
    }
}

fn find_row<'a>(report: &'a mut Report, name: &str) -> Option<&'a mut RankingRow> {
    let mut rows = report.ranking.iter_mut();
    rows.find(|row| row.system == name)
}

fn score_models(models: &[WeighedModel], difficulty: &[f64]) -> Result<Scored, Refusal> {
    let rates = models.iter().map(|model| rate_of_model(model, difficulty));
    let estimates = rates.collect::<Result<_, _>>()?;
    let over = |model: &WeighedModel| model.difficulties(difficulty).len() as u64;
    let n: Vec<u64> = models.iter().map(over).collect();
    let mut scored = scored_shares(estimates, &n);
    for (system, model) in scored.systems.iter_mut().zip(models) {
        system.standard_error = error_of_model(model, difficulty);
    }
    Ok(scored)
}

fn rate_of_model(model: &WeighedModel, difficulty: &[f64]) -> Result<Estimate, Refusal> {
    let over = model.difficulties(difficulty);
    length_controlled_win_rate(&model.weights, over)
        .map(Estimate::Finite)
        .map_err(|error| refuse_length_control(Cause::Data, error.to_string()))
}

fn error_of_model(model: &WeighedModel, difficulty: &[f64]) -> Option<f64> {
    let over = model.difficulties(difficulty);
    length_controlled_error(&model.weights, over).ok()
}
