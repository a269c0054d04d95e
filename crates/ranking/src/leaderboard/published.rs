//! Length-controlled win rates as AlpacaEval publishes them, from the weights of its models.

use super::conflicts::{Given, check_own_estimator, refuse_beside};
use super::gathered::{FileSummary, KeptSystems};
use super::length::{LENGTH_CONTROLLED, REFERENCE, refuse_length_control, scored_shares};
use super::options::{ClusterBy, LeaderboardOptions};
use super::published_files::{read_difficulties, read_weights};
use crate::method::Ci;
use crate::{Aggregation, RankOptions, Report, ScoreUnit};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_stats::Estimate;
use evenhand_stats::control::{length_controlled_error, length_controlled_win_rate};
use std::path::Path;

/// Ranks the models by the win rates that their weights give.
pub(super) fn rank_by_weights(
    options: &LeaderboardOptions,
    weights: &Path,
) -> Result<Report, EngineError> {
    check_beside_weights(options)?;
    let path = options.published.difficulty.as_ref().ok_or_else(|| {
        let needed = Setting::InstructionDifficulty;
        let weights = Setting::LengthControlWeights;
        let why = format!("{weights} needs {needed}, the file beside it");
        refuse_length_control(Cause::Needs(needed), why)
    })?;
    let rated = read_difficulties(path)?;
    let difficulty: Vec<f64> = rated.iter().map(|row| row.difficulty).collect();
    let mut models = read_weights(weights, &options.filter, difficulty.len())?;
    let names: Vec<String> = models.iter().map(|model| model.name.clone()).collect();
    let kept = KeptSystems::select(&names, options)?;
    // Only after all names are known: a misspelt one is refused with those that there are.
    models.retain(|model| kept.names.contains(&model.name));

    let (mut rates, mut over, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for model in &models {
        let difficulties = model.difficulties(&difficulty);
        let rate = length_controlled_win_rate(&model.weights, difficulties)
            .map_err(|error| refuse_length_control(Cause::Data, error.to_string()))?;
        rates.push(Estimate::Finite(rate));
        over.push(difficulties.len() as u64);
        errors.push(length_controlled_error(&model.weights, difficulties).ok());
    }
    let mut scored = scored_shares(rates, &over);
    for (system, error) in scored.systems.iter_mut().zip(errors) {
        system.standard_error = error;
    }

    let files = FileSummary {
        names: models.iter().map(|model| model.name.clone()).collect(),
        by_item: true,
        ..FileSummary::default()
    };
    // Weights come without the data that intervals would be made of.
    let rank = RankOptions {
        ci: Ci::None,
        ..options.rank.clone()
    };
    let method = rank.method(Aggregation::WinRatio)?;
    let report = files.report(options, Aggregation::WinRatio, &method);
    let report = report.with_scores(&files.names, scored, &method, options.rank.scale);
    let mut report = Report {
        aggregation: LENGTH_CONTROLLED,
        unit: ScoreUnit::LengthControlledShare,
        protocol: format!(
            "published weights, with difficulties of {} instructions",
            difficulty.len()
        ),
        ..report
    };
    for model in models.iter().filter(|model| model.is_reference()) {
        let mut rows = report.ranking.iter_mut();
        if let Some(row) = rows.find(|row| row.system == model.name) {
            row.note = Some(REFERENCE.into());
        }
    }
    Ok(report)
}

/// Refuses whatever comparisons would be read or ranked by: there are none.
fn check_beside_weights(options: &LeaderboardOptions) -> Result<(), Refusal> {
    use Setting::{ItemColumn, Left, Right, ScoreColumn, SystemColumn, Winner};
    const WHY: &str = ": the rates are those of the weights";
    let (setting, rank) = (Setting::LengthControlWeights, &options.rank);
    if !options.paths.is_empty() {
        let why = format!("it does not go with files of judgments{WHY}; leave one of the two out");
        return Err(Refusal::new(setting, Cause::Data, why));
    }
    let others = [
        Given::new(&[Setting::Labels], !options.labels.is_empty()),
        Given::new(&[Setting::Aggregate], rank.aggregation.is_some()),
        Given::new(&[Setting::Differences], rank.differences),
        Given::new(&[Setting::Cluster], options.cluster != ClusterBy::Auto),
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
    ];
    refuse_beside(setting, &others, WHY)?;
    check_own_estimator(setting, options)
}
