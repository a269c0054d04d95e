//! Prediction-powered means, each system's for itself: of its scores, or of its points of its
//! comparisons.

use super::matched::MatchedRows;
use super::powered::{
    Measures, Powered, describe_labels, label_warnings, sampling_p_value, scores_of_estimates,
};
use super::refuse_labels;
use crate::EngineError;
use crate::rank::method::{Ci, Method};
use crate::rank::scored::Scored;
use crate::report::data::{LabelledSystem, Labels};
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
    let (mut means, mut systems, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    for (system, name) in names.iter().enumerate() {
        let mean = mean_of_system(rows, system, name, method.plan.level)?;
        systems.push(mean_beside(&mean, name, method));
        if let Err(error) = &mean {
            failed.push(format!("{name} has no score: {error}"));
        }
        means.push(mean);
    }
    Ok(Powered {
        scored: score_means(&means, rows, method),
        warnings: label_warnings(failed.into_iter()),
        labels: Labels {
            sampling_p: least_sampling_p(&means),
            ..describe_labels(rows, systems)
        },
    })
}

/// Returns the least p-value of the systems' tests, times their number (Bonferroni).
fn least_sampling_p(means: &[SystemMean]) -> Option<f64> {
    let means = means.iter().flatten();
    let tests: Vec<f64> = means
        .filter_map(|mean| sampling_p_value(&mean.sampling))
        .collect();
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
    let mut largest = 0.0;
    for mean in means.iter().flatten() {
        largest = f64::max(largest, mean.estimate.value.abs());
    }
    let estimates = means.iter().map(estimate_of_mean).collect();
    let point = scores_of_estimates(estimates, &n, SAME_MEAN * largest);
    let mut scored = Scored::without_intervals(&point, &n);
    if method.ci != Ci::None {
        for (system, mean) in scored.systems.iter_mut().zip(means) {
            system.interval = Some(interval_of_mean(mean, method.plan.level));
        }
    }
    scored
}

fn mean_beside(mean: &SystemMean, name: &str, method: &Method) -> LabelledSystem {
    let mean = mean.as_ref().ok();
    let measures = Measures {
        both: mean.map(|mean| mean.estimate),
        labels: mean.map(|mean| mean.labels_only),
        judge: mean.map(|mean| mean.judge_only),
    };
    LabelledSystem {
        lambda: mean.map(|mean| mean.lambda),
        effective_labels: mean.and_then(|mean| mean.effective_labels.ok()),
        ..measures.beside(name, method, |x| x)
    }
}

fn estimate_of_mean(mean: &SystemMean) -> Estimate {
    match mean {
        Ok(mean) => Estimate::Finite(mean.estimate.value),
        Err(PoweredError::TooFewClusters { clusters, .. }) => {
            let clusters = *clusters;
            Estimate::Undefined(Undefined::TooFewClusters { clusters })
        }
        Err(_) => Estimate::Undefined(Undefined::NoData),
    }
}

fn interval_of_mean(mean: &SystemMean, level: f64) -> Result<Interval, String> {
    let mean = mean.as_ref().map_err(PoweredError::to_string)?;
    let ends = mean.estimate.uncertainty;
    let ends = ends.map_err(|reason| reason.to_string())?;
    Ok(Interval {
        low: Some(ends.low),
        high: Some(ends.high),
        level,
        rounds: 0,
        infinite: 0,
        undefined: 0,
    })
}
