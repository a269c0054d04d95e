//! Style and order control: strengths with the effect of covariates taken out, for judgments just
//! made and for recorded ones alike.

use crate::method::{Ci, Method};
use crate::report::{EloEffect, StyleEffect};
use crate::score::{Scored, add_covariance_intervals, compare_contributions, count_systems};
use crate::{Aggregation, RankOptions};
use evenhand_core::{Cause, Refusal, Setting};
use evenhand_engine::EngineError;
use evenhand_stats::control::{
    Battles, ControlError, Normalisation, StyleControl, StyleControlled, TieLaw,
    relative_difference, standardised, style_controlled, tie_controlled,
};
use evenhand_stats::inference::{Contributions, style_covariance};
use evenhand_stats::{Error, Ridge, StrengthScale, Undefined};

/// Comparisons by columns, with their covariates.
pub(crate) struct Columns {
    pub(crate) a: Vec<u16>,
    pub(crate) b: Vec<u16>,
    /// The shares of (the first won, they tied, the second won); they sum to 1.
    pub(crate) outcome: Vec<[f64; 3]>,
    pub(crate) weight: Option<Vec<f64>>,
    pub(crate) cluster: Option<Vec<u32>>,
    pub(crate) covariates: Vec<Vec<f64>>,
    /// Of each covariate, whether it is by [`covariate_difference`], which a fit brings to one
    /// spread over all its rows.
    pub(crate) normalised: Vec<bool>,
}

/// The name of the covariate that is what it is worth to be shown first.
pub(crate) const ORDER: &str = "order";

