//! Style control: strengths with the effect of covariates taken out, the same for judgments just
//! made and for recorded ones.

use crate::rank::score::{Ci, Method, Scored, bare, by_covariance};
use crate::report::StyleEffect;
use crate::{Aggregation, EngineError, RankOptions};
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

/// Refuses what style control cannot do.
pub(crate) fn check(aggregation: Aggregation, rank: &RankOptions) -> Result<(), EngineError> {
    if aggregation != Aggregation::BradleyTerry {
        return Err(EngineError::Setting(format!(
            "--control: it is for bradley-terry, not for {}",
            aggregation.name()
        )));
    }
    if !matches!(rank.ci, Ci::Sandwich | Ci::None) {
        return Err(EngineError::Setting(
            "--control: its intervals are --ci sandwich, or --ci none".into(),
        ));
    }
    if rank.drop {
        return Err(EngineError::Setting(
            "--drop: it is not known with --control; leave one of them out".into(),
        ));
    }
    Ok(())
}

/// Scores by Bradley-Terry with covariates of these names, and what each covariate is worth.
pub(crate) fn controlled(
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
    let battles = Battles {
        systems,
        a: &columns.a,
        b: &columns.b,
        won: &columns.won,
        weight: columns.weight.as_deref(),
        cluster: columns.cluster.as_deref(),
        covariates: &columns.covariates,
    };
    let found = style_controlled(&battles, &plan).map_err(|error| named(error, names))?;
    let n = counts(columns, systems);
    let mut scored = bare(&found.scores, &n);
    if method.ci == Ci::Sandwich {
        by_covariance(&mut scored, covariance(&found, &n), method)?;
    }
    Ok((scored, effects(names, &found)))
}

/// How differences are normalised. A mean that is taken off would be given to the systems wherever
/// one of them is named first more often than not; where each pair is compared in both orders it is
/// 0, and this is [`Normalisation::RELATIVE`] itself.
const ABOUT_ZERO: Normalisation = Normalisation {
    centred: false,
    ..Normalisation::RELATIVE
};

/// The normalised difference of what two responses have of something.
pub(crate) fn difference(name: &str, a: &[f64], b: &[f64]) -> Result<Vec<f64>, EngineError> {
    normalised_difference(a, b, ABOUT_ZERO)
        .map_err(|error| EngineError::Setting(format!("--control {name}: {error}")))
}

/// The error, with a covariate by its name instead of its number.
fn named(error: ControlError, names: &[String]) -> EngineError {
    let name = |number: usize| names.get(number).cloned().unwrap_or_default();
    EngineError::Setting(match error {
        ControlError::Collinear { covariate, by } if by.is_empty() => {
            format!(
                "--control {}: the two systems alone determine it, or it is 0 throughout; leave it \
                 out",
                name(covariate)
            )
        }
        ControlError::Collinear { covariate, by } => {
            let others: Vec<String> = by.into_iter().map(name).collect();
            format!(
                "--control {}: it is determined by {}; leave one of them out",
                name(covariate),
                others.join(", ")
            )
        }
        ControlError::Separated { covariate } => {
            format!(
                "--control {}: it separates the outcomes: with more of it the fit gets better \
                 without end",
                name(covariate)
            )
        }
        other => format!("--control {}: {other}", names.join(",")),
    })
}

/// The covariance of the strengths, cut out of that of all numbers that were estimated.
fn covariance(controlled: &StyleControlled, n: &[u64]) -> Result<Covariance, InferenceError> {
    let uncertainty = controlled.uncertainty.as_ref().map_err(|reason| *reason)?;
    let (m, size) = (
        controlled.systems.len(),
        controlled.systems.len() + controlled.coefficients.len(),
    );
    let rows = uncertainty
        .covariance
        .chunks_exact(size)
        .take(m)
        .flat_map(|row| &row[..m])
        .copied();
    let counts = n.iter().map(|&n| n as usize).collect();
    Covariance::new(
        controlled.scores.estimates.clone(),
        rows.collect(),
        uncertainty.clusters as f64,
        counts,
    )
}

fn counts(columns: &Columns, systems: usize) -> Vec<u64> {
    let mut n = vec![0; systems];
    columns
        .a
        .iter()
        .chain(&columns.b)
        .for_each(|&system| n[usize::from(system)] += 1);
    n
}

/// The effects of covariates, for the report.
fn effects(names: &[String], controlled: &StyleControlled) -> Vec<StyleEffect> {
    let intervals = controlled
        .uncertainty
        .as_ref()
        .ok()
        .map(|uncertainty| &uncertainty.coefficients);
    let ends = |at: usize| {
        intervals
            .and_then(|all| all[at].as_ref())
            .map(|interval| [interval.low, interval.high])
    };
    let effect = |(at, name): (usize, &String)| StyleEffect {
        covariate: name.clone(),
        log_odds: controlled.coefficients[at],
        ci: ends(at),
    };
    names.iter().enumerate().map(effect).collect()
}
