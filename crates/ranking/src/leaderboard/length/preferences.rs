//! Models with their preferences over one common reference.

use super::refuse_length_control;
use crate::leaderboard::files::FileSort;
use crate::leaderboard::options::{Given, LeaderboardOptions, check_own_estimator, refuse_beside};
use crate::leaderboard::recorded::{read_judgments, share_of_first};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_formats::judgments::RecordedJudgments;
use evenhand_stats::control::{ControlError, length_feature};
use std::collections::{BTreeMap, BTreeSet};

/// One model's preferences over the reference, an entry for each item.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) system: u16,
    pub(crate) items: Vec<u32>,
    pub(super) preferred: Vec<f64>,
    pub(super) length: Result<Vec<f64>, ControlError>,
}

/// Refuses settings, and files, that length control has no use for.
pub(crate) fn check_length_control(
    options: &LeaderboardOptions,
    sort: FileSort,
) -> Result<(), Refusal> {
    let (setting, rank) = (Setting::LengthControl, &options.rank);
    let without_use = [
        Given::new(&[Setting::Labels], !options.labels.is_empty()),
        Given::new(&[Setting::Aggregate], rank.aggregation.is_some()),
        Given::new(&[Setting::Differences], rank.differences),
        Given::new(&[Setting::MinBattles], options.min_battles > 0),
        Given::new(&[Setting::Systems], options.systems.is_some()),
    ];
    refuse_beside(setting, &without_use, "")?;
    check_own_estimator(setting, options)?;
    if sort != FileSort::Recorded {
        let why =
            "it is for AlpacaEval's annotations or preferences, and not for battles or counts";
        return Err(refuse_length_control(Cause::Data, why));
    }
    Ok(())
}

/// Reads comparisons with a reference.
pub(crate) fn read_length(options: &LeaderboardOptions) -> Result<RecordedJudgments, EngineError> {
    let recorded = read_judgments(&options.paths, options)?;
    if recorded.comparisons.is_empty() {
        let reason = if recorded.scores.is_empty() {
            "the files hold no verdict on a model and another one as its reference"
        } else {
            "it needs comparisons with a reference, and these are scores"
        };
        return Err(refuse_length_control(Cause::Data, reason).into());
    }
    Ok(recorded)
}

/// Returns the one system that all others are compared with; of two systems the first of every
/// comparison.
pub(crate) fn find_reference(recorded: &RecordedJudgments) -> Result<u16, Refusal> {
    let rows = &recorded.comparisons;
    let name = |system: u16| recorded.systems[usize::from(system)].as_str();
    let firsts: BTreeSet<u16> = rows.iter().map(|row| row.a).collect();
    let is_in_all = |system: &u16| rows.iter().all(|row| [row.a, row.b].contains(system));
    let in_all: Vec<u16> = (0..recorded.systems.len() as u16)
        .filter(is_in_all)
        .collect();
    let reason = match (&in_all[..], firsts.first()) {
        ([one], _) => return Ok(*one),
        ([_, _], Some(first)) if firsts.len() == 1 => return Ok(*first),
        ([one, two], _) => format!(
            "either of {} and {} could be the reference; it must be output 1 of every comparison",
            name(*one),
            name(*two)
        ),
        // Systems that are only ever first look like several references.
        _ if rows.iter().all(|row| !firsts.contains(&row.b)) => {
            let names: Vec<&str> = firsts.iter().map(|system| name(*system)).collect();
            format!(
                "the files have more than one reference: {}; give those with one of them",
                names.join(", ")
            )
        }
        _ => "no system is in every comparison, so there is no common reference".into(),
    };
    Err(refuse_length_control(Cause::Data, reason))
}

/// The verdicts of one model on one item, summed.
#[derive(Default)]
struct VerdictSum {
    preferred: f64,
    reference_length: f64,
    model_length: f64,
    count: f64,
}

/// Returns the models, in the order of their numbers. Several verdicts on one item are averaged.
pub(crate) fn models_of(
    recorded: &RecordedJudgments,
    reference: u16,
) -> Result<Vec<Model>, Refusal> {
    let mut models: BTreeMap<u16, BTreeMap<u32, VerdictSum>> = BTreeMap::new();
    for row in &recorded.comparisons {
        let Some((length_a, length_b)) = row.length_a.zip(row.length_b) else {
            let reason = "the files do not say how long the responses are; AlpacaEval's \
                          annotations and preferences do";
            return Err(refuse_length_control(Cause::Data, reason));
        };
        let won = share_of_first(row);
        let (model, preferred, reference_length, model_length) = if row.a == reference {
            (row.b, 1.0 - won, length_a, length_b)
        } else {
            (row.a, won, length_b, length_a)
        };
        let items = models.entry(model).or_default();
        let sum = items.entry(row.item).or_default();
        sum.preferred += preferred;
        sum.reference_length += reference_length;
        sum.model_length += model_length;
        sum.count += 1.0;
    }
    let models = models.into_iter().map(|(system, items)| {
        let means = |sum: fn(&VerdictSum) -> f64| -> Vec<f64> {
            items.values().map(|item| sum(item) / item.count).collect()
        };
        let reference_length = means(|sum| sum.reference_length);
        let model_length = means(|sum| sum.model_length);
        Model {
            system,
            preferred: means(|sum| sum.preferred),
            length: length_feature(&reference_length, &model_length),
            items: items.keys().copied().collect(),
        }
    });
    Ok(models.collect())
}
