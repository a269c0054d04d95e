//! Intervals of scores, ranks and differences, from the rounds of a bootstrap or from a covariance.

use crate::EngineError;
use crate::rank::method::Method;
use crate::rank::scored::{JointPValues, Scored, Standing};
use evenhand_stats::inference::{
    Covariance, Coverage, InferenceError, PairDifference, RankSets, bca_interval,
    bootstrap_differences, covariance_differences, joint_p_values, rank_sets,
    rank_sets_from_covariance, smallest_p_value,
};
use evenhand_stats::{Estimate, Interval, Ranked, Resampled, Undefined};

/// Returns the scores with percentile intervals, and simultaneous rank intervals from the same
/// rounds.
pub(crate) fn scored_by_rounds(
    resampled: &Resampled,
    method: &Method,
) -> Result<Scored, EngineError> {
    let mut scored = scored_of_ranking(resampled);
    if resampled.rounds.is_empty() {
        return Ok(scored);
    }
    let sets = rank_sets_of_rounds(resampled, method.aggregation.low_is_good());
    set_rank_intervals(&mut scored, sets)?;
    if method.differences {
        add_differences_of_rounds(&mut scored, resampled)?;
    }
    Ok(scored)
}

fn scored_of_ranking(resampled: &Resampled) -> Scored {
    let ranking = resampled.ranking();
    Scored {
        // Standings with their intervals, in place of those of the point alone.
        systems: ranking.systems.into_iter().map(standing).collect(),
        components: ranking.components,
        fit: ranking.fit,
        unconverged_rounds: ranking.unconverged_rounds,
        ..Scored::without_intervals(&resampled.point, &[])
    }
}

fn standing(ranked: Ranked) -> Standing {
    let rank_interval = ranked.rank_interval.ok();
    Standing {
        estimate: ranked.estimate,
        n: ranked.n,
        interval: Some(ranked.interval.map_err(|reason| reason.to_string())),
        rank: ranked.rank,
        rank_interval: rank_interval.map(|interval| [interval.low, interval.high]),
        standard_error: None,
    }
}

fn add_differences_of_rounds(
    scored: &mut Scored,
    resampled: &Resampled,
) -> Result<(), EngineError> {
    let rounds = estimates_of_rounds(resampled, false);
    let point = &resampled.point.estimates;
    scored.differences = bootstrap_differences(point, &rounds, resampled.level)?;
    scored.joint = Some(JointPValues {
        values: joint_p_values(&scored.differences, &rounds),
        least: smallest_p_value(rounds.len()),
    });
    Ok(())
}

fn rank_sets_of_rounds(
    resampled: &Resampled,
    low_is_good: bool,
) -> Result<RankSets, InferenceError> {
    let point = higher_is_better(&resampled.point.estimates, low_is_good);
    let rounds = estimates_of_rounds(resampled, low_is_good);
    rank_sets(&point, &rounds, resampled.level, Coverage::Joint)
}

fn estimates_of_rounds(resampled: &Resampled, low_is_good: bool) -> Vec<Vec<Estimate>> {
    let rounds = resampled.rounds.iter();
    rounds
        .map(|round| higher_is_better(&round.estimates, low_is_good))
        .collect()
}

fn higher_is_better(estimates: &[Estimate], low_is_good: bool) -> Vec<Estimate> {
    let mut estimates = estimates.to_vec();
    if low_is_good {
        for estimate in &mut estimates {
            *estimate = negated(*estimate);
        }
    }
    estimates
}

fn negated(estimate: Estimate) -> Estimate {
    match estimate {
        Estimate::PlusInfinity => Estimate::MinusInfinity,
        Estimate::MinusInfinity => Estimate::PlusInfinity,
        other => other.map(|score| -score),
    }
}

/// Sets rank intervals for all systems whose rank the data determine.
fn set_rank_intervals(
    scored: &mut Scored,
    sets: Result<RankSets, InferenceError>,
) -> Result<(), EngineError> {
    match sets {
        Err(InferenceError::FewRounds { needed, .. }) => clear_rank_intervals(scored, needed),
        sets => put_rank_intervals(scored, sets?),
    }
    Ok(())
}

