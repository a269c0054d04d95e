//! Prediction-powered means, each system's for itself: of its scores, or of its points of its
//! comparisons.

use super::corrected::correct_rate;
use super::matched::MatchedRows;
use super::powered::{Powered, beside, describe_labels, label_warnings, sampling_p_value};
use super::refuse_labels;
use crate::method::{Ci, Method};
use crate::report::data::{LabelledSystem, Labels, SourceScore};
use crate::score::{Scored, exact_interval, scores_of_estimates};
use evenhand_core::Cause;
use evenhand_engine::EngineError;
use evenhand_stats::prediction_powered::{self, PoweredError, PoweredMean, Tuning};
use evenhand_stats::{Estimate, Undefined, clustered_share};
use std::collections::BTreeMap;

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
    let are_shares = rows.are_comparisons();
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
        let mut beside = beside(name, measures, method, |x| x);
        if are_shares {
            // What labels and the judge say alone are shares of comparisons, with the interval that
            // shares have elsewhere.
            let human = labelled.iter().map(|row| (row.cluster, row.human));
            let by_judge = judged.iter().map(|row| (row.cluster, row.judge));
            let of_labels = labelled.iter().map(|row| (row.cluster, row.judge));
            as_share(&mut beside.labels_only, human, level);
            as_share(&mut beside.judge_only, by_judge.chain(of_labels), level);
        }
        systems.push(LabelledSystem {
            corrected: correct_rate(rows, system, method),
            lambda: found.map(|mean| mean.lambda),
            effective_labels: found.and_then(|mean| mean.effective_labels.ok()),
            ..beside
        });
        means.push(mean);
    }
    // Where people have labelled all that was judged, nothing is left to correct.
    let is_labelled_whole = |mean: &SystemMean| {
        let too_few = mean.as_ref().err();
        matches!(
            too_few,
            Some(PoweredError::TooFewClusters {
                list: "without a label",
                clusters: 0
            })
        )
    };
    if means.iter().all(is_labelled_whole)
        && let Some(Err(why)) = means.first()
    {
        return Err(refuse_labels(Cause::Data, why.to_string()).into());
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

/// Gives a share its interval over items ([`clustered_share`]), where it has one.
fn as_share(found: &mut Option<SourceScore>, points: impl Iterator<Item = (u32, f64)>, level: f64) {
    let mut items: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (item, points) in points {
        let (sum, trials) = items.entry(item).or_default();
        *sum += points;
        *trials += 1.0;
    }
    let items: Vec<(f64, f64)> = items.into_values().collect();
    let share = clustered_share(&items, level).ok();
    if let Some(found) = found.as_mut().filter(|found| found.ci.is_some()) {
        found.ci = share.and_then(|share| share.interval.ok());
    }
}

fn score_means(means: &[SystemMean], rows: &MatchedRows, method: &Method) -> Scored {
    let n = rows.counts(means.len());
    // A share of comparisons is from 0 to 1, whatever the judge's part takes it to.
    let are_shares = rows.are_comparisons();
    let within = |x: f64| match are_shares {
        true => x.clamp(0.0, 1.0),
        false => x,
    };
    let estimates = means.iter().map(|mean| match mean {
        Ok(mean) => Estimate::Finite(within(mean.estimate.value)),
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
                    within(ends.low),
                    within(ends.high),
                    method.rank.bootstrap.level,
                ))
            }));
        }
    }
    scored
}
