//! Prediction-powered means, each system's for itself: of its scores, or of its points of its
//! comparisons.

use super::corrected::correct_rate;
use super::matched::MatchedRows;
use super::powered::{Measures, Powered, describe_labels, label_warnings, sampling_p_value};
use super::refuse_labels;
use crate::rank::method::{Ci, Method};
use crate::rank::scored::{Scored, exact_interval, scores_of_estimates};
use crate::report::data::{LabelledSystem, Labels};
use crate::{EngineError, Warning};
use evenhand_core::Cause;
use evenhand_stats::prediction_powered::{self, PoweredError, PoweredMean, Tuning};
use evenhand_stats::{Estimate, Interval, Undefined};

/// Means that differ by less than this share of the largest one share a rank.
const SAME_MEAN: f64 = 1e-12;

/// One system's mean, or too few items for it.
type SystemMean = Result<PoweredMean, PoweredError>;

/// Estimates means by labels and judge together.
pub(super) fn power_means(
    rows: &MatchedRows,
    names: &[String],
    method: &Method,
) -> Result<Powered, EngineError> {
    let means = means_of_systems(rows, names, method.plan.level)?;
    let named = names.iter().zip(&means).enumerate();
    let systems = named.map(|(system, (name, mean))| LabelledSystem {
        corrected: correct_rate(rows, system, method),
        ..mean_beside(mean, name, method)
    });
    Ok(Powered {
        scored: score_means(&means, rows, method),
        warnings: warn_of_failed(&means, names),
        labels: Labels {
            sampling_p: least_sampling_p(&means),
            ..describe_labels(rows, systems.collect())
        },
    })
}

fn means_of_systems(
    rows: &MatchedRows,
    names: &[String],
    level: f64,
) -> Result<Vec<SystemMean>, EngineError> {
    let numbered = names.iter().enumerate();
    numbered
        .map(|(system, name)| mean_of_system(rows, system, name, level))
        .collect()
}

fn warn_of_failed(means: &[SystemMean], names: &[String]) -> Vec<Warning> {
    let named = names.iter().zip(means);
    label_warnings(named.filter_map(|(name, mean)| {
        let error = mean.as_ref().err()?;
        Some(format!("{name} has no score: {error}"))
    }))
}

/// Returns the least p-value of the systems' tests, times their number (Bonferroni).
fn least_sampling_p(means: &[SystemMean]) -> Option<f64> {
    let means = means.iter().flatten();
    let tests = means.filter_map(|mean| sampling_p_value(&mean.sampling));
    let tests: Vec<f64> = tests.collect();
    let least = tests.iter().copied().reduce(f64::min)?;
    Some((least * tests.len() as f64).min(1.0))
}

fn mean_of_system(
    rows: &MatchedRows,
    system: usize,
    name: &str,
    level: f64,
) -> Result<SystemMean, EngineError> {
    let (labelled, judged) = rows.points(system);
    match prediction_powered::mean(&labelled, &judged, Tuning::Tuned, level) {
        Err(error) if !matches!(error, PoweredError::TooFewClusters { .. }) => {
            Err(refuse_labels(Cause::Data, format!("{name}: {error}")).into())
        }
        found => Ok(found),
    }
}

fn score_means(means: &[SystemMean], rows: &MatchedRows, method: &Method) -> Scored {
    let n = rows.counts(means.len());
    let estimates = means.iter().map(estimate_of_mean).collect();
    let point = scores_of_estimates(estimates, &n, SAME_MEAN * largest_mean(means));
    let mut scored = Scored::without_intervals(&point, &n);
    if method.ci != Ci::None {
        add_intervals(&mut scored, means, method.plan.level);
    }
    scored
}

fn largest_mean(means: &[SystemMean]) -> f64 {
    let means = means.iter().flatten();
    means
        .map(|mean| mean.estimate.value.abs())
        .fold(0.0, f64::max)
}

fn add_intervals(scored: &mut Scored, means: &[SystemMean], level: f64) {
    for (system, mean) in scored.systems.iter_mut().zip(means) {
        system.interval = Some(interval_of_mean(mean, level));
    }
}

fn mean_beside(mean: &SystemMean, name: &str, method: &Method) -> LabelledSystem {
    let mean = mean.as_ref().ok();
    LabelledSystem {
        lambda: mean.map(|mean| mean.lambda),
        effective_labels: mean.and_then(|mean| mean.effective_labels.ok()),
        ..measures_of_mean(mean).beside(name, method, |x| x)
    }
}

fn measures_of_mean(mean: Option<&PoweredMean>) -> Measures {
    Measures {
        both: mean.map(|mean| mean.estimate),
        labels: mean.map(|mean| mean.labels_only),
        judge: mean.map(|mean| mean.judge_only),
    }
}

fn estimate_of_mean(mean: &SystemMean) -> Estimate {
    match mean {
        Ok(mean) => Estimate::Finite(mean.estimate.value),
        Err(error) => Estimate::Undefined(undefined_by(error)),
    }
}

fn undefined_by(error: &PoweredError) -> Undefined {
    match *error {
        PoweredError::TooFewClusters { clusters, .. } => Undefined::TooFewClusters { clusters },
        _ => Undefined::NoData,
    }
}

fn interval_of_mean(mean: &SystemMean, level: f64) -> Result<Interval, String> {
    let mean = mean.as_ref().map_err(PoweredError::to_string)?;
    let ends = mean.estimate.uncertainty;
    let ends = ends.map_err(|reason| reason.to_string())?;
    Ok(exact_interval(ends.low, ends.high, level))
}
