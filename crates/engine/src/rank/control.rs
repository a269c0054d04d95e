//! Style control: strengths with the effect of covariates taken out, for judgments just made and
//! for recorded ones alike.

use crate::rank::counts::count_systems;
use crate::rank::method::{Ci, Method};
use crate::rank::score::{add_covariance_intervals, compare_contributions};
use crate::rank::scored::Scored;
use crate::report::StyleEffect;
use crate::{Aggregation, EngineError, RankOptions};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_stats::control::{
    Battles, ControlError, Normalisation, StyleControl, StyleControlled, normalised_difference,
    style_controlled,
};
use evenhand_stats::inference::{Contributions, style_covariance};
use evenhand_stats::{Ridge, Undefined};

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
        let why = format!("it is for bradley-terry, not for {}", aggregation.name());
        return Err(refuse_beside(Setting::Aggregate, why));
    }
    if !matches!(rank.ci, Ci::Sandwich | Ci::None) {
        let why = format!("its intervals are {0} sandwich, or {0} none", Setting::Ci);
        return Err(refuse_beside(Setting::Ci, why));
    }
    check_drop(rank.drop)
}

fn check_drop(drop: bool) -> Result<(), Refusal> {
    if drop {
        return Err(refuse_drop());
    }
    Ok(())
}

fn refuse_drop() -> Refusal {
    let control = Setting::Control;
    let why = format!("it is not known with {control}; leave one of them out");
    Refusal::new(Setting::Drop, Cause::Conflict(control), why)
}

/// A refusal of style control beside another setting.
fn refuse_beside(other: Setting, why: String) -> Refusal {
    refuse_control(Cause::Conflict(other), why)
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
    let battles = columns.battles(systems);
    let found = style_controlled(&battles, &style_plan(method))
        .map_err(|error| explain_control_error(error, names))?;
    let n = columns.battles_of_systems(systems);
    let mut scored = Scored::without_intervals(&found.scores, &n);
    if method.ci == Ci::Sandwich {
        let compared = compare_contributions(
            Contributions::of_style(&battles, &found, &method.plan),
            method,
        );
        let covariance = style_covariance(&found);
        add_covariance_intervals(&mut scored, covariance, Some(compared), method)?;
    }
    let by_item = columns.cluster.is_some();
    Ok((scored, style_effects(names, &found, by_item)))
}

fn style_plan(method: &Method) -> StyleControl {
    StyleControl {
        ridge: method.prior.map_or(0.0, Ridge::weight),
        level: method.plan.level,
        threads: method.plan.threads,
    }
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
        count_systems(systems, self.a.iter().chain(&self.b).copied())
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
    let difference = normalised_difference(a, b, ABOUT_ZERO);
    difference.map_err(|error| refuse_covariates(name, error.to_string()))
}

/// Names covariates by their names instead of their numbers.
fn explain_control_error(error: ControlError, names: &[String]) -> Refusal {
    let name = |number: usize| names.get(number).map_or("", String::as_str);
    match error {
        ControlError::Collinear { covariate, by } => {
            let others: Vec<&str> = by.into_iter().map(name).collect();
            refuse_covariates(name(covariate), describe_collinear(&others))
        }
        ControlError::Separated { covariate } => refuse_covariates(name(covariate), SEPARATED),
        other => refuse_covariates(&names.join(","), other.to_string()),
    }
}

const SEPARATED: &str =
    "it separates the outcomes: with more of it the fit gets better without end";

/// Says that a covariate is determined by these others; by the systems where there are none.
fn describe_collinear(others: &[&str]) -> String {
    if others.is_empty() {
        return "the two systems alone determine it, or it is 0 throughout; leave it out".into();
    }
    let others = others.join(", ");
    format!("it is determined by {others}; leave one of them out")
}

fn style_effects(
    names: &[String],
    controlled: &StyleControlled,
    by_item: bool,
) -> Vec<StyleEffect> {
    let numbered = names.iter().enumerate();
    let effects = numbered.map(|(number, name)| {
        let found = controlled.uncertainty.as_ref();
        let interval = found
            .map_err(|why| *why)
            .and_then(|u| u.coefficients[number]);
        StyleEffect {
            covariate: name.clone(),
            log_odds: controlled.coefficients[number],
            ci: interval.ok().map(|interval| [interval.low, interval.high]),
            note: interval.err().map(|why| explain_no_interval(why, by_item)),
        }
    });
    effects.collect()
}

/// Says why an effect has no interval.
fn explain_no_interval(why: Undefined, by_item: bool) -> String {
    let Undefined::FewVaryingClusters {
        varying,
        effective,
        least,
    } = why
    else {
        return why.to_string();
    };
    let (one, many) = match by_item {
        true => ("item", "items"),
        false => ("comparison", "comparisons"),
    };
    let unit = if varying == 1 { one } else { many };
    let weight = match effective < varying {
        true => format!(", which weigh as {effective} alike"),
        false => String::new(),
    };
    format!("it varies in {varying} {unit}{weight}; an interval needs {least}")
}
