//! Style control: strengths with the effect of covariates taken out, for judgments just made and
//! for recorded ones alike.

use crate::rank::method::{Ci, Method};
use crate::rank::score::add_covariance_intervals;
use crate::rank::scored::Scored;
use crate::report::StyleEffect;
use crate::{Aggregation, EngineError, RankOptions};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_stats::Ridge;
use evenhand_stats::control::{
    Battles, ControlError, Normalisation, StyleControl, StyleControlled, normalised_difference,
    style_controlled,
};
use evenhand_stats::inference::{Covariance, InferenceError};

/// Comparisons by columns, with their covariates.
pub(crate) struct Columns {
    pub(crate) a: Vec<u16>,
    pub(crate) b: Vec<u16>,
    pub(crate) won: Vec<f64>,
    pub(crate) weight: Option<Vec<f64>>,
    pub(crate) cluster: Option<Vec<u32>>,
    pub(crate) covariates: Vec<Vec<f64>>,
}

/// Refuses settings that do not go together with style control.
pub(crate) fn check_control(aggregation: Aggregation, rank: &RankOptions) -> Result<(), Refusal> {
    if aggregation != Aggregation::BradleyTerry {
        return Err(refuse_control(
            Cause::Conflict(Setting::Aggregate),
            format!("it is for bradley-terry, not for {}", aggregation.name()),
        ));
    }
    if !matches!(rank.ci, Ci::Sandwich | Ci::None) {
        return Err(refuse_control(
            Cause::Conflict(Setting::Ci),
            format!("its intervals are {0} sandwich, or {0} none", Setting::Ci),
        ));
    }
    if rank.drop {
        let control = Setting::Control;
        return Err(Refusal::new(
            Setting::Drop,
            Cause::Conflict(control),
            format!("it is not known with {control}; leave one of them out"),
        ));
    }
    Ok(())
}

/// A refusal of style control as a whole.
pub(crate) fn refuse_control(cause: Cause, why: impl Into<String>) -> Refusal {
    Refusal::new(Setting::Control, cause, why)
}

/// A refusal of these covariates.
fn refuse_covariates(names: &str, why: impl Into<String>) -> Refusal {
    refuse_control(Cause::Data, why).with_value(names)
}

/// Scores by Bradley-Terry with covariates of these names, and the effect of each.
pub(crate) fn score_controlled(
    columns: &Columns,
    names: &[String],
    systems: usize,
    method: &Method,
) -> Result<(Scored, Vec<StyleEffect>), EngineError> {
    let plan = StyleControl {
        ridge: method.prior.map_or(0.0, Ridge::weight),
        level: method.plan.level,
        threads: method.plan.threads,
    };
    let found = style_controlled(&columns.battles(systems), &plan)
        .map_err(|error| explain_control_error(error, names))?;
    let n = columns.battles_of_systems(systems);
    let mut scored = Scored::without_intervals(&found.scores, &n);
    if method.ci == Ci::Sandwich {
        add_covariance_intervals(&mut scored, covariance_of_strengths(&found, &n), method)?;
    }
    Ok((scored, style_effects(names, &found)))
}

impl Columns {
    fn battles(&self, systems: usize) -> Battles<'_> {
        Battles {
            systems,
            a: &self.a,
            b: &self.b,
            won: &self.won,
            weight: self.weight.as_deref(),
            cluster: self.cluster.as_deref(),
            covariates: &self.covariates,
        }
    }

    fn battles_of_systems(&self, systems: usize) -> Vec<u64> {
        let mut n = vec![0; systems];
        for system in self.a.iter().chain(&self.b) {
            n[usize::from(*system)] += 1;
        }
        n
    }
}

/// How differences are normalised. A mean that is taken off would be given to the systems wherever
/// one of them is named first more often than not; where each pair is compared in both orders it is
/// 0, and this is [`Normalisation::RELATIVE`] itself.
const ABOUT_ZERO: Normalisation = Normalisation {
    centred: false,
    ..Normalisation::RELATIVE
};

/// Returns the normalised difference between two responses in the covariate of this name.
pub(crate) fn covariate_difference(name: &str, a: &[f64], b: &[f64]) -> Result<Vec<f64>, Refusal> {
    normalised_difference(a, b, ABOUT_ZERO)
        .map_err(|error| refuse_covariates(name, error.to_string()))
}

/// Names covariates by their names instead of their numbers.
fn explain_control_error(error: ControlError, names: &[String]) -> Refusal {
    let name = |number: usize| names.get(number).map_or("", String::as_str);
    match error {
        ControlError::Collinear { covariate, by } if by.is_empty() => refuse_covariates(
            name(covariate),
            "the two systems alone determine it, or it is 0 throughout; leave it out",
        ),
        ControlError::Collinear { covariate, by } => {
            let others: Vec<&str> = by.into_iter().map(name).collect();
            let others = others.join(", ");
            refuse_covariates(
                name(covariate),
                format!("it is determined by {others}; leave one of them out"),
            )
        }
        ControlError::Separated { covariate } => refuse_covariates(
            name(covariate),
            "it separates the outcomes: with more of it the fit gets better without end",
        ),
        other => refuse_covariates(&names.join(","), other.to_string()),
    }
}

/// Cuts the covariance of the strengths out of that of all numbers that were estimated.
fn covariance_of_strengths(
    controlled: &StyleControlled,
    n: &[u64],
) -> Result<Covariance, InferenceError> {
    let uncertainty = controlled.uncertainty.as_ref().map_err(|reason| *reason)?;
    let systems = controlled.systems.len();
    let size = systems + controlled.coefficients.len();
    let rows = uncertainty.covariance.chunks_exact(size).take(systems);
    Covariance::new(
        controlled.scores.estimates.clone(),
        rows.flat_map(|row| &row[..systems]).copied().collect(),
        uncertainty.clusters as f64,
        n.iter().map(|&n| n as usize).collect(),
    )
}

fn style_effects(names: &[String], controlled: &StyleControlled) -> Vec<StyleEffect> {
    let numbered = names.iter().enumerate();
    numbered
        .map(|(number, name)| StyleEffect {
            covariate: name.clone(),
            log_odds: controlled.coefficients[number],
            ci: effect_interval(controlled, number),
        })
        .collect()
}

fn effect_interval(controlled: &StyleControlled, covariate: usize) -> Option<[f64; 2]> {
    let uncertainty = controlled.uncertainty.as_ref().ok()?;
    let interval = uncertainty.coefficients[covariate].as_ref()?;
    Some([interval.low, interval.high])
}
