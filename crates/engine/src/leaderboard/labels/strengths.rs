//! Prediction-powered Bradley-Terry strengths.

use super::matched::MatchedRows;
use super::powered::{
    Measures, Powered, describe_labels, label_warnings, sampling_p_value, scores_of_estimates,
};
use super::refuse_labels;
use crate::rank::method::{Ci, Method};
use crate::rank::score::add_covariance_intervals;
use crate::rank::scored::Scored;
use crate::report::data::{LabelledSystem, Labels};
use crate::{EngineError, RankScale};
use evenhand_core::Cause;
use evenhand_stats::inference::Covariance;
use evenhand_stats::prediction_powered::{
    PoweredError, PoweredStrengths, Strengths, Tuning, bradley_terry,
};
use evenhand_stats::{Estimate, StrengthScale};

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
    let level = method.plan.level;
    let found = bradley_terry(names.len(), &labelled, &judged, Tuning::Tuned, level)
        .map_err(|error| refuse_labels(Cause::Data, explain_powered_error(&error, names)))?;
    let systems = strengths_beside(&found, names, method, StrengthScale::from(scale));
    Ok(Powered {
        scored: score_strengths(&found, rows, method)?,
        warnings: warn_of_lacking(&found, names),
        labels: Labels {
            lambda: Some(found.lambda),
            effective_labels: found.effective_labels.ok(),
            sampling_p: sampling_p_value(&found.sampling),
            ..describe_labels(rows, systems)
        },
    })
}

/// Warns where labels or judge alone give no scores.
fn warn_of_lacking(found: &PoweredStrengths, names: &[String]) -> Vec<crate::Warning> {
    let alone = [("labels", &found.labels_only), ("judge", &found.judge_only)];
    let lacking = alone.into_iter().filter_map(|(who, strengths)| {
        let why = explain_powered_error(strengths.as_ref().err()?, names);
        Some(format!("by the {who} alone there are no scores: {why}"))
    });
    label_warnings(lacking)
}

fn score_strengths(
    found: &PoweredStrengths,
    rows: &MatchedRows,
    method: &Method,
) -> Result<Scored, EngineError> {
    let systems = found.estimate.systems.iter();
    let estimates: Vec<Estimate> = systems.map(|one| Estimate::Finite(one.value)).collect();
    let n = rows.counts(estimates.len());
    let point = scores_of_estimates(estimates.clone(), &n, SAME_STRENGTH);
    let mut scored = Scored::without_intervals(&point, &n);
    if method.ci != Ci::None {
        let clusters = rows.label_clusters(estimates.len());
        let covariance = Covariance::new(
            estimates,
            found.estimate.covariance.clone(),
            found.label_clusters as f64,
            clusters,
        );
        add_covariance_intervals(&mut scored, covariance, method)?;
    }
    Ok(scored)
}

fn strengths_beside(
    found: &PoweredStrengths,
    names: &[String],
    method: &Method,
    scale: StrengthScale,
) -> Vec<LabelledSystem> {
    let alone = |strengths: &Result<Strengths, PoweredError>, system: usize| {
        strengths.as_ref().ok().map(|all| all.systems[system])
    };
    let mut beside = Vec::new();
    for (system, name) in names.iter().enumerate() {
        let measures = Measures {
            both: Some(found.estimate.systems[system]),
            labels: alone(&found.labels_only, system),
            judge: alone(&found.judge_only, system),
        };
        beside.push(measures.beside(name, method, |x| scale.from_log_odds(x)));
    }
    beside
}

/// Says the error with the systems' names in place of their numbers.
fn explain_powered_error(error: &PoweredError, names: &[String]) -> String {
    match error {
        PoweredError::LabelsDisconnected { components } => {
            let groups = components.iter().map(|group| join_names(group, names));
            let groups: Vec<String> = groups.collect();
            format!(
                "no chain of people's labels connects these groups: {}; label comparisons between \
                 them",
                groups.join(" | ")
            )
        }
        PoweredError::NoFiniteMaximum { lambda, above } => format!(
            "with lambda {lambda:.3} there are no finite strengths: the labels, the judge's \
             correction included, never put {} below the others; more labels are needed",
            join_names(above, names)
        ),
        other => other.to_string(),
    }
}

fn join_names(group: &[usize], names: &[String]) -> String {
    let group = group.iter();
    let names: Vec<&str> = group.map(|&system| names[system].as_str()).collect();
    names.join(", ")
}
