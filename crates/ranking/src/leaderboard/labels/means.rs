//! Prediction-powered means, each system's for itself: of its scores, or of its points of its
//! comparisons.

use super::corrected::correct_rate;
use super::matched::MatchedRows;
use super::powered::{Powered, beside, describe_labels, label_warnings, sampling_p_value};
use super::refuse_labels;
use crate::method::{Ci, Method};
use crate::report::data::{LabelledSystem, Labels};
use crate::score::{Scored, exact_interval, scores_of_estimates};
use evenhand_core::Cause;
use evenhand_engine::EngineError;
use evenhand_stats::prediction_powered::{self, PoweredError, PoweredMean, Tuning};
use evenhand_stats::{Estimate, Undefined};

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
    let level = method.rank.bootstrap.level;
    let mut means: Vec<SystemMean> = Vec::new();
    let (mut systems, mut lacking) = (Vec::new(), Vec::new());
    for (system, name) in names.iter().enumerate() {
        let (labelled, judged) = rows.points(system);
        let mean = prediction_powered::mean(&labelled, &judged, Tuning::Tuned, level);
        match &mean {
            Err(error @ PoweredError::TooFewClusters { .. }) => {
                lacking.push(format!("{name} has no score: {error}"));
            }
            Err(error) => return Err(refuse_labels(Cause::Data, format!("{name}: {error}")).into()),
            Ok(_) => {}
        }
        let found = mean.as_ref().ok();
        let measures = [
            found.map(|mean| mean.estimate),
            found.map(|mean| mean.labels_only),
            found.map(|mean| mean.judge_only),
        ];
        systems.push(LabelledSystem {
            corrected: correct_rate(rows, system, method),
            lambda: found.map(|mean| mean.lambda),
            effective_labels: found.and_then(|mean| mean.effective_labels.ok()),
            ..beside(name, measures, method, |x| x)
        });
        means.push(mean);
    }
    // The least p-value of the systems' tests, times their number (Bonferroni).
    let known = means.iter().flatten();
    let tests: Vec<f64> = known
        .filter_map(|mean| sampling_p_value(&mean.sampling))
        .collect();
    let least = tests.iter().copied().reduce(f64::min);
    Ok(Powered {
        scored: score_means(&means, rows, method),
        warnings: label_warnings(lacking.into_iter()),
        labels: Labels {
            sampling_p: least.map(|least| (least * tests.len() as f64).min(1.0)),
            ..describe_labels(rows, systems)
        },
    })
}

fn score_means(means: &[SystemMean], rows: &MatchedRows, method: &Method) -> Scored {
    let n = rows.counts(means.len());
    let estimates = means.iter().map(|mean| match mean {
        Ok(mean) => Estimate::Finite(mean.estimate.value),
        Err(PoweredError::TooFewClusters { clusters, .. }) => {
            Estimate::Undefined(Undefined::TooFewClusters {
                clusters: *clusters,
            })
        }
        Err(_) => Estimate::Undefined(Undefined::NoData),
    });
    let known = means.iter().flatten();
    let largest = known
        .map(|mean| mean.estimate.value.abs())
        .fold(0.0, f64::max);
    let point = scores_of_estimates(estimates.collect(), &n, SAME_MEAN * largest);
    let mut scored = Scored::without_intervals(&point, &n);
    if method.rank.ci != Ci::None {
        for (system, mean) in scored.systems.iter_mut().zip(means) {
            let mean = mean.as_ref().map_err(PoweredError::to_string);
            system.interval = Some(mean.and_then(|mean| {
                let ends = mean.estimate.uncertainty.map_err(|why| why.to_string())?;
                Ok(exact_interval(
                    ends.low,
                    ends.high,
                    method.rank.bootstrap.level,
                ))
            }));
        }
    }
    scored
}
