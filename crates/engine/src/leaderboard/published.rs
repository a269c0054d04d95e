//! Length-controlled win rates as AlpacaEval publishes them, from the weights of its models.

use super::conflicts::{Given, check_own_estimator, refuse_beside};
use super::gathered::{FileSummary, KeptSystems};
use super::length::{LENGTH_CONTROLLED, REFERENCE, refuse_length_control, scored_shares};
use super::options::{ClusterBy, LeaderboardOptions};
use super::published_files::{WeighedModel, read_difficulties, read_weights};
use crate::rank::method::Ci;
use crate::rank::scored::Scored;
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
    let path = options.published.difficulty.as_ref();
    let path = path.ok_or_else(refuse_without_difficulties)?;
    let rated = read_difficulties(path)?;
    let difficulty: Vec<f64> = rated.iter().map(|row| row.difficulty).collect();
    let all = read_weights(weights, &options.filter, difficulty.len())?;
    let names: Vec<String> = all.iter().map(|model| model.name.clone()).collect();
    let kept = KeptSystems::select(&names, options)?;
    let models = all.into_iter();
    let models = models.filter(|model| kept.names.contains(&model.name));
    report_of_models(options, &models.collect::<Vec<_>>(), &difficulty)
}

fn refuse_without_difficulties() -> Refusal {
    let needed = Setting::InstructionDifficulty;
    let weights = Setting::LengthControlWeights;
    refuse_length_control(
        Cause::Needs(needed),
        format!("{weights} needs {needed}, the file beside it"),
    )
}

/// Refuses whatever comparisons would be read or ranked by: there are none.
fn check_beside_weights(options: &LeaderboardOptions) -> Result<(), Refusal> {
    let setting = Setting::LengthControlWeights;
    let why = ": the rates are those of the weights";
    if !options.paths.is_empty() {
        let reason =
            format!("it does not go with files of judgments{why}; leave one of the two out");
        return Err(Refusal::new(setting, Cause::Data, reason));
    }
    refuse_beside(setting, &settings_of_ranking(options), why)?;
    refuse_beside(setting, &settings_of_files(options), why)?;
    check_own_estimator(setting, options)
}

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
    let files = FileSummary {
        names: models.iter().map(|model| model.name.clone()).collect(),
        by_item: true,
        ..FileSummary::default()
    };
    let without_intervals = RankOptions {
        ci: Ci::None,
        ..options.rank.clone()
    };
    let method = without_intervals.method(Aggregation::WinRatio)?;
    let scored = score_models(models, difficulty)?;
    let report = files.report(options, Aggregation::WinRatio, &method);
    let mut report = report.with_scores(&files.names, scored, &method, options.rank.scale);
    report.aggregation = LENGTH_CONTROLLED;
    report.unit = ScoreUnit::LengthControlledShare;
    report.protocol = format!(
        "published weights, with difficulties of {} instructions",
        difficulty.len()
    );
    note_reference(&mut report, models);
    Ok(report)
}

/// The reference is the model whose weights are 0.
fn note_reference(report: &mut Report, models: &[WeighedModel]) {
    for model in models {
        if model.weights.model != 0.0 || model.weights.difficulty != 0.0 {
            continue;
        }
        let mut rows = report.ranking.iter_mut();
        if let Some(row) = rows.find(|row| row.system == model.name) {
            row.note = Some(REFERENCE.into());
        }
    }
}

fn score_models(models: &[WeighedModel], difficulty: &[f64]) -> Result<Scored, Refusal> {
    let (mut estimates, mut n) = (Vec::new(), Vec::new());
    for model in models {
        let over = model.difficulties(difficulty);
        let rate = length_controlled_win_rate(&model.weights, over)
            .map_err(|error| refuse_length_control(Cause::Data, error.to_string()))?;
        estimates.push(Estimate::Finite(rate));
        n.push(over.len() as u64);
    }
    let mut scored = scored_shares(estimates, &n);
    for (system, model) in scored.systems.iter_mut().zip(models) {
        let over = model.difficulties(difficulty);
        system.standard_error = length_controlled_error(&model.weights, over).ok();
    }
    Ok(scored)
}
