//! Prediction-powered Bradley-Terry strengths.

use super::matched::MatchedRows;
use super::powered::{Measures, Powered, describe_labels, label_warnings, sampling_p_value};
use super::refuse_labels;
use crate::rank::method::{Ci, Method};
use crate::rank::score::add_covariance_intervals;
use crate::rank::scored::{Scored, scores_of_estimates};
use crate::report::data::{LabelledSystem, Labels};
use crate::{EngineError, RankScale};
use evenhand_core::{Cause, Refusal};
use evenhand_stats::inference::{Covariance, InferenceError};
use evenhand_stats::prediction_powered::{
    Measured, PoweredError, PoweredStrengths, Strengths, Tuning, bradley_terry,
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
    let found = fit_strengths(rows, names, method.plan.level)?;
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

fn fit_strengths(
    rows: &MatchedRows,
    names: &[String],
    level: f64,
) -> Result<PoweredStrengths, Refusal> {
    let (labelled, judged) = rows.pairs();
    bradley_terry(names.len(), &labelled, &judged, Tuning::Tuned, level)
        .map_err(|error| refuse_labels(Cause::Data, explain_powered_error(&error, names)))
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
    let point = scores_of_estimates(estimates, &n, SAME_STRENGTH);
    let mut scored = Scored::without_intervals(&point, &n);
    if method.ci != Ci::None {
        let covariance = covariance_of_found(found, rows, point.estimates);
        add_covariance_intervals(&mut scored, covariance, None, method)?;
    }
    Ok(scored)
}

fn covariance_of_found(
    found: &PoweredStrengths,
    rows: &MatchedRows,
    estimates: Vec<Estimate>,
) -> Result<Covariance, InferenceError> {
    // What is known of a system rests on its labels, not on all that the judge has judged.
    let clusters = rows.label_clusters(estimates.len());
    let covariance = found.estimate.covariance.clone();
    Covariance::new(estimates, covariance, found.label_clusters as f64, clusters)
}

fn strengths_beside(
    found: &PoweredStrengths,
    names: &[String],
    method: &Method,
    scale: StrengthScale,
) -> Vec<LabelledSystem> {
    let show = |strength| scale.from_log_odds(strength);
    let numbered = names.iter().enumerate();
    numbered
        .map(|(system, name)| measures_of_strength(found, system).beside(name, method, show))
        .collect()
}

fn measures_of_strength(found: &PoweredStrengths, system: usize) -> Measures {
    Measures {
        both: Some(found.estimate.systems[system]),
        labels: strength_alone(&found.labels_only, system),
        judge: strength_alone(&found.judge_only, system),
    }
}

fn strength_alone(strengths: &Result<Strengths, PoweredError>, system: usize) -> Option<Measured> {
    let strengths = strengths.as_ref().ok()?;
    Some(strengths.systems[system])
}

/// Says the error with the systems' names in place of their numbers.
fn explain_powered_error(error: &PoweredError, names: &[String]) -> String {
    match error {
        PoweredError::LabelsDisconnected { components } => {
            let groups = join_groups(components, names);
            format!(
                "no chain of people's labels connects these groups: {groups}; label comparisons \
                 between them"
            )
        }
        PoweredError::NoFiniteMaximum { lambda, above } => {
            let above = join_names(above, names);
            format!(
                "with lambda {lambda:.3} there are no finite strengths: the labels, the judge's \
                 correction included, never put {above} below the others; more labels are needed"
            )
        }
        other => other.to_string(),
    }
}

fn join_groups(groups: &[Vec<usize>], names: &[String]) -> String {
    let groups = groups.iter().map(|group| join_names(group, names));
    let groups: Vec<String> = groups.collect();
    groups.join(" | ")
}

fn join_names(group: &[usize], names: &[String]) -> String {
    let group = group.iter();
    let names: Vec<&str> = group.map(|&system| names[system].as_str()).collect();
    names.join(", ")
}