/// Refuses settings that do not go together with covariates.
pub(crate) fn check_control(aggregation: Aggregation, rank: &RankOptions) -> Result<(), Refusal> {
    if !aggregation.is_log_odds() {
        let why = format!(
            "it is for bradley-terry, rao-kupper and davidson, not for {}",
            aggregation.name()
        );
        return Err(refuse_control(Cause::Conflict(Setting::Aggregate), why));
    }
    if !matches!(rank.ci, Ci::Sandwich | Ci::None) {
        let why = format!("its intervals are {0} sandwich, or {0} none", Setting::Ci);
        return Err(refuse_control(Cause::Conflict(Setting::Ci), why));
    }
    if rank.drop {
        let control = Setting::Control;
        let why = format!("it is not known with {control}; leave one of them out");
        return Err(Refusal::new(Setting::Drop, Cause::Conflict(control), why));
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

/// Scores by Bradley-Terry or a model of ties with covariates of these names, and the effect of
/// each.
pub(crate) fn score_controlled(
    columns: &Columns,
    names: &[String],
    systems: usize,
    method: &Method,
) -> Result<(Scored, Vec<StyleEffect>), EngineError> {
    let outcomes = columns.outcome.iter();
    let won: Vec<f64> = outcomes
        .map(|[won, tied, _]| (won + 0.5 * tied).clamp(0.0, 1.0))
        .collect();
    let mut covariates = Vec::new();
    for ((column, name), normalised) in columns
        .covariates
        .iter()
        .zip(names)
        .zip(&columns.normalised)
    {
        covariates.push(match normalised {
            true => standardised(column.clone(), ABOUT_ZERO)
                .map_err(|error| refuse_covariates(name, error.to_string()))?,
            false => column.clone(),
        });
    }
    let battles = Battles {
        systems,
        a: &columns.a,
        b: &columns.b,
        won: &won,
        weight: columns.weight.as_deref(),
        cluster: columns.cluster.as_deref(),
        covariates: &covariates,
    };
    let level = method.rank.bootstrap.level;
    let tie_law = match method.aggregation {
        Aggregation::Davidson => Some(TieLaw::Davidson),
        Aggregation::RaoKupper => Some(TieLaw::RaoKupper),
        _ => None,
    };
    let found = match tie_law {
        Some(law) => {
            let ties: Vec<f64> = columns.outcome.iter().map(|[_, tied, _]| *tied).collect();
            tie_controlled(law, &battles, &ties, level).map(|found| found.fit)
        }
        None => {
            let plan = StyleControl {
                ridge: method.prior.map_or(0.0, Ridge::weight),
                level,
                threads: method.rank.bootstrap.threads,
            };
            style_controlled(&battles, &plan)
        }
    };
    let found = found.map_err(|error| explain_control_error(error, names))?;
    let n = count_systems(systems, columns.a.iter().chain(&columns.b).copied());
    let mut scored = Scored::without_intervals(&found.scores, &n);
    if method.rank.ci == Ci::Sandwich {
        // Of a model of ties the covariance alone is known.
        let compared = tie_law.is_none().then(|| {
            let contributions = Contributions::of_style(&battles, &found, &method.rank.bootstrap);
            compare_contributions(contributions, method)
        });
        let covariance = style_covariance(&found);
        add_covariance_intervals(&mut scored, covariance, compared, method)?;
    }
    let by_item = columns.cluster.is_some();
    let mut effects = style_effects(names, &columns.normalised, &found, by_item);
    if method.rank.ci == Ci::None {
        // Nobody has looked for items: their comparisons would pass for independent ones.
        for effect in &mut effects {
            (effect.ci, effect.note) = (None, None);
            effect.elo = effect.elo.map(|elo| EloEffect { ci: None, ..elo });
        }
    }
    Ok((scored, effects))
}

/// How differences are normalised. A mean that is taken off would be given to the systems wherever
/// one of them is named first more often than not; where each pair is compared in both orders it is
/// 0, and this is [`Normalisation::RELATIVE`] itself.
const ABOUT_ZERO: Normalisation = Normalisation {
    centred: false,
    ..Normalisation::RELATIVE
};

/// Returns the relative difference between two responses in the covariate of this name.
pub(crate) fn covariate_difference(name: &str, a: &[f64], b: &[f64]) -> Result<Vec<f64>, Refusal> {
    let difference = relative_difference(a, b, ABOUT_ZERO.plus);
    difference.map_err(|error| refuse_covariates(name, error.to_string()))
}

/// Names covariates by their names instead of their numbers.
fn explain_control_error(error: ControlError, names: &[String]) -> Refusal {
    let name = |number: usize| names.get(number).map_or("", String::as_str);
    match error {
        ControlError::Collinear { covariate, by } => {
            let others: Vec<&str> = by.into_iter().map(name).collect();
            let why = if others.is_empty() && name(covariate) == ORDER {
                "which systems are compared determines which is shown first (one of them always \
                 is, perhaps), so the effect of the place cannot be told from the strengths; judge \
                 some items in the other order too, or leave it out"
                    .into()
            } else if others.is_empty() {
                "the two systems alone determine it, or it is 0 throughout; leave it out".into()
            } else {
                let others = others.join(", ");
                format!("it is determined by {others}; leave one of them out")
            };
            refuse_covariates(name(covariate), why)
        }
        ControlError::Separated { covariate } if name(covariate) == ORDER => refuse_covariates(
            ORDER,
            "the verdicts follow only the place, so its effect has no bound: the judge says \
             nothing about the systems",
        ),
        ControlError::Separated { covariate } => refuse_covariates(
            name(covariate),
            "it separates the outcomes, so its effect has no finite estimate",
        ),
        ControlError::Input(Error::Undefined(Undefined::OneSided)) => refuse_covariates(
            &names.join(","),
            "no two systems have both won and lost against each other, directly or through others, \
             so no strengths are finite; it takes more comparisons of the same systems",
        ),
        other => refuse_covariates(&names.join(","), other.to_string()),
    }
}

fn style_effects(
    names: &[String],
    normalised: &[bool],
    controlled: &StyleControlled,
    by_item: bool,
) -> Vec<StyleEffect> {
    let named = names.iter().zip(normalised).enumerate();
    let effects = named.map(|(number, (name, normalised))| {
        let interval = match &controlled.uncertainty {
            Ok(found) => found.coefficients[number],
            Err(why) => Err(*why),
        };
        StyleEffect {
            elo: (name == ORDER).then(|| EloEffect {
                points: elo_points(controlled.coefficients[number]),
                ci: interval
                    .ok()
                    .map(|ends| [ends.low, ends.high].map(elo_points)),
            }),
            covariate: name.clone(),
            normalised: *normalised,
            log_odds: controlled.coefficients[number],
            ci: interval.ok().map(|interval| [interval.low, interval.high]),
            note: interval.err().map(|why| explain_no_interval(why, by_item)),
        }
    });
    effects.collect()
}

/// Returns a difference in log-odds in points of Elo's scale.
fn elo_points(log_odds: f64) -> f64 {
    let of = |strength| StrengthScale::Elo.from_log_odds(strength);
    of(log_odds) - of(0.0)
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
    let unit = if by_item { "item" } else { "comparison" };
    let plural = if varying == 1 { "" } else { "s" };
    let weight = if effective < varying {
        format!(", which weigh as {effective} alike")
    } else {
        String::new()
    };
    format!("it varies in {varying} {unit}{plural}{weight}; an interval needs {least}")
}
