//! Intervals of scores, ranks and differences, from the rounds of a bootstrap or from a covariance.

use super::{Scored, Standing};
use crate::method::Method;
use evenhand_engine::EngineError;
use evenhand_stats::inference::{
    Contributions, Covariance, InferenceError, JointComparison, PairDifference, compare_jointly,
    compare_jointly_from_covariance, pair_differences, pair_differences_from_covariance,
};
use evenhand_stats::{Error, Interval, Resampled, Undefined};

/// Which systems are apart, and their differences where these were asked for.
pub(crate) type Compared = Result<(JointComparison, Vec<PairDifference>), InferenceError>;

/// Compares all systems by what each cluster adds to their differences.
pub(crate) fn compare_contributions(
    contributions: Result<Contributions, InferenceError>,
    method: &Method,
) -> Compared {
    let contributions = contributions?;
    let joint = compare_jointly(&contributions, &method.rank.bootstrap)?;
    let differences = match method.rank.differences {
        true => pair_differences(&contributions, &method.rank.bootstrap)?,
        false => Vec::new(),
    };
    Ok((joint, differences))
}

/// Compares all systems where their covariance alone is known, which may rest on few clusters.
fn compare_by_covariance(covariance: Covariance, method: &Method) -> Compared {
    let covariance = &covariance.of_few_clusters();
    let joint = compare_jointly_from_covariance(covariance, &method.rank.bootstrap)?;
    let differences = match method.rank.differences {
        true => pair_differences_from_covariance(covariance, method.rank.bootstrap.level)?,
        false => Vec::new(),
    };
    Ok((joint, differences))
}

/// Returns the scores with percentile intervals, and with who is apart.
pub(super) fn scored_by_rounds(
    resampled: &Resampled,
    compared: Compared,
) -> Result<Scored, EngineError> {
    let ranking = resampled.ranking();
    // Standings with their intervals, in place of those of the point alone.
    let systems = ranking.systems.into_iter().map(|ranked| {
        let rank_interval = ranked.rank_interval.ok();
        Standing {
            estimate: ranked.estimate,
            n: ranked.n,
            interval: Some(ranked.interval.map_err(|reason| reason.to_string())),
            rank: ranked.rank,
            rank_interval: rank_interval.map(|interval| [interval.low, interval.high]),
            standard_error: None,
        }
    });
    let has_rounds = !resampled.rounds.is_empty();
    let mut scored = Scored {
        systems: systems.collect(),
        components: ranking.components,
        fit: ranking.fit,
        unconverged_rounds: ranking.unconverged_rounds,
        clusters: has_rounds.then_some(resampled.clusters),
        ..Scored::without_intervals(&resampled.point, &[])
    };
    if has_rounds {
        set_compared(&mut scored, compared)?;
    }
    Ok(scored)
}

/// Returns the scores of an estimator of which nothing but its rounds is known, with percentile
/// intervals and with who is apart by the covariance of the rounds.
pub(crate) fn scored_by_rounds_alone(
    resampled: &Resampled,
    method: &Method,
) -> Result<Scored, EngineError> {
    let covariance = resampled.covariance();
    let compared = covariance.and_then(|covariance| compare_by_covariance(covariance, method));
    scored_by_rounds(resampled, compared)
}

/// Sets who is apart, rank intervals and differences. Where the data cannot say, there are none,
/// and why is kept.
fn set_compared(scored: &mut Scored, compared: Compared) -> Result<(), EngineError> {
    for system in &mut scored.systems {
        system.rank_interval = None;
    }
    let (joint, differences) = match compared {
        Ok(found) => found,
        Err(
            reason @ (InferenceError::FewRounds { .. }
            | InferenceError::FewClusters { .. }
            | InferenceError::Undefined(_)
            | InferenceError::Infinite { .. }
            | InferenceError::Singular
            | InferenceError::Input(Error::Undefined(_))),
        ) => {
            scored.no_ranks = Some(reason);
            return Ok(());
        }
        Err(other) => return Err(other.into()),
    };
    for (system, interval) in scored.systems.iter_mut().zip(&joint.rank_intervals) {
        let interval = interval.as_ref().ok().filter(|_| system.rank.is_some());
        system.rank_interval = interval.map(|interval| [interval.low, interval.high]);
    }
    scored.differences = differences;
    scored.joint = Some(joint);
    Ok(())
}

/// Adds intervals from a covariance, and who is apart: as `compared` says, or by the covariance
/// where nothing else is known.
pub(crate) fn add_covariance_intervals(
    scored: &mut Scored,
    covariance: Result<Covariance, InferenceError>,
    compared: Option<Compared>,
    method: &Method,
) -> Result<(), EngineError> {
    let known = match covariance {
        // The strengths stand; that they have no intervals is said with each of them.
        Err(reason @ (InferenceError::Undefined(_) | InferenceError::Singular)) => {
            set_intervals(scored, |_| Err(reason.clone()));
            Err(reason)
        }
        // Who won or lost everything has no finite strength, and fewer than two have one.
        Err(InferenceError::Infinite { .. }) => {
            let reason = InferenceError::from(Undefined::OneSystem);
            set_intervals(scored, |_| Err(reason.clone()));
            Err(reason)
        }
        covariance => {
            let covariance = covariance?;
            scored.clusters = Some(covariance.clusters() as usize);
            set_intervals(scored, |system| {
                covariance.interval(system, method.rank.bootstrap.level)
            });
            Ok(covariance)
        }
    };
    let compared = compared.unwrap_or_else(|| compare_by_covariance(known?, method));
    set_compared(scored, compared)
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
        if !matches!(system.interval, Some(Ok(_))) {
            continue;
        }
        system.interval = Some(match accelerations[number] {
            Some(acceleration) => resampled
                .bca(number, acceleration)
                .map_err(|reason| reason.to_string()),
            None => Err("its data do not say how skewed it is".into()),
        });
    }
}
