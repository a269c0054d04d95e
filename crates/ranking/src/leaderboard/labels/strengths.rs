//! Prediction-powered Bradley-Terry strengths.

use super::matched::MatchedRows;
use super::powered::{Powered, beside, describe_labels, label_warnings, sampling_p_value};
use super::refuse_labels;
use crate::RankScale;
use crate::method::{Ci, Method};
use crate::report::data::{LabelledSystem, Labels};
use crate::score::{Scored, add_covariance_intervals, scores_of_estimates};
use evenhand_core::Cause;
use evenhand_engine::EngineError;
use evenhand_stats::inference::Covariance;
use evenhand_stats::prediction_powered::{
    PoweredError, PoweredStrengths, Strengths, Tuning, bradley_terry,
};
use evenhand_stats::{Estimate, StrengthScale, Undefined};

/// Strengths that differ by less than this share a rank, in log-odds.
const SAME_STRENGTH: f64 = 1e-9;

/// Fits strengths by labels and judge together.
pub(super) fn power_strengths(
    rows: &MatchedRows,
    names: &[String],
    method: &Method,
    scale: RankScale,
) -> Result<Powered, EngineError> {
    let (labelled, judged) = rows.pairs();
    let level = method.rank.bootstrap.level;
    let found = bradley_terry(names.len(), &labelled, &judged, Tuning::Tuned, level)
        .map_err(|error| refuse_labels(Cause::Data, explain_powered_error(&error, names)))?;

    let scale = StrengthScale::from(scale);
    let alone = |strengths: &Result<Strengths, PoweredError>, system: usize| {
        Some(strengths.as_ref().ok()?.systems[system])
    };
    let systems = names.iter().enumerate().map(|(system, name)| {
        let measures = [
            Some(found.estimate.systems[system]),
            alone(&found.labels_only, system),
            alone(&found.judge_only, system),
        ];
        beside(name, measures, method, |strength| {
            scale.from_log_odds(strength)
        })
    });
    let systems: Vec<LabelledSystem> = systems.collect();

    let sources = [("labels", &found.labels_only), ("judge", &found.judge_only)];
    let lacking = sources.into_iter().filter_map(|(who, strengths)| {
        let why = explain_powered_error(strengths.as_ref().err()?, names);
        Some(format!("by the {who} alone there are no scores: {why}"))
    });
    Ok(Powered {
        scored: score_strengths(&found, rows, method)?,
        warnings: label_warnings(lacking),
        labels: Labels {
            lambda: Some(found.lambda),
            effective_labels: found.effective_labels.ok(),
            sampling_p: sampling_p_value(&found.sampling),
            ..describe_labels(rows, systems)
        },
    })
}

fn score_strengths(
    found: &PoweredStrengths,
    rows: &MatchedRows,
    method: &Method,
) -> Result<Scored, EngineError> {
    let systems = found.estimate.systems.iter();
    let estimates: Vec<Estimate> = systems.map(|one| Estimate::Finite(one.value)).collect();
    let n = rows.counts(estimates.len());
    let point = scores_of_estimates(estimates, &n, SAME_STRENGTH);
    let mut scored = Scored::without_intervals(&point, &n);
    if method.rank.ci != Ci::None {
        let covariance = match &found.labels_only {
            Err(_) => Err(Undefined::LabelsOneSided.into()),
            Ok(_) => Covariance::new(
                point.estimates,
                found.estimate.covariance.clone(),
                found.label_clusters as f64,
                // What is known of a system rests on its labels, not on all that was judged.
                found.label_clusters_of.clone(),
            )
            .map(Covariance::of_few_clusters),
        };
        add_covariance_intervals(&mut scored, covariance, None, method)?;
    }
    Ok(scored)
}

/// Says the error with the systems' names in place of their numbers.
fn explain_powered_error(error: &PoweredError, names: &[String]) -> String {
    let join = |group: &[usize]| {
        let names: Vec<&str> = group.iter().map(|system| names[*system].as_str()).collect();
        names.join(", ")
    };
    match error {
        PoweredError::LabelsDisconnected { components } => {
            let groups: Vec<String> = components.iter().map(|group| join(group)).collect();
            format!(
                "no chain of people's labels connects these groups: {}; label comparisons between \
                 them",
                groups.join(" | ")
            )
        }
        PoweredError::NoFiniteMaximum { lambda: 0.0, above } => format!(
            "the labels never put {} below the others, so there are no finite strengths; more \
             labels are needed",
            join(above)
        ),
        PoweredError::NoFiniteMaximum { lambda, above } => format!(
            "with lambda {lambda:.3} there are no finite strengths: the labels, the judge's \
             correction included, never put {} below the others; more labels are needed",
            join(above)
        ),
        other => other.to_string(),
    }
}