fn put_rank_intervals(scored: &mut Scored, sets: RankSets) {
    for (system, interval) in scored.systems.iter_mut().zip(&sets.intervals) {
        // A system that is too often infinite to be held against the others has no interval: its
        // own rounds alone would say something else than theirs.
        let interval = interval.as_ref().ok().filter(|_| is_determined(system));
        system.rank_interval = interval.map(|interval| [interval.low, interval.high]);
    }
    scored.apart = Some(sets.apart);
}

fn clear_rank_intervals(scored: &mut Scored, rounds_needed: usize) {
    for system in &mut scored.systems {
        system.rank_interval = None;
    }
    scored.rounds_needed = Some(rounds_needed);
}

/// Data that do not vary would make their rank look certain.
fn is_determined(system: &Standing) -> bool {
    system.rank.is_some() && !matches!(&system.interval, Some(Err(_)))
}

/// Adds normal intervals from a covariance, and rank intervals from normal draws.
pub(crate) fn add_covariance_intervals(
    scored: &mut Scored,
    covariance: Result<Covariance, InferenceError>,
    method: &Method,
) -> Result<(), EngineError> {
    match covariance {
        // The strengths stand; that they have no intervals is said with each of them.
        Err(reason @ (InferenceError::Undefined(_) | InferenceError::Singular)) => {
            leave_without_intervals(scored, &reason, method);
            Ok(())
        }
        // Who won or lost everything has no finite strength, and fewer than two have one.
        Err(InferenceError::Infinite { .. }) => {
            leave_without_intervals(scored, &Undefined::OneSystem.into(), method);
            Ok(())
        }
        covariance => add_normal_intervals(scored, &covariance?, method),
    }
}

fn leave_without_intervals(scored: &mut Scored, reason: &InferenceError, method: &Method) {
    set_intervals(scored, |_| Err(reason.clone()));
    if method.differences {
        let systems = scored.systems.len();
        let pairs = (0..systems).flat_map(|a| (a + 1..systems).map(move |b| (a, b)));
        let difference = |(a, b)| PairDifference::undefined(a, b, reason.clone());
        scored.differences = pairs.map(difference).collect();
    }
}

fn add_normal_intervals(
    scored: &mut Scored,
    covariance: &Covariance,
    method: &Method,
) -> Result<(), EngineError> {
    let level = method.plan.level;
    set_intervals(scored, |system| covariance.interval(system, level));
    let sets = rank_sets_from_covariance(covariance, &method.plan, Coverage::Joint);
    set_rank_intervals(scored, sets)?;
    if method.differences {
        scored.differences = covariance_differences(covariance, level)?;
        scored.joint = None;
    }
    Ok(())
}

fn set_intervals(
    scored: &mut Scored,
    interval: impl Fn(usize) -> Result<Interval, InferenceError>,
) {
    for (number, system) in scored.systems.iter_mut().enumerate() {
        let interval = interval(number).map_err(|reason| reason.to_string());
        system.interval = Some(interval);
    }
}

/// Replaces percentile intervals by bias-corrected and accelerated ones.
pub(super) fn correct_intervals(
    scored: &mut Scored,
    resampled: &Resampled,
    accelerations: &[Option<f64>],
) {
    for (number, system) in scored.systems.iter_mut().enumerate() {
        if matches!(system.interval, Some(Ok(_))) {
            let interval = corrected(system.estimate, number, resampled, accelerations[number]);
            system.interval = Some(interval);
        }
    }
}

fn corrected(
    estimate: Estimate,
    system: usize,
    resampled: &Resampled,
    acceleration: Option<f64>,
) -> Result<Interval, String> {
    let Some(acceleration) = acceleration else {
        return Err("its data do not say how skewed it is".into());
    };
    let rounds = resampled.rounds.iter();
    let rounds: Vec<Estimate> = rounds.map(|round| round.estimates[system]).collect();
    bca_interval(estimate, &rounds, acceleration, resampled.level)
        .map_err(|reason| reason.to_string())
}
